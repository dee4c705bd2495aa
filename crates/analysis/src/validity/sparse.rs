//! A file with holes: reading them never reaches the device.

use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Finding, Severity, Value, fact};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

/// Less than this share of blocks is more than a file system's bookkeeping.
const WHOLE: f64 = 0.98;

pub(crate) const RULE: Rule = Rule {
    code: "sparse-file",
    doc: "A file with holes: reading them never reaches the device.",
    english: r#"
finding-sparse-file =
    only { PERCENT($allocated_share) } of the file has blocks on the device; the rest are holes (or compressed away),
    answered without reading the device
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    // A write gives a hole its blocks, a discard makes one.
    let profile = measure::profile(case);
    if profile.does(OperationClass::Write) || profile.does(OperationClass::Trim) {
        return None;
    }
    let shares = measure::good(case).filter_map(|t| measure::number(t, fact::ALLOCATED_SHARE));
    let least = shares.fold(f64::INFINITY, f64::min);
    if least >= WHOLE {
        return None;
    }
    let args = [("allocated_share", Value::Number(least))];
    Some(finding(RULE.code, Severity::Error, &args, context.headline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn holes_are_found_and_a_whole_file_is_not_blamed() {
        let mut case = fixture::case(1);
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0);
        case.trials[0].result.main_mut().facts.insert(fact::ALLOCATED_SHARE, Value::Number(1.0));
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0);
        case.trials[0].result.main_mut().facts.insert(fact::ALLOCATED_SHARE, Value::Number(0.3));
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 1);
        for pattern in ["write", "randrw", "randtrim"] {
            fixture::set(&mut case, "pattern", pattern);
            assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0, "{pattern}");
        }
    }
}
