//! What the rules about packets share: at which ends they look, through which
//! interface the data passed there, and how a count of the kernel's is told.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity, Trial, fact};

use crate::measure::{self, End};

/// A count of one end, with the counter that has it.
pub(super) struct EndCount {
    pub(super) end: End,
    pub(super) count: f64,
    pub(super) resource: Resource,
    pub(super) source: String,
}

/// What a rule finds at each end that was counted; of a load over a network.
pub(super) fn at_ends<F, I>(case: &CaseResult, find: F) -> Vec<Finding>
where
    F: Fn(End) -> I,
    I: IntoIterator<Item = Finding>,
{
    if !measure::is_net(case) {
        return Vec::new();
    }
    measure::counted_ends(case).iter().flat_map(|end| find(*end)).collect()
}

/// The interface that the data passed at an end.
pub(super) fn interface(trial: &Trial, end: End) -> Option<Resource> {
    Some(Resource::of(ResourceKind::Nic, end.fact(trial, fact::INTERFACE)?))
}

/// A finding about a count of an end, which is its evidence.
pub(super) fn of_end(code: &str, severity: Severity, case: &CaseResult, counted: EndCount) -> Finding {
    let EndCount { end, count, resource, source } = counted;
    Finding::new(FindingKind::Validity, code, severity)
        .arg("end", end.word())
        .arg("machine", end.machine(case).unwrap_or_default())
        .arg("count", count)
        .because(Evidence::at("dropped", Place::Counter { resource, source }).arg("count", count))
}
