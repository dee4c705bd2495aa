//! An array lacks members.

use model::Severity;

use super::{Check, clip, condition, listed};

const CODE: &str = "array-degraded";

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "an md array lacks members, whose data is computed from the others",
    look: |patient| {
        let finding = |device: &model::machine::BlockDevice| {
            let array = device.array.as_ref().filter(|a| a.degraded > 0)?;
            let name = clip(&device.name);
            let level = clip(&array.level);
            let (missing, members) = (u64::from(array.degraded), u64::from(array.members));
            let text = format!("array {name} ({level}) lacks {missing} of {members} members");
            let resource = format!("block:{name}");
            Some(
                condition(CODE, Severity::Warning, text.clone())
                    .on(resource.as_str())
                    .arg("array", name.as_str())
                    .arg("level", level.as_str())
                    .arg("missing", missing)
                    .arg("members", members)
                    .because(
                        listed("degraded", &resource, text).arg("missing", missing).arg("members", members),
                    )
                    .advise(format!("add the missing members (see `mdadm --detail /dev/{name}`)")),
            )
        };
        patient.inventory.block.iter().filter_map(finding).collect()
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, array, diagnose_inventory, with_array};
    use model::machine::Array;

    #[test]
    fn missing_members_are_counted() {
        let shown =
            diagnose_inventory(&CHECK, with_array(Array { degraded: 1, members: 6, ..array("raid6") }));
        shown.one(Severity::Warning, "array md0 (raid6) lacks 1 of 6 members");
        assert_eq!(diagnose_inventory(&CHECK, with_array(array("raid6"))), Shown::nothing());
    }
}
