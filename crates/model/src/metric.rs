//! What a metric is: its name, unit, direction and meaning. The constants are the metrics
//! that rules, charts and summaries read of any load that has them; one that only its own
//! workload knows stands in that workload's file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::{known_names, names};
use crate::unit::Unit;

/// Which direction of a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

names! {
    /// What a metric is called, in snake case: what is counted, of which kind of
    /// operations where not of all (`read_iops`), and which statistic of it
    /// (`latency_p99_9`).
    MetricName ("the name of a metric")
}

known_names! { MetricName:
    /// Bytes moved per second.
    THROUGHPUT = "throughput";
    /// Operations of a device per second.
    IOPS = "iops";
    /// Operations per second.
    OPERATIONS_PER_SECOND = "operations_per_second";
    /// The same of one phase, with its name before it: `create_per_second`.
    PER_SECOND = "per_second";
    /// Events per second.
    EVENTS_PER_SECOND = "events_per_second";
    /// Requests per second that a server answered.
    REQUESTS_PER_SECOND = "requests_per_second";
    /// Connections per second that were made, used and closed.
    CONNECTIONS_PER_SECOND = "connections_per_second";
    /// The share of the operations that failed.
    ERROR_SHARE = "error_share";
    /// Of a run so far: its trials that failed, or in which operations failed.
    ERRORS = "errors";
    /// Transactions per second.
    TRANSACTIONS_PER_SECOND = "transactions_per_second";
    /// Commits that a database acknowledged.
    ACKNOWLEDGED_COMMITS = "acknowledged_commits";
    /// Those that were not there when its process had been killed and started again.
    LOST_COMMITS = "lost_commits";
    /// Floating-point operations per second.
    FLOPS = "flops";
    /// How long a count of operations took.
    ELAPSED = "elapsed";
    /// The mean of several runs, as other tools print it.
    ELAPSED_MEAN = "elapsed_mean";
    /// The standard deviation of these runs.
    ELAPSED_STDDEV = "elapsed_stddev";
    /// How many runs there were of which a tool prints the mean.
    RUNS = "runs";
    /// CPU time, as other tools print it.
    CPU_TIME = "cpu_time";
    /// That in user mode.
    CPU_USER_TIME = "cpu_user_time";
    /// That in the kernel.
    CPU_SYSTEM_TIME = "cpu_system_time";
    /// The CPU time divided by the time that passed, as other tools print it.
    CPU_SHARE = "cpu_share";
    /// How many events each thread had, the mean of all threads.
    THREAD_EVENTS_MEAN = "thread_events_mean";
    /// How long each thread was at its events, the mean of all threads.
    THREAD_TIME_MEAN = "thread_time_mean";
    /// Operations divided by the CPU time that they took, as other tools print it.
    OPERATIONS_PER_CPU_SECOND = "operations_per_cpu_second";
    /// The highest rate that kept to a latency.
    RATE_HELD = "rate_held";
    /// How late transactions of an open loop began, the mean, as other tools print it.
    SCHEDULE_LAG_MEAN = "schedule_lag_mean";
    /// Operations of an open loop that were due and not done at the window's end.
    UNFINISHED = "unfinished";

    /// The distribution of how long operations took.
    LATENCY = "latency";
    /// Its median.
    LATENCY_P50 = "latency_p50";
    /// Its 90th percentile.
    LATENCY_P90 = "latency_p90";
    /// Its 99th percentile.
    LATENCY_P99 = "latency_p99";
    /// Its 99.9th percentile.
    LATENCY_P99_9 = "latency_p99_9";
    /// The longest.
    LATENCY_MAX = "latency_max";
    /// The mean, as other tools print it; loads of ours keep the distribution.
    LATENCY_MEAN = "latency_mean";
    /// The distribution of how long operations took from their start, in an open loop.
    SERVICE_TIME = "service_time";
    /// The distribution of how long it took from the last byte of an upload to the head of the answer.
    ANSWER = "answer";
    /// The distribution of how long syncs took.
    SYNC_LATENCY = "sync_latency";
    /// The distribution of how long it took to hand operations to the kernel.
    SUBMIT_LATENCY = "submit_latency";
    /// The distribution of how long the kernel and the device then had them.
    DEVICE_LATENCY = "device_latency";
    /// The distribution of how long bios waited until a request was allocated, by a block trace.
    QUEUE_TO_GET = "q2g";
    /// The distribution of how long it took from there until the I/O scheduler had the request.
    GET_TO_INSERT = "g2i";
    /// The distribution of how long requests waited in the I/O scheduler.
    INSERT_TO_ISSUE = "i2d";
    /// The distribution of how long bios waited in all before the driver had them.
    QUEUE_TO_ISSUE = "q2d";
    /// The distribution of how long the driver and the device had them.
    ISSUE_TO_COMPLETE = "d2c";
    /// The distribution of how long the whole way of bios took.
    QUEUE_TO_COMPLETE = "q2c";
    /// How long one dependent load from memory takes.
    LOAD_LATENCY = "load_latency";
    /// Half of a round trip.
    HALF_ROUND_TRIP = "half_round_trip";
    /// How long one system call takes.
    CALL_TIME = "call_time";
    /// The median time until a thread runs that was woken.
    WAKEUP_P50 = "wakeup_p50";
    /// Its 99th percentile.
    WAKEUP_P99 = "wakeup_p99";
    /// The median time by which a timer was late.
    LATENESS_P50 = "lateness_p50";
    /// Its 99th percentile.
    LATENESS_P99 = "lateness_p99";

    /// CPU time of the workers for each operation.
    CPU_PER_OPERATION = "cpu_per_operation";
    /// CPU time of the workers for each byte.
    CPU_PER_BYTE = "cpu_per_byte";
    /// The same at the other end.
    PEER_CPU_PER_BYTE = "peer_cpu_per_byte";
    /// Cycles of the processor for each operation.
    CYCLES_PER_OPERATION = "cycles_per_operation";
    /// Instructions for each operation.
    INSTRUCTIONS_PER_OPERATION = "instructions_per_operation";
    /// Misses of the last cache for each operation.
    CACHE_MISSES_PER_OPERATION = "cache_misses_per_operation";
    /// Loads for each operation whose address was not in the TLB.
    TLB_MISSES_PER_OPERATION = "tlb_misses_per_operation";
    /// Energy of the processors for each operation.
    ENERGY_PER_OPERATION = "energy_per_operation";
    /// Instructions in each cycle.
    INSTRUCTIONS_PER_CYCLE = "instructions_per_cycle";
    /// CPU seconds for each second: what limits of processors bound.
    CPU = "cpu";
    /// Bytes of the page cache that wait to be written: what the kernel bounds.
    DIRTY = "dirty";
    /// The clock that a computation ran at.
    FREQUENCY = "frequency";
    /// The share of what the processor can compute at that clock.
    PEAK_SHARE = "peak_share";
    /// Bytes before and after compression.
    COMPRESSION_RATIO = "compression_ratio";

    /// Reads per second.
    READ_IOPS = "read_iops";
    /// Writes per second.
    WRITE_IOPS = "write_iops";
    /// Bytes read per second.
    READ_THROUGHPUT = "read_throughput";
    /// Bytes written per second.
    WRITE_THROUGHPUT = "write_throughput";
    /// Syncs per second.
    SYNCS_PER_SECOND = "syncs_per_second";
    /// Bytes per second until all was on the device.
    THROUGHPUT_DURABLE = "throughput_durable";
    /// Bytes per second in the fastest second.
    THROUGHPUT_PEAK = "throughput_peak";
    /// Bytes per second of each member at which an array was rebuilt, grown or compared.
    RESYNC_RATE = "resync_rate";
    /// Bytes per second after the page cache was full of what waits to be written.
    THROUGHPUT_SUSTAINED = "throughput_sustained";
    /// Bytes on the memory bus per second, with those that a write reads first.
    THROUGHPUT_BUS_ESTIMATE = "throughput_bus_estimate";
    /// When the first of several targets was done.
    FIRST_DONE = "first_done";
    /// When the last was.
    LAST_DONE = "last_done";

    /// Bytes per second that the sender handed over.
    SENDER_THROUGHPUT = "sender_throughput";
    /// Bytes sent per second, of both directions.
    SEND_THROUGHPUT = "send_throughput";
    /// Bytes received per second, of both directions.
    RECEIVE_THROUGHPUT = "receive_throughput";
    /// Segments that TCP sent again.
    RETRANSMITS = "retransmits";
    /// The round trip as the kernel estimates it.
    RTT = "rtt";
    /// The share of datagrams that were lost.
    LOSS = "loss";
    /// The share of the time in which a device had something to do, as other tools tell it.
    BUSY_SHARE = "busy_share";
    /// How much the transit times of datagrams differ (RFC 3550, section 6.4.1).
    JITTER = "jitter";
    /// Datagrams per second.
    PACKETS_PER_SECOND = "packets_per_second";
}

