//! A CPU that is full of interrupts, of a load that has several operations under way: what a device or an interface has
//! done is told by interrupts, and no thread of ours is charged for what is done in their wake. Threads may be half idle
//! on other CPUs, and a greater depth adds nothing but waiting, as if the device were full.
//!
//! It must be one that takes the interrupts of what is driven, as the placement of the trial tells, and have most of the
//! interrupt time of the machine: of a device with a queue for each CPU others take over. What fills it beside them is
//! told elsewhere. Streams are judged by `end_core`, with the threads of both ends.

use std::collections::{BTreeMap, BTreeSet};

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Resource, ResourceKind, Severity, Trial};

use super::end_core::{self, Core, EXPLAINED, MOSTLY};
use super::{FULL, Verdict, finding};
use crate::measure::End;
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
finding-interrupt-cpu-full =
    CPU { $cpu }, which takes the interrupts of what is driven, is full: it is { PERCENT($share) } busy,
    { PERCENT($interrupts) } of it with interrupts and what is done in their wake (softirq)
    .advice =
        let more CPUs take them: more queues of the device, or their interrupts elsewhere (--set irq-affinity); fewer and
        larger operations make fewer of them

evidence-interrupt-cpu = CPU { $cpu } is { PERCENT($share) } busy, { PERCENT($interrupts) } of it with interrupts
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    // One at a time leaves each CPU idle while another works.
    if measure::profile(case).is_stream() || measure::concurrency(case) <= 1.0 {
        return Verdict::Elsewhere;
    }
    let Some(core) = measure::middle(case, |trial| of_trial(trial).map(|core| (core.busy, core))) else {
        return Verdict::Elsewhere;
    };
    let each = End::Drives.worker_share(case).unwrap_or_default();
    // Programs of others, and time that is stolen, are none of it.
    let is_ours = core.interrupts + each * measure::workers(case) >= EXPLAINED * core.busy;
    // Threads that are full say it themselves.
    if core.busy < FULL || core.interrupts < MOSTLY * core.busy || each >= FULL || !is_ours {
        return Verdict::Elsewhere;
    }
    let resource = Resource::of(ResourceKind::Cpu, core.number);
    let place = measure::place(case, &resource, "softirq").unwrap_or(Place::Path(resource.clone()));
    let share = core.interrupts / core.busy;
    let evidence = Evidence::at("interrupt-cpu", place)
        .arg("cpu", core.number.to_string())
        .arg("share", core.busy)
        .arg("interrupts", share);
    Verdict::Full(Box::new(
        finding("interrupt-cpu-full", Severity::Note)
            .on(resource)
            .arg("cpu", core.number.to_string())
            .arg("share", core.busy)
            .arg("interrupts", share)
            .because(evidence),
    ))
}

/// Of the CPUs that take the interrupts of what is driven, the one that spends most time on interrupts, where that is
/// most of what the whole machine spends on them.
fn of_trial(trial: &Trial) -> Option<Core> {
    let takers = takers(trial)?;
    let cores = end_core::cores(trial, End::Drives);
    let all: f64 = cores.iter().map(|core| core.interrupts).sum();
    let own = cores.into_iter().filter(|core| takers.contains(&core.number));
    let most = own.max_by(|a, b| a.interrupts.total_cmp(&b.interrupts))?;
    (most.interrupts >= MOSTLY * all).then_some(most)
}

/// The CPUs that have taken at least half of the interrupts of what the main load drives. They are counted since the
/// machine began: of a device with many queues each CPU has taken some.
fn takers(trial: &Trial) -> Option<BTreeSet<u32>> {
    let lines = &trial.result.placement.as_ref()?.interrupts;
    let mut took: BTreeMap<u32, u64> = BTreeMap::new();
    for (cpu, count) in lines.iter().flat_map(|line| line.cpus.iter().zip(&line.counts)) {
        *took.entry(*cpu).or_default() += *count;
    }
    let all: u64 = took.values().sum();
    let most = took.into_iter().filter(|(_, count)| *count > 0 && 2 * *count >= all);
    Some(most.map(|(cpu, _)| cpu).collect())
}

#[cfg(test)]
mod tests {
    use model::study::Pin;
    use model::trial::{InterruptLine, Placement, WorkerPlace};
    use model::{Better, Unit, metric};

    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    /// A disk at this depth whose interrupts CPU 0 takes, and what two CPUs did in hundredths of a second: user, system,
    /// idle, softirq.
    fn case(depth: u64, cpus: [[u64; 4]; 2]) -> CaseResult {
        let mut case = disk(depth, 100_000.0, 10.0 * depth as f64, 2.0);
        for trial in &mut case.trials {
            for (cpu, ticks) in (0..).zip(cpus) {
                for (name, ticks) in ["user", "system", "idle", "softirq"].into_iter().zip(ticks) {
                    let (cpu, name) = (format!("cpu:{cpu}"), format!("/proc/stat {name}"));
                    trial.result.local_mut().counters.push(fixture::counter(cpu, &name, 0.01, ticks));
                }
            }
            let line = |irq, cpu, count| InterruptLine {
                irq,
                name: "nvme0q1".to_owned(),
                cpus: vec![cpu],
                counts: vec![count],
            };
            trial.result.placement = Some(Placement {
                asked: Pin::Auto,
                policy: Pin::Spread,
                reason: None,
                workers: vec![WorkerPlace { load: 0, cpu: Some(1) }],
                interrupts: vec![line(24, 0, 1_000_000), line(25, 1, 0)],
            });
        }
        case
    }

