//! The compute half of a server's baseline, made by formulas: what processors,
//! memory and the scheduler of a small server would give, with sensors that warm
//! up and cool down. The shapes are those of real machines; the numbers are
//! nobody's.

use model::machine::Cache;
use model::resource::PathStep;
use model::run::{CaseResult, Run};
use model::trial::{Series, Trial, TrialResult, Window};
use model::{
    Better, MetricName, ParameterName, Parameters, Quantity, Resource, ResourceKind, Status, Unit, Value,
    WorkloadName, metric,
};

use super::long::{estimate, named, profiled, put_series, short};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const SECOND: u64 = 1_000_000_000;

/// Names of metrics of which more is better, beside those of disks.
const HIGHER: &[MetricName] = &[metric::EVENTS_PER_SECOND, metric::FLOPS];

/// Eight CPUs, of which the third level claims more than there is.
pub(crate) fn baseline() -> Run {
    let mut run = short();
    run.study.name = "server-baseline".to_owned();
    run.study.title = Some("Server baseline".to_owned());
    run.study.workloads.clear();
    let mut cases = [primes(), float(), bandwidth(), latency(), loaded(), scheduler()].concat();
    let count = cases.len();
    for (place, case) in cases.iter_mut().enumerate() {
        for (block, trial) in case.trials.iter_mut().enumerate() {
            trial.order = u32::try_from(block * count + place).unwrap();
        }
    }
    for machine in &mut run.machines {
        machine.inventory.cgroup.cpu_quota = None;
        let cpu = &mut machine.inventory.cpu;
        (cpu.allowed, cpu.online) = ((0..8).collect(), (0..8).collect());
        let cache = |level, bytes, shared_by: &[u32]| Cache { level, bytes, shared_by: shared_by.to_vec() };
        cpu.caches = vec![
            cache(1, 48 * KIB, &[0]),
            cache(2, 2 * MIB, &[0]),
            cache(3, 260 * MIB, &[0, 1, 2, 3, 4, 5, 6, 7]),
        ];
    }
    Run { cases, ..run }
}

type Figures<'a> = &'a [(MetricName, Unit, f64)];

/// A case with five trials, each of them off by something of its own.
fn case(workload: WorkloadName, parameters: &[(&str, Value)], figures: Figures<'_>) -> CaseResult {
    let mut case = short().cases.remove(0);
    case.loads.main.workload = workload.to_owned();
    let shown = |(name, value): &(&str, Value)| format!("{name}={value}");
    let label = format!("{workload} {}", parameters.iter().map(shown).collect::<Vec<_>>().join(" "));
    case.loads.main.parameters = Parameters::default();
    for (name, value) in parameters {
        case.loads.main.parameters.set(ParameterName::intern(name).unwrap(), value.clone());
    }
    case.loads.beside.clear();
    named(&mut case, &label);
    profiled(&mut case);
    let step = PathStep { resource: Resource::of(ResourceKind::Cpu, "0-7"), amplification: 1.0 };
    case.path = vec![step];
    case.findings.clear();
    case.utilization.clear();
    let seed = label.bytes().fold(7u64, |a, b| a.wrapping_mul(31).wrapping_add(u64::from(b)));
    case.trials = (0..5).map(|block| trial(block, seed, figures)).collect();
    estimate(&mut case);
    for (name, estimate) in &mut case.loads.main.estimates {
        if HIGHER.contains(name) {
            estimate.better = Better::Higher;
        }
    }
    case
}

fn trial(block: u32, seed: u64, figures: Figures<'_>) -> Trial {
    let off = (seed.rotate_left(block * 11) % 1000) as f64 / 1000.0 - 0.5;
    let start_ns = SECOND * 100 + u64::from(block) * 200 * SECOND;
    let window = Some(Window { start_ns, end_ns: start_ns + 60 * SECOND });
    let mut result = TrialResult { window, ..TrialResult::default() };
    for (name, unit, value) in figures {
        let value = value * (1.0 + off * 0.01);
        result.main_mut().metrics.insert(*name, Quantity { value, unit: *unit });
    }
    let started = "2026-11-21T10:15:00Z".to_owned();
    Trial { order: 0, block, started, status: Status::Ok, reason: None, result }
}

