//! What the cards of single parts say: packages, memory, disks, interfaces.

use std::collections::BTreeSet;

use language::{Words, format};
use model::machine::{BlockDevice, BlockKind, Inventory, Machine, Memory, NetworkInterface, PciDevice};
use model::{Resource, ResourceKind, Unit};

use super::link::LinkLimits;
use super::share::CaseView;
use super::tree::{Kind, Link, Node};
use super::wording;
use crate::svg::{clean, join};

pub(super) struct Package {
    /// Its number, where there are several.
    pub(super) id: Option<u32>,
    pub(super) cpus: BTreeSet<u32>,
    pub(super) nodes: BTreeSet<u32>,
}

/// The packages; one without a number where the kernel does not say.
pub(super) fn packages(inventory: &Inventory) -> Vec<Package> {
    let topology = &inventory.cpu.topology;
    let ids: BTreeSet<u32> = topology.iter().map(|p| p.package).collect();
    let several = ids.len() > 1;
    let memory_nodes = &inventory.memory.nodes;
    if !several {
        let cpus = inventory.cpu.online.iter().copied().collect();
        return vec![Package { id: None, cpus, nodes: memory_nodes.iter().map(|n| n.id).collect() }];
    }
    ids.into_iter()
        .map(|id| {
            let own = || topology.iter().filter(move |p| p.package == id);
            let cpus: BTreeSet<u32> = own().map(|p| p.cpu).collect();
            let mut nodes: BTreeSet<u32> = own().filter_map(|p| p.node).collect();
            nodes.extend(
                memory_nodes.iter().filter(|n| n.cpus.iter().any(|c| cpus.contains(c))).map(|n| n.id),
            );
            Package { id: Some(id), cpus, nodes }
        })
        .collect()
}

pub(super) fn package(
    machine: &Machine,
    package: &Package,
    all: usize,
    rates: &LinkLimits,
    view: &CaseView,
) -> Node {
    let cpu = &machine.inventory.cpu;
    let model = cpu.model.as_deref().or(cpu.vendor.as_deref()).map(processor_name).filter(|m| !m.is_empty());
    let mut node = Node::new(Kind::Package, model.as_deref().unwrap_or("CPU"));
    node.resources = view.cpus(&package.cpus.iter().copied().collect::<Vec<_>>());
    let own = cpu.topology.iter().filter(|p| package.id.is_none_or(|id| p.package == id));
    let cores = own.map(|p| (p.package, p.die, p.core)).collect::<BTreeSet<_>>().len();
    let words = rates.words;
    let mut parts = match (cores, package.cpus.len()) {
        (_, 0) => Vec::new(),
        (0, cpus) => vec![wording::counted(words, "cpus", cpus)],
        (cores, cpus) if cores == cpus => vec![wording::counted(words, "cores", cores)],
        (cores, cpus) => {
            vec![wording::counted(words, "cores", cores), wording::counted(words, "threads", cpus)]
        }
    };
    parts.extend(clock(machine, words));
    node.lines.extend(Some(wording::list(words, parts)).filter(|l| !l.is_empty()));
    node.lines.extend(caches(&machine.inventory, all, words));
    node.lines.extend(place(&machine.inventory, package, words));
    if let Some(quota) = rates.cpu_quota() {
        node.lines.push(wording::fill(words, "cpu-quota", &[("cpus", &format::fixed(quota, 2, ""))]));
    }
    if node.lines.is_empty() && model.is_none() {
        node.lines.push(wording::say(words, "nothing-known"));
    }
    node.tip.extend(cpu.model.as_deref().map(clean));
    node
}

/// `Intel(R) Xeon(R) CPU E3-1220 v6 @ 3.00GHz` without what nobody says.
fn processor_name(model: &str) -> String {
    let plain = clean(model).replace("(R)", "").replace("(TM)", "").replace("(tm)", "");
    let plain = plain.split(" @ ").next().unwrap_or_default();
    join(plain.split(' ').filter(|word| !matches!(*word, "CPU" | "Processor")), " ")
}

