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
use crate::measure::layers::WORKER;
use crate::measure::{End, good, operations_in, profile};

/// What a machine did beside the load of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuBeside {
    /// CPU seconds for each operation, over trials.
    pub per_operation: Estimate,
    /// Threads of the kernel, and queues whose work they run, with the CPU seconds that they used for each operation, in
    /// all trials together; those that used most first. Those whose names differ behind a `/`, or in a number, are one.
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
        let queues = &trial.result.local().work_queues;
        for queue in queues {
            *used.entry(family(&queue.queue)).or_default() += queue.cpu_s;
        }
        // One without a number is all that are not told, together. What runs work is told by the queues, where they are.
        let is_told = |name: &str| queues.is_empty() || !name.starts_with(WORKER);
        let threads = processes.iter().filter(|process| process.kernel && process.pid != 0);
        for process in threads.filter(|process| is_told(&process.name)) {
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

/// `jbd2/loop0-8` is `jbd2`, `kcryptd-253:0-1` is `kcryptd`, and `kworker/0:1-events` is `kworker`: such a thread works
/// for many queues in turn, and its name says the last one alone.
fn family(name: &str) -> &str {
    let numbered = name
        .match_indices('-')
        .map(|(at, _)| at)
        .find(|at| name[at + 1..].starts_with(|c: char| c.is_ascii_digit()) && name[at + 1..].contains(':'));
    let end = name.find('/').into_iter().chain(numbered).min().unwrap_or(name.len());
    &name[..end]
}

#[cfg(test)]
mod tests {
    use model::layer::{WorkQueueSource, WorkQueueUse};
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
    fn what_workers_did_is_told_by_their_queues_where_those_are_known() {
        let mut queued = case();
        for trial in &mut queued.trials {
            let queue = |name: &str, cpu_s| WorkQueueUse {
                queue: name.to_owned(),
                cpu_s,
                watched_s: 1.0,
                by: WorkQueueSource::Names,
            };
            trial.result.local_mut().work_queues = vec![
                queue("kcryptd-253:0-1", 0.08),
                queue("kcryptd/253:1", 0.02),
                queue("xfs-cil/dm-0", 0.03),
            ];
        }
        let threads = cpu_beside(&queued).unwrap().threads;
        let names: Vec<&str> = threads.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["kcryptd", "xfs-cil", "jbd2"]);
        assert!((threads[0].1 - 0.1e-3).abs() < 1e-9, "{threads:?}");
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
