//! A control group holds reads or writes of a device.

use model::machine::IoThrottle;
use model::{Finding, Resource, ResourceKind, Severity};

use super::{Check, CheckContext, clip, condition, held, listed, maybe_arg};

const CODE: &str = "io-quota";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a control group (a container's, mostly) holds reads or writes of a device to a rate",
    english: r#"
io-bounds =
    { $has_read_bytes ->
        [yes] reads to { SHORT($read_bytes, unit: "B/s") }
       *[no] {""}
    }{ $has_write_bytes ->
        [yes] { $has_read_bytes ->
            [yes] ,{" "}
           *[no] {""}
        }writes to { SHORT($write_bytes, unit: "B/s") }
       *[no] {""}
    }{ $has_read_operations ->
        [yes] { $bounds_bytes ->
            [yes] ,{" "}
           *[no] {""}
        }reads to { $read_operations } operations/s
       *[no] {""}
    }{ $has_write_operations ->
        [yes] { $bounds_more ->
            [yes] ,{" "}
           *[no] {""}
        }writes to { $write_operations } operations/s
       *[no] {""}
    }
condition-io-quota = { quota-holder } holds { $device }: { io-bounds }
    .advice = read results of this device as the quota's, or measure with the quota lifted

evidence-io-quota = { $device }: { io-bounds }
"#,
    look: |context| context.inventory.cgroup.io.iter().filter_map(|io| judge(context, io)).collect(),
};

fn judge(context: &CheckContext<'_>, io: &IoThrottle) -> Option<Finding> {
    // Zero throttles nothing, in either version of control groups.
    let bounds = [
        ("read_bytes", io.read_bytes),
        ("write_bytes", io.write_bytes),
        ("read_operations", io.read_operations),
        ("write_operations", io.write_operations),
    ]
    .map(|(name, value)| (name, value.filter(|v| *v > 0)));
    let is_any = |bounds: &[(&str, Option<u64>)]| bounds.iter().any(|(_, value)| value.is_some());
    if !is_any(&bounds) {
        return None;
    }
    let device = clip(&io.device);
    let mut finding = condition(CODE, Severity::Note)
        .on(Resource::of(ResourceKind::Block, &device))
        .arg("device", device)
        .arg("bounds_bytes", is_any(&bounds[..2]))
        .arg("bounds_more", is_any(&bounds[..3]));
    for (name, value) in bounds {
        // Sentences ask first whether there is a bound.
        finding = maybe_arg(finding.arg(&format!("has_{name}"), value.is_some()), name, value);
    }
    Some(held(finding, context).because_same(listed("io-quota", &Resource::CGROUP)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory};
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
            CheckResult::nothing()
        );
    }
}
