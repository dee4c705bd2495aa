//! The machine is a guest.

use model::{Resource, Severity};

use super::{Check, clip, condition, listed};

const CODE: &str = "virtual-machine";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "the machine is virtual: others on its host and the host's caches are not visible",
    english: r#"
condition-virtual-machine =
    this is a virtual machine ({ $kind }): other guests and the host's caches are not visible
    .advice = repeat at other hours; use spans larger than the host's memory for disks

evidence-virtualization = a guest of { $kind }
"#,
    look: |context| {
        let Some(kind) = &context.inventory.system.virtualization else { return Vec::new() };
        let kind = clip(kind);
        let finding = condition(CODE, Severity::Note).general().on(Resource::SYSTEM).arg("kind", kind);
        vec![finding.because_same(listed("virtualization", &Resource::SYSTEM))]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory};
    use model::machine::{Inventory, System};

    #[test]
    fn a_guest_is_noted_and_hardware_is_not() {
        let look = |kind: Option<&str>| {
            let system = System { virtualization: kind.map(str::to_owned), ..System::default() };
            diagnose_inventory(&CHECK, Inventory { system, ..Inventory::default() })
        };
        look(Some("kvm")).one(Severity::Note, "virtual machine (kvm)");
        assert_eq!(look(None), CheckResult::nothing());
    }
}
