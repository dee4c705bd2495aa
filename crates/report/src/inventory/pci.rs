//! The PCI tree: every function with the link above it.

use std::collections::{BTreeMap, BTreeSet};

use model::limit::{Limit, LimitKind};
use model::machine::{Inventory, Machine, PciDevice, PciLink};
use model::{Resource, ResourceKind, Unit};

use super::tree;
use crate::document::Branch;
use crate::format;
use crate::text::{facts, groups};

/// Classes of functions that carry data (PCI Code and ID Assignment): mass
/// storage, network, processors, accelerators.
const CLASSES: &[u32] = &[0x01, 0x02, 0x0b, 0x12];
/// Display controllers, by the same.
const DISPLAY: u32 = 0x03;
/// Processing accelerators, by the same.
const ACCELERATOR: u32 = 0x12;
/// What companies end with, which says nothing.
const FORMS: &[&str] =
    &["Corporation", "Corp.", "Corp", "Inc.", "Inc", "Co.", "Co", "Ltd.", "Ltd", "Limited"];

/// Every function, with what it stands on.
pub(super) fn branches(machine: &Machine) -> Vec<Branch> {
    let all = &machine.inventory.pci;
    let places = places(all);
    let users = users(&machine.inventory);
    let node_of = |device: &PciDevice| {
        let above = device.parent.as_deref().and_then(|p| places.get(p));
        above.and_then(|i| all[*i].node)
    };
    let mut nodes: Vec<tree::Node> = all
        .iter()
        .map(|device| tree::Node {
            name: address(&device.address, all).to_owned(),
            head: head(device),
            kind: kind(device),
            lines: vec![about(device, node_of(device), machine)],
            own: users.get(device.address.as_str()).map(|names| ("used by", names.join(", "))),
            children: Vec::new(),
        })
        .collect();
    let mut roots = Vec::new();
    for index in 0..all.len() {
        match parent(all, &places, index) {
            Some(above) => nodes[above].children.push(index),
            None => roots.push(index),
        }
    }
    tree::branches(&nodes, &roots)
}

/// GPUs and accelerators, by their classes: all with a link that programs compute on. The display of a management
/// controller, or of a guest, has none.
pub(super) fn accelerators(inventory: &Inventory) -> Vec<&PciDevice> {
    let is_one = |device: &&PciDevice| match device.class >> 16 {
        DISPLAY => device.link.is_some(),
        class => class == ACCELERATOR,
    };
    inventory.pci.iter().filter(is_one).collect()
}

/// What a function is called, its driver and its link: `NVIDIA A100 (nvidia), 16 GT/s x16, NUMA node 1`.
pub(super) fn accelerator(device: &PciDevice) -> String {
    let link = device.link.as_ref().map(speeds);
    facts([Some(called(device)), link, device.node.map(|node| format!("NUMA node {node}"))])
}

/// The addresses of functions that carry no data, nor have any below that does.
pub(super) fn without_data(machine: &Machine) -> BTreeSet<&str> {
    let all = &machine.inventory.pci;
    let carry = with_data(machine);
    all.iter().enumerate().filter(|(i, _)| !carry.contains(i)).map(|(_, d)| d.address.as_str()).collect()
}

/// Where each address stands.
fn places(all: &[PciDevice]) -> BTreeMap<&str, usize> {
    all.iter().enumerate().map(|(i, d)| (d.address.as_str(), i)).collect()
}

/// The function above one.
fn parent(all: &[PciDevice], places: &BTreeMap<&str, usize>, i: usize) -> Option<usize> {
    all[i].parent.as_deref().and_then(|p| places.get(p).copied()).filter(|p| *p != i)
}

