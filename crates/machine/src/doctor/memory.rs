//! Too little memory free.

use model::{Resource, Severity};

use super::{Check, condition, listed};

const CODE: &str = "little-memory";
/// Below this share of the memory that there is for us, all of it or as much as
/// a control group allows, a load and its page cache push others out.
const SHARE: u64 = 10;

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "less than a tenth of memory, or of what a control group allows, is available",
    english: r#"
condition-little-memory = { BINARY($available_bytes) } of { BINARY($total_bytes) } of memory is available
    .advice = end what holds memory, or measure with sizes that fit

evidence-memory-available = { condition-little-memory }
"#,
    look: |context| {
        let memory = &context.inventory.memory;
        // What is available is cut to the group's room, so it is a share of its limit.
        let limit = context.inventory.cgroup.memory_bytes.unwrap_or(u64::MAX);
        let total_bytes = memory.total_bytes.min(limit);
        if total_bytes == 0 || memory.available_bytes >= total_bytes / SHARE {
            return Vec::new();
        }
        let finding = condition(CODE, Severity::Warning)
            .on(Resource::MEMORY)
            .arg("available_bytes", memory.available_bytes)
            .arg("total_bytes", total_bytes);
        vec![finding.because_same(listed("memory-available", &Resource::MEMORY))]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory};
    use model::machine::{Cgroup, Inventory, Memory};

    #[test]
    fn less_than_a_tenth_is_little() {
        let look = |available_bytes| {
            let memory = Memory { total_bytes: 16 << 30, available_bytes, ..Memory::default() };
            diagnose_inventory(&CHECK, Inventory { memory, ..Inventory::default() })
        };
        look(1 << 30).one(Severity::Warning, "1 GiB of 16 GiB of memory is available");
        assert_eq!(look(8 << 30), CheckResult::nothing());
    }

    #[test]
    fn a_small_container_has_a_share_of_its_own_limit() {
        let look = |available_bytes| {
            let memory = Memory { total_bytes: 64 << 30, available_bytes, ..Memory::default() };
            let cgroup = Cgroup { memory_bytes: Some(2 << 30), ..Cgroup::default() };
            diagnose_inventory(&CHECK, Inventory { memory, cgroup, ..Inventory::default() })
        };
        assert_eq!(look(1 << 30), CheckResult::nothing());
        look(100 << 20).one(Severity::Warning, "100 MiB of 2 GiB of memory");
    }
}
