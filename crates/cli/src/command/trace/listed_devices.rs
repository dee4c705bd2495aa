//! The devices that were named, and what the kernel calls them.

use std::collections::BTreeMap;
use std::path::Path;

use machine::trace::{DevicePart, TraceError, TracedDevice, resolve};
use trace::Device;
use trace::format::saved::{SavedDevice, SavedPartition};

use crate::exit::Failure;

/// The disks that these mean, each once with each part that was asked for.
pub(super) fn resolved(targets: &[String]) -> Result<Vec<TracedDevice>, Failure> {
    let mut all: Vec<TracedDevice> = Vec::new();
    for target in targets {
        let found = resolve(Path::new(target)).map_err(unknown)?;
        for device in found {
            if !all.contains(&device) {
                all.push(device);
            }
        }
    }
    Ok(all)
}

fn unknown(error: TraceError) -> Failure {
    Failure::arguments(
        error.to_string(),
        "name a block device (`headroom machine` lists them), a path on one, or a file that --save kept",
    )
}

/// The names of these, of their partitions, and of what they stand on.
pub(super) fn names(devices: &[TracedDevice]) -> BTreeMap<Device, String> {
    let mut names = BTreeMap::new();
    for device in devices {
        names.insert(device.device, device.name.clone());
        for part in device.partitions.iter().chain(&device.members) {
            names.insert(part.device, part.name.clone());
        }
    }
    names
}

/// The same for the header of a saved trace.
pub(super) fn saved(devices: &[TracedDevice]) -> Vec<SavedDevice> {
    let mut all: Vec<SavedDevice> = Vec::new();
    let mut add = |device: SavedDevice| {
        if all.iter().all(|known| known.device != device.device) {
            all.push(device);
        }
    };
    // What was traced comes first.
    for device in devices {
        let (number, name) = (device.device, device.name.clone());
        add(SavedDevice { device: number, name, ..SavedDevice::default() });
    }
    for device in devices {
        let of = device.device;
        let is_whole = devices.iter().any(|other| other.device == of && other.asked.is_none());
        for part in &device.partitions {
            let is_own = |other: &TracedDevice| other.device == of && other.asked.as_ref() == Some(part);
            let is_asked = !is_whole && devices.iter().any(is_own);
            let partition = Some(SavedPartition { of, first_sector: part.start_sector, is_asked });
            add(SavedDevice { partition, ..of_part(part) });
        }
        device.members.iter().for_each(|member| add(of_part(member)));
    }
    all
}

fn of_part(part: &DevicePart) -> SavedDevice {
    SavedDevice {
        device: part.device,
        name: part.name.clone(),
        bytes: part.sectors.checked_mul(trace::analysis::SECTOR_BYTES),
        ..SavedDevice::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_marked_where_it_was_asked_for_and_its_disk_was_not() {
        let part = |minor: u32| DevicePart {
            name: format!("sda{minor}"),
            device: Device { major: 8, minor },
            start_sector: u64::from(minor) * 2048,
            sectors: 2048,
        };
        let disk = |asked: Option<u32>| TracedDevice {
            name: "sda".to_owned(),
            device: Device { major: 8, minor: 0 },
            asked: asked.map(part),
            partitions: vec![part(1), part(2)],
            has_requests: true,
            backing_file: None,
            members: Vec::new(),
            backings: Vec::new(),
        };
        let marked = |devices: &[TracedDevice]| {
            let all = saved(devices);
            assert_eq!(all.iter().map(|own| own.name.as_str()).collect::<Vec<_>>(), ["sda", "sda1", "sda2"]);
            let partitions: Vec<SavedPartition> = all.iter().filter_map(|own| own.partition).collect();
            assert_eq!(partitions.iter().map(|own| own.first_sector).collect::<Vec<_>>(), [2048, 4096]);
            partitions.iter().map(|own| own.is_asked).collect::<Vec<_>>()
        };
        assert_eq!(marked(&[disk(Some(2))]), [false, true]);
        assert_eq!(marked(&[disk(Some(2)), disk(Some(1))]), [true, true]);
        assert_eq!(marked(&[disk(Some(2)), disk(None)]), [false, false]);
        assert_eq!(marked(&[disk(None)]), [false, false]);
    }
}
