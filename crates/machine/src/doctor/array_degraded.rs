//! An array lacks members.

use model::{Resource, ResourceKind, Severity};

use super::{Check, clip, condition, listed};

const CODE: &str = "array-degraded";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "an md array lacks members, whose data is computed from the others",
    english: r#"
condition-array-degraded = array { $array } ({ $level }) lacks { $missing } of { $members } members
    .advice = add the missing members (see `mdadm --detail /dev/{ $array }`)

evidence-degraded = { condition-array-degraded }
"#,
    look: |context| {
        let finding = |device: &model::machine::BlockDevice| {
            let array = device.array.as_ref().filter(|a| a.degraded > 0)?;
            let name = clip(&device.name);
            let resource = Resource::of(ResourceKind::Block, &name);
            let finding = condition(CODE, Severity::Warning)
                .on(resource.as_str())
                .arg("array", name)
                .arg("level", clip(&array.level))
                .arg("missing", u64::from(array.degraded))
                .arg("members", u64::from(array.members));
            Some(finding.because_same(listed("degraded", &resource)))
        };
        context.inventory.block.iter().filter_map(finding).collect()
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, array, diagnose_inventory, with_array};
    use model::machine::Array;

    #[test]
    fn missing_members_are_counted() {
        let shown =
            diagnose_inventory(&CHECK, with_array(Array { degraded: 1, members: 6, ..array("raid6") }));
        shown.one(Severity::Warning, "array md0 (raid6) lacks 1 of 6 members");
        assert_eq!(diagnose_inventory(&CHECK, with_array(array("raid6"))), CheckResult::nothing());
    }
}
