//! A drive is so warm that it soon slows itself down.

use model::Severity;

use super::{Check, clip, condition, seen};

const CODE: &str = "drive-hot";
/// So near to its warning temperature a drive gets past it under load: drives
/// gain tens of kelvins within a minute of writing.
const KELVINS: f64 = 5.0;

/// The check. A drive whose sensor is in the inventory is judged there, by its
/// critical temperature; here it is the lower one, from which on an NVMe drive
/// warns and most throttle.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "an NVMe drive is within 5 K of its warning temperature",
    look: |patient| {
        let finding = |(name, smart): (&str, &super::smart::Smart)| {
            let limit = smart.warning_c.or(smart.critical_c)?;
            let value = smart.temperature_c.filter(|t| *t >= limit - KELVINS)?;
            let name = clip(name);
            let text = format!("{name} is at {value:.0} °C; from {limit:.0} °C on it may slow itself down");
            Some(
                condition(CODE, Severity::Warning, text.clone())
                    .on(format!("block:{name}"))
                    .arg("drive", name.as_str())
                    .arg("value", value)
                    .arg("limit", limit)
                    .because(seen("temperature", text))
                    .advise("let it cool down, or give it air; write less before measuring"),
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
    fn a_drive_near_its_limit_is_seen() {
        let look = |celsius: f64| {
            let json =
                format!("{{\"temperature_c\": {celsius:?}, \"warning_c\": 77.0, \"critical_c\": 84.0}}");
            let tree = format!("==> /probe/smart/nvme0n1\n{json}\n");
            diagnose_with(&CHECK, &tree, with_drive("nvme0n1", "nvme"))
        };
        look(74.0).one(Severity::Warning, "nvme0n1 is at 74 °C; from 77 °C on");
        assert_eq!(look(45.0), Shown::nothing());
    }
}
