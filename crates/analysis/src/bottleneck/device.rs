//! A device that is full: twice the depth adds nothing but waiting. `%util`
//! (the time that at least one request was there) is never evidence: a device
//! that works on many requests at once is far from full when it is never idle.

use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::{CaseResult, LevelSearch, SearchEnd, Utilization};
use model::{Severity, metric};

use stats::doubling::{DoublingAnswer, DoublingEffect, GAIN, SURE};

use super::{FULL, Verdict, cores, finding, shown};
use crate::siblings::Member;
use crate::{Context, measure};

/// Blocks below which nothing is concluded from a step.
const BLOCKS_LEAST: usize = 3;
/// Workers that compute for more than this share may be what is full.
const BUSY: f64 = 0.80;

pub(super) const ENGLISH: &str = r#"
finding-device-full =
    { $how ->
        [datasheet] { RESOURCE($resource) } is full: it gives { PERCENT($fraction) } of the { SHORT($limit, $unit) } that
            its datasheet promises ({ $source })
        [search] { RESOURCE($resource) } { $several ->
            [yes] are full
           *[no] is full
        } from { FIXED($knee) } operations in flight on: more only wait, and with { FIXED($to) } instead of { FIXED($from) }
            the rate { $change ->
            [less] falls
           *[more] grows
        } by { PERCENT($more) }
        [latency] { RESOURCE($resource) } { $several ->
            [yes] are full
           *[no] is full
        } from { FIXED($knee) } operations in flight on: with { FIXED($to) } instead of { FIXED($from) } the rate still { $change ->
            [less] falls
           *[more] grows
        } by { PERCENT($more) }, but an operation takes more than 4 times as long as where half of the rate is reached
       *[depth] { RESOURCE($resource) } { $several ->
            [yes] are full
           *[no] is full
        }: with { FIXED($to) } operations in flight instead of { FIXED($from) } the rate { $change ->
            [less] falls
           *[more] grows
        } by { PERCENT($more) } and latency becomes { FIXED($times, decimals: 1) } times as long
    }

evidence-depth-search =
    { FIXED($to) } operations in flight instead of { FIXED($from) } change the rate by { PERCENT($gain) }
evidence-datasheet = { PERCENT($fraction) } of its datasheet
evidence-device-workers-busy =
    whether { RESOURCE($resource) } is full cannot be seen: the workers themselves are nearly full
evidence-device-noise =
    whether { RESOURCE($resource) } gives more with more operations in flight is lost in the noise of the trials
evidence-device-deepest =
    { FIXED($depth) } operations in flight was the most measured; only more would show what else { RESOURCE($resource) } can
    do
evidence-device-depth-alone =
    whether { RESOURCE($resource) } is full with { FIXED($depth) } operations in flight shows only beside a case with half or
    twice as many
evidence-device-few-trials =
    { RESOURCE($resource) } seems full, but there are too few trials to be sure
evidence-device-unsure =
    { RESOURCE($resource) } seems full, but the trials differ too much: twice as many operations in flight may
    give { PERCENT($gain) } more
