//! On which device of a machine a path lies, as far as its inventory tells. That has the mounts of
//! block devices only: what may be in memory is not looked for.

use std::path::Path;

use model::Machine;
use model::machine::{BlockDevice, Mount};

/// Folders that lie in memory on many systems, without a mount of their own in the inventory.
const OFTEN_IN_MEMORY: &[&str] = &["/tmp", "/var/tmp", "/dev", "/run", "/proc", "/sys"];

/// The device that `target` is, or lies on, with the mount through which it does.
pub(in crate::check) fn target_device<'a>(
    machine: &'a Machine,
    target: &str,
) -> Option<(&'a BlockDevice, Option<&'a Mount>)> {
    let devices = &machine.inventory.block;
    if let Some(name) = target.strip_prefix("/dev/") {
        let mapped = name.strip_prefix("mapper/");
        let is_it = |device: &&BlockDevice| match mapped {
            Some(mapped) => device.mapping.as_ref().is_some_and(|mapping| mapping.name == mapped),
            None => device.name == name,
        };
        return Some((devices.iter().find(is_it)?, None));
    }
    let path = Path::new(target);
    if !path.is_absolute() {
        return None;
    }
    let mounts = devices.iter().flat_map(|device| device.mounts.iter().map(move |mount| (device, mount)));
    let above = mounts.filter(|(_, mount)| path.starts_with(&mount.point));
    let (device, mount) = above.max_by_key(|(_, mount)| mount.point.len())?;
    let is_hidden = OFTEN_IN_MEMORY
        .iter()
        .any(|folder| path.starts_with(folder) && !Path::new(&mount.point).starts_with(folder));
    (!is_hidden).then_some((device, Some(mount)))
}

/// The disk on which a device stands, itself if it stands on none; `None` where there are several.
pub(in crate::check) fn disk_under<'a>(
    machine: &'a Machine,
    device: &'a BlockDevice,
) -> Option<&'a BlockDevice> {
    let mut at = device;
    // Devices of a damaged document may stand on each other.
    for _ in 0..=machine.inventory.block.len() {
        match at.below.as_slice() {
            [] => return Some(at),
            [only] => at = machine.inventory.block_device(only)?,
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
pub(in crate::check) mod tests {
    use super::*;

    /// A machine with a disk of so many bytes, a partition of it, and that mounted at the root and at
    /// /data with this file system.
    pub(in crate::check) fn machine(bytes: u64, file_system: &str) -> Machine {
        let mount = |point: &str| Mount {
            point: point.to_owned(),
            kind: file_system.to_owned(),
            options: "rw,relatime".to_owned(),
        };
        let disk = BlockDevice {
            name: "sda".to_owned(),
            bytes,
            transport: Some("sata".to_owned()),
            rotational: Some(false),
            ..BlockDevice::default()
        };
        let part = BlockDevice {
            name: "sda1".to_owned(),
            bytes: bytes / 2,
            below: vec!["sda".to_owned()],
            mounts: vec![mount("/"), mount("/data")],
            ..BlockDevice::default()
        };
        let mut machine = Machine::default();
        machine.inventory.memory.total_bytes = 16 << 30;
        machine.inventory.block = vec![disk, part];
        machine
    }

    #[test]
    fn a_path_lies_on_the_device_of_the_nearest_mount() {
        let machine = machine(1 << 40, "ext4");
        let name = |target: &str| {
            let (device, mount) = target_device(&machine, target)?;
            Some((device.name.as_str(), mount.map(|mount| mount.point.as_str())))
        };
        assert_eq!(name("/dev/sda"), Some(("sda", None)));
        assert_eq!(name("/data/x"), Some(("sda1", Some("/data"))));
        assert_eq!(name("/database/x"), Some(("sda1", Some("/"))));
        assert_eq!(name("/tmp/x"), None, "that may be in memory");
        assert_eq!((name("x"), name("/dev/sdz")), (None, None));
        let part = machine.inventory.block_device("sda1").unwrap();
        assert_eq!(disk_under(&machine, part).map(|disk| disk.name.as_str()), Some("sda"));
    }
}
