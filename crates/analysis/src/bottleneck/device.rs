//! A device that is full: twice the depth adds nothing but waiting. `%util`
//! (the time that at least one request was there) is never evidence: a device
//! that works on many requests at once is far from full when it is never idle.
//!
//! Where the kernel's events were watched they say whether it is the device that has what twice the
//! depth adds ([`phases`]): what waits before it says nothing of it.

use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::profile::OperationClass;
use model::run::{CaseResult, LevelSearch, SearchEnd, Utilization};
use model::{Severity, metric};

use stats::doubling::{DoublingAnswer, DoublingEffect, GAIN, SURE};

use super::phases::{self, AddedWait, WaitPlace};
use super::{BEYOND, FULL, Verdict, cores, device_queue, finding, latency, shown};
use crate::measure::BlockPhases;
use crate::siblings::Member;
use crate::{Context, measure};

/// Blocks below which nothing is concluded from a step.
const BLOCKS_LEAST: usize = 3;
/// Workers that compute for more than this share may be what is full.
const BUSY: f64 = 0.80;
/// Evidence that what a greater depth adds waits above the block layer.
pub(super) const ABOVE: &str = "device-above";

pub(super) const ENGLISH: &str = r#"
finding-device-full =
    { $how ->
        [datasheet] { RESOURCE($resource) } { verb-is } full: { pronoun-it } give{ verb-s } { PERCENT($fraction) } of the { SHORT($limit, $unit) } that
            { pronoun-its } datasheet{ plural-s } promise{ verb-s } ({ $source })
        [search] { RESOURCE($resource) } { verb-is } full from { FIXED($knee) } operations in flight on: more only wait, and with { FIXED($to) } instead of { FIXED($from) }
            the rate { $change ->
            [less] falls
           *[more] grows
        } by { PERCENT($more) }
        [latency] { RESOURCE($resource) } { verb-is } full from { FIXED($knee) } operations in flight on: with { FIXED($to) } instead of { FIXED($from) } the rate still { $change ->
            [less] falls
           *[more] grows
        } by { PERCENT($more) }, but an operation takes more than 4 times as long as where half of the rate is reached
        [queue] { RESOURCE($resource) } { verb-is } full: { pronoun-it } { verb-has } all { FIXED($takes) } requests that { pronoun-it } take{ verb-s } at once, and others wait
            for { pronoun-them } in the host { PERCENT($waiting) } of their time
       *[depth] { RESOURCE($resource) } { verb-is } full: with { FIXED($to) } operations in flight instead of { FIXED($from) } the rate { $change ->
            [less] falls
           *[more] grows
        } by { PERCENT($more) } and latency becomes { FIXED($times, decimals: 1) } times as long
    }

evidence-depth-search =
    { FIXED($to) } operations in flight instead of { FIXED($from) } change the rate by { PERCENT($gain) }
evidence-datasheet = { PERCENT($fraction) } of its datasheet
evidence-device-workers-busy =
    whether { RESOURCE($resource) } { verb-is } full cannot be seen: the workers themselves are nearly full
evidence-device-noise =
    whether { RESOURCE($resource) } give{ verb-s } more with more operations in flight is lost in the noise of the trials
evidence-device-deepest =
    { FIXED($depth) } operations in flight was the most measured; only more would show what else { RESOURCE($resource) } can
    do
evidence-device-depth-alone =
    whether { RESOURCE($resource) } { verb-is } full with { FIXED($depth) } operations in flight shows only beside a case with half or
    twice as many
evidence-device-few-trials =
    { RESOURCE($resource) } seem{ verb-s } full, but there are too few trials to be sure
evidence-device-unsure =
    { RESOURCE($resource) } seem{ verb-s } full, but the trials differ too much: twice as many operations in flight may
    give { PERCENT($gain) } more
evidence-device-not-given-more =
    with { FIXED($to) } operations in flight { RESOURCE($resource) } { verb-has } no more at once than with { FIXED($from) }: those
    added wait in the host
evidence-device-above =
    with { FIXED($to) } operations in flight { RESOURCE($resource) } { verb-has } no more at once than with { FIXED($from) }: those
    added wait above the block layer, for a throttle of a control group, a file system or the program
evidence-device-not-reached =
    whether { RESOURCE($resource) } { verb-is } full cannot be seen: the kernel passes at most { FIXED($most) } of the { FIXED($takes) }
    requests on to { pronoun-them } that { pronoun-it } take{ verb-s } at once, no more with { FIXED($to) } operations in flight than with { FIXED($from) };
    --observe block-trace shows where the others wait, and --set queue-requests lets more through
