//! The machine's parts: names and what is known of each. Names and modes of
//! hardware stay as hardware says them.

use language::Words;
use model::Unit;
use model::machine::{
    BlockDevice, BlockKind, Cpu, Inventory, Memory, MemoryModule, NetworkInterface, PciDevice,
};

use super::brief;
use super::cpu::{UNAFFECTED, judged};
use super::layout::{Pairs, names, number_list};
use super::pci;
use crate::format::{self, binary};

/// So many disks, and so many interfaces, are listed.
const LISTED: usize = 32;
/// So many mounts of one disk.
const MOUNTS: usize = 4;

/// How disks and interfaces are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Devices {
    /// Each by itself.
    Each,
    /// Neighbours that are alike together.
    Alike,
}

impl Devices {
    /// What `of` says of each: its name and its text; of more than are listed, how many there are.
    fn listed<T>(self, words: &Words, devices: &[T], of: impl Fn(&T) -> (String, String)) -> Vec<String> {
        let all: Vec<(String, String)> = devices.iter().take(LISTED).map(of).collect();
        let groups = all.chunk_by(|a, b| self == Devices::Alike && a.1 == b.1);
        let called = |group: &[(String, String)]| names(&group.iter().map(|d| &*d.0).collect::<Vec<_>>());
        let more = (devices.len() > LISTED).then(|| words.count("and-more", devices.len() - LISTED));
        groups.map(|group| format!("{}: {}", called(group), group[0].1)).chain(more).collect()
    }
}

/// All that is known, part by part.
pub(crate) fn all(words: &Words, inventory: &Inventory, devices: Devices) -> Pairs {
    let mut pairs = Pairs::default();
    let mut add = |key: &str, text: Option<String>| {
        pairs.add(words.say(key), text);
    };
    add("part-system", Some(system(inventory)));
    add("part-firmware", inventory.system.firmware.clone());
    add("part-os", inventory.os.clone());
    add("part-kernel", kernel(inventory));
    add("part-guest", brief::held_by(words, inventory));
    add("part-clock", inventory.system.clock_source.clone());
    add("part-cpu", processor(words, &inventory.cpu));
    add("part-caches", Some(caches(&inventory.cpu)));
    add("part-rate", rate(words, &inventory.cpu));
    add("part-microcode", inventory.cpu.microcode.clone());
    add("part-flaws", Some(flaws(words, &inventory.cpu)));
    add("part-memory", Some(memory(words, &inventory.memory)));
    add("part-nodes", nodes(&inventory.memory));
    add("part-swap", Some(swap(words, &inventory.memory)));
    add("part-huge-pages", inventory.memory.transparent_huge_pages.clone());
    add("part-quota", Some(quota(words, inventory)));
    let gpus = pci::accelerators(inventory);
    let gpu =
        |gpu: &&PciDevice| (pci::address(&gpu.address, &inventory.pci).to_owned(), pci::accelerator(gpu));
    pairs.add(words.say("part-accelerator"), devices.listed(words, &gpus, gpu));
    let disks: Vec<&BlockDevice> = inventory.block.iter().filter(|d| matters(d)).collect();
    let disk = |disk: &&BlockDevice| (disk.name.clone(), device(words, disk, inventory));
    pairs.add(words.say("part-disk"), devices.listed(words, &disks, disk));
    let nics: Vec<&NetworkInterface> = inventory.network.iter().filter(|n| is_of_use(n)).collect();
    let nic = |nic: &&NetworkInterface| (nic.name.clone(), interface(nic));
    pairs.add(words.say("part-nic"), devices.listed(words, &nics, nic));
    pairs
}

/// What is known, joined by commas; [`Pairs`] leaves out what is empty.
fn facts<const N: usize>(all: [Option<String>; N]) -> String {
    all.into_iter().flatten().filter(|t| !t.trim().is_empty()).collect::<Vec<_>>().join(", ")
}

fn system(inventory: &Inventory) -> String {
    let system = &inventory.system;
    let product: Vec<&str> =
        [&system.vendor, &system.product].into_iter().flatten().map(String::as_str).collect();
    facts([Some(product.join(" ")), system.board.clone()])
}

