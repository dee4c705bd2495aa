//! From a machine to the tree of its picture.

use language::{Words, format};
use model::machine::{BlockDevice, BlockKind, Inventory, NetworkInterface, PciDevice};
use model::{Machine, Resource, ResourceKind};

use super::link::LinkLimits;
use super::parts::{self, Package};
use super::pci::{Walk, is_shown_disk};
use super::share::CaseView;
use super::tree::{Kind, Link, Node, Tree};
use super::{collapse, ladder, wording};
use crate::svg::clean;

/// The tree of `machine`; the view learns what is shown.
pub(super) fn tree(machine: &Machine, view: &mut CaseView) -> Tree {
    let inventory = &machine.inventory;
    let rates = LinkLimits::new(machine, view.words);
    let packages = parts::packages(inventory);
    let mut cards: Vec<Node> = Vec::new();
    for package in &packages {
        let mut node = parts::package(machine, package, packages.len(), &rates, view);
        node.memory = parts::memory(machine, package, &rates).map(Box::new);
        if !cards.is_empty() {
            // How packages are coupled the machine does not tell, only that.
            let said = |key: &str| wording::say(view.words, key);
            let (what, notes) = (said("socket-link"), vec![said("rate-unknown")]);
            node.link = Some(Link { what, notes, count: 1, ..Link::default() });
        }
        cards.push(node);
    }
    let mut tree = Tree { packages: cards, ..Tree::default() };
    let mut walk = Walk::new(inventory, &rates);
    let mut chipset = chipset(inventory, &rates, view);
    for (root, nodes) in walk.roots() {
        match &mut chipset {
            Some(chipset) if is_behind_chipset(root) => {
                chipset.numa = chipset.numa.or(root.node);
                chipset.children.extend(nodes);
            }
            _ => hang(&mut tree, &packages, nodes),
        }
    }
    if let Some(chipset) = chipset {
        // The chipset sits at the socket that starts the machine, the first.
        let at = chipset.numa.and_then(|n| packages.iter().position(|p| p.nodes.contains(&n))).unwrap_or(0);
        tree.packages[at].children.push(chipset);
    }
    hang(&mut tree, &packages, elsewhere(inventory, &rates, &walk, view));
    tree.loose.extend(memory_alone(inventory, &packages, view.words));
    let usage = ladder::usage(inventory, view.words);
    tree.walk_mut(|node| {
        let own = node.resources.iter().filter_map(|r| usage.get(r));
        node.usage = own.cloned().collect::<Vec<_>>().join(" ");
    });
    for package in &mut tree.packages {
        package.children = collapse::equal(std::mem::take(&mut package.children), view);
    }
    tree.loose = collapse::equal(std::mem::take(&mut tree.loose), view);
    ladder::build(inventory, &mut tree, view);
    collapse::bound(&mut tree, view);
    settle(&tree, view);
    tree
}

fn settle(tree: &Tree, view: &mut CaseView) {
    let mut shown = Vec::new();
    tree.walk(|node| shown.extend(node.all_resources()));
    view.settle(shown.into_iter());
}

/// Below the package of its NUMA node; where there are several packages and no
/// node, nobody knows which.
fn hang(tree: &mut Tree, packages: &[Package], nodes: Vec<Node>) {
    for node in nodes {
        let at = match packages.len() {
            1 => Some(0),
            _ => node.numa.and_then(|n| packages.iter().position(|p| p.nodes.contains(&n))),
        };
        match at {
            Some(at) => tree.packages[at].children.push(node),
            None => tree.loose.push(node),
        }
    }
}

fn chipset(inventory: &Inventory, rates: &LinkLimits, view: &CaseView) -> Option<Node> {
    if !rates.knows(&Resource::DMI) && !view.passes(&[Resource::DMI]) {
        return None;
    }
    // The bridge to the old ISA bus (class 0601) carries the chipset's name.
    let bridge = inventory.pci.iter().find(|d| d.class >> 8 == 0x0601 && is_behind_chipset(d));
    let named = bridge.filter(|b| b.device_name.is_some()).map(|b| parts::pci_name(b, view.words));
    let named = named.as_deref().and_then(|n| n.split(" LPC").next()).map(clean);
    let name = named.or_else(|| rates.chipset()).unwrap_or_else(|| wording::say(view.words, "chipset"));
    let mut node = Node::new(Kind::Hub, name);
    node.link = Some(rates.dmi());
    Some(node)
}

