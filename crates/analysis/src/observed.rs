//! What observers cost: the case with them held against the case without, by pairs of trials of
//! the same block.

use model::Unit;
use model::metric::Better;
use model::observer::{ObserverEffect, ObserverKind};
use model::run::{CaseRole, Estimate, Run};

use crate::{CONFIDENCE, measure};

/// What the observers of a case cost; nothing where it was not observed, or in fewer than two pairs of
/// trials.
pub(crate) fn of_case(run: &Run, place: usize) -> Option<ObserverEffect> {
    let case = &run.cases[place];
    let twin = run.cases.iter().find(|other| other.role == CaseRole::Observed { of: place })?;
    let traced = Some(ObserverKind::BlockTrace).filter(|_| measure::traces(twin).next().is_some());
    let counted = Some(ObserverKind::WorkQueues).filter(|_| measure::layers::has_work_events(twin));
    let observers: Vec<ObserverKind> = traced.into_iter().chain(counted).collect();
    if observers.is_empty() {
        return None;
    }
    let watched = [case.loads.main.profile.watched()];
    let of_metric = |name| {
        let pairs = measure::pairs(twin, case, |trial| measure::measured(trial, name));
        Some((name, stats::comparison::paired_ratio(&pairs, CONFIDENCE)?))
    };
    let (metric, found) = watched.into_iter().chain(measure::RATES.iter().copied()).find_map(of_metric)?;
    let known = case.loads.main.estimates.get(&metric);
    Some(ObserverEffect {
        observers,
        metric,
        ratio: Estimate {
            n: found.trials.a,
            median: found.ratio,
            low: Some(found.interval.low),
            high: Some(found.interval.high),
            confidence: Some(found.interval.confidence),
            method: Some(found.interval.method.code().to_owned()),
            unit: Unit::One,
            better: known.map_or(Better::Higher, |estimate| estimate.better),
        },
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use model::block_trace::{BlockTrace, DeviceTrace, TraceCounts};
    use model::run::CaseResult;
    use model::trial::MachineTrial;
    use model::{Quantity, Resource, metric};

    use super::*;

    /// A case, and its twin with a trace: bios took so long in all and at the device, in microseconds.
    pub(crate) fn traced(
        case: &CaseResult,
        whole_us: f64,
        device_us: f64,
        depth_max: u64,
    ) -> Vec<CaseResult> {
        let histogram = |us: f64| {
            let mut histogram = stats::histogram::new_latency();
            histogram.record_n((us * 1e3) as u64, 100_000).unwrap();
            stats::histogram::encode(&histogram).unwrap()
        };
        let device = DeviceTrace {
            resource: Resource::from("block:sda"),
            has_requests: true,
            counts: TraceCounts {
                queued: 100_000,
                issued: 100_000,
                completed: 100_000,
                ..Default::default()
            },
            phases: BTreeMap::from([
                (metric::QUEUE_TO_COMPLETE, histogram(whole_us)),
                (metric::ISSUE_TO_COMPLETE, histogram(device_us)),
            ]),
            device_share: Some(device_us / whole_us),
            depth_max,
            ..DeviceTrace::default()
        };
        let mut twin = CaseResult { role: CaseRole::Observed { of: 0 }, ..case.clone() };
        for trial in &mut twin.trials {
            let trace =
                BlockTrace { events: 500_000, devices: vec![device.clone()], ..BlockTrace::default() };
            if trial.result.machines.is_empty() {
                trial.result.machines.push(MachineTrial::of(model::trial::LOCAL));
            }
            trial.result.local_mut().block_trace = Some(trace);
        }
        vec![case.clone(), twin]
    }

    /// The same of several cases of one run, each with its figures: the cases first, then their twins.
    pub(crate) fn traced_all(all: &[(CaseResult, f64, f64, u64)]) -> Vec<CaseResult> {
        let twins = all.iter().enumerate().map(|(of, (case, whole_us, device_us, depth_max))| {
            let twin = traced(case, *whole_us, *device_us, *depth_max).remove(1);
            CaseResult { role: CaseRole::Observed { of }, ..twin }
        });
        all.iter().map(|(case, ..)| case.clone()).chain(twins).collect()
    }

    #[test]
    fn the_cost_is_told_from_pairs_of_one_block() {
        let case = crate::bottleneck::tests::disk(32, 100_000.0, 320.0, 2.0);
        let mut cases = traced(&case, 310.0, 300.0, 32);
        for trial in &mut cases[1].trials {
            let rate: &mut Quantity = trial.result.main_mut().metrics.get_mut(&metric::IOPS).unwrap();
            rate.value *= 0.97;
        }
        let run = crate::comparison::tests::run("r", &[], cases);
        let found = of_case(&run, 0).unwrap();
        assert_eq!((found.ratio.n, found.metric), (3, metric::IOPS));
        assert!((found.ratio.median - 0.97).abs() < 1e-9, "{found:?}");
        assert_eq!(found.observers, [ObserverKind::BlockTrace]);
        assert_eq!(of_case(&run, 1), None, "the twin has none");
    }
}
