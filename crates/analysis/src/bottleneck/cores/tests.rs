//! Full cores of one, of some and of all, and what only looks so.

use model::machine::CpuPlace;
use model::study::Pin;
use model::trial::{Placement, WorkerPlace};
use model::{Quantity, Unit, metric};

use super::*;
use crate::bottleneck::tests::{disk, machine, verdict, verdict_on};
use crate::validity::fixture;

/// A thread that fills its core has no more of one that somebody else fills.
#[test]
fn a_full_core_beside_a_burner_is_one_core() {
    let mut case = disk(32, 500_000.0, 60.0, 1.97);
    counted(&mut case, "cpu", [198, 2]);
    let found = verdict(&[case]);
    assert_eq!((found.code.as_str(), found.advice), ("one-core-full", None));
}

/// Bug: four threads on four cores of two threads each were told to be more.
#[test]
fn a_second_thread_of_a_core_is_no_core_to_spare() {
    let mut machine = machine();
    let place = |cpu: u32| CpuPlace { cpu, core: cpu % 4, ..CpuPlace::default() };
    machine.inventory.cpu.topology = (0..8).map(place).collect();
    machine.inventory.cpu.online = (0..8).collect();
    machine.inventory.cpu.allowed = (0..8).collect();
    let found = |threads: u64| {
        let mut case = disk(32, 100_000.0, 60.0, 9.9 * threads as f64);
        fixture::set(&mut case, "threads", threads);
        verdict_on(&machine, &[case])
    };
    let (two, four) = (found(2), found(4));
    assert_eq!((two.code.as_str(), four.code.as_str()), ("one-core-full", "one-core-full"));
    assert_eq!((two.advice.is_some(), four.advice), (true, None));
    let all = found(8);
    assert_eq!(all.code, "all-cores-full");
    assert!(all.text.starts_with("all 8 CPUs, threads of 4 cores, are busy"), "{}", all.text);
}

/// Bug: with one of two CPUs allowed, or pinned to, beside a neighbour, all CPUs were said
/// to be busy half of the time, and nothing to be full.
#[test]
fn the_cpus_that_a_load_may_run_on_are_those_that_count() {
    let mut machine = machine();
    machine.inventory.cpu.online = vec![0, 1];
    machine.inventory.cpu.allowed = vec![1];
    // Each operation takes 55 us of a CPU, 9,000 times a second.
    let mut case = disk(1, 9_000.0, 110.0, 55.0);
    counted(&mut case, "cpu", [101, 99]);
    counted(&mut case, "cpu:0", [2, 98]);
    counted(&mut case, "cpu:1", [99, 1]);
    let found = verdict_on(&machine, &[case.clone()]);
    assert_eq!(found.code, "own-cores-full");
    assert_eq!(found.resource, Some(Resource::of_cpus(&[1])));
    machine.inventory.cpu.allowed = vec![0, 1];
    assert_eq!(verdict_on(&machine, &[case.clone()]).code, "latency-bound");
    for (cpu, code) in [(1, "own-cores-full"), (0, "latency-bound")] {
        for trial in &mut case.trials {
            let workers = vec![WorkerPlace { load: 0, cpu: Some(cpu) }];
            let (asked, policy) = (Pin::Spread, Pin::Spread);
            trial.result.placement =
                Some(Placement { asked, policy, reason: None, workers, interrupts: Vec::new() });
        }
        assert_eq!(verdict_on(&machine, &[case.clone()]).code, code);
    }
}

/// Bug: a thread at 45 % whose operations the kernel's workers do on the same CPU left that CPU
/// full and nothing named.
#[test]
fn a_cpu_that_a_thread_and_the_kernel_s_workers_for_it_fill_is_full() {
    let filled = |depth: u64, ours: u64, cpus: [[u64; 2]; 2]| {
        let mut case = disk(depth, 9_000.0, 110.0, 50.0);
        counted(&mut case, "cpu", [cpus[0][0] + cpus[1][0], cpus[0][1] + cpus[1][1]]);
        counted(&mut case, "cpu:0", cpus[0]);
        counted(&mut case, "cpu:1", cpus[1]);
        own(&mut case, ours);
        verdict_on(&two_cpus(), &[case])
    };
    let found = filled(8, 99, [[4, 96], [98, 2]]);
    assert_eq!(
        (found.code.as_str(), found.resource),
        ("one-core-full", Some(Resource::of(ResourceKind::Cpu, 1)))
    );
    assert!(found.text.contains("98 % of the time with what the kernel's workers do"), "{}", found.text);
    // On either CPU in turn, but never at once.
    assert_eq!(filled(1, 98, [[52, 48], [49, 51]]).code, "one-core-full");
    assert_ne!(filled(8, 98, [[52, 48], [49, 51]]).code, "one-core-full");
    // Others fill it.
    assert_ne!(filled(1, 46, [[4, 96], [98, 2]]).code, "one-core-full");
    assert_ne!(filled(1, 98, [[98, 2], [98, 2]]).code, "one-core-full");
}

