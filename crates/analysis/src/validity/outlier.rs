//! One trial far from all others: something was different in it, and an estimate over all of them is of two things.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::Trial;
use model::{Finding, FindingKind, Severity};

use crate::validity::outlier_window;
use crate::{Context, Rule, RuleCheck, measure};

/// With fewer trials nobody knows how far apart the others are.
const TRIALS_LEAST: usize = 5;
/// A trial that is off by less than this part of the others' median is no matter.
const OFF: f64 = 0.2;
/// And so many times as far from it as the furthest of the others: of five trials with normal noise one is in 1 % of all
/// cases, of six in 0.2 %, counted over 40,000 of each; and few are as noisy as [`OFF`] takes.
const TIMES: f64 = 8.0;

pub(crate) const RULE: Rule = Rule {
    code: "outlier-trial",
    doc: "One trial, of at least five, is off by a fifth or more from the median of the others, and at least eight times as far from it \
         as any of them.",
    english: r#"
finding-outlier-trial =
    trial { $trial } of { $of } gave { PERCENT($share) } of what the others gave: something was different in it, and the interval is
    of both
    .advice = look at that trial over time and at who else was busy; measure again, with more --trials

evidence-outlier-trial = the others are at most { PERCENT($others) } off their median
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let (metric, _) = context.headline_estimate(case)?;
    let (trials, values): (Vec<&Trial>, Vec<f64>) =
        measure::good(case).filter_map(|trial| Some((trial, measure::measured(trial, metric)?))).unzip();
    if values.len() < TRIALS_LEAST {
        return None;
    }
    let (at, share, spread) =
        (0..values.len()).filter_map(|at| apart(&values, at)).find(|(_, share, spread)| {
            let off = (share - 1.0).abs();
            off >= OFF && off >= TIMES * spread
        })?;
    // All trials of the case are counted, as wherever a trial is named: those that gave no figure, too.
    let place = case.trials.iter().position(|trial| std::ptr::eq(trial, trials[at]))?;
    let evidence = Evidence::at(RULE.code, Place::Metric(metric)).arg("others", spread);
    let finding = Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .arg("trial", place as u64 + 1)
        .arg("of", case.trials.len() as u64)
        .arg("share", share)
        .because(evidence);
    Some(finding.because_all(outlier_window::different(&trials, at)))
}

/// A value as a share of the median of the others, with its place before that, and how far the furthest of these is from it.
fn apart(values: &[f64], at: usize) -> Option<(usize, f64, f64)> {
    let mut others = values.to_vec();
    let own = others.remove(at);
    let middle = stats::interval::median(&others).filter(|middle| *middle > 0.0)?;
    let spread = others.iter().map(|other| (other / middle - 1.0).abs()).fold(0.0, f64::max);
    Some((at, own / middle, spread))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::{Better, Quantity, Status, Unit, metric};

    /// What is said of trials that gave so many operations a second.
    fn told(values: &[f64]) -> Option<String> {
        told_after(0, values)
    }

    /// The same where as many trials failed before.
    fn told_after(failed: u32, values: &[f64]) -> Option<String> {
        let mut case = fixture::case(failed + u32::try_from(values.len()).unwrap());
        case.trials.iter_mut().take(failed as usize).for_each(|trial| trial.status = Status::Failed);
        for (trial, value) in case.trials.iter_mut().skip(failed as usize).zip(values) {
            let rate = Quantity { value: *value, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::IOPS, rate);
        }
        let estimate = fixture::estimate(values[0], Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::IOPS, estimate);
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        found.into_iter().map(|found| found.text).next()
    }

    #[test]
    fn a_trial_far_from_all_others_is_told_and_a_wide_spread_is_not() {
        let text = told(&[95_000.0, 95_400.0, 94_800.0, 41_000.0, 95_100.0]).unwrap();
        assert!(text.starts_with("trial 4 of 5 gave 43 % of what the others gave"), "{text}");
        assert!(told(&[100.0, 101.0, 150.0, 99.0, 100.0]).unwrap().starts_with("trial 3 of 5 gave 150 %"));
        assert_eq!(told(&[95.0, 95.4, 94.8, 90.0, 95.1]), None, "it is off by a twentieth");
        assert_eq!(told(&[95.0, 110.0, 80.0, 41.0, 100.0]), None, "the others differ as well");
        assert_eq!(told(&[95.0, 95.0, 41.0, 41.5, 95.0]), None, "two of them: which are usual?");
        assert_eq!(told(&[95.0, 95.0, 41.0, 95.0]), None, "too few");
    }

    #[test]
    fn regression_a_trial_behind_a_failed_one_had_another_number_than_in_the_figure_of_samples() {
        let text = told_after(2, &[95_000.0, 95_400.0, 94_800.0, 41_000.0, 95_100.0]).unwrap();
        assert!(text.starts_with("trial 6 of 7 gave 43 % of what the others gave"), "{text}");
    }
}