/// Whether a function directly below the root is part of the chipset: on Intel's
/// machines bus 0, and device 16 or above (datasheets of the platform
/// controller hubs; the processor's own root ports are 1 to 7).
fn is_behind_chipset(device: &PciDevice) -> bool {
    let Some(rest) = device.address.strip_prefix("0000:00:") else { return false };
    let number = rest.split_once('.').and_then(|(device, _)| u32::from_str_radix(device, 16).ok());
    number.is_some_and(|n| n >= 16)
}

/// Disks and interfaces that no PCI function carries, as far as known, and
/// virtual ones that the case passes.
fn elsewhere(inventory: &Inventory, rates: &LinkLimits, walk: &Walk, view: &CaseView) -> Vec<Node> {
    let mut nodes = Vec::new();
    for disk in &inventory.block {
        let id = Resource::of(ResourceKind::Block, &disk.name);
        let shown = is_shown_disk(disk) || is_passed_virtual(disk, view);
        if shown && !walk.placed.contains(&id) {
            let mut node = parts::disk(disk, rates);
            node.link = rates.disk(disk);
            if disk.kind != BlockKind::Disk {
                node.lines.insert(0, virtual_disk(disk, view.words));
            }
            nodes.push(node);
        }
    }
    for interface in &inventory.network {
        let id = Resource::of(ResourceKind::Nic, &interface.name);
        if walk.placed.contains(&id) {
            continue;
        }
        if is_hardware(interface)
            || (stands_alone(interface, inventory) && view.passes(std::slice::from_ref(&id)))
        {
            let mut node = parts::network(&[interface], None, rates);
            node.numa = interface.node;
            nodes.push(node);
        }
    }
    nodes
}

/// Whether a block device is none of hardware's, stands on no other, and matters
/// to the case.
fn is_passed_virtual(disk: &BlockDevice, view: &CaseView) -> bool {
    let points = disk.mounts.iter().any(|m| !view.file_system(&m.point).is_empty());
    disk.kind != BlockKind::Partition
        && disk.below.is_empty()
        && (points || view.passes(&[Resource::of(ResourceKind::Block, &disk.name)]))
}

/// What a block device is that is no disk: `loop device on /var/tmp/image`.
fn virtual_disk(disk: &BlockDevice, words: &Words) -> String {
    let key = match disk.kind {
        BlockKind::Loop => "loop-device",
        BlockKind::Zram => "compressed-memory",
        BlockKind::Ram => "memory-as-disk",
        BlockKind::Optical => "optical-drive",
        BlockKind::Md => "array",
        BlockKind::Dm => "mapping",
        BlockKind::Disk | BlockKind::Partition | BlockKind::Other => "block-device",
    };
    let kind = wording::say(words, key);
    match disk.backing_file.as_deref() {
        Some(file) => wording::fill(words, "device-on-file", &[("device", &kind), ("file", &clean(file))]),
        None => kind,
    }
}

/// Whether there is a device behind an interface, by its bus or kind.
fn is_hardware(interface: &NetworkInterface) -> bool {
    let kind = interface.kind.as_str();
    let virtual_kind = matches!(kind, "loopback" | "bond" | "bridge" | "vlan" | "veth" | "tun");
    !virtual_kind
        && (interface.bus.is_some() || interface.pci.is_some() || matches!(kind, "wifi" | "infiniband"))
}

fn stands_alone(interface: &NetworkInterface, inventory: &Inventory) -> bool {
    let name = interface.name.as_str();
    let members = inventory.network.iter().any(|i| i.master.as_deref() == Some(name));
    interface.below.is_empty() && interface.bond.is_none() && !members
}

/// Memory of NUMA nodes without a CPU: behind CXL, or on the package.
fn memory_alone(inventory: &Inventory, packages: &[Package], words: &Words) -> Vec<Node> {
    if packages.len() == 1 {
        return Vec::new();
    }
    let nodes = inventory.memory.nodes.iter();
    let alone = nodes.filter(|n| n.total_bytes > 0 && !packages.iter().any(|p| p.nodes.contains(&n.id)));
    alone
        .map(|n| {
            let size = format::rough_binary(n.total_bytes);
            let mut node = Node::new(Kind::Memory, wording::fill(words, "memory", &[("size", &size)]));
            let id = n.id.to_string();
            let place = wording::fill(words, "numa-node", &[("node", &id)]);
            node.lines = vec![wording::list(words, [place, wording::say(words, "no-cpus")])];
            node
        })
        .collect()
}
