//! The resources that data passes between memory and a device, each with the
//! bytes that pass it for each byte of the load.
//!
//! An array writes more than it is given: to every member of a mirror, and
//! parity beside the data, counted for whole stripes, where a stripe of n
//! members with p of parity makes n / (n - p) (`Documentation/admin-guide/md.rst`,
//! md(4)). Writes of less than a stripe pass more, as old data or parity is read
//! first; that shows in the kernel's counters, not here. Reads are taken to be
//! spread evenly, and an array to be whole. Device mapper targets (LVM, LUKS,
//! multipath) pass what they are given, evenly where they stand on several.
//!
//! A loop device passes what it is given to the file system that its file lies
//! on, and that to its own device. How much of it passes is not known here: the
//! page cache, a journal and metadata of the file system lie between.
//!
//! A load that drives several targets has one path: each target passes its share
//! of the bytes, and what they have in common has the sum.

use std::cmp::Reverse;

use model::machine::{BlockDevice, BlockKind, Inventory};
use model::resource::PathStep;
use model::{Resource, ResourceKind};

use super::{dmi, pcie, sata, usb};

/// Which share of a load's bytes flows which way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteShare {
    /// The share of bytes that is written, 0 to 1.
    pub written: f64,
}

/// What the file of a loop device lies on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beneath {
    /// The file system, as a path calls it: `/data (ext4)`.
    pub filesystem: Option<String>,
    /// The block device of the file system.
    pub block: Option<String>,
}

/// Says what the file of a loop device lies on, as far as it is known.
pub type LoopFile<'a> = &'a dyn Fn(&BlockDevice) -> Option<Beneath>;

/// The deepest stack of block devices that is followed.
const DEPTH_MAX: u32 = 16;

/// The most devices visited, however they stand on one another.
const VISITS_MAX: u32 = 4096;

/// Copies that an array of level 10 keeps: md's own default, "near 2" (md(4)).
/// The inventory does not say how many it was made with.
const COPIES: f64 = 2.0;

/// The steps below the file systems for the block devices `names`, one for each
/// target: the devices themselves, what they stand on, and the links up to the
/// CPU, each with the bytes that pass it for each byte of the load. Targets have
/// equal shares; what several of them pass has the sum.
#[must_use]
pub fn to_block_devices(
    inventory: &Inventory,
    names: &[Option<&str>],
    flow: WriteShare,
    beneath: LoopFile<'_>,
) -> Vec<PathStep> {
    let written = if flow.written.is_finite() { flow.written.clamp(0.0, 1.0) } else { 0.0 };
    let share = 1.0 / names.len().max(1) as f64;
    let mut walk = Walk { inventory, beneath, steps: Vec::new(), visits: 0 };
    for name in names.iter().flatten() {
        let passing = Passing { read: (1.0 - written) * share, written: written * share };
        walk.device(name, passing, 0);
    }
    walk.steps.sort_by_key(|step| step.place);
    walk.steps
        .into_iter()
        .map(|step| PathStep { resource: step.resource, amplification: step.amplification })
        .collect()
}

/// Bytes that pass a device for each byte of the load.
#[derive(Clone, Copy)]
struct Passing {
    read: f64,
    written: f64,
}

/// Where a step stands in the path: devices from the top down, then links from
/// the device up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StepPosition {
    Device(u32),
    Port,
    Pci(Reverse<usize>),
    Dmi,
}

struct Step {
    place: StepPosition,
    resource: Resource,
    amplification: f64,
}

struct Walk<'a> {
    inventory: &'a Inventory,
    beneath: LoopFile<'a>,
    steps: Vec<Step>,
    visits: u32,
}

