//! How the latency of a load was spread over time: what a percentile of the whole window hides.

use chart::plot::LatencyMap;
use language::format::Rates;
use model::{LatencyOverTime, Unit};

use super::{SampledTrial, which};
use crate::figure::Figure;

/// From 1 ns to more than an hour: a document with more steps is none of ours.
const STEPS_MOST: usize = 140;

/// And with more intervals.
const INTERVALS_MOST: usize = 1200;

pub(super) fn figure(sampled_trial: &SampledTrial<'_>, title: String) -> Option<Figure> {
    let words = sampled_trial.view.words;
    let over_time = sampled_trial.trial.result.main().latency_over_time.as_ref()?;
    let steps = over_time.counts.iter().map(Vec::len).max()?;
    if !(1..=STEPS_MOST).contains(&steps) || !(2..=INTERVALS_MOST).contains(&over_time.counts.len()) {
        return None;
    }
    let plot = LatencyMap {
        title: words.say("figure-latency-operations"),
        time: (words.say("figure-latency-time"), times(over_time, sampled_trial.window.start_ns)),
        latency: (words.say("figure-latency-from"), latencies(over_time, steps)),
        // The longest is at the top.
        counts: (0..steps).rev().map(|step| row(over_time, step)).collect(),
    };
    let notes = [which(sampled_trial), words.say("figure-latency-note")];
    Some(Figure::new("latency-map", title, plot).note(notes))
}

/// When each interval began, in seconds from the start of the window.
fn times(over_time: &LatencyOverTime, window_ns: u64) -> Vec<String> {
    let decimals = if over_time.interval_ns < 100_000_000 { 2 } else { 1 };
    let start = i128::from(over_time.start_ns) - i128::from(window_ns);
    let at = |place: usize| (start + i128::from(over_time.interval_ns) * place as i128) as f64 / 1e9;
    (0..over_time.counts.len()).map(|place| format!("{:.decimals$}", at(place))).collect()
}

/// The least latency of each step, the longest first.
fn latencies(over_time: &LatencyOverTime, steps: usize) -> Vec<String> {
    let from = |step: usize| {
        let step = over_time.first_step.saturating_add(u32::try_from(step).unwrap_or(u32::MAX));
        Rates::Bytes.rough(LatencyOverTime::from_s(step), Unit::Seconds)
    };
    (0..steps).rev().map(from).collect()
}

/// The counts of one step.
fn row(over_time: &LatencyOverTime, step: usize) -> Vec<u64> {
    over_time.counts.iter().map(|counts| counts.get(step).copied().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use model::run::CaseResult;

    use super::*;
    use crate::figure::samples::sampled_trial;
    use crate::figure::tests::fixture::{disk, run, sampled, seen, series};

    /// The kind of the chart that a case gets, if it gets one.
    fn kind_of(case: &CaseResult) -> Option<&'static str> {
        let run = run(Vec::new());
        let found =
            |sampled_trial: &SampledTrial<'_>| figure(sampled_trial, "disk".to_owned()).map(|made| made.kind);
        seen(&run, |view| found(&sampled_trial(view, &[case]).unwrap()))
    }

    #[test]
    fn the_longest_latency_is_the_first_row_and_the_warm_up_is_below_zero() {
        let over_time = LatencyOverTime {
            start_ns: 800_000_000,
            interval_ns: 200_000_000,
            first_step: 50,
            counts: vec![vec![9, 0], vec![7, 0], vec![1, 2]],
        };
        assert_eq!(times(&over_time, 1_000_000_000), ["-0.2", "0.0", "0.2"]);
        assert_eq!(latencies(&over_time, 2), ["126 µs", "100 µs"]);
        assert_eq!(row(&over_time, 1), [0, 0, 2]);
    }

    #[test]
    fn a_trial_has_a_map_where_its_latency_is_known_over_time() {
        let rates = [series("load", "operations", Unit::PerSecond, 1_000_000_000, &[10.0, 20.0])];
        let mut case = sampled(disk("randread", 4096, 8, 80e3), &rates);
        assert_eq!(kind_of(&case), None);
        let over_time = |counts| LatencyOverTime {
            start_ns: 1_000_000_000,
            interval_ns: 500_000_000,
            first_step: 50,
            counts,
        };
        for trial in &mut case.trials {
            trial.result.main_mut().latency_over_time = Some(over_time(vec![vec![1], vec![2]]));
        }
        assert_eq!(kind_of(&case), Some("latency-map"));
        for trial in &mut case.trials {
            trial.result.main_mut().latency_over_time = Some(over_time(vec![vec![1; 500]; 2]));
        }
        assert_eq!(kind_of(&case), None, "no load has so many steps");
    }
}
