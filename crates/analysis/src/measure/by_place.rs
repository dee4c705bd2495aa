//! The rate of one pass over a target against the place in it.
//!
//! A sequential load with one worker for each target is at the place that follows from what it has moved, so that its
//! course over time is one over places. It is cut into parts of the same bytes, and each part has the median of its
//! rates over trials. The last interval of a course is left out: the load ended somewhere in it.

use model::profile::{Aspect, Caches, LoadEnd, Order};
use model::run::CaseResult;
use model::trial::Series;
use model::{Trial, Value, series};

use super::{ON_BLOCKS, good, profile};

/// Parts of a pass at most, and at least: fewer are no course.
const PARTS: (usize, usize) = (8, 64);
/// Intervals of time in a part: a part is not told better than its ends.
const INTERVALS: usize = 2;

/// What the last interval of a pass has at most.
const LEFT_OUT: f64 = 0.1;

/// The rates of one target over its places.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceCourse {
    /// The target, by its path.
    pub target: String,
    /// The middle of each part, bytes from the beginning of the target, and the rate there, bytes per second.
    pub points: Vec<(f64, f64)>,
}

/// The courses of the targets of a case, where each was passed through from its beginning, around the page cache.
#[must_use]
pub fn place_courses(case: &CaseResult) -> Vec<PlaceCourse> {
    if !is_pass(case) {
        return Vec::new();
    }
    let trials: Vec<Vec<(&str, &Series)>> = good(case).map(|trial| courses(case, trial)).collect();
    let lengths = trials.iter().flatten().map(|(_, series)| moving(series).len());
    let most = profile(case).places.and_then(|places| usize::try_from(places.count).ok());
    let parts = lengths.min().unwrap_or(0) / INTERVALS;
    let parts = parts.min(PARTS.1).min(most.unwrap_or(PARTS.1));
    if parts < PARTS.0 {
        return Vec::new();
    }
    let targets: Vec<&str> = trials.first().into_iter().flatten().map(|(target, _)| *target).collect();
    targets.into_iter().filter_map(|target| course(case, target, &trials, parts)).collect()
}

/// Whether each target is passed through once, by one worker of its own, in order.
fn is_pass(case: &CaseResult) -> bool {
    let profile = profile(case);
    let mut moving = profile.flows.iter().filter(|flow| ON_BLOCKS.contains(&flow.class)).peekable();
    matches!(profile.end, LoadEnd::Pass | LoadEnd::Full)
        && moving.peek().is_some()
        && moving.all(|flow| flow.order == Order::Sequential)
        && profile.peer.is_none()
        && profile.concurrency.workers == profile.targets.max(1)
        && profile.caches == Caches::None
        && !profile.is_null
}

/// The course over time of each target of a trial.
fn courses<'a>(case: &'a CaseResult, trial: &'a Trial) -> Vec<(&'a str, &'a Series)> {
    let main = trial.result.main();
    let of = |all: &'a [Series]| all.iter().find(|one| one.name == series::THROUGHPUT && one.interval_ns > 0);
    if main.targets.is_empty() {
        let target = profile(case).paths.first().map_or("", String::as_str);
        return of(&main.series).map(|series| (target, series)).into_iter().collect();
    }
    main.targets.iter().filter_map(|own| Some((own.target.as_str(), of(&own.series)?))).collect()
}

/// The rates from the beginning to the last whole interval in which something was moved.
fn moving(series: &Series) -> &[f64] {
    let last = series.values.iter().rposition(|rate| *rate > 0.0).unwrap_or(0);
    &series.values[..last]
}

fn course(
    case: &CaseResult,
    target: &str,
    trials: &[Vec<(&str, &Series)>],
    parts: usize,
) -> Option<PlaceCourse> {
    let of_target = |trial: &Vec<(&str, &Series)>| {
        let (_, series) = trial.iter().find(|(own, _)| *own == target)?;
        cut(moving(series), series.interval_ns as f64 / 1e9, parts)
    };
    let cut: Vec<(f64, Vec<f64>)> = trials.iter().filter_map(of_target).collect();
    let moved = stats::interval::median(&cut.iter().map(|(moved, _)| *moved).collect::<Vec<_>>())?;
    // What was left out at the end is known; targets that went as far have the same places.
    let whole = profile(case).span_bytes.map(|bytes| bytes as f64);
    let moved = whole.filter(|whole| (moved / whole - 1.0).abs() < LEFT_OUT).unwrap_or(moved);
    let offset = profile(case).parameter(Aspect::Offset);
    let offset = offset.and_then(|name| case.loads.main.parameters.get(name)).and_then(Value::number);
    let point = |part: usize| {
        let rates: Vec<f64> = cut.iter().filter_map(|(_, rates)| rates.get(part).copied()).collect();
        let touched = moved * (part as f64 + 0.5) / parts as f64;
        let place = profile(case).places.map_or(touched, |places| places.place(touched as u64) as f64);
        Some((offset.unwrap_or(0.0) + place, stats::interval::median(&rates)?))
    };
    let points: Vec<(f64, f64)> = (0..parts).filter_map(point).collect();
    (points.len() == parts).then(|| PlaceCourse { target: target.to_owned(), points })
}

