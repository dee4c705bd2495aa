//! The PCI tree down to what matters: controllers with disks, network cards,
//! and the bridges above them. What carries nothing is left out.

use std::collections::{BTreeMap, BTreeSet};

use language::Words;
use model::machine::{BlockDevice, BlockKind, Inventory, NetworkInterface, PciDevice};
use model::{Resource, ResourceKind};

use super::link::LinkLimits;
use super::tree::{Kind, Link, Node};
use super::{parts, wording};

/// Buses below one another at most: PCI Express has no more than 256 buses in a
/// domain, and real machines are a handful deep.
const DEEPEST: usize = 24;

/// Classes of PCI functions, the upper 8 bits of the class code (PCI Code and ID
/// Assignment Specification).
const STORAGE: u32 = 0x01;
const NETWORK: u32 = 0x02;

/// Walks the functions of an inventory, each at most once.
pub(super) struct Walk<'a> {
    inventory: &'a Inventory,
    rates: &'a LinkLimits<'a>,
    by_address: BTreeMap<&'a str, &'a PciDevice>,
    below: BTreeMap<&'a str, Vec<&'a PciDevice>>,
    disks: BTreeMap<&'a str, Vec<&'a BlockDevice>>,
    interfaces: BTreeMap<&'a str, Vec<&'a NetworkInterface>>,
    seen: BTreeSet<&'a str>,
    /// Disks and interfaces that have a place in the tree.
    pub(super) placed: BTreeSet<Resource>,
}

/// Whether a block device is one that the picture shows by itself.
pub(super) fn is_shown_disk(disk: &BlockDevice) -> bool {
    // The boot areas of an eMMC chip are a few MiB, and nobody mounts them.
    let boot_area = disk.name.starts_with("mmcblk") && disk.name.contains("boot");
    disk.kind == BlockKind::Disk && disk.bytes > 0 && !boot_area
}

/// Things by the PCI address that each is told by; those without one are left out.
fn grouped<'a, T>(
    all: impl Iterator<Item = &'a T>,
    address: fn(&T) -> Option<&str>,
) -> BTreeMap<&'a str, Vec<&'a T>> {
    let mut groups: BTreeMap<&str, Vec<&T>> = BTreeMap::new();
    for one in all {
        if let Some(address) = address(one) {
            groups.entry(address).or_default().push(one);
        }
    }
    groups
}

impl<'a> Walk<'a> {
    pub(super) fn new(inventory: &'a Inventory, rates: &'a LinkLimits<'a>) -> Self {
        let by_address: BTreeMap<&str, &PciDevice> =
            inventory.pci.iter().map(|d| (d.address.as_str(), d)).collect();
        let below = grouped(by_address.values().copied(), |d| d.parent.as_deref());
        let disks = grouped(inventory.block.iter().filter(|d| is_shown_disk(d)), |d| d.pci.as_deref());
        let interfaces = grouped(inventory.network.iter(), |i| i.pci.as_deref());
        let (seen, placed) = (BTreeSet::new(), BTreeSet::new());
        Self { inventory, rates, by_address, below, disks, interfaces, seen, placed }
    }

    /// Each function directly below the root, with the cards that it becomes.
    pub(super) fn roots(&mut self) -> Vec<(&'a PciDevice, Vec<Node>)> {
        let is_root = |d: &&PciDevice| d.parent.as_deref().is_none_or(|p| !self.by_address.contains_key(p));
        let roots: Vec<&PciDevice> = self.by_address.values().copied().filter(is_root).collect();
        roots.into_iter().map(|device| (device, self.cards(device, 0))).collect()
    }

    /// What a function and all below it become: nothing, a card, or, where the
    /// function itself says nothing, the cards below it.
    fn cards(&mut self, device: &'a PciDevice, depth: usize) -> Vec<Node> {
        if depth > DEEPEST || !self.seen.insert(&device.address) {
            return Vec::new();
        }
        let mut nodes = if device.is_bridge() { self.bridge(device, depth) } else { self.endpoint(device) };
        for node in &mut nodes {
            node.numa = node.numa.or(device.node);
        }
        nodes
    }

