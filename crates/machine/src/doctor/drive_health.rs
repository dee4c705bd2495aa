//! A drive says that it is not well.

use model::{Finding, Severity};

use super::smart::Smart;
use super::{Check, clip, condition, drive_hot, few, seen};

const CODE: &str = "drive-health";
/// Bits of NVMe's Critical Warning (Base Specification 2.0, SMART / Health
/// Information), the lowest first.
const WARNINGS: &[(&str, &str)] = &[
    ("spare", "its spare blocks are nearly used up"),
    ("temperature", "its temperature is beyond a limit"),
    ("unreliable", "it is unreliable after errors"),
    ("read-only", "it takes no writes any more"),
    ("no-backup", "its volatile memory is not backed up any more"),
    ("persistent-read-only", "its persistent memory takes no writes any more"),
];
/// Bit 1 is about temperature, which `drive-hot` reports with numbers.
const TEMPERATURE: u32 = 1 << 1;
/// From here on the drive has done what its maker promised (the same page,
/// Percentage Used).
const WORN: u32 = 100;

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "an NVMe drive warns of itself, is worn, or had errors it could not correct",
    look: |patient| patient.drives.all().filter_map(|(name, smart)| judge(&clip(name), smart)).collect(),
};

/// What is wrong, as codes and in words, the gravest first; and how grave it is.
fn wrong(bits: u32, smart: &Smart) -> (Severity, Vec<(&'static str, String)>) {
    let named = WARNINGS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    let mut all: Vec<_> = named.map(|(_, (code, text))| (*code, (*text).to_owned())).collect();
    if bits >> WARNINGS.len() != 0 {
        all.push(("other", format!("critical warning {bits:#x}")));
    }
    let severity = if all.is_empty() { Severity::Note } else { Severity::Warning };
    if let Some(used) = smart.percentage_used.filter(|u| *u >= WORN) {
        all.push(("worn", format!("{used} % of its life is used")));
    }
    if let Some(errors) = smart.media_errors.filter(|e| *e > 0) {
        all.push(("errors", format!("{errors} errors could not be corrected")));
    }
    (severity, all)
}

fn judge(name: &str, smart: &Smart) -> Option<Finding> {
    let told = if drive_hot::near_limit(smart).is_some() { TEMPERATURE } else { 0 };
    let bits = smart.critical_warning.unwrap_or(0) & !told;
    let (severity, wrong) = wrong(bits, smart);
    if wrong.is_empty() {
        return None;
    }
    let words: Vec<String> = wrong.iter().map(|(_, text)| text.clone()).collect();
    let words = few(&words);
    let mut finding = condition(CODE, severity, format!("{name} reports: {words}"))
        .on(format!("block:{name}"))
        .arg("drive", name)
        .arg("critical_warning", u64::from(bits))
        .arg("bits", format!("{bits:#x}").as_str())
        .arg("more", words.more)
        .advise(format!("look at it with `smartctl -x /dev/{name}`, save its data, and measure another"));
    for (place, key) in ["first", "second", "third"].into_iter().enumerate() {
        finding = finding.arg(key, wrong.get(place).map_or("none", |(code, _)| code));
    }
    for (key, value) in
        [("percentage_used", smart.percentage_used.map(u64::from)), ("media_errors", smart.media_errors)]
    {
        if let Some(value) = value {
            finding = finding.arg(key, value);
        }
    }
    for (code, value) in [
        ("available-spare", smart.available_spare.map(u64::from)),
        ("spare-threshold", smart.spare_threshold.map(u64::from)),
        ("percentage-used", smart.percentage_used.map(u64::from)),
        ("media-errors", smart.media_errors),
        ("critical-warning", smart.critical_warning.map(u64::from)),
    ] {
        let Some(value) = value else { continue };
        finding = finding.because(seen(code, format!("{code}: {value}")).arg("value", value));
    }
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, diagnose_with, with_drive};

    fn look(json: &str) -> Shown {
        diagnose_with(&CHECK, &format!("==> /probe/smart/nvme0n1\n{json}\n"), with_drive("nvme0n1", "nvme"))
    }

    #[test]
    fn every_warning_of_the_drive_has_words() {
        look(r#"{"critical_warning": 8}"#)
            .one(Severity::Warning, "nvme0n1 reports: it takes no writes any more");
        look(r#"{"critical_warning": 2}"#).one(Severity::Warning, "its temperature is beyond a limit");
        let all = look(r#"{"critical_warning": 191, "percentage_used": 100, "media_errors": 1}"#);
        all.one(Severity::Warning, "it is unreliable after errors and 6 more");
        for (bit, (_, text)) in WARNINGS.iter().enumerate() {
            look(&format!("{{\"critical_warning\": {}}}", 1 << bit)).one(Severity::Warning, text);
        }
        look(r#"{"critical_warning": 128}"#).one(Severity::Warning, "critical warning 0x80");
        look(r#"{"critical_warning": 0, "percentage_used": 104}"#)
            .one(Severity::Note, "104 % of its life is used");
        look(r#"{"media_errors": 3}"#).one(Severity::Note, "3 errors could not be corrected");
    }

    #[test]
    fn a_healthy_drive_is_nothing() {
        let healthy =
            r#"{"critical_warning": 0, "percentage_used": 12, "available_spare": 100, "media_errors": 0}"#;
        assert_eq!(look(healthy), Shown::nothing());
        assert_eq!(look("garbled"), Shown::nothing());
        let hot = r#"{"critical_warning": 2, "temperature_c": 80.0, "warning_c": 75.0}"#;
        assert_eq!(look(hot), Shown::nothing(), "that is drive-hot's");
    }
}