/// All bytes of a course of rates with intervals of so many seconds, and the rate in each of so many equal parts of
/// them.
fn cut(values: &[f64], seconds: f64, parts: usize) -> Option<(f64, Vec<f64>)> {
    let all: f64 = values.iter().sum::<f64>() * seconds;
    let each = all / parts as f64;
    let mut rates = Vec::with_capacity(parts);
    let (mut moved, mut from) = (0.0, 0.0);
    for (index, rate) in values.iter().enumerate() {
        let (begin, end) = (index as f64 * seconds, moved + rate * seconds);
        while rates.len() < parts && *rate > 0.0 && end >= each * (rates.len() + 1) as f64 * (1.0 - ROUNDING)
        {
            let at = begin + (each * (rates.len() + 1) as f64 - moved).max(0.0) / rate;
            rates.push(each / (at - from));
            from = at;
        }
        moved = end;
    }
    let is_whole = rates.len() == parts && rates.iter().all(|rate| rate.is_finite() && *rate > 0.0);
    is_whole.then_some((all, rates))
}

/// What a sum of many rates is off by.
const ROUNDING: f64 = 1e-9;

#[cfg(test)]
pub(crate) mod tests {
    use model::profile::PlaceStride;
    use model::trial::TargetTrial;
    use model::{Resource, Unit};

    use super::*;
    use crate::validity::fixture;

    /// Rates of 100 ms each, and half an interval at the end.
    fn series(rates: &[f64]) -> Series {
        let end = rates.last().map(|rate| rate / 2.0);
        Series {
            resource: Resource::LOAD,
            name: series::THROUGHPUT,
            unit: Unit::BytesPerSecond,
            start_ns: 0,
            interval_ns: 100_000_000,
            values: rates.iter().copied().chain(end).chain([0.0, 0.0]).collect(),
        }
    }

    /// A pass over targets with these courses.
    pub(crate) fn pass(pattern: &str, courses: &[(&str, Vec<f64>)]) -> CaseResult {
        let mut case = fixture::disk_case(pattern, 1.0, 1.0);
        fixture::set(&mut case, "direct", true);
        let profile = &mut case.loads.main.profile;
        profile.end = LoadEnd::Pass;
        profile.targets = courses.len() as u64;
        profile.concurrency.workers = profile.targets;
        profile.paths = courses.iter().map(|(target, _)| (*target).to_owned()).collect();
        for trial in &mut case.trials {
            let main = trial.result.main_mut();
            match courses {
                [(_, rates)] => main.series = vec![series(rates)],
                several => {
                    let of = |(target, rates): &(&str, Vec<f64>)| TargetTrial {
                        target: (*target).to_owned(),
                        series: vec![series(rates)],
                        ..TargetTrial::default()
                    };
                    main.targets = several.iter().map(of).collect();
                }
            }
        }
        case
    }

    #[test]
    fn equal_parts_of_bytes_have_the_rates_of_their_times() {
        // The same bytes twice as fast take half the intervals.
        let rates = [vec![200e6; 20], vec![100e6; 40]].concat();
        let found = place_courses(&pass("read", &[("/dev/sda", rates)]));
        let points = &found[0].points;
        assert_eq!((found[0].target.as_str(), points.len()), ("/dev/sda", 30));
        assert!(points[..15].iter().all(|(_, rate)| (rate / 200e6 - 1.0).abs() < 1e-6), "{points:?}");
        assert!(points[15..].iter().all(|(_, rate)| (rate / 100e6 - 1.0).abs() < 1e-6), "{points:?}");
        assert!((points[29].0 / 800e6 - 29.5 / 30.0).abs() < 1e-6, "{points:?}");
    }

    #[test]
    fn places_lie_where_they_were_visited() {
        let mut case = pass("read", &[("/dev/sda", vec![100e6; 40])]);
        case.loads.main.profile.places =
            Some(PlaceStride { count: 10, bytes: 40_000_000, every: 1_000_000_000 });
        let found = place_courses(&case);
        assert_eq!(found[0].points.len(), 10);
        assert!((found[0].points[3].0 - 3.02e9).abs() < 1e6, "{found:?}");
    }

    #[test]
    fn what_is_no_pass_has_no_places() {
        let case = pass("read", &[("/dev/sda", vec![100e6; 40])]);
        assert_eq!(place_courses(&case).len(), 1);
        let mut timed = case.clone();
        timed.loads.main.profile.end = LoadEnd::Time;
        let mut shared = case.clone();
        shared.loads.main.profile.concurrency.workers = 4;
        let mut cached = case.clone();
        cached.loads.main.profile.caches = Caches::PageCache;
        let short = pass("read", &[("/dev/sda", vec![100e6; 10])]);
        let random = pass("randread", &[("/dev/sda", vec![100e6; 40])]);
        for (name, case) in
            [("time", timed), ("workers", shared), ("cache", cached), ("short", short), ("random", random)]
        {
            assert!(place_courses(&case).is_empty(), "{name}");
        }
    }
}
