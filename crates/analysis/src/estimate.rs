//! Estimates over trials: the median with its interval; for percentiles the
//! point from the merged histogram and the interval from the trials (an average
//! of percentiles is no percentile).

use std::collections::BTreeMap;

use model::definition::{MetricDefinition, WorkloadDefinition};
use model::metric::{self, Better, Statistic};
use model::run::{CaseResult, CaseRole, Estimate, TargetResult};
use model::trial::{LoadTrial, Status, TargetTrial, Trial};
use model::{Definitions, MetricName, Quantity, Unit};
use stats::distribution::Distribution;
use stats::interval;

/// The confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// Makes the estimates of each load of a case, and of each of its targets where there are several:
/// for the news of it, since its findings need the whole run.
pub fn estimate_case(case: &mut CaseResult, definitions: &Definitions) {
    let good: Vec<&Trial> = case.trials.iter().filter(|t| t.status == Status::Ok).collect();
    for (place, load) in case.loads.iter_mut().enumerate() {
        let done: Vec<&LoadTrial> = good.iter().filter_map(|t| t.result.load(place)).collect();
        let whole = done.iter().map(|d| (&d.metrics, &d.histograms)).collect();
        let definition = definitions.workload(load.workload);
        load.estimates = estimates(whole, definition, &load.estimates);
        load.targets = targets(&done, definition, &load.targets);
    }
}

/// What the trials say of each target of a load, in the order in which trials name them.
/// A trial that does not name a target says nothing of it: that target's `n` is smaller.
fn targets(
    done: &[&LoadTrial],
    definition: Option<&WorkloadDefinition>,
    before: &[TargetResult],
) -> Vec<TargetResult> {
    let all: Vec<&TargetTrial> = done.iter().flat_map(|load| &load.targets).collect();
    let mut names: Vec<&str> = Vec::new();
    for target in &all {
        if !names.contains(&&*target.target) {
            names.push(&target.target);
        }
    }
    let none = BTreeMap::new();
    let of_target = |name: &str| {
        let own = all.iter().filter(|t| t.target == name);
        let known = before.iter().find(|t| t.target == name).map_or(&none, |t| &t.estimates);
        let trials = own.map(|t| (&t.metrics, &t.histograms)).collect();
        TargetResult { target: name.to_owned(), estimates: estimates(trials, definition, known) }
    };
    names.into_iter().map(of_target).collect()
}

/// The metrics and histograms of one trial.
type Measured<'a> = (&'a BTreeMap<MetricName, Quantity>, &'a BTreeMap<MetricName, String>);

/// `before` is what the document said until now.
fn estimates(
    trials: Vec<Measured<'_>>,
    definition: Option<&WorkloadDefinition>,
    before: &BTreeMap<MetricName, Estimate>,
) -> BTreeMap<MetricName, Estimate> {
    let mut values: BTreeMap<MetricName, (Unit, Vec<f64>)> = BTreeMap::new();
    for (metrics, _) in &trials {
        for (name, quantity) in *metrics {
            values.entry(*name).or_insert((quantity.unit, Vec::new())).1.push(quantity.value);
        }
    }
    let all = trials.len();
    let mut together = Together::of(&trials);
    // A percentile that single trials are too short for may be known of all
    // together; it then has no interval.
    let known = before.iter().map(|(name, estimate)| (*name, estimate.unit));
    let listed = definition.into_iter().flat_map(|d| &d.metrics).map(|(name, m)| (*name, m.unit));
    for (name, unit) in known.chain(listed) {
        if all > 0 && !values.contains_key(&name) && together.percentile(name).is_some() {
            values.insert(name, (unit, Vec::new()));
        }
    }
    values
        .into_iter()
        .filter_map(|(name, (unit, values))| {
            let defined = definition.and_then(|d| d.metrics.get(&name));
            let better = direction(name, before.get(&name), defined, unit);
            let statistic = name.statistic().map(|(_, statistic)| statistic);
            let estimate = match together.percentile(name) {
                Some(point) => percentile(point, &values, all, unit, better),
                None if statistic == Some(Statistic::Greatest) => greatest(&values, unit, better)?,
                None => estimate(&values, unit, better)?,
            };
            Some((name, estimate))
        })
        .collect()
}

/// Which way is up for a metric: as an earlier estimate or its workload said, or for any
/// load; otherwise down for times and up for the rest.
fn direction(
    name: MetricName,
    before: Option<&Estimate>,
    defined: Option<&MetricDefinition>,
    unit: Unit,
) -> Better {
    let of_any = || metric::OF_HARDWARE.iter().find(|m| m.name == name).map(|m| m.better);
    let usual = if unit == Unit::Seconds { Better::Lower } else { Better::Higher };
    before.map(|e| e.better).or(defined.map(|m| m.better)).or_else(of_any).unwrap_or(usual)
}

