//! Threads that are kept from running, and nobody counts it: stopped by a signal, in a control group that is frozen, or under
//! a CPU quota of a group above those that can be seen from within a container.
//!
//! It shows by what is left. A thread of a load that can wait for processors and memory alone computes, or stands ready
//! without a CPU, or waits for a page; its CPU may be taken by the hypervisor or by interrupts meanwhile. Where none of these
//! has the rest of its time, it was not let run: a task that is stopped, frozen or throttled stands in no queue.

use model::finding::{Evidence, Place};
use model::profile::LoadEnd;
use model::run::CaseResult;
use model::{LoadProfile, Resource, Severity, Trial, fact};

use super::reclaim::LEFT;
use super::{Verdict, finding};
use crate::measure::End;
use crate::validity::swapping;
use crate::{Context, measure};

/// From this share of their time on threads that were not let run are felt.
const FELT: f64 = 0.2;

/// Of shorter windows the edges count: threads begin and end at different times, s.
const WINDOW_LEAST: f64 = 0.4;

/// So many operations for each thread end at nearly the same time for all.
const EACH: u64 = 20;

/// Who takes CPUs from threads that are charged for none of it.
const TAKERS: &[&str] = &["steal", "irq", "softirq"];

pub(super) const ENGLISH: &str = r#"
finding-threads-stopped =
    its threads are not let run { PERCENT($share) } of the time: they neither compute nor stand ready for a CPU, and there is
    nothing else that such a load waits for
    .advice =
        look for what stops them: a signal (SIGSTOP, as cpulimit sends it), a control group that is frozen (cgroup.freeze,
        freezer.state), or a CPU quota of a group above those that are visible here

evidence-stopped =
    each worker computed, or stood ready without a CPU, { PERCENT($wanted) } of the time; interrupts and the hypervisor took
    { FIXED($taken, decimals: 2) } CPUs
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let profile = measure::profile(case);
    let waits_for_nothing =
        measure::computes_by_kind(profile) && measure::is_closed(case) && has_work_throughout(profile);
    let has_memory = swapping::rate_of_all(case) < swapping::FELT
        && measure::group_memory(case).is_none_or(|(limit, left)| left > LEFT * limit);
    let window_s = measure::median(case, |trial| Some(trial.result.window?.seconds()));
    let is_long = window_s.is_some_and(|seconds| seconds >= WINDOW_LEAST);
    let wanted = End::Drives.wanted_share(case).filter(|_| waits_for_nothing && has_memory && is_long);
    let Some(wanted) = wanted else { return Verdict::Elsewhere };
    let taken_in = |trial: &Trial| -> Option<f64> {
        Some(TAKERS.iter().filter_map(|name| measure::rate(trial, &Resource::CPUS, name)).sum())
    };
    let taken = measure::median(case, taken_in).unwrap_or_default();
    let share = 1.0 - wanted - taken / measure::workers(case).max(1.0);
    if share < FELT {
        return Verdict::Elsewhere;
    }
    let evidence = Evidence::at("stopped", Place::Fact(fact::RUN_DELAY));
    Verdict::Full(Box::new(
        finding("threads-stopped", Severity::Warning)
            .on(Resource::CPUS)
            .arg("share", share)
            .because(evidence.arg("wanted", wanted).arg("taken", taken)),
    ))
}

/// Whether all threads of a load have something to do until it ends: with few operations, or what each was given, one may be
/// done long before the others.
fn has_work_throughout(profile: &LoadProfile) -> bool {
    match profile.end {
        LoadEnd::Time => true,
        LoadEnd::Operations(count) => count >= EACH.saturating_mul(profile.concurrency.workers),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    /// What holds a load back that computes for half of the time and stands ready for so much of it, while counters went so
    /// far in the second.
    fn found(workload: &str, ready_s: Option<f64>, counters: &[(&str, &str, f64, u64)]) -> model::Finding {
        let mut case = disk(1, 10_000.0, 100.0, 50.0);
        fixture::workload(&mut case, workload);
        for trial in &mut case.trials {
            trial.result.main_mut().facts.extend(ready_s.map(|ready| (fact::RUN_DELAY, ready.into())));
            let all = counters.iter().map(|(of, source, scale, steps)| {
                let resource = Resource::from(*of);
                fixture::counter(resource, source, *scale, *steps)
            });
            trial.result.local_mut().counters.extend(all);
        }
        verdict(&[case])
    }

    /// Bug: of threads that are stopped for half of the time nothing was named.
    #[test]
    fn a_load_that_computes_and_is_not_let_run_is_held_back_by_that() {
        let stopped = found("cpu.primes", Some(0.1), &[]);
        assert_eq!(stopped.code, "threads-stopped", "{stopped:?}");
        assert!(stopped.text.contains("not let run 40 % of the time"), "{}", stopped.text);
    }

    #[test]
    fn who_stands_ready_or_waits_or_whose_cpu_is_taken_is_not_stopped() {
        let swapped = ("memory", "/proc/vmstat pswpin", 4096.0, 10_000);
        let stolen = ("cpu", "/proc/stat steal", 0.01, 35);
        let throttled = ("cgroup:cpu", "cpu.stat throttled_time", 1e-6, 400_000);
        for (workload, ready_s, counter, why) in [
            ("cpu.primes", Some(0.45), None, "it stands ready"),
            ("cpu.primes", None, None, "it may have stood ready"),
            ("cpu.primes", Some(0.1), Some(stolen), "the hypervisor has the CPU"),
            ("cpu.primes", Some(0.1), Some(throttled), "a quota is known"),
            ("memory.bandwidth", Some(0.1), Some(swapped), "it waits for pages"),
            ("disk", Some(0.1), None, "it waits for its disk"),
        ] {
            let counters: Vec<(&str, &str, f64, u64)> = counter.into_iter().collect();
            assert_ne!(found(workload, ready_s, &counters).code, "threads-stopped", "{why}");
        }
    }

    /// Bug: threads that had done their share of few operations, and waited for the last one, were said to be stopped.
    #[test]
    fn who_has_nothing_left_to_do_is_not_stopped() {
        let of = |operations: u64| {
            let mut case = disk(1, 10_000.0, 100.0, 50.0);
            fixture::workload(&mut case, "cpu.primes");
            fixture::set(&mut case, "threads", 2u64);
            case.loads.main.profile.end = LoadEnd::Operations(operations);
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(fact::RUN_DELAY, 0.1.into());
            }
            verdict(&[case]).code
        };
        assert_ne!(of(3), "threads-stopped");
        assert_eq!(of(10_000), "threads-stopped");
    }
}
