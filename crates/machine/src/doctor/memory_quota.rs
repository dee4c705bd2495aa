//! A control group holds our memory.

use model::{Resource, Severity};

use super::{Check, condition, held, listed};

const CODE: &str = "memory-quota";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a control group (a container's, mostly) allows less memory than there is",
    english: r#"
condition-memory-quota =
    { quota-holder } allows { BINARY($quota_bytes) } of { BINARY($total_bytes) } of memory, the page cache
    included
    .advice = choose sizes by the quota, or measure outside of it or with the quota lifted

evidence-memory-quota = at most { BINARY($quota_bytes) }
"#,
    look: |context| {
        let total = context.inventory.memory.total_bytes;
        let quota = context.inventory.cgroup.memory_bytes.filter(|bytes| *bytes < total);
        let Some(quota) = quota else { return Vec::new() };
        // Documentation/admin-guide/cgroup-v2.rst, "memory.max": the page cache
        // counts with the rest.
        let finding = condition(CODE, Severity::Note)
            .on(Resource::MEMORY)
            .arg("quota_bytes", quota)
            .arg("total_bytes", total)
            .because(listed("memory-quota", &Resource::CGROUP).arg("quota_bytes", quota));
        vec![held(finding, context)]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory};
    use model::machine::{Cgroup, Inventory, Memory};

    #[test]
    fn a_quota_below_all_memory_is_noted() {
        let look = |memory_bytes| {
            let memory = Memory { total_bytes: 16 << 30, available_bytes: 16 << 30, ..Memory::default() };
            let cgroup = Cgroup { memory_bytes, ..Cgroup::default() };
            diagnose_inventory(&CHECK, Inventory { memory, cgroup, ..Inventory::default() })
        };
        look(Some(8 << 30)).one(Severity::Note, "the control group allows 8 GiB of 16 GiB of memory");
        assert_eq!(look(Some(16 << 30)), CheckResult::nothing());
        assert_eq!(look(None), CheckResult::nothing());
    }
}
