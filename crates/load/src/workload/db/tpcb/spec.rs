//! What `db.tpcb` is, as data.

use model::parameter::{Kind, ParameterSpec, Word};
use model::profile::Aspect;
use model::{MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::db::metrics::{OF_LOAD, joined, statement_latency};
use crate::workload::db::parameters;

/// The scripts, by pgbench's names for them.
pub(super) const MIXES: &[Word] = &[
    Word {
        word: "tpcb-like",
        doc: "an account, a teller and a branch changed, the account read, a row of history added (pgbench's default)",
    },
    Word { word: "simple-update", doc: "the same without teller and branch (pgbench -N)" },
    Word { word: "select-only", doc: "an account read, without BEGIN (pgbench -S)" },
];

/// The description.
pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("db.tpcb"),
    definition_version: 1,
    summary: "how many transactions like TPC-B's per second a database does, and how long one takes (pgbench)",
    doc: "Tables and transactions are those of pgbench: at scale 1 a branch, 10 tellers and 100,000 accounts, and a history that \
          grows. It is not TPC-B, as pgbench is not. With few branches and many clients, transactions wait for one another at \
          the branch: give a scale of at least the clients. After each trial the balances must add up, or the trial fails. The \
          database is a new one of SQLite in the target, or on a server, as that of db.oltp; in SQLite a transaction that writes \
          takes the lock when it begins.",
    parameters: &PARAMETERS,
    headline: metric::TRANSACTIONS_PER_SECOND,
    metrics: &METRICS,
    path: parameters::PATH,
    examples: &[
        "db.tpcb --target /data",
        "db.tpcb --start postgres --target /data --scale 10 --clients 8",
        "db.tpcb --url postgres://me@db1/ --scale 100 --clients 1,8,50",
    ],
};

/// Those that only this load has, and how many clients.
const OWN: [ParameterSpec; 3] = [
    ParameterSpec::new("mix", Kind::Choice, "What a transaction does.")
        .says(Aspect::Operation)
        .default("tpcb-like")
        .words(MIXES),
    parameters::CLIENTS,
    ParameterSpec::new(
        "scale",
        Kind::Count,
        "Times 100,000 accounts, 10 tellers and a branch, of some 11 MB.",
    )
    .remote_max(20_000)
    .default("1")
    .costly(),
];

const PARAMETERS: [ParameterSpec; parameters::COMMON + OWN.len()] = parameters::with_common(&OWN);

/// Those of each kind of statement.
const OF_STATEMENTS: [MetricSpec; 14] = statement_latency![
    "begin" is "statements that begin a transaction (BEGIN)",
    "commit" is "statements that end a transaction (COMMIT)",
    "point_select" is "selections of a row by its key",
    "account_update" is "updates of an account",
    "history_insert" is "insertions into the history",
    "teller_update" is "updates of a teller",
    "branch_update" is "updates of a branch",
];

const METRICS: [MetricSpec; OF_LOAD.len() + OF_STATEMENTS.len()] = joined(&OF_LOAD, &OF_STATEMENTS);
