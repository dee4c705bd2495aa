//! A drive tests itself.

use model::Severity;

use super::{Check, clip, condition, seen};

const CODE: &str = "drive-self-test";

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a drive's SMART self-test is running",
    look: |patient| {
        let finding = |(name, smart): (&str, &super::smart::Smart)| {
            let state = clip(smart.self_test.as_deref()?);
            let name = clip(name);
            let text = format!("{name} tests itself ({state})");
            Some(
                condition(CODE, Severity::Warning, text.clone())
                    .on(format!("block:{name}"))
                    .arg("drive", name.as_str())
                    .arg("state", state.as_str())
                    .because(seen("self-test", text))
                    .advise(format!("wait for its end, or end it with `smartctl -X /dev/{name}`")),
            )
        };
        patient.drives.all().filter_map(finding).collect()
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, diagnose_with, with_drive};

    #[test]
    fn a_test_that_runs_is_seen() {
        let tree = "==> /probe/smart/sda\n{\"kind\": \"ata\", \"self_test\": \"running 40 %\"}\n";
        diagnose_with(&CHECK, tree, with_drive("sda", "sata"))
            .one(Severity::Warning, "sda tests itself (running 40 %)");
        let tree = "==> /probe/smart/sda\n{\"kind\": \"ata\", \"self_test\": null}\n";
        assert_eq!(diagnose_with(&CHECK, tree, with_drive("sda", "sata")), Shown::nothing());
    }
}
