//! The precision asked for was not reached.

use model::run::CaseResult;
use model::{Finding, Severity, Value};

use super::finding;
use crate::{Context, Rule, RuleCheck};

pub(crate) const RULE: Rule = Rule {
    code: "precision-unmet",
    doc: "The precision asked for was not reached.",
    english: r#"
finding-precision-unmet =
    { $known ->
        [no] after { $trials } trials there is no interval yet, and a half width of { PERCENT($wanted, decimals: 1) }
            was asked for
       *[yes] after { $trials } trials the interval's half width is { PERCENT($reached, decimals: 1) } of the estimate,
            not the { PERCENT($wanted, decimals: 1) } asked for
    }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let wanted = context.controls.precision?;
    let (metric, estimate) = context.headline_estimate(case)?;
    let reached = match (estimate.low, estimate.high) {
        (Some(low), Some(high)) if estimate.median > 0.0 => Some((high - low) / 2.0 / estimate.median),
        _ => None,
    };
    if reached.is_some_and(|r| r <= wanted) {
        return None;
    }
    let args = [
        ("wanted", Value::Number(wanted)),
        ("reached", reached.map_or("unknown".into(), Value::Number)),
        ("known", reached.is_some().into()),
        ("trials", (estimate.n as u64).into()),
    ];
    Some(finding(RULE.code, Severity::Warning, &args, Some(metric)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::metric;
    use model::run::Estimate;
    use model::study::Controls;
    use model::{Better, Unit};

    #[test]
    fn only_an_interval_wider_than_asked_is_a_finding() {
        let controls = Controls { precision: Some(0.02), ..Controls::default() };
        let mut case = fixture::case(5);
        let mut with = |low, high| {
            let estimate = Estimate {
                n: 5,
                median: 100.0,
                low,
                high,
                confidence: None,
                method: None,
                unit: Unit::PerSecond,
                better: Better::Higher,
            };
            case.loads.main.estimates.insert(metric::IOPS, estimate);
            fixture::count(&RULE, &case, &controls)
        };
        assert_eq!(with(Some(99.0), Some(101.0)), 0);
        assert_eq!(with(Some(95.0), Some(105.0)), 1);
        assert_eq!(with(None, None), 1);
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0);
    }
}