    fn bridge(&mut self, device: &'a PciDevice, depth: usize) -> Vec<Node> {
        let below = self.below.get(device.address.as_str()).cloned().unwrap_or_default();
        let mut children: Vec<Node> =
            below.into_iter().flat_map(|child| self.cards(child, depth + 1)).collect();
        tell_shared(&mut children, self.rates.words);
        if children.is_empty() {
            return Vec::new();
        }
        let link = self.rates.pci(device);
        // A root port and a switch's downstream port (every second bridge) have
        // the same link as what is below them; an upstream port has its own.
        let own_link = depth % 2 == 1 && link.as_ref().is_some_and(|l| l.rate.is_some());
        if let [only] = children.as_mut_slice() {
            let tighter = own_link
                && only.link.as_ref().and_then(|l| l.bytes_per_second)
                    != link.as_ref().and_then(|l| l.bytes_per_second);
            if !tighter {
                match (&mut only.link, link) {
                    (Some(known), _) => {
                        known.resources.push(Resource::of(ResourceKind::Pci, &device.address))
                    }
                    (None, link) => only.link = link,
                }
                return children;
            }
        }
        let words = self.rates.words;
        let key = if depth % 2 == 1 { "pcie-switch" } else { "pcie-port" };
        let key = if device.link.is_some() { key } else { "pci-bridge" };
        let mut node = Node::new(Kind::Hub, wording::say(words, key));
        node.lines = device.device_name.iter().map(|_| parts::pci_name(device, words)).collect();
        node.tip = vec![device.address.clone()];
        node.link = link;
        node.children = children;
        vec![node]
    }

    fn endpoint(&mut self, device: &'a PciDevice) -> Vec<Node> {
        let disks = self.disks.get(device.address.as_str()).cloned().unwrap_or_default();
        let interfaces = self.interfaces.get(device.address.as_str()).cloned().unwrap_or_default();
        let link = self.rates.pci(device);
        let fast = link.as_ref().is_some_and(|l| l.rate.is_some());
        let mut nodes = Vec::new();
        if !disks.is_empty() || (device.class >> 16 == STORAGE && fast) {
            nodes.extend(self.storage(device, &disks));
        }
        if !interfaces.is_empty() || (device.class >> 16 == NETWORK && fast) {
            nodes.push(self.card_of_ports(device, link));
        }
        nodes
    }

    /// A network card with all of its ports: the functions of its slot that are
    /// the same device as the first and share its link.
    fn card_of_ports(&mut self, device: &'a PciDevice, link: Option<Link>) -> Node {
        let is_port =
            |d: &&PciDevice| (d.class >> 16, d.vendor, d.device) == (NETWORK, device.vendor, device.device);
        let mut ports: Vec<&PciDevice> =
            self.inventory.link_sharers(device).into_iter().filter(is_port).collect();
        ports.retain(|p| p.address != device.address && !self.seen.contains(p.address.as_str()));
        ports.push(device);
        ports.sort_by_key(|p| &p.address);
        let mut interfaces = Vec::new();
        for port in &ports {
            self.seen.insert(&port.address);
            interfaces.extend(self.interfaces.get(port.address.as_str()).into_iter().flatten().copied());
        }
        self.placed.extend(interfaces.iter().map(|i| Resource::of(ResourceKind::Nic, &i.name)));
        let mut node = parts::network(&interfaces, Some(device), self.rates);
        node.link = link;
        node.tip.extend(ports.iter().map(|p| p.address.clone()));
        node
    }

    fn storage(&mut self, device: &'a PciDevice, disks: &[&'a BlockDevice]) -> Vec<Node> {
        let link = self.rates.pci(device);
        let name = parts::pci_name(device, self.rates.words);
        let place = wording::list(self.rates.words, [name.as_str(), &device.address]);
        let place = wording::fill(self.rates.words, "attached", &[("what", &place)]);
        self.placed.extend(disks.iter().map(|d| Resource::of(ResourceKind::Block, &d.name)));
        let mut children: Vec<Node> = disks.iter().map(|d| parts::disk(d, self.rates)).collect();
        for (child, disk) in children.iter_mut().zip(disks) {
            child.link = self.rates.disk(disk);
            child.numa = device.node;
            child.tip.push(place.clone());
        }
        // An NVMe drive is its own controller, and so is a virtio disk.
        let itself =
            matches!(disks, [one] if matches!(one.transport.as_deref(), Some("nvme" | "virtio" | "xen")));
        if itself {
            children[0].link = link;
            return children;
        }
        if link.as_ref().is_none_or(|l| l.rate.is_none()) && !children.is_empty() {
            let above = link.map(|l| l.resources).unwrap_or_default();
            for child in children.iter_mut().filter(|_| !above.is_empty()) {
                child.link.get_or_insert_default().resources.extend(above.clone());
            }
            return children;
        }
        let mut node = Node::new(Kind::Hub, name);
        node.tip = vec![device.address.clone()];
        node.link = link;
        node.children = children;
        vec![node]
    }
}

/// Says so of cards that are different functions of one slot: they have one link.
fn tell_shared(cards: &mut [Node], words: &Words) {
    let name = |node: &Node| node.link.as_ref().filter(|l| l.rate.is_some())?.resources.first().cloned();
    let names: Vec<Option<Resource>> = cards.iter().map(name).collect();
    for (card, own) in cards.iter_mut().zip(&names) {
        if own.is_some()
            && names.iter().filter(|n| *n == own).count() > 1
            && let Some(link) = &mut card.link
        {
            link.notes.push(wording::say(words, "one-link"));
        }
    }
}