evidence-device-gives-more =
    { RESOURCE($resource) } give{ verb-s } { FIXED($times, decimals: 1) } times as much with { FIXED($to) } operations in flight as
    with { FIXED($from) }
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some(device) = measure::devices_name(case) else { return Verdict::Elsewhere };
    let device = device.as_str();
    // What gives much more than its sheet says is a cache before it, or another device.
    let is_given = |u: &&Utilization| u.kind == LimitKind::Datasheet && (FULL..=BEYOND).contains(&u.fraction);
    if let Some(used) = case.utilization.iter().find(is_given) {
        return Verdict::Full(Box::new(as_its_sheet(used)));
    }
    // Making and removing files is no operation of a device.
    let makes_files = measure::does(case, OperationClass::Metadata);
    if !measure::is_closed(case) || !measure::is_direct(case) || makes_files {
        return Verdict::Elsewhere;
    }
    let missing = |code: &str| shown(code, context.headline.unwrap_or(metric::IOPS)).arg("resource", device);
    // A worker that is nearly always busy is what does not get faster.
    let is_busy = cores::each(case, context).is_some_and(|(_, each)| each > BUSY);
    let is_busy = is_busy || cores::are_lacking(case, context);
    if is_busy && !more_workers_add_nothing(case, context) {
        return Verdict::Unknown(missing("device-workers-busy"));
    }
    if let Some((searched, search)) = context.siblings.search_of(case) {
        return match of_search(device, searched, search, context.siblings.knee_of(searched)) {
            Verdict::Full(found) => by_phase(*found, case, context),
            other => other,
        };
    }
    match flat_step(case, context) {
        Some((DoublingAnswer::Full, flat)) => return by_phase(full(device, &flat), case, context),
        Some((_, flat)) => return Verdict::Unknown(unsure(device, flat.less, &flat.step.each)),
        None => {}
    }
    // What it cannot take waits, whatever the depth.
    if let Some(AddedWait { place: WaitPlace::HardwareQueue(takes), phases }) = phases::of_case(case, context)
    {
        return Verdict::Full(Box::new(takes_no_more(takes, &phases)));
    }
    let (lower, upper) = (neighbour(case, context, false), neighbour(case, context, true));
    match (upper, upper.and_then(|u| Step::between(case, u))) {
        (Some(upper), Some(step)) if step.each.low > 0.0 => {
            Verdict::Free(gives_more(device, case, upper, &step))
        }
        (_, Some(_)) => Verdict::Unknown(missing("device-noise")),
        _ => {
            let depth = measure::concurrency(case);
            if latency::has_one_each(case) {
                return Verdict::Elsewhere;
            }
            let code = if lower.is_some() { "device-deepest" } else { "device-depth-alone" };
            Verdict::Unknown(missing(code).arg("depth", depth))
        }
    }
}

/// Whether more under way gives no more, though nothing keeps it from the device: what meters it may
/// stand there, or above the block layer.
pub(super) fn is_flat(case: &CaseResult, context: &Context<'_>) -> bool {
    match examine(case, context) {
        Verdict::Full(found) => !found.args.contains_key("fraction"),
        Verdict::Unknown(missing) => missing.code == ABOVE,
        Verdict::Free(_) | Verdict::Elsewhere => false,
    }
}

/// A greater depth that adds nothing.
struct FlatStep<'c> {
    less: &'c CaseResult,
    more: &'c CaseResult,
    step: Step,
}

/// The first step to a neighbour of a case that says that its device is full, or seems to be.
fn flat_step<'c>(case: &'c CaseResult, context: &Context<'c>) -> Option<(DoublingAnswer, FlatStep<'c>)> {
    let (lower, upper) = (neighbour(case, context, false), neighbour(case, context, true));
    let steps = [(lower, Some(case)), (Some(case), upper)].into_iter().filter_map(|(less, more)| {
        let (less, more) = less.zip(more)?;
        Some(FlatStep { less, more, step: Step::between(less, more)? })
    });
    let mut answered = steps.map(|flat| (flat.step.each.answer(), flat));
    answered.find(|(answer, _)| matches!(answer, DoublingAnswer::Full | DoublingAnswer::SeemsFull))
}

/// How far a greater depth went that adds nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deepening {
    /// Operations in flight.
    pub(super) from: f64,
    pub(super) to: f64,
    /// What it adds to the rate, as a share; less than 0 where it takes.
    pub(super) more: f64,
}

