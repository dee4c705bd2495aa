//! How the clock of the other machine stands to ours, and times moved from one to the other.
//!
//! Clocks are compared the way NTP does (RFC 5905, section 8): of several
//! requests for the time, the one that came back soonest says how far the clocks
//! are apart, to within half of the time that it was away.

use engine::clock;
use model::message::{Reply, Request};
use model::trial::{Timeline, TrialResult};

use crate::{Agent, AgentError, CallContext, unexpected};

/// How often the far end is asked for the time before a trial.
const TIME_QUESTIONS: usize = 32;

/// How the clock of another machine stands to ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    /// Add this to a time of ours to have theirs, ns.
    pub(super) ns: i64,
    /// How wrong that may be, ns.
    pub(super) uncertainty_ns: u64,
}

/// How the clock behind `far` stands to ours.
pub(super) fn compare_clocks(far: &mut dyn Agent, watch: &mut CallContext<'_>) -> Result<Offset, AgentError> {
    let mut best: Option<Offset> = None;
    for _ in 0..TIME_QUESTIONS {
        let asked_ns = clock::now_ns();
        let theirs_ns = match far.call(Request::Time, watch)? {
            Reply::Time(ns) => ns,
            other => return Err(unexpected(other)),
        };
        let away_ns = clock::now_ns() - asked_ns;
        let middle_ns = asked_ns + away_ns / 2;
        let ns = i64::try_from(i128::from(theirs_ns) - i128::from(middle_ns)).unwrap_or_default();
        let one = Offset { ns, uncertainty_ns: away_ns.div_ceil(2) };
        if best.is_none_or(|b| one.uncertainty_ns < b.uncertainty_ns) {
            best = Some(one);
        }
    }
    best.ok_or_else(|| AgentError::Failed("nobody told the time".to_owned()))
}

/// Adds `offset_ns` to a time; "never" stays never.
pub(super) fn shifted(at_ns: u64, offset_ns: i64) -> u64 {
    if at_ns == u64::MAX { at_ns } else { at_ns.saturating_add_signed(offset_ns) }
}

/// Times of ours by the clock of the other end.
pub(super) fn far_times(times: Timeline, offset_ns: i64) -> Timeline {
    Timeline {
        start_ns: shifted(times.start_ns, offset_ns),
        window_ns: shifted(times.window_ns, offset_ns),
        end_ns: shifted(times.end_ns, offset_ns),
        interval_ns: times.interval_ns,
    }
}

/// Moves all times of a result.
pub(super) fn to_clock(result: &mut TrialResult, offset_ns: i64) {
    let moved = |ns: &mut u64| *ns = shifted(*ns, offset_ns);
    if let Some(window) = &mut result.window {
        moved(&mut window.start_ns);
        moved(&mut window.end_ns);
    }
    let of_loads = result.loads.iter_mut().flat_map(|load| &mut load.series);
    let sampled = result.machines.iter_mut().flat_map(|machine| &mut machine.series);
    of_loads.chain(sampled).for_each(|s| moved(&mut s.start_ns));
    let over_time = result.loads.iter_mut().filter_map(|load| load.latency_over_time.as_mut());
    over_time.for_each(|over_time| moved(&mut over_time.start_ns));
    for counter in result.machines.iter_mut().flat_map(|machine| &mut machine.counters) {
        moved(&mut counter.before_ns);
        moved(&mut counter.after_ns);
    }
}
