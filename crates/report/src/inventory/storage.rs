//! The block devices: disks, partitions, arrays, mappings, mounts, each below
//! what it stands on.

use std::collections::BTreeMap;

use model::machine::{Array, BlockDevice, BlockKind, Inventory, Mount, PciDevice};

use super::pci::address;
use super::tree;
use crate::document::Branch;
use crate::format::{binary, bits, decimal, percent};
use crate::text::{counted, facts, groups};

/// Every device, with what it stands on.
pub(super) fn branches(inventory: &Inventory) -> Vec<Branch> {
    let all = &inventory.block;
    let places: BTreeMap<&str, usize> = all.iter().enumerate().map(|(i, d)| (d.name.as_str(), i)).collect();
    let mut nodes: Vec<tree::Node> = all.iter().map(|d| node(d, all, &inventory.pci)).collect();
    let mut roots = Vec::new();
    for (index, device) in all.iter().enumerate() {
        // What stands on several stands below none of them.
        let above = match &device.below[..] {
            [one] => places.get(one.as_str()).copied().filter(|p| *p != index),
            _ => None,
        };
        match above {
            Some(above) => nodes[above].children.push(index),
            None => roots.push(index),
        }
    }
    for node in &mut nodes {
        // `sda2` before `sda10`.
        node.children.sort_by_key(|i| (all[*i].name.len(), all[*i].name.as_str()));
    }
    tree::branches(&nodes, &roots)
}

fn node(device: &BlockDevice, all: &[BlockDevice], pci: &[PciDevice]) -> tree::Node {
    let mut lines = vec![groups([Some(attachment(device)), Some(caching(device)), Some(queueing(device))])];
    if device.below.len() > 1 {
        lines.push(format!("on {}", device.below.join(", ")));
    }
    if let Some(array) = &device.array {
        lines.push(array_text(array));
    }
    lines.extend(device.backing_file.iter().map(|file| format!("file {file}")));
    lines.extend(mounts(&device.mounts));
    let holders: Vec<&str> = all
        .iter()
        .filter(|d| d.below.len() > 1 && d.below.contains(&device.name))
        .map(|d| d.name.as_str())
        .collect();
    if !holders.is_empty() {
        lines.push(format!("part of {}", holders.join(", ")));
    }
    let on_bus = device.pci.as_deref().filter(|_| device.below.is_empty());
    let own = on_bus.map(|a| ("PCI", address(a, pci).to_owned()));
    tree::Node { name: device.name.clone(), head: head(device), lines, own, ..tree::Node::default() }
}

/// Size, what it is, what fills it.
fn head(device: &BlockDevice) -> String {
    let kind = match device.kind {
        BlockKind::Disk | BlockKind::Other => None,
        BlockKind::Partition => Some("partition".to_owned()),
        BlockKind::Md => Some(device.array.as_ref().map_or("array", |a| a.level.as_str()).to_owned()),
        BlockKind::Dm => Some(mapping(device)),
        BlockKind::Loop => Some("loop".to_owned()),
        BlockKind::Zram => Some("compressed memory".to_owned()),
        BlockKind::Ram => Some("memory".to_owned()),
        BlockKind::Optical => Some("optical".to_owned()),
    };
    let model = [&device.vendor, &device.model].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ");
    let mounted = device.mounts.iter().any(|m| Some(&m.kind) == device.content.as_ref());
    facts([
        (device.bytes > 0).then(|| decimal(device.bytes)),
        kind,
        Some(model),
        device.firmware.as_ref().map(|f| format!("firmware {f}")),
        device.content.clone().filter(|_| !mounted),
        device.read_only.then(|| "read-only".to_owned()),
        device.removable.then(|| "removable".to_owned()),
    ])
}

fn mapping(device: &BlockDevice) -> String {
    let Some(mapping) = &device.mapping else { return "mapped".to_owned() };
    match &mapping.kind {
        Some(kind) => format!("{} ({kind})", mapping.name),
        None => mapping.name.clone(),
    }
}

/// How it is attached, and what it is made of.
fn attachment(device: &BlockDevice) -> String {
    let speed = match (device.link_bits, device.link_max_bits) {
        (Some(now), Some(most)) if most != now => format!(" at {} (port: {})", bits(now), bits(most)),
        (Some(now), _) => format!(" at {}", bits(now)),
        (None, Some(most)) => format!(" (port: {})", bits(most)),
        (None, None) => String::new(),
    };
    let transport = device.transport.as_ref().map(|t| format!("{t}{speed}"));
    let sectors = match (device.logical_sector, device.physical_sector) {
        (Some(l), Some(p)) if l != p => Some(format!("sectors {l} B on {p} B")),
        (Some(s), _) | (None, Some(s)) => Some(format!("sectors {s} B")),
        (None, None) => None,
    };
    let turning = device.rotational.map(|r| if r { "rotational" } else { "not rotational" }.to_owned());
    facts([transport, turning, sectors])
}

fn caching(device: &BlockDevice) -> String {
    let can =
        |word: &str, yes: Option<bool>| yes.map(|yes| format!("{}{word}", if yes { "" } else { "no " }));
    facts([
        device.write_cache.as_ref().map(|c| format!("cache {c}")),
        can("FUA", device.fua),
        can("discard", device.discards),
    ])
}

fn queueing(device: &BlockDevice) -> String {
    let queues = match (device.hardware_queues, device.queue_requests) {
        (Some(q), Some(n)) => Some(format!("{} of {n} requests", counted(q as usize, "queue"))),
        (Some(q), None) => Some(counted(q as usize, "queue")),
        (None, Some(n)) => Some(format!("queue of {n} requests")),
        (None, None) => None,
    };
    facts([
        device.scheduler.as_ref().map(|s| format!("scheduler {s}")),
        queues,
        device.device_queue_depth.map(|d| format!("device depth {d}")),
        device.read_ahead_bytes.map(|b| format!("read-ahead {}", binary(b))),
    ])
}

fn array_text(array: &Array) -> String {
    let action = array.action.as_ref().map(|action| match array.progress {
        Some(progress) => format!("{action} {}", percent(progress)),
        None => action.clone(),
    });
    facts([
        Some(counted(array.members as usize, "member")),
        (array.degraded > 0).then(|| format!("{} missing", array.degraded)),
        array.chunk_bytes.map(|b| format!("chunk {}", binary(b))),
        array.state.clone(),
        action,
    ])
}

/// Mounts of one kind with the same options are one line.
fn mounts(all: &[Mount]) -> Vec<String> {
    let kinds = crate::grouped(all.iter().map(|m| ((&m.kind, &m.options), m.point.as_str())));
    let one = |((kind, options), points): ((&String, &String), Vec<&str>)| {
        format!("{kind} on {} ({})", points.join(", "), options.replace(',', ", "))
    };
    kinds.into_iter().map(one).collect()
}
