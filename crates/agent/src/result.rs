//! From what a session measured to what the run document keeps.

use std::collections::BTreeMap;

use engine::outcome::{LoadOutcome, PartOutcome, SessionOutcome};
use engine::{Fault, SideMetrics};
use load::workload::Load;
use model::resource::PathStep;
use model::trial::{Counter, LOCAL, LoadTrial, Series, TargetTrial, TrialResult};
use model::{FactName, MetricName, Quantity, Resource, Unit, Value, fact, metric, series};

/// Metrics, histograms and series of all loads, in their order.
pub(crate) fn shape(loads: Vec<&Load>, outcome: &SessionOutcome) -> Result<TrialResult, Fault> {
    let mut result = TrialResult {
        window: Some(outcome.window),
        steady: outcome.steady.clone(),
        ..TrialResult::default()
    };
    for (place, (planned, load)) in loads.into_iter().zip(&outcome.loads).enumerate() {
        let mut facts = load.facts.clone();
        facts.extend(bytes_written(planned.written_share(load), load, outcome));
        let window_s = outcome.window.seconds();
        let waited = load.waited_s.filter(|_| window_s > 0.0);
        facts.extend(waited.map(|waited_s| (fact::RUN_DELAY, (waited_s / window_s).into())));
        let target = |PartOutcome { name, outcome: part, window }: &PartOutcome| {
            Ok(TargetTrial {
                target: name.clone(),
                metrics: planned.metrics(part, *window),
                histograms: histograms(part)?,
                series: series(part, outcome),
            })
        };
        result.loads.push(LoadTrial {
            load: place,
            machine: LOCAL.to_owned(),
            metrics: planned.metrics(load, outcome.window),
            histograms: histograms(load)?,
            series: series(load, outcome),
            latency_over_time: load.latency_over_time.clone(),
            facts,
            targets: load.parts.iter().map(target).collect::<Result<_, Fault>>()?,
        });
    }
    Ok(result)
}

/// Adds what load `place` saw beside its operations.
pub(crate) fn add_seen(result: &mut TrialResult, place: usize, seen: SideMetrics) {
    let SideMetrics { metrics, series, facts } = seen;
    if let Some(load) = result.loads.iter_mut().find(|load| load.load == place) {
        load.metrics.extend(metrics);
        load.series.extend(series);
        load.facts.extend(facts);
    }
}

/// Counters of the processor, and what each is for an operation.
const HARDWARE: &[(&str, MetricName)] = &[
    ("cycles", metric::CYCLES_PER_OPERATION),
    ("instructions", metric::INSTRUCTIONS_PER_OPERATION),
    ("cache_misses", metric::CACHE_MISSES_PER_OPERATION),
    ("tlb_misses", metric::TLB_MISSES_PER_OPERATION),
];

/// Adds what the processor counted and drew for the main load, where it did. Both rates are of the
/// window, but the counters' may be of some more or less of it, since they are read seldom.
pub(crate) fn add_hardware(result: &mut TrialResult, outcome: &SessionOutcome) {
    add_energy(result);
    let window_s = outcome.window.seconds();
    let Some(main) = outcome.loads.first().filter(|_| window_s > 0.0) else { return };
    let operations_per_s = main.operations / window_s;
    let rate = |result: &TrialResult, name: &str| {
        let is_it = |c: &&Counter| c.resource == Resource::WORKERS && c.source.ends_with(&format!(" {name}"));
        let counter = result.local().counters.iter().find(is_it)?;
        Some(counter.change()? / counter.seconds()).filter(|rate| rate.is_finite())
    };
    let mut metrics = Vec::new();
    if operations_per_s > 0.0 {
        let each =
            |(name, metric): &(&str, MetricName)| Some((*metric, rate(result, name)? / operations_per_s));
        metrics.extend(HARDWARE.iter().filter_map(each));
    }
    let cycles = rate(result, "cycles").filter(|cycles| *cycles > 0.0);
    let in_each = cycles.and_then(|cycles| Some(rate(result, "instructions")? / cycles));
    metrics.extend(in_each.map(|in_each| (metric::INSTRUCTIONS_PER_CYCLE, in_each)));
    let quantity = |(name, value)| (name, Quantity { value, unit: Unit::One });
    result.main_mut().metrics.extend(metrics.into_iter().map(quantity));
}

/// Adds what the processors drew for each operation of the main load, where they say it.
fn add_energy(result: &mut TrialResult) {
    let joules = analysis::heat::energy_per_operation(result);
    let quantity = |value| (metric::ENERGY_PER_OPERATION, Quantity { value, unit: Unit::Joules });
    result.main_mut().metrics.extend(joules.map(quantity));
}

/// Adds the fastest second of the main load and what it sustained, where its workload has such metrics: both are
/// read off its series, and the second one off those of this machine's memory too.
pub(crate) fn add_course(result: &mut TrialResult, main: &Load, path: &[PathStep]) {
    if !result.main().metrics.contains_key(&metric::THROUGHPUT) {
        return;
    }
    let has = |name: MetricName| main.spec.metric(name).is_some();
    let peak = analysis::peak_throughput(result).filter(|_| has(metric::THROUGHPUT_PEAK));
    let sustained = || analysis::sustained_throughput(&main.profile(), path, result);
    let sustained = has(metric::THROUGHPUT_SUSTAINED).then(sustained).flatten();
    let found = [(metric::THROUGHPUT_PEAK, peak), (metric::THROUGHPUT_SUSTAINED, sustained)];
    let quantity = |value| Quantity { value, unit: Unit::BytesPerSecond };
    let found = found.into_iter().filter_map(|(name, value)| Some((name, quantity(value?))));
    result.main_mut().metrics.extend(found);
}

/// What a load wrote in all, warm-up included, if it wrote anything.
fn bytes_written(share: f64, load: &LoadOutcome, outcome: &SessionOutcome) -> Option<(FactName, Value)> {
    let moved = load.bytes_per_s.iter().sum::<f64>() * outcome.timeline.interval_ns as f64 / 1e9;
    let written = (moved * share).round();
    (written > 0.0).then_some((fact::BYTES_WRITTEN, Value::Integer(written as u64)))
}

fn histograms(load: &LoadOutcome) -> Result<BTreeMap<MetricName, String>, Fault> {
    load.histograms()
        .map(|(name, histogram)| {
            let text = stats::histogram::encode(histogram).map_err(|e| Fault::Other(e.to_string()))?;
            Ok((name, text))
        })
        .collect()
}

fn series(load: &LoadOutcome, outcome: &SessionOutcome) -> Vec<Series> {
    let of = |name, unit, values: &[f64]| Series {
        resource: Resource::LOAD,
        name,
        unit,
        start_ns: outcome.series_start_ns,
        interval_ns: outcome.timeline.interval_ns,
        values: values.to_vec(),
    };
    let mut all = vec![of(series::OPERATIONS, Unit::PerSecond, &load.operations_per_s)];
    if load.bytes > 0.0 {
        all.push(of(series::THROUGHPUT, Unit::BytesPerSecond, &load.bytes_per_s));
    }
    all
}
