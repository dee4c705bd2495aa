//! The PCI tree: what carries data, with the link above it.

use std::collections::{BTreeMap, BTreeSet};

use model::Unit;
use model::limit::{Limit, LimitKind};
use model::machine::{Inventory, Machine, PciDevice, PciLink};

use super::layout::hidden;
use super::{Detail, tree};
use crate::format;
use crate::text::{facts, groups};

/// Classes of functions that carry data (PCI Code and ID Assignment): mass
/// storage, network, display, processors, accelerators.
const CLASSES: &[u32] = &[0x01, 0x02, 0x03, 0x0b, 0x12];

/// The section's body.
pub(super) fn text(machine: &Machine, detail: Detail) -> String {
    let all = &machine.inventory.pci;
    let places: BTreeMap<&str, usize> =
        all.iter().enumerate().map(|(i, d)| (d.address.as_str(), i)).collect();
    let parent = |i: usize| all[i].parent.as_deref().and_then(|p| places.get(p).copied()).filter(|p| *p != i);
    let shown = match detail {
        Detail::All => (0..all.len()).collect(),
        Detail::Usual => that_matter(machine, &parent),
    };
    let users = users(&machine.inventory);
    let mut nodes: Vec<tree::Node> = all
        .iter()
        .map(|device| tree::Node {
            name: address(&device.address, all).to_owned(),
            head: head(device),
            lines: vec![about(device, &machine.limits)],
            own: users.get(device.address.as_str()).map(|names| ("used by", names.join(", "))),
            children: Vec::new(),
        })
        .collect();
    let mut roots = Vec::new();
    for index in &shown {
        match parent(*index).filter(|p| shown.contains(p)) {
            Some(above) => nodes[above].children.push(*index),
            None => roots.push(*index),
        }
    }
    let hidden_count = all.len() - shown.len();
    tree::text(&nodes, &roots, shown) + &hidden(hidden_count, "function")
}

/// Functions that carry data, and the bridges above them.
fn that_matter(machine: &Machine, parent: &impl Fn(usize) -> Option<usize>) -> BTreeSet<usize> {
    let used = users(&machine.inventory);
    let mut shown = BTreeSet::new();
    for (index, device) in machine.inventory.pci.iter().enumerate() {
        let carries = CLASSES.contains(&(device.class >> 16)) || used.contains_key(device.address.as_str());
        if !carries {
            continue;
        }
        let mut at = Some(index);
        while let Some(index) = at.filter(|i| shown.insert(*i)) {
            at = parent(index);
        }
    }
    shown
}

/// The interfaces and disks of each function.
fn users(inventory: &Inventory) -> BTreeMap<&str, Vec<&str>> {
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let network = inventory.network.iter().filter_map(|n| Some((n.pci.as_deref()?, n.name.as_str())));
    // What stands on a disk is not on the bus.
    let disks = inventory.block.iter().filter(|b| b.below.is_empty());
    let block = disks.filter_map(|b| Some((b.pci.as_deref()?, b.name.as_str())));
    for (address, name) in network.chain(block) {
        users.entry(address).or_default().push(name);
    }
    users
}

/// An address without the domain, where there is but one.
pub(super) fn address<'a>(address: &'a str, all: &[PciDevice]) -> &'a str {
    let domain = |a: &'a str| a.strip_prefix("0000:");
    if all.iter().all(|d| d.address.starts_with("0000:")) {
        domain(address).unwrap_or(address)
    } else {
        address
    }
}

fn head(device: &PciDevice) -> String {
    let name = match (&device.vendor_name, &device.device_name) {
        (Some(vendor), Some(name)) => format!("{vendor} {name}"),
        (Some(vendor), None) => format!("{vendor} {:04x}:{:04x}", device.vendor, device.device),
        _ => format!("{:04x}:{:04x}", device.vendor, device.device),
    };
    let driver = device.driver.as_ref().map(|d| format!(" ({d})")).unwrap_or_default();
    let class = if device.class_name.is_empty() {
        format!("class {:06x}", device.class)
    } else {
        device.class_name.clone()
    };
    format!("{class}: {name}{driver}")
}

/// The link, its rate, how it is set, where it is.
fn about(device: &PciDevice, limits: &[Limit]) -> String {
    let node = device.node.map(|n| format!("NUMA node {n}"));
    let Some(link) = &device.link else { return groups([node]) };
    let set = facts([
        link.max_payload.map(|b| format!("payload {b} B")),
        link.max_read_request.map(|b| format!("read request {b} B")),
    ]);
    groups([Some(speeds(link)), rate(&device.address, limits), Some(set), node])
}

/// `8 GT/s x8`, and at most, where that is more.
fn speeds(link: &PciLink) -> String {
    let one = |transfers: Option<f64>, lanes: Option<u32>| {
        let speed = transfers.map(|t| format!("{} GT/s", format::short(t / 1e9)));
        let width = lanes.map(|l| format!("x{l}"));
        let parts: Vec<String> = [speed, width].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    };
    let now = one(link.transfers, link.lanes);
    let most = one(link.max_transfers, link.max_lanes).filter(|m| Some(m) != now.as_ref());
    facts([now, most.map(|m| format!("at most {m}"))])
}

/// The rate of a function's link, each way.
fn rate(address: &str, limits: &[Limit]) -> Option<String> {
    let resource = format!("pci:{address}");
    let limit = limits
        .iter()
        .find(|l| l.resource == resource && l.kind == LimitKind::Link && l.unit == Unit::BytesPerSecond)?;
    let shown = |rate: f64| format::quantity(rate, limit.unit);
    Some(facts([
        limit.line.map(|line| format!("{} each way", shown(line))),
        limit.effective.map(|payload| format!("{} of payload", shown(payload))),
    ]))
}
