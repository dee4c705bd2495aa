//! A drive tests itself.

use language::format::percent;
use model::Severity;

use super::{Check, clip, condition, seen};

const CODE: &str = "drive-self-test";

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a drive's SMART self-test is running",
    look: |patient| {
        let finding = |(name, smart): (&str, &super::smart::Smart)| {
            let state = smart.self_test.as_deref()?;
            let name = clip(name);
            let done = done(state);
            let progress = done.map(|share| format!(" ({} done)", percent(share))).unwrap_or_default();
            let text = format!("{name} tests itself{progress}");
            let mut evidence = seen("self-test", text.clone());
            let mut finding = condition(CODE, Severity::Warning, text)
                .on(format!("block:{name}"))
                .advise(format!("wait for its end, or end it with `smartctl -X /dev/{name}`"));
            let how = if done.is_some() { "progress" } else { "unknown" };
            for (key, value) in [("drive", name.as_str()), ("how", how)] {
                (finding, evidence) = (finding.arg(key, value), evidence.arg(key, value));
            }
            if let Some(done) = done {
                (finding, evidence) = (finding.arg("done", done), evidence.arg("done", done));
            }
            Some(finding.because(evidence))
        };
        patient.drives.all().filter_map(finding).collect()
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
    use crate::doctor::tests::{Shown, diagnose_with, with_drive};

    #[test]
    fn a_test_that_runs_is_seen() {
        let tree = "==> /probe/smart/sda\n{\"kind\": \"ata\", \"self_test\": \"running 40 %\"}\n";
        diagnose_with(&CHECK, tree, with_drive("sda", "sata"))
            .one(Severity::Warning, "sda tests itself (40 % done)");
        let odd = "==> /probe/smart/sda\n{\"kind\": \"ata\", \"self_test\": \"busy\"}\n";
        assert_eq!(diagnose_with(&CHECK, odd, with_drive("sda", "sata")).texts(), ["sda tests itself"]);
        let tree = "==> /probe/smart/sda\n{\"kind\": \"ata\", \"self_test\": null}\n";
        assert_eq!(diagnose_with(&CHECK, tree, with_drive("sda", "sata")), Shown::nothing());
    }
}