/// Bug: a load beside it on the same CPU was called another program, or was not told at all.
#[test]
fn a_load_beside_it_on_its_cpu_is_no_other_program() {
    let beside = |cpus: [u32; 2], ours: u64| {
        let mut case = disk(1, 9_000.0, 110.0, 55.0);
        let companion = case.loads.main.clone();
        case.loads.beside.push(companion);
        counted(&mut case, "cpu", [103, 97]);
        counted(&mut case, "cpu:0", [4, 96]);
        counted(&mut case, "cpu:1", [99, 1]);
        own(&mut case, ours);
        for trial in &mut case.trials {
            let workers = (0..).zip(cpus).map(|(load, cpu)| WorkerPlace { load, cpu: Some(cpu) }).collect();
            let (asked, policy) = (Pin::Spread, Pin::Spread);
            trial.result.placement =
                Some(Placement { asked, policy, reason: None, workers, interrupts: Vec::new() });
            let mut second = trial.result.main().clone();
            second.load = 1;
            for (name, value, unit) in
                [(metric::IOPS, 9_000.0, Unit::PerSecond), (metric::CPU_PER_OPERATION, 55e-6, Unit::Seconds)]
            {
                second.metrics.insert(name, Quantity { value, unit });
            }
            trial.result.loads.push(second);
        }
        verdict_on(&two_cpus(), &[case])
    };
    let found = beside([1, 1], 98);
    assert_eq!(found.code, "own-cores-full");
    assert!(found.text.ends_with("with it and the loads beside it"), "{}", found.text);
    // Elsewhere: what fills its CPU is another program.
    let found = beside([1, 0], 98);
    assert_eq!(found.code, "own-cores-full");
    assert!(found.text.contains("other programs or the kernel have the rest"), "{}", found.text);
}

fn two_cpus() -> model::machine::Machine {
    let mut machine = machine();
    (machine.inventory.cpu.online, machine.inventory.cpu.allowed) = (vec![0, 1], vec![0, 1]);
    machine
}

/// Hundredths of a second that our process computed.
fn own(case: &mut CaseResult, hundredths: u64) {
    for trial in &mut case.trials {
        for (name, part) in [("user", 1), ("system", hundredths - 1)] {
            let counter = fixture::counter("self", &format!("getrusage(2) {name}"), 0.01, part);
            trial.result.local_mut().counters.push(counter);
        }
    }
}

/// Ticks of 10 ms that a CPU was busy and idle.
fn counted(case: &mut CaseResult, cpu: &str, [busy, idle]: [u64; 2]) {
    for trial in &mut case.trials {
        for (name, ticks) in [("user", busy), ("idle", idle)] {
            let counter = fixture::counter(cpu, &format!("/proc/stat {name}"), 0.01, ticks);
            trial.result.local_mut().counters.push(counter);
        }
    }
}

/// Bug: beside programs that fill all CPUs a device was said to be full, though what it had done waited for a CPU.
#[test]
fn a_device_that_is_done_while_all_cpus_are_busy_is_not_full() {
    let found = |busy: u64, ready: f64, queue: f64| {
        let with = |depth: u64, rate: f64| {
            let mut case = disk(depth, rate, depth as f64 * 1e6 / rate, 10.0);
            counted(&mut case, "cpu", [busy, 200 - busy]);
            crate::measure::layers::tests::did(&mut case, "sda", rate * 4096.0, 0.0, queue);
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(fact::RUN_DELAY, ready.into());
            }
            case
        };
        verdict(&[with(32, 10_000.0), with(16, 9_900.0)]).code
    };
    assert_eq!(found(199, 0.15, 2.0), "all-cores-full", "the device has two of 32");
    assert_eq!(found(199, 0.15, 30.0), "cannot-tell", "the device has them, and the CPUs are full as well");
    assert_eq!(found(199, 0.01, 30.0), "device-full", "it hardly waits for a CPU");
    assert_eq!(found(100, 0.15, 30.0), "device-full", "there are CPUs to spare");
}
