//! How much a request may ask of a node: every number in it has a bound, so that who
//! has the key can have a measurement and not the machine. What parameters take
//! together is held by the limit of the process's memory.

use load::workload::{self, Load};
use model::message::TrialOrder;
use model::parameter::Kind;
use model::plan::LoadSpec;
use model::trial::Timeline;
use model::{Value, fact, metric};

/// Settings that are changed at once, at most.
pub(super) const CHANGES_MAX: usize = 16;
/// Loads of one trial or case, at most.
pub(super) const LOADS_MAX: usize = 16;
/// Cases that are surveyed at once, at most: what a plan may have.
pub(super) const CASES_MAX: usize = 10_000;
/// The text of a stack that is presented, and the parts of its target, at most: as many as a stack has letters.
pub(super) const STACK_BYTES_MAX: usize = 4096;
/// See [`STACK_BYTES_MAX`].
pub(super) const TARGETS_MAX: usize = 26;
/// Threads of one trial, at most.
const WORKERS_MAX: u64 = 2048;

/// CPUs of which something is taken in a trial, and the share of each, at most.
const CPUS_TAKEN_MAX: usize = 1024;
const SHARE_TAKEN_MAX: f64 = 0.25;

/// The longest warm-up and the longest window, s.
const SECONDS_MAX: f64 = 86_400.0;
const SECOND_NS: u64 = 1_000_000_000;

/// How far the start of a trial may be from now, either way: it is told a few times
/// the way to the controller ahead, and its word may be late.
const START_MAX_NS: u64 = 120 * SECOND_NS;

/// The shortest interval of a series. The agent keeps something of each, also of those
/// after the window, in which the other end may still talk.
const INTERVAL_LEAST_NS: u64 = 1_000_000;

/// Intervals from the start to the end of the window: a window that time ends has
/// 1,200 at most, the rest is warm-up.
const INTERVALS_MAX: u64 = 100_000;

/// From now on this process reads only names of its own catalogue, of `metric::KNOWN` and
/// of `fact::KNOWN`, and no aspect, unit or operation class of a later version. A node hears frames for
/// months, and each new name would be kept until it ends.
pub fn known_names_only() {
    let catalogue = workload::catalogue();
    for workload in &catalogue.workloads {
        workload.name.enter();
        workload.metrics.iter().for_each(|metric| metric.name.enter());
        catalogue.parameters(workload).for_each(|parameter| parameter.name.enter());
    }
    metric::KNOWN.iter().for_each(|metric| metric.enter());
    fact::KNOWN.iter().for_each(|fact| fact.enter());
    model::name::close();
}

/// Whether a trial is no larger than a node bears.
pub(super) fn order(order: &TrialOrder) -> Result<(), String> {
    if order.loads.is_empty() || order.loads.len() > LOADS_MAX {
        return Err(format!("a node runs 1 to {LOADS_MAX} loads in a trial, not {}", order.loads.len()));
    }
    seconds("warm-up", order.warm_up_s)?;
    seconds("interval", order.interval_s.unwrap_or_default())?;
    seconds("cut", order.cut_least_s)?;
    seconds("lines", order.lines_s.unwrap_or_default())?;
    if let Some(take) = &order.take_cpu
        && (take.cpus.len() > CPUS_TAKEN_MAX || !(0.0..=SHARE_TAKEN_MAX).contains(&take.share))
    {
        return Err(format!("a node takes {SHARE_TAKEN_MAX} of each of {CPUS_TAKEN_MAX} CPUs at most"));
    }
    let workers = order.loads.iter().map(threads).sum::<Result<u64, String>>()?;
    if workers > WORKERS_MAX {
        return Err(format!(
            "the loads have up to {workers} threads together, and a node bears {WORKERS_MAX}"
        ));
    }
    Ok(())
}

/// The threads that a load has at this end, if none of its parameters asks for more than
/// another machine may.
fn threads(asked: &LoadSpec) -> Result<u64, String> {
    let catalogue = workload::catalogue();
    let Some(spec) = catalogue.workload(asked.workload) else {
        return Err(format!("this node has no workload `{}`", asked.workload));
    };
    for (name, value) in asked.parameters.iter() {
        let Some(known) = catalogue.parameter(spec, name.as_str()) else {
            return Err(format!("{} has no parameter `{name}`", asked.workload));
        };
        match (known.kind, known.remote_max) {
            (Kind::LatencyTarget, _) => return Err(format!("a node searches no rate for a {name}")),
            (Kind::Duration, _) => {
                seconds(name.as_str(), asked.parameters.number(name).unwrap_or_default())?;
            }
            (_, Some(most)) if largest(value) > most => {
                return Err(format!("`{name}` is {value}, and a node bears {most} at most"));
            }
            _ => {}
        }
    }
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let load = Load::named(asked.workload, asked.parameters.clone(), cpus).map_err(|e| e.message)?;
    let profile = load.profile();
    // Of a stream, each operation under way is a connection, whoever serves it.
    Ok(if profile.is_stream() { profile.concurrency.operations } else { profile.concurrency.workers })
}

fn seconds(what: &str, seconds: f64) -> Result<(), String> {
    let fits = (0.0..=SECONDS_MAX).contains(&seconds);
    fits.then_some(()).ok_or_else(|| format!("{what}: a node does not wait for {seconds} s"))
}

