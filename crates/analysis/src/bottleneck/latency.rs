//! Nothing is full: the load waits for its own operations.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Severity, metric};

use super::device::surely_more;
use super::{Verdict, finding, shown};
use crate::siblings::Member;
use crate::{Context, measure};

/// So much more at a greater depth says that there was room.
const GAIN: f64 = 0.05;

/// From this share of the time on syncs are felt.
const FELT: f64 = 0.1;

pub(super) const ENGLISH: &str = r#"
finding-latency-bound =
    latency-bound: { $depth ->
        [1] 1 operation
       *[other] { FIXED($depth) } operations
    } in flight, each { SHORT($latency_s, unit: "s") }{ $syncs ->
        [yes] , and { PERCENT($sync_share) } of the time is spent in syncs of { SHORT($sync_s, unit: "s") }
       *[no] {""}
    }; nothing known is full
    .advice =
        { $deeper ->
            [0] { $queued ->
                [yes] a greater --queue-depth or more --threads show
               *[no] more --threads show
            } how much the device can do at once
           *[other] {""}
        }

evidence-sync = { SHORT($latency_s, unit: "s") } on average
evidence-deeper = { FIXED($depth) } operations in flight give more
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some(mean) = measure::mean_latency(case).filter(|_| measure::is_closed(case)) else {
        return Verdict::Elsewhere;
    };
    // A write into the page cache says nothing of the device.
    if measure::device(case).is_none() || !measure::is_direct(case) {
        return Verdict::Elsewhere;
    }
    let depth = measure::concurrency(case);
    let better = deeper_and_better(case, context);
    if depth > 1.0 && better.is_none() {
        return Verdict::Elsewhere;
    }
    let sync = syncing(case, depth);
    let mut found = finding("latency-bound", Severity::Note)
        .arg("depth", depth)
        .arg("latency_s", mean)
        .arg("syncs", sync.is_some())
        .arg("queued", measure::profile(case).concurrency.depth.is_some())
        .arg("deeper", better.map_or(0.0, measure::concurrency))
        .because(measure::latency_evidence(mean));
    if let Some((mean, share)) = sync {
        found = found
            .arg("sync_s", mean)
            .arg("sync_share", share)
            .because(shown("sync", metric::SYNCS_PER_SECOND).arg("latency_s", mean));
    }
    if let Some(better) = better {
        let more = Evidence::at("deeper", Place::Case(better.label.to_string()));
        found = found.because(more.arg("depth", measure::concurrency(better)));
    }
    found.resource = measure::devices_name(case);
    Verdict::Full(Box::new(found))
}

/// What syncs cost where that is felt: how long one takes in the mean, s, and the share of
/// the workers' time.
fn syncing(case: &CaseResult, depth: f64) -> Option<(f64, f64)> {
    let rate = measure::estimated(case, metric::SYNCS_PER_SECOND)?;
    let mean =
        measure::median(case, |t| measure::mean_of(&t.result.main().histograms, metric::SYNC_LATENCY))?;
    let share = (rate * mean / depth).min(1.0);
    (share >= FELT).then_some((mean, share))
}

/// The first case of the run that does the same work at a greater depth and
/// surely gives more.
pub(super) fn deeper_and_better<'a>(case: &CaseResult, context: &Context<'a>) -> Option<&'a CaseResult> {
    let (depth, (_, own)) = (measure::concurrency(case), measure::operations(case)?);
    // Nearly all that give no more are told by a division, the others by what
    // their trials say.
    let gives_more = |other: &&Member| {
        let gain = other.rate.filter(|_| own > 0.0).map(|rate| rate / own - 1.0);
        other.depth > depth
            && gain.is_some_and(|gain| gain > GAIN)
            && surely_more(case, context.siblings.case(other))
    };
    let groups = context.siblings.at_depths(case);
    let first = groups.iter().filter_map(|group| group.iter().find(gives_more)).min_by_key(|m| m.place);
    first.map(|member| context.siblings.case(member))
}
