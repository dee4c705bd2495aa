//! The queue of an open loop that grows: more becomes due than is done, so that each operation waits a little longer than the one
//! before. A rate in the window says so only where it is far below what was asked for; how long operations took since they were
//! due says it sooner, for what is missing adds up (Little's law: a queue of q operations at a rate of r takes q / r).

use model::LatencyOverTime;
use model::run::CaseResult;
use model::trial::Trial;

use super::{good, is_closed, profile};

/// Parts of the window whose means are held against each other.
const PARTS: usize = 4;

/// Each part has so many intervals at least.
const INTERVALS_LEAST: usize = 2;

/// From this share of what becomes due on that is added to the queue, it is no chance: a latency that grows by 3 ms each second.
const FELT: f64 = 0.003;

/// The last part takes so many times as long as the first: after a warm-up as long as twice the window it is still more.
const TIMES: f64 = 1.2;

/// And so many times where there is but one trial to tell.
const TIMES_OF_ONE: f64 = 1.5;

/// A queue that grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlog {
    /// Operations that it is longer by after each second.
    pub(crate) per_s: f64,
    /// The same as a share of those that are done.
    pub(crate) share: f64,
    /// How long an operation took since it was due, s: in the first quarter of the window and in the last, in the mean.
    pub(crate) first_s: f64,
    pub(crate) last_s: f64,
}

impl Backlog {
    /// That of a load which is asked for a rate, if it grows in all trials.
    pub(crate) fn of(case: &CaseResult) -> Option<Self> {
        let asked = profile(case).concurrency.rate_per_s.filter(|asked| *asked > 0.0 && !is_closed(case))?;
        let all: Vec<Option<[f64; PARTS]>> = good(case).map(means).collect();
        let least = if all.len() > 1 { TIMES } else { TIMES_OF_ONE };
        let grown: Vec<[f64; PARTS]> = all.into_iter().collect::<Option<_>>()?;
        let window_s = super::median(case, |trial| Some(trial.result.window?.seconds()))?;
        let of_trial = |means: &[f64; PARTS]| {
            let [first, .., last] = *means;
            let is_rising = means.windows(2).all(|pair| pair[1] > pair[0]);
            // From the middle of the first part to that of the last.
            let share = (last - first) / (window_s * (PARTS - 1) as f64 / PARTS as f64);
            (is_rising && last >= least * first && share >= FELT).then_some((share, first, last))
        };
        let mut grown: Vec<(f64, f64, f64)> = grown.iter().map(of_trial).collect::<Option<_>>()?;
        grown.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (slope, first_s, last_s) = grown.get(grown.len().checked_sub(1)? / 2).copied()?;
        // Of what becomes due in a second, 1 / (1 + slope) is done in it.
        Some(Self { per_s: asked * slope / (1.0 + slope), share: slope, first_s, last_s })
    }
}

/// How long operations that ended in each part of the window took in the mean, s.
fn means(trial: &Trial) -> Option<[f64; PARTS]> {
    let over_time = trial.result.main().latency_over_time.as_ref()?;
    let window = trial.result.window?;
    let start_of = |place: usize| over_time.start_ns + place as u64 * over_time.interval_ns;
    let inside = |place: &usize| {
        start_of(*place) >= window.start_ns && start_of(*place) + over_time.interval_ns <= window.end_ns
    };
    let intervals: Vec<usize> = (0..over_time.counts.len()).filter(inside).collect();
    let each = Some(intervals.len() / PARTS).filter(|each| *each >= INTERVALS_LEAST)?;
    let mut found = [0.0; PARTS];
    for (part, mean) in found.iter_mut().enumerate() {
        let own = &intervals[intervals.len() - (PARTS - part) * each..][..each];
        *mean = mean_of(over_time, own)?;
    }
    Some(found)
}

fn mean_of(over_time: &LatencyOverTime, intervals: &[usize]) -> Option<f64> {
    let (mut all, mut time_s) = (0.0, 0.0);
    for place in intervals {
        for (step, count) in over_time.counts.get(*place)?.iter().enumerate() {
            let step = over_time.first_step + u32::try_from(step).ok()?;
            let middle_s = (LatencyOverTime::from_s(step) * LatencyOverTime::from_s(step + 1)).sqrt();
            all += *count as f64;
            time_s += *count as f64 * middle_s;
        }
    }
    (all > 0.0).then(|| time_s / all)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use model::trial::Window;

    use super::*;
    use crate::validity::fixture;

    /// Has the operations of a case, asked for at so many a second, take what `latency_s` says of each moment of a window of two
    /// seconds that begins after one of warm-up.
    pub(crate) fn taking(case: &mut CaseResult, rate: f64, latency_s: impl Fn(f64) -> f64) {
        fixture::set(case, "rate", rate);
        for trial in &mut case.trials {
            trial.result.window = Some(Window { start_ns: 1_000_000_000, end_ns: 3_000_000_000 });
            let counts = (0..30).map(|tenth| {
                let at_s = (f64::from(tenth) + 0.5) / 10.0;
                let step = LatencyOverTime::step_of((latency_s(at_s) * 1e9) as u64);
                BTreeMap::from([(step, (rate / 10.0) as u64)])
            });
            let all: Vec<_> = counts.collect();
            trial.result.main_mut().latency_over_time = LatencyOverTime::of(0, 100_000_000, &all);
        }
    }

    fn found(trials: u32, latency_s: impl Fn(f64) -> f64) -> Option<Backlog> {
        let mut case = fixture::case(trials);
        taking(&mut case, 1000.0, latency_s);
        Backlog::of(&case)
    }

    #[test]
    fn a_queue_that_gets_longer_all_the_time_is_one_of_a_rate_that_is_too_high() {
        let two = found(3, |at_s| 0.001 + 0.02 * at_s).unwrap();
        assert!((two.share - 0.02).abs() < 0.004 && (two.per_s - 20.0).abs() < 4.0, "{two:?}");
        assert!(two.last_s > 1.5 * two.first_s, "{two:?}");
        assert!(found(1, |at_s| 0.02 * at_s).is_some(), "one trial tells of one that doubles");
    }

    #[test]
    fn a_queue_that_stands_or_comes_and_goes_is_none() {
        assert!(found(3, |_| 0.001).is_none());
        assert!(found(3, |at_s| if (1.5..2.0).contains(&at_s) { 0.05 } else { 0.001 }).is_none(), "a moment");
        assert!(found(3, |at_s| 0.0001 + 0.0004 * at_s).is_none(), "it gets slower, but hardly");
        assert!(found(3, |at_s| 0.5 + 0.01 * at_s).is_none(), "long, and hardly longer");
    }
}