fn clock(machine: &Machine, words: &Words) -> Option<String> {
    let hertz = |rate: u64| format::Rates::Bytes.rough(rate as f64, Unit::Hertz);
    let frequency = machine.inventory.cpu.frequency.as_ref()?;
    let most = frequency.max_hz.or(frequency.hardware_max_hz);
    match (frequency.base_hz, most) {
        (Some(base), Some(most)) if base != most => {
            let base = hertz(base);
            let range = [("low", base.trim_end_matches(" GHz")), ("high", &*hertz(most))];
            Some(wording::fill(words, "range", &range))
        }
        (Some(rate), _) | (None, Some(rate)) => Some(hertz(rate)),
        (None, None) => None,
    }
}

/// `L1 4 × 32 KiB, L2 4 × 256 KiB, L3 8 MiB`, of one package.
fn caches(inventory: &Inventory, packages: usize, words: &Words) -> Option<String> {
    const DEEPEST: u32 = 9;
    let cpu = &inventory.cpu;
    let sane = |level: u32, bytes: u64| (1..=DEEPEST).contains(&level) && bytes > 0;
    let mut texts: Vec<String> = cpu
        .cache_kinds
        .iter()
        .filter(|k| k.kind != "Instruction" && sane(k.level, k.bytes))
        .map(|k| {
            let each = k.instances as usize / packages.max(1);
            let times = if each > 1 { format!("{each} × ") } else { String::new() };
            format!("L{} {times}{}", k.level, format::rough_binary(k.bytes))
        })
        .collect();
    if texts.is_empty() {
        let seen = cpu.caches.iter().filter(|c| sane(c.level, c.bytes));
        texts = seen.map(|c| format!("L{} {}", c.level, format::rough_binary(c.bytes))).collect();
    }
    texts.truncate(DEEPEST as usize);
    (!texts.is_empty()).then(|| wording::list(words, texts))
}

/// `package 0, NUMA node 0, distance to others 21`.
fn place(inventory: &Inventory, package: &Package, words: &Words) -> Option<String> {
    let id = package.id?;
    let nodes = &package.nodes;
    let mut parts = vec![wording::fill(words, "package", &[("id", &id.to_string())])];
    if let (Some(first), Some(last)) = (nodes.first(), nodes.last()) {
        let (low, high) = (first.to_string(), last.to_string());
        parts.push(match first == last {
            true => wording::fill(words, "numa-node", &[("node", &low)]),
            false => wording::fill(words, "numa-nodes", &[("first", &low), ("last", &high)]),
        });
    }
    let own = inventory.memory.nodes.iter().find(|n| nodes.contains(&n.id));
    let far = own.and_then(|n| {
        let others =
            inventory.memory.nodes.iter().zip(&n.distances).filter(|(other, _)| !nodes.contains(&other.id));
        others.map(|(_, distance)| *distance).max()
    });
    parts.extend(far.map(|far| wording::fill(words, "numa-distance", &[("distance", &far.to_string())])));
    Some(wording::list(words, parts))
}

/// The memory of a package, where anything is known of it.
pub(super) fn memory(machine: &Machine, package: &Package, rates: &LinkLimits) -> Option<Node> {
    let memory = &machine.inventory.memory;
    let of_nodes = || memory.nodes.iter().filter(|n| package.nodes.contains(&n.id));
    let whole = package.id.is_none();
    let installed: u64 = memory.modules.iter().map(|m| m.bytes).fold(0, u64::saturating_add);
    let bytes = match (whole, installed) {
        (true, 0) => memory.total_bytes,
        (true, installed) => installed,
        (false, _) => of_nodes().map(|n| n.total_bytes).fold(0, u64::saturating_add),
    };
    if bytes == 0 {
        return None;
    }
    let words = rates.words;
    let mut node =
        Node::new(Kind::Memory, wording::fill(words, "memory", &[("size", &format::rough_binary(bytes))]));
    node.resources = vec![Resource::MEMORY];
    node.lines.extend(modules(memory, whole, bytes, words));
    if of_nodes().count() > 1 {
        node.lines.push(wording::counted(words, "numa-count", of_nodes().count()));
    }
    if let Some(limit) = memory.limit_bytes.filter(|l| *l < memory.total_bytes) {
        node.lines.push(wording::fill(words, "memory-limit", &[("size", &format::rough_binary(limit))]));
    }
    let first = memory.modules.first();
    let transfers = first.and_then(|m| m.configured_transfers.or(m.speed_transfers)).filter(|t| *t > 0);
    let mut link = rates.memory(first.and_then(|m| m.kind.as_deref()), transfers);
    if !whole && link.rate.is_some() {
        link.notes.push(wording::say(words, "all-packages"));
    }
    // The share stands on the card; the link has its colour.
    link.resources.clear();
    node.link = Some(link);
    Some(node)
}

