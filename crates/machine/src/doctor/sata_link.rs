//! A SATA link is slower than both its ends can.

use model::machine::BlockDevice;
use model::{Finding, Resource, ResourceKind, Severity};

use super::{Check, CheckContext, clip, condition, listed, seen};

const CODE: &str = "sata-link";

/// The check. Where the drive did not say what it can, it may be the drive: a
/// note.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a SATA link runs below what port and drive can",
    english: r#"
condition-sata-link =
    the link of { $drive } runs at { BITS($bits) }, { $how ->
        [both] port and drive can do
        [port] the port can do
       *[drive] the drive can do
    } { BITS($best_bits) }
    .advice =
        use another cable or port; `dmesg | grep -i 'sata link'` tells whether errors slowed it down

evidence-sata-link = negotiated { BITS($bits) }
evidence-identify = the drive can do { BITS($bits) }
"#,
    look: |context| context.inventory.block.iter().filter_map(|d| judge(context, d)).collect(),
};

fn judge(context: &CheckContext<'_>, device: &BlockDevice) -> Option<Finding> {
    if device.transport.as_deref() != Some("sata") {
        return None;
    }
    let now = device.link_bits.filter(|b| *b > 0)?;
    let drive = context.drives.of(&device.name).and_then(|s| s.link_max_bits);
    let port = device.link_max_bits;
    let best = match (port, drive) {
        (Some(port), Some(drive)) => port.min(drive),
        (port, drive) => port.or(drive)?,
    };
    if now >= best {
        return None;
    }
    let (severity, how) = match (port, drive) {
        (Some(_), Some(_)) => (Severity::Warning, "both"),
        (Some(_), None) => (Severity::Note, "port"),
        _ => (Severity::Note, "drive"),
    };
    let name = clip(&device.name);
    let negotiated = listed("sata-link", &Resource::of(ResourceKind::Block, &name)).arg("bits", now);
    let mut finding = condition(CODE, severity)
        .on(Resource::of(ResourceKind::Sata, &name))
        .arg("drive", name)
        .arg("how", how)
        .arg("bits", now)
        .arg("best_bits", best)
        .because(negotiated);
    if let Some(drive) = drive {
        finding = finding.because(seen("identify").arg("bits", drive));
    }
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with, with_drive};

    const G: u64 = 1_000_000_000;

    fn look(now: u64, port: Option<u64>, drive: Option<u64>) -> CheckResult {
        let mut inventory = with_drive("sda", "sata");
        (inventory.block[0].link_bits, inventory.block[0].link_max_bits) = (Some(now), port);
        let tree = drive.map(|d| format!("==> /probe/smart/sda\n{{\"link_max_bits\": {d}}}\n"));
        diagnose_with(&CHECK, &tree.unwrap_or_default(), inventory)
    }

    #[test]
    fn a_link_below_both_ends_is_a_warning() {
        look(3 * G, Some(6 * G), Some(6 * G))
            .one(Severity::Warning, "the link of sda runs at 3 Gbit/s, port and drive can do 6 Gbit/s");
        look(15 * G / 10, Some(6 * G), None)
            .one(Severity::Note, "runs at 1.5 Gbit/s, the port can do 6 Gbit/s");
        look(15 * G / 10, None, Some(3 * G)).one(Severity::Note, "the drive can do 3 Gbit/s");
    }

    #[test]
    fn an_old_drive_on_a_new_port_is_nothing() {
        assert_eq!(look(3 * G, Some(6 * G), Some(3 * G)), CheckResult::nothing());
        assert_eq!(look(6 * G, Some(6 * G), None), CheckResult::nothing());
        assert_eq!(look(6 * G, None, None), CheckResult::nothing());
    }
}