/// A percentile of all operations; its interval needs the same percentile of
/// each trial, for those that are long enough to have it are not like the rest.
fn percentile(point: f64, values: &[f64], trials: usize, unit: Unit, better: Better) -> Estimate {
    let of_each = if values.len() == trials { estimate(values, unit, better) } else { None };
    // A point outside the interval of the trials happens where these differ
    // much in length; the interval is then not of the point.
    let holds = |e: &Estimate| e.low.is_some_and(|l| l <= point) && e.high.is_some_and(|h| point <= h);
    match of_each {
        Some(e) if holds(&e) => Estimate { median: point, ..e },
        _ => alone(trials, point, unit, better),
    }
}

/// The greatest value of all trials, as the percentiles beside it are of all
/// operations: a median of maxima may lie below the 99.9th percentile. What the
/// next trial's greatest will be, these do not tell: it has no interval.
fn greatest(values: &[f64], unit: Unit, better: Better) -> Option<Estimate> {
    let greatest = values.iter().copied().filter(|v| v.is_finite()).reduce(f64::max)?;
    Some(alone(values.len(), greatest, unit, better))
}

/// A value that has no interval.
fn alone(n: usize, value: f64, unit: Unit, better: Better) -> Estimate {
    Estimate { n, median: value, low: None, high: None, confidence: None, method: None, unit, better }
}

/// The estimate of one metric from its values in the order measured.
pub(crate) fn estimate(values: &[f64], unit: Unit, better: Better) -> Option<Estimate> {
    let median = interval::median(values)?;
    let interval = interval::of_center(values, CONFIDENCE);
    Some(Estimate {
        n: values.len(),
        median,
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        confidence: interval.map(|i| i.confidence),
        method: interval.map(|i| i.method.code().to_owned()),
        unit,
        better,
    })
}

/// The histograms of all trials, each name's put together once, for a histogram
/// has many percentiles.
struct Together<'a> {
    trials: &'a [Measured<'a>],
    merged: BTreeMap<MetricName, Option<Distribution>>,
}

impl<'a> Together<'a> {
    fn of(trials: &'a [Measured<'a>]) -> Self {
        Self { trials, merged: BTreeMap::new() }
    }

    /// A percentile metric's point, from all trials' histograms together; `None`
    /// for other metrics.
    fn percentile(&mut self, metric: MetricName) -> Option<f64> {
        let Some((name, Statistic::Percentile(percent))) = metric.statistic() else { return None };
        let trials = self.trials;
        let merged = self.merged.entry(name).or_insert_with(|| {
            let mut merged = Distribution::default();
            for (_, histograms) in trials {
                merged.add(&*crate::measure::distribution(histograms, name)?);
            }
            Some(merged)
        });
        merged.as_ref()?.percentile(percent).map(|ns| ns / 1e9)
    }
}

/// The estimate of the metric that a case shows first: how long it took where a count
/// ended it, otherwise what its load is about.
#[must_use]
pub fn headline(case: &CaseResult) -> Option<(MetricName, &Estimate)> {
    let load = &case.loads.main;
    let all = [metric::ELAPSED, load.profile.watched()];
    all.into_iter().find_map(|name| Some((name, load.estimates.get(&name)?)))
}

/// The least concurrency of a search, measured anew, is at least this share of the most.
const NEAR: f64 = 0.90;

/// The case of the least concurrency that gives nearly the most, of a case that was searched; the
/// case itself where none does, measured anew: what chose it may have been lucky.
#[must_use]
pub fn knee_of<'a>(cases: &'a [CaseResult], searched: &'a CaseResult) -> &'a CaseResult {
    let place = cases.iter().position(|case| std::ptr::eq(case, searched));
    let rate = |case: &CaseResult| {
        let load = &case.loads.main;
        load.estimates.get(&load.profile.watched()).map(|e| e.median)
    };
    let is_near = |case: &&CaseResult| {
        let both = rate(case).zip(rate(searched));
        both.is_some_and(|(own, most)| own >= NEAR * most)
    };
    let knees = cases.iter().filter(|case| place.is_some_and(|of| case.role == CaseRole::Knee { of }));
    knees.into_iter().find(is_near).unwrap_or(searched)
}

/// Whether a metric counts the operations of a load per second, as an open loop's rate does.
#[must_use]
pub fn is_operation_rate(metric: MetricName) -> bool {
    crate::measure::RATES.contains(&metric)
}

/// Operations per second of a case: the median of its trials. Absent where none counted any.
#[must_use]
pub fn operations_per_second(case: &CaseResult) -> Option<f64> {
    let rates: Vec<f64> = case.trials.iter().filter_map(crate::measure::trial_operations).collect();
    stats::interval::median(&rates)
}

/// What a trial of a search for the most gave: what its workload shows first, where more of that is
/// better, or else operations per second. Absent where it has neither.
#[must_use]
pub fn search_rate(case: &CaseResult, trial: &Trial, definitions: &Definitions) -> Option<f64> {
    let load = &case.loads.main;
    let name = load.profile.watched();
    let is_rate = definitions.metric(load.workload, name).is_some_and(|m| m.better == Better::Higher);
    let watched = trial.result.main().metrics.get(&name).filter(|_| is_rate).map(|q| q.value);
    watched.or_else(|| crate::measure::trial_operations(trial))
}

#[cfg(test)]
mod tests {
    use model::run::CaseLoad;
    use model::trial::TrialResult;