/// Of which four per cent are serial, on eight CPUs.
fn speedup(threads: u64) -> f64 {
    let n = threads.min(8) as f64;
    n / (1.0 + 0.04 * (n - 1.0))
}

fn primes() -> Vec<CaseResult> {
    let one = |threads: u64| {
        let rate = 1100.0 * speedup(threads);
        let rest = [("threads", threads.into()), ("idle", 30.0.into()), ("cool-down", 60.0.into())];
        let mut case = case(
            WorkloadName::new("cpu.primes"),
            &rest,
            &[(metric::EVENTS_PER_SECOND, Unit::PerSecond, rate)],
        );
        for trial in &mut case.trials {
            let heat = heat(trial.result.window.unwrap().start_ns, threads);
            put_series(&mut trial.result, heat);
        }
        case
    };
    [1, 2, 4, 8, 16].map(one).to_vec()
}

/// From thirty seconds of rest and two of warm-up to a minute of cooling down.
fn heat(start_ns: u64, threads: u64) -> Vec<Series> {
    let busy = threads.min(8) as f64 / 8.0;
    let of = |resource: &str, name: &str, unit, value: &dyn Fn(f64) -> f64| Series {
        resource: Resource::from(resource),
        name: model::SeriesName::intern(name).unwrap(),
        unit,
        start_ns: start_ns - 32 * SECOND,
        interval_ns: SECOND / 2,
        values: (0..304).map(|i| value(f64::from(i) * 0.5 - 32.0)).collect(),
    };
    let loaded = |t: f64| if (-2.0..60.0).contains(&t) { 1.0 } else { 0.0 };
    // A sink that warms with a time constant of fifteen seconds.
    let warm = |t: f64| match t {
        t if t < -2.0 => 0.0,
        t if t < 60.0 => 1.0 - (-(t + 2.0) / 15.0).exp(),
        t => (1.0 - (-62.0f64 / 15.0).exp()) * (-(t - 60.0) / 15.0).exp(),
    };
    let mut all = vec![
        of("load", "operations", Unit::PerSecond, &|t| 1100.0 * speedup(threads) * loaded(t)),
        of("cpu", "user", Unit::One, &|t| 8.0 * busy * loaded(t)),
        of("cpu", "idle", Unit::One, &|t| 8.0 - 8.0 * busy * loaded(t)),
        of("power:package-0", "energy_uj", Unit::Watts, &|t| 18.0 + 90.0 * busy * loaded(t)),
        of("cpu:0", "scaling_cur_freq", Unit::Hertz, &|t| {
            if loaded(t) > 0.0 { 3.9e9 - 4e8 * warm(t) * busy } else { 1.2e9 }
        }),
        of("cpu:0", "core_throttle_count", Unit::PerSecond, &|t| {
            if (40.0..58.0).contains(&t) && busy > 0.9 { 12.0 } else { 0.0 }
        }),
    ];
    for core in 0..4 {
        let name = format!("sensor:coretemp/Core {core}");
        let base = 38.0 + f64::from(core);
        all.push(of(&name, "temperature", Unit::Celsius, &|t| base + 45.0 * busy * warm(t)));
    }
    all
}

fn float() -> Vec<CaseResult> {
    let mut all = Vec::new();
    for threads in [1u64, 8] {
        for (kind, double) in [("double", 1.0), ("single", 2.0)] {
            for (vectors, width) in [("scalar", 1.0), ("sse2", 2.0), ("avx2", 8.0), ("avx512", 16.0)] {
                let width = if vectors == "scalar" { width } else { width * double };
                let flops = 7.6e9 * width * speedup(threads);
                let parameters =
                    [("type", kind.into()), ("vectors", vectors.into()), ("threads", threads.into())];
                all.push(case(
                    WorkloadName::new("cpu.float"),
                    &parameters,
                    &[(metric::FLOPS, Unit::PerSecond, flops)],
                ));
            }
        }
    }
    all
}

