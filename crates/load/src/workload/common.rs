//! What all workloads have in common because the engine gives it: parameters
//! of schedule and stop rule, and metrics made from operations, bytes, times
//! and CPU seconds.

use std::collections::BTreeMap;

use engine::IdlePhases;
use engine::outcome::LoadOutcome;
use engine::schedule::Arrivals;
use engine::search::Target;
use engine::stop::StopRule;
use model::metric::Statistic;
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::scalar::nanoseconds;
use model::trial::Window;
use model::{MetricSpec, Parameters, Quantity, Unit, Value, WorkloadSpec};

/// What may stand for a number of threads.
pub const ALL_CPUS: &[Word] = &[Word { word: "all", doc: "one for each CPU that we may use" }];

/// The parameters that every workload has.
pub const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec::new("threads", Kind::Count, "Workers that drive the load, one thread each.")
        .default("1")
        .words(ALL_CPUS),
    ParameterSpec::new("duration", Kind::Duration, "How long the window of one trial is.")
        .default("1s")
        .not_work(),
    ParameterSpec::new(
        "idle",
        Kind::Duration,
        "For so long before the warm-up nothing runs while temperatures, clocks and power are watched: what a load adds \
         is told from it.",
    )
    .not_work(),
    ParameterSpec::new(
        "cool-down",
        Kind::Duration,
        "For so long after the window nothing runs while temperatures, clocks and power are watched.",
    )
    .not_work(),
    ParameterSpec::new(
        "requests",
        Kind::Count,
        "End after so many operations of all workers, instead of after a time; the result is then how long they took.",
    )
    .not_work(),
    ParameterSpec::new(
        "rate",
        Kind::Rate,
        "Open loop: start so many operations per second, whatever the target does. Latency then counts from the \
         moment an operation was due. Without it the loop is closed: a new operation starts when one ends.",
    ),
    ParameterSpec::new("arrivals", Kind::Choice, "How the operations of an open loop arrive.").default("fixed").words(
        &[
            Word { word: "fixed", doc: "at equal distances" },
            Word { word: "poisson", doc: "at random, as independent users do" },
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
.not_work();

/// Resolves the common words and checks what contradicts itself.
///
/// # Errors
/// If two ends are asked for at once, or there are more threads than sense.
pub fn resolve(parameters: &mut Parameters, cpus: usize) -> Result<(), Problem> {
    if parameters.is_word("threads", "all") {
        parameters.set("threads", cpus.max(1) as u64);
    }
    if let Some(Value::Integer(threads @ 1025..)) = parameters.get("threads") {
        return Err(Problem::invalid(
            format!("{threads} threads are more than one load may have"),
            "at most 1024",
        ));
    }
    let ends: Vec<&str> =
        ["requests", "bytes"].into_iter().filter(|name| parameters.get(name).is_some()).collect();
    let until = ["end", "full"].into_iter().find(|word| parameters.is_word("until", word));
    let ends: Vec<String> =
        ends.into_iter().map(str::to_owned).chain(until.map(|word| format!("until={word}"))).collect();
    if ends.len() > 1 {
        let names = ends.join(" and ");
        return Err(Problem::invalid(format!("{names} cannot both end a trial"), "give one of them"));
    }
    let has_rate = ["rate", "latency-target"].into_iter().any(|name| parameters.get(name).is_some());
    if arrivals(parameters) == Arrivals::Poisson && !has_rate {
        return Err(Problem::invalid(
            "`arrivals` has no meaning here: it goes with a rate or a latency-target",
            "leave it out, or add a rate",
        ));
    }
    if parameters.get("latency-target").is_none() {
        return Ok(());
    }
    if parameters.get("rate").is_some() {
        return Err(Problem::invalid(
            "rate gives the rate that latency-target is to find",
            "give one of them",
        ));
    }
    match ends.first() {
        Some(end) => Err(Problem::invalid(
            format!("{end} cannot end a trial that searches the rate for a latency-target"),
            "give a duration, which is how long the rate found must hold",
        )),
        None => Ok(()),
    }
}

/// The latency that is to be kept to, if there is one.
///
/// # Errors
/// If the parameter is none.
pub fn latency_target(parameters: &Parameters) -> Result<Option<Target>, engine::Fault> {
    if parameters.get("latency-target").is_none() {
        return Ok(None);
    }
    let (latency_s, share) = model::scalar::latency_target(parameters.text("latency-target")?)
        .map_err(|e| engine::Fault::Other(format!("latency-target: {e}")))?;
    Ok(Some(Target { latency_s, share }))
}

/// When a load ends.
///
/// # Errors
/// If a parameter is missing.
pub fn stop_rule(parameters: &Parameters) -> Result<StopRule, engine::Fault> {
    if parameters.get("requests").is_some() {
        return Ok(StopRule::Operations(parameters.integer("requests")?));
    }
    if parameters.get("bytes").is_some() {
        return Ok(StopRule::Bytes(parameters.integer("bytes")?));
    }
    if parameters.is_word("until", "end") {
        return Ok(StopRule::End);
    }
    if parameters.is_word("until", "full") {
        return Ok(StopRule::Full);
    }
    Ok(StopRule::Time(nanoseconds(parameters.number("duration")?)))
}

/// For how long nothing runs before the warm-up and after the window.
///
/// # Errors
/// If a parameter has the wrong type.
pub fn rest(parameters: &Parameters) -> Result<IdlePhases, engine::Fault> {
    let ns = |name: &str| match parameters.get(name) {
        Some(_) => parameters.number(name).map(nanoseconds),
        None => Ok(0),
    };
    Ok(IdlePhases { idle_ns: ns("idle")?, cool_down_ns: ns("cool-down")? })
}

/// The open loop's rate and arrivals, if the loop is open.
///
/// # Errors
/// If a parameter has the wrong type.
pub fn open_loop(parameters: &Parameters) -> Result<Option<(f64, Arrivals)>, engine::Fault> {
    if parameters.get("rate").is_none() {
        return Ok(None);
    }
    Ok(Some((parameters.number("rate")?, arrivals(parameters))))
}

/// How the operations of an open loop arrive.
#[must_use]
pub fn arrivals(parameters: &Parameters) -> Arrivals {
    if parameters.is_word("arrivals", "poisson") { Arrivals::Poisson } else { Arrivals::Fixed }
}

/// Operations per second of disks.
pub const IOPS: MetricSpec =
    MetricSpec::higher("iops", Unit::PerSecond, "Reads and writes finished per second.");
/// Operations per second.
pub const OPERATIONS: MetricSpec =
    MetricSpec::higher("operations_per_second", Unit::PerSecond, "Operations finished per second.");
/// Events per second, as sysbench counts them.
pub const EVENTS: MetricSpec = MetricSpec::higher(
    "events_per_second",
    Unit::PerSecond,
    "Events finished per second, as sysbench counts them.",
);
/// Bytes per second.
pub const THROUGHPUT: MetricSpec =
    MetricSpec::higher("throughput", Unit::BytesPerSecond, "Bytes moved per second.");
/// How long the window took, where a count ends it.
pub const ELAPSED: MetricSpec = MetricSpec::lower(
    "elapsed",
    Unit::Seconds,
    "How long the operations asked for took; only where a count ends the trial.",
);
/// CPU seconds per operation.
pub const CPU_PER_OPERATION: MetricSpec = MetricSpec::lower(
    "cpu_per_operation",
    Unit::Seconds,
    "CPU time of the workers, user and kernel, for each operation. In an open loop it holds the last 60 us before an \
     operation is due, through which a worker spins; threads of the kernel that work for it are not in it.",
);
/// CPU seconds per byte.
pub const CPU_PER_BYTE: MetricSpec =
    MetricSpec::lower("cpu_per_byte", Unit::SecondsPerByte, "CPU time of the workers for each byte moved.");
/// CPU seconds in user mode per operation.
pub const USER_CPU_PER_OPERATION: MetricSpec = MetricSpec::lower(
    "user_cpu_per_operation",
    Unit::Seconds,
    "CPU time of the workers in user mode, for each operation.",
);
/// The rate that kept to a latency.
pub const RATE_HELD: MetricSpec = MetricSpec::higher(
    "rate_held",
    Unit::PerSecond,
    "The highest rate found at which the share of operations asked for kept to the latency-target, in the window that \
     counts too.",
);

/// Operations that started late.
pub const LATE_STARTS: MetricSpec = MetricSpec::lower(
    "late_starts",
    Unit::One,
    "Operations of an open loop that started more than 0.1 ms after they were due.",
);

/// Operations that an open loop still owed.
pub const UNFINISHED: MetricSpec = MetricSpec::lower(
    "unfinished",
    Unit::One,
    "Operations of an open loop that were due in the window but not finished at its end; their wait until then is in \
     the latency.",
);

/// The median latency.
pub const LATENCY_P50: MetricSpec = latency("latency_p50", "Half of the operations took at most this long.");
/// The 90th percentile.
pub const LATENCY_P90: MetricSpec = latency("latency_p90", "90 % of the operations took at most this long.");
/// The 99th percentile.
pub const LATENCY_P99: MetricSpec = latency("latency_p99", "99 % of the operations took at most this long.");
/// The 99.9th percentile.
pub const LATENCY_P99_9: MetricSpec =
    latency("latency_p99_9", "99.9 % of the operations took at most this long.");
/// The longest.
pub const LATENCY_MAX: MetricSpec = latency("latency_max", "The longest operation of a trial.");
/// The median service time.
pub const SERVICE_P50: MetricSpec =
    latency("service_time_p50", "Open loop: half of the operations took at most this long once started.");
/// The 99th percentile of service time.
pub const SERVICE_P99: MetricSpec =
    latency("service_time_p99", "Open loop: 99 % of the operations took at most this long once started.");

const fn latency(name: &'static str, doc: &'static str) -> MetricSpec {
    MetricSpec::lower(name, Unit::Seconds, doc)
}

/// The metrics of `spec` that follow from what the engine counted. What cannot
/// be known (a 99.9th percentile of 500 operations) is absent.
#[must_use]
pub fn metrics(spec: &WorkloadSpec, outcome: &LoadOutcome, window: Window) -> BTreeMap<String, Quantity> {
    spec.metrics
        .iter()
        .filter_map(|metric| {
            let value = value_of(metric.name, outcome, window)?;
            Some((metric.name.to_owned(), Quantity { value, unit: metric.unit }))
        })
        .collect()
}

fn value_of(name: &str, outcome: &LoadOutcome, window: Window) -> Option<f64> {
    let seconds = window.seconds();
    let per_operation = |s: f64| (outcome.operations > 0.0).then(|| s / outcome.operations);
    match name {
        "iops" | "operations_per_second" | "events_per_second" => Some(outcome.operations / seconds),
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

fn of_distribution(name: &str, outcome: &LoadOutcome) -> Option<f64> {
    let (distribution, statistic) = Statistic::of(name)?;
    let histogram = outcome.histogram(distribution)?;
    let ns = match statistic {
        Statistic::Greatest => histogram.max() as f64,
        Statistic::Percentile(percent) => stats::histogram::percentile(histogram, percent)?,
    };
    Some(ns / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_without_a_rate_are_refused() {
        let resolved = |beside: &[(&str, Value)]| {
            let mut p = Parameters::default();
            p.set("arrivals", "poisson");
            beside.iter().for_each(|(name, value)| p.set(name, value.clone()));
            resolve(&mut p, 2)
        };
        let problem = resolved(&[]).unwrap_err();
        assert!(problem.message.contains("has no meaning"), "{problem:?}");
        resolved(&[("rate", 100.0.into())]).unwrap();
        resolved(&[("latency-target", "1ms@99%".into())]).unwrap();
        resolved(&[("arrivals", "fixed".into())]).unwrap();
    }
}
