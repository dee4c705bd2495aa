//! What rules read of a case: its good trials, their counters as rates, how
//! much was under way at once.

pub(crate) mod backlog;
mod block_phases;
pub(crate) mod by_place;
mod cpus;
mod histogram;
pub(crate) mod layers;
mod load;
mod net;
mod place;
mod presenter;
mod processor;
mod under_way;
mod unsent;
mod wait;
mod writeback;

use std::collections::BTreeMap;

use language::format::Rates;
use model::finding::{Evidence, Place};
use model::profile::{Aspect, OperationClass, WaitsFor};
use model::run::CaseResult;
use model::trial::{Counter, LoadTrial, Series, Status, Trial};
use model::{FactName, LoadProfile, Machine, MetricName, Quantity, Resource, Unit, metric};

pub(crate) use backlog::Backlog;
pub(crate) use block_phases::{BlockPhases, block_phases, observed, traces};
pub use by_place::{PlaceCourse, place_courses};
pub(crate) use cpus::CaseCpus;
pub use cpus::{cpus_allowed, cpus_online};
pub(crate) use histogram::{Remembered, distribution, mean_of};
pub(crate) use layers::{DeviceWork, KernelUse, below, kernel_uses, stacked, storage_layers};
pub(crate) use load::{
    ON_BLOCKS, at_once, block, bytes_in, company, concurrency, direction, does, each_device, is_closed,
    is_direct, is_mixed, is_null, is_random, message, moved, moved_in, of_load, one_block, operations_in,
    profile, reads_before_writing, share, span, workers, writes_through_cache,
};
pub(crate) use net::{
    End, carried, counted_ends, counted_receiver, course, far, goes_both_ways, has_far_end, has_its_bit_rate,
    is_loopback, is_net, is_one_machine, is_served_from_cache, is_served_here, kernels, only_receives,
    receiver, sender, sending, served_cached, served_file, way,
};
pub(crate) use place::{
    behind_files, below_loop, device, devices, devices_name, is_memory, is_platter, loops_are_direct, lowest,
    name_of, storage_server, whole, wholes,
};
pub(crate) use presenter::{presented_on, presenter, presenter_busy, presenter_queue, presenter_thread};
pub(crate) use processor::counted;
pub(crate) use under_way::UnderWay;
pub(crate) use unsent::{GIVEN_OUT, unsent};
pub(crate) use wait::{delayed, pressure, ready, waited};
pub(crate) use writeback::{absorbed, group_memory, writeback};
pub use writeback::{peak, sustained};

/// What evidence of several rules says in English, and whose machine it was.
pub(crate) const ENGLISH: &str = r#"
evidence-latency = { SHORT($latency_s, unit: "s") } on average
evidence-rate = { SHORT($rate, unit: "1/s") }
evidence-touched = { BINARY($bytes) } are touched

of-end =
    { $end ->
        [far] {" "}of { $machine }
       *[near] {""}
    }
"#;

/// The trials that gave a result.
pub(crate) fn good(case: &CaseResult) -> impl Iterator<Item = &Trial> {
    case.trials.iter().filter(|t| t.status == Status::Ok)
}

/// The values of a series whose intervals lie in the window of their trial.
pub(crate) fn within_window<'a>(trial: &Trial, series: &'a Series) -> Option<&'a [f64]> {
    let window = trial.result.window.filter(|_| series.interval_ns > 0)?;
    let place =
        |at: u64| usize::try_from(at.saturating_sub(series.start_ns).div_ceil(series.interval_ns)).ok();
    let last = window.end_ns.saturating_sub(series.start_ns) / series.interval_ns;
    series.values.get(place(window.start_ns)?..usize::try_from(last).ok()?.min(series.values.len()))
}

/// The counter of `resource` called `name`.
pub(crate) fn counter<'a>(trial: &'a Trial, resource: &Resource, name: &str) -> Option<&'a Counter> {
    named(&trial.result.local().counters, resource, name)
}

/// The counter of `resource` called `name` among these.
pub(crate) fn named<'a>(counters: &'a [Counter], resource: &Resource, name: &str) -> Option<&'a Counter> {
    let is_called = |source: &str| source.rsplit(' ').next() == Some(name);
    counters.iter().find(|c| c.resource == *resource && is_called(&c.source))
}

/// How far a counter went over the window, in its unit.
pub(crate) fn change(trial: &Trial, resource: &Resource, name: &str) -> Option<f64> {
    counter(trial, resource, name)?.change()
}

/// How fast a counter went over the window, in its unit per second.
pub(crate) fn rate(trial: &Trial, resource: &Resource, name: &str) -> Option<f64> {
    let counter = counter(trial, resource, name)?;
    let seconds = counter.seconds();
    (seconds > 0.0).then_some(counter.change()? / seconds)
}

