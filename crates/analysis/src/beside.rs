//! The CPU time that a machine used beside the process of the load: that of threads of the kernel, of interrupts, and
//! of other programs. What a layer of a storage stack costs is often there, and not in the threads that wait for it.
//!
//! It is a balance: how long the CPUs were not idle (counted without ticks, `get_cpu_idle_time_us` in
//! `kernel/time/tick-sched.c`), less what `getrusage(2)` says of ours. So what an interrupt took from a thread of ours
//! is counted once, as ours.

use std::collections::BTreeMap;

use model::run::{CaseResult, Estimate};
use model::trial::Trial;
use model::{Better, Resource, Unit};

use crate::estimate;
use crate::measure::{End, good, operations_in, profile};

/// What a machine did beside the load of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuBeside {
    /// CPU seconds for each operation, over trials.
    pub per_operation: Estimate,
    /// Threads of the kernel with the CPU seconds that they used for each operation, in all trials together; those that
    /// used most first. Threads whose names differ behind a `/` alone are one.
    pub threads: Vec<(String, f64)>,
}

/// The CPU time of the machine that drives beside the load; absent where its CPUs were not counted, and of loads whose
/// operations are not.
#[must_use]
pub fn cpu_beside(case: &CaseResult) -> Option<CpuBeside> {
    let of_trial = |trial: &Trial| Some(used_beside(trial)? / operations(case, trial)?);
    let values: Vec<f64> = good(case).filter_map(of_trial).collect();
    let per_operation = estimate::estimate(&values, Unit::Seconds, Better::Lower)?;
    Some(CpuBeside { per_operation, threads: threads(case) })
}

/// CPU seconds of others than our process for each second.
fn used_beside(trial: &Trial) -> Option<f64> {
    let rate = |resource: &Resource, name: &str| End::Drives.rate(trial, resource, name);
    let some = |name: &str| rate(&Resource::CPUS, name).unwrap_or(0.0);
    let idle = rate(&Resource::CPUS, "idle")? + some("iowait") + some("steal");
    let own = rate(&Resource::OWN_PROCESS, "user")? + rate(&Resource::OWN_PROCESS, "system")?;
    Some((End::Drives.cpus_in(trial)? - idle - own).max(0.0))
}

/// Operations of the load for each second, or what else it counts.
fn operations(case: &CaseResult, trial: &Trial) -> Option<f64> {
    let watched = || trial.result.main().metrics.get(&profile(case).watched());
    let counted = || watched().filter(|rate| rate.unit == Unit::PerSecond).map(|rate| rate.value);
    operations_in(trial).or_else(counted).filter(|rate| *rate > 0.0)
}

fn threads(case: &CaseResult) -> Vec<(String, f64)> {
    let mut used: BTreeMap<&str, f64> = BTreeMap::new();
    let mut done = 0.0;
    for trial in good(case) {
        let Some(rate) = operations(case, trial) else { continue };
        let processes = &trial.result.local().processes;
        done += rate * processes.iter().map(|process| process.watched_s).fold(0.0, f64::max);
        // One without a number is all that are not told, together.
        for process in processes.iter().filter(|process| process.kernel && process.pid != 0) {
            *used.entry(family(&process.name)).or_default() += process.cpu_s;
        }
    }
    if done <= 0.0 {
        return Vec::new();
    }
    let mut all: Vec<(String, f64)> =
        used.into_iter().map(|(name, cpu_s)| (name.to_owned(), cpu_s / done)).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

/// `jbd2/loop0-8` is `jbd2`, and `kworker/0:1-events` is `kworker`: such a thread works for many queues in turn, and
/// its name says the last one alone.
fn family(name: &str) -> &str {
    name.split_once('/').map_or(name, |(family, _)| family)
}

#[cfg(test)]
mod tests {
    use model::trial::ProcessUse;
    use model::{Quantity, metric};

    use super::*;
    use crate::validity::fixture;

    fn thread(pid: u32, name: &str, cpu_s: f64) -> ProcessUse {
        ProcessUse { pid, name: name.to_owned(), own: false, kernel: true, cpu_s, watched_s: 1.0 }
    }

    /// A second of two CPUs of which one was idle, with 0.6 s of ours and 1,000 operations.
    fn case() -> CaseResult {
        let mut case = fixture::case(2);
        for trial in &mut case.trials {
            let rate = Quantity { value: 1000.0, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::IOPS, rate);
            let local = trial.result.local_mut();
            local.counters = vec![
                fixture::counter("cpu", "/proc/stat idle", 0.01, 70),
                fixture::counter("cpu", "/proc/stat iowait", 0.01, 30),
                fixture::counter("self", "getrusage(2) user", 1e-6, 200_000),
                fixture::counter("self", "getrusage(2) system", 1e-6, 400_000),
                fixture::counter("cpu:0", "/proc/stat user", 0.01, 1),
                fixture::counter("cpu:1", "/proc/stat user", 0.01, 1),
            ];
            local.processes = vec![
                ProcessUse { kernel: false, ..thread(7, "burner", 0.1) },
                thread(8, "jbd2/loop0-8", 0.02),
                thread(9, "kworker/0:1-loop0", 0.1),
                thread(10, "kworker/u8:2", 0.05),
                thread(0, "other threads of the kernel", 0.01),
            ];
        }
        case
    }

    #[test]
    fn what_is_not_ours_is_told_for_each_operation_with_the_threads_of_the_kernel() {
        let beside = cpu_beside(&case()).unwrap();
        let each = beside.per_operation;
        assert!((each.median - 0.4e-3).abs() < 1e-9 && each.n == 2, "{each:?}");
        let names: Vec<&str> = beside.threads.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["kworker", "jbd2"]);
        assert!((beside.threads[0].1 - 0.15e-3).abs() < 1e-9, "{:?}", beside.threads);
    }

    #[test]
    fn where_nobody_counted_nothing_is_told() {
        assert_eq!(cpu_beside(&fixture::case(2)), None);
        let mut uncounted = case();
        for trial in &mut uncounted.trials {
            trial.result.local_mut().counters.retain(|counter| !counter.source.ends_with("idle"));
        }
        assert_eq!(cpu_beside(&uncounted), None);
        let mut without_processes = case();
        for trial in &mut without_processes.trials {
            trial.result.local_mut().processes.clear();
        }
        assert_eq!(cpu_beside(&without_processes).unwrap().threads, Vec::new());
    }
}