impl Walk<'_> {
    fn device(&mut self, name: &str, passing: Passing, depth: u32) {
        self.visits += 1;
        if depth > DEPTH_MAX || self.visits > VISITS_MAX {
            return;
        }
        self.add(StepPosition::Device(depth), Resource::of(ResourceKind::Block, name), passing);
        let Some(device) = self.inventory.block_device(name) else { return };
        if device.kind == BlockKind::Loop {
            self.file_of(device, passing, depth);
            return;
        }
        if device.below.is_empty() {
            self.links(device, passing);
            return;
        }
        let each = each_member(device, passing);
        for member in &device.below {
            self.device(member, each, depth + 1);
        }
    }

    /// What the file of a loop device lies on.
    fn file_of(&mut self, device: &BlockDevice, passing: Passing, depth: u32) {
        let Some(beneath) = (self.beneath)(device) else { return };
        if let Some(filesystem) = beneath.filesystem {
            self.add(
                StepPosition::Device(depth + 1),
                Resource::of(ResourceKind::FileSystem, filesystem),
                passing,
            );
        }
        if let Some(block) = beneath.block {
            self.device(&block, passing, depth + 2);
        }
    }

    /// The links between a disk and the processor.
    fn links(&mut self, disk: &BlockDevice, passing: Passing) {
        if let Some(port) = sata::resource(disk).or_else(|| usb::resource(disk)) {
            self.add(StepPosition::Port, port, passing);
        }
        let Some(address) = disk.pci.as_deref() else { return };
        let functions = self.inventory.pci_to_root(address);
        let count = functions.len();
        for (height, function) in functions.into_iter().enumerate() {
            if pcie::own_link(self.inventory, function).is_some() {
                let place = StepPosition::Pci(Reverse(count - height));
                let link = self.inventory.link_function(function);
                self.add(place, Resource::of(ResourceKind::Pci, &link.address), passing);
            }
        }
        if dmi::is_passed_by(self.inventory, address) {
            self.add(StepPosition::Dmi, Resource::DMI, passing);
        }
    }

    fn add(&mut self, place: StepPosition, resource: Resource, passing: Passing) {
        let amplification = passing.read + passing.written;
        match self.steps.iter_mut().find(|s| s.resource == resource) {
            Some(step) => {
                step.amplification += amplification;
                step.place = step.place.max(place);
            }
            None => self.steps.push(Step { place, resource, amplification }),
        }
    }
}

/// What passes each of the devices that `device` stands on.
fn each_member(device: &BlockDevice, passing: Passing) -> Passing {
    let present = device.below.len() as f64;
    let even = Passing { read: passing.read / present, written: passing.written / present };
    let Some(array) = &device.array else { return even };
    let made_for = if array.members == 0 { present } else { f64::from(array.members) };
    let written = match array.level.as_str() {
        "raid1" => passing.written,
        "raid4" | "raid5" if made_for > 1.0 => passing.written / (made_for - 1.0),
        "raid6" if made_for > 2.0 => passing.written / (made_for - 2.0),
        "raid10" => passing.written * COPIES.min(made_for) / made_for,
        _ => return even,
    };
    // Spares are listed among the members and get nothing, but which they are is
    // not known: the total stays right.
    Passing { written: written * (made_for / present).min(1.0), ..even }
}

#[cfg(test)]
mod tests {
    use model::machine::Array;
    use model::{Resource, ResourceKind};

    use super::*;

    fn to_block_device(inventory: &Inventory, name: &str, flow: WriteShare) -> Vec<PathStep> {
        to_block_devices(inventory, &[Some(name)], flow, &|_| None)
    }

    fn array(level: &str, members: u32, present: usize) -> Inventory {
        let below: Vec<String> = (0..present).map(|i| format!("sd{i}")).collect();
        let disks = below.iter().map(|name| BlockDevice {
            name: name.clone(),
            pci: Some("0000:01:00.0".to_owned()),
            ..BlockDevice::default()
        });
        let mut inventory = Inventory { block: disks.collect(), ..Inventory::default() };
        inventory.block.push(BlockDevice {
            name: "md0".to_owned(),
            kind: BlockKind::Md,
            below,
            array: Some(Array { level: level.to_owned(), members, ..Array::default() }),
            ..BlockDevice::default()
        });
        inventory
    }

    /// Bytes on all members together, and on each, for one byte of a load.
    fn amplification(inventory: &Inventory, written: f64) -> (f64, f64) {
        let steps = to_block_device(inventory, "md0", WriteShare { written });
        assert_eq!(
            steps[0],
            PathStep { resource: Resource::of(ResourceKind::Block, "md0"), amplification: 1.0 }
        );
        (steps[1..].iter().map(|s| s.amplification).sum(), steps[1].amplification)
    }

    fn about(found: (f64, f64), expected: (f64, f64)) -> bool {
        (found.0 - expected.0).abs() < 1e-9 && (found.1 - expected.1).abs() < 1e-9
    }

