//! `db.tpcb`: the built-in scripts of pgbench, on its tables.

mod spec;

use engine::queue::Class;
use model::plan::{Effect, Problem};
use model::{Parameters, WorkloadSpec};

use crate::workload::common::LoadSchedule;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::dataset::tpcb::TpcbSize;
use crate::workload::db::load::{ConsistencyCheck, DatabaseLoad};
use crate::workload::db::metrics::{self, FIRST_STATEMENT, OF_TRANSACTIONS};
use crate::workload::db::parameters::{ClientOptions, word};
use crate::workload::db::planned;
use crate::workload::db::script::{ScriptCompiler, StatementVerb, unread};
use crate::workload::db::tpcb::spec::{MIXES, SPEC};
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::{Planned, Workload, named};

/// The workload.
#[derive(Debug)]
pub struct Tpcb;

impl Workload for Tpcb {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let size = TpcbSize::new(parameters.integer(named("scale"))?)?;
        let mix = match word(parameters, "mix", MIXES)? {
            "select-only" => TpcbMix::SelectOnly,
            "simple-update" => TpcbMix::SimpleUpdate,
            _ => TpcbMix::TpcbLike,
        };
        let load = TpcbLoad { mix, size };
        Ok(planned::plan(SPEC.name, Box::new(load), ClientOptions::of(parameters, schedule)?))
    }
}

/// Which of pgbench's built-in scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TpcbMix {
    TpcbLike,
    SimpleUpdate,
    SelectOnly,
}

impl TpcbMix {
    /// Its script (`builtin_script` in `src/bin/pgbench/pgbench.c`).
    fn script(self) -> &'static str {
        match self {
            Self::TpcbLike => {
                "\\set aid random(1, 100000 * :scale)
                \\set bid random(1, 1 * :scale)
                \\set tid random(1, 10 * :scale)
                \\set delta random(-5000, 5000)
                BEGIN;
                UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
                SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
                UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
                UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
                INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
                END;"
            }
            Self::SimpleUpdate => {
                "\\set aid random(1, 100000 * :scale)
                \\set bid random(1, 1 * :scale)
                \\set tid random(1, 10 * :scale)
                \\set delta random(-5000, 5000)
                BEGIN;
                UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
                SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
                INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
                END;"
            }
            Self::SelectOnly => {
                "\\set aid random(1, 100000 * :scale)
                SELECT abalance FROM pgbench_accounts WHERE aid = :aid;"
            }
        }
    }
}

const CLASSES: &[Class] = &[
    OF_TRANSACTIONS[0],
    OF_TRANSACTIONS[1],
    metrics::statement("begin"),
    metrics::statement("commit"),
    metrics::statement("point_select"),
    metrics::statement("account_update"),
    metrics::statement("history_insert"),
    metrics::statement("teller_update"),
    metrics::statement("branch_update"),
];

/// The class of a statement.
fn class(verb: StatementVerb, text: &str) -> u8 {
    FIRST_STATEMENT
        + match verb {
            StatementVerb::Begin => 0,
            StatementVerb::Commit | StatementVerb::Rollback => 1,
            StatementVerb::Select => 2,
            StatementVerb::Insert => 4,
            StatementVerb::Update | StatementVerb::Delete if text.contains("pgbench_tellers") => 5,
            StatementVerb::Update | StatementVerb::Delete if text.contains("pgbench_branches") => 6,
            StatementVerb::Update | StatementVerb::Delete => 3,
        }
}

#[derive(Debug)]
struct TpcbLoad {
    mix: TpcbMix,
    size: TpcbSize,
}

impl DatabaseLoad for TpcbLoad {
    fn data(&self) -> DataSet {
        DataSet::Tpcb(self.size)
    }

    fn effect(&self) -> Effect {
        if self.mix == TpcbMix::SelectOnly { Effect::Clean } else { Effect::Dirty }
    }

    fn classes(&self) -> &'static [Class] {
        match self.mix {
            TpcbMix::TpcbLike => CLASSES,
            TpcbMix::SimpleUpdate => &CLASSES[..7],
            TpcbMix::SelectOnly => &CLASSES[..5],
        }
    }

    fn mix(&self, system: DatabaseSystem) -> Result<TransactionMix, Problem> {
        let mut made = ScriptCompiler::new(system, class).constant("scale", self.size.scale);
        made.add(self.mix.script(), 1, 1, None).map_err(|error| unread("the script of pgbench", &error))?;
        Ok(made.finish())
    }

    /// What was done to accounts is in the history, and what was done to tellers was done to branches, whichever of
    /// the scripts did it.
    fn checks(&self) -> Vec<ConsistencyCheck> {
        let equal = |about, one: &str, other: &str| ConsistencyCheck {
            about,
            sql: format!("SELECT (SELECT {one}) - (SELECT {other})"),
        };
        vec![
            equal(
                "the balances of accounts add up to the history",
                "sum(abalance) FROM pgbench_accounts",
                "coalesce(sum(delta), 0) FROM pgbench_history",
            ),
            equal(
                "the balances of tellers add up to those of branches",
                "sum(tbalance) FROM pgbench_tellers",
                "sum(bbalance) FROM pgbench_branches",
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::transaction::TransactionStep;

    #[test]
    fn scripts_have_the_statements_of_pgbench() {
        for (mix, kinds) in [
            (
                TpcbMix::TpcbLike,
                &[
                    "begin",
                    "account_update",
                    "point_select",
                    "teller_update",
                    "branch_update",
                    "history_insert",
                    "commit",
                ][..],
            ),
            (
                TpcbMix::SimpleUpdate,
                &["begin", "account_update", "point_select", "history_insert", "commit"][..],
            ),
            (TpcbMix::SelectOnly, &["point_select"][..]),
        ] {
            let load = TpcbLoad { mix, size: TpcbSize { scale: 2 } };
            let made = load.mix(DatabaseSystem::Postgres).unwrap();
            let found = made.transactions[0].steps.iter().filter_map(|step| match step {
                TransactionStep::Execute(execution) => {
                    Some(load.classes()[usize::from(execution.class)].name)
                }
                _ => None,
            });
            assert_eq!(found.collect::<Vec<_>>(), kinds);
        }
    }
}
