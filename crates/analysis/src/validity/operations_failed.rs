//! Operations that failed. What is refused is no service, costs less than what is served, and is soon over: a rate of what
//! succeeded says little of a server that turns others away.

use model::run::CaseResult;
use model::{Finding, Severity, Value, metric};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

/// From this share on failures are told: one in a thousand, as of packets that are dropped.
const FELT: f64 = 0.001;

pub(crate) const RULE: Rule = Rule {
    code: "operations-failed",
    doc: "At least one in a thousand of the operations failed: answers of 400 or above, ends before the announced length, \
          connections that broke, statements that were refused. The rate is of the others.",
    english: r#"
finding-operations-failed =
    { PERCENT($share, decimals: 1) } of the operations failed: the rate is of the others, and what is refused takes less than what
    is served
    .advice =
        look at what was refused, and by whom: a pool of connections or a queue that is full, a limit of rate, or a request that
        is wrong; the facts of the trials say with which answers
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let share = measure::median(case, |trial| measure::measured(trial, metric::ERROR_SHARE));
    let share = share.filter(|share| *share >= FELT)?;
    let args = [("share", Value::Number(share))];
    Some(finding(RULE.code, Severity::Warning, &args, Some(metric::ERROR_SHARE)))
}

#[cfg(test)]
mod tests {
    use model::study::Controls;
    use model::{Quantity, Unit};

    use super::*;
    use crate::validity::fixture;

    #[test]
    fn operations_that_failed_are_told_from_a_share_on() {
        let found = |share: Option<f64>| {
            let mut case = fixture::case(3);
            for trial in &mut case.trials {
                let share = share.map(|value| Quantity { value, unit: Unit::One });
                trial.result.main_mut().metrics.extend(share.map(|share| (metric::ERROR_SHARE, share)));
            }
            fixture::found(&RULE, &case, &fixture::context(&Controls::default()))
        };
        let quarter = found(Some(0.25));
        let text = &quarter[0].text;
        assert!(text.starts_with("25") && text.contains("% of the operations failed"), "{text}");
        assert_eq!((found(Some(0.0005)).len(), found(Some(0.0)).len(), found(None).len()), (0, 0, 0));
    }
}