/// The median of what `f` says of each good trial; absent where it says
/// nothing of any.
pub(crate) fn median(case: &CaseResult, f: impl Fn(&Trial) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = good(case).filter_map(f).collect();
    stats::interval::median(&values)
}

/// The estimate of a metric of the main load.
pub(crate) fn estimated(case: &CaseResult, name: MetricName) -> Option<f64> {
    case.loads.main.estimates.get(&name).map(|e| e.median)
}

/// A metric of the main load in one trial.
pub(crate) fn measured(trial: &Trial, name: MetricName) -> Option<f64> {
    trial.result.main().metrics.get(&name).map(|q| q.value)
}

/// A fact of the main load in one trial, as a number.
pub(crate) fn number(trial: &Trial, name: FactName) -> Option<f64> {
    trial.result.main().facts.get(&name)?.number()
}

/// What `f` says of the good trial whose number is the middle one; of an even
/// count the lower of the two. What is held against each other must be of one
/// trial: medians of each by itself may be of different ones.
pub(crate) fn middle<T>(case: &CaseResult, f: impl Fn(&Trial) -> Option<(f64, T)>) -> Option<T> {
    let mut all: Vec<(f64, T)> = good(case).filter_map(f).filter(|(key, _)| key.is_finite()).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = all.len().checked_sub(1)? / 2;
    all.into_iter().nth(at).map(|(_, said)| said)
}

/// Where a counter of the case stands.
pub(crate) fn place(case: &CaseResult, resource: &Resource, name: &str) -> Option<Place> {
    good(case).find_map(|t| counter(t, resource, name)).map(place_of)
}

/// Where a counter stands.
pub(crate) fn place_of(counter: &Counter) -> Place {
    Place::Counter { resource: counter.resource.clone(), source: counter.source.clone() }
}

/// A figure about a resource in the unit that people read it in: what a network
/// interface carries is told in bits.
pub(crate) fn written(value: f64, unit: Unit, resource: &Resource) -> (f64, &'static str) {
    match (Rates::of_resource(resource), unit) {
        (Rates::Bits, Unit::BytesPerSecond) => (value * 8.0, "bit/s"),
        _ => (value, unit.symbol()),
    }
}

/// Where a case says this of its load.
pub(crate) fn said(case: &CaseResult, aspect: Aspect) -> Option<Place> {
    profile(case).parameter(aspect).map(Place::Parameter)
}

/// Metrics that count operations. Statements and rows of a database are parts of them: its operations are transactions.
pub(crate) const RATES: &[MetricName] = &[
    metric::IOPS,
    metric::OPERATIONS_PER_SECOND,
    metric::EVENTS_PER_SECOND,
    metric::REQUESTS_PER_SECOND,
    metric::CONNECTIONS_PER_SECOND,
    metric::TRANSACTIONS_PER_SECOND,
];

/// Whether the load's operations are transactions of a database: none of them is one of a device, and there are as many
/// at once as clients were asked for.
pub(crate) fn does_transactions(case: &CaseResult) -> bool {
    estimated(case, metric::TRANSACTIONS_PER_SECOND).is_some()
}

/// Operations per second, the median over trials, and the metric's name.
pub(crate) fn operations(case: &CaseResult) -> Option<(MetricName, f64)> {
    RATES.iter().find_map(|name| Some((*name, estimated(case, *name)?)))
}

/// More CPU time than the workers had is none of theirs: of a trial of a few
/// milliseconds, what it takes to begin and to end is counted with it.
const BELIEVED: f64 = 1.05;

/// CPU seconds of the workers for each second, and the metric that says so; the
/// median of each trial's.
pub(crate) fn worker_cpu(case: &CaseResult) -> Option<(MetricName, f64)> {
    let most = workers(case) * BELIEVED;
    [metric::CPU_PER_OPERATION, metric::CPU_PER_BYTE].into_iter().find_map(|name| {
        let of = |trial: &Trial| {
            let each = measured(trial, name)?;
            let rate = match name {
                metric::CPU_PER_OPERATION => trial_operations(trial)?,
                _ => measured(trial, metric::THROUGHPUT)?,
            };
            Some(each * rate).filter(|cpu| *cpu <= most)
        };
        if good(case).any(|t| t.result.main().metrics.contains_key(&name)) {
            return Some((name, median(case, of)?));
        }
        // A case of which only the estimates are known.
        let rate = match name {
            metric::CPU_PER_OPERATION => operations(case)?.1,
            _ => estimated(case, metric::THROUGHPUT)?,
        };
        Some((name, estimated(case, name)? * rate))
    })
}

