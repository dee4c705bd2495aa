//! What `db.durability` is, as data.

use model::parameter::{Kind, ParameterSpec, Word};
use model::resource::Symbol;
use model::{MetricName, MetricSpec, Unit, WorkloadName, WorkloadSpec, metric};

use crate::workload::common;
use crate::workload::db::parameters;
use crate::workload::db::server;
use crate::workload::disk::stacked;

/// The description.
pub(super) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("db.durability"),
    definition_version: 1,
    summary: "whether a database keeps what it acknowledged when its process is killed, and what that costs",
    doc: "Clients commit rows, each with a number, and note each that is acknowledged. At a random moment the database is killed \
          (SIGKILL) and started again; rows that were acknowledged and are not there are lost. So it goes on for as many \
          rounds as are asked for. SQLite works in the threads of its clients, so that these are a process of their own, \
          which is killed. A server is one of ours (`start`); no other is killed. This shows what a kill of the process takes \
          away. It does not show what a power cut does: what a process has given to the kernel outlives the process, and not \
          the power. So a setting that does not wait for the disk (innodb_flush_log_at_trx_commit=2, fsync=off, \
          synchronous=off) may lose nothing here and all at a power cut. Rows that are there though their commit was not \
          acknowledged are no fault: the answer was on its way.",
    parameters: PARAMETERS,
    headline: COMMITS.name,
    metrics: METRICS,
    path: &[Symbol::WorkerCpus, Symbol::TargetFileSystem, Symbol::TargetDevice],
    examples: &[
        "db.durability --target /data",
        "db.durability --target /data --synchronous full,off",
        "db.durability --start mariadb --target /data --clients 8",
    ],
};

const PARAMETERS: &[ParameterSpec] = &[
    parameters::URL,
    server::START,
    parameters::TARGET,
    stacked::STACK,
    stacked::LAYER,
    stacked::MEMBER_SIZE,
    stacked::PRESENT,
    server::VARIABLES,
    parameters::CLIENTS,
    ParameterSpec::new("rounds", Kind::Count, "How often the database is killed in a trial.")
        .remote_max(ROUNDS_MOST)
        .default("3"),
    ParameterSpec::new(
        "kill-within",
        Kind::Duration,
        "The latest moment of a kill, from the first row on; the moment is drawn between a tenth of it and all of it. After \
         50,000 rows it comes at once.",
    )
    .default("1s"),
    ParameterSpec::new("until", Kind::Choice, "What ends a trial.").default("end").ends_trial().words(&[
        Word { word: "end", doc: "all rounds" },
        Word { word: "time", doc: "the duration, if it is shorter" },
    ]),
    parameters::JOURNAL_MODE,
    parameters::SYNCHRONOUS_MODE,
    parameters::CACHE_SIZE,
    parameters::TIMEOUT,
];

/// The most rounds of a trial.
pub(super) const ROUNDS_MOST: u64 = 50;

/// Commits per second. It is no rate of the load's operations, which are rounds.
pub(super) const COMMITS: MetricSpec = common::rate(
    MetricName::new("commits_per_second"),
    "Commits per second that were acknowledged while clients committed: from the first of a round to the kill.",
);
/// The share of acknowledged commits that were lost.
pub(super) const LOST_SHARE: MetricSpec = MetricSpec::lower(
    MetricName::new("lost_share"),
    Unit::One,
    "The share of the acknowledged commits that were not there after a kill of the process.",
);
/// Rows that are there though nobody was told.
pub(super) const UNACKNOWLEDGED: MetricSpec = MetricSpec::lower(
    MetricName::new("unacknowledged_commits"),
    Unit::One,
    "Rows that were there after a kill though their commit was not acknowledged, in all rounds of a trial: their answers \
     were on the way.",
);
/// How long it takes to be there again.
pub(super) const RECOVERY: MetricSpec = common::time(
    MetricName::new("recovery_time"),
    "From the restart after a kill to the first answer, in the mean of all rounds. Of a server it is looked every 20 ms \
     whether it lets clients in.",
);

const METRICS: &[MetricSpec] = &[
    COMMITS,
    MetricSpec::lower(
        metric::LOST_COMMITS,
        Unit::One,
        "Rows whose commit was acknowledged and that were not there after a kill of the process, in all rounds of a trial.",
    ),
    LOST_SHARE,
    MetricSpec::higher(
        metric::ACKNOWLEDGED_COMMITS,
        Unit::One,
        "Rows whose commit was acknowledged, in all rounds of a trial.",
    ),
    UNACKNOWLEDGED,
    RECOVERY,
];