/// Functions that carry data, and the bridges above them.
fn with_data(machine: &Machine) -> BTreeSet<usize> {
    let all = &machine.inventory.pci;
    let (places, used) = (places(all), users(&machine.inventory));
    let mut shown = BTreeSet::new();
    for (index, device) in all.iter().enumerate() {
        let carries = match device.class >> 16 {
            // A server's own has none, and nobody computes on it.
            DISPLAY => device.link.is_some(),
            class => CLASSES.contains(&class),
        };
        let carries = carries || used.contains_key(device.address.as_str());
        let mut at = Some(index).filter(|_| carries);
        while let Some(index) = at.filter(|i| shown.insert(*i)) {
            at = parent(all, &places, index);
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
    let is_one = all.iter().all(|d| d.address.starts_with("0000:"));
    address.strip_prefix("0000:").filter(|_| is_one).unwrap_or(address)
}

/// A company without its legal form.
fn company(name: &str) -> String {
    let mut words: Vec<&str> = name.trim_end_matches(" and subsidiaries").split_whitespace().collect();
    while words.len() > 1 && words.last().is_some_and(|w| FORMS.contains(&w.trim_end_matches(','))) {
        words.pop();
    }
    words.join(" ").trim_end_matches(',').to_owned()
}

/// What a bridge is without its number: `Root Port A`, `Root Port #1`.
fn kind(device: &PciDevice) -> Option<String> {
    if !device.is_bridge() {
        return None;
    }
    let head = head(device);
    let (kind, number) = head.rsplit_once(' ')?;
    let is_number =
        number.len() <= 3 && number.chars().all(|c| c == '#' || c.is_ascii_uppercase() || c.is_ascii_digit());
    is_number.then(|| kind.to_owned())
}

/// Its class and what it is called.
fn head(device: &PciDevice) -> String {
    let class = if device.class_name.is_empty() {
        format!("class {:06x}", device.class)
    } else {
        device.class_name.clone()
    };
    format!("{class}: {}", called(device))
}

/// Its vendor, its name and its driver.
fn called(device: &PciDevice) -> String {
    let vendor = device.vendor_name.as_deref().map(company);
    let name = match (&vendor, &device.device_name) {
        (Some(vendor), Some(name)) => format!("{vendor} {name}"),
        (Some(vendor), None) => format!("{vendor} {:04x}:{:04x}", device.vendor, device.device),
        _ => format!("{:04x}:{:04x}", device.vendor, device.device),
    };
    // Every bridge has the same driver.
    let driver = device.driver.as_ref().filter(|_| !device.is_bridge());
    let driver = driver.map(|d| format!(" ({d})")).unwrap_or_default();
    format!("{name}{driver}")
}

/// The link, its rate, how it is set, where it is if that is not where the
/// bridge above it is.
fn about(device: &PciDevice, node_above: Option<u32>, machine: &Machine) -> String {
    let node = device.node.filter(|n| Some(*n) != node_above).map(|n| format!("NUMA node {n}"));
    let Some(link) = &device.link else { return groups([node]) };
    let set = facts([
        link.max_payload.map(|b| format!("payload {b} B")),
        // A bridge reads nothing itself.
        link.max_read_request.filter(|_| !device.is_bridge()).map(|b| format!("read request {b} B")),
    ]);
    groups([Some(speeds(link)), rate(device, machine), Some(set), node])
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

/// Of a limit beside which stands what is usual, that it is the most; older documents
/// have no bounds.
fn at_most(limit: &Limit) -> &'static str {
    if limit.usual.is_empty() { "" } else { " at most" }
}

/// The rate of a function's link, each way, and whether others have a part of
/// it: the functions of a slot have one link.
fn rate(device: &PciDevice, machine: &Machine) -> Option<String> {
    let inventory = &machine.inventory;
    let resource = Resource::of(ResourceKind::Pci, &inventory.link_function(device).address);
    let is_links = |l: &&Limit| l.kind == LimitKind::Link && l.unit == Unit::BytesPerSecond;
    let limit = machine.limits.iter().filter(is_links).find(|l| l.resource == resource)?;
    let shown = |rate: f64| format::setting(rate, limit.unit);
    let sharers = inventory.link_sharers(device).len();
    Some(facts([
        limit.line.map(|line| format!("{} each way", shown(line))),
        limit.effective.map(|payload| format!("{} of payload{}", shown(payload), at_most(limit))),
        (sharers > 1).then(|| format!("{sharers} functions share it")),
    ]))
}