impl MetricName {
    /// The same metric for one class of operations: `read_iops` for `iops`. `None` if that
    /// name is too long or cannot be interned.
    #[must_use]
    pub fn of(self, class: &str) -> Option<Self> {
        Self::intern(&format!("{class}_{self}"))
    }

    /// The metric that this is for one class of operations: `iops` for `read_iops`. `None`
    /// for those of other classes and of the whole.
    #[must_use]
    pub fn of_whole(self, class: &str) -> Option<Self> {
        Self::intern(self.0.strip_prefix(class)?.strip_prefix('_')?)
    }

    /// The distribution that it is of, and what of it: `read_latency_p99_9` is the
    /// 99.9th percentile of `read_latency`, `latency_max` the greatest of `latency`.
    /// `None` for metrics that are of none.
    #[must_use]
    pub fn statistic(self) -> Option<(Self, Statistic)> {
        if let Some(distribution) = self.0.strip_suffix("_max") {
            return Some((Self(distribution), Statistic::Greatest));
        }
        let (distribution, percent) = self.0.rsplit_once("_p")?;
        let percent = percent.replace('_', ".").parse().ok()?;
        (0.0..=100.0).contains(&percent).then_some((Self(distribution), Statistic::Percentile(percent)))
    }

    /// What is summed up, and how: `latency_mean` is the mean of `latency`. `None` for metrics that sum
    /// nothing up.
    #[must_use]
    pub fn summary(self) -> Option<(Self, MetricSummary)> {
        let ends = [
            ("_min", MetricSummary::Least),
            ("_mean", MetricSummary::Mean),
            ("_max", MetricSummary::Greatest),
            ("_sum", MetricSummary::Sum),
        ];
        ends.into_iter().find_map(|(end, summary)| Some((Self(self.0.strip_suffix(end)?), summary)))
    }

