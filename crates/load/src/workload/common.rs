//! What all workloads have in common because the engine gives it: parameters
//! of schedule and stop rule, and metrics made from operations, bytes, times
//! and CPU seconds.

use std::collections::BTreeMap;

use engine::IdlePhases;
use engine::numa::RequestedNodes;
use engine::outcome::LoadOutcome;
use engine::schedule::Arrivals;
use engine::search::Target;
use engine::stop::StopRule;
use model::metric::{self, Statistic};
use model::parameter::{self, Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::Aspect;
use model::scalar::nanoseconds;
use model::trial::Window;
use model::value::ParameterError;
use model::{MetricName, MetricSpec, ParameterName, Parameters, Quantity, Unit, WorkloadSpec};

use crate::workload::named;

/// What may stand for a number of threads.
pub const ALL_CPUS: &[Word] = &[Word { word: "all", doc: "one for each CPU that we may use" }];

/// The most threads of one load.
const THREADS_MOST: u64 = 1024;

/// The largest number of a NUMA node that a kernel may have (`NODES_SHIFT` is at most 10).
pub(in crate::workload) const NODE_MOST: u64 = 1023;

/// What stands for a thread for each stream.
pub const EACH: Word = Word { word: "each", doc: "one for each stream" };

/// The parameters that every workload has.
pub const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec::new("threads", Kind::Count, "Workers that drive the load, one thread each.").says(Aspect::Workers).remote_max(1024)
        .default("1")
        .words(ALL_CPUS),
    ParameterSpec::new("duration", Kind::Duration, "How long the window of one trial is.")
        .default("1s")
        .ends_trial(),
    ParameterSpec::new(
        "idle",
        Kind::Duration,
        "For so long before the warm-up nothing runs while temperatures, clocks and power are watched: what a load adds \
         is told from it.",
    ).says(Aspect::Idle)
    .not_work(),
    ParameterSpec::new(
        "cool-down",
        Kind::Duration,
        "For so long after the window nothing runs while temperatures, clocks and power are watched.",
    ).says(Aspect::CoolDown)
    .not_work(),
    ParameterSpec::new(
        "cpu-node",
        Kind::Count,
        "The NUMA node whose CPUs the workers run on: each on one of its own as `--pin` says, and wherever the kernel \
         puts them among those of the node where there are more workers than CPUs. Without it they are placed among \
         all CPUs.",
    )
    .says(Aspect::CpuNode)
    .or_zero()
    .remote_max(NODE_MOST),
    ParameterSpec::new(
        "memory-node",
        Kind::Count,
        "The NUMA node in whose memory the buffers and working sets lie, all of them. Without it each lies where the \
         kernel puts what its worker touches first: in the worker's node.",
    )
    .says(Aspect::MemoryNode)
    .or_zero()
    .remote_max(NODE_MOST),
    ParameterSpec::new(
        "requests",
        Kind::Count,
        "End after so many operations of all workers, instead of after a time; the result is then how long they took.",
    )
    .ends_trial(),
    ParameterSpec::new(
        "rate",
        Kind::Rate,
        "Open loop: start so many operations per second, whatever the target does. Latency then counts from the \
         moment an operation was due. Without it the loop is closed: a new operation starts when one ends.",
    )
    .says(Aspect::Rate),
    ParameterSpec::new("arrivals", Kind::Choice, "How the operations of an open loop arrive.").default("fixed").words(
        &[
            Word { word: "fixed", doc: "at equal distances" },
            parameter::POISSON,
        ],
    ),
    ParameterSpec::new(
        "latency-target",
        Kind::LatencyTarget,
        "Search the highest rate of an open loop at which this share of the operations keeps to this latency, from the \
         moment it was due: 1ms@99%. At most what a closed loop of the same threads and depth reaches.",
    ),
];

/// For workloads that move bytes: end by volume.
pub const BYTES: ParameterSpec = ParameterSpec::new(
    "bytes",
    Kind::Size,
    "End when so many bytes have been moved by all workers, instead of after a time.",
)
.ends_trial();

/// A number that is asked for, or a word that stands for one on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberOrWord {
    /// So many.
    Number(u64),
    /// Whatever this is on the machine.
    Word(String),
}

impl NumberOrWord {
    /// What the parameter `name` says.
    ///
    /// # Errors
    /// If it is missing, or neither.
    pub fn of(parameters: &Parameters, name: ParameterName) -> Result<Self, ParameterError> {
        let word = |_| parameters.text(name).map(|word| Self::Word(word.to_owned()));
        parameters.integer(name).map(Self::Number).or_else(word)
    }

