//! What `db.slap` is, as data.

use model::parameter::{Kind, ParameterSpec};
use model::profile::Aspect;
use model::{MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::db::metrics::{OF_LOAD, joined, statement_latency};
use crate::workload::db::parameters;
use crate::workload::db::slap::mix::WORDS;

/// The description.
pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("db.slap"),
    definition_version: 1,
    summary: "how many of mysqlslap's generated statements per second a database does, and how long one takes (mysqlslap)",
    doc: "The loads of mysqlslap --auto-generate-sql, in a table of 100 rows with a key, a number and a text of 126 characters \
          unless more is asked for. Each transaction is one statement. mysqlslap prepares ten insertions and repeats them with the \
          same values, which compress and are found again; here each has values of its own, unless `repeated-inserts` asks \
          for those ten. A load that puts rows in has a new table for each trial: `read` and `mixed` select the whole table, \
          so that they get slower as it grows, which is what mysqlslap measures. Give `requests` to execute so many as \
          --number-of-queries does. The database is a new one of SQLite in the target, or on a server, as that of db.oltp.",
    parameters: &PARAMETERS,
    headline: metric::TRANSACTIONS_PER_SECOND,
    metrics: &METRICS,
    path: parameters::PATH,
    examples: &[
        "db.slap --target /data --clients 8",
        "db.slap --start mariadb --target /data --clients 50",
        "db.slap --url mysql://me@db1/ --mix write --clients 50",
    ],
};

/// Those that only this load has, and how many clients.
const OWN: [ParameterSpec; 6] = [
    ParameterSpec::new("mix", Kind::Choice, "What a transaction does.")
        .says(Aspect::Operation)
        .default("mixed")
        .words(WORDS),
    parameters::CLIENTS,
    ParameterSpec::new("rows", Kind::Count, "Rows of the table before the first transaction.")
        .remote_max(1_000_000_000)
        .default("100")
        .costly(),
    ParameterSpec::new("int-columns", Kind::Count, "Columns of whole numbers.")
        .or_zero()
        .remote_max(16)
        .default("1")
        .costly(),
    ParameterSpec::new("char-columns", Kind::Count, "Columns of texts.")
        .or_zero()
        .remote_max(16)
        .default("1")
        .costly(),
    ParameterSpec::new(
        "repeated-inserts",
        Kind::Flag,
        "Put the same ten rows in again and again, as mysqlslap does, with their values in the statements.",
    )
    .default("no")
    .only_with("mix", &["mixed", "write"]),
];

const PARAMETERS: [ParameterSpec; parameters::COMMON + OWN.len()] = parameters::with_common(&OWN);

/// Those of each kind of statement.
const OF_STATEMENTS: [MetricSpec; 8] = statement_latency![
    "table_select" is "selections of the whole table",
    "point_select" is "selections of a row by its key",
    "non_index_update" is "updates of a column without an index",
    "insert" is "insertions of a row",
];

const METRICS: [MetricSpec; OF_LOAD.len() + OF_STATEMENTS.len()] = joined(&OF_LOAD, &OF_STATEMENTS);
