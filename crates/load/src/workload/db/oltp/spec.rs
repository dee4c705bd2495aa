//! What `db.oltp` is, as data.

use model::parameter::{Kind, ParameterSpec};
use model::profile::Aspect;
use model::resource::Symbol;
use model::{MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::db::generator::DISTRIBUTIONS;
use crate::workload::db::metrics::{OF_LOAD, TRANSACTIONS, statement_latency};
use crate::workload::db::oltp::mix::WORDS;
use crate::workload::db::server;
use crate::workload::db::sqlite::{JOURNAL_MODES, SYNCHRONOUS};

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
    parameters: &[
        ParameterSpec::new(
            "url",
            Kind::Text,
            "Which database. `sqlite:` is a new one of SQLite in the target; `postgres://USER@HOST:PORT/DATABASE` a server, \
             with `?tls=verify` over TLS. What is made there is removed at the end. A password in it is taken out before \
             anything is kept; it may also stand in a file (`password-file`) or in the environment (`HEADROOM_DB_PASSWORD`).",
        )
        .default("sqlite:"),
        server::START,
        ParameterSpec::new("target", Kind::Path, "A folder, in which a database of SQLite or a server is made and removed.")
            .says(Aspect::Targets)
            .default(".")
            .costly()
            .not_work()
            .only_with("url", &["sqlite:"]),
        server::VARIABLES,
        server::PASSWORD_FILE,
        ParameterSpec::new(
            "recreate",
            Kind::Flag,
            "Remove tables of the load's names that are in the database of the URL already. Without it they are left \
             alone, and the load is refused.",
        )
        .default("no")
        .silent_by_default()
        .not_work(),
        ParameterSpec::new("mix", Kind::Choice, "What a transaction does.").says(Aspect::Operation)
            .default("read-write")
            .words(WORDS),
        ParameterSpec::new("clients", Kind::Count, "Clients at once, each with a connection of its own.")
            .says(Aspect::Streams)
            .remote_max(1024)
            .default("1"),
        ParameterSpec::new("tables", Kind::Count, "Tables. A transaction takes one at random for each of its parts.")
            .remote_max(10_000)
            .default("1")
            .costly(),
        ParameterSpec::new("rows", Kind::Count, "Rows of each table, of some 240 bytes with their indexes.")
            .remote_max(1_000_000_000)
            .default("10000")
            .costly(),
        ParameterSpec::new("range-size", Kind::Count, "Rows of a range.").remote_max(1_000_000).default("100"),
        ParameterSpec::new("distribution", Kind::Choice, "How rows are chosen.").silent_by_default()
            .default("special")
            .words(DISTRIBUTIONS),
        ParameterSpec::new("zipf-theta", Kind::Number, "The exponent of Zipf's law: the larger, the hotter are few rows.")
            .default("1.1")
            .only_with("distribution", &["zipf"]),
        ParameterSpec::new(
            "prepared",
            Kind::Flag,
            "Prepare each statement once. With `no` each is parsed anew, with its values in it.",
        )
        .default("yes"),
        ParameterSpec::new("journal-mode", Kind::Choice, "How SQLite keeps transactions whole.").always_told()
            .default("wal")
            .words(JOURNAL_MODES)
            .only_with("start", &["no"]),
        ParameterSpec::new("synchronous", Kind::Choice, "What SQLite waits for when it commits.").always_told()
            .default("full")
            .words(SYNCHRONOUS)
            .only_with("start", &["no"]),
        ParameterSpec::new("cache-size", Kind::Size, "Bytes of pages that each connection of SQLite keeps.")
            .remote_max(64 << 30)
            .default("2000KiB")
            .only_with("start", &["no"]),
        ParameterSpec::new(
            "timeout",
            Kind::Duration,
            "How long a statement waits for a lock, and for how long a transaction is begun again; then it has failed.",
        )
        .default("10s")
        .not_work(),
    ],
    headline: metric::TRANSACTIONS_PER_SECOND,
    metrics: &METRICS,
    path: &[Symbol::WorkerCpus, Symbol::TargetFileSystem, Symbol::TargetDevice, Symbol::ServerInterface],
};

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

const METRICS: [MetricSpec; OF_LOAD.len() + OF_STATEMENTS.len()] = {
    let mut all = [TRANSACTIONS; OF_LOAD.len() + OF_STATEMENTS.len()];
    let mut place = 0;
    while place < all.len() {
        let of_statements = place >= OF_LOAD.len();
        all[place] = if of_statements { OF_STATEMENTS[place - OF_LOAD.len()] } else { OF_LOAD[place] };
        place += 1;
    }
    all
};