    #[test]
    fn arrays_write_more_than_they_are_given() {
        for (level, members, total) in [
            ("raid0", 4, 1.0),
            ("linear", 4, 1.0),
            ("raid1", 3, 3.0),
            ("raid4", 4, 4.0 / 3.0),
            ("raid5", 4, 4.0 / 3.0),
            ("raid6", 8, 8.0 / 6.0),
            ("raid10", 4, 2.0),
            ("unheard-of", 4, 1.0),
        ] {
            let inventory = array(level, members, members as usize);
            let members = f64::from(members);
            let found = amplification(&inventory, 1.0);
            assert!(about(found, (total, total / members)), "{level} writes: {found:?}");
            let found = amplification(&inventory, 0.0);
            assert!(about(found, (1.0, 1.0 / members)), "{level} reads: {found:?}");
            let found = amplification(&inventory, 0.5);
            assert!(about(found, ((1.0 + total) / 2.0, (1.0 + total) / 2.0 / members)), "{level}: {found:?}");
        }
    }

    #[test]
    fn spares_do_not_add_and_missing_members_do_not_count() {
        assert!(about(amplification(&array("raid5", 3, 4), 1.0), (1.5, 1.5 / 4.0)));
        assert!(about(amplification(&array("raid1", 2, 1), 1.0), (1.0, 1.0)));
        assert!(about(amplification(&array("raid6", 4, 3), 1.0), (1.5, 0.5)));
    }

    #[test]
    fn absurd_arrays_stay_finite() {
        for (level, members) in [("raid5", 0), ("raid5", 1), ("raid6", 2), ("raid10", 1), ("raid1", u32::MAX)]
        {
            let (total, each) = amplification(&array(level, members, 1), 1.0);
            assert!(total.is_finite() && each > 0.0, "{level} {members}: {total}");
        }
        let steps = to_block_device(&array("raid0", 2, 2), "md0", WriteShare { written: f64::NAN });
        assert_eq!(steps[0].amplification, 1.0);
    }

    #[test]
    fn circles_and_wide_stacks_end() {
        let mut inventory = array("raid0", 2, 2);
        for disk in 0..2 {
            inventory.block[disk].below = vec!["md0".to_owned(), "md0".to_owned()];
        }
        assert!(to_block_device(&inventory, "md0", WriteShare { written: 1.0 }).len() <= 3);
    }

    #[test]
    fn an_unknown_device_is_its_own_path_and_a_loop_device_ends_one() {
        let mut inventory = array("raid0", 2, 2);
        let path =
            |inventory: &Inventory, name| to_block_device(inventory, name, WriteShare { written: 0.3 }).len();
        assert_eq!(path(&inventory, "nothing"), 1);
        inventory.block[2].kind = BlockKind::Loop;
        assert_eq!(path(&inventory, "md0"), 1);
    }

    /// A file on the array, and on that again: no end in sight.
    #[test]
    fn a_loop_device_passes_on_to_what_its_file_lies_on() {
        let mut inventory = array("raid1", 2, 2);
        inventory.block.push(BlockDevice {
            name: "loop0".to_owned(),
            kind: BlockKind::Loop,
            ..BlockDevice::default()
        });
        let names = |block: &str| -> Vec<(Resource, f64)> {
            let beneath = |_: &BlockDevice| {
                let filesystem = Some("/images (xfs)".to_owned());
                Some(Beneath { filesystem, block: Some(block.to_owned()) })
            };
            let steps = to_block_devices(&inventory, &[Some("loop0")], WriteShare { written: 1.0 }, &beneath);
            steps.into_iter().map(|s| (s.resource, s.amplification)).collect()
        };
        let expected = ["block:loop0", "filesystem:/images (xfs)", "block:md0", "block:sd0", "block:sd1"];
        assert_eq!(names("md0"), expected.map(|name| (Resource::from(name), 1.0)));
        assert!(names("loop0").len() <= 2);
    }

    #[test]
    fn several_targets_share_the_bytes_and_what_they_have_in_common_has_the_sum() {
        let inventory = array("raid0", 4, 4);
        let names = [Some("sd0"), Some("sd1"), None, Some("sd1")];
        let steps = to_block_devices(&inventory, &names, WriteShare { written: 0.5 }, &|_| None);
        let found: Vec<_> = steps.iter().map(|s| (s.resource.as_str(), s.amplification)).collect();
        assert_eq!(found, [("block:sd0", 0.25), ("block:sd1", 0.5)]);
    }

    #[test]
    fn two_partitions_of_one_disk_pass_it_together() {
        let mut inventory = array("raid0", 2, 2);
        for disk in 0..2 {
            inventory.block[disk].below = vec!["sdz".to_owned()];
        }
        let steps = to_block_device(&inventory, "md0", WriteShare { written: 1.0 });
        let disk = steps.last().unwrap();
        assert_eq!((disk.resource.as_str(), disk.amplification), ("block:sdz", 1.0));
    }
}
