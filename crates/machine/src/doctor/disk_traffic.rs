//! Others use a disk now.

use std::collections::BTreeMap;

use model::finding::Evidence;
use model::machine::{BlockDevice, BlockKind, Inventory};
use model::{Finding, Resource, ResourceKind, Severity};

use super::activity::{Activity, Traffic};
use super::{Check, CheckContext, clip, condition, few, listed, maybe_arg};

const CODE: &str = "disk-traffic";
/// Shares of the look during which a hard disk had requests of others. One
/// commit of a journal, ten requests of 8 ms, is 40 % of a look and over; what
/// goes on takes most of it.
const BUSY_NOTE: f64 = 0.2;
const BUSY_WARNING: f64 = 0.5;
/// Requests and bytes per second above which others matter, where that share is
/// not known: a hard disk does 100 to 200 random requests in a second and 200 MB.
/// What is none serves many requests at a time, so that its share says little,
/// and does at least ten times that.
const HARD_DISK: (f64, f64) = (200.0, 50e6);
const OTHER: (f64, f64) = (1000.0, 50e6);

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "other programs use a disk: a hard disk for half of the time (a fifth: a note), another with 1,000 requests/s",
    english: r#"
disk-use =
    { SHORT($requests_per_s) } requests/s, { SHORT($bytes_per_s, unit: "B/s") }{ $timed ->
        [yes] , { PERCENT($busy) } of the time
       *[no] {""}
    }
condition-disk-traffic =
    while nothing was measured, other programs used { $disk }{ $array ->
        [yes] {" "}({ $disks }{ few-more })
       *[no] {""}
    }: { disk-use }
    .advice = find what reads and writes (`iotop`, `pidstat -d 1`); stop it, or wait until it has finished

evidence-diskstats = { $disk }: { disk-use }
"#,
    look: |context| {
        let Some(activity) = context.activity else { return Vec::new() };
        // What an array does its members do: that is one finding.
        let mut together: BTreeMap<String, Vec<Use>> = BTreeMap::new();
        for disk in &activity.disks {
            let Some(used) = judge(context, activity, disk) else { continue };
            let array = array_on(context.inventory, &disk.name);
            together.entry(array.unwrap_or(&disk.name).to_owned()).or_default().push(used);
        }
        together.iter().filter_map(|(name, uses)| finding(name, uses)).collect()
    },
};

/// How others use one disk.
struct Use {
    disk: String,
    severity: Severity,
    requests: f64,
    bytes: f64,
    busy: Option<f64>,
}

impl Use {
    fn evidence(&self) -> Evidence {
        let evidence = listed("diskstats", &Resource::of(ResourceKind::Block, &self.disk))
            .arg("disk", self.disk.as_str())
            .arg("requests_per_s", self.requests)
            .arg("bytes_per_s", self.bytes)
            .arg("timed", self.busy.is_some());
        match self.busy {
            Some(busy) => evidence.arg("busy", busy),
            None => evidence,
        }
    }
}

fn judge(context: &CheckContext<'_>, activity: &Activity, disk: &Traffic) -> Option<Use> {
    let (requests, bytes) = (activity.per_second(disk.operations)?, activity.per_second(disk.bytes)?);
    let device = context.inventory.block_device(&disk.name);
    // A virtual disk says that it turns; it has no seeks to lose.
    let is_virtual = device.is_some_and(|d| matches!(d.transport.as_deref(), Some("virtio" | "xen")));
    let turns = device.is_some_and(|d| d.rotational == Some(true)) && !is_virtual;
    let busy = disk.busy_s.filter(|s| *s >= 0.0).map(|s| (s / activity.seconds).min(1.0));
    let severity = match busy.filter(|_| turns) {
        Some(share) if share >= BUSY_WARNING => Severity::Warning,
        Some(share) if share >= BUSY_NOTE => Severity::Note,
        Some(_) => return None,
        None => {
            let (most_requests, most_bytes) = if turns { HARD_DISK } else { OTHER };
            if requests < most_requests && bytes < most_bytes {
                return None;
            }
            Severity::Warning
        }
    };
    Some(Use { disk: clip(&disk.name), severity, requests, bytes, busy: busy.filter(|_| turns) })
}

/// The array that stands on the disk or on a partition of it.
fn array_on<'a>(inventory: &'a Inventory, disk: &str) -> Option<&'a str> {
    let is_on = |name: &String| {
        let part = || inventory.block_device(name).filter(|d| d.kind == BlockKind::Partition);
        name == disk || part().is_some_and(|p| p.below.iter().any(|below| below == disk))
    };
    let is_array = |d: &&BlockDevice| d.kind == BlockKind::Md && d.below.iter().any(is_on);
    inventory.block.iter().find(is_array).map(|d| d.name.as_str())
}

