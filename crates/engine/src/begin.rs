//! Who says when the loads of a session start, and what the times then are.

use std::time::Duration;

use crate::clock;
use crate::session::Session;
use crate::stop::StopRule;
use model::trial::Timeline;

/// The longest that series of a window that time ends may get, in intervals:
/// beyond it, intervals are made longer.
const INTERVALS_MAX: u64 = 1200;

/// How many intervals a window has if nobody asks otherwise: what MSER-5 needs
/// to judge.
const INTERVALS_USUAL: u64 = 100;

/// The usual interval of loads that end by count, whose length nobody knows.
const INTERVAL_BY_COUNT_NS: u64 = 100_000_000;

/// How far ahead of now the start is set, so that every worker is awake.
const LEAD_NS: u64 = 2_000_000;

/// How often a session asks for times that somebody else decides.
pub(crate) const LOOK: Duration = Duration::from_millis(1);

/// Who says when the loads of a session start.
#[derive(Clone, Copy, Default)]
pub enum Begin<'a> {
    /// The session: as soon as every worker is awake.
    #[default]
    Soon,
    /// The session, so many nanoseconds ahead: somebody else must be told.
    Ahead(u64),
    /// Somebody else, who decides all times; asked until there is an answer.
    Told(&'a (dyn Fn() -> Option<Timeline> + Sync)),
}

impl Begin<'_> {
    /// The times of `session`, decided now. Where somebody wants figures every `line_ns`, intervals of the usual
    /// length are shortened so that whole ones make up that time.
    pub(crate) fn timeline(self, session: &Session<'_>, line_ns: Option<u64>) -> Timeline {
        let lead_ns = match self {
            Begin::Ahead(ns) => ns.max(LEAD_NS),
            _ => LEAD_NS,
        };
        let start_ns = clock::now_ns().saturating_add(lead_ns);
        let window_ns = start_ns.saturating_add(session.warm_up_ns);
        match session.loads.first().map(|l| l.stop) {
            Some(StopRule::Time(duration_ns)) => {
                // A window without length has no rate.
                let duration_ns = duration_ns.max(1);
                let usual_ns = || dividing(usual_interval_ns(session, duration_ns), line_ns);
                let wanted_ns = session.interval_ns.unwrap_or_else(usual_ns);
                let intervals = (duration_ns / wanted_ns.max(1)).clamp(1, INTERVALS_MAX);
                let interval_ns = duration_ns.div_ceil(intervals);
                let end_ns = window_ns.saturating_add(interval_ns.saturating_mul(intervals));
                Timeline { start_ns, window_ns, interval_ns, end_ns }
            }
            _ => {
                let usual_ns = || dividing(INTERVAL_BY_COUNT_NS, line_ns);
                let interval_ns = session.interval_ns.unwrap_or_else(usual_ns);
                Timeline { start_ns, window_ns, interval_ns, end_ns: u64::MAX }
            }
        }
    }
}

/// Short enough to see when a load settles, long enough that putting the
/// intervals together (measured: some 60 us of CPU for each worker's, the
/// sampler included) takes less than 10 % of one CPU, however many workers.
fn usual_interval_ns(session: &Session<'_>, duration_ns: u64) -> u64 {
    let workers: usize = session.loads.iter().map(|l| l.cpus.len()).sum();
    let least = 10_000_000 * (workers as u64).div_ceil(16);
    (duration_ns / INTERVALS_USUAL).clamp(least, least.max(1_000_000_000))
}

/// The longest interval up to `interval_ns` of which a whole number makes up `line_ns`.
fn dividing(interval_ns: u64, line_ns: Option<u64>) -> u64 {
    let part = |line_ns: u64| (line_ns / line_ns.div_ceil(interval_ns.max(1)).max(1)).max(1);
    line_ns.map_or(interval_ns, part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_intervals_make_up_a_line() {
        const MS: u64 = 1_000_000;
        assert_eq!(dividing(300 * MS, None), 300 * MS);
        assert_eq!(dividing(300 * MS, Some(1000 * MS)), 250 * MS);
        assert_eq!(dividing(100 * MS, Some(1000 * MS)), 100 * MS);
        assert_eq!(dividing(1000 * MS, Some(200 * MS)), 200 * MS);
        assert_eq!(dividing(1000 * MS, Some(0)), 1);
    }
}
