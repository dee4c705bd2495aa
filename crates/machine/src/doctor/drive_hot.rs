//! A drive is so warm that it soon slows itself down.

use model::machine::Sensor;
use model::{Resource, ResourceKind, Severity};

use super::smart::Smart;
use super::{Check, clip, condition, hot, seen};

const CODE: &str = "drive-hot";
/// So near to its warning temperature a drive gets past it under load: drives
/// gain tens of kelvins within a minute of writing.
const KELVINS: f64 = 5.0;

/// The check. The warning temperature is that from which on most NVMe drives
/// throttle. A drive whose sensor shows it near the critical one, which is
/// higher, has a finding for that.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "an NVMe drive is within 5 K of its warning temperature",
    english: r#"
condition-drive-hot =
    { $drive } is at { FIXED($value) } °C; from { FIXED($limit) } °C on it may slow itself down
    .advice = let it cool down, or give it air; write less before measuring

evidence-drive-temperature = { condition-drive-hot }
"#,
    look: |context| {
        let finding = |(name, smart): (&str, &Smart)| {
            let (value, limit) = near_limit(smart)?;
            let is_worse = |s: &Sensor| s.device.as_deref() == Some(name) && hot::near_critical(s).is_some();
            if context.inventory.sensors.iter().any(is_worse) {
                return None;
            }
            let name = clip(name);
            let finding = condition(CODE, Severity::Warning)
                .on(Resource::of(ResourceKind::Block, &name))
                .arg("drive", name)
                .arg("value", value)
                .arg("limit", limit);
            Some(finding.because_same(seen("drive-temperature")))
        };
        context.drives.all().filter_map(finding).collect()
    },
};

/// How warm a drive is, and its limit, where it is near to it.
pub(super) fn near_limit(smart: &Smart) -> Option<(f64, f64)> {
    let limit = smart.warning_c.or(smart.critical_c)?;
    let value = smart.temperature_c.filter(|t| *t >= limit - KELVINS)?;
    Some((value, limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with, with_drive};

    #[test]
    fn a_drive_near_its_limit_is_seen() {
        let look = |celsius: f64| {
            let json =
                format!("{{\"temperature_c\": {celsius:?}, \"warning_c\": 77.0, \"critical_c\": 84.0}}");
            let tree = format!("==> /probe/smart/nvme0n1\n{json}\n");
            diagnose_with(&CHECK, &tree, with_drive("nvme0n1", "nvme"))
        };
        look(74.0).one(Severity::Warning, "nvme0n1 is at 74 °C; from 77 °C on");
        assert_eq!(look(45.0), CheckResult::nothing());
    }

    #[test]
    fn a_drive_that_is_nearly_too_hot_is_said_once() {
        let mut inventory = with_drive("nvme0n1", "nvme");
        inventory.sensors.push(Sensor {
            value: Some(83.0),
            critical: Some(84.0),
            device: Some("nvme0n1".to_owned()),
            ..Sensor::default()
        });
        let tree = "==> /probe/smart/nvme0n1\n{\"temperature_c\": 83.0, \"warning_c\": 77.0}\n";
        assert_eq!(diagnose_with(&CHECK, tree, inventory), CheckResult::nothing());
    }
}
