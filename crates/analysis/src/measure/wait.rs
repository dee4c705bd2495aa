//! What the workers of a case waited in, as looks at their threads saw it, and what tasks
//! of their control group, or of the machine, waited for as the kernel counts it. All of
//! it stands beside a verdict: no rule decides by it.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::LOCAL;
use model::{Resource, ResourceKind, fact};

use super::{good, median, named, place, rate};

/// What looks at threads are counted under, and the word for it in evidence.
const WAITS: &[(&str, &str)] = &[
    ("running", "running"),
    ("wait_file", "file"),
    ("wait_socket", "socket"),
    ("wait_pipe", "pipe"),
    ("wait_lock", "lock"),
    ("wait_timer", "timer"),
    ("wait_completion", "completion"),
    ("wait_poll", "poll"),
    ("wait_fault", "fault"),
    ("wait_writeback", "writeback"),
    ("wait_reclaim", "reclaim"),
    ("wait_other", "other"),
];

/// A share that so many looks give is known to within 0.14: twice the standard error of a
/// share of one half, `sqrt(0.25 / n)`.
const LOOKS_LEAST: f64 = 50.0;
/// A wait is worth naming from this share of the time on: above what so few looks leave
/// open.
const WAITED: f64 = 0.25;
/// Pressure is worth naming from this share of the time on.
const PRESSED: f64 = 0.1;
/// That all tasks waited is.
const ALL_PRESSED: f64 = 0.05;

/// What the workers of the main load waited in most, where it is a good part of the time.
pub(crate) fn waited(case: &CaseResult) -> Option<Evidence> {
    let sum = |name: &str| -> f64 {
        let of = |trial| super::change(trial, &Resource::WORKERS, name);
        good(case).filter_map(of).sum()
    };
    if sum("looks") < LOOKS_LEAST {
        return None;
    }
    let all: f64 = WAITS.iter().map(|(name, _)| sum(name)).sum();
    let waits = WAITS.iter().filter(|(name, _)| *name != "running");
    let (name, what, most) =
        waits.map(|(name, what)| (name, what, sum(name))).max_by(|a, b| a.2.total_cmp(&b.2))?;
    let share = most / all;
    let place = place(case, &Resource::WORKERS, name).filter(|_| share >= WAITED)?;
    Some(Evidence::at("waited", place).arg("what", *what).arg("share", share))
}

/// What the kernel accounts each task's waits under, and the word for it in evidence.
const DELAYS: &[(&str, &str)] = &[
    ("blkio_delay", "blkio"),
    ("swapin_delay", "swapin"),
    ("freepages_delay", "freepages"),
    ("thrashing_delay", "thrashing"),
    ("compact_delay", "compact"),
    ("wpcopy_delay", "wpcopy"),
    ("irq_delay", "irq"),
];

/// An account is exact: it is worth naming from this share of the workers' time on.
const DELAYED: f64 = 0.05;

/// What each worker waited for most, as the kernel accounts it, where it is felt.
pub(crate) fn delayed(case: &CaseResult) -> Option<Evidence> {
    // It is of the whole process, with the workers of loads beside.
    if !case.loads.beside.is_empty() {
        return None;
    }
    let workers = super::workers(case).max(1.0);
    let of = |(name, what): &(&'static str, &'static str)| {
        let all = median(case, |trial| rate(trial, &Resource::WORKERS, name))?;
        Some((*name, *what, all / workers))
    };
    let most = DELAYS.iter().filter_map(of).max_by(|a, b| a.2.total_cmp(&b.2));
    let (name, what, share) = most.filter(|(.., share)| *share >= DELAYED)?;
    let evidence = Evidence::at("delayed", place(case, &Resource::WORKERS, name)?);
    Some(evidence.arg("what", what).arg("share", share.min(1.0)))
}

/// How long each worker of the main load stood ready without a CPU, where it is felt.
pub(crate) fn ready(case: &CaseResult) -> Option<Evidence> {
    let all = median(case, |trial| super::number(trial, fact::RUN_DELAY))?;
    let share = (all / super::workers(case).max(1.0)).min(1.0);
    let evidence = Evidence::at("ready", Place::Fact(fact::RUN_DELAY));
    (share >= DELAYED).then(|| evidence.arg("share", share))
}

