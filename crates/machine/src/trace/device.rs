//! Which block devices a path means, as far as that matters to a trace: the whole disk whose
//! requests are seen, the partition of it that was asked for, what it stands on, and who
//! stands on it.

use std::collections::BTreeSet;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use trace::Device;

use super::error::TraceError;
use crate::Host;
use crate::inventory::block::mount;

/// The most devices that are visited from one, however they stand on one another.
pub(super) const VISITS_MAX: usize = 256;

/// A part of a disk, or a disk that is a part of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevicePart {
    /// The kernel's name of it.
    pub name: String,
    /// Its number.
    pub device: Device,
    /// Where it begins on its disk, in sectors of 512 bytes; 0 for a whole disk.
    pub start_sector: u64,
    /// How many sectors of 512 bytes it has.
    pub sectors: u64,
}

/// A disk that can be traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedDevice {
    /// The kernel's name of it: `sda`, `dm-0`.
    pub name: String,
    /// Its number.
    pub device: Device,
    /// The partition that was asked for; all of the disk where there is none. Events are of the
    /// whole disk, and a bio that came to a partition is remapped first.
    pub asked: Option<DevicePart>,
    /// All partitions.
    pub partitions: Vec<DevicePart>,
    /// Whether it has requests. Without (zram, md, most of the device mapper) bios come and are
    /// completed, and there is no insert, issue or merge.
    pub has_requests: bool,
    /// The file that a loop device stands on.
    pub backing_file: Option<String>,
    /// The whole disks that it stands on, all the way down.
    pub members: Vec<DevicePart>,
    /// What the kernel calls it, and what stands on it, in events of dirtied pages.
    pub backings: Vec<String>,
}

/// The disks that `path` means: a block device, one that the kernel calls so, or those of the
/// file system that a file lies on.
///
/// # Errors
/// If there is no such path, or no block device under it.
pub fn resolve(path: &Path) -> Result<Vec<TracedDevice>, TraceError> {
    let host = Host::this();
    let numbers = numbers_of(&host, path).map_err(|reason| refused(path, reason))?;
    let found: Vec<TracedDevice> =
        numbers.iter().filter_map(|number| TracedDevice::numbered(&host, *number)).collect();
    if found.len() < numbers.len() || found.is_empty() {
        let numbers: Vec<String> = numbers.iter().map(Device::to_string).collect();
        let reason = format!("sysfs does not show the block device {}", numbers.join(", "));
        return Err(refused(path, reason));
    }
    Ok(found)
}

fn refused(path: &Path, reason: String) -> TraceError {
    TraceError::Device { path: path.display().to_string(), reason }
}

/// The numbers of the block devices that `path` means.
pub(super) fn numbers_of(host: &Host, path: &Path) -> Result<Vec<Device>, String> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(e) => {
            // `sda`, as the kernel calls it.
            let name = path.to_str().filter(|name| !name.contains('/') && !name.starts_with('.'));
            let number = name.and_then(|name| number_at(host, &format!("/sys/class/block/{name}")));
            return number.map(|number| vec![number]).ok_or_else(|| e.to_string());
        }
    };
    if metadata.file_type().is_block_device() {
        return Ok(vec![number_of(metadata.rdev())]);
    }
    if rustix::fs::major(metadata.dev()) != 0 {
        return Ok(vec![number_of(metadata.dev())]);
    }
    // A file system without a device of its own, or with several.
    let place = path.canonicalize().map_err(|e| e.to_string())?;
    let table = mount::table(host);
    let line = mount::way(&table, &place.to_string_lossy()).last().copied().cloned();
    let line = line.ok_or("it is not known which file system it lies on")?;
    let source = Some(Path::new(&line.source)).filter(|source| source.is_absolute());
    let source = source.and_then(|source| std::fs::metadata(source).ok());
    match source.filter(|source| source.file_type().is_block_device()) {
        Some(source) => {
            let one = number_of(source.rdev());
            Ok(btrfs_devices(host, one).unwrap_or_else(|| vec![one]))
        }
        None => Err(format!(
            "it lies on {} ({}), which has no block device of its own: name the device",
            line.point, line.kind
        )),
    }
}

/// From the C library's `dev_t`.
pub(super) fn number_of(device: u64) -> Device {
    Device { major: rustix::fs::major(device), minor: rustix::fs::minor(device) }
}

/// The number of the device or partition in this folder of sysfs.
pub(super) fn number_at(host: &Host, folder: &str) -> Option<Device> {
    Device::parse(&host.word(format!("{folder}/dev"))?)
}

