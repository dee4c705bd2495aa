//! Memory bandwidth that is full.

use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::CaseResult;
use model::{Resource, Severity, metric};

use super::{FULL, Verdict, finding, shown};
use crate::{Context, MEASURED_TOO_LOW, measure};

/// Threads that are added and surely bring more than this share of what those before them draw have
/// not filled the memory.
const PROPORTION: f64 = 0.75;

/// Where all cores wait for memory, it is full if it gives at least this share of what copying by all of
/// them got before: it gave that.
const NEARLY: f64 = 0.80;

pub(super) const ENGLISH: &str = r#"
memory-bound =
    { $bound ->
        [modules] that the modules can carry
       *[copy] that copying got before the run
    }

finding-memory-bandwidth-full =
    memory bandwidth is full: { $all ->
        [yes] all { $cores } cores draw what no cache holds,{" "}
       *[no] {""}
    }{ PERCENT($fraction) } of the { SHORT($limit, $unit) } { memory-bound }{ memory-beyond }

memory-beyond =
    { $beyond ->
        [yes] , so this limit was measured too low
       *[no] {""}
    }

evidence-memory = { PERCENT($fraction) } of the memory bandwidth { memory-bound }{ memory-beyond }
evidence-memory-each =
    each of { FIXED($threads) } threads draws { PERCENT($share) } of what each draws where there { $fewer ->
        [1] is only one
       *[other] are only { FIXED($fewer) }
    }: memory has more than these cores can draw
evidence-bus-estimate = what passes on the bus, estimated
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let used = case
        .utilization
        .iter()
        .find(|u| u.resource == Resource::MEMORY && matches!(u.kind, LimitKind::Measured | LimitKind::Link));
    let Some(used) = used else { return Verdict::Elsewhere };
    let place = Place::Limit { resource: Resource::MEMORY, quantity: metric::THROUGHPUT };
    let bound = if used.kind == LimitKind::Link { "modules" } else { "copy" };
    let beyond = used.kind == LimitKind::Measured && used.fraction > MEASURED_TOO_LOW;
    let evidence = Evidence::at("memory", place)
        .arg("fraction", used.fraction)
        .arg("bound", bound)
        .arg("beyond", beyond);
    // A core that waits for memory looks busy; when all of them do nothing
    // but move what no cache holds, this is what memory gives.
    let threads = measure::profile(case).concurrency.workers;
    let cores = context.machine.map_or(u64::MAX, |m| {
        // One thread a core is how memory is usually measured.
        measure::CaseCpus::of(case, Some(m)).cores(&m.inventory.cpu) as u64
    });
    let all = measure::is_of_memory(case)
        && threads >= cores
        && super::cores::each(case, context).is_some_and(|(_, each)| each >= FULL);
    if used.fraction < FULL && !(all && used.fraction >= NEARLY) {
        return Verdict::Free(evidence);
    }
    // What copying by all of them got before the run may be what the cores can draw, too.
    if used.kind == LimitKind::Measured
        && threads >= cores
        && let Some(evidence) = as_much_each(case, context)
    {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("memory-bandwidth-full", Severity::Note)
            .on(Resource::MEMORY)
            .arg("fraction", used.fraction)
            .arg("limit", used.limit)
            .arg("unit", used.unit.symbol())
            .arg("bound", bound)
            .arg("beyond", beyond)
            .arg("all", all)
            .arg("cores", cores)
            .because(evidence)
            .because(shown("bus-estimate", metric::THROUGHPUT_BUS_ESTIMATE)),
    ))
}

/// The same work by fewer threads, at most half as many.
pub(crate) fn by_fewer<'a>(case: &CaseResult, context: &Context<'a>) -> Option<&'a CaseResult> {
    let threads = measure::workers(case);
    let [_, siblings] = context.siblings.at_depths(case);
    let others = siblings.iter().map(|member| context.siblings.case(member));
    others
        .filter(|other| 2.0 * measure::workers(other) <= threads)
        .max_by(|a, b| measure::workers(a).total_cmp(&measure::workers(b)))
}

/// Of the same work by fewer threads: that each draws nearly as much as one of
/// those, surely, by trials of the same blocks.
fn as_much_each(case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let threads = measure::workers(case);
    let fewer = by_fewer(case, context).filter(|_| measure::is_of_memory(case))?;
    let times = threads / measure::workers(fewer);
    let ratio = times_of(case, fewer)?;
    let place = Place::Case(fewer.label.to_string());
    (ratio.interval.low >= in_proportion(times)).then(|| {
        Evidence::at("memory-each", place)
            .arg("threads", threads)
            .arg("fewer", measure::workers(fewer))
            .arg("share", ratio.ratio / times)
    })
}

/// How many times as much a case has, at least, whose workers are so many times as many and which has not
/// filled the memory.
fn in_proportion(times: f64) -> f64 {
    1.0 + PROPORTION * (times - 1.0)
}

fn times_of(case: &CaseResult, fewer: &CaseResult) -> Option<stats::comparison::RatioEstimate> {
    let pairs = measure::pairs(case, fewer, |trial| measure::measured(trial, metric::THROUGHPUT));
    stats::comparison::paired_ratio(&pairs, crate::CONFIDENCE)
}

/// Whether more trials beside those of fewer threads would tell.
pub(crate) fn is_open(case: &CaseResult, fewer: &CaseResult) -> bool {
    let wanted = in_proportion(measure::workers(case) / measure::workers(fewer));
    times_of(case, fewer).is_none_or(|ratio| ratio.interval.low < wanted && wanted < ratio.interval.high)
}
