//! Fewer trials than an interval needs to say something.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, RuleCheck};

/// With two trials Student's t has one degree of freedom, and its 95 % factor
/// is 12.7; from three it is 4.3 and falls slowly.
const ENOUGH: usize = 3;

pub(crate) const RULE: Rule = Rule {
    code: "too-few-trials",
    doc: "Fewer trials than an interval needs to say something.",
    english: r#"
finding-too-few-trials =
    { $trials ->
        [1] one trial has no interval: nobody can say how far another would be off
       *[other] { $trials } trials are too few for an interval that says something
    }
    .advice = use --trials 5 or more

evidence-trials = n = { $trials }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let (metric, estimate) = context.headline_estimate(case)?;
    if estimate.n >= ENOUGH {
        return None;
    }
    let evidence = Evidence::at("trials", Place::Metric(metric)).arg("trials", estimate.n as u64);
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
            .arg("trials", estimate.n as u64)
            .because(evidence),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::metric;
    use model::study::Controls;
    use model::{Better, Unit};

    #[test]
    fn three_trials_are_enough_to_say_something() {
        let mut case = fixture::case(1);
        let mut count = |n| {
            let estimate =
                model::run::Estimate { n, ..fixture::estimate(1.0, Unit::PerSecond, Better::Higher) };
            case.loads.main.estimates.insert(metric::IOPS, estimate);
            fixture::count(&RULE, &case, &Controls::default())
        };
        assert_eq!((count(1), count(2), count(3)), (1, 1, 0));
    }
}