/// `2 × 16 GiB DDR4 ECC, 2 of 4 slots`; of one package of several those that
/// make up its `bytes`, where that is plain.
fn modules(memory: &Memory, whole: bool, bytes: u64, words: &Words) -> Vec<String> {
    let Some(first) = memory.modules.first() else { return Vec::new() };
    let n = memory.modules.len();
    let alike =
        memory.modules.iter().all(|m| (m.bytes, &m.kind, m.ecc) == (first.bytes, &first.kind, first.ecc));
    // The firmware keeps a little of a package's memory, never much of a module.
    let own = bytes.div_ceil(first.bytes.max(1)) as usize;
    let is_plain = alike && own < n && (own as u64 * first.bytes).saturating_sub(bytes) < first.bytes / 4;
    let shown = if whole || !is_plain { n } else { own };
    let text = if alike {
        let kind = first.kind.as_deref().map(|k| format!(" {}", clean(k))).unwrap_or_default();
        let ecc = if first.ecc == Some(true) { " ECC" } else { "" };
        format!("{shown} × {}{kind}{ecc}", format::rough_binary(first.bytes))
    } else {
        wording::counted(words, "modules", n)
    };
    vec![match memory.slots {
        Some(slots) if whole && slots as usize >= n => {
            let used = [("used", &*n.to_string()), ("slots", &*slots.to_string())];
            wording::list(words, [text, wording::fill(words, "slots", &used)])
        }
        _ if !whole && !is_plain => wording::fill(words, "in-all-packages", &[("modules", &text)]),
        _ => text,
    }]
}

pub(super) fn disk(disk: &BlockDevice, rates: &LinkLimits) -> Node {
    let size = if disk.bytes > 0 { format::rough_decimal(disk.bytes) } else { String::new() };
    let mut node = Node::new(Kind::Disk, size);
    node.names = vec![clean(&disk.name)];
    node.resources = vec![Resource::of(ResourceKind::Block, &disk.name)];
    let model = [disk.vendor.as_deref(), disk.model.as_deref()].into_iter().flatten().map(clean);
    let model: Vec<String> = model.filter(|m| !m.is_empty() && m != "ATA").collect();
    let model = match model.as_slice() {
        [vendor, model] if model.starts_with(vendor.as_str()) => model.clone(),
        parts => parts.join(" "),
    };
    let what = wording::list(rates.words, [model, technology(disk, rates.words)]);
    node.lines.extend(Some(what).filter(|w| !w.is_empty()));
    node.lines.extend(rates.disk_rates(&disk.name));
    node.tip = rates.sources(&node.resources[0]);
    node
}

