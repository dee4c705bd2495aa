//! `db.slap`: the loads that mysqlslap generates.

mod mix;
mod spec;

use engine::queue::Class;
use model::plan::{Effect, Problem};
use model::{FactName, Parameters, Value, WorkloadSpec, database};

use crate::workload::common::LoadSchedule;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::dataset::slap::{COLUMNS_MOST, SlapColumns, SlapTable};
use crate::workload::db::load::DatabaseLoad;
use crate::workload::db::parameters::{ClientOptions, word};
use crate::workload::db::planned;
use crate::workload::db::slap::mix::{REPEATED, SlapMix, WORDS};
use crate::workload::db::slap::spec::SPEC;
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::{Planned, Workload, named};

/// Rows that the table may have: keys are numbers of 32 bits with a sign.
const ROWS_MOST: u64 = i32::MAX as u64;

/// The workload.
#[derive(Debug)]
pub struct Slap;

impl Workload for Slap {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let integer = |name| parameters.integer(named(name));
        let columns = SlapColumns { integers: integer("int-columns")?, texts: integer("char-columns")? };
        let rows = integer("rows")?;
        if columns.integers > COLUMNS_MOST || columns.texts > COLUMNS_MOST {
            return Err(Problem::invalid(
                "the table has more columns than there are names for",
                format!("at most {COLUMNS_MOST} of each type"),
            ));
        }
        if columns.integers + columns.texts == 0 {
            return Err(Problem::invalid("the table has no column beside its key", "give int-columns"));
        }
        if rows > ROWS_MOST {
            return Err(Problem::invalid(
                format!("{rows} rows are more than the keys of a table"),
                "give fewer rows",
            ));
        }
        let load = SlapLoad {
            mix: SlapMix::called(word(parameters, "mix", WORDS)?),
            table: SlapTable { rows, columns },
            repeats: parameters.flag(named("repeated-inserts"))?,
        };
        Ok(planned::plan(SPEC.name, Box::new(load), ClientOptions::of(parameters, schedule)?))
    }
}

#[derive(Debug)]
struct SlapLoad {
    mix: SlapMix,
    table: SlapTable,
    /// Whether the same ten inserts come again and again.
    repeats: bool,
}

impl DatabaseLoad for SlapLoad {
    fn data(&self) -> DataSet {
        DataSet::Slap(self.table)
    }

    /// A table that grows is made anew, as mysqlslap does: what is read of it would take longer and longer.
    fn effect(&self) -> Effect {
        match self.mix {
            SlapMix::Read | SlapMix::Key => Effect::Clean,
            SlapMix::Update => Effect::Dirty,
            SlapMix::Write | SlapMix::Mixed => Effect::UsedUp,
        }
    }

    fn classes(&self) -> &'static [Class] {
        self.mix.classes()
    }

    fn mix(&self, _system: DatabaseSystem) -> Result<TransactionMix, Problem> {
        Ok(self.mix.transactions(&self.table, self.repeats))
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let is_repeated = self.repeats && matches!(self.mix, SlapMix::Write | SlapMix::Mixed);
        let fact = (database::fact::REPEATED_INSERTS, Value::Integer(REPEATED));
        is_repeated.then_some(fact).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::dataset::slap::SlapColumns;

    #[test]
    fn only_a_load_that_inserts_says_that_its_insertions_repeat() {
        let facts = |mix, repeats| {
            let table = SlapTable { rows: 10, columns: SlapColumns { integers: 1, texts: 1 } };
            SlapLoad { mix, table, repeats }.facts()
        };
        let ten = [(database::fact::REPEATED_INSERTS, Value::Integer(10))];
        assert_eq!((facts(SlapMix::Write, true), facts(SlapMix::Mixed, true)), (ten.to_vec(), ten.to_vec()));
        assert!(facts(SlapMix::Write, false).is_empty() && facts(SlapMix::Key, true).is_empty());
    }
}
