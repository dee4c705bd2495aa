//! Trials that gave no result.

use std::collections::BTreeMap;

use model::run::CaseResult;
use model::{Finding, Severity, Status};

use super::finding;
use crate::{Context, Rule, RuleCheck};

/// In place of a reason that nobody gave.
const UNKNOWN: &str = "unknown";

pub(crate) const RULE: Rule = Rule {
    code: "trials-failed",
    doc: "Trials that gave no result.",
    english: r#"
finding-trials-failed =
    { $how ->
        [all-skipped] left out
        [skipped] { $count } of { $trials } trials left out
       *[failed] { $count } of { $trials } trials failed
    }: { $reason ->
        [unknown] no reason was given
       *[other] { $reason }
    }
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
    let mut reasons: BTreeMap<(&str, bool), u64> = BTreeMap::new();
    for trial in case.trials.iter().filter(|t| t.status != Status::Ok) {
        let reason = trial.reason.as_deref().unwrap_or(UNKNOWN);
        *reasons.entry((reason, trial.status == Status::Skipped)).or_default() += 1;
    }
    let all = case.trials.len() as u64;
    reasons
        .into_iter()
        .map(|((reason, skipped), count)| {
            let (severity, how) = match skipped {
                true if count == all => (Severity::Note, "all-skipped"),
                true => (Severity::Note, "skipped"),
                false => (Severity::Error, "failed"),
            };
            let args = [
                ("count", count.into()),
                ("trials", all.into()),
                ("how", how.into()),
                ("reason", reason.into()),
            ];
            finding(RULE.code, severity, &args, None)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn a_failed_trial_is_named_with_its_reason_and_good_ones_are_not() {
        let mut case = fixture::case(3);
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0);
        case.trials[1].status = Status::Failed;
        case.trials[1].reason = Some("no room".to_owned());
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        assert_eq!(found[0].text, "1 of 3 trials failed: no room");
        (case.trials[1].status, case.trials[1].reason) = (Status::Skipped, None);
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        assert_eq!(found[0].text, "1 of 3 trials left out: no reason was given");
        case.trials.iter_mut().for_each(|t| t.status = Status::Skipped);
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        assert_eq!(found[0].text, "left out: no reason was given");
    }
}
