//! What our own parts cost on this machine, now: without it nobody can tell a
//! slow target from a slow generator.

use std::sync::atomic::AtomicBool;

use engine::numa::Confinement;
use engine::outcome::SessionOutcome;
use engine::stop::StopRule;
use engine::{Fault, LoadPlan, Observer, Prepared, Session, clock};
use load::fixture::FixtureStore;
use load::host::HostInfo;
use load::workload::memory::bandwidth::plain_copy;
use load::workload::{self, Load, LoadContext};
use model::machine::Calibration;
use model::plan::LoadSpec;
use model::{Parameters, Quantity, Resource, ResourceKind, Unit, metric};

use crate::loopback;
use crate::rate_search::of_main;

/// How long one null load runs, ns.
const WINDOW_NS: u64 = 100_000_000;

/// What all threads copy together at least, in bytes, both arrays counted.
const MEMORY_LEAST: u64 = 256 << 20;
/// What one thread copies at most.
const MEMORY_MOST: u64 = 256 << 20;

/// How long memory is copied at a time, ns, and how often.
const MEMORY_NS: u64 = 100_000_000;
const MEMORY_TIMES: u32 = 3;

/// How many null forms are measured at most: a sweep of many block sizes has
/// its first ones.
const FORMS_MAX: usize = 24;

/// Measures the clock, the engine, and the null forms of `loads` on one CPU,
/// then memory with all CPUs, and this machine's own network.
pub(crate) fn calibrate(
    loads: &[LoadSpec],
    allowed: &[u32],
    host_info: &HostInfo,
    cancel: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Vec<Calibration>, Fault> {
    let run: Run<'_> = &|prepared, cpus, window_ns| {
        let (confinement, stop) = (Confinement::default(), StopRule::Time(window_ns));
        let load = LoadPlan { prepared, cpus, confinement, rate: None, stop, seed: 0 };
        let session =
            Session { loads: vec![load], warm_up_ns: window_ns / 5, interval_ns: None, cut_least_ns: 0 };
        session.run(observer, cancel)
    };
    let mut all = own_costs(loads, allowed.first().copied(), run)?;
    // A machine that cannot do one of these still measures.
    all.extend(or_cancelled(memory_copy(allowed, host_info, run))?);
    all.extend(or_cancelled(loopback::measure(cancel))?);
    Ok(all)
}

/// Runs a load alone on these CPUs for so long, in a closed loop.
type Run<'a> = &'a dyn Fn(&dyn Prepared, Vec<Option<u32>>, u64) -> Result<SessionOutcome, Fault>;

/// A calibration that failed is absent; one that was cancelled ends all.
fn or_cancelled(result: Result<Calibration, Fault>) -> Result<Option<Calibration>, Fault> {
    match result {
        Err(Fault::Cancelled) => Err(Fault::Cancelled),
        other => Ok(other.ok()),
    }
}

/// What copying in memory reaches with all CPUs at once, as bytes on the bus.
fn memory_copy(allowed: &[u32], host_info: &HostInfo, run: Run<'_>) -> Result<Calibration, Fault> {
    // Beyond the caches, with stores that go around them: what is read is twice
    // as large as all last-level caches together, but no more of each thread
    // than is filled in a moment.
    let instances = |shared: usize| host_info.cpus.div_ceil(shared.max(1)) as u64;
    let last = host_info.caches.iter().map(|(_, bytes, shared)| bytes.saturating_mul(instances(*shared)));
    let threads = allowed.len().max(1) as u64;
    let wanted = last.max().unwrap_or(0).saturating_mul(4) / threads;
    let each = wanted.clamp(MEMORY_LEAST / threads.min(MEMORY_LEAST), MEMORY_MOST);
    let each = each.min(host_info.memory_available / 8 / threads);
    let copy = plain_copy(allowed.len() as u64, each, host_info)?;
    let prepared = alone(&copy)?;
    let mut best: Option<Quantity> = None;
    // A neighbour that computes for a moment must not lower the limit.
    for _ in 0..MEMORY_TIMES {
        let outcome = run(&*prepared, allowed.iter().map(|cpu| Some(*cpu)).collect(), MEMORY_NS)?;
        let metrics = copy.metrics(of_main(&outcome)?, outcome.window);
        let got = metrics.get(&metric::THROUGHPUT_BUS_ESTIMATE).copied();
        best = best.into_iter().chain(got).max_by(|a, b| a.value.total_cmp(&b.value));
    }
    Ok(Calibration {
        name: "memory.copy".to_owned(),
        result: best.ok_or_else(|| Fault::Other("nothing was copied".to_owned()))?,
        method: format!(
            "the best of {MEMORY_TIMES} copies of {} by {} threads, {} s each",
            model::scalar::binary(each * threads),
            allowed.len(),
            MEMORY_NS as f64 / 1e9
        ),
        limit_of: Some(Resource::whole(ResourceKind::Memory)),
    })
}

/// Measures the clock, the engine, and the null forms of `loads` on one CPU.
fn own_costs(loads: &[LoadSpec], cpu: Option<u32>, run: Run<'_>) -> Result<Vec<Calibration>, Fault> {
    let precision = clock::precision();
    let seconds = |value| Quantity { value, unit: Unit::Seconds };
    let mut all = vec![
        Calibration {
            name: "clock.read".to_owned(),
            result: seconds(precision.read_s),
            method: "median over 20 batches of 10,000 readings of the clock as workers read it".to_owned(),
            limit_of: None,
        },
        Calibration {
            name: "clock.step".to_owned(),
            result: seconds(precision.step_s),
            method: "smallest step between two different readings of 200,000".to_owned(),
            limit_of: None,
        },
    ];
    let mut forms = vec![("null".to_owned(), workload::null::SPEC.name, Parameters::default())];
    for load in loads {
        let planned = Load::named(load.workload, load.parameters.clone(), 1).ok();
        let known = |planned: Load| Some((planned.null_form()?, planned.profile().calibration?));
        let Some((form, name)) = planned.and_then(known) else { continue };
        if forms.iter().all(|(n, ..)| *n != name) {
            forms.push((name, load.workload, form));
        }
    }
    for (name, workload, form) in forms.into_iter().take(FORMS_MAX) {
        let outcome = run(&*alone(&Load::named(workload, form, 1)?)?, vec![cpu], WINDOW_NS)?;
        let value = of_main(&outcome)?.operations / outcome.window.seconds();
        all.push(Calibration {
            name,
            result: Quantity { value, unit: Unit::PerSecond },
            method:
                "one worker, closed loop, 0.1 s, histograms on: operations per second that this program can \
                     drive without the target"
                    .to_owned(),
            limit_of: None,
        });
    }
    Ok(all)
}

/// Makes a load ready that needs no fixture and no other end.
fn alone(load: &Load) -> Result<Box<dyn Prepared>, Fault> {
    load.prepare(&LoadContext {
        fixtures: &FixtureStore::default(),
        endpoint: None,
        watch: load::workload::Watch::NONE,
    })
}
