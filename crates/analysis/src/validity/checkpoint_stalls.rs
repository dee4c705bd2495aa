//! Throughput of a load fell while the server of its database wrote changed pages: a checkpoint, or a log that got full.

use model::database::series as courses;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::{Series, Trial};
use model::{Finding, FindingKind, Resource, SeriesName, Severity};

use super::database;
use crate::{Context, Rule, RuleCheck, measure};

/// An interval with less than this share of the median is one in which the load stood back.
const LOW: f64 = 0.7;

/// So many operations in the median interval are needed to tell that: 30 % less are three standard deviations of a count
/// of 100.
const OPERATIONS_LEAST: f64 = 100.0;

/// So many intervals are needed, and so many of them low, of all this share at least.
const INTERVALS_LEAST: usize = 10;
const LOW_LEAST: usize = 2;
const SHARE_LEAST: f64 = 0.02;

/// In an interval with more than so many times the median of pages, the server writes a checkpoint.
const WRITES: f64 = 2.0;

/// A server may hand its counts in a second late (PostgreSQL), and needs some time to recover: an interval belongs to a
/// checkpoint that is seen up to so many intervals behind it or before it.
const BEHIND: usize = 2;
const BEFORE: usize = 1;

/// So much of the low intervals must belong to checkpoints, and so many times as much as of all intervals.
const EXPLAINED: f64 = 0.5;
const BEYOND_CHANCE: f64 = 2.0;

pub(crate) const RULE: Rule = Rule {
    code: "checkpoint-stalls",
    doc: "In at least 2 % of the half seconds of a window, throughput was below 70 % of its median, and in most of these the \
         server began a checkpoint or wrote more than twice its usual pages: twice as often as by chance.",
    english: r#"
finding-checkpoint-stalls =
    while the server wrote a checkpoint, throughput fell below 70 % of its median for { PERCENT($share, decimals: 1) } of
    the time, from { SHORT($usual, unit: "1/s") } to { SHORT($worst, unit: "1/s") } at worst (in { $trials } of { $of ->
        [1] 1 trial
       *[other] { $of } trials
    })
    .advice = a server that runs for long has checkpoints: measure over several of them; more room for the log makes them
        rarer (max_wal_size, innodb_log_file_size)
"#,
    check: RuleCheck::One(check),
};

/// What was seen of one trial.
#[derive(Clone, Debug, PartialEq)]
struct CheckpointStalls {
    /// The share of the time.
    share: f64,
    usual: f64,
    worst: f64,
    /// The series that shows it.
    name: SeriesName,
}

impl CheckpointStalls {
    fn of(trial: &Trial) -> Option<Self> {
        let written = database::course(trial, courses::PAGE_WRITES);
        let begun = database::course(trial, courses::CHECKPOINTS);
        let guide = written.or(begun)?;
        let rates = database::operations_beside(trial, guide)?;
        let usual = stats::interval::median(&rates)?;
        let each = usual * guide.interval_ns as f64 / 1e9;
        if rates.len() < INTERVALS_LEAST || each < OPERATIONS_LEAST {
            return None;
        }
        let near = near_checkpoints(written, begun, rates.len());
        let is_low = |place: &usize| rates[*place] < LOW * usual;
        let low: Vec<usize> = (0..rates.len()).filter(is_low).collect();
        let explained: Vec<usize> = low.iter().copied().filter(|place| near[*place]).collect();
        let share_of = |count: usize, all: usize| count as f64 / all.max(1) as f64;
        let of_all = share_of(near.iter().filter(|near| **near).count(), near.len());
        let of_low = share_of(explained.len(), low.len());
        let share = share_of(explained.len(), rates.len());
        let is_by_chance = of_low < EXPLAINED || of_low < BEYOND_CHANCE * of_all;
        if explained.len() < LOW_LEAST || share < SHARE_LEAST || is_by_chance {
            return None;
        }
        let worst = explained.iter().map(|place| rates[*place]).fold(usual, f64::min);
        Some(Self { share, usual, worst, name: guide.name })
    }
}

