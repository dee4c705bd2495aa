//! An array is being synchronised, checked or rebuilt.

use language::format::percent;
use model::Severity;

use super::{Check, clip, condition, listed};

const CODE: &str = "array-sync";
/// Words of `sync_action` for nothing (`Documentation/admin-guide/md.rst`).
const RESTING: &[&str] = &["", "idle", "frozen"];

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "an md array is in resync, recovery, check or reshape",
    look: |patient| {
        let finding = |device: &model::machine::BlockDevice| {
            let array = device.array.as_ref()?;
            let action = array.action.as_deref().map(str::trim).filter(|a| !RESTING.contains(a))?;
            let (name, action, level) = (clip(&device.name), clip(action), clip(&array.level));
            let done = array.progress.filter(|p| (0.0..=1.0).contains(p));
            let progress = done.map(|p| format!(", {} done", percent(p))).unwrap_or_default();
            let text = format!("{action} of array {name} ({level}) is under way{progress}");
            let resource = format!("block:{name}");
            let finding = condition(CODE, Severity::Warning, text.clone())
                .on(resource.as_str())
                .arg("array", name.as_str())
                .arg("action", action.as_str())
                .arg("level", level.as_str())
                .arg("how", if done.is_some() { "progress" } else { "unknown" })
                .because(listed("sync-action", &resource, text).arg("action", action.as_str()))
                .advise(format!("wait for its end (see `cat /sys/block/{name}/md/sync_completed`)"));
            Some(match done {
                Some(p) => finding.arg("progress", p),
                None => finding,
            })
        };
        patient.inventory.block.iter().filter_map(finding).collect()
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, array, diagnose_inventory};
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
            assert_eq!(diagnose_inventory(&CHECK, inventory), Shown::nothing());
        }
    }
}
