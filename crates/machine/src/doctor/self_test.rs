//! A drive tests itself.

use model::{Resource, ResourceKind, Severity};

use super::{Check, clip, condition, maybe_arg, seen};

const CODE: &str = "drive-self-test";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a drive's SMART self-test is running",
    english: r#"
condition-drive-self-test =
    { $drive } tests itself{ $how ->
        [progress] {" "}({ PERCENT($done) } done)
       *[unknown] {""}
    }
    .advice = wait for its end, or end it with `smartctl -X /dev/{ $drive }`

evidence-self-test = { condition-drive-self-test }
"#,
    look: |context| {
        let finding = |(name, smart): (&str, &super::smart::Smart)| {
            let state = smart.self_test.as_deref()?;
            let name = clip(name);
            let done = done(state);
            let finding = condition(CODE, Severity::Warning)
                .on(Resource::of(ResourceKind::Block, &name))
                .arg("drive", name)
                .arg("how", if done.is_some() { "progress" } else { "unknown" });
            Some(maybe_arg(finding, "done", done).because_same(seen("self-test")))
        };
        context.drives.all().filter_map(finding).collect()
    },
};

/// How much of a self-test is done, from `running 40 %`.
fn done(state: &str) -> Option<f64> {
    let percent: f64 = state.strip_prefix("running ")?.strip_suffix(" %")?.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with, with_drive};

    #[test]
    fn a_test_that_runs_is_seen() {
        let tree = "==> /probe/smart/sda\n{\"kind\": \"ata\", \"self_test\": \"running 40 %\"}\n";
        diagnose_with(&CHECK, tree, with_drive("sda", "sata"))
            .one(Severity::Warning, "sda tests itself (40 % done)");
        let odd = "==> /probe/smart/sda\n{\"kind\": \"ata\", \"self_test\": \"busy\"}\n";
        assert_eq!(diagnose_with(&CHECK, odd, with_drive("sda", "sata")).texts(), ["sda tests itself"]);
        let tree = "==> /probe/smart/sda\n{\"kind\": \"ata\", \"self_test\": null}\n";
        assert_eq!(diagnose_with(&CHECK, tree, with_drive("sda", "sata")), CheckResult::nothing());
    }
}