/// Which intervals lie near one in which a checkpoint began or was written.
fn near_checkpoints(written: Option<&Series>, begun: Option<&Series>, intervals: usize) -> Vec<bool> {
    let usual = written.and_then(|series| stats::interval::median(&series.values)).unwrap_or(0.0);
    let value = |series: Option<&Series>, place: usize| series.and_then(|s| s.values.get(place)).copied();
    let is_busy = |place: usize| {
        value(written, place).is_some_and(|pages| pages > 0.0 && pages > WRITES * usual)
            || value(begun, place).is_some_and(|begun| begun > 0.0)
    };
    let is_near = |place: usize| (place.saturating_sub(BEFORE)..=place + BEHIND).any(is_busy);
    (0..intervals).map(is_near).collect()
}

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let all: Vec<CheckpointStalls> = measure::good(case).filter_map(CheckpointStalls::of).collect();
    let worst = all.iter().max_by(|a, b| a.share.total_cmp(&b.share))?;
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .arg("share", worst.share)
        .arg("usual", worst.usual)
        .arg("worst", worst.worst)
        .arg("trials", all.len() as u64)
        .arg("of", case.trials.len() as u64);
    let place = Place::Series { resource: Resource::LOAD, name: worst.name };
    Some(found.because_same(Evidence::at(RULE.code, place)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::database::simulated;
    use model::Value;

    /// Forty half seconds at 2,000 per second, of which these have 500.
    fn rates(low: &[usize]) -> Vec<f64> {
        (0..40).map(|place| if low.contains(&place) { 500.0 } else { 2_000.0 }).collect()
    }

    /// With these pages written in them, and 100 per second in all others.
    fn case(low: &[usize], busy: &[usize], name: SeriesName, quiet: f64) -> CaseResult {
        let pages = |place| if busy.contains(&place) { 5_000.0 } else { quiet };
        let mut case = simulated::case(&[], &[]);
        simulated::add_operations(&mut case, &rates(low));
        simulated::add_series(&mut case, name, &(0..40).map(pages).collect::<Vec<_>>());
        case
    }

    #[test]
    fn a_fall_while_pages_are_written_is_named_with_its_worst() {
        let found = simulated::found(&RULE, &case(&[20, 21, 22], &[20, 21, 22], courses::PAGE_WRITES, 100.0));
        assert_eq!(
            (&found[0].args["share"], &found[0].args["worst"]),
            (&Value::Number(0.075), &Value::Number(500.0))
        );
        assert!(found[0].text.contains("7.5 %") && found[0].text.contains("(in 3 of 3 trials)"), "{found:?}");
        // It is handed in a second later, and only that one began is counted.
        let late = case(&[20, 21], &[22], courses::CHECKPOINTS, 0.0);
        assert_eq!(simulated::found(&RULE, &late).len(), 1);
    }

    #[test]
    fn a_fall_that_has_nothing_to_do_with_it_is_none_of_it() {
        let count = |low: &[usize], busy: &[usize]| {
            simulated::found(&RULE, &case(low, busy, courses::PAGE_WRITES, 100.0)).len()
        };
        assert_eq!(count(&[5, 6, 7], &[20, 21, 22]), 0, "at another time");
        assert_eq!(count(&[], &[20, 21, 22]), 0, "it cost nothing");
        assert_eq!(count(&[20], &[20]), 0, "one half second");
        assert_eq!(count(&[3, 9, 15, 21], &[3, 6, 9, 12, 15, 18, 21]), 0, "it is written all the time");
        assert_eq!(count(&[5, 6, 7, 20, 21], &[20, 21]), 0, "most of it is something else");
    }

    #[test]
    fn few_operations_or_a_short_window_tell_nothing() {
        let of = |rates: &[f64]| {
            let pages: Vec<f64> = rates.iter().map(|rate| if *rate < 100.0 { 900.0 } else { 10.0 }).collect();
            let mut case = simulated::case(&[], &[]);
            simulated::add_operations(&mut case, rates);
            simulated::add_series(&mut case, courses::PAGE_WRITES, &pages);
            simulated::found(&RULE, &case).len()
        };
        let with = |usual: f64, intervals: usize| {
            let mut rates = vec![usual; intervals];
            rates[2] = 10.0;
            rates[3] = 10.0;
            of(&rates)
        };
        assert_eq!((with(2_000.0, 20), with(150.0, 20), with(2_000.0, 8)), (1, 0, 0));
        assert_eq!(simulated::found(&RULE, &simulated::case(&[], &[])).len(), 0);
    }
}
