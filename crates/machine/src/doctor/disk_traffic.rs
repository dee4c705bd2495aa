//! Others use a disk now.

use model::{Finding, Severity};

use super::activity::{Activity, Traffic};
use super::{Check, Patient, clip, condition, listed, rate};

const CODE: &str = "disk-traffic";
/// Requests and bytes per second above which others matter. A hard disk does
/// 100 to 200 random requests in a second and 200 MB; what is not one does at
/// least ten times that. These take a twentieth to a half of the first.
const HARD_DISK: (f64, f64) = (50.0, 10e6);
const OTHER: (f64, f64) = (1000.0, 50e6);

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "others read or write a disk: more than 50 requests a second (hard disk) or 1,000",
    look: |patient| {
        let Some(activity) = patient.activity else { return Vec::new() };
        activity.disks.iter().filter_map(|disk| judge(patient, activity, disk)).collect()
    },
};

fn judge(patient: &Patient<'_>, activity: &Activity, disk: &Traffic) -> Option<Finding> {
    let (requests, bytes) = (activity.per_second(disk.operations)?, activity.per_second(disk.bytes)?);
    let device = patient.inventory.block_device(&disk.name);
    // A virtual disk says that it turns; it has no seeks to lose.
    let is_virtual = device.is_some_and(|d| matches!(d.transport.as_deref(), Some("virtio" | "xen")));
    let turns = device.is_some_and(|d| d.rotational == Some(true)) && !is_virtual;
    let (most_requests, most_bytes) = if turns { HARD_DISK } else { OTHER };
    if requests < most_requests && bytes < most_bytes {
        return None;
    }
    let name = clip(&disk.name);
    let text = format!("others use {name} now: {requests:.0} requests/s, {}", rate(bytes));
    let resource = format!("block:{name}");
    Some(
        condition(CODE, Severity::Warning, text.clone())
            .on(resource.as_str())
            .arg("disk", name.as_str())
            .arg("requests_per_s", requests)
            .arg("bytes_per_s", bytes)
            .because(listed("diskstats", &resource, text))
            .advise("find who reads and writes (`iotop`, `pidstat -d 1`), and wait or end it"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, diagnose_with};
    use model::machine::{BlockDevice, Inventory};

    fn look(requests: u64, bytes: u64, rotational: bool) -> Shown {
        let json = format!(
            "{{\"seconds\": 0.2, \"disks\": [{{\"name\": \"sda\", \"operations\": {requests}, \"bytes\": {bytes}}}]}}"
        );
        let disk =
            BlockDevice { name: "sda".to_owned(), rotational: Some(rotational), ..BlockDevice::default() };
        let inventory = Inventory { block: vec![disk], ..Inventory::default() };
        diagnose_with(&CHECK, &format!("==> /probe/activity\n{json}\n"), inventory)
    }

    #[test]
    fn what_is_much_depends_on_the_disk() {
        look(20, 80_000, true).one(Severity::Warning, "others use sda now: 100 requests/s, 400 kB/s");
        assert_eq!(look(20, 80_000, false), Shown::nothing());
        look(30, 20_000_000, false).one(Severity::Warning, "100.0 MB/s");
        assert_eq!(look(2, 8000, true), Shown::nothing());
    }
}