    /// The number, once a survey has resolved words.
    ///
    /// # Errors
    /// If it is a word yet.
    pub fn number(&self) -> Result<u64, Problem> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Word(word) => Err(Problem::invalid(format!("nobody looked up what `{word}` is here"), "")),
        }
    }
}

/// The NUMA nodes that `parameters` ask for.
///
/// # Errors
/// If one is no number.
pub fn requested_nodes(parameters: &Parameters) -> Result<RequestedNodes, ParameterError> {
    let given = |name| parameters.given(name, Parameters::integer);
    Ok(RequestedNodes { cpu: given(named("cpu-node"))?, memory: given(named("memory-node"))? })
}

/// How a load is driven: what its common parameters say.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadSchedule {
    /// Workers that were asked for.
    pub threads: u64,
    /// How long the window is, in seconds, where nothing else ends it.
    pub duration_s: f64,
    /// Operations after which it ends.
    pub requests: Option<u64>,
    /// Bytes after which it ends.
    pub bytes: Option<u64>,
    /// The end of the target that ends it.
    pub until: Option<StopRule>,
    /// Operations per second of an open loop.
    pub rate: Option<f64>,
    /// How the operations of an open loop arrive.
    pub arrivals: Arrivals,
    /// The latency for which the rate is to be searched.
    pub latency_target: Option<Target>,
    /// The NUMA nodes that its threads and its memory are kept to.
    pub nodes: RequestedNodes,
    /// For how many seconds nothing runs before the warm-up.
    pub idle_s: Option<f64>,
    /// The same after the window.
    pub cool_down_s: Option<f64>,
}

impl LoadSchedule {
    /// What `parameters` say, all of which are there; `cpus` is what `threads=all`
    /// stands for, and `streams` says what `threads=each` does.
    ///
    /// # Errors
    /// If a parameter has the wrong type.
    pub fn of(parameters: &Parameters, cpus: usize) -> Result<Self, Problem> {
        let is_all = parameters.is_word(named("threads"), "all");
        let is_each = parameters.is_word(named("threads"), EACH.word);
        let threads = || parameters.integer(named("threads"));
        // How many streams are too many is said of them.
        let streams = || parameters.integer(named("streams")).map(|streams| streams.min(THREADS_MOST));
        let target = |text| {
            let (latency_s, share) = model::scalar::latency_target(text)
                .map_err(|e| Problem::invalid(format!("latency-target: {e}"), Kind::LatencyTarget.hint()))?;
            Ok::<_, Problem>(Target { latency_s, share })
        };
        Ok(Self {
            threads: if is_all {
                cpus.max(1) as u64
            } else if is_each {
                streams()?
            } else {
                threads()?
            },
            duration_s: parameters.number(named("duration"))?,
            requests: parameters.given(named("requests"), Parameters::integer)?,
            bytes: parameters.given(named("bytes"), Parameters::integer)?,
            until: match parameters.text(named("until")) {
                Ok("end") => Some(StopRule::End),
                Ok("full") => Some(StopRule::Full),
                _ => None,
            },
            rate: parameters.given(named("rate"), Parameters::number)?,
            arrivals: match parameters.text(named("arrivals")) {
                Ok("poisson") => Arrivals::Poisson,
                _ => Arrivals::Fixed,
            },
            latency_target: parameters
                .given(named("latency-target"), Parameters::text)?
                .map(target)
                .transpose()?,
            nodes: requested_nodes(parameters)?,
            idle_s: parameters.given(named("idle"), Parameters::number)?,
            cool_down_s: parameters.given(named("cool-down"), Parameters::number)?,
        })
    }

    /// Checks what contradicts itself.
    ///
    /// # Errors
    /// If two ends are asked for at once, or there are more threads than sense.
    pub fn check(&self) -> Result<(), Problem> {
        if self.threads > THREADS_MOST {
            return Err(Problem::invalid(
                format!("{} threads are more than one load may have", self.threads),
                "at most 1024",
            ));
        }
        let ends = [
            self.requests.map(|_| "requests"),
            self.bytes.map(|_| "bytes"),
            self.until.map(|until| if until == StopRule::End { "until=end" } else { "until=full" }),
        ];
        let ends: Vec<&str> = ends.into_iter().flatten().collect();
        if ends.len() > 1 {
            let names = ends.join(" and ");
            return Err(Problem::invalid(
                format!("{names} cannot both end a trial"),
                "give one of them; where nobody gave `until`, add until=time",
            ));
        }
        if self.arrivals == Arrivals::Poisson && !self.is_open() {
            return Err(Problem::invalid(
                "`arrivals` has no meaning here: it goes with a rate or a latency-target",
                "leave it out, or add a rate",
            ));
        }
        match (self.latency_target, self.rate, ends.first()) {
            (Some(_), Some(_), _) => Err(Problem::invalid(
                "rate gives the rate that latency-target is to find",
                "give one of them",
            )),
            (Some(_), None, Some(end)) => Err(Problem::invalid(
                format!("{end} cannot end a trial that searches the rate for a latency-target"),
                "give a duration, which is how long the rate found must hold",
            )),
            _ => Ok(()),
        }
    }

