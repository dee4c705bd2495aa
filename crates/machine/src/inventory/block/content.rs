//! What fills a device: the probe `blkid`, types only.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileExt;

use model::machine::BlockKind;
use rustix::fs::{CWD, Mode, OFlags};

use super::{FoundDevice, superblock};
use crate::Host;
use crate::inventory::runtime_pm;

/// Puts to each device what fills it, where that is known.
pub(super) fn add(host: &Host, found: &mut [FoundDevice]) {
    if found.is_empty() {
        return;
    }
    let mut known: BTreeMap<String, String> =
        host.probe("blkid", || Ok(ask(host, found))).unwrap_or_default();
    for FoundDevice { device, .. } in found {
        device.content = known.remove(&device.name).filter(|kind| !kind.is_empty());
    }
}

/// Asks this machine: udev's database where it knows the device, or else the
/// device itself, where it can be opened.
fn ask(host: &Host, found: &[FoundDevice]) -> BTreeMap<String, String> {
    let mut answer = BTreeMap::new();
    for each in found {
        let kind = match each.udev() {
            // It may know a device and that nothing fills it.
            Some(known) => udev_type(known),
            None if is_worth_reading(host, each) && answers(host, found, each) => read(each),
            None => None,
        };
        answer.extend(kind.map(|kind| (each.device.name.clone(), kind)));
    }
    answer
}

fn udev_type(text: &str) -> Option<String> {
    text.lines()
        .find_map(|line| line.strip_prefix("E:ID_FS_TYPE="))
        .filter(|t| !t.is_empty())
        .map(str::to_owned)
}

/// Whether reading tells something and disturbs nobody: removable media may have
/// to start, and a device with partitions has a table of them.
fn is_worth_reading(host: &Host, each: &FoundDevice) -> bool {
    let FoundDevice { device, folder, .. } = each;
    let is_split = || {
        host.names(folder)
            .iter()
            .any(|name| name.starts_with(&device.name) && host.exists(format!("{folder}/{name}/partition")))
    };
    let kind = !matches!(device.kind, BlockKind::Optical | BlockKind::Ram | BlockKind::Zram);
    kind && device.bytes > 0 && !device.removable && !is_split()
}

/// Whether what stands below `each`, and it itself, answers a read at once: a
/// disk that sleeps would be woken, a suspended mapping answers only when it is
/// resumed, several ways to a disk may wait for one of them to come back
/// (`queue_if_no_path`), and devices of networks for their server.
fn answers(host: &Host, found: &[FoundDevice], each: &FoundDevice) -> bool {
    let (mut met, mut open) = (BTreeSet::new(), vec![each.device.name.as_str()]);
    while let Some(name) = open.pop() {
        if !met.insert(name) {
            continue;
        }
        // What is not known might be anything.
        let Some(FoundDevice { device, folder, .. }) = found.iter().find(|f| f.device.name == name) else {
            return false;
        };
        let has_ways =
            device.mapping.as_ref().and_then(|m| m.kind.as_deref()).is_some_and(|kind| kind == "mpath");
        let suspended = host.number(format!("{folder}/dm/suspended")) == Some(1);
        let refuses = runtime_pm::refuses(host, &format!("{folder}/device")).is_some();
        if device.kind == BlockKind::Other || has_ways || suspended || refuses {
            return false;
        }
        open.extend(device.below.iter().map(String::as_str));
    }
    true
}

/// Looks at the device itself, without writing or claiming it.
fn read(each: &FoundDevice) -> Option<String> {
    // Names with a slash in them have an exclamation mark in sysfs.
    let path = format!("/dev/{}", each.device.name.replace('!', "/"));
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = std::fs::File::from(rustix::fs::openat(CWD, path, flags, Mode::empty()).ok()?);
    let at = |offset: u64, length: usize| {
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, offset).ok().map(|()| bytes)
    };
    superblock::kind(&at, each.device.bytes).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::machine::{BlockDevice, Mapping};

    #[test]
    fn udev_names_the_type() {
        let text = "S:disk/by-uuid/x\nE:ID_FS_UUID=x\nE:ID_FS_TYPE=crypto_LUKS\nE:ID_FS_USAGE=crypto\n";
        assert_eq!(udev_type(text).as_deref(), Some("crypto_LUKS"));
        assert_eq!(udev_type("E:ID_FS_TYPE=\nE:DEVTYPE=disk\n"), None);
    }

    #[test]
    fn what_might_wait_or_wake_a_disk_is_not_read() {
        let host = Host::parse(
            "==> /sys/block/sdb/device/power/runtime_status\nsuspended\n\
             ==> /sys/block/nvme1n1/device/state\nconnecting\n\
             ==> /sys/block/dm-2/dm/suspended\n1\n",
        );
        let found = |name: &str, kind, below: &[&str]| {
            let below = below.iter().map(|b| (*b).to_owned()).collect();
            let device = BlockDevice { name: name.to_owned(), kind, below, ..BlockDevice::default() };
            FoundDevice::new(&host, device, format!("/sys/block/{name}"))
        };
        let mut all = vec![
            found("sda", BlockKind::Disk, &[]),
            found("sda1", BlockKind::Partition, &["sda"]),
            found("sdb", BlockKind::Disk, &[]),
            found("sdb1", BlockKind::Partition, &["sdb"]),
            found("md0", BlockKind::Md, &["sda1", "sdb1"]),
            found("nvme1n1", BlockKind::Disk, &[]),
            found("nbd0", BlockKind::Other, &[]),
            found("dm-0", BlockKind::Dm, &["sda"]),
            found("dm-1", BlockKind::Dm, &["dm-0"]),
            found("dm-2", BlockKind::Dm, &["sda"]),
            found("dm-3", BlockKind::Dm, &["sda1", "dm-3"]),
        ];
        all[7].device.mapping = Some(Mapping { name: "x".to_owned(), kind: Some("mpath".to_owned()) });
        let read: Vec<&str> =
            all.iter().filter(|f| answers(&host, &all, f)).map(|f| f.device.name.as_str()).collect();
        assert_eq!(read, ["sda", "sda1", "dm-3"]);
    }
}
