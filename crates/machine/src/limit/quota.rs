//! What control groups allow.

use model::limit::LimitKind;
use model::machine::Inventory;
use model::{Limit, Unit};

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    let quota = inventory.cgroup.cpu_quota.map(|seconds| Limit {
        resource: "cpu".to_owned(),
        quantity: "cpu".to_owned(),
        direction: None,
        kind: LimitKind::Quota,
        line: None,
        effective: Some(seconds),
        unit: Unit::One,
        block_bytes: None,
        access: None,
        source: "the control group's CPU quota".to_owned(),
    });
    quota.into_iter().collect()
}
