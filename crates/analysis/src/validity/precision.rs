//! The precision asked for was not reached.

use model::run::CaseResult;
use model::{Finding, Severity, Value};

use language::format;

use super::finding;
use crate::{Context, Rule};

/// The rule.
pub(crate) struct Precision;

impl Rule for Precision {
    fn code(&self) -> &'static str {
        "precision-unmet"
    }

    fn doc(&self) -> &'static str {
        "The precision asked for was not reached."
    }

    fn check(&self, case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
        let (Some(wanted), Some(metric)) = (context.controls.precision, context.headline) else {
            return Vec::new();
        };
        let Some(estimate) = case.estimates.get(metric) else { return Vec::new() };
        let reached = match (estimate.low, estimate.high) {
            (Some(low), Some(high)) if estimate.median > 0.0 => Some((high - low) / 2.0 / estimate.median),
            _ => None,
        };
        if reached.is_some_and(|r| r <= wanted) {
            return Vec::new();
        }
        let (n, shown) = (estimate.n, format::fine_percent(wanted));
        let text = match reached {
            Some(reached) => format!(
                "after {n} trials the interval's half width is {} of the estimate, not the {shown} asked for",
                format::fine_percent(reached)
            ),
            None => format!(
                "after {n} trials there is no interval yet, and a half width of {shown} was asked for"
            ),
        };
        let args = [
            ("wanted", Value::Number(wanted)),
            ("reached", reached.map_or("unknown".into(), Value::Number)),
            ("known", reached.is_some().into()),
            ("trials", (n as u64).into()),
        ];
        vec![finding(self.code(), Severity::Warning, &args, Some(metric), text)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
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
            case.estimates.insert("iops".to_owned(), estimate);
            fixture::count(&Precision, &case, &controls)
        };
        assert_eq!(with(Some(99.0), Some(101.0)), 0);
        assert_eq!(with(Some(95.0), Some(105.0)), 1);
        assert_eq!(with(None, None), 1);
        assert_eq!(fixture::count(&Precision, &case, &Controls::default()), 0);
    }
}