/// The folders of mounted btrfs file systems.
pub(super) fn btrfs_folders(host: &Host) -> impl Iterator<Item = String> {
    const PLACE: &str = "/sys/fs/btrfs";
    host.names(PLACE).into_iter().map(|name| format!("{PLACE}/{name}"))
}

/// The numbers of all devices of the btrfs that the device with this number is of.
fn btrfs_devices(host: &Host, number: Device) -> Option<Vec<Device>> {
    let name = host.resolve(format!("/sys/dev/block/{number}"))?.rsplit('/').next()?.to_owned();
    let mut folders = btrfs_folders(host);
    let folder = folders.find(|folder| host.exists(format!("{folder}/devices/{name}")))?;
    let names = host.names(format!("{folder}/devices"));
    names.iter().map(|name| number_at(host, &format!("/sys/class/block/{name}"))).collect()
}

impl TracedDevice {
    /// The disk with this number, or the disk of the partition with it.
    pub(super) fn numbered(host: &Host, number: Device) -> Option<Self> {
        let folder = host.resolve(format!("/sys/dev/block/{number}"))?;
        let disk = disk_of(host, &folder)?;
        let part = part_at(host, &disk)?;
        Some(Self {
            asked: if disk == folder { None } else { Some(part_at(host, &folder)?) },
            partitions: partitions(host, &disk),
            has_requests: host.exists(format!("{disk}/mq")),
            backing_file: host.word(format!("{disk}/loop/backing_file")),
            members: members(host, &disk),
            backings: backings(host, &disk),
            name: part.name,
            device: part.device,
        })
    }
}

/// The folder of the disk that the device in `folder` is, or is a partition of.
fn disk_of(host: &Host, folder: &str) -> Option<String> {
    if host.exists(format!("{folder}/partition")) {
        Some(folder.rsplit_once('/')?.0.to_owned())
    } else {
        Some(folder.to_owned())
    }
}

fn part_at(host: &Host, folder: &str) -> Option<DevicePart> {
    Some(DevicePart {
        name: folder.rsplit('/').next()?.to_owned(),
        device: number_at(host, folder)?,
        start_sector: host.number(format!("{folder}/start")).unwrap_or(0),
        sectors: host.number(format!("{folder}/size"))?,
    })
}

fn partitions(host: &Host, disk: &str) -> Vec<DevicePart> {
    let folders = partition_folders(host, disk);
    let mut found: Vec<DevicePart> = folders.iter().filter_map(|folder| part_at(host, folder)).collect();
    found.sort_by_key(|part| part.start_sector);
    found
}

pub(super) fn partition_folders(host: &Host, disk: &str) -> Vec<String> {
    let folders = host.names(disk).into_iter().map(|name| format!("{disk}/{name}"));
    folders.filter(|folder| host.exists(format!("{folder}/partition"))).collect()
}

/// The folders of the disks that `next` leads to from the one in `disk`, without itself.
fn reached(host: &Host, disk: &str, next: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut met = BTreeSet::from([disk.to_owned()]);
    let mut open = vec![disk.to_owned()];
    while let Some(at) = open.pop() {
        for name in next(&at) {
            let folder = host.resolve(format!("/sys/class/block/{name}"));
            let Some(other) = folder.and_then(|folder| disk_of(host, &folder)) else { continue };
            if met.len() < VISITS_MAX && met.insert(other.clone()) {
                found.push(other.clone());
                open.push(other);
            }
        }
    }
    found
}

/// The disks that the one in `disk` stands on.
fn members(host: &Host, disk: &str) -> Vec<DevicePart> {
    let below = reached(host, disk, |at| host.names(format!("{at}/slaves")));
    let mut found: Vec<DevicePart> = below.iter().filter_map(|folder| part_at(host, folder)).collect();
    found.sort_by_key(|part| part.device);
    found
}

/// Who stands on the disk in `disk` or on a partition of it: names.
fn holders(host: &Host, disk: &str) -> Vec<String> {
    let parts = partition_folders(host, disk);
    let places = std::iter::once(disk.to_owned()).chain(parts);
    places.flat_map(|place| host.names(format!("{place}/holders"))).collect()
}