evidence-device-gives-more =
    { RESOURCE($resource) } gives { FIXED($times, decimals: 1) } times as much with { FIXED($to) } operations in flight as
    with { FIXED($from) }
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some(device) = measure::devices_name(case) else { return Verdict::Elsewhere };
    let device = device.as_str();
    let sheet = case.utilization.iter().find(|u| u.kind == LimitKind::Datasheet);
    if let Some(used) = sheet.filter(|u| u.fraction >= FULL) {
        return Verdict::Full(Box::new(as_its_sheet(used)));
    }
    if !measure::is_closed(case) || !measure::is_direct(case) {
        return Verdict::Elsewhere;
    }
    let missing = |code: &str| shown(code, context.headline.unwrap_or(metric::IOPS)).arg("resource", device);
    // A worker that is nearly always busy is what does not get faster.
    let is_busy = cores::each(case, context).is_some_and(|(_, each)| each > BUSY);
    if is_busy && !more_workers_add_nothing(case, context) {
        return Verdict::Unknown(missing("device-workers-busy"));
    }
    if let Some((searched, search)) = context.siblings.search_of(case) {
        return of_search(device, searched, search, context.siblings.knee_of(searched));
    }
    let (lower, upper) = (neighbour(case, context, false), neighbour(case, context, true));
    for (less, more) in [(lower, Some(case)), (Some(case), upper)] {
        let (Some(less), Some(more)) = (less, more) else { continue };
        let Some(step) = Step::between(less, more) else { continue };
        match step.each.answer() {
            DoublingAnswer::Full => return Verdict::Full(Box::new(full(device, less, more, &step))),
            DoublingAnswer::SeemsFull => return Verdict::Unknown(unsure(device, less, &step.each)),
            DoublingAnswer::GivesMore | DoublingAnswer::Open => {}
        }
    }
    match (upper, upper.and_then(|u| Step::between(case, u))) {
        (Some(upper), Some(step)) if step.each.low > 0.0 => {
            Verdict::Free(gives_more(device, case, upper, &step))
        }
        (_, Some(_)) => Verdict::Unknown(missing("device-noise")),
        _ => {
            let depth = measure::concurrency(case);
            if depth <= 1.0 {
                return Verdict::Elsewhere;
            }
            let code = if lower.is_some() { "device-deepest" } else { "device-depth-alone" };
            Verdict::Unknown(missing(code).arg("depth", depth))
        }
    }
}

/// What a search for the most says.
fn of_search(device: &str, searched: &CaseResult, search: &LevelSearch, knee: &CaseResult) -> Verdict {
    // Operations in flight for each unit of what was searched.
    let each = measure::concurrency(searched) / search.best as f64;
    let in_flight = |value: u64| value as f64 * each;
    let place = || Place::Case(searched.label.to_string());
    let high = search.growth.iter().filter_map(|g| g.high).fold(0.0, f64::max);
    let is_seen = search.growth.len() == 2 && search.growth.iter().all(|g| g.high.is_some());
    let how = match search.ended {
        SearchEnd::Flat => "search",
        SearchEnd::Unsure if is_seen && high < SURE => "search",
        SearchEnd::Latency => "latency",
        SearchEnd::Unsure => {
            let evidence = if is_seen { "device-unsure" } else { "device-few-trials" };
            return Verdict::Unknown(
                Evidence::at(evidence, place()).arg("resource", device).arg("gain", high),
            );
        }
        _ => {
            let evidence = Evidence::at("device-deepest", place()).arg("resource", device);
            return Verdict::Unknown(evidence.arg("depth", in_flight(search.best)));
        }
    };
    let last = search.growth.last();
    let [from, to] = [last.map_or(0, |g| g.from), last.map_or(0, |g| g.to)].map(in_flight);
    let more = last.map_or(0.0, |g| g.gain);
    let found = finding("device-full", Severity::Note)
        .on(device)
        .arg("how", how)
        .arg("from", from)
        .arg("to", to)
        .arg("knee", measure::concurrency(knee))
        .arg("several", device.contains('+'))
        .arg("change", if more < 0.0 { "less" } else { "more" })
        .arg("more", more.abs())
        .because(Evidence::at("depth-search", place()).arg("from", from).arg("to", to).arg("gain", more));
    Verdict::Full(Box::new(found))
}

/// A device that gives what its datasheet promises.
fn as_its_sheet(used: &Utilization) -> model::Finding {
    let place = Place::Limit { resource: used.resource.clone(), quantity: used.quantity };
    finding("device-full", Severity::Note)
        .on(used.resource.clone())
        .arg("how", "datasheet")
        .arg("fraction", used.fraction)
        .arg("limit", used.limit)
        .arg("unit", used.unit.symbol())
        .arg("source", used.source.as_str())
        .because(Evidence::at("datasheet", place).arg("fraction", used.fraction))
}