/// The time of a load from a working set of so many bytes.
fn load_time(bytes: u64) -> f64 {
    let rungs = [(48 * KIB, 1.3e-9), (2 * MIB, 4.2e-9), (32 * MIB, 24e-9)];
    rungs.iter().find(|(most, _)| bytes <= *most).map_or(118e-9, |r| r.1)
}

fn bandwidth() -> Vec<CaseResult> {
    let mut all = Vec::new();
    for (operation, factor) in [("read", 1.0), ("write", 0.6), ("copy", 0.8)] {
        for threads in [1u64, 4, 8] {
            for at in 0..9 {
                let size = (8 * KIB) << (2 * at);
                let one = factor * 64.0 * 2.0 / load_time(size).powf(0.55) / 1e5 * 19.0;
                let rate =
                    one * 1e4 * if size > 32 * MIB { (threads as f64).min(3.0) } else { speedup(threads) };
                let parameters =
                    [("operation", operation.into()), ("size", size.into()), ("threads", threads.into())];
                let figures = [(metric::THROUGHPUT, Unit::BytesPerSecond, rate * 10e3)];
                all.push(case(WorkloadName::new("memory.bandwidth"), &parameters, &figures));
            }
        }
    }
    all
}

fn latency() -> Vec<CaseResult> {
    let one = |at: u32| {
        let size = (8 * KIB) << at;
        case(
            WorkloadName::new("memory.latency"),
            &[("size", size.into())],
            &[(metric::LOAD_LATENCY, Unit::Seconds, load_time(size))],
        )
    };
    (0..17).map(one).collect()
}

fn loaded() -> Vec<CaseResult> {
    let one = |share: f64| {
        let drawn = 62e9 * (1.0 - (-share * 1.8f64).exp());
        let latency = 95e-9 * (1.0 + 0.25 * (drawn / 62e9) / (1.02 - drawn / 62e9));
        let figures = [
            (metric::LOAD_LATENCY, Unit::Seconds, latency),
            (metric::THROUGHPUT, Unit::BytesPerSecond, drawn),
        ];
        let figures = if share > 0.0 { &figures[..] } else { &figures[..1] };
        case(
            WorkloadName::new("memory.loaded"),
            &[("share", share.into()), ("threads", 8u64.into())],
            figures,
        )
    };
    [0.0, 0.1, 0.25, 0.5, 0.75, 1.0].map(one).to_vec()
}

fn scheduler() -> Vec<CaseResult> {
    let mut all = Vec::new();
    for (by, factor) in [("futex", 1.0), ("pipe", 1.3)] {
        for from in 0..4u64 {
            for to in 0..4u64 {
                let seconds = if from == to {
                    1.1e-6
                } else if from / 2 == to / 2 {
                    2.4e-6
                } else {
                    4.1e-6
                };
                let parameters = [("by", by.into()), ("from", from.into()), ("to", to.into())];
                let figures = [(metric::WAKEUP_P50, Unit::Seconds, seconds * factor)];
                all.push(case(WorkloadName::new("scheduler.handoff"), &parameters, &figures));
            }
        }
    }
    for (by, seconds) in [("nanosleep", 53e-6), ("timerfd", 55e-6)] {
        let figures = [(metric::LATENESS_P50, Unit::Seconds, seconds)];
        all.push(case(WorkloadName::new("scheduler.timer"), &[("by", by.into())], &figures));
    }
    let calls = [
        ("getppid", 62e-9),
        ("read", 110e-9),
        ("stat", 540e-9),
        ("open-close", 1.3e-6),
        ("page-fault", 0.48e-6),
        ("context-switch", 1.6e-6),
        ("fork", 96e-6),
        ("exec", 410e-6),
    ];
    for (call, seconds) in calls {
        let figures = [(metric::CALL_TIME, Unit::Seconds, seconds)];
        all.push(case(WorkloadName::new("scheduler.syscall"), &[("call", call.into())], &figures));
    }
    let parameters =
        [("pattern", "randread".into()), ("block-size", (4 * KIB).into()), ("queue-depth", 1u64.into())];
    let figures = [(metric::IOPS, Unit::PerSecond, 11_500.0), (metric::LATENCY_P50, Unit::Seconds, 86e-6)];
    all.push(case(WorkloadName::new("disk"), &parameters, &figures));
    all
}
