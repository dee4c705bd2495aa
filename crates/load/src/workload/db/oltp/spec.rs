//! What `db.oltp` is, as data.

use model::parameter::{Kind, ParameterSpec};
use model::profile::Aspect;
use model::{MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::db::generator::DISTRIBUTIONS;
use crate::workload::db::metrics::{OF_LOAD, joined, statement_latency};
use crate::workload::db::oltp::mix::WORDS;
use crate::workload::db::parameters;

/// The description.
pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("db.oltp"),
    definition_version: 1,
    summary: "how many transactions per second a database does, and how long one takes (sysbench oltp)",
    doc: "Tables and statements are those of sysbench 1.0: rows of some 190 bytes with a key, a second index and two texts. Each \
          operation is a transaction; each kind of statement has figures of its own beside it. With a `rate`, transactions \
          begin at that rate whatever the database does, and the latency counts from the moment that one was due. SQLite \
          is part of this program: nothing has to be installed. It is a new database in a hidden folder of the target, \
          which is removed at the end; each client has a thread and a connection. A server is named by its `url`: each client \
          has a connection, a thread serves many, and tables are made in a database of their own where the user may make \
          one. In SQLite, where another has locked the database, a \
          client sleeps as SQLite's own handler does (1 to 100 ms at a time, for up to the `timeout`), and a transaction \
          that writes takes the lock when it begins. A transaction that meets another one is rolled back and begun again; \
          all of that is in its latency.",
    parameters: &PARAMETERS,
    headline: metric::TRANSACTIONS_PER_SECOND,
    metrics: &METRICS,
    path: parameters::PATH,
    examples: &[
        "db.oltp --target /data --clients 1,2,4,8,16",
        "db.oltp --start postgres --target /data --clients 8",
        "db.oltp --url mysql://me@db1/ --mix point-select --clients 1,8,50",
    ],
};

/// Those that only this load has, and how many clients.
const OWN: [ParameterSpec; 7] = [
    ParameterSpec::new("mix", Kind::Choice, "What a transaction does.")
        .says(Aspect::Operation)
        .default("read-write")
        .words(WORDS),
    parameters::CLIENTS,
    ParameterSpec::new(
        "tables",
        Kind::Count,
        "Tables. A transaction takes one at random for each of its parts.",
    )
    .remote_max(10_000)
    .default("1")
    .costly(),
    ParameterSpec::new("rows", Kind::Count, "Rows of each table, of some 240 bytes with their indexes.")
        .remote_max(1_000_000_000)
        .default("10000")
        .costly(),
    ParameterSpec::new("range-size", Kind::Count, "Rows of a range.").remote_max(1_000_000).default("100"),
    ParameterSpec::new("distribution", Kind::Choice, "How rows are chosen.")
        .silent_by_default()
        .default("special")
        .words(DISTRIBUTIONS),
    ParameterSpec::new(
        "zipf-theta",
        Kind::Number,
        "The exponent of Zipf's law: the larger, the hotter are few rows.",
    )
    .default("1.1")
    .only_with("distribution", &["zipf"]),
];

const PARAMETERS: [ParameterSpec; parameters::COMMON + OWN.len()] = parameters::with_common(&OWN);

/// Those of each kind of statement.
const OF_STATEMENTS: [MetricSpec; 22] = statement_latency![
    "begin" is "statements that begin a transaction (BEGIN)",
    "commit" is "statements that end a transaction (COMMIT)",
    "point_select" is "selections of a row by its key",
    "simple_range" is "selections of a range of rows",
    "sum_range" is "sums over a range of rows",
    "order_range" is "selections of a range of rows in the order of a text",
    "distinct_range" is "selections of the different texts of a range of rows",
    "index_update" is "updates of a column that has an index",
    "non_index_update" is "updates of a column without an index",
    "delete" is "removals of a row by its key",
    "insert" is "insertions of a row",
];

const METRICS: [MetricSpec; OF_LOAD.len() + OF_STATEMENTS.len()] = joined(&OF_LOAD, &OF_STATEMENTS);
