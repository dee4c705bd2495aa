//! What `db.script` is, as data.

use model::parameter::{Kind, ParameterSpec, Word};
use model::{MetricSpec, WorkloadName, WorkloadSpec, metric};

use crate::workload::db::metrics::{OF_LOAD, joined, statement_latency};
use crate::workload::db::parameters;

/// The parameter with what the file holds, and what may stand there.
pub(super) const CONTENT: &str = "sql-content";
pub(super) const ANY_CONTENT: &str = "any";
pub(super) const SHA256: &str = "sha256";

/// What tables there are.
pub(super) const DATA: &[Word] = &[
    Word { word: "file", doc: "those that the file makes, in its part `-- headroom: setup`" },
    Word { word: "existing", doc: "those that are in the database of the url, which are only read" },
    Word { word: "pgbench", doc: "those of pgbench, at a `scale`, which the file may name as :scale" },
    Word { word: "sysbench", doc: "those of sysbench, `tables` of so many `rows`: :tables and :rows" },
];

/// The description.
pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("db.script"),
    definition_version: 1,
    summary: "how many of your own transactions per second a database does, and how long one takes (pgbench -f)",
    doc: "Executes the transactions of a file, which is written as a script of pgbench: \\set draws values (random, \
          random_gaussian, random_exponential, random_zipfian, arithmetic), :name puts one into a statement, and \\gset keeps what a \
          statement gave. A file may have several transactions, each behind a comment `-- headroom: transaction weight=3`, and \
          what makes its tables behind `-- headroom: setup`. \\set name text('###-@@@') draws digits and letters, and \
          alphanumeric(126) both. Other commands, and statements that are neither SELECT, INSERT, UPDATE, DELETE nor part of a \
          transaction, are refused before anything is made. Without BEGIN each statement is a transaction for the \
          database, and one that meets another begins again with the first. The database is a new one of SQLite in the target, or on a server, as that of db.oltp.",
    parameters: &PARAMETERS,
    headline: metric::TRANSACTIONS_PER_SECOND,
    metrics: &METRICS,
    path: parameters::PATH,
    examples: &[
        "db.script --sql shop.sql",
        "db.script --sql shop.sql --clients 1,4,16 --rate 200/s",
        "db.script --sql shop.sql --url postgres://me@db1/ --clients 50",
    ],
};

/// Those that only this load has, and how many clients.
const OWN: [ParameterSpec; 8] = [
    ParameterSpec::new(
        "sql",
        Kind::Path,
        "The file of transactions: SQL with the commands of pgbench. Where it lies is no part of the work: what it holds is.",
    )
    .not_work(),
    ParameterSpec::new(
        CONTENT,
        Kind::Choice,
        "What the file must hold. Results of the same transactions are of the same work, wherever the file lay.",
    )
    .silent_by_default()
    .default(ANY_CONTENT)
    .words(&[Word { word: ANY_CONTENT, doc: "whatever it holds; the result has its digest" }])
    .digest(Word {
        word: SHA256,
        doc: "what has this SHA-256 in 64 hexadecimal digits, as sha256sum prints it of the file",
    }),
    ParameterSpec::new("data", Kind::Choice, "Which tables there are.").default("file").words(DATA).costly(),
    ParameterSpec::new(
        "scale",
        Kind::Count,
        "Times 100,000 accounts, 10 tellers and a branch, of some 11 MB.",
    )
    .remote_max(20_000)
    .default("1")
    .costly()
    .only_with("data", &["pgbench"]),
    ParameterSpec::new("tables", Kind::Count, "Tables of sysbench.")
        .remote_max(10_000)
        .default("1")
        .costly()
        .only_with("data", &["sysbench"]),
    ParameterSpec::new(
        "rows",
        Kind::Count,
        "Rows of each table of sysbench, of some 240 bytes with their indexes.",
    )
    .remote_max(1_000_000_000)
    .default("10000")
    .costly()
    .only_with("data", &["sysbench"]),
    ParameterSpec::new(
        "fresh",
        Kind::Flag,
        "Make the tables anew for each trial, where transactions change them.",
    )
    .default("no"),
    parameters::CLIENTS,
];

const PARAMETERS: [ParameterSpec; parameters::COMMON + OWN.len()] = parameters::with_common(&OWN);

/// Those of statements by what they do.
pub(in crate::workload) const OF_VERBS: [MetricSpec; 12] = statement_latency![
    "begin" is "statements that begin a transaction (BEGIN)",
    "commit" is "statements that end a transaction (COMMIT)",
    "selects" is "statements that select (SELECT)",
    "inserts" is "statements that insert (INSERT)",
    "updates" is "statements that change rows (UPDATE)",
    "deletes" is "statements that remove rows (DELETE)",
];

const METRICS: [MetricSpec; OF_LOAD.len() + OF_VERBS.len()] = joined(&OF_LOAD, &OF_VERBS);
