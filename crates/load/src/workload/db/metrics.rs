//! Figures that loads on databases have in common, and those of each kind of statement.

use engine::outcome::LoadOutcome;
use engine::queue::Class;
use model::trial::Window;
use model::{MetricName, MetricSpec, Quantity, Unit, database, metric};

use crate::workload::common;
use crate::workload::db::connect_times::{CONNECT_P50, CONNECT_P99};
use crate::workload::db::counters::OF_SERVER;
use crate::workload::db::session_metrics::OF_SESSIONS;

/// The class of transactions that ended well, and of those that failed: the first ones of every load on a database.
pub(in crate::workload) const TRANSACTION: u8 = 0;
pub(in crate::workload) const ERROR: u8 = 1;
/// The class of its first kind of statement.
pub(in crate::workload) const FIRST_STATEMENT: u8 = 2;

/// The classes that every load on a database begins with.
pub(in crate::workload) const OF_TRANSACTIONS: [Class; FIRST_STATEMENT as usize] = [
    Class { name: "transaction", counts: true, fails: false },
    Class { name: "error", counts: false, fails: true },
];

/// A kind of statement: it has a latency, and is no transaction.
pub(in crate::workload) const fn statement(name: &'static str) -> Class {
    Class { name, counts: false, fails: false }
}

/// The latencies of a kind of statement: of `name`, called `what`.
macro_rules! statement_latency {
    ($($name:literal is $what:literal),* $(,)?) => {
        [$(
            $crate::workload::common::time(
                model::MetricName::new(concat!($name, "_latency_p50")),
                concat!("Half of the ", $what, " took at most this long."),
            ),
            $crate::workload::common::time(
                model::MetricName::new(concat!($name, "_latency_p99")),
                concat!("99 % of the ", $what, " took at most this long."),
            ),
        )*]
    };
}
pub(in crate::workload) use statement_latency;

/// Transactions per second.
pub(in crate::workload) const TRANSACTIONS: MetricSpec = common::rate(
    metric::TRANSACTIONS_PER_SECOND,
    "Transactions per second that ended well; one that was begun again counts once.",
);
/// Statements per second.
pub(in crate::workload) const QUERIES: MetricSpec = common::rate(
    database::metric::QUERIES_PER_SECOND,
    "Statements per second that were executed, BEGIN and COMMIT among them, as sysbench counts queries.",
);
/// Rows per second.
pub(in crate::workload) const ROWS: MetricSpec =
    common::rate(MetricName::new("rows_per_second"), "Rows per second that statements gave or changed.");
/// Retries per second.
pub(in crate::workload) const RETRIES: MetricSpec = MetricSpec::lower(
    database::metric::RETRIES_PER_SECOND,
    Unit::PerSecond,
    "Transactions per second that met another one, and were rolled back and begun again; that time is in the latency.",
);
/// Waits for locks per second.
pub(in crate::workload) const LOCK_WAITS: MetricSpec = MetricSpec::lower(
    MetricName::new("lock_waits_per_second"),
    Unit::PerSecond,
    "How often per second a client found the database locked and slept; that time is in the latency.",
);
/// The share of transactions that failed.
pub(in crate::workload) const ERROR_SHARE: MetricSpec = MetricSpec::lower(
    metric::ERROR_SHARE,
    Unit::One,
    "The share of the transactions that failed: a statement was refused, or no lock was given within the timeout.",
);
/// CPU time for each statement.
pub(in crate::workload) const CPU_PER_QUERY: MetricSpec = common::time(
    MetricName::new("cpu_per_query"),
    "CPU time of the clients for each statement. SQLite works in the clients' threads, so there it is all that it costs.",
);

/// The metrics of every load on a database.
pub(in crate::workload) const OF_LOAD: [MetricSpec; OF_BOTH_ENDS.len() + OF_SESSIONS.len()] =
    joined(&OF_BOTH_ENDS, &OF_SESSIONS);

const OF_BOTH_ENDS: [MetricSpec; OF_CLIENTS.len() + OF_SERVER.len()] = joined(&OF_CLIENTS, &OF_SERVER);

/// Those that its clients measure.
const OF_CLIENTS: [MetricSpec; 22] = [
    TRANSACTIONS,
    QUERIES,
    ROWS,
    common::LATENCY_P50,
    common::LATENCY_P90,
    common::LATENCY_P99,
    common::LATENCY_P99_9,
    common::LATENCY_MAX,
    ERROR_SHARE,
    RETRIES,
    LOCK_WAITS,
    common::ELAPSED,
    common::SERVICE_P50,
    common::SERVICE_P99,
    common::CPU_PER_OPERATION,
    CPU_PER_QUERY,
    common::USER_CPU_PER_OPERATION,
    common::RATE_HELD,
    common::LATE_STARTS,
    common::UNFINISHED,
    CONNECT_P50,
    CONNECT_P99,
];

/// The metrics of a load: `one` and `other`, which are `ALL` together.
pub(in crate::workload) const fn joined<const ONE: usize, const OTHER: usize, const ALL: usize>(
    one: &[MetricSpec; ONE],
    other: &[MetricSpec; OTHER],
) -> [MetricSpec; ALL] {
    let mut all = [TRANSACTIONS; ALL];
    let mut place = 0;
    while place < ALL {
        all[place] = if place < ONE { one[place] } else { other[place - ONE] };
        place += 1;
    }
    all
}

/// The metrics that follow from what was done in the window, and are not common to all loads, of a load whose first
/// `classes` classes are of transactions as such and of statements.
pub(in crate::workload) fn of_statements(
    outcome: &LoadOutcome,
    window: Window,
    classes: usize,
) -> impl Iterator<Item = (MetricName, Quantity)> {
    let statements = outcome.classes.iter().take(classes).skip(usize::from(FIRST_STATEMENT));
    let queries: f64 = statements.map(|class| class.operations).sum();
    let failed = outcome.classes.get(usize::from(ERROR)).map_or(0.0, |class| class.operations);
    let ended = outcome.operations + failed;
    let cpu_s = outcome.user_s + outcome.system_s;
    let all = [
        (TRANSACTIONS, Some(outcome.operations / window.seconds())),
        (QUERIES, Some(queries / window.seconds())),
        (ERROR_SHARE, (ended > 0.0).then(|| failed / ended)),
        (CPU_PER_QUERY, (queries > 0.0).then(|| cpu_s / queries)),
    ];
    let quantity = |(spec, value): (MetricSpec, Option<f64>)| {
        Some((spec.name, Quantity { value: value?, unit: spec.unit }))
    };
    all.into_iter().filter_map(quantity)
}
