//! Which devices a case drives, as its path tells: those that its targets lie
//! on, and what these stand on.

use model::machine::{BlockDevice, BlockKind};
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Machine, Resource, ResourceKind};

/// What a path may be off by: its shares are sums of halves and thirds.
const ROUNDING: f64 = 1e-6;

fn is_block(step: &PathStep) -> bool {
    step.resource.is_named(ResourceKind::Block)
}

/// The steps of the path that are block devices; but those behind a server of files are the server's, whose page cache
/// lies between them and the load.
fn blocks(case: &CaseResult) -> impl Iterator<Item = &PathStep> {
    let own = server_of_files(case).unwrap_or(case.path.len());
    case.path[..own].iter().filter(|step| is_block(step))
}

/// Where in the path the server stands whose files the load drives. That of a disk has the disk before it.
fn server_of_files(case: &CaseResult) -> Option<usize> {
    storage_server(case).filter(|server| !case.path[..*server].iter().any(is_block))
}

/// Whether a step of the path stands behind the server whose files the load drives.
pub(crate) fn behind_files(case: &CaseResult, step: &PathStep) -> bool {
    let behind = server_of_files(case).map(|server| &case.path[server..]);
    behind.is_some_and(|behind| behind.iter().any(|other| other.resource == step.resource))
}

/// Where in the path the server stands that has the storage that the load drives: right behind the interface towards
/// it. Absent where storage is this machine's own; the server of a load stands before its interface.
pub(crate) fn storage_server(case: &CaseResult) -> Option<usize> {
    let mut pairs = case.path.iter().zip(case.path.iter().skip(1));
    let is_it = |(near, far): (&PathStep, &PathStep)| {
        near.resource.is_named(ResourceKind::Nic) && far.resource.is_named(ResourceKind::Server)
    };
    // Several interfaces, or several servers, stand side by side.
    pairs.position(is_it).map(|before| before + 1)
}

/// The block device that the case's load drives: the first of its path.
pub(crate) fn device(case: &CaseResult) -> Option<&Resource> {
    blocks(case).map(|s| &s.resource).next()
}

/// The block devices that the load's targets lie on. They come first in a path,
/// and all of its bytes pass them once.
pub(crate) fn devices(case: &CaseResult) -> Vec<&PathStep> {
    let mut sum = 0.0;
    let is_more = |step: &&PathStep| {
        let more = sum < 1.0 - ROUNDING;
        sum += step.amplification;
        more
    };
    blocks(case).take_while(is_more).collect()
}

/// The block devices at the bottom of the path where all of the load's bytes
/// pass just once, as on the disk of a partition or the disk that holds the file
/// of a loop device; those of its targets where there is nothing of the kind.
/// Below an array nothing is told by its disks.
pub(crate) fn lowest(case: &CaseResult) -> Vec<&PathStep> {
    let top = devices(case);
    let below: Vec<&PathStep> = blocks(case).skip(top.len()).collect();
    let is_one = |sum: f64| (sum - 1.0).abs() < ROUNDING;
    match below.last() {
        Some(last) if below.iter().all(|s| is_one(s.amplification)) => vec![last],
        Some(_) if is_one(below.iter().map(|s| s.amplification).sum()) && top.len() > 1 => below,
        _ => top,
    }
}

/// All of them as one resource: `block:sda`, `block:sda+sdb`.
pub(crate) fn devices_name(case: &CaseResult) -> Option<Resource> {
    name_of(&devices(case))
}

/// These devices as one resource; absent where there are none.
pub(crate) fn name_of(steps: &[&PathStep]) -> Option<Resource> {
    let names: Vec<&str> = steps.iter().filter_map(|s| s.resource.named(ResourceKind::Block)).collect();
    (!names.is_empty()).then(|| Resource::of(ResourceKind::Block, names.join("+")))
}

/// Whether a step of the path stands below a loop device that the load drives:
/// a file system lies between, which may keep, join and add requests.
pub(crate) fn below_loop(case: &CaseResult, step: &PathStep) -> bool {
    let top = devices(case);
    let is_loop = |name: &str| name.starts_with("loop");
    top.iter().any(|s| s.resource.named(ResourceKind::Block).is_some_and(is_loop))
        && !top.iter().any(|s| s.resource == step.resource)
        && device(case).is_some_and(|first| {
            let at = |name: &Resource| case.path.iter().position(|s| s.resource == *name);
            at(&step.resource) > at(first)
        })
}

/// The whole device of this name: of a partition, its disk.
pub(crate) fn whole<'a>(machine: &'a Machine, name: &str) -> Option<&'a BlockDevice> {
    let device = machine.inventory.block_device(name)?;
    match (device.kind, device.below.first()) {
        (BlockKind::Partition, Some(disk)) => machine.inventory.block_device(disk),
        _ => Some(device),
    }
}

/// The whole devices that the targets lie on, as far as they are known.
pub(crate) fn wholes<'a>(case: &CaseResult, machine: Option<&'a Machine>) -> Vec<&'a BlockDevice> {
    let Some(machine) = machine else { return Vec::new() };
    let names = devices(case).into_iter().filter_map(|s| s.resource.named(ResourceKind::Block));
    names.filter_map(|name| whole(machine, name)).collect()
}

