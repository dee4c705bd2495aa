//! Memory that is not there: threads wait until pages are back from swap, or until others are written out to make room.
//!
//! That the machine swaps is known from the swap device's own counters (`validity::swapping`); how long the threads wait
//! for it is counted by the kernel, for each task (delay accounting, `Documentation/accounting/delay-accounting.rst`,
//! where `kernel.task_delayacct` is on) or as the share of time for which all of our control group that was not idle stood
//! still for memory (`full` of `Documentation/accounting/psi.rst`). Where nobody accounts for it, as in a group of version 1,
//! it is what is left of the time of a load that waits for processors and memory alone: what its threads neither computed
//! outside of the kernel nor stood ready without a CPU. Only a load that waits so for half of its time is held back by that.
//! What presses other groups, or the machine as a whole, may be another program's.

use model::finding::{Evidence, Place};
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Resource, ResourceKind, Severity, fact};

use super::network::DECIDES;
use super::{Verdict, finding};
use crate::measure::End;
use crate::validity::swapping;
use crate::{Context, measure};

/// A file system whose files are pages of memory, and swapped as these.
const IN_MEMORY: &str = "tmpfs";

pub(super) const ENGLISH: &str = r#"
finding-swap-bound =
    memory is full, and swapping holds this back: { PERCENT($share) } of the time its threads wait for pages from swap, or
    until others are written there; { SHORT($rate, unit: "B/s") } pass between memory and swap
    .advice =
        work on less than there is memory, or on a machine with more; a faster swap device only makes the wait shorter

evidence-swap-wait =
    { PERCENT($share) } of the time threads waited for memory, by { $by ->
        [delays] the kernel's account of each
        [rest] what they neither computed outside of the kernel nor stood ready without a CPU, for a load on memory waits for
            nothing else
       *[pressure] the kernel's account of time in which all of its control group stood still
    }
evidence-swap-unaccounted =
    the machine swapped { SHORT($rate, unit: "B/s") }, and nobody counted how long the threads waited for it
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let rate = swapping::rate_of_all(case);
    if rate < swapping::FELT {
        return Verdict::Elsewhere;
    }
    let told = delayed(case).or_else(|| pressed(case)).or_else(|| left_over(case));
    let Some((share, evidence)) = told else {
        let missing = Evidence { code: "swap-unaccounted".to_owned(), ..Evidence::default() };
        return Verdict::Unknown(missing.arg("rate", rate));
    };
    if share < DECIDES {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("swap-bound", Severity::Warning)
            .on(Resource::MEMORY)
            .arg("share", share)
            .arg("rate", rate)
            .because(evidence),
    ))
}

/// The share of its time for which each worker waited, by the kernel's account of tasks: it is of the whole process, with
/// the workers of loads beside.
fn delayed(case: &CaseResult) -> Option<(f64, Evidence)> {
    let workers = measure::workers(case).max(1.0);
    let of = |name: &str| measure::median(case, |trial| measure::rate(trial, &Resource::WORKERS, name));
    let is_alone = case.loads.beside.is_empty();
    // A page that is read back soon after it was written out is counted as both.
    let back = ["swapin_delay", "thrashing_delay"].into_iter().filter_map(of).reduce(f64::max);
    let back = back.filter(|_| is_alone)?;
    let share = ((back + of("freepages_delay").unwrap_or_default()) / workers).min(1.0);
    let place = measure::place(case, &Resource::WORKERS, "swapin_delay")
        .or_else(|| measure::place(case, &Resource::WORKERS, "thrashing_delay"));
    Some((share, Evidence::maybe_at("swap-wait", place).arg("share", share).arg("by", "delays")))
}

/// The share of the time for which some task of our own control group stood still for memory and none of it computed.
/// What the whole machine counts may be another program's.
fn pressed(case: &CaseResult) -> Option<(f64, Evidence)> {
    let resource = Resource::of(ResourceKind::Cgroup, "memory");
    let share = measure::median(case, |trial| measure::rate(trial, &resource, "full"))?.min(1.0);
    let place = measure::place(case, &resource, "full");
    Some((share, Evidence::maybe_at("swap-wait", place).arg("share", share).arg("by", "pressure")))
}

