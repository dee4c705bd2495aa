//! The load generator at its own ceiling: the figure is about this program.

use language::format;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, Unit};

use crate::{Context, Rule, measure};

/// From this share of what the null form of the load reaches, the program's own
/// cost is most of an operation.
const BOUND: f64 = 0.7;

/// The rule.
pub(crate) struct Generator;

impl Rule for Generator {
    fn code(&self) -> &'static str {
        "generator-bound"
    }

    fn doc(&self) -> &'static str {
        "The load generator at its own ceiling: the figure is about this program."
    }

    fn check(&self, case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
        if measure::is_null(case) {
            return Vec::new();
        }
        let Some(machine) = context.machine else { return Vec::new() };
        let name = model::machine::Calibration::null_name(&case.workload, &case.parameters);
        let Some(null) = machine.calibration.iter().find(|c| c.name == name) else { return Vec::new() };
        let Some((metric, rate)) = measure::operations(case) else { return Vec::new() };
        let threads = measure::workers(case);
        let cpus = machine.inventory.cpu.allowed.len().max(1) as f64;
        let share = rate / (null.result.value * threads.min(cpus));
        if !share.is_finite() || share < BOUND {
            return Vec::new();
        }
        let text = format!(
            "the load ran at {} of what this program can drive without a target: a faster target would not show",
            format::percent(share)
        );
        let place = Place::Metric(metric.to_owned());
        let measured = Evidence::at("rate", place, format::setting(rate, Unit::PerSecond));
        let says = format!("{} with nothing behind", format::setting(null.result.value, Unit::PerSecond));
        let alone = Evidence::at("null", Place::Calibration(name), says);
        vec![
            Finding::new(FindingKind::Validity, self.code(), Severity::Warning, text)
                .on("cpu")
                .arg("share", share)
                .because(measured.arg("rate", rate))
                .because(alone.arg("rate", null.result.value))
                .advise("use more threads, larger blocks, or a second machine to drive it"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::machine::Calibration;
    use model::study::Controls;
    use model::{Better, Machine, Quantity, Unit};

    #[test]
    fn only_a_rate_near_the_null_form_is_named() {
        let mut case = fixture::case(1);
        case.parameters.set("pattern", "randread");
        let mut machine = Machine::default();
        machine.inventory.cpu.allowed = vec![0, 1];
        machine.calibration = vec![Calibration {
            name: Calibration::null_name("disk", &case.parameters),
            result: Quantity { value: 1e6, unit: Unit::PerSecond },
            method: String::new(),
        }];
        let controls = Controls::default();
        let mut count = |rate: f64| {
            let estimate = fixture::estimate(rate, Unit::PerSecond, Better::Higher);
            case.estimates.insert("iops".to_owned(), estimate);
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            fixture::found(&Generator, &case, &context).len()
        };
        assert_eq!((count(1e5), count(9e5)), (0, 1));
    }
}
