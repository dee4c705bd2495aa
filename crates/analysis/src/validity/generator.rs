//! The load generator at its own ceiling: the figure is about this program.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity};

use crate::{Context, Rule, RuleCheck, measure};

/// From this share of what the null form of the load reaches, the program's own
/// cost is most of an operation.
const BOUND: f64 = 0.7;
/// Who is faster than the null form by more than this was measured beside a null form that got no CPU: it bounds nothing.
const DISTURBED: f64 = 2.0;

pub(crate) const RULE: Rule = Rule {
    code: "generator-bound",
    doc: "The load generator at its own ceiling: the figure is about this program.",
    english: r#"
finding-generator-bound =
    the load ran at { PERCENT($share) } of what this program can drive without a target: a faster target would not
    show
    .advice = use more threads, larger blocks, or a second machine to drive it

evidence-null = { SHORT($rate, unit: "1/s") } with nothing behind
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if measure::is_null(case) {
        return None;
    }
    let machine = context.machine?;
    let name = measure::profile(case).calibration.as_ref()?;
    let null = machine.calibration.iter().find(|c| c.name == *name)?;
    let (metric, rate) = measure::operations(case)?;
    let threads = measure::workers(case);
    let cpus = measure::cpus_allowed(case, Some(machine)).max(1.0);
    let share = rate / (null.result.value * threads.min(cpus));
    if !share.is_finite() || !(BOUND..DISTURBED).contains(&share) {
        return None;
    }
    let measured = Evidence::at("rate", Place::Metric(metric));
    let alone = Evidence::at("null", Place::Calibration(name.clone()));
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(Resource::CPUS)
            .arg("share", share)
            .because(measured.arg("rate", rate))
            .because(alone.arg("rate", null.result.value)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::machine::Calibration;
    use model::metric;
    use model::study::Controls;
    use model::{Better, Machine, Quantity, Unit};

    #[test]
    fn only_a_rate_near_the_null_form_is_named() {
        let mut case = fixture::case(1);
        fixture::set(&mut case, "pattern", "randread");
        let mut machine = Machine::default();
        machine.inventory.cpu.allowed = vec![0, 1];
        machine.calibration = vec![Calibration {
            name: case.loads.main.profile.calibration.clone().unwrap(),
            result: Quantity { value: 1e6, unit: Unit::PerSecond },
            method: String::new(),
            limit_of: None,
        }];
        let controls = Controls::default();
        let mut count = |rate: f64| {
            let estimate = fixture::estimate(rate, Unit::PerSecond, Better::Higher);
            case.loads.main.estimates.insert(metric::IOPS, estimate);
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            fixture::found(&RULE, &case, &context).len()
        };
        assert_eq!((count(1e5), count(9e5)), (0, 1));
        // Bug: beside a null form that other programs had starved, a load ran "at 1283301 %" of what is possible.
        assert_eq!(count(1e10), 0);
    }
}