/// The share of its time for which each worker neither computed outside of the kernel nor stood ready without a CPU, of a
/// load that can wait for processors and memory alone: what is left it waited for pages, or had the kernel bring them, which
/// computes for those that are compressed. Of one on files in memory the kernel computes for the load as well.
fn left_over(case: &CaseResult) -> Option<(f64, Evidence)> {
    let is_on_files = is_on_files_in_memory(case);
    let waits_for_memory = is_on_files || measure::computes_by_kind(measure::profile(case));
    let wanted = End::Drives.wanted_share(case).filter(|_| waits_for_memory && measure::is_closed(case))?;
    let is_alone = case.loads.beside.is_empty() && !is_on_files;
    let system = measure::median(case, |trial| measure::rate(trial, &Resource::OWN_PROCESS, "system"));
    let in_kernel = system.filter(|_| is_alone).unwrap_or_default() / measure::workers(case).max(1.0);
    let outside = wanted - in_kernel.min(End::Drives.worker_share(case)?);
    let share = (1.0 - outside).clamp(0.0, 1.0);
    let evidence = Evidence::at("swap-wait", Place::Fact(fact::RUN_DELAY));
    Some((share, evidence.arg("share", share).arg("by", "rest")))
}

/// Whether a load drives files that are in memory, and no device. One on a database may wait for locks.
fn is_on_files_in_memory(case: &CaseResult) -> bool {
    let is_in_memory = |step: &PathStep| step.resource.file_system_type() == Some(IN_MEMORY);
    let waits_elsewhere = measure::is_net(case) || measure::does_transactions(case);
    measure::device(case).is_none() && !waits_elsewhere && case.path.iter().any(is_in_memory)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    /// A load beside which so many pages are swapped in a second, and what else was counted in that second.
    fn found(pages: u64, others: &[(Resource, &str, u64)]) -> model::Finding {
        at_depth(1, pages, others)
    }

    /// The same with so many operations at once.
    fn at_depth(depth: u64, pages: u64, others: &[(Resource, &str, u64)]) -> model::Finding {
        let mut case = disk(depth, 9_000.0, 110.0, 5.0);
        for trial in &mut case.trials {
            let counters = &mut trial.result.local_mut().counters;
            counters.push(fixture::counter("memory", "/proc/vmstat pswpin", 4096.0, pages));
            for (resource, source, us) in others {
                counters.push(fixture::counter(resource.clone(), source, 1e-6, *us));
            }
        }
        verdict(&[case])
    }

    fn delay(name: &'static str, us: u64) -> (Resource, &'static str, u64) {
        (Resource::WORKERS, name, us)
    }

    #[test]
    fn threads_that_wait_for_swapped_pages_are_held_back_by_that() {
        let waits = found(10_000, &[delay("taskstats swapin_delay", 700_000)]);
        assert_eq!(waits.code, "swap-bound", "{waits:?}");
        assert!(waits.text.contains("70 % of the time its threads wait"), "{}", waits.text);
        // What was read back at once is counted twice.
        let both = [delay("taskstats swapin_delay", 400_000), delay("taskstats thrashing_delay", 400_000)];
        assert_ne!(found(10_000, &both).code, "swap-bound");
        let pressure = (Resource::of(ResourceKind::Cgroup, "memory"), "memory.pressure full", 800_000);
        assert_eq!(found(10_000, std::slice::from_ref(&pressure)).code, "swap-bound");
        assert_ne!(found(10, &[pressure]).code, "swap-bound", "nothing was swapped");
    }

    #[test]
    fn swapping_that_the_threads_hardly_wait_for_is_ruled_out_and_without_an_account_unknown() {
        let little = found(10_000, &[delay("taskstats swapin_delay", 100_000)]);
        assert_eq!(little.code, "latency-bound");
        assert!(little.ruled_out.iter().any(|e| e.code == "swap-wait"), "{little:?}");
        let unknown = at_depth(32, 10_000, &[]);
        assert_eq!(unknown.code, "cannot-tell");
        assert!(unknown.evidence.iter().any(|e| e.code == "swap-unaccounted"), "{unknown:?}");
    }

    /// Bug: where the kernel accounts for no delays, and the control group is of version 1, nothing was named.
    #[test]
    fn a_load_on_memory_that_neither_computes_nor_stands_ready_waits_for_pages() {
        let found = |workload: &str, ready_s: Option<f64>, pages: u64| {
            // It computes for a fifth of the time.
            let mut case = disk(32, 10_000.0, 100.0, 20.0);
            fixture::workload(&mut case, workload);
            for trial in &mut case.trials {
                trial.result.main_mut().facts.extend(ready_s.map(|ready| (fact::RUN_DELAY, ready.into())));
                let counters = &mut trial.result.local_mut().counters;
                counters.push(fixture::counter("memory", "/proc/vmstat pswpin", 4096.0, pages));
            }
            verdict(&[case])
        };
        let waits = found("memory.bandwidth", Some(0.05), 10_000);
        assert_eq!(waits.code, "swap-bound", "{waits:?}");
        assert!(waits.text.contains("75 % of the time its threads wait"), "{}", waits.text);
        let said = waits.evidence.iter().find(|e| e.code == "swap-wait").and_then(|e| e.text.as_deref());
        assert!(
            said.is_some_and(|text| text.contains("neither computed outside of the kernel nor stood ready")),
            "{waits:?}"
        );
        for (workload, ready_s, pages, why) in [
            ("memory.bandwidth", Some(0.5), 10_000, "it stands ready without a CPU"),
            ("memory.bandwidth", None, 10_000, "it may have stood ready"),
            ("memory.bandwidth", Some(0.05), 10, "nothing was swapped"),
            ("disk", Some(0.05), 10_000, "it waits for its disk"),
        ] {
            assert_ne!(found(workload, ready_s, pages).code, "swap-bound", "{why}");
        }
    }

    /// Bug: of reads of files in memory that wait for swapped pages it was said that nobody counted for how long.
    #[test]
    fn a_load_on_files_in_memory_waits_for_pages_as_well() {
        let found = |kind: &str, cpu_us: f64| {
            let mut case = disk(1, 9_000.0, 110.0, cpu_us);
            let files = Resource::from(format!("filesystem:/mnt ({kind})").as_str());
            case.path = vec![PathStep { resource: files, amplification: 1.0 }];
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(fact::RUN_DELAY, 0.05.into());
                trial.result.local_mut().counters.extend([
                    fixture::counter("memory", "/proc/vmstat pswpin", 4096.0, 10_000),
                    fixture::counter("self", "getrusage(2) system", 1e-6, 150_000),
                ]);
            }
            verdict(&[case]).code
        };
        assert_eq!(found("tmpfs", 20.0), "swap-bound");
        assert_ne!(found("tmpfs", 90.0), "swap-bound", "it computes");
        assert_ne!(found("ext4", 20.0), "swap-bound", "it may wait for a device");
    }

    /// Bug: a core was said to be full that had pages decompressed for most of its time.
    #[test]
    fn what_the_kernel_computes_to_bring_pages_is_a_wait_for_them() {
        let found = |system_us: u64| {
            let mut case = disk(1, 10_000.0, 100.0, 98.0);
            fixture::workload(&mut case, "memory.bandwidth");
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(fact::RUN_DELAY, 0.01.into());
                trial.result.local_mut().counters.extend([
                    fixture::counter("memory", "/proc/vmstat pswpin", 4096.0, 10_000),
                    fixture::counter("self", "getrusage(2) system", 1e-6, system_us),
                ]);
            }
            verdict(&[case]).code
        };
        assert_eq!(found(700_000), "swap-bound");
        assert_ne!(found(100_000), "swap-bound");
    }

    /// Bug: what another program's memory pressed the machine was held against the load.
    #[test]
    fn the_pressure_of_the_machine_may_be_that_of_other_groups() {
        let pressure = |kind, us| (Resource::of(kind, "memory"), "memory.pressure full", us);
        let machine = pressure(ResourceKind::Pressure, 800_000);
        let unknown = at_depth(32, 10_000, std::slice::from_ref(&machine));
        assert_eq!(unknown.code, "cannot-tell", "{unknown:?}");
        assert!(unknown.evidence.iter().any(|e| e.code == "swap-unaccounted"), "{unknown:?}");
        let idle = found(10_000, &[machine, pressure(ResourceKind::Cgroup, 10_000)]);
        assert_eq!(idle.code, "latency-bound");
        assert!(idle.ruled_out.iter().any(|e| e.code == "swap-wait"), "{idle:?}");
    }
}
