//! Which file systems keep pages in memory that will end on a device: what a program wrote there is on no device yet
//! when the program ends.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use trace::Device;

use super::device::{VISITS_MAX, btrfs_folders, number_at, numbers_of, partition_folders};
use crate::Host;
use crate::inventory::block::mount::{self, Line};

/// A folder of each file system that `path` means: of a block device all that are mounted from it, from a part of it or
/// from what stands on either; of any other path the one that it lies on. Nothing where none is mounted here.
#[must_use]
pub fn file_systems(path: &Path) -> Vec<PathBuf> {
    let host = Host::this();
    let table = mount::table(&host);
    let is_device = std::fs::metadata(path).map_or(true, |metadata| metadata.file_type().is_block_device());
    if is_device {
        // A path that is not there may be a name of the kernel's.
        let numbers = numbers_of(&host, path).unwrap_or_default();
        return numbers.into_iter().flat_map(|number| mounted_from(&host, &table, number)).collect();
    }
    let place = path.canonicalize().ok();
    let line = place.as_ref().and_then(|place| mount::way(&table, &place.to_string_lossy()).last().copied());
    line.map(|line| PathBuf::from(&line.point)).filter(|point| point.is_dir()).into_iter().collect()
}

/// Where file systems are mounted from the device with this number, a part of it or what stands on either.
fn mounted_from(host: &Host, table: &[Line], number: Device) -> Vec<PathBuf> {
    let Some(folder) = host.resolve(format!("/sys/dev/block/{number}")) else { return Vec::new() };
    let folders = stacked_on(host, folder);
    let numbers: Vec<Device> = folders.iter().filter_map(|folder| number_at(host, folder)).collect();
    let is_from = |line: &&Line| {
        Device::parse(&line.number).is_some_and(|own| numbers.contains(&own))
            || devices_of(host, line).iter().any(|own| folders.contains(own))
    };
    let mut found: Vec<(&str, PathBuf)> = Vec::new();
    for line in table.iter().filter(is_from) {
        let is_known = found.iter().any(|(number, _)| *number == line.number);
        // Another mount may cover it, and then the path is another file system's.
        let is_seen = mount::way(table, &line.point).last().is_some_and(|seen| *seen == line);
        if !is_known && is_seen && (!host.is_this() || Path::new(&line.point).is_dir()) {
            found.push((line.number.as_str(), PathBuf::from(&line.point)));
        }
    }
    found.into_iter().map(|(_, point)| point).collect()
}

/// The folder of a device or partition in sysfs, those of its partitions, and those of all that stands on them.
fn stacked_on(host: &Host, folder: String) -> Vec<String> {
    let mut found = vec![folder];
    let mut next = 0;
    while let Some(at) = found.get(next).cloned() {
        next += 1;
        let names = host.names(format!("{at}/holders"));
        let holders = names.iter().filter_map(|name| host.resolve(format!("/sys/class/block/{name}")));
        for other in partition_folders(host, &at).into_iter().chain(holders) {
            if found.len() < VISITS_MAX && !found.contains(&other) {
                found.push(other);
            }
        }
    }
    found
}

/// The folders in sysfs of all devices of a btrfs, whose mounts have no number of a device; nothing of other
/// file systems.
fn devices_of(host: &Host, line: &Line) -> Vec<String> {
    if line.kind != "btrfs" {
        return Vec::new();
    }
    let source = host.resolve(&line.source);
    let Some(name) = source.as_deref().and_then(|real| real.strip_prefix("/dev/")) else { return Vec::new() };
    let mut folders = btrfs_folders(host);
    let folder = folders.find(|folder| host.exists(format!("{folder}/devices/{name}")));
    let names =
        folder.map_or_else(|| vec![name.to_owned()], |folder| host.names(format!("{folder}/devices")));
    names.iter().filter_map(|name| host.resolve(format!("/sys/class/block/{name}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with three partitions: ext4, a volume with xfs, and one of the two devices of a btrfs.
    const STACK: &str = "==> /sys/dev/block/8:0 -> ../../devices/pci/block/sda\n\
        ==> /sys/dev/block/8:1 -> ../../devices/pci/block/sda/sda1\n\
        ==> /sys/dev/block/8:2 -> ../../devices/pci/block/sda/sda2\n\
        ==> /sys/dev/block/8:3 -> ../../devices/pci/block/sda/sda3\n\
        ==> /sys/class/block/sda1 -> ../../devices/pci/block/sda/sda1\n\
        ==> /sys/class/block/sda3 -> ../../devices/pci/block/sda/sda3\n\
        ==> /sys/class/block/sdb -> ../../devices/pci/block/sdb\n\
        ==> /sys/class/block/dm-0 -> ../../devices/virtual/block/dm-0\n\
        ==> /sys/devices/pci/block/sda/dev\n8:0\n\
        ==> /sys/devices/pci/block/sda/sda1/dev\n8:1\n\
        ==> /sys/devices/pci/block/sda/sda1/partition\n1\n\
        ==> /sys/devices/pci/block/sda/sda2/dev\n8:2\n\
        ==> /sys/devices/pci/block/sda/sda2/partition\n2\n\
        ==> /sys/devices/pci/block/sda/sda2/holders/dm-0 -> ../../../../../virtual/block/dm-0\n\
        ==> /sys/devices/pci/block/sda/sda3/dev\n8:3\n\
        ==> /sys/devices/pci/block/sda/sda3/partition\n3\n\
        ==> /sys/devices/pci/block/sdb/dev\n8:16\n\
        ==> /sys/devices/virtual/block/dm-0/dev\n253:0\n\
        ==> /dev/sdb\n\n\
        ==> /sys/fs/btrfs/uuid/devices/sdb -> ../../../../devices/pci/block/sdb\n\
        ==> /sys/fs/btrfs/uuid/devices/sda3 -> ../../../../devices/pci/block/sda/sda3\n";

    #[test]
    fn file_systems_of_a_device_are_those_on_its_parts_and_on_what_stands_on_them() {
        let host = Host::parse(STACK);
        let table = mount::parse(
            "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
             21 20 253:0 / /data rw - xfs /dev/mapper/data rw\n\
             22 20 0:40 / /pool rw - btrfs /dev/sdb rw\n\
             23 20 8:1 /home /home rw - ext4 /dev/sda1 rw\n\
             24 20 253:0 / /covered rw - xfs /dev/mapper/data rw\n\
             25 24 0:50 / /covered rw - tmpfs none rw\n\
             26 20 8:32 / /other rw - ext4 /dev/sdc rw\n",
        );
        let of = |number: &str| {
            let found = mounted_from(&host, &table, Device::parse(number).unwrap());
            found.iter().map(|point| point.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of("8:0"), ["/", "/data", "/pool"]);
        assert_eq!(of("8:1"), ["/"]);
        assert_eq!(of("8:2"), ["/data"]);
        assert_eq!(of("8:3"), ["/pool"]);
        assert_eq!(of("7:0"), [""; 0]);
        let covered = mount::parse(
            "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 253:0 / /data rw - xfs x rw\n22 21 0:9 / /data rw - tmpfs t rw\n",
        );
        let mapped = Device { major: 253, minor: 0 };
        assert_eq!(mounted_from(&host, &covered, mapped), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_path_means_the_file_system_that_it_lies_on() {
        // Every process sees this one.
        assert_eq!(file_systems(Path::new("/proc/self/status")), [PathBuf::from("/proc")]);
        assert_eq!(file_systems(Path::new("/no/such/path")), Vec::<PathBuf>::new());
    }
}