/// Whether a disk has platters that turn. A guest's disk may say so and be
/// anything.
pub(crate) fn is_platter(machine: Option<&Machine>, disk: &BlockDevice) -> bool {
    let is_guest = machine.is_some_and(|m| m.inventory.system.virtualization.is_some());
    disk.rotational == Some(true) && disk.kind == BlockKind::Disk && !is_guest && disk.transport.is_some()
}

/// Whether a device is memory.
pub(crate) fn is_memory(disk: &BlockDevice) -> bool {
    matches!(disk.kind, BlockKind::Zram | BlockKind::Ram)
}

/// Whether the loop devices that the targets lie on go around the page cache to
/// their files; absent where one does not say, or there is none.
pub(crate) fn loops_are_direct(case: &CaseResult, machine: Option<&Machine>) -> Option<bool> {
    let loops = wholes(case, machine).into_iter().filter(|d| d.kind == BlockKind::Loop);
    let all: Vec<bool> = loops.map(|d| d.backing_direct).collect::<Option<_>>()?;
    (!all.is_empty()).then(|| all.iter().all(|direct| *direct))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;

    fn with(path: &[(&str, f64)]) -> CaseResult {
        let mut case = fixture::case(1);
        let step = |(resource, amplification): &(&str, f64)| PathStep {
            resource: Resource::from(*resource),
            amplification: *amplification,
        };
        case.path = path.iter().map(step).collect();
        case
    }

    #[test]
    fn devices_behind_a_server_of_files_are_not_those_of_the_load() {
        let share = with(&[
            ("filesystem:/s (nfs4)", 1.0),
            ("nic:eth0", 1.0),
            ("server:10.0.0.3", 1.0),
            ("filesystem:/d (xfs)", 1.0),
            ("block:dm-0", 1.0),
        ]);
        assert!(device(&share).is_none() && devices(&share).is_empty() && lowest(&share).is_empty());
        let behind: Vec<bool> = share.path.iter().map(|step| behind_files(&share, step)).collect();
        assert_eq!(behind, [false, false, true, true, true]);
        let disk =
            with(&[("block:sda", 1.0), ("nic:eth0", 1.0), ("server:10.0.0.3", 1.0), ("block:md0", 1.0)]);
        assert_eq!(device(&disk).map(Resource::as_str), Some("block:sda"));
        assert!(disk.path.iter().all(|step| !behind_files(&disk, step)));
    }

    #[test]
    fn targets_lie_on_the_first_devices_of_a_path() {
        let name = |path: &[(&str, f64)]| devices_name(&with(path));
        assert_eq!(name(&[("cpu:0", 1.0)]), None);
        let partition = [("filesystem:/", 1.0), ("block:sda1", 1.0), ("block:sda", 1.0)];
        assert_eq!(name(&partition).as_ref().map(Resource::as_str), Some("block:sda1"));
        let array = [("block:md0", 1.0), ("block:sda", 0.5), ("block:sdb", 0.5)];
        assert_eq!(name(&array).as_ref().map(Resource::as_str), Some("block:md0"));
        let third = 1.0 / 3.0;
        let three = [("block:sda", third), ("block:sdb", third), ("block:sdc", third), ("pci:x", 1.0)];
        assert_eq!(name(&three).as_ref().map(Resource::as_str), Some("block:sda+sdb+sdc"));
    }

    #[test]
    fn the_lowest_devices_are_those_that_all_bytes_pass_once() {
        let name = |path: &[(&str, f64)]| name_of(&lowest(&with(path))).unwrap();
        assert_eq!(name(&[("block:sda", 1.0)]).as_str(), "block:sda");
        assert_eq!(name(&[("block:sda1", 1.0), ("block:sda", 1.0)]).as_str(), "block:sda");
        assert_eq!(
            name(&[("block:dm-0", 1.0), ("block:sda1", 1.0), ("block:sda", 1.0)]).as_str(),
            "block:sda"
        );
        assert_eq!(name(&[("block:md0", 1.0), ("block:sda", 0.5), ("block:sdb", 0.5)]).as_str(), "block:md0");
        assert_eq!(name(&[("block:md0", 1.0), ("block:sda", 1.0), ("block:sdb", 1.0)]).as_str(), "block:sdb");
        let both = [("block:sda1", 0.5), ("block:sdb1", 0.5), ("block:sda", 0.5), ("block:sdb", 0.5)];
        assert_eq!(name(&both).as_str(), "block:sda+sdb");
    }

    #[test]
    fn only_what_stands_below_a_loop_device_is_that_far() {
        let case = with(&[
            ("cpu:0", 1.0),
            ("filesystem:/mnt (ext4)", 1.0),
            ("block:loop0", 1.0),
            ("filesystem:/ (ext4)", 1.0),
            ("block:vda", 1.0),
        ]);
        let far: Vec<bool> = case.path.iter().map(|s| below_loop(&case, s)).collect();
        assert_eq!(far, [false, false, false, true, true]);
        let disk = with(&[("block:sda1", 1.0), ("block:sda", 1.0)]);
        assert!(disk.path.iter().all(|s| !below_loop(&disk, s)));
    }
}