/// CPU seconds for each second of the workers of a load in one trial.
pub(crate) fn cpu_of(load: &LoadTrial) -> Option<f64> {
    let of = |name: MetricName| load.metrics.get(&name).map(|q| q.value);
    let by_operation = || Some(of(metric::CPU_PER_OPERATION)? * rate_of(&load.metrics)?);
    let by_byte = || Some(of(metric::CPU_PER_BYTE)? * of(metric::THROUGHPUT)?);
    by_operation().or_else(by_byte)
}

/// The mean latency of the main load, seconds: the median over trials.
pub(crate) fn mean_latency(case: &CaseResult) -> Option<f64> {
    median(case, |t| mean_of(&t.result.main().histograms, metric::LATENCY))
}

/// Evidence of the mean latency.
pub(crate) fn latency_evidence(mean_s: f64) -> Evidence {
    Evidence::at("latency", Place::Metric(metric::LATENCY_MAX)).arg("latency_s", mean_s)
}

/// Operations per second of one trial.
pub(crate) fn trial_operations(trial: &Trial) -> Option<f64> {
    rate_of(&trial.result.main().metrics)
}

/// What `of` says of trials of one case and of another that ran next to each other: in the same
/// blocks.
pub(crate) fn pairs(
    case: &CaseResult,
    beside: &CaseResult,
    of: impl Fn(&Trial) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let other = |block: u32| good(beside).find(|t| t.block == block).and_then(&of);
    good(case).filter_map(|t| Some((of(t)?, other(t.block)?))).collect()
}

/// Operations per second among these metrics.
pub(crate) fn rate_of(metrics: &BTreeMap<MetricName, Quantity>) -> Option<f64> {
    RATES.iter().find_map(|name| Some(metrics.get(name)?.value))
}

/// Whether the working sets of all threads are larger than all last-level
/// caches together, so that memory answers. Where no cache is known, nobody
/// can say.
pub(crate) fn beyond_caches(case: &CaseResult, machine: &Machine) -> bool {
    let profile = profile(case);
    let (size, threads) = (profile.span_bytes.unwrap_or(0), profile.concurrency.workers);
    let cpu = &machine.inventory.cpu;
    let last = cpu.cache_kinds.iter().map(|c| c.level).max();
    let all: u64 = cpu
        .cache_kinds
        .iter()
        .filter(|c| Some(c.level) == last && c.kind != "Instruction")
        .map(|c| c.bytes.saturating_mul(u64::from(c.instances)))
        .fold(0, u64::saturating_add);
    let seen = cpu.caches.iter().map(|c| c.bytes).max().unwrap_or(0);
    let caches = all.max(seen);
    caches > 0 && size.saturating_mul(threads) > caches.saturating_mul(2)
}

/// So much of its time a thread computes that hardly waits.
const COMPUTES: f64 = 0.95;

/// Whether memory or its caches are what the load is there to wait for.
pub(crate) fn is_of_memory(case: &CaseResult) -> bool {
    let profile = profile(case);
    profile.may_wait_for(&WaitsFor::Memory) && computes_by_kind(profile)
}

/// Whether the load's operations are blocks of memory, each used again and again.
pub(crate) fn accesses_blocks(case: &CaseResult) -> bool {
    is_of_memory(case) && profile(case).does(OperationClass::Access) && one_block(case).is_some()
}

/// Whether a load computes by what it is: nothing else can be waited for.
pub(crate) fn computes_by_kind(profile: &LoadProfile) -> bool {
    profile.waits_only_for(&[WaitsFor::Processor, WaitsFor::Memory])
}

/// Whether the scheduler, the clock or the kernel is what a load waits for.
pub(crate) fn waits_on_scheduler(profile: &LoadProfile) -> bool {
    profile.waits_only_for(&[WaitsFor::Lock, WaitsFor::Thread, WaitsFor::Timer, WaitsFor::Kernel])
}

/// Whether the load computes: by what it is, or by what its workers used of the
/// CPUs that they could have.
pub(crate) fn computes(case: &CaseResult, cpus: f64) -> bool {
    let profile = profile(case);
    // Of these taking turns is what is measured, or nothing.
    let never = waits_on_scheduler(profile) || profile.is_null;
    computes_by_kind(profile)
        || !never && worker_cpu(case).is_some_and(|(_, used)| used >= COMPUTES * workers(case).min(cpus))
}

/// Whether the load would use more CPU time than so many CPUs have.
pub(crate) fn wants_cpus(case: &CaseResult, cpus: f64) -> bool {
    waits_on_scheduler(profile(case)) || computes(case, cpus)
}
