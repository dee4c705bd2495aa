//! The load did not settle within its window.

use model::run::CaseResult;
use model::{Finding, Severity, Trial};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "not-settled",
    doc: "The load did not settle within its window.",
    english: r#"
finding-not-settled = the rate was still changing in { $unsettled } of { $judged } trials (MSER-5)
    .advice = use a longer --duration or --warm-up
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let settled = |t: &Trial| Some(t.result.steady.as_ref()?.settled);
    let judged: Vec<bool> = measure::good(case).filter_map(settled).collect();
    let unsettled = judged.iter().filter(|settled| !**settled).count();
    // MSER-5 wrongly refuses about one steady series in eight at 20 batches,
    // so one trial of several proves nothing.
    if unsettled * 2 <= judged.len() {
        return None;
    }
    let args = [("unsettled", (unsettled as u64).into()), ("judged", (judged.len() as u64).into())];
    Some(finding(RULE.code, Severity::Warning, &args, context.headline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::trial::Steady;

    #[test]
    fn most_trials_must_be_unsettled() {
        let mut case = fixture::case(4);
        for (index, trial) in case.trials.iter_mut().enumerate() {
            let settled = index < 2;
            trial.result.steady = Some(Steady { method: "mser-5".to_owned(), settled, truncated_s: 0.0 });
        }
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0);
        case.trials[1].result.steady.as_mut().unwrap().settled = false;
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 1);
    }
}