/// `NVMe SSD`, `SATA hard disk`, `virtio disk`; a guest's disk may claim to turn.
fn technology(disk: &BlockDevice, words: &Words) -> String {
    let transport = disk.transport.as_deref().map(clean).unwrap_or_default();
    let bus = match transport.as_str() {
        "nvme" => "NVMe",
        "sata" => "SATA",
        "sas" => "SAS",
        "usb" => "USB",
        "scsi" => "SCSI",
        "iscsi" => "iSCSI",
        "mmc" => "MMC",
        "xen" => "Xen",
        other => other,
    };
    let medium = match (transport.as_str(), disk.kind, disk.rotational) {
        (_, BlockKind::Optical, _) => "optical-drive",
        ("virtio" | "xen" | "iscsi" | "mmc", _, _) | (_, _, None) => "disk",
        (_, _, Some(true)) => "hard-disk",
        ("usb", _, Some(false)) => "disk",
        (_, _, Some(false)) => "ssd",
    };
    match (bus, medium) {
        ("MMC", _) => wording::say(words, "card"),
        ("", "disk") => String::new(),
        (bus, medium) => format!("{bus} {}", wording::say(words, medium)).trim().to_owned(),
    }
}

/// The card of the interfaces of one function, or of one that is on no PCI bus.
pub(super) fn network(
    interfaces: &[&NetworkInterface],
    device: Option<&PciDevice>,
    rates: &LinkLimits,
) -> Node {
    let mut node = Node::new(Kind::Network, device.map(|d| pci_name(d, rates.words)).unwrap_or_default());
    node.names = interfaces.iter().map(|i| clean(&i.name)).collect();
    node.resources = interfaces.iter().map(|i| Resource::of(ResourceKind::Nic, &i.name)).collect();
    if !node.head.is_empty() && !node.names.is_empty() {
        node.lines.push(node.head.clone());
    }
    let Some(first) = interfaces.first() else { return node };
    if device.is_none() {
        node.lines.push(bus_words(first, rates.words));
    }
    node.lines.extend(port_facts(interfaces, rates.words));
    node.out = way_out(interfaces, rates);
    if let Some(driver) = first.driver.as_deref() {
        node.tip.push(wording::fill(rates.words, "driver", &[("driver", &clean(driver))]));
    }
    node
}

/// What an interface that is on no PCI bus is: `virtio network`.
fn bus_words(interface: &NetworkInterface, words: &Words) -> String {
    let word = interface.bus.as_deref().or(interface.driver.as_deref()).map(clean);
    match word.as_deref() {
        // The kernel's word for what is part of the board's own chip.
        Some("platform") => {
            let driver = interface.driver.as_deref().map(clean);
            wording::list(words, std::iter::once(wording::say(words, "network-on-board")).chain(driver))
        }
        Some(bus) => wording::fill(words, "network-of", &[("bus", bus)]),
        None => wording::say(words, "network"),
    }
}

/// `MTU 9000`, and what is not so with all ports: `eth1: no link`.
fn port_facts(interfaces: &[&NetworkInterface], words: &Words) -> Vec<String> {
    const MOST: usize = 4;
    let facts = |i: &NetworkInterface| {
        let mtu = (i.mtu > 0).then(|| format!("MTU {}", i.mtu));
        let no_link = i.state == "down" || i.carrier == Some(false);
        let half = i.duplex.as_deref() == Some("half");
        let keys = [no_link.then_some("no-link"), half.then_some("half-duplex")];
        let facts = keys.into_iter().flatten().map(|key| wording::say(words, key));
        mtu.into_iter().chain(facts).collect::<Vec<_>>()
    };
    let each: Vec<Vec<String>> = interfaces.iter().map(|i| facts(i)).collect();
    let first = each.first().cloned().unwrap_or_default();
    let shared: Vec<String> = first.into_iter().filter(|f| each.iter().all(|e| e.contains(f))).collect();
    let mut own: Vec<(String, Vec<String>)> = Vec::new();
    for (interface, facts) in interfaces.iter().zip(&each) {
        let rest: Vec<&str> = facts.iter().filter(|f| !shared.contains(f)).map(String::as_str).collect();
        if rest.is_empty() {
            continue;
        }
        let (name, rest) = (clean(&interface.name), wording::list(words, rest));
        match own.iter_mut().find(|(known, _)| *known == rest) {
            Some((_, names)) => names.push(name),
            None => own.push((rest, vec![name])),
        }
    }
    let said =
        |(what, names): &(String, Vec<String>)| wording::named(words, &wording::names(words, names), what);
    let shared = Some(wording::list(words, shared)).filter(|s| !s.is_empty());
    shared.into_iter().chain(own.iter().take(MOST).map(said)).collect()
}