/// Whether these are times that a trial may have which begins about now.
pub(super) fn times(times: &Timeline, now_ns: u64) -> Result<(), String> {
    let Timeline { start_ns, window_ns, interval_ns, end_ns } = *times;
    let wrong =
        |why: String| Err::<(), _>(format!("the times of the trial are none that a node keeps: {why}"));
    let off_ns = start_ns.abs_diff(now_ns);
    if off_ns > START_MAX_NS {
        return wrong(format!("it starts {} s from now", off_ns / SECOND_NS));
    }
    if window_ns < start_ns || end_ns <= window_ns {
        return wrong("its start, its window and its end are not in this order".to_owned());
    }
    // Who ends it by a count does not know when.
    let until_ns = if end_ns == u64::MAX { window_ns } else { end_ns };
    for (what, ns) in [("warm-up", window_ns - start_ns), ("window", until_ns - window_ns)] {
        seconds(what, ns as f64 / SECOND_NS as f64)?;
    }
    seconds("interval", interval_ns as f64 / SECOND_NS as f64)?;
    if interval_ns < INTERVAL_LEAST_NS {
        return wrong(format!("an interval of {interval_ns} ns, and {INTERVAL_LEAST_NS} are the least"));
    }
    let intervals = (until_ns - start_ns) / interval_ns;
    if intervals > INTERVALS_MAX {
        return wrong(format!(
            "warm-up and window have {intervals} intervals, and {INTERVALS_MAX} are the most; use a longer interval"
        ));
    }
    Ok(())
}

/// The largest number in a value.
fn largest(value: &Value) -> u64 {
    match value {
        Value::Integer(number) => *number,
        Value::Number(number) => *number as u64,
        Value::List(parts) => parts.iter().map(largest).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use model::WorkloadSpec;
    use model::profile::Aspect;

    use super::*;

    const NOW_NS: u64 = 1_000_000 * SECOND_NS;

    /// A warm-up of 1 s, a window of 10.
    const USUAL: Timeline = Timeline {
        start_ns: NOW_NS + 20_000_000,
        window_ns: NOW_NS + SECOND_NS,
        interval_ns: 100_000_000,
        end_ns: NOW_NS + 11 * SECOND_NS,
    };

    /// Bug: intervals of 1 ns took 2.1 GB, for the agent keeps something of each.
    #[test]
    fn times_that_would_fill_the_memory_or_wait_for_ever_are_refused() {
        let why = |change: fn(&mut Timeline)| {
            let mut changed = USUAL;
            change(&mut changed);
            times(&changed, NOW_NS).unwrap_err()
        };
        assert_eq!(times(&USUAL, NOW_NS), Ok(()));
        assert!(why(|t| t.interval_ns = 1).contains("an interval of 1 ns"));
        assert!(why(|t| t.interval_ns = 0).contains("an interval of 0 ns"));
        assert!(why(|t| t.interval_ns = u64::MAX).contains("interval: a node does not wait"));
        assert!(why(|t| t.start_ns = 0).contains("starts 1000000 s from now"));
        assert!(why(|t| t.start_ns = NOW_NS + 121 * SECOND_NS).contains("starts 121 s"));
        assert!(why(|t| t.window_ns = t.start_ns - 1).contains("not in this order"));
        assert!(why(|t| t.end_ns = t.window_ns).contains("not in this order"));
        assert!(why(|t| t.end_ns = u64::MAX - 1).contains("window: a node does not wait"));
        assert!(
            why(|t| (t.window_ns, t.end_ns) = (u64::MAX - 1, u64::MAX))
                .contains("warm-up: a node does not wait")
        );
        let many = why(|t| (t.interval_ns, t.end_ns) = (1_000_000, t.window_ns + 200 * SECOND_NS));
        assert!(many.contains("200980 intervals"), "{many}");
        // A count ends it: nobody knows when.
        assert_eq!(times(&Timeline { end_ns: u64::MAX, ..USUAL }, NOW_NS), Ok(()));
    }

    /// So that a parameter that is new cannot be forgotten.
    #[test]
    fn every_number_of_a_load_with_two_ends_has_a_bound_or_needs_none() {
        let catalogue = workload::catalogue();
        // In some of their forms at least.
        let two_ended = |w: &&&WorkloadSpec| catalogue.parameter_for(w, Aspect::Peer).is_some();
        for workload in catalogue.workloads.iter().filter(two_ended) {
            for parameter in catalogue.parameters(workload) {
                // These end a load, or say how long content is that lies nowhere, and take nothing.
                let name = (workload.name.as_str(), parameter.name.as_str());
                let ends = ["requests", "bytes"].contains(&name.1)
                    || [("http.download", "answer"), ("http.upload", "size")].contains(&name);
                let is_held = match (parameter.kind, parameter.remote_max) {
                    (Kind::Count, Some(most)) => most <= 65_536,
                    (Kind::Size, Some(most)) => most <= 1 << 30,
                    (Kind::Count | Kind::Size, None) => ends,
                    (kind, _) => !matches!(kind, Kind::Share | Kind::Number),
                };
                assert!(is_held, "{}: {}", workload.name, parameter.name);
            }
        }
    }
}