    /// When the load ends.
    #[must_use]
    pub fn stop(&self) -> StopRule {
        let counted = self.requests.map(StopRule::Operations).or(self.bytes.map(StopRule::Bytes));
        counted.or(self.until).unwrap_or(StopRule::Time(nanoseconds(self.duration_s)))
    }

    /// For how long nothing runs before the warm-up and after the window.
    #[must_use]
    pub fn rest(&self) -> IdlePhases {
        let ns = |seconds: Option<f64>| seconds.map_or(0, nanoseconds);
        IdlePhases { idle_ns: ns(self.idle_s), cool_down_ns: ns(self.cool_down_s) }
    }

    /// The open loop's rate and arrivals, if it has a rate.
    #[must_use]
    pub fn open_loop(&self) -> Option<(f64, Arrivals)> {
        self.rate.map(|rate| (rate, self.arrivals))
    }

    /// Whether operations start at a rate, given or to be searched.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.rate.is_some() || self.latency_target.is_some()
    }
}

/// Something per second, of which more is better.
pub(crate) const fn rate(name: MetricName, doc: &'static str) -> MetricSpec {
    MetricSpec::higher(name, Unit::PerSecond, doc)
}

/// Bytes per second.
pub(crate) const fn throughput(name: MetricName, doc: &'static str) -> MetricSpec {
    MetricSpec::higher(name, Unit::BytesPerSecond, doc)
}

/// A time, of which less is better.
pub(crate) const fn time(name: MetricName, doc: &'static str) -> MetricSpec {
    MetricSpec::lower(name, Unit::Seconds, doc)
}

/// Operations per second of disks.
pub const IOPS: MetricSpec = rate(metric::IOPS, "Reads and writes finished per second.");
/// Operations per second.
pub const OPERATIONS: MetricSpec = rate(metric::OPERATIONS_PER_SECOND, "Operations finished per second.");
/// Events per second, as sysbench counts them.
pub const EVENTS: MetricSpec =
    rate(metric::EVENTS_PER_SECOND, "Events finished per second, as sysbench counts them.");
/// Bytes per second.
pub const THROUGHPUT: MetricSpec = throughput(metric::THROUGHPUT, "Bytes moved per second.");
/// Bytes per second in the fastest second.
pub const THROUGHPUT_PEAK: MetricSpec =
    throughput(metric::THROUGHPUT_PEAK, "Bytes per second in the fastest second of the window.");
/// How long the window took, where a count ends it.
pub const ELAPSED: MetricSpec =
    time(metric::ELAPSED, "How long the operations asked for took; only where a count ends the trial.");
/// CPU seconds per operation.
pub const CPU_PER_OPERATION: MetricSpec = time(
    metric::CPU_PER_OPERATION,
    "CPU time of the workers, user and kernel, for each operation. In an open loop it holds the last 60 us before an \
     operation is due, through which a worker spins; threads of the kernel that work for it are not in it.",
);
/// CPU seconds per byte.
pub const CPU_PER_BYTE: MetricSpec = MetricSpec::lower(
    metric::CPU_PER_BYTE,
    Unit::SecondsPerByte,
    "CPU time of the workers for each byte moved.",
);
/// CPU seconds in user mode per operation.
pub const USER_CPU_PER_OPERATION: MetricSpec = time(
    MetricName::new("user_cpu_per_operation"),
    "CPU time of the workers in user mode, for each operation.",
);
/// The rate that kept to a latency.
pub const RATE_HELD: MetricSpec = rate(
    metric::RATE_HELD,
    "The highest rate found at which the share of operations asked for kept to the latency-target, in the window that \
     counts too.",
);

/// Operations that started late.
pub const LATE_STARTS: MetricSpec = MetricSpec::lower(
    MetricName::new("late_starts"),
    Unit::One,
    "Operations of an open loop that started more than 0.1 ms after they were due.",
);

