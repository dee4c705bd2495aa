//! `db.slap`: the loads that mysqlslap generates.

mod mix;
mod spec;

use engine::queue::Class;
use model::plan::{Effect, Problem};
use model::{Parameters, WorkloadSpec};

use crate::workload::common::LoadSchedule;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::dataset::slap::{COLUMNS_MOST, SlapColumns, SlapTable};
use crate::workload::db::load::DatabaseLoad;
use crate::workload::db::parameters::{ClientOptions, word};
use crate::workload::db::planned;
use crate::workload::db::slap::mix::{SlapMix, WORDS};
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
}
