//! A control group holds reads or writes of a device.

use model::machine::IoThrottle;
use model::{Finding, Severity};

use super::{Check, CheckContext, clip, condition, held, holder, listed, rate};

const CODE: &str = "io-quota";

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a control group (a container's, mostly) holds reads or writes of a device to a rate",
    look: |patient| patient.inventory.cgroup.io.iter().filter_map(|io| judge(patient, io)).collect(),
};

fn judge(patient: &CheckContext<'_>, io: &IoThrottle) -> Option<Finding> {
    let bytes = |rate_of: u64| rate(rate_of as f64);
    let operations = |rate_of: u64| format!("{rate_of} operations/s");
    let bounds = [
        ("read_bytes", io.read_bytes.map(|r| format!("reads to {}", bytes(r)))),
        ("write_bytes", io.write_bytes.map(|r| format!("writes to {}", bytes(r)))),
        ("read_operations", io.read_operations.map(|r| format!("reads to {}", operations(r)))),
        ("write_operations", io.write_operations.map(|r| format!("writes to {}", operations(r)))),
    ];
    // Zero throttles nothing, in either version of control groups.
    let values = [io.read_bytes, io.write_bytes, io.read_operations, io.write_operations];
    let values = values.map(|value| value.filter(|v| *v > 0));
    let held_back: Vec<&str> = bounds
        .iter()
        .zip(values)
        .filter_map(|((_, words), value)| words.as_deref().filter(|_| value.is_some()))
        .collect();
    if held_back.is_empty() {
        return None;
    }
    let device = clip(&io.device);
    let words = held_back.join(", ");
    let mut evidence =
        listed("io-quota", "cgroup", format!("{device}: {words}")).arg("device", device.as_str());
    let mut finding = condition(CODE, Severity::Note, format!("{} holds {device}: {words}", holder(patient)))
        .on(format!("block:{device}"))
        .arg("device", device.as_str())
        .advise("read results of this device as the quota's, or measure with the quota lifted");
    for ((name, _), value) in bounds.iter().zip(values) {
        // Sentences ask first whether there is a bound.
        let asked = format!("has_{name}");
        (finding, evidence) = (finding.arg(&asked, value.is_some()), evidence.arg(&asked, value.is_some()));
        if let Some(value) = value {
            (finding, evidence) = (finding.arg(name, value), evidence.arg(name, value));
        }
    }
    Some(held(finding.because(evidence), patient))
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
            "the container (docker) holds nvme0n1: writes to 52.43 MB/s, reads to 500 operations/s",
        );
        look(IoThrottle {
            device: device(),
            read_bytes: Some(2_000_000_000),
            write_operations: Some(7),
            ..IoThrottle::default()
        })
        .one(Severity::Note, "reads to 2 GB/s, writes to 7 operations/s");
        assert_eq!(
            look(IoThrottle { device: device(), read_bytes: Some(0), ..IoThrottle::default() }),
            Shown::nothing()
        );
    }
}
