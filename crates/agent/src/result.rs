//! From what a session measured to what the run document keeps.

use std::collections::BTreeMap;

use engine::Fault;
use engine::SideMetrics;
use engine::outcome::{LoadOutcome, Outcome, PartOutcome};
use load::workload::Load;
use model::trial::{Part, Series, TrialResult};
use model::{Unit, Value};

/// Metrics, histograms and series of all loads, main load first.
pub(crate) fn shape(loads: Vec<&Load>, outcome: &Outcome) -> Result<TrialResult, Fault> {
    let mut result = TrialResult {
        window: Some(outcome.window),
        steady: outcome.steady.clone(),
        ..TrialResult::default()
    };
    for (index, (planned, load)) in loads.into_iter().zip(&outcome.loads).enumerate() {
        let companion = index.checked_sub(1);
        let metrics = planned.metrics(load, outcome.window);
        let histograms = histograms(load)?;
        let series = series(load, outcome);
        let mut facts = load.facts.clone();
        facts.extend(bytes_written(planned.written_share(load), load, outcome));
        if companion.is_none() {
            result.metrics = metrics;
            result.histograms = histograms;
            result.series = series;
            result.facts = facts;
        } else {
            let machine = MACHINE.to_owned();
            result.parts.push(Part {
                machine,
                load: companion,
                target: None,
                metrics,
                histograms,
                series,
                facts,
                ..Part::default()
            });
        }
        for PartOutcome { name, outcome: part, window } in &load.parts {
            result.parts.push(Part {
                machine: MACHINE.to_owned(),
                load: companion,
                target: Some(name.clone()),
                metrics: planned.metrics(part, *window),
                histograms: self::histograms(part)?,
                series: self::series(part, outcome),
                ..Part::default()
            });
        }
    }
    Ok(result)
}

/// Adds what load `index` saw beside its operations.
pub(crate) fn add_seen(result: &mut TrialResult, index: usize, seen: SideMetrics) {
    let SideMetrics { metrics, mut series, facts } = seen;
    series.iter_mut().for_each(|s| MACHINE.clone_into(&mut s.machine));
    if index == 0 {
        result.metrics.extend(metrics);
        result.series.extend(series);
        result.facts.extend(facts);
        return;
    }
    let is_whole = |p: &&mut Part| p.load == Some(index - 1) && p.target.is_none();
    if let Some(part) = result.parts.iter_mut().find(is_whole) {
        part.metrics.extend(metrics);
        part.series.extend(series);
        part.facts.extend(facts);
    }
}

/// What a load wrote in all, warm-up included, if it wrote anything.
fn bytes_written(share: f64, load: &LoadOutcome, outcome: &Outcome) -> Option<(String, Value)> {
    let moved = load.bytes_per_s.iter().sum::<f64>() * outcome.timeline.interval_ns as f64 / 1e9;
    let written = (moved * share).round();
    (written > 0.0).then(|| ("bytes_written".to_owned(), Value::Integer(written as u64)))
}

/// The machine that loads run on, as series and parts name it.
const MACHINE: &str = "local";

fn histograms(load: &LoadOutcome) -> Result<BTreeMap<String, String>, Fault> {
    load.histograms()
        .map(|(name, histogram)| {
            let text = stats::histogram::encode(histogram).map_err(|e| Fault::Other(e.to_string()))?;
            Ok((name, text))
        })
        .collect()
}

fn series(load: &LoadOutcome, outcome: &Outcome) -> Vec<Series> {
    let of = |name: &str, unit, values: &[f64]| Series {
        machine: MACHINE.to_owned(),
        resource: "load".to_owned(),
        name: name.to_owned(),
        unit,
        start_ns: outcome.series_start_ns,
        interval_ns: outcome.timeline.interval_ns,
        values: values.to_vec(),
    };
    let mut all = vec![of("operations", Unit::PerSecond, &load.operations_per_s)];
    if load.bytes > 0.0 {
        all.push(of("throughput", Unit::BytesPerSecond, &load.bytes_per_s));
    }
    all
}
