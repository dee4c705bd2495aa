//! Memory bandwidth that is full.

use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::{CaseResult, Utilization};
use model::{Resource, Severity, metric};

use super::{BEYOND, FULL, Verdict, finding, of_limit, shown};
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
evidence-memory-modules-beyond =
    { PERCENT($fraction) } of what the modules can carry would pass them, so what is known of them is wrong
evidence-memory-each =
    each of { FIXED($threads) } threads draws { PERCENT($share) } of what each draws where there { $fewer ->
        [1] is only one
       *[other] are only { FIXED($fewer) }
    }: memory has more than these cores can draw
evidence-bus-estimate = what passes on the bus, estimated
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let known = case.utilization.iter().filter(|u| {
        u.resource == Resource::MEMORY && matches!(u.kind, LimitKind::Measured | LimitKind::Link)
    });
    // More than modules can carry did not pass them: then nothing is known of these.
    let is_wrong = |used: &&Utilization| used.kind == LimitKind::Link && used.fraction > BEYOND;
    let (wrong, known): (Vec<&Utilization>, Vec<&Utilization>) = known.partition(is_wrong);
    let Some(used) = known.first().copied() else {
        let evidence = |used: &&Utilization| of_limit(used, "memory-modules-beyond");
        return wrong.first().map_or(Verdict::Elsewhere, |used| Verdict::Unknown(evidence(used)));
    };
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

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, used, verdict};
    use super::*;

    #[test]
    fn full_memory_is_named() {
        let mut case = disk(1, 100.0, 100.0, 2.0);
        case.utilization = vec![used("memory", LimitKind::Measured, 1.0)];
        assert_eq!(verdict(&[case.clone()]).code, "memory-bandwidth-full");
        case.utilization = vec![used("memory", LimitKind::Link, 0.96)];
        assert!(verdict(&[case.clone()]).text.contains("that the modules can carry"));
        case.utilization = vec![used("memory", LimitKind::Link, 0.3)];
        assert!(verdict(&[case]).ruled_out.iter().any(|e| e.code == "memory"));
    }

    /// Bug: more than the modules can carry was called memory that is full.
    #[test]
    fn what_memory_modules_cannot_have_carried_says_nothing_of_memory() {
        let mut case = disk(32, 100_000.0, 300.0, 2.0);
        case.utilization = vec![used("memory", LimitKind::Link, 1.7)];
        let found = verdict(&[case.clone()]);
        assert!(found.evidence.iter().any(|e| e.code == "memory-modules-beyond"), "{found:?}");
        case.utilization.push(used("memory", LimitKind::Measured, 0.97));
        assert_eq!(verdict(&[case]).code, "memory-bandwidth-full", "what was measured is known");
    }
}
