//! What stands on what: arrays, the device mapper, and the order in which
//! devices are told.

use std::collections::BTreeMap;

use model::machine::{Absent, Array, BlockDevice, BlockKind, Mapping};

use super::FoundDevice;
use crate::Host;
use crate::host::mapping::uuid_front;

/// Puts to each device what it stands on, and how arrays and mappings are
/// built.
pub(super) fn add(host: &Host, found: &mut [FoundDevice], absent: &mut Vec<Absent>) {
    for FoundDevice { device, folder, .. } in found {
        device.below.extend(host.names(format!("{folder}/slaves")));
        match device.kind {
            BlockKind::Md => match array(host, folder) {
                Ok(array) => device.array = array,
                Err(reason) => absent.push(Absent { what: format!("{}: array", device.name), reason }),
            },
            BlockKind::Dm => device.mapping = mapping(host, folder),
            _ => {}
        }
    }
}

/// How an array is built (`Documentation/admin-guide/md.rst`); none where it is
/// not assembled, and why it cannot be told.
fn array(host: &Host, folder: &str) -> Result<Option<Array>, String> {
    let word = |leaf: &str| host.word(format!("{folder}/md/{leaf}"));
    let Some(level) = word("level") else { return Ok(None) };
    // While it is reshaped: `6 (4)`, the new number first.
    let members = word("raid_disks").ok_or("raid_disks: not there")?;
    let members = members.split(' ').next().and_then(|n| n.parse().ok()).ok_or("garbled: raid_disks")?;
    // Levels without redundancy do not have the file, and none can be missing.
    let degraded =
        word("degraded").map_or(Ok(0), |n| n.parse().map_err(|_| "garbled: degraded".to_owned()))?;
    let completed = word("sync_completed");
    Ok(Some(Array {
        level,
        members,
        degraded,
        chunk_bytes: host.number(format!("{folder}/md/chunk_size")).filter(|n| *n > 0),
        state: word("array_state"),
        action: word("sync_action").filter(|action| action != "idle"),
        progress: completed.as_deref().and_then(progress),
    }))
}

