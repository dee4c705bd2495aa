//! How much of the page cache waits to be written: a stock, and no rate.

use model::limit::LimitKind;
use model::run::{CaseResult, Utilization};
use model::{Resource, Unit, metric};

use crate::measure;

/// What waits to be written, of what may.
pub(super) fn of(case: &CaseResult) -> Option<Utilization> {
    let found = measure::writeback(case)?;
    Some(Utilization {
        machine: None,
        resource: Resource::PAGE_CACHE,
        quantity: metric::DIRTY,
        kind: LimitKind::Hardware,
        demand: found.dirty,
        limit: found.most,
        unit: Unit::Bytes,
        fraction: found.dirty / found.most,
        promise: None,
        allowance: None,
        flows: None,
        line_only: false,
        usual: None,
        source: match found.group {
            Some(_) => "domain_dirty_limits of the control group: writers are slowed down before".to_owned(),
            None => "nr_dirty_threshold: writers are slowed down before".to_owned(),
        },
    })
}
