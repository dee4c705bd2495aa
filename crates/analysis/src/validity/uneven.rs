//! Targets that were done at different times: their own means add up to more
//! than ever flowed at once (study E: 946 MB/s of means, 865 together).

use model::run::CaseResult;
use model::{Finding, Severity, Value, metric};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

/// A first target that takes this share of the last one's time is done with it.
const TOGETHER: f64 = 0.9;
/// So much more in sum than together misleads.
const MORE: f64 = 1.02;

pub(crate) const RULE: Rule = Rule {
    code: "fewer-targets-at-the-end",
    doc: "Several targets were done at different times: while the last were at work the others rested, so their own means \
         add up to more than ever flowed at once. The total is over the time when all were at work.",
    english: r#"
finding-fewer-targets-at-the-end =
    the first target was done after { SHORT($first, unit: "s") }, the last after { SHORT($last, unit: "s") }{ $how ->
        [sum] : their means add up to { SHORT($sum, unit: "B/s") }, and { SHORT($together, unit: "B/s") } flowed while
            all were at work
       *[times] {""}
    }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let of = |name| measure::estimated(case, name);
    let (first, last) =
        of(metric::FIRST_DONE).zip(of(metric::LAST_DONE)).filter(|(f, l)| f < &(TOGETHER * l))?;
    let targets = case.loads.main.targets.iter();
    let each: Vec<f64> = targets.filter_map(|t| Some(t.estimates.get(&metric::THROUGHPUT)?.median)).collect();
    let sum = each.iter().sum::<f64>();
    let together = of(metric::THROUGHPUT).filter(|all| each.len() > 1 && sum > all * MORE);
    let mut args = vec![("first", Value::Number(first)), ("last", Value::Number(last))];
    let (severity, how) = match together {
        Some(all) => {
            args.extend([("sum", Value::Number(sum)), ("together", Value::Number(all))]);
            (Severity::Warning, "sum")
        }
        None => (Severity::Note, "times"),
    };
    args.push(("how", how.into()));
    Some(finding(RULE.code, severity, &args, Some(metric::LAST_DONE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::run::TargetResult;
    use model::study::Controls;
    use model::{Better, Unit};
    use std::collections::BTreeMap;

    fn case(first: f64, last: f64, each: &[f64], together: f64) -> CaseResult {
        let mut case = fixture::case(1);
        let rate = |value| fixture::estimate(value, Unit::BytesPerSecond, Better::Higher);
        for (name, value) in [(metric::FIRST_DONE, first), (metric::LAST_DONE, last)] {
            case.loads.main.estimates.insert(name, fixture::estimate(value, Unit::Seconds, Better::Lower));
        }
        case.loads.main.estimates.insert(metric::THROUGHPUT, rate(together));
        case.loads.main.targets = each
            .iter()
            .map(|value| TargetResult {
                target: "/dev/x".to_owned(),
                estimates: BTreeMap::from([(metric::THROUGHPUT, rate(*value))]),
            })
            .collect();
        case
    }

    /// Study E's first test of eight disks.
    #[test]
    fn means_of_different_times_do_not_add_up() {
        let controls = Controls::default();
        let found = |case: &CaseResult| fixture::found(&RULE, case, &fixture::context(&controls));
        let eight = [180e6, 110e6, 109e6, 110e6, 109e6, 109e6, 110e6, 109e6];
        let uneven = found(&case(597.0, 985.0, &eight, 865e6));
        assert!(uneven[0].text.ends_with("add up to 946 MB/s, and 865 MB/s flowed while all were at work"));
        assert!(found(&case(970.0, 985.0, &eight, 865e6)).is_empty());
        assert_eq!(found(&case(500.0, 985.0, &[], 865e6))[0].severity, Severity::Note);
    }
}
