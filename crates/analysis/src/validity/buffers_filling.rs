//! The buffers of a server were still filling while the load was measured: it read fewer and fewer pages, and got faster.

use model::database::series as courses;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::Trial;
use model::{Finding, FindingKind, Resource, Severity};

use super::database::{self, FELT};
use crate::{Context, Rule, RuleCheck, measure};

/// So many intervals are needed: those of six seconds, of which PostgreSQL's counts may come one late.
const INTERVALS_LEAST: usize = 12;

/// In the last third it reads at most this share for each operation of what it read in the first.
const FALL: f64 = 0.5;

/// And does so much more.
const GAIN: f64 = 0.05;

pub(crate) const RULE: Rule = Rule {
    code: "buffers-still-filling",
    doc: "In the last third of the window the server read at most half the pages for each operation that it read in the first \
         third, and throughput was more than 5 % higher: its buffers were still filling.",
    english: r#"
finding-buffers-still-filling =
    the server's buffers were still filling in { $trials } of { $of ->
        [1] 1 trial
       *[other] { $of } trials
    }: in the last third of the window it read { SHORT($last, unit: "1/s") } pages after { SHORT($first, unit: "1/s") } in
    the first, and throughput was { PERCENT($gain) } higher
    .advice = use a longer --warm-up, until the server reads as much at the end as at the beginning
"#,
    check: RuleCheck::One(check),
};

/// What changed from the first third of a window to the last.
#[derive(Clone, Copy, Debug)]
struct Filling {
    /// Pages per second.
    first: f64,
    last: f64,
    /// How much more was done, as a share.
    gain: f64,
}

impl Filling {
    fn of(trial: &Trial) -> Option<Self> {
        let pages = database::course(trial, courses::PAGE_READS)?;
        let operations = database::operations_beside(trial, pages)?;
        let (all, third) = (operations.len(), operations.len() / 3);
        if all < INTERVALS_LEAST || pages.values.len() < all {
            return None;
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let (first, last) = (mean(&pages.values[..third]), mean(&pages.values[all - third..all]));
        let (before, after) = (mean(&operations[..third]), mean(&operations[all - third..]));
        if before <= 0.0 || after <= 0.0 {
            return None;
        }
        let (each_first, each_last, gain) = (first / before, last / after, after / before - 1.0);
        (each_first >= FELT && each_last <= FALL * each_first && gain > GAIN).then_some(Self {
            first,
            last,
            gain,
        })
    }
}

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let all: Vec<Filling> = measure::good(case).filter_map(Filling::of).collect();
    let worst = all.iter().max_by(|a, b| a.gain.total_cmp(&b.gain))?;
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .arg("trials", all.len() as u64)
        .arg("of", case.trials.len() as u64)
        .arg("first", worst.first)
        .arg("last", worst.last)
        .arg("gain", worst.gain);
    let place = Place::Series { resource: Resource::LOAD, name: courses::PAGE_READS };
    Some(found.because_same(Evidence::at(RULE.code, place)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::database::simulated;

    /// Values for so many intervals: the first third, the second and the last.
    fn thirds(each: usize, values: [f64; 3]) -> Vec<f64> {
        values.into_iter().flat_map(|value| vec![value; each]).collect()
    }

    fn count(each: usize, reads: [f64; 3], operations: [f64; 3]) -> usize {
        let mut case = simulated::case(&[], &[]);
        simulated::add_operations(&mut case, &thirds(each, operations));
        simulated::add_series(&mut case, courses::PAGE_READS, &thirds(each, reads));
        simulated::found(&RULE, &case).len()
    }

    #[test]
    fn fewer_reads_and_more_throughput_are_a_buffer_that_fills() {
        let rising = [1_000.0, 1_500.0, 2_000.0];
        assert_eq!(count(7, [800.0, 400.0, 100.0], rising), 1);
        assert_eq!(count(7, [800.0, 800.0, 1_600.0], rising), 0, "each operation reads as much");
        assert_eq!(count(7, [800.0, 400.0, 100.0], [1_000.0; 3]), 0, "nothing got faster");
        assert_eq!(count(7, [5.0, 1.0, 0.0], rising), 0, "so few are not felt");
        assert_eq!(count(3, [800.0, 400.0, 100.0], rising), 0, "the window is short");
    }

    #[test]
    fn the_trial_that_began_cold_is_told_among_all() {
        let mut case = simulated::case(&[], &[]);
        simulated::add_operations(&mut case, &thirds(7, [1_000.0, 1_500.0, 2_000.0]));
        simulated::add_series(&mut case, courses::PAGE_READS, &thirds(7, [800.0, 400.0, 100.0]));
        for trial in &mut case.trials[1..] {
            trial.result.main_mut().series[1].values = vec![0.0; 21];
        }
        let text = simulated::said(&RULE, &case).remove(0);
        assert!(text.contains("in 1 of 3 trials") && text.contains("100 % higher"), "{text}");
    }
}