    /// Whether it is a share of something, of which 1 is all.
    #[must_use]
    pub fn is_share(self) -> bool {
        self.0.ends_with("_share")
    }

    /// What processors did in the share of their time that this is: `user` of `cpu_user_share`. `None` for
    /// other metrics.
    #[must_use]
    pub fn processor_state(self) -> Option<&'static str> {
        self.0.strip_prefix("cpu_")?.strip_suffix("_share")
    }
}

/// One metric of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MetricSpec {
    /// The name in the run document, in snake case.
    pub name: MetricName,
    /// Its unit.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// What it counts, in a sentence.
    pub doc: &'static str,
}

impl MetricSpec {
    /// A metric of which more is better.
    #[must_use]
    pub const fn higher(name: MetricName, unit: Unit, doc: &'static str) -> Self {
        Self { name, unit, better: Better::Higher, doc }
    }

    /// A metric of which less is better.
    #[must_use]
    pub const fn lower(name: MetricName, unit: Unit, doc: &'static str) -> Self {
        Self { name, unit, better: Better::Lower, doc }
    }
}

/// Metrics that any load has where the processor counts for it, whatever its workload.
pub const OF_HARDWARE: &[MetricSpec] = &[
    MetricSpec::lower(CYCLES_PER_OPERATION, Unit::One, "Cycles of the processor for each operation."),
    MetricSpec::lower(INSTRUCTIONS_PER_OPERATION, Unit::One, "Instructions for each operation."),
    MetricSpec::lower(
        CACHE_MISSES_PER_OPERATION,
        Unit::One,
        "Misses of the last cache for each operation, by the processor's own count.",
    ),
    MetricSpec::lower(
        TLB_MISSES_PER_OPERATION,
        Unit::One,
        "Loads for each operation whose address was not in the TLB, by the processor's own count.",
    ),
    MetricSpec::higher(INSTRUCTIONS_PER_CYCLE, Unit::One, "Instructions in each cycle."),
    MetricSpec::lower(
        ENERGY_PER_OPERATION,
        Unit::Joules,
        "Energy of all processor packages in the window for each operation, by their own count (RAPL): what they draw idle, \
         and for whatever else runs, is in it.",
    ),
];

/// What a metric says of a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// So many percent of the values are at most this large.
    Percentile(f64),
    /// The greatest value.
    Greatest,
}

/// How several values are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricSummary {
    /// The least of them.
    Least,
    /// Their mean.
    Mean,
    /// The greatest of them.
    Greatest,
    /// All of them together.
    Sum,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_names_its_distribution() {
        let of = |metric| MetricName::new(metric).statistic();
        assert_eq!(of("latency_p50"), Some((LATENCY, Statistic::Percentile(50.0))));
        assert_eq!(
            of("read_latency_p99_9"),
            Some((MetricName::new("read_latency"), Statistic::Percentile(99.9)))
        );
        assert_eq!(of("latency_max"), Some((LATENCY, Statistic::Greatest)));
        for metric in
            ["iops", "cpu_per_operation", "packets_per_second", "latency_p", "latency_p101", "x_pinf"]
        {
            assert_eq!(of(metric), None, "{metric}");
        }
    }

    #[test]
    fn a_metric_of_one_kind_names_it() {
        assert_eq!(IOPS.of("read"), Some(READ_IOPS));
        assert_eq!(READ_IOPS.of_whole("read"), Some(IOPS));
        assert_eq!(
            [READ_IOPS.of_whole("write"), READ_IOPS.of_whole("rea"), IOPS.of_whole("read")],
            [None; 3]
        );
    }

    #[test]
    fn a_metric_names_what_it_sums_up() {
        let of = |metric| MetricName::new(metric).summary();
        assert_eq!(of("latency_mean"), Some((LATENCY, MetricSummary::Mean)));
        assert_eq!(of("latency_sum"), Some((LATENCY, MetricSummary::Sum)));
        assert_eq!(of("latency_p50"), None);
        assert_eq!(MetricName::new("cpu_user_share").processor_state(), Some("user"));
        assert_eq!((CPU_SHARE.processor_state(), IOPS.processor_state()), (None, None));
    }
}
