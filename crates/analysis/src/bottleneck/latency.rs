//! Nothing is full: the load waits for its own operations.

use language::format::{percent, setting};
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Severity, Unit};

use super::device::{same_but_depth, surely_more};
use super::{Candidate, Verdict, finding, shown};
use crate::{Context, measure};

/// So much more at a greater depth says that there was room.
const GAIN: f64 = 0.05;

/// From this share of the time on syncs are felt.
const FELT: f64 = 0.1;

/// The candidate.
pub(super) struct Latency;

impl Candidate for Latency {
    fn examine(&self, case: &CaseResult, context: &Context<'_>) -> Verdict {
        let Some(mean) = measure::mean_latency(case).filter(|_| measure::is_closed(case)) else {
            return Verdict::Elsewhere;
        };
        // A write into the page cache says nothing of the device.
        if measure::device(case).is_none() || !measure::is_direct(case) {
            return Verdict::Elsewhere;
        }
        let depth = measure::concurrency(case);
        let better = context
            .siblings
            .iter()
            .filter(|other| same_but_depth(case, other) && measure::concurrency(other) > depth)
            .find(|other| surely_more(case, other) && gain(case, other).is_some_and(|g| g > GAIN));
        if depth > 1.0 && better.is_none() {
            return Verdict::Elsewhere;
        }
        let each = setting(mean, Unit::Seconds);
        let sync = syncing(case, depth);
        let text = match sync {
            Some(Syncing { mean, share }) => format!(
                "latency-bound: {depth:.0} at a time, each {each}, and {} of the time is spent in syncs of {}; nothing \
                 known is full",
                percent(share),
                setting(mean, Unit::Seconds)
            ),
            None => format!("latency-bound: {depth:.0} at a time, each {each}; nothing known is full"),
        };
        let mut found = finding("latency-bound", Severity::Note, text)
            .arg("depth", depth)
            .arg("latency_s", mean)
            .arg("syncs", sync.is_some())
            .because(measure::latency_evidence(mean));
        if let Some(Syncing { mean, share }) = sync {
            let says = format!("{} in the mean", setting(mean, Unit::Seconds));
            found = found
                .arg("sync_s", mean)
                .arg("sync_share", share)
                .because(shown("sync", "syncs_per_second", says).arg("latency_s", mean));
        }
        if let Some(better) = better {
            let place = Place::Case(better.label.clone());
            let deeper = measure::concurrency(better);
            let more = Evidence::at("deeper", place, format!("depth {deeper:.0} gives more"));
            found = found.because(more.arg("depth", deeper));
        } else {
            let queued = case.parameters.get("queue-depth").is_some();
            let what =
                if queued { "a greater --queue-depth or more --threads show" } else { "more --threads show" };
            found = found.arg("queued", queued).advise(format!("{what} how much the device can do at once"));
        }
        found.resource = measure::devices_name(case);
        Verdict::Full(Box::new(found))
    }
}

/// What syncs cost.
#[derive(Clone, Copy)]
struct Syncing {
    /// How long one takes in the mean, s.
    mean: f64,
    /// The share of the workers' time.
    share: f64,
}

/// What syncs cost where that is felt.
fn syncing(case: &CaseResult, depth: f64) -> Option<Syncing> {
    let rate = case.estimates.get("syncs_per_second")?.median;
    let mean = measure::median(case, |t| measure::mean_of(&t.result.histograms, "sync_latency"))?;
    let share = (rate * mean / depth).min(1.0);
    (share >= FELT).then_some(Syncing { mean, share })
}

/// How much more `other` gives, 0.05 for 5 %.
fn gain(case: &CaseResult, other: &CaseResult) -> Option<f64> {
    let ((_, own), (_, others)) = measure::operations(case).zip(measure::operations(other))?;
    (own > 0.0).then_some(others / own - 1.0)
}