    use super::*;

    #[test]
    fn a_percentile_is_read_from_all_trials_together() {
        // Two trials whose medians are 100 and 300, the second ten times as
        // long: the median of all operations is 300, not 200.
        let encode = |value: u64, count: u64| {
            let mut h = stats::histogram::new_latency();
            h.saturating_record_n(value, count);
            BTreeMap::from([(metric::LATENCY, stats::histogram::encode(&h).unwrap())])
        };
        let (short, long) = (encode(100, 100), encode(300, 1000));
        let metric = |ns: f64| {
            BTreeMap::from([(metric::LATENCY_P50, Quantity { value: ns / 1e9, unit: Unit::Seconds })])
        };
        let (a, b) = (metric(100.0), metric(300.0));
        let all = estimates(vec![(&a, &short), (&b, &long)], None, &BTreeMap::new());
        let p50 = &all[&metric::LATENCY_P50];
        assert!((p50.median * 1e9 - 300.0).abs() < 1.0, "{p50:?}");
        assert_eq!(p50.n, 2);
    }

    #[test]
    fn the_greatest_of_all_trials_is_never_below_a_percentile_of_them() {
        let metrics = |ms: f64| {
            BTreeMap::from([(metric::LATENCY_MAX, Quantity { value: ms / 1e3, unit: Unit::Seconds })])
        };
        let (none, trials) = (BTreeMap::new(), [metrics(3.0), metrics(33.0), metrics(4.0)]);
        let all = estimates(trials.iter().map(|m| (m, &none)).collect(), None, &BTreeMap::new());
        let max = &all[&metric::LATENCY_MAX];
        assert_eq!((max.n, max.median, max.low), (3, 0.033, None));
    }

    #[test]
    fn regression_a_longer_latency_of_an_unknown_workload_was_better() {
        let quantity = |value, unit| Quantity { value, unit };
        let metrics = BTreeMap::from([
            (metric::LATENCY_P99, quantity(1e-3, Unit::Seconds)),
            (MetricName::new("cost"), quantity(3.0, Unit::One)),
            (MetricName::new("rate"), quantity(3.0, Unit::PerSecond)),
        ]);
        let none = BTreeMap::new();
        let said = Estimate { better: Better::Lower, ..estimate(&[1.0], Unit::One, Better::Higher).unwrap() };
        let before = BTreeMap::from([(MetricName::new("cost"), said)]);
        let all = estimates(vec![(&metrics, &none)], None, &before);
        let better: Vec<Better> = [metric::LATENCY_P99, MetricName::new("cost"), MetricName::new("rate")]
            .map(|m| all[&m].better)
            .to_vec();
        assert_eq!(better, [Better::Lower, Better::Lower, Better::Higher]);
    }

    #[test]
    fn each_target_has_estimates_of_its_own_and_a_companion_s_are_not_theirs() {
        let target = |target: &str, iops: f64| TargetTrial {
            target: target.to_owned(),
            metrics: BTreeMap::from([(metric::IOPS, Quantity { value: iops, unit: Unit::PerSecond })]),
            ..TargetTrial::default()
        };
        let load = |place, targets: &[(&str, f64)]| LoadTrial {
            load: place,
            targets: targets.iter().map(|(name, iops)| target(name, *iops)).collect(),
            ..LoadTrial::default()
        };
        let trial = |status, targets: &[(&str, f64)]| Trial {
            order: 0,
            block: 0,
            started: String::new(),
            status,
            reason: None,
            result: TrialResult {
                loads: vec![load(0, targets), load(1, &[("sda", 7.0)])],
                ..TrialResult::default()
            },
        };
        let mut case = crate::validity::fixture::case(0);
        case.loads.beside.push(CaseLoad::default());
        // The third names one target only; the last failed.
        case.trials = vec![
            trial(Status::Ok, &[("sdb", 10.0), ("sda", 100.0)]),
            trial(Status::Ok, &[("sdb", 12.0), ("sda", 102.0)]),
            trial(Status::Ok, &[("sda", 104.0)]),
            trial(Status::Failed, &[("sdb", 1000.0), ("sda", 1000.0)]),
        ];
        estimate_case(&mut case, &Definitions::default());
        let found = &case.loads.main.targets;
        let said: Vec<(&str, usize, f64)> = found
            .iter()
            .map(|t| (&*t.target, t.estimates[&metric::IOPS].n, t.estimates[&metric::IOPS].median))
            .collect();
        assert_eq!(said, [("sdb", 2, 11.0), ("sda", 3, 102.0)]);
        let beside = &case.loads.beside[0].targets;
        assert_eq!((beside.len(), beside[0].estimates[&metric::IOPS].median), (1, 7.0));
        case.trials.clear();
        estimate_case(&mut case, &Definitions::default());
        assert!(case.loads.main.targets.is_empty());
    }

    #[test]
    fn one_trial_has_a_value_and_no_interval() {
        let one = estimate(&[5.0], Unit::One, Better::Higher).unwrap();
        assert_eq!((one.median, one.low, one.method), (5.0, None, None));
        assert!(estimate(&[], Unit::One, Better::Higher).is_none());
    }
}
