//! What a load saw over time beside its rate, such as flushes and checkpoints of the server that it asks, or how long
//! operations took: a panel for each series that is called as a metric of the workload, but for its `_per_second`, with
//! the title of that.

use chart::plot::{Numbers, Panel};
use model::definition::MetricDefinition;
use model::trial::Series;
use model::{MetricName, Resource, Unit, metric, series};

use super::SampledTrial;
use crate::label;

/// Panels of it, at most.
const PANELS_MOST: usize = 6;

pub(super) fn panels(sampled_trial: &SampledTrial<'_>) -> Vec<Panel> {
    if sampled_trial.far.is_some() {
        return Vec::new();
    }
    let of_load = sampled_trial.trial.result.main().series.iter();
    let of_load = of_load.filter(|series| series.resource == Resource::LOAD);
    of_load.filter_map(|series| panel(sampled_trial, series)).take(PANELS_MOST).collect()
}

fn panel(sampled_trial: &SampledTrial<'_>, series: &Series) -> Option<Panel> {
    let view = sampled_trial.view;
    // A time over time is that of a distribution: how long operations took.
    let is_told = matches!(series.unit, Unit::PerSecond | Unit::BytesPerSecond | Unit::Seconds);
    if !is_told || [series::OPERATIONS, series::THROUGHPUT].contains(&series.name) {
        return None;
    }
    let definition = view.run.definitions.workload(sampled_trial.case.loads.main.workload)?;
    let per_second = metric::PER_SECOND.of(series.name.as_str());
    let is_same = |(name, definition): &(&MetricName, &MetricDefinition)| {
        let is_called = name.as_str() == series.name.as_str() || Some(**name) == per_second;
        is_called && definition.unit == series.unit
    };
    let (name, _) = definition.metrics.iter().find(is_same)?;
    if series.unit == Unit::Seconds && name.statistic().is_none() {
        return None;
    }
    let title = label::metric(view.words, *name);
    let track = sampled_trial.track(series, title.clone(), 1.0)?;
    let happens = track.values.iter().any(|value| *value > 0.0);
    let numbers = Numbers::Unit(series.unit);
    happens.then(|| Panel { title, numbers, stacked: false, tracks: vec![track], references: Vec::new() })
}

#[cfg(test)]
mod tests {
    use model::workload::Catalogue;
    use model::{MetricSpec, WorkloadSpec};

    use super::*;
    use crate::figure::samples::sampled_trial;
    use crate::figure::tests::fixture::{DISK, disk, run, sampled, seen, series};

    #[test]
    fn what_is_called_as_a_metric_is_a_panel_of_its_own() {
        let of = |name, unit, values: &[f64]| series("load", name, unit, 1_000_000_000, values);
        let all = [
            of("operations", Unit::PerSecond, &[10.0, 20.0]),
            of("iops", Unit::PerSecond, &[1.0, 2.0]),
            // Nothing is known of the one, and the other is no rate.
            of("lost", Unit::PerSecond, &[1.0, 2.0]),
            of("rtt", Unit::Seconds, &[1.0, 2.0]),
        ];
        let titles = |all: &[Series]| -> Vec<String> {
            let case = sampled(disk("randread", 4096, 8, 80e3), all);
            let run = run(Vec::new());
            seen(&run, |view| {
                let sampled_trial = sampled_trial(view, &[&case]).unwrap();
                panels(&sampled_trial).into_iter().map(|panel| panel.title).collect()
            })
        };
        assert_eq!(titles(&all), ["IOPS"]);
        assert_eq!(titles(&[of("iops", Unit::PerSecond, &[0.0, 0.0])]), [""; 0]);
    }

    #[test]
    fn of_times_those_of_distributions_are_panels() {
        const TIMED: WorkloadSpec = WorkloadSpec {
            metrics: &[
                MetricSpec::lower(metric::LATENCY_P50, Unit::Seconds, ""),
                MetricSpec::lower(metric::ELAPSED, Unit::Seconds, ""),
            ],
            ..DISK
        };
        let mut run = run(Vec::new());
        run.definitions = Catalogue { workloads: vec![&TIMED], common: &[] }.definitions([TIMED.name]);
        let of = |name| series("load", name, Unit::Seconds, 1_000_000_000, &[0.1, 0.2]);
        let case = sampled(disk("randread", 4096, 8, 80e3), &[of("elapsed"), of("latency_p50")]);
        seen(&run, |view| {
            let all = panels(&sampled_trial(view, &[&case]).unwrap());
            assert_eq!(all.len(), 1);
            assert_eq!(all[0].title, label::metric(view.words, metric::LATENCY_P50));
        });
    }
}