fn kernel(inventory: &Inventory) -> Option<String> {
    (!inventory.kernel.is_empty()).then(|| format!("Linux {} {}", inventory.kernel, inventory.architecture))
}

fn processor(words: &Words, cpu: &Cpu) -> Option<String> {
    let model = cpu.model.as_deref()?.split_whitespace().collect::<Vec<_>>().join(" ");
    let packages = Some(cpu.packages()).filter(|p| *p > 1).map(|p| format!("{p} ×"));
    let packages = packages.map(|p| p + " ").unwrap_or_default();
    Some(facts([Some(format!("{packages}{model}")), Some(brief::counts(words, cpu)), cpu.signature.clone()]))
}

fn caches(cpu: &Cpu) -> String {
    let letter = |kind: &str| match kind {
        "Data" => "d",
        "Instruction" => "i",
        _ => "",
    };
    let kinds = cpu.cache_kinds.iter();
    let all: Vec<String> = if cpu.cache_kinds.is_empty() {
        cpu.caches.iter().map(|c| format!("L{} {}", c.level, format::part(c.bytes))).collect()
    } else {
        kinds
            .map(|c| format!("L{}{} {} × {}", c.level, letter(&c.kind), c.instances, format::part(c.bytes)))
            .collect()
    };
    all.join(", ")
}

fn rate(words: &Words, cpu: &Cpu) -> Option<String> {
    let f = cpu.frequency.as_ref()?;
    let hertz = |hz: u64| format::setting(hz as f64, Unit::Hertz);
    let span = match (f.min_hz, f.max_hz) {
        (Some(low), Some(high)) => {
            Some(words.tell_texts("range", &[("low", &hertz(low)), ("high", &hertz(high))]))
        }
        (None, Some(one)) | (Some(one), None) => Some(hertz(one)),
        (None, None) => None,
    };
    let base = f.base_hz.map(|hz| words.tell_texts("part-rate-base", &[("rate", &hertz(hz))]));
    let turbo = f.boost.map(|on| words.say(if on { "part-turbo-on" } else { "part-turbo-off" }));
    Some(facts([span, base, turbo, f.driver.clone(), Some(f.governors.join(", "))]))
}

/// What stands between known flaws and a program.
fn flaws(words: &Words, cpu: &Cpu) -> String {
    let mut groups: [Vec<&str>; 4] = Default::default();
    for (name, state) in &cpu.mitigations {
        groups[judged(state).0].push(name);
    }
    let keys = ["flaws-vulnerable", "flaws-mitigated", "flaws-unknown", "flaws-unaffected"];
    let told = groups.iter().zip(keys).enumerate().filter(|(_, (all, _))| !all.is_empty());
    let texts: Vec<String> = told
        .map(|(place, (all, key))| {
            let count = words.count(key, all.len());
            if place == UNAFFECTED { count } else { format!("{count}: {}", all.join(", ")) }
        })
        .collect();
    texts.join("; ")
}

fn memory(words: &Words, memory: &Memory) -> String {
    let total = (memory.total_bytes > 0).then(|| binary(memory.total_bytes));
    let kind = |module: &MemoryModule| {
        let speed =
            module.configured_transfers.or(module.speed_transfers).map(|t| format!("-{}", t / 1_000_000));
        format!(
            "{} {}{}{}",
            binary(module.bytes),
            module.kind.as_deref().unwrap_or_default(),
            speed.unwrap_or_default(),
            if module.ecc == Some(true) { " ECC" } else { "" }
        )
    };
    let kinds = crate::grouped(memory.modules.iter().map(|module| (kind(module), module)));
    let modules: Vec<String> =
        kinds.iter().map(|(kind, alike)| format!("{} × {}", alike.len(), kind.trim())).collect();
    let allowed =
        memory.limit_bytes.map(|b| words.tell_texts("part-memory-allowed", &[("bytes", &binary(b))]));
    facts([total, Some(modules.join(", ")), allowed])
}