    /// Bug: what the CPU of the interrupts could not take was called a full disk.
    #[test]
    fn a_cpu_that_completions_fill_is_named_and_no_disk() {
        let (full, half) = ([2, 8, 2, 88], [10, 10, 80, 0]);
        let found = verdict(&[case(32, [full, half]), case(16, [full, half])]);
        assert_eq!(found.code, "interrupt-cpu-full", "{found:?}");
        assert_eq!(found.resource.as_ref().map(Resource::as_str), Some("cpu:0"));
        assert!(found.text.contains("98 % busy, 90 % of it with interrupts"), "{}", found.text);
        // Nobody waits for it where the CPU has room.
        let room = [2, 8, 30, 60];
        assert_eq!(verdict(&[case(32, [room, half]), case(16, [room, half])]).code, "device-full");
    }

    #[test]
    fn interrupts_of_others_and_programs_that_fill_a_cpu_are_something_else() {
        let code = |cpus: [[u64; 4]; 2]| verdict(&[case(32, cpus), case(16, cpus)]).code;
        // CPU 1 takes those of something else.
        assert_eq!(code([[5, 5, 60, 30], [2, 8, 2, 88]]), "device-full");
        assert_eq!(code([[70, 20, 2, 8], [10, 10, 80, 0]]), "device-full");
    }

    /// The code where these CPUs have taken so many interrupts of the disk since the machine began, one line each, while
    /// CPU 0 is full of interrupts and CPU 1 is half idle.
    fn code_where(taken: &[(u32, u64)]) -> String {
        let line = |(irq, (cpu, count)): (u32, &(u32, u64))| InterruptLine {
            irq,
            name: format!("nvme0q{irq}"),
            cpus: vec![*cpu],
            counts: vec![*count],
        };
        let lines: Vec<InterruptLine> = (1..).zip(taken).map(line).collect();
        let mut cases = [32, 16].map(|depth| case(depth, [[2, 8, 2, 88], [10, 10, 80, 0]]));
        for trial in cases.iter_mut().flat_map(|case| &mut case.trials) {
            if let Some(placement) = &mut trial.result.placement {
                placement.interrupts.clone_from(&lines);
            }
        }
        verdict(&cases).code
    }

    /// Bug: of a disk with a queue for each CPU, whose counts are since the machine began, every CPU that an interface
    /// filled meanwhile was said to take the disk's interrupts.
    #[test]
    fn who_took_the_lesser_part_since_the_machine_began_is_not_blamed() {
        assert_eq!(code_where(&[(0, 400_000), (1, 600_000)]), "device-full");
        assert_eq!(code_where(&[(0, 600_000), (1, 400_000)]), "interrupt-cpu-full");
        // A CPU may take several lines.
        assert_eq!(code_where(&[(0, 300_000), (1, 400_000), (0, 300_000)]), "interrupt-cpu-full");
        assert_eq!(code_where(&[(0, 0), (1, 0)]), "device-full", "none was counted");
    }

    /// Bug: a CPU was said to be full of interrupts though nearly half of it was another program's, or stolen.
    #[test]
    fn programs_of_others_and_stolen_time_beside_interrupts_are_none_of_the_load_s() {
        let code = |us: f64, [user, system, softirq, steal]: [u64; 4]| {
            let mut cases = [32, 16].map(|depth| case(depth, [[user, system, 2, softirq], [10, 10, 80, 0]]));
            for case in &mut cases {
                let each = fixture::estimate(us / 1e6, Unit::Seconds, Better::Lower);
                case.loads.main.estimates.insert(metric::CPU_PER_OPERATION, each);
                for trial in &mut case.trials {
                    let stolen = fixture::counter("cpu:0", "/proc/stat steal", 0.01, steal);
                    trial.result.local_mut().counters.push(stolen);
                }
            }
            verdict(&cases).code
        };
        // Each operation takes 2 us of our thread, 100,000 times a second.
        assert_eq!(code(2.0, [35, 10, 53, 0]), "device-full");
        assert_eq!(code(2.0, [2, 8, 53, 35]), "device-full");
        // Of 4.5 us our thread has the rest.
        assert_eq!(code(4.5, [10, 35, 53, 0]), "interrupt-cpu-full");
    }

    #[test]
    fn one_operation_at_a_time_does_not_fill_a_cpu() {
        assert_eq!(verdict(&[case(1, [[2, 8, 2, 88], [10, 10, 80, 0]])]).code, "latency-bound");
    }
}
