//! How the latency of a load was spread over time: what a percentile of the whole window hides.

use chart::plot::LatencyMap;
use language::Words;
use language::format::Rates;
use model::run::CaseResult;
use model::{LatencyOverTime, Unit, Value};

use super::{SampledTrial, called, middle, which_trial};
use crate::figure::{Figure, factors, some_of};

/// From 1 ns to more than an hour: a document with more steps is none of ours.
const STEPS_MOST: usize = 140;

/// And with more intervals.
const INTERVALS_MOST: usize = 1200;

/// Cases of one workload that have a map.
const EACH_MOST: usize = 6;

/// Maps of a workload's cases, so many at most: first of the case that is shown over time, then of the others.
pub(super) fn figures<'a>(
    sampled_trial: &SampledTrial<'a>,
    cases: &[&'a CaseResult],
    most: usize,
) -> Vec<Figure> {
    let view = sampled_trial.view;
    let factors = factors::of(view, cases);
    let other = |case: &'a CaseResult| {
        let (trial, window) = middle(view, case)?;
        Some(SampledTrial { case, trial, window, ..*sampled_trial })
    };
    let others = cases.iter().copied().filter(|case| !std::ptr::eq(*case, sampled_trial.case));
    let all: Vec<SampledTrial<'a>> = std::iter::once(*sampled_trial)
        .chain(others.filter_map(other))
        .filter(|one| one.trial.result.main().latency_over_time.is_some())
        .collect();
    let made = all.iter().filter_map(|one| {
        let case = called(one, &factors, cases.len());
        figure(one, view.words.tell("figure-latency-over-time", &[("case", Value::Text(case))]))
    });
    let mut made: Vec<Figure> = made.take(most.min(EACH_MOST)).collect();
    let shown = made.len();
    if let Some(last) = made.last_mut().filter(|_| shown < all.len()) {
        last.notes.push(some_of(view.words, "figure-latency-some", (shown, all.len())));
    }
    made
}

pub(super) fn figure(sampled_trial: &SampledTrial<'_>, title: String) -> Option<Figure> {
    let words = sampled_trial.view.words;
    let over_time = sampled_trial.trial.result.main().latency_over_time.as_ref()?;
    let from_ns = i128::from(over_time.start_ns) - i128::from(sampled_trial.window.start_ns);
    if over_time.counts.len() < 2 {
        return None;
    }
    let plot = latency_map(over_time, from_ns as f64 / 1e9, words)?;
    let notes = [which_trial(sampled_trial), words.say("figure-latency-note")];
    let length = |ns: u64| Value::Text(Rates::Bytes.rough(ns as f64 / 1e9, Unit::Seconds));
    let shorter = over_time.last_interval_ns.map(|last_ns| {
        let lengths = [("last", length(last_ns)), ("others", length(over_time.interval_ns))];
        words.tell("figure-latency-last", &lengths)
    });
    Some(Figure::new("latency-map", title, plot).note(notes).note(shorter))
}

/// The map of counts whose first interval began so many seconds from the start of the window; none of a document that has
/// more than any load, or nothing.
#[must_use]
pub fn latency_map(over_time: &LatencyOverTime, from_s: f64, words: &Words) -> Option<LatencyMap> {
    let steps = over_time.counts.iter().map(Vec::len).max()?;
    if !(1..=STEPS_MOST).contains(&steps) || over_time.counts.len() > INTERVALS_MOST {
        return None;
    }
    Some(LatencyMap {
        title: words.say("figure-latency-operations"),
        time: (words.say("figure-latency-time"), times(over_time, from_s)),
        latency: (words.say("figure-latency-from"), latencies(over_time, steps)),
        // The longest is at the top.
        counts: (0..steps).rev().map(|step| row(over_time, step)).collect(),
    })
}

/// When each interval began, in seconds from the start of the window.
fn times(over_time: &LatencyOverTime, from_s: f64) -> Vec<String> {
    let decimals = if over_time.interval_ns < 100_000_000 { 2 } else { 1 };
    let at = |place: usize| from_s + over_time.interval_ns as f64 * place as f64 / 1e9;
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
            last_interval_ns: None,
            first_step: 50,
            counts: vec![vec![9, 0], vec![7, 0], vec![1, 2]],
        };
        assert_eq!(times(&over_time, -0.2), ["-0.2", "0.0", "0.2"]);
        assert_eq!(latencies(&over_time, 2), ["126 us", "100 us"]);
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
            last_interval_ns: None,
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

    #[test]
    fn every_case_has_a_map_up_to_a_few_and_the_last_tells_of_the_rest() {
        let rates = [series("load", "operations", Unit::PerSecond, 1_000_000_000, &[10.0, 20.0])];
        let cases: Vec<CaseResult> = (1..=8)
            .map(|depth| {
                let mut case = sampled(disk("randread", 4096, depth, 80e3), &rates);
                for trial in &mut case.trials {
                    trial.result.main_mut().latency_over_time = Some(LatencyOverTime {
                        start_ns: 1_000_000_000,
                        interval_ns: 500_000_000,
                        last_interval_ns: Some(100_000_000),
                        first_step: 50,
                        counts: vec![vec![1], vec![2]],
                    });
                }
                case
            })
            .collect();
        let run = run(cases);
        let own: Vec<&CaseResult> = run.cases.iter().collect();
        let notes = |most: usize| -> Vec<String> {
            seen(&run, |view| {
                let made = figures(&sampled_trial(view, &own).unwrap(), &own, most);
                made.iter().map(|figure| figure.notes.join(" ")).collect()
            })
        };
        let made = notes(12);
        assert_eq!(made.len(), 6);
        assert!(made[5].contains("6 of 8") && !made[4].contains("6 of 8"), "{made:?}");
        let shorter = "The last column covers 100 ms, each of the others 500 ms.";
        assert!(made.iter().all(|notes| notes.contains(shorter)), "{made:?}");
        assert_eq!(notes(2).len(), 2);
        assert!(notes(0).is_empty());
    }
}