/// How long tasks of our own control group stood still for want of `what` (`cpu`, `memory`,
/// `io`), where it is felt; of the whole machine where our group has no count of its own,
/// being the uppermost.
pub(crate) fn pressure(case: &CaseResult, what: &'static str) -> Option<Evidence> {
    let of_group = Resource::of(ResourceKind::Cgroup, what);
    let counted = |resource: &Resource| {
        good(case).any(|trial| named(&trial.result.machine(LOCAL).counters, resource, "some").is_some())
    };
    let (whose, resource) = match counted(&of_group) {
        true => ("group", of_group),
        false => ("machine", Resource::of(ResourceKind::Pressure, what)),
    };
    let share = |name: &str| median(case, |trial| rate(trial, &resource, name)).map(|share| share.min(1.0));
    let some = share("some").filter(|some| *some >= PRESSED)?;
    let full = share("full").filter(|full| *full >= ALL_PRESSED);
    let evidence = Evidence::at("pressure", place(case, &resource, "some")?);
    let evidence =
        evidence.arg("whose", whose).arg("what", what).arg("some", some).arg("all", full.is_some());
    Some(evidence.arg("full", full.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::validity::fixture;

    /// A case whose workers were seen waiting so long, s.
    fn seen(looks: u64, times: &[(&str, u64)]) -> CaseResult {
        let mut case = fixture::case(2);
        let mut put = |name: &str, steps| {
            let source = format!("/proc/self/task/*/syscall {name}");
            for trial in &mut case.trials {
                let counter = fixture::counter(Resource::WORKERS, &source, 1.0, steps);
                trial.result.local_mut().counters.push(counter);
            }
        };
        put("looks", looks);
        times.iter().for_each(|(name, steps)| put(name, *steps));
        case
    }

    fn said(case: &CaseResult) -> Option<(String, f64)> {
        let evidence = waited(case)?;
        Some((evidence.args["what"].to_string(), evidence.args["share"].number().unwrap()))
    }

    #[test]
    fn the_longest_wait_is_named_where_it_is_long_and_often_seen() {
        let of = |looks, times: &[(&str, u64)]| said(&seen(looks, times));
        let disk = [("running", 2), ("wait_file", 7), ("wait_lock", 1)];
        assert_eq!(of(40, &disk), Some(("file".to_owned(), 0.7)));
        assert_eq!(of(20, &disk), None, "of 40 looks nothing is said");
        assert_eq!(of(40, &[("running", 9), ("wait_file", 1)]), None);
        assert_eq!(of(40, &[("wait_socket", 5), ("running", 5)]), Some(("socket".to_owned(), 0.5)));
        assert_eq!(said(&fixture::case(2)), None, "nobody looked");
    }

    #[test]
    fn the_longest_delay_is_told_for_each_worker() {
        let of = |times: &[(&str, u64)], threads: u64| {
            let mut case = seen(0, times);
            fixture::set(&mut case, "threads", threads);
            let evidence = delayed(&case)?;
            Some((evidence.args["what"].to_string(), evidence.args["share"].number().unwrap()))
        };
        let blkio = [("blkio_delay", 1), ("freepages_delay", 0)];
        assert_eq!(of(&blkio, 4), Some(("blkio".to_owned(), 0.25)));
        assert_eq!(of(&blkio, 32), None, "it is not felt");
        assert_eq!(of(&[], 1), None, "nobody counted");
    }

    #[test]
    fn the_pressure_of_our_group_comes_before_the_machine_s() {
        let mut case = fixture::case(1);
        let mut put = |resource: &str, name: &str, us| {
            let counter = fixture::counter(resource, &format!("io.pressure {name}"), 1e-6, us);
            case.trials[0].result.local_mut().counters.push(counter);
        };
        put("pressure:io", "some", 900_000);
        put("pressure:io", "full", 10_000);
        put("pressure:cpu", "some", 90_000);
        let of = |case: &CaseResult, what| {
            let evidence = pressure(case, what)?;
            let percent = |name: &str| (evidence.args[name].number().unwrap() * 100.0).round();
            let whose = evidence.args["whose"].to_string();
            Some((whose, percent("some"), evidence.args["all"].clone(), percent("full")))
        };
        let machine = ("machine".to_owned(), 90.0, Value::from(false), 0.0);
        assert_eq!(of(&case, "io"), Some(machine));
        assert_eq!(of(&case, "cpu"), None, "it is not felt");
        let mut put = |name: &str, us| {
            let counter = fixture::counter("cgroup:io", &format!("io.pressure {name}"), 1e-6, us);
            case.trials[0].result.local_mut().counters.push(counter);
        };
        put("some", 300_000);
        put("full", 200_000);
        let group = ("group".to_owned(), 30.0, Value::from(true), 20.0);
        assert_eq!(of(&case, "io"), Some(group));
        assert_eq!(of(&case, "memory"), None, "nobody counted");
    }
}