/// The names of backing devices whose pages end on the disk in `disk`: its own, those of what
/// stands on it, and of btrfs on any of them.
fn backings(host: &Host, disk: &str) -> Vec<String> {
    let mut disks = reached(host, disk, |at| holders(host, at));
    disks.push(disk.to_owned());
    let name = |folder: &str| folder.rsplit('/').next().map(str::to_owned);
    let numbers = disks.iter().filter_map(|disk| number_at(host, disk));
    let mut names: Vec<String> = numbers.map(|number| number.to_string()).collect();
    let parts = disks.iter().flat_map(|disk| partition_folders(host, disk)).collect::<Vec<_>>();
    let devices: Vec<String> = disks.iter().chain(&parts).filter_map(|folder| name(folder)).collect();
    for folder in btrfs_folders(host) {
        if devices.iter().any(|device| host.exists(format!("{folder}/devices/{device}"))) {
            names.extend(host.resolve(format!("{folder}/bdi")).and_then(|place| name(&place)));
        }
    }
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with two partitions, the second under LUKS, and btrfs on that.
    const STACK: &str = "==> /sys/dev/block/8:0 -> ../../devices/pci/block/sda\n\
        ==> /sys/dev/block/8:2 -> ../../devices/pci/block/sda/sda2\n\
        ==> /sys/dev/block/253:0 -> ../../devices/virtual/block/dm-0\n\
        ==> /sys/class/block/sda -> ../../devices/pci/block/sda\n\
        ==> /sys/class/block/sda2 -> ../../devices/pci/block/sda/sda2\n\
        ==> /sys/class/block/dm-0 -> ../../devices/virtual/block/dm-0\n\
        ==> /sys/devices/pci/block/sda/dev\n8:0\n\
        ==> /sys/devices/pci/block/sda/size\n1000\n\
        ==> /sys/devices/pci/block/sda/mq/0/cpu_list\n0\n\
        ==> /sys/devices/pci/block/sda/sda1/dev\n8:1\n\
        ==> /sys/devices/pci/block/sda/sda1/partition\n1\n\
        ==> /sys/devices/pci/block/sda/sda1/start\n34\n\
        ==> /sys/devices/pci/block/sda/sda1/size\n66\n\
        ==> /sys/devices/pci/block/sda/sda2/dev\n8:2\n\
        ==> /sys/devices/pci/block/sda/sda2/partition\n2\n\
        ==> /sys/devices/pci/block/sda/sda2/start\n100\n\
        ==> /sys/devices/pci/block/sda/sda2/size\n900\n\
        ==> /sys/devices/pci/block/sda/sda2/holders/dm-0 -> ../../../../../virtual/block/dm-0\n\
        ==> /sys/devices/virtual/block/dm-0/dev\n253:0\n\
        ==> /sys/devices/virtual/block/dm-0/size\n800\n\
        ==> /sys/devices/virtual/block/dm-0/slaves/sda2 -> ../../../../pci/block/sda/sda2\n\
        ==> /sys/fs/btrfs/uuid/bdi -> ../../../devices/virtual/bdi/btrfs-1\n\
        ==> /sys/fs/btrfs/uuid/devices/dm-0 -> ../../../../devices/virtual/block/dm-0\n\
        ==> /sys/devices/virtual/bdi/btrfs-1/read_ahead_kb\n4096\n";

    fn numbered(host: &Host, number: &str) -> Option<TracedDevice> {
        TracedDevice::numbered(host, Device::parse(number).unwrap())
    }

    #[test]
    fn a_partition_is_a_part_of_its_disk() {
        let host = Host::parse(STACK);
        let device = numbered(&host, "8:2").unwrap();
        assert_eq!((device.name.as_str(), device.device), ("sda", Device { major: 8, minor: 0 }));
        let asked = device.asked.clone().unwrap();
        assert_eq!((asked.name.as_str(), asked.start_sector, asked.sectors), ("sda2", 100, 900));
        let starts: Vec<u64> = device.partitions.iter().map(|part| part.start_sector).collect();
        assert_eq!(starts, [34, 100]);
        assert!(device.has_requests && device.members.is_empty() && device.backing_file.is_none());
        assert_eq!(device.backings, ["253:0", "8:0", "btrfs-1"]);
        assert_eq!(numbered(&host, "8:0").unwrap().asked, None);
        assert_eq!(numbered(&host, "8:16"), None);
    }

    #[test]
    fn what_a_device_stands_on_is_told_as_disks() {
        let host = Host::parse(STACK);
        let device = numbered(&host, "253:0").unwrap();
        assert!(!device.has_requests);
        let names: Vec<&str> = device.members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["sda"]);
        assert_eq!(device.backings, ["253:0", "btrfs-1"]);
        assert_eq!(btrfs_devices(&host, device.device).unwrap(), [device.device]);
        assert_eq!(btrfs_devices(&host, Device { major: 8, minor: 0 }), None);
    }

    #[test]
    fn what_has_no_block_device_is_refused_with_a_reason() {
        let error = resolve(Path::new("/proc/version")).unwrap_err();
        assert!(error.to_string().contains("no block device of its own"), "{error}");
        let error = resolve(Path::new("/no/such/file")).unwrap_err();
        assert!(error.to_string().starts_with("/no/such/file: "), "{error}");
    }
}
