//! A control group holds reads or writes of a device.

use model::machine::IoThrottle;
use model::{Finding, Severity};

use super::{Check, Patient, clip, condition, holder, listed, rate};

const CODE: &str = "io-quota";

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a control group (a container's, mostly) holds reads or writes of a device to a rate",
    look: |patient| patient.inventory.cgroup.io.iter().filter_map(|io| judge(patient, io)).collect(),
};

fn judge(patient: &Patient<'_>, io: &IoThrottle) -> Option<Finding> {
    let bytes = |rate_of: Option<u64>| rate_of.map(|r| rate(r as f64));
    let operations = |rate_of: Option<u64>| rate_of.map(|r| format!("{r} operations/s"));
    // Zero throttles nothing, in either version of control groups.
    let some = |value: Option<u64>| value.filter(|v| *v > 0);
    let bounds = [
        ("read_bytes", "reads", some(io.read_bytes), bytes(io.read_bytes)),
        ("write_bytes", "writes", some(io.write_bytes), bytes(io.write_bytes)),
        ("read_operations", "reads", some(io.read_operations), operations(io.read_operations)),
        ("write_operations", "writes", some(io.write_operations), operations(io.write_operations)),
    ];
    let bounds: Vec<_> = bounds
        .into_iter()
        .filter_map(|(name, way, value, words)| Some((name, way, value?, words?)))
        .collect();
    let words: Vec<String> = bounds.iter().map(|(_, way, _, words)| format!("{way} to {words}")).collect();
    if words.is_empty() {
        return None;
    }
    let device = clip(&io.device);
    let held = words.join(", ");
    let mut finding = condition(CODE, Severity::Note, format!("{} holds {device}: {held}", holder(patient)))
        .on(format!("block:{device}"))
        .because(listed("io-quota", "cgroup", format!("{device}: {held}")))
        .advise("read results of this device as the quota's, or measure with the quota lifted");
    for (name, _, value, _) in bounds {
        finding = finding.arg(name, value);
    }
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, diagnose_inventory};
    use model::machine::{Cgroup, Inventory, System};

    #[test]
    fn what_holds_a_device_is_noted_and_zero_holds_nothing() {
        let look = |io| {
            diagnose_inventory(
                &CHECK,
                Inventory {
                    cgroup: Cgroup { io: vec![io], ..Cgroup::default() },
                    system: System { container: Some("docker".to_owned()), ..System::default() },
                    ..Inventory::default()
                },
            )
        };
        let device = || "nvme0n1".to_owned();
        look(IoThrottle {
            device: device(),
            write_bytes: Some(52_428_800),
            read_operations: Some(500),
            ..IoThrottle::default()
        })
        .one(
            Severity::Note,
            "the container (docker) holds nvme0n1: writes to 52.4 MB/s, reads to 500 operations/s",
        );
        assert_eq!(
            look(IoThrottle { device: device(), read_bytes: Some(0), ..IoThrottle::default() }),
            Shown::nothing()
        );
    }
}
