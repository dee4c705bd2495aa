//! How candidates write down what they find.

use model::finding::{Evidence, Place};
use model::run::Utilization;
use model::{Finding, FindingKind, MetricName, Severity};

use crate::measure::End;

/// A finding of this kind.
pub(super) fn finding(code: &str, severity: Severity) -> Finding {
    Finding::new(FindingKind::Bottleneck, code, severity)
}

/// How much of a limit is used, as evidence.
pub(super) fn of_limit(used: &Utilization, code: &str) -> Evidence {
    let place = Place::Limit { resource: used.resource.clone(), quantity: used.quantity };
    let evidence = Evidence::at(code, place).arg("resource", used.resource.as_str());
    let evidence = evidence.arg("fraction", used.fraction).arg("end", end_of(used).word());
    evidence.arg("machine", used.machine.as_deref().unwrap_or_default())
}

/// The end whose limit it is: both may call an interface the same.
pub(super) fn end_of(used: &Utilization) -> End {
    if used.machine.is_some() { End::Answers } else { End::Drives }
}

/// Evidence in a metric of the case.
pub(super) fn shown(code: &str, metric: MetricName) -> Evidence {
    Evidence::at(code, Place::Metric(metric))
}
