//! A drive says that it is not well.

use model::{Finding, Resource, ResourceKind, Severity};

use super::smart::Smart;
use super::{Check, clip, condition, drive_hot, maybe_arg, seen};

const CODE: &str = "drive-health";
/// Bits of NVMe's Critical Warning (Base Specification 2.0, SMART / Health
/// Information), the lowest first.
const WARNINGS: &[&str] =
    &["spare", "temperature", "unreliable", "read-only", "no-backup", "persistent-read-only"];
/// Bit 1 is about temperature, which `drive-hot` reports with numbers.
const TEMPERATURE: u32 = 1 << 1;
/// From here on the drive has done what its maker promised (the same page,
/// Percentage Used).
const WORN: u32 = 100;

/// What is wrong in one place of the sentence, in Fluent, with what stands before it.
macro_rules! wrong {
    ($place:literal, $before:literal) => {
        wrong! {
            $place, $before,
            " [spare]" "its spare blocks are nearly used up",
            " [temperature]" "its temperature is beyond a limit",
            " [unreliable]" "it is unreliable after errors",
            " [read-only]" "it takes no writes any more",
            " [no-backup]" "its volatile memory is not backed up any more",
            " [persistent-read-only]" "its persistent memory takes no writes any more",
            " [other]" "critical warning { $bits }",
            " [worn]" "{ $percentage_used } % of its life is used",
            "*[errors]" "{ $media_errors } errors could not be corrected",
        }
    };
    ($place:literal, $before:literal, $($code:literal $words:literal,)+) => {
        concat!(
            "{ $", $place, " ->\n        [none] {\"\"}",
            $("\n       ", $code, " ", $before, $words,)+
            "\n    }"
        )
    };
}

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "an NVMe drive warns of itself, is worn, or had errors it could not correct",
    english: concat!(
        "condition-drive-health =\n    { $drive } reports: ",
        wrong!("first", ""),
        wrong!("second", ", "),
        wrong!("third", ", "),
        r#"{ few-more }
    .advice = look at it with `smartctl -x /dev/{ $drive }`, save its data, and measure another

evidence-available-spare = available-spare: { $value }
evidence-spare-threshold = spare-threshold: { $value }
evidence-percentage-used = percentage-used: { $value }
evidence-media-errors = media-errors: { $value }
evidence-critical-warning = critical-warning: { $value }
"#
    ),
    look: |context| context.drives.all().filter_map(|(name, smart)| judge(&clip(name), smart)).collect(),
};

/// What is wrong, as codes, the gravest first; and how grave it is.
fn wrong(bits: u32, smart: &Smart) -> (Severity, Vec<&'static str>) {
    let named = WARNINGS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    let mut all: Vec<_> = named.map(|(_, code)| *code).collect();
    if bits >> WARNINGS.len() != 0 {
        all.push("other");
    }
    let severity = if all.is_empty() { Severity::Note } else { Severity::Warning };
    all.extend(smart.percentage_used.filter(|u| *u >= WORN).map(|_| "worn"));
    all.extend(smart.media_errors.filter(|e| *e > 0).map(|_| "errors"));
    (severity, all)
}

fn judge(name: &str, smart: &Smart) -> Option<Finding> {
    let told = if drive_hot::near_limit(smart).is_some() { TEMPERATURE } else { 0 };
    let bits = smart.critical_warning.unwrap_or(0) & !told;
    let (severity, wrong) = wrong(bits, smart);
    if wrong.is_empty() {
        return None;
    }
    const NAMED: [&str; 3] = ["first", "second", "third"];
    let mut finding = condition(CODE, severity)
        .on(Resource::of(ResourceKind::Block, name))
        .arg("drive", name)
        .arg("critical_warning", u64::from(bits))
        .arg("bits", format!("{bits:#x}"))
        .arg("more", wrong.len().saturating_sub(NAMED.len()) as u64);
    for (place, key) in NAMED.into_iter().enumerate() {
        finding = finding.arg(key, *wrong.get(place).unwrap_or(&"none"));
    }
    for (key, value) in
        [("percentage_used", smart.percentage_used.map(u64::from)), ("media_errors", smart.media_errors)]
    {
        finding = maybe_arg(finding, key, value);
    }
    for (code, value) in [
        ("available-spare", smart.available_spare.map(u64::from)),
        ("spare-threshold", smart.spare_threshold.map(u64::from)),
        ("percentage-used", smart.percentage_used.map(u64::from)),
        ("media-errors", smart.media_errors),
        ("critical-warning", smart.critical_warning.map(u64::from)),
    ] {
        let Some(value) = value else { continue };
        finding = finding.because(seen(code).arg("value", value));
    }
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with, with_drive};

    fn look(json: &str) -> CheckResult {
        diagnose_with(&CHECK, &format!("==> /probe/smart/nvme0n1\n{json}\n"), with_drive("nvme0n1", "nvme"))
    }

    #[test]
    fn every_warning_of_the_drive_has_words() {
        let all = look(r#"{"critical_warning": 191, "percentage_used": 100, "media_errors": 1}"#);
        all.one(Severity::Warning, "it is unreliable after errors and 6 more");
        for (bit, says) in [
            (0, "its spare blocks are nearly used up"),
            (1, "its temperature is beyond a limit"),
            (2, "it is unreliable after errors"),
            (3, "it takes no writes any more"),
            (4, "its volatile memory is not backed up any more"),
            (5, "its persistent memory takes no writes any more"),
            (6, "critical warning 0x40"),
            (7, "critical warning 0x80"),
        ] {
            let alone = look(&format!("{{\"critical_warning\": {}}}", 1 << bit));
            alone.one(Severity::Warning, "");
            assert_eq!(alone.texts(), [format!("nvme0n1 reports: {says}")], "bit {bit}");
        }
        look(r#"{"critical_warning": 0, "percentage_used": 104}"#)
            .one(Severity::Note, "104 % of its life is used");
        look(r#"{"media_errors": 3}"#).one(Severity::Note, "3 errors could not be corrected");
    }

    #[test]
    fn a_healthy_drive_is_nothing() {
        let healthy =
            r#"{"critical_warning": 0, "percentage_used": 12, "available_spare": 100, "media_errors": 0}"#;
        assert_eq!(look(healthy), CheckResult::nothing());
        assert_eq!(look("garbled"), CheckResult::nothing());
        let hot = r#"{"critical_warning": 2, "temperature_c": 80.0, "warning_c": 75.0}"#;
        assert_eq!(look(hot), CheckResult::nothing(), "that is drive-hot's");
    }
}
