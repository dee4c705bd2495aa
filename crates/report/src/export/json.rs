//! The run document itself, whole or thinned for reading on.

use model::trial::{LOCAL, Series};
use model::{Resource, Run};

use super::ExportError;

/// Points that a series keeps in the summary.
const POINTS_MAX: usize = 1000;

/// Resources of the machine as a whole, and the load itself.
const WHOLE: &[Resource] = &[
    Resource::LOAD,
    Resource::WORKERS,
    Resource::CPUS,
    Resource::OWN_PROCESS,
    Resource::MEMORY,
    Resource::CGROUP_CPU,
];

/// All of the document.
///
/// # Errors
/// If a number cannot be written as JSON.
pub fn full(run: &Run) -> Result<Vec<u8>, ExportError> {
    ended(serde_json::to_vec_pretty(run))
}

/// With a line break at its end.
pub(super) fn ended(bytes: serde_json::Result<Vec<u8>>) -> Result<Vec<u8>, ExportError> {
    let mut bytes = bytes.map_err(|e| ExportError::of("json", e))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Per-trial summaries: no histograms, series of at most 1,000 points, and of
/// what was sampled only what the case's path and the machine as a whole say.
///
/// # Errors
/// If a number cannot be written as JSON.
pub fn summary(run: &Run) -> Result<Vec<u8>, ExportError> {
    let mut run = run.clone();
    let paths = run.cases.iter().map(|c| c.path.clone()).collect::<Vec<_>>();
    let trials =
        run.cases.iter_mut().zip(&paths).flat_map(|(c, path)| c.trials.iter_mut().map(move |t| (t, path)));
    for (trial, path) in trials {
        let tells = |resource: &Resource| {
            WHOLE.contains(resource) || path.iter().any(|step| step.resource == *resource)
        };
        for load in &mut trial.result.loads {
            load.histograms.clear();
            load.latency_over_time = None;
            load.series.iter_mut().for_each(thin);
            for target in &mut load.targets {
                target.histograms.clear();
                target.series.iter_mut().for_each(thin);
            }
        }
        for machine in &mut trial.result.machines {
            // The path is that of the machine that drives.
            if machine.machine == LOCAL {
                machine.series.retain(|s| tells(&s.resource));
                machine.counters.retain(|c| tells(&c.resource));
            }
            machine.series.iter_mut().for_each(thin);
        }
    }
    full(&run)
}

/// Joins neighbouring intervals until few enough are left: each point is the
/// mean rate of a longer interval, so the sum over time stays what it was.
fn thin(series: &mut Series) {
    let group = series.values.len().div_ceil(POINTS_MAX);
    if group <= 1 {
        return;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    series.values = series.values.chunks(group).map(mean).collect();
    series.interval_ns *= group as u64;
}

#[cfg(test)]
mod tests {
    use model::{Resource, ResourceKind};

    use super::*;

    #[test]
    fn a_summary_keeps_what_the_path_says() {
        let mut run = crate::tests::run();
        run.cases.truncate(1);
        run.cases[0].path = vec![model::resource::PathStep {
            resource: Resource::of(ResourceKind::Block, "sda"),
            amplification: 1.0,
        }];
        let counter = |resource: &str| model::trial::Counter {
            resource: Resource::from(resource),
            source: "x y".to_owned(),
            ..model::trial::Counter::default()
        };
        let trial = model::Trial {
            order: 0,
            block: 0,
            started: String::new(),
            status: model::Status::Ok,
            reason: None,
            result: model::trial::TrialResult::default(),
        };
        run.cases[0].trials = vec![trial];
        run.cases[0].trials[0].result.local_mut().counters =
            ["cpu", "cpu:1", "block:sda", "block:sdb"].map(counter).to_vec();
        let read = |bytes: Vec<u8>| serde_json::from_slice::<Run>(&bytes).unwrap().cases[0].trials[0].clone();
        let kept: Vec<String> = read(summary(&run).unwrap())
            .result
            .local()
            .counters
            .iter()
            .map(|c| c.resource.to_string())
            .collect();
        assert_eq!(kept, ["cpu", "block:sda"]);
        assert_eq!(read(full(&run).unwrap()).result.local().counters.len(), 4);
    }

    #[test]
    fn a_thinned_series_is_short_and_keeps_its_mean() {
        let mut series = Series {
            resource: Resource::from(String::new()),
            name: model::SeriesName::default(),
            unit: model::Unit::PerSecond,
            start_ns: 0,
            interval_ns: 10,
            values: (0..5000).map(f64::from).collect(),
        };
        thin(&mut series);
        assert_eq!(series.values.len(), 1000);
        assert_eq!(series.interval_ns, 50);
        assert_eq!(series.values.iter().sum::<f64>() / 1000.0, 2499.5);
    }
}
