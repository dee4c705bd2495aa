//! An array is being synchronised, checked or rebuilt.

use model::{Resource, ResourceKind, Severity};

use super::{Check, clip, condition, listed, maybe_arg};

const CODE: &str = "array-sync";
/// Words of `sync_action` for nothing (`Documentation/admin-guide/md.rst`).
const RESTING: &[&str] = &["", "idle", "frozen"];

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "an md array is in resync, recovery, check or reshape",
    english: r#"
condition-array-sync =
    { $action } of array { $array } ({ $level }) is under way{ $how ->
        [progress] , { PERCENT($progress) } done
       *[unknown] {""}
    }
    .advice = wait for its end (see `cat /sys/block/{ $array }/md/sync_completed`)

evidence-sync-action = { condition-array-sync }
"#,
    look: |context| {
        let finding = |device: &model::machine::BlockDevice| {
            let array = device.array.as_ref()?;
            let action = array.action.as_deref().map(str::trim).filter(|a| !RESTING.contains(a))?;
            let name = clip(&device.name);
            let done = array.progress.filter(|p| (0.0..=1.0).contains(p));
            let resource = Resource::of(ResourceKind::Block, &name);
            let finding = condition(CODE, Severity::Warning)
                .on(resource.as_str())
                .arg("array", name)
                .arg("action", clip(action))
                .arg("level", clip(&array.level))
                .arg("how", if done.is_some() { "progress" } else { "unknown" });
            Some(maybe_arg(finding, "progress", done).because_same(listed("sync-action", &resource)))
        };
        context.inventory.block.iter().filter_map(finding).collect()
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, array, diagnose_inventory};
    use model::machine::Array;

    #[test]
    fn what_goes_on_is_said_with_its_progress() {
        let work = Array { action: Some("check".to_owned()), progress: Some(0.412), ..array("raid6") };
        let shown = diagnose_inventory(&CHECK, crate::doctor::tests::with_array(work));
        shown.one(Severity::Warning, "check of array md0 (raid6) is under way, 41 % done");
        for action in ["resync", "recover", "repair", "reshape", "another"] {
            let work = Array { action: Some(action.to_owned()), ..array("raid1") };
            let shown = diagnose_inventory(&CHECK, crate::doctor::tests::with_array(work));
            shown.one(Severity::Warning, &format!("{action} of array md0 (raid1) is under way"));
        }
    }

    #[test]
    fn an_idle_array_is_nothing() {
        for action in [None, Some("idle".to_owned())] {
            let inventory = crate::doctor::tests::with_array(Array { action, ..array("raid1") });
            assert_eq!(diagnose_inventory(&CHECK, inventory), CheckResult::nothing());
        }
    }
}
