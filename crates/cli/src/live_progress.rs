//! How far a run is, for those who look at it from elsewhere (`headroom serve`): said in a file in memory, at most some times
//! a second. While somebody looks, trials that begin also say what their load did in each second.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use model::LatencyOverTime;
use model::event::{AgentEvent, Event, IntervalFigures};
use store::RunProgress;

/// Between two words.
const EVERY: Duration = Duration::from_millis(250);

/// How long the intervals of a trial are that somebody looks at, in seconds.
const INTERVAL_S: f64 = 1.0;

/// So many intervals of a trial are told at most: where it has more, neighbours are put together.
const INTERVALS_MOST: usize = 120;

/// How long the intervals are, in seconds, where somebody looks now.
pub(crate) fn interval_s() -> Option<f64> {
    RunProgress::is_watched().then_some(INTERVAL_S)
}

/// What was said, and when.
#[derive(Debug, Default)]
pub(crate) struct LiveProgress {
    progress: RunProgress,
    trial: LiveTrial,
    said: Option<Instant>,
}

/// The latencies of the trial under way.
#[derive(Debug, Default)]
struct LiveTrial {
    /// When the first interval began, and how long each is, in seconds.
    span: Option<(f64, f64)>,
    /// Counts by step, an interval each.
    intervals: Vec<BTreeMap<u32, u64>>,
}

impl LiveTrial {
    fn add(&mut self, figures: &IntervalFigures) {
        let length = figures.end_s - figures.start_s;
        // The first may have begun later than an interval does.
        let (from, length) =
            *self.span.get_or_insert((figures.end_s - length.max(INTERVAL_S), length.max(INTERVAL_S)));
        let at = ((figures.start_s - from) / length + 1e-6).max(0.0) as usize;
        if at >= INTERVALS_MOST {
            self.span = Some((from, 2.0 * length));
            let pairs = self.intervals.chunks(2);
            self.intervals =
                pairs.map(|pair| together(pair.iter().flatten().map(|(s, n)| (*s, *n)))).collect();
            return if at < 4 * INTERVALS_MOST {
                self.add(figures)
            };
        }
        if self.intervals.len() <= at {
            self.intervals.resize(at + 1, BTreeMap::new());
        }
        let before = std::mem::take(&mut self.intervals[at]);
        self.intervals[at] = together(before.into_iter().chain(figures.latency_steps.iter().copied()));
    }

    fn latency(&self) -> Option<(f64, LatencyOverTime)> {
        let (from, length) = self.span?;
        let over_time = LatencyOverTime::of(0, (length * 1e9) as u64, &self.intervals)?;
        Some((from, over_time))
    }
}

/// Counts of the same step as one.
fn together(counts: impl Iterator<Item = (u32, u64)>) -> BTreeMap<u32, u64> {
    let mut all = BTreeMap::new();
    for (step, count) in counts {
        let sum: &mut u64 = all.entry(step).or_default();
        *sum = sum.saturating_add(count);
    }
    all
}

impl LiveProgress {
    pub(crate) fn hear(&mut self, event: &Event) {
        let is_new = match event {
            Event::TrialStarted { label, .. } => {
                self.progress.case.clone_from(label);
                self.progress.trial += 1;
                self.trial = LiveTrial::default();
                (self.progress.latest, self.progress.latency) = (None, None);
                true
            }
            Event::TimeLeft { done_s, total_s } => {
                self.progress.seconds = Some((*done_s, *total_s));
                true
            }
            Event::Agent(AgentEvent::Interval(figures)) => {
                self.trial.add(figures);
                self.progress.latest = Some(figures.clone());
                self.progress.latency = self.trial.latency();
                true
            }
            _ => false,
        };
        if is_new && self.said.is_none_or(|said| said.elapsed() >= EVERY) {
            self.said = Some(Instant::now());
            // Where it cannot be said, nobody sees it.
            let _ = self.progress.write();
        }
    }
}

impl Drop for LiveProgress {
    fn drop(&mut self) {
        if self.said.is_some() {
            RunProgress::take_away();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(start_s: f64, end_s: f64) -> IntervalFigures {
        IntervalFigures {
            start_s,
            end_s,
            latency_steps: vec![(50, 3), (60, 1)],
            ..IntervalFigures::default()
        }
    }

    #[test]
    fn seconds_of_a_trial_are_columns_and_a_warm_up_lies_below_zero() {
        let mut trial = LiveTrial::default();
        assert_eq!(trial.latency(), None);
        for (from, to) in [(-0.4, 0.0), (0.0, 1.0), (1.0, 2.0), (2.0, 2.3)] {
            trial.add(&second(from, to));
        }
        let (from, over_time) = trial.latency().unwrap();
        assert_eq!((from, over_time.interval_ns, over_time.first_step), (-1.0, 1_000_000_000, 50));
        assert_eq!(over_time.counts.len(), 4);
        assert_eq!((over_time.counts[0][0], over_time.counts[3][10]), (3, 1));
    }

    #[test]
    fn a_long_trial_has_longer_columns_and_all_its_operations() {
        let mut trial = LiveTrial::default();
        for second_number in 0..1000 {
            trial.add(&second(f64::from(second_number), f64::from(second_number + 1)));
        }
        let (from, over_time) = trial.latency().unwrap();
        assert!(from == 0.0 && over_time.counts.len() <= INTERVALS_MOST, "{}", over_time.counts.len());
        assert_eq!(over_time.interval_ns, 16_000_000_000);
        assert_eq!(over_time.counts.iter().flatten().sum::<u64>(), 4000);
        // What lies beyond all time is no reason to wait for ever.
        trial.add(&second(1e300, 2e300));
        trial.add(&second(f64::NAN, 1.0));
    }
}