/// The links out of the machine as one: of ports that are alike how many, of
/// others what the fastest do, with the rest noted.
fn way_out(interfaces: &[&NetworkInterface], rates: &LinkLimits) -> Option<Link> {
    let mut kinds: Vec<(Link, Vec<String>)> = Vec::new();
    for interface in interfaces {
        let Some(link) = rates.network(interface) else { continue };
        let alike = |l: &Link| (&l.what, &l.rate, &l.notes) == (&link.what, &link.rate, &link.notes);
        match kinds.iter_mut().find(|(l, _)| alike(l)) {
            Some((known, names)) => {
                known.count += 1;
                known.resources.extend(link.resources);
                names.push(clean(&interface.name));
            }
            None => kinds.push((link, vec![clean(&interface.name)])),
        }
    }
    kinds.sort_by(|(a, _), (b, _)| {
        b.bytes_per_second.unwrap_or(0.0).total_cmp(&a.bytes_per_second.unwrap_or(0.0))
    });
    let mut kinds = kinds.into_iter();
    let (mut out, _) = kinds.next()?;
    for (other, names) in kinds {
        if let Some(rate) = &other.rate {
            out.notes.push(wording::named(rates.words, &wording::names(rates.words, &names), rate));
        }
        out.resources.extend(other.resources);
    }
    Some(out)
}

/// A PCI function in words: `Intel 82599ES 10-Gigabit SFI/SFP+`.
pub(super) fn pci_name(device: &PciDevice, words: &Words) -> String {
    let vendor = device.vendor_name.as_deref().map(vendor_name).unwrap_or_default();
    match device.device_name.as_deref().map(clean).filter(|n| !n.is_empty()) {
        Some(name) => {
            let name = name.trim_end_matches(" Network Connection");
            let vendor = if name.starts_with(&vendor) { "" } else { &vendor };
            format!("{vendor} {name}").trim().to_owned()
        }
        None => {
            let class = clean(&device.class_name);
            let class = if class.is_empty() { wording::say(words, "pci-device") } else { class };
            format!("{vendor} {class} [{:04x}:{:04x}]", device.vendor, device.device).trim().to_owned()
        }
    }
}

/// `Intel Corporation` as people say it; what stands in brackets is the short
/// name in the table of PCI names.
pub(super) fn vendor_name(full: &str) -> String {
    let full = clean(full);
    if let Some((_, rest)) = full.split_once('[')
        && let Some((short, _)) = rest.split_once(']')
    {
        return short.split(" / ").next().unwrap_or_default().to_owned();
    }
    const TAILS: [&str; 10] = [
        " Corporation",
        " Corp",
        " Inc",
        " Technology",
        " Technologies",
        " Semiconductor",
        " Co.",
        " Electronics",
        " Limited",
        " Ltd",
    ];
    let end = TAILS.iter().chain(&[",", " / "]).filter_map(|tail| full.find(tail)).min();
    full[..end.unwrap_or(full.len())].trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makers_are_called_as_people_call_them() {
        let names = ["Intel Corporation", "ASMedia Technology Inc.", "Red Hat, Inc.", "Broadcom / LSI"];
        assert_eq!(names.map(vendor_name), ["Intel", "ASMedia", "Red Hat", "Broadcom"]);
        assert_eq!(vendor_name("Advanced Micro Devices, Inc. [AMD]"), "AMD");
        assert_eq!(vendor_name("Samsung Electronics Co Ltd"), "Samsung");
    }

    #[test]
    fn a_processor_is_called_without_marks_of_trade() {
        assert_eq!(processor_name("Intel(R) Xeon(R) CPU E3-1220 v6 @ 3.00GHz"), "Intel Xeon E3-1220 v6");
        assert_eq!(processor_name("AMD EPYC 9554 64-Core Processor"), "AMD EPYC 9554 64-Core");
    }
}
