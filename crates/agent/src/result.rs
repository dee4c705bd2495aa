//! From what a session measured to what the run document keeps.

use std::collections::BTreeMap;

use load::Fault;
use load::engine::outcome::{LoadOutcome, Outcome};
use load::workload::Workload;
use model::trial::{Part, Series, TrialResult};
use model::{Parameters, Unit};

/// Metrics, histograms and series of all loads, main load first.
pub(crate) fn shape(
    loads: Vec<(&'static dyn Workload, &Parameters)>,
    outcome: &Outcome,
) -> Result<TrialResult, Fault> {
    let mut result = TrialResult {
        window: Some(outcome.window),
        steady: outcome.steady.clone(),
        ..TrialResult::default()
    };
    for (index, ((workload, parameters), load)) in loads.into_iter().zip(&outcome.loads).enumerate() {
        let metrics = workload.metrics(parameters, load, outcome.window);
        let histograms = histograms(load)?;
        let series = series(load, outcome);
        let facts = load.facts.clone();
        if index == 0 {
            result.metrics = metrics;
            result.histograms = histograms;
            result.series = series;
            result.facts = facts;
        } else {
            let machine = "local".to_owned();
            result.parts.push(Part {
                machine,
                load: Some(index - 1),
                target: None,
                metrics,
                histograms,
                series,
                facts,
            });
        }
    }
    Ok(result)
}

fn histograms(load: &LoadOutcome) -> Result<BTreeMap<String, String>, Fault> {
    let mut all = BTreeMap::new();
    let mut put = |name: &str, histogram| {
        let text = stats::histogram::encode(histogram).map_err(|e| Fault::Other(e.to_string()))?;
        all.insert(name.to_owned(), text);
        Ok::<(), Fault>(())
    };
    if !load.latency.is_empty() {
        put("latency", &load.latency)?;
    }
    if let Some(service) = &load.service {
        put("service_time", service)?;
    }
    Ok(all)
}

fn series(load: &LoadOutcome, outcome: &Outcome) -> Vec<Series> {
    let of = |name: &str, unit, values: &[f64]| Series {
        machine: "local".to_owned(),
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