fn nodes(memory: &Memory) -> Option<String> {
    let node = |n: &model::machine::NumaNode| {
        format!("{}: CPU {}, {}", n.id, number_list(&n.cpus), binary(n.total_bytes))
    };
    (memory.nodes.len() > 1).then(|| memory.nodes.iter().map(node).collect::<Vec<_>>().join("; "))
}

fn swap(words: &Words, memory: &Memory) -> String {
    let one = |s: &model::machine::Swap| {
        let used = words.tell_texts("part-swap-used", &[("bytes", &binary(s.used_bytes))]);
        format!("{}: {}, {used}", s.path, binary(s.bytes))
    };
    memory.swap.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What control groups allow.
fn quota(words: &Words, inventory: &Inventory) -> String {
    let cgroup = &inventory.cgroup;
    let cpus = cgroup.cpu_quota.map(|q| words.tell_texts("part-quota-cpu", &[("cpus", &format::short(q))]));
    let bytes = |b: u64| words.tell_texts("part-memory-allowed", &[("bytes", &binary(b))]);
    let io: Vec<&str> = cgroup.io.iter().map(|t| t.device.as_str()).collect();
    let io = (!io.is_empty()).then(|| words.tell_texts("part-quota-io", &[("devices", &names(&io))]));
    facts([cpus, cgroup.memory_bytes.map(bytes), io])
}

/// Ports, plugged in or not; of made interfaces those that are not down.
fn is_of_use(nic: &NetworkInterface) -> bool {
    nic.kind != "loopback" && (nic.state != "down" || nic.kind == "ethernet")
}

/// Whole disks and arrays; of made devices those that are in use.
fn matters(device: &BlockDevice) -> bool {
    let used = device.content.is_some() || !device.mounts.is_empty();
    match device.kind {
        BlockKind::Disk => device.bytes > 0,
        BlockKind::Md | BlockKind::Dm => true,
        BlockKind::Partition | BlockKind::Optical => false,
        BlockKind::Loop | BlockKind::Zram | BlockKind::Ram | BlockKind::Other => used,
    }
}

fn device(words: &Words, device: &BlockDevice, inventory: &Inventory) -> String {
    let model: Vec<&str> = [&device.vendor, &device.model].into_iter().flatten().map(|t| t.trim()).collect();
    let kind = (device.rotational == Some(true)).then(|| words.say("part-disk-rotating"));
    let array = device.array.as_ref().map(|a| {
        let below: Vec<&str> = device.below.iter().map(String::as_str).collect();
        format!("{} × {} ({})", a.level, a.members, names(&below))
    });
    let part = |d: &&BlockDevice| {
        d.name == device.name || (d.kind == BlockKind::Partition && d.below.contains(&device.name))
    };
    let mounts: Vec<String> = inventory
        .block
        .iter()
        .filter(part)
        .flat_map(|d| &d.mounts)
        .take(MOUNTS)
        .map(|m| format!("{} ({})", m.point, m.kind))
        .collect();
    facts([
        (device.bytes > 0).then(|| format::decimal(device.bytes)),
        Some(model.join(" ")),
        device.transport.clone(),
        kind,
        array,
        device.link_bits.map(format::bits),
        device.firmware.as_ref().map(|f| words.tell_texts("part-disk-firmware", &[("firmware", f)])),
        device.write_cache.clone(),
        device.scheduler.as_ref().map(|s| words.tell_texts("part-disk-scheduler", &[("scheduler", s)])),
        Some(mounts.join(", ")),
    ])
}

fn interface(nic: &NetworkInterface) -> String {
    facts([
        Some(nic.kind.clone()),
        (nic.state != "unknown").then(|| nic.state.clone()),
        nic.speed_bits.map(format::bits),
        nic.driver.clone(),
        (nic.mtu > 0).then(|| format!("MTU {}", nic.mtu)),
        nic.bond.as_ref().map(|b| format!("{} ({})", b.mode, b.members.join(" "))),
    ])
}