/// A device that twice the depth does not make faster.
fn full(device: &str, less: &CaseResult, more: &CaseResult, step: &Step) -> model::Finding {
    let (from, to) = (measure::concurrency(less), measure::concurrency(more));
    let more_rate = step.total_gain - 1.0;
    let at = |case: &CaseResult| {
        let depth = measure::concurrency(case);
        let rate = measure::operations(case).map_or(0.0, |(_, rate)| rate);
        Evidence::at("depth-rate", Place::Case(case.label.to_string())).arg("rate", rate).arg("depth", depth)
    };
    finding("device-full", Severity::Note)
        .on(device)
        .arg("how", "depth")
        .arg("from", from)
        .arg("to", to)
        .arg("several", device.contains('+'))
        .arg("change", if more_rate < 0.0 { "less" } else { "more" })
        .arg("more", more_rate.abs())
        .arg("times", step.total_slower)
        .arg("gain", step.each.gain)
        .arg("slower", step.each.slower)
        .because(at(less))
        .because(at(more))
}

/// Evidence that a device may be full, and that nobody can be sure.
fn unsure(device: &str, less: &CaseResult, each: &DoublingEffect) -> Evidence {
    let place = Place::Case(less.label.to_string());
    if !each.high.is_finite() {
        return Evidence::at("device-few-trials", place).arg("resource", device);
    }
    Evidence::at("device-unsure", place).arg("resource", device).arg("gain", each.high)
}

/// Evidence that a device is not full.
fn gives_more(device: &str, case: &CaseResult, upper: &CaseResult, step: &Step) -> Evidence {
    let (from, to) = (measure::concurrency(case), measure::concurrency(upper));
    Evidence::at("device-gives-more", Place::Case(upper.label.to_string()))
        .arg("resource", device)
        .arg("times", step.total_gain)
        .arg("from", from)
        .arg("to", to)
        .arg("gain", step.each.gain)
}

/// What a greater depth changes.
struct Step {
    /// For each doubling.
    each: DoublingEffect,
    /// How many times faster over the whole step.
    total_gain: f64,
    /// How many times longer over the whole step.
    total_slower: f64,
}

impl Step {
    fn between(less: &CaseResult, more: &CaseResult) -> Option<Self> {
        let doublings = (measure::concurrency(more) / measure::concurrency(less)).log2();
        let (_, from) = measure::operations(less)?;
        let (_, to) = measure::operations(more)?;
        let total_slower = measure::mean_latency(more)? / measure::mean_latency(less)?;
        let each = |ratio: f64| ratio.powf(1.0 / doublings);
        let sane = doublings >= 1.0 && from > 0.0 && total_slower.is_finite() && total_slower > 0.0;
        let pairs = measure::pairs(more, less, measure::trial_operations);
        let (low, high) = stats::comparison::paired_ratio(&pairs, crate::CONFIDENCE)
            .map_or((0.0, f64::INFINITY), |r| (r.interval.low, r.interval.high));
        sane.then(|| Self {
            each: DoublingEffect {
                gain: each(to / from) - 1.0,
                low: each(low) - 1.0,
                high: each(high) - 1.0,
                slower: each(total_slower),
                blocks: pairs.len(),
            },
            total_gain: to / from,
            total_slower,
        })
    }
}

/// Whether `more`, the same work at a greater depth, surely gives more.
pub(super) fn surely_more(less: &CaseResult, more: &CaseResult) -> bool {
    Step::between(less, more).is_some_and(|step| step.each.gain > 0.0 && step.each.low > 0.0)
}

/// Whether at least twice the workers surely add nothing, so that theirs was not the time that
/// lacked.
fn more_workers_add_nothing(case: &CaseResult, context: &Context<'_>) -> bool {
    let [_, workers] = context.siblings.at_depths(case);
    let own = measure::concurrency(case);
    let more = workers.iter().filter(|other| other.is_estimated && other.depth >= 2.0 * own);
    let steps = more.filter_map(|other| Step::between(case, context.siblings.case(other)));
    let mut steps = steps.peekable();
    steps.peek().is_some() && steps.all(|step| step.each.gain < GAIN && step.each.high < SURE)
}

/// The places in the run of the cases that a case is held against.
pub(crate) fn neighbours(case: &CaseResult, context: &Context<'_>) -> Vec<usize> {
    let near = |deeper| neighbour(case, context, deeper).and_then(|other| context.siblings.place_of(other));
    [false, true].into_iter().filter_map(near).collect()
}