/// Operations that an open loop still owed.
pub const UNFINISHED: MetricSpec = MetricSpec::lower(
    metric::UNFINISHED,
    Unit::One,
    "Operations of an open loop that were due in the window but not finished at its end; their wait until then is in \
     the latency.",
);

/// What sysbench tells of a load too, and what an open loop has.
pub(crate) const OF_SYSBENCH: &[MetricSpec] = &[
    EVENTS,
    ELAPSED,
    LATENCY_P50,
    LATENCY_P99,
    LATENCY_MAX,
    CPU_PER_OPERATION,
    RATE_HELD,
    LATE_STARTS,
    UNFINISHED,
];

/// The median latency.
pub const LATENCY_P50: MetricSpec =
    time(metric::LATENCY_P50, "Half of the operations took at most this long.");
/// The 90th percentile.
pub const LATENCY_P90: MetricSpec =
    time(metric::LATENCY_P90, "90 % of the operations took at most this long.");
/// The 99th percentile.
pub const LATENCY_P99: MetricSpec =
    time(metric::LATENCY_P99, "99 % of the operations took at most this long.");
/// The 99.9th percentile.
pub const LATENCY_P99_9: MetricSpec =
    time(metric::LATENCY_P99_9, "99.9 % of the operations took at most this long.");
/// The longest.
pub const LATENCY_MAX: MetricSpec = time(metric::LATENCY_MAX, "The longest operation of a trial.");
/// The median service time.
pub const SERVICE_P50: MetricSpec = time(
    MetricName::new("service_time_p50"),
    "Open loop: half of the operations took at most this long once started.",
);
/// The 99th percentile of service time.
pub const SERVICE_P99: MetricSpec = time(
    MetricName::new("service_time_p99"),
    "Open loop: 99 % of the operations took at most this long once started.",
);

/// The metrics of `spec` that follow from what the engine counted. What cannot
/// be known (a 99.9th percentile of 500 operations) is absent.
#[must_use]
pub fn metrics(spec: &WorkloadSpec, outcome: &LoadOutcome, window: Window) -> BTreeMap<MetricName, Quantity> {
    spec.metrics
        .iter()
        .filter_map(|metric| {
            let value = value_of(metric.name, outcome, window)?;
            Some((metric.name, Quantity { value, unit: metric.unit }))
        })
        .collect()
}

fn value_of(name: MetricName, outcome: &LoadOutcome, window: Window) -> Option<f64> {
    let seconds = window.seconds();
    let per_operation = |s: f64| (outcome.operations > 0.0).then(|| s / outcome.operations);
    match name.as_str() {
        "iops" | "operations_per_second" | "events_per_second" | "requests_per_second" => {
            Some(outcome.operations / seconds)
        }
        "throughput" => Some(outcome.bytes / seconds),
        "elapsed" => outcome.by_count.then_some(seconds),
        "cpu_per_operation" => per_operation(outcome.user_s + outcome.system_s),
        "cpu_per_byte" => (outcome.bytes > 0.0).then(|| (outcome.user_s + outcome.system_s) / outcome.bytes),
        "user_cpu_per_operation" => per_operation(outcome.user_s),
        "unfinished" => outcome.service.is_some().then_some(outcome.unfinished as f64),
        "late_starts" => outcome.service.is_some().then_some(outcome.late_starts as f64),
        _ => of_distribution(name, outcome),
    }
}

fn of_distribution(name: MetricName, outcome: &LoadOutcome) -> Option<f64> {
    let (distribution, statistic) = name.statistic()?;
    let histogram = outcome.histogram(distribution)?;
    let ns = match statistic {
        Statistic::Greatest => histogram.max() as f64,
        Statistic::Percentile(percent) => stats::histogram::percentile(histogram, percent)?,
    };
    Some(ns / 1e9)
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;

    #[test]
    fn arrivals_without_a_rate_are_refused() {
        let resolved = |beside: &[(&str, Value)]| {
            let mut p = Parameters::default();
            p.set(named("threads"), 1u64);
            p.set(named("duration"), 1.0);
            p.set(named("arrivals"), "poisson");
            beside
                .iter()
                .for_each(|(name, value)| p.set(ParameterName::intern(name).unwrap(), value.clone()));
            LoadSchedule::of(&p, 2)?.check()
        };
        let problem = resolved(&[]).unwrap_err();
        assert!(problem.message.contains("has no meaning"), "{problem:?}");
        resolved(&[("rate", 100.0.into())]).unwrap();
        resolved(&[("latency-target", "1ms@99%".into())]).unwrap();
        resolved(&[("arrivals", "fixed".into())]).unwrap();
    }
}