/// How far `123 / 456` sectors are; `none` and `delayed` are nothing.
fn progress(text: &str) -> Option<f64> {
    let (done, all) = text.split_once('/')?;
    let (done, all): (u64, u64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
    (all > 0 && done <= all).then(|| done as f64 / all as f64)
}

/// What the device mapper does (`Documentation/ABI/testing/sysfs-block-dm`).
fn mapping(host: &Host, folder: &str) -> Option<Mapping> {
    let name = host.word(format!("{folder}/dm/name"))?;
    let uuid = host.text(format!("{folder}/dm/uuid")).unwrap_or_default();
    Some(Mapping { name, kind: uuid_front(&uuid).map(str::to_owned) })
}

/// Leaves out of mappings' names what identifies the machine: installers name
/// `luks-<UUID>`, and multipath without friendly names uses the disk's own. Mounts
/// are found by the whole name, so this comes after.
pub(super) fn hide_names(found: &mut [FoundDevice]) {
    for mapping in found.iter_mut().filter_map(|f| f.device.mapping.as_mut()) {
        mapping.name.truncate(without_uuid(&mapping.name).len());
        if let Some(hidden) = without_wwid(&mapping.name, mapping.kind.as_deref()) {
            mapping.name = hidden;
        }
    }
}

/// The name of a multipath device, or of a partition of one, that is the disk's
/// worldwide identifier, with `mpath` in its place: a digit for the kind and 16,
/// 24 or 32 hexadecimal ones (scsi_id(8)), or the kernel's of an NVMe namespace
/// (`wwid_show` in `drivers/nvme/host/sysfs.c`).
fn without_wwid(name: &str, kind: Option<&str>) -> Option<String> {
    const LENGTHS: [usize; 3] = [17, 25, 33];
    const NVME: [&str; 3] = ["eui.", "uuid.", "nvme."];
    // kpartx: `<name>p1`, `<name>-part1`, or `<name>1` where that is clear.
    let front = match kind?.strip_prefix("part") {
        Some(number) => {
            let front = name.strip_suffix(number)?;
            front.strip_suffix("-part").or_else(|| front.strip_suffix('p')).unwrap_or(front)
        }
        None if kind == Some("mpath") => name,
        None => return None,
    };
    let is_wwid = LENGTHS.contains(&front.len()) && front.bytes().all(|b| b.is_ascii_hexdigit());
    let is_hidden = is_wwid || NVME.iter().any(|n| front.starts_with(n));
    is_hidden.then(|| format!("mpath{}", &name[front.len()..]))
}

/// `name` without a UUID at its end, where something is left.
fn without_uuid(name: &str) -> &str {
    const LENGTHS: [usize; 5] = [8, 4, 4, 4, 12];
    let split = name.len().checked_sub(36).and_then(|at| name.split_at_checked(at));
    let Some((front, end)) = split else { return name };
    let is_uuid =
        end.split('-').map(str::len).eq(LENGTHS) && end.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let front = front.trim_end_matches(['-', '_']);
    if is_uuid && !front.is_empty() { front } else { name }
}

/// The devices with what stands on another after it; otherwise as they come.
pub(super) fn ordered(devices: Vec<BlockDevice>) -> Vec<BlockDevice> {
    let index: BTreeMap<String, usize> =
        devices.iter().enumerate().map(|(i, d)| (d.name.clone(), i)).collect();
    let mut order = Vec::with_capacity(devices.len());
    let mut met = vec![false; devices.len()];
    for start in 0..devices.len() {
        // Depth first without recursion: each entry is a device and how many of
        // those below it were looked at. What was met is not entered again, so
        // that a ring ends too.
        let mut open: Vec<(usize, usize)> = Vec::new();
        if !std::mem::replace(&mut met[start], true) {
            open.push((start, 0));
        }
        while let Some((device, looked)) = open.last_mut() {
            let Some(below) = devices[*device].below.get(*looked) else {
                order.push(*device);
                open.pop();
                continue;
            };
            *looked += 1;
            if let Some(&below) = index.get(below).filter(|i| !met[**i]) {
                met[below] = true;
                open.push((below, 0));
            }
        }
    }
    let mut devices: Vec<Option<BlockDevice>> = devices.into_iter().map(Some).collect();
    order.into_iter().filter_map(|i| devices[i].take()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_on_another_comes_after_it_and_rings_end() {
        let device = |name: &str, below: &[&str]| BlockDevice {
            name: name.to_owned(),
            below: below.iter().map(|b| (*b).to_owned()).collect(),
            ..BlockDevice::default()
        };
        let devices = vec![
            device("dm-0", &["dm-1", "gone"]),
            device("dm-1", &["md0"]),
            device("md0", &["sda", "sdb"]),
            device("ring1", &["ring2"]),
            device("ring2", &["ring1", "ring2"]),
            device("sda", &[]),
            device("sdb", &[]),
        ];
        let order: Vec<String> = ordered(devices).into_iter().map(|d| d.name).collect();
        assert_eq!(order, ["sda", "sdb", "md0", "dm-1", "dm-0", "ring2", "ring1"]);
    }

    #[test]
    fn progress_is_a_share_or_nothing() {
        assert_eq!(progress("1 / 4"), Some(0.25));
        for text in ["none", "delayed", "4 / 0", "5 / 4", "-1 / 4", "1 / ", "99999999999999999999 / 1"] {
            assert_eq!(progress(text), None, "{text}");
        }
    }

    #[test]
    fn a_mapping_named_after_its_uuid_is_told_without() {
        assert_eq!(without_uuid("luks-3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d"), "luks");
        for kept in [
            "vg0-data",
            "luks-3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9",
            "3b9d6f60-31ab-4a4c-9d5e-0c2f5a7b8c9d",
            "",
        ] {
            assert_eq!(without_uuid(kept), kept);
        }
    }

    #[test]
    fn a_multipath_device_is_told_without_the_identifier_of_its_disk() {
        let wwid = "3600508b400105e210000900000490000";
        for (name, kind, hidden) in [
            (wwid.to_owned(), "mpath", Some("mpath")),
            (wwid[..17].to_owned(), "mpath", Some("mpath")),
            (format!("{wwid}p2"), "part2", Some("mpathp2")),
            (format!("{wwid}-part1"), "part1", Some("mpath-part1")),
            (format!("{wwid}1"), "part1", Some("mpath1")),
            ("eui.0025388b710116a1".to_owned(), "mpath", Some("mpath")),
            ("mpatha".to_owned(), "mpath", None),
            ("mpatha1".to_owned(), "part1", None),
            (wwid.to_owned(), "LVM", None),
            (wwid[..20].to_owned(), "mpath", None),
        ] {
            assert_eq!(without_wwid(&name, Some(kind)).as_deref(), hidden, "{name} {kind}");
        }
        assert_eq!(without_wwid(wwid, None), None);
    }
}