/// How many blocks more would probably decide whether a case's device gives more: of the steps to its
/// neighbours, the one that decides with the fewest.
pub(crate) fn blocks_lacking(case: &CaseResult, context: &Context<'_>) -> Option<usize> {
    let (lower, upper) = (neighbour(case, context, false), neighbour(case, context, true));
    let steps =
        [lower.and_then(|lower| Step::between(lower, case)), upper.and_then(|u| Step::between(case, u))];
    let lacking = steps.iter().flatten().filter_map(|step| match step.each.high.is_finite() {
        true => step.each.blocks_lacking(),
        // Two blocks have an interval, and three one worth having.
        false => Some(BLOCKS_LEAST.saturating_sub(step.each.blocks).max(1)),
    });
    lacking.min()
}

/// The case with the same work at the nearest depth that is at least twice, or
/// at most half.
fn neighbour<'a>(case: &CaseResult, context: &Context<'a>, deeper: bool) -> Option<&'a CaseResult> {
    let own = measure::concurrency(case);
    let fits = |other: &&Member| if deeper { other.depth >= 2.0 * own } else { other.depth * 2.0 <= own };
    let distance = |other: &Member| (other.depth / own).log2().abs();
    let groups = context.siblings.at_depths(case);
    let near = groups
        .iter()
        .flat_map(|group| group.iter())
        .filter(|other| other.is_estimated)
        .filter(fits)
        .min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.place.cmp(&b.place)));
    near.map(|member| context.siblings.case(member))
}

#[cfg(test)]
mod tests {
    use model::ParameterName;
    use model::run::{CaseRole, Doubling};

    use super::super::tests::{disk, verdict};
    use super::*;

    /// A case whose depth was searched.
    fn searched(ended: SearchEnd, growth: &[(f64, Option<f64>)]) -> CaseResult {
        let growth = (0..).zip(growth).map(|(n, (gain, high))| Doubling {
            from: 32 << n,
            to: 64 << n,
            gain: *gain,
            high: *high,
        });
        let parameter = ParameterName::new("queue-depth");
        let search = LevelSearch { parameter, best: 32, knee: 24, ended, growth: growth.collect() };
        CaseResult { search: Some(search), ..disk(32, 100_000.0, 320.0, 5.0) }
    }

    #[test]
    fn a_device_that_a_search_filled_is_full_from_where_it_gives_nearly_all() {
        let flat = searched(SearchEnd::Flat, &[(0.01, Some(0.03)), (0.0, Some(0.02))]);
        let knee = CaseResult { role: CaseRole::Knee { of: 1 }, ..disk(24, 96_000.0, 250.0, 5.0) };
        let found = verdict(std::slice::from_ref(&flat));
        assert_eq!((found.code.as_str(), &found.args["how"]), ("device-full", &"search".into()));
        // Nothing less was measured anew.
        assert_eq!(found.args["knee"], 32.0.into());
        let beside = verdict(&[knee.clone(), flat]);
        assert_eq!((beside.code.as_str(), &beside.args["knee"]), ("device-full", &24.0.into()));
        // Without the search that it belongs to, nothing is beside it.
        assert_eq!(verdict(&[knee]).code, "cannot-tell");
        let runs_away = searched(SearchEnd::Latency, &[(0.12, Some(0.15)), (0.1, Some(0.12))]);
        assert_eq!(verdict(&[runs_away]).args["how"], "latency".into());
    }

    #[test]
    fn a_search_that_was_not_sure_says_so_unless_it_was_nearly() {
        let nearly = searched(SearchEnd::Unsure, &[(0.01, Some(0.10)), (0.0, Some(0.12))]);
        assert_eq!(verdict(&[nearly]).code, "device-full");
        let shaken = searched(SearchEnd::Unsure, &[(0.01, Some(0.40)), (0.0, Some(0.12))]);
        let few = searched(SearchEnd::Unsure, &[(0.01, None), (0.0, None)]);
        let bound = searched(SearchEnd::Bound, &[(0.9, None), (0.8, None)]);
        for (case, evidence) in
            [(shaken, "device-unsure"), (few, "device-few-trials"), (bound, "device-deepest")]
        {
            let found = verdict(&[case]);
            let codes: Vec<&str> = found.evidence.iter().map(|e| e.code.as_str()).collect();
            assert_eq!((found.code.as_str(), codes), ("cannot-tell", vec![evidence]));
        }
    }
}
