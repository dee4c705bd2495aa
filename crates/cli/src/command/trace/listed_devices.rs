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
        for part in &device.partitions {
            let partition = Some(SavedPartition { of, first_sector: part.start_sector });
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