/// One finding of a disk, or of an array with those of its disks that are used.
fn finding(name: &str, uses: &[Use]) -> Option<Finding> {
    let gravest = uses.iter().map(|u| u.severity).max()?;
    let (requests, bytes) = uses.iter().fold((0.0, 0.0), |sum, u| (sum.0 + u.requests, sum.1 + u.bytes));
    let busy = uses.iter().filter_map(|u| u.busy).max_by(f64::total_cmp);
    let all = Use { disk: clip(name), severity: gravest, requests, bytes, busy };
    let disks: Vec<String> = uses.iter().map(|u| u.disk.clone()).collect();
    let is_array = disks != [all.disk.as_str()];
    let disks = few(&disks);
    let mut finding = condition(CODE, gravest)
        .on(Resource::of(ResourceKind::Block, &all.disk))
        .arg("disk", all.disk.as_str())
        .arg("array", is_array)
        .arg("requests_per_s", requests)
        .arg("bytes_per_s", bytes)
        .arg("timed", busy.is_some());
    finding = maybe_arg(finding, "busy", busy);
    if is_array {
        finding = finding.arg("disks", disks.names.as_str()).arg("more", disks.more);
    }
    Some(uses.iter().take(8).fold(finding, |finding, used| finding.because(used.evidence())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with};

    fn traffic(name: &str, requests: u64, bytes: u64, busy_s: Option<f64>) -> String {
        let busy = busy_s.map_or("null".to_owned(), |s| s.to_string());
        format!(
            "{{\"name\": \"{name}\", \"operations\": {requests}, \"bytes\": {bytes}, \"busy_s\": {busy}}}"
        )
    }

    fn look_at(disks: &[String], inventory: Inventory) -> CheckResult {
        let json = format!("{{\"seconds\": 0.2, \"disks\": [{}]}}", disks.join(", "));
        diagnose_with(&CHECK, &format!("==> /probe/activity\n{json}\n"), inventory)
    }

    fn disk(name: &str, rotational: bool) -> BlockDevice {
        BlockDevice { name: name.to_owned(), rotational: Some(rotational), ..BlockDevice::default() }
    }

    fn look(requests: u64, bytes: u64, busy_s: Option<f64>, rotational: bool) -> CheckResult {
        let inventory = Inventory { block: vec![disk("sda", rotational)], ..Inventory::default() };
        look_at(&[traffic("sda", requests, bytes, busy_s)], inventory)
    }

    #[test]
    fn a_hard_disk_is_judged_by_the_time_it_is_busy() {
        // One commit of a journal.
        assert_eq!(look(10, 80_000, Some(0.03), true), CheckResult::nothing());
        look(10, 80_000, Some(0.08), true)
            .one(Severity::Note, "other programs used sda: 50 requests/s, 400 kB/s, 40 %");
        look(20, 80_000, Some(0.19), true).one(Severity::Warning, "95 % of the time");
        assert_eq!(look(20, 80_000, None, true), CheckResult::nothing());
        look(50, 80_000, None, true).one(Severity::Warning, "250 requests/s");
    }

    #[test]
    fn other_disks_are_judged_by_what_they_do() {
        assert_eq!(look(20, 80_000, Some(0.19), false), CheckResult::nothing());
        look(30, 20_000_000, Some(0.1), false)
            .one(Severity::Warning, "other programs used sda: 150 requests/s, 100 MB/s");
        look(300, 80_000, None, false).one(Severity::Warning, "1.5 k requests/s");
    }

    #[test]
    fn an_array_is_told_once_with_its_disks() {
        let part = BlockDevice {
            name: "sdb1".to_owned(),
            kind: BlockKind::Partition,
            below: vec!["sdb".to_owned()],
            ..BlockDevice::default()
        };
        let array = BlockDevice {
            name: "md0".to_owned(),
            kind: BlockKind::Md,
            below: vec!["sda".to_owned(), "sdb1".to_owned()],
            ..BlockDevice::default()
        };
        let block = vec![disk("sda", true), disk("sdb", true), part, array];
        let disks = [traffic("sda", 10, 8000, Some(0.15)), traffic("sdb", 10, 8000, Some(0.05))];
        let shown = look_at(&disks, Inventory { block, ..Inventory::default() });
        shown.one(
            Severity::Warning,
            "other programs used md0 (sda, sdb): 100 requests/s, 80 kB/s, 75 % of the time",
        );
        assert_eq!(shown.findings[0].evidence.len(), 2);
    }
}