/// Where the operations of a greater depth wait that adds nothing, where the kernel's events tell.
pub(super) fn added_wait<'c>(
    case: &'c CaseResult,
    context: &Context<'c>,
) -> Option<(AddedWait<'c>, Deepening)> {
    if !measure::is_closed(case) {
        return None;
    }
    if let Some((searched, search)) = context.siblings.search_of(case) {
        let is_flat = matches!(search.ended, SearchEnd::Flat | SearchEnd::Unsure | SearchEnd::Latency);
        let step = search.growth.first().filter(|_| is_flat)?;
        let [from, to] = [step.from, step.to].map(|level| in_flight(searched, search, level));
        return Some((phases::of_case(searched, context)?, Deepening { from, to, more: step.gain }));
    }
    let (_, flat) = flat_step(case, context).filter(|(answer, _)| *answer == DoublingAnswer::Full)?;
    let [from, to] = [flat.less, flat.more].map(measure::concurrency);
    let more = flat.step.total_gain - 1.0;
    Some((phases::of_step(flat.less, flat.more, context)?, Deepening { from, to, more }))
}

/// A device that its depth says is full, and what the kernel's events make of that.
fn by_phase(found: model::Finding, case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some((AddedWait { place, phases }, Deepening { from, to, .. })) = added_wait(case, context) else {
        let missing = depths(case, context).and_then(|depths| phases::not_reached(case, depths, context));
        let missing = missing.or_else(|| {
            let (_, flat) = flat_step(case, context)?;
            device_queue::waits_above(ABOVE, flat.less, flat.more, context)
        });
        return missing.map_or_else(|| Verdict::Full(Box::new(found)), Verdict::Unknown);
    };
    let evidence = |code: &str| {
        let evidence = Evidence { code: code.to_owned(), ..Evidence::default() };
        evidence.arg("resource", phases.resource.as_str()).arg("from", from).arg("to", to)
    };
    match place {
        WaitPlace::Device => Verdict::Full(Box::new(found.because(phases.evidence()))),
        WaitPlace::HardwareQueue(takes) => Verdict::Full(Box::new(takes_no_more(takes, &phases))),
        WaitPlace::FullBefore(fewer) => {
            Verdict::Full(Box::new(found.because(at_depth(fewer)).because(phases.evidence())))
        }
        WaitPlace::Host => Verdict::Free(evidence("device-not-given-more")),
        WaitPlace::Above => Verdict::Unknown(evidence(ABOVE)),
    }
}

/// Operations in flight at each device before and after the depth that adds nothing.
fn depths(case: &CaseResult, context: &Context<'_>) -> Option<(f64, f64)> {
    if let Some((searched, search)) = context.siblings.search_of(case) {
        let each = measure::each_device(searched) / search.best as f64;
        let step = search.growth.first()?;
        return Some((step.from as f64 * each, step.to as f64 * each));
    }
    let (_, flat) = flat_step(case, context)?;
    Some((measure::each_device(flat.less), measure::each_device(flat.more)))
}

/// A device that has all that it takes at once.
fn takes_no_more(takes: f64, phases: &BlockPhases) -> model::Finding {
    let (wait_s, whole_s) = phases.in_host();
    finding("device-full", Severity::Note)
        .on(phases.resource.clone())
        .arg("how", "queue")
        .arg("takes", takes)
        .arg("waiting", wait_s / whole_s)
        .because(phases.evidence())
}

/// Operations in flight at a level of a search.
fn in_flight(searched: &CaseResult, search: &LevelSearch, level: u64) -> f64 {
    // Operations in flight for each unit of what was searched.
    level as f64 * (measure::concurrency(searched) / search.best as f64)
}

/// What a search for the most says.
fn of_search(device: &str, searched: &CaseResult, search: &LevelSearch, knee: &CaseResult) -> Verdict {
    let in_flight = |level: u64| in_flight(searched, search, level);
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
fn full(device: &str, flat: &FlatStep<'_>) -> model::Finding {
    let FlatStep { less, more, step } = flat;
    let (from, to) = (measure::concurrency(less), measure::concurrency(more));
    let more_rate = step.total_gain - 1.0;
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
        .because(at_depth(less))
        .because(at_depth(more))
}

/// What a case gives at its depth.
fn at_depth(case: &CaseResult) -> Evidence {
    let depth = measure::concurrency(case);
    let rate = measure::operations(case).map_or(0.0, |(_, rate)| rate);
    Evidence::at("depth-rate", Place::Case(case.label.to_string())).arg("rate", rate).arg("depth", depth)
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
    /// How many times faster over the whole step, and at most by its interval.
    total_gain: f64,
    total_high: f64,
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
            total_high: high,
            total_slower,
        })
    }
}

/// Whether `more`, the same work at a greater depth, gives no more however many times deeper it is.
pub(super) fn gives_no_more(less: &CaseResult, more: &CaseResult) -> bool {
    Step::between(less, more).is_some_and(|step| step.total_gain - 1.0 < GAIN && step.total_high - 1.0 < SURE)
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
mod tests;
