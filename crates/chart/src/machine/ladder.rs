//! What stands on disks and interfaces: partitions, arrays, mappings, mounts,
//! bonds, bridges. What stands on one card becomes that card's ladder; what
//! stands on several becomes a card of its own.

use std::collections::BTreeMap;

use language::{Words, format};
use model::machine::{BlockDevice, BlockKind, Inventory, NetworkInterface};
use model::{Resource, ResourceKind};

use super::share::CaseView;
use super::tree::{Kind, Node, StackLevel, Tree};
use super::wording;
use crate::svg::clean;

/// Rungs of one ladder at most.
const MOST_RUNGS: usize = 12;
/// Passes to find out where things stand; each goes one layer up at least, and
/// the kernel stops stacking block devices long before.
const MOST_PASSES: usize = 16;
/// Things that stand on others that are looked at, for inventories gone wrong.
const MOST_UPPERS: usize = 4096;

/// Something that stands on something.
struct StackedDevice {
    id: Resource,
    name: String,
    below: Vec<Resource>,
    text: String,
    mounts: Vec<(String, String)>,
    tip: Vec<String>,
}

/// Where something stands.
#[derive(Clone, Copy, PartialEq)]
enum CardOfDevice {
    Card(usize),
    Several,
}

/// How a disk or an interface is used, in the same words for those used alike,
/// so that unlike ones stay apart: a system disk among eight of an array.
pub(super) fn usage(inventory: &Inventory, words: &Words) -> BTreeMap<Resource, String> {
    const LONGEST: usize = 2000;
    let mut own: BTreeMap<Resource, String> = BTreeMap::new();
    for disk in &inventory.block {
        let mounted = if disk.mounts.is_empty() { "" } else { "m" };
        let word = format!("{:?} {} {mounted}", disk.kind, disk.content.as_deref().unwrap_or_default());
        own.insert(Resource::of(ResourceKind::Block, &disk.name), word);
    }
    // From the top down: each tells those below what stands on them.
    let mut usage: BTreeMap<Resource, String> = BTreeMap::new();
    for upper in uppers(inventory, words).iter().rev() {
        let what = match upper.below.len() {
            0 | 1 => own.get(&upper.id).cloned().unwrap_or_default(),
            _ => upper.id.to_string(),
        };
        let above = usage.get(&upper.id).cloned().unwrap_or_default();
        for below in &upper.below {
            let entry = usage.entry(below.clone()).or_default();
            if entry.len() < LONGEST {
                entry.push_str(&format!("({what}{above})"));
                entry.truncate(
                    entry.char_indices().map(|(i, _)| i).take_while(|i| *i <= LONGEST).last().unwrap_or(0),
                );
            }
        }
    }
    for (id, word) in own {
        usage.entry(id).or_default().push_str(&word);
    }
    usage
}

/// Puts what stands on the tree's cards onto them.
pub(super) fn build(inventory: &Inventory, tree: &mut Tree, view: &CaseView) {
    let uppers = uppers(inventory, view.words);
    let mut homes: BTreeMap<Resource, CardOfDevice> = BTreeMap::new();
    let mut counts: Vec<usize> = Vec::new();
    tree.walk(|node| {
        for resource in &node.resources {
            homes.insert(resource.clone(), CardOfDevice::Card(counts.len()));
        }
        counts.push(node.count.max(node.names.len()));
    });
    find_homes(&uppers, &mut homes);
    let mut groups: BTreeMap<usize, Vec<&StackedDevice>> = BTreeMap::new();
    let mut across = Vec::new();
    for upper in &uppers {
        match homes.get(&upper.id) {
            Some(CardOfDevice::Card(card)) => groups.entry(*card).or_default().push(upper),
            Some(CardOfDevice::Several) => across.push(upper),
            None => {}
        }
    }
    let direct = mounted_disks(inventory);
    let mut at = 0;
    tree.walk_mut(|node| {
        let own = groups.get(&at).map(Vec::as_slice).unwrap_or_default();
        node.rungs = rungs(own, counts[at], view);
        let whole = node.resources.iter().filter_map(|r| direct.get(r).copied());
        node.rungs.splice(0..0, whole_disk(&whole.collect::<Vec<_>>(), view));
        shorten(&mut node.rungs, view);
        at += 1;
    });
    tree.across = cards_across(&across, view);
}

/// Every thing that stands on another, in the inventory's order.
fn uppers(inventory: &Inventory, words: &Words) -> Vec<StackedDevice> {
    let sizes: BTreeMap<&str, u64> = inventory.block.iter().map(|d| (d.name.as_str(), d.bytes)).collect();
    let block = inventory.block.iter().filter(|d| !d.below.is_empty()).map(|d| block_upper(d, &sizes, words));
    let network = inventory.network.iter().map(|i| network_upper(i, &inventory.network, words));
    block.chain(network).filter(|u| !u.below.is_empty()).take(MOST_UPPERS).collect()
}

fn block_upper(device: &BlockDevice, sizes: &BTreeMap<&str, u64>, words: &Words) -> StackedDevice {
    let mut name = clean(&device.name);
    // Show a size once: a mapping is as large as what it maps, except for headers.
    let below = device.below.first().and_then(|b| sizes.get(b.as_str())).copied().unwrap_or(0);
    let told = device.below.len() == 1 && below.abs_diff(device.bytes) <= below / 100;
    let size = if device.bytes > 0 && !told { format::rough_decimal(device.bytes) } else { String::new() };
    let mut tip = Vec::new();
    let content = device.content.as_deref().map(clean).unwrap_or_default();
    let what = match (device.kind, &device.array, &device.mapping) {
        (_, Some(array), _) => {
            let level = clean(&array.level);
            let level = level.strip_prefix("raid").map_or(level.clone(), |n| format!("RAID {n}"));
            let (members, missing) = (array.members.to_string(), array.degraded.to_string());
            let key = if array.degraded > 0 { "level-degraded" } else { "level" };
            let filled = [("level", &*level), ("members", &*members), ("missing", &*missing)];
            wording::fill(words, key, &filled)
        }
        (_, _, Some(mapping)) => {
            let mapped = clean(&mapping.name);
            if !mapped.is_empty() {
                tip.push(std::mem::replace(&mut name, mapped));
            }
            match mapping.kind.as_deref().map(clean).unwrap_or_default() {
                kind if kind.starts_with("CRYPT-LUKS") => "LUKS".to_owned(),
                kind => kind,
            }
        }
        (BlockKind::Loop, _, _) => device.backing_file.as_deref().map(clean).unwrap_or_default(),
        _ if content == "swap" => wording::say(words, "swap"),
        _ => String::new(),
    };
    let text = wording::list(words, [what, size]);
    StackedDevice {
        id: Resource::of(ResourceKind::Block, &device.name),
        name,
        below: device.below.iter().map(|b| Resource::of(ResourceKind::Block, b)).collect(),
        text,
        mounts: mounts(device),
        tip: tip.into_iter().chain(Some(content)).filter(|c| !c.is_empty()).collect(),
    }
}

/// The mounts of a device: where, and the file system. What a container's
/// manager mounts over single files is left out beside others.
fn mounts(device: &BlockDevice) -> Vec<(String, String)> {
    /// Docker, Podman and containerd put these into every container (OCI runtime
    /// tools: `--hostname`, `--dns`).
    const FILES: [&str; 3] = ["/etc/resolv.conf", "/etc/hostname", "/etc/hosts"];
    let mut mounts: Vec<(String, String)> =
        device.mounts.iter().map(|m| (m.point.clone(), clean(&m.kind))).collect();
    if mounts.iter().any(|(point, _)| !FILES.contains(&point.as_str())) {
        mounts.retain(|(point, _)| !FILES.contains(&point.as_str()));
    }
    mounts
}

fn network_upper(interface: &NetworkInterface, all: &[NetworkInterface], words: &Words) -> StackedDevice {
    let mut below: Vec<String> = interface.below.clone();
    let members = interface.bond.iter().flat_map(|b| b.members.clone());
    let slaves =
        all.iter().filter(|i| i.master.as_deref() == Some(interface.name.as_str())).map(|i| i.name.clone());
    below.extend(members.chain(slaves));
    below.sort();
    below.dedup();
    below.retain(|b| *b != interface.name);
    let what = match &interface.bond {
        Some(bond) => {
            let hash = bond.hash.as_deref().map(|h| format!(" {}", clean(h))).unwrap_or_default();
            format!("{}{hash}", clean(&bond.mode))
        }
        // Kinds that people have a word for; others as the kernel calls them.
        None => {
            let kind = clean(&interface.kind);
            words.or(&format!("picture-interface-{kind}"), &kind)
        }
    };
    let speed = interface.speed_bits.filter(|b| *b > 0 && interface.bond.is_some());
    let speed = speed.map(|bits| super::link::bits_per_second(bits as f64 / 8.0)).unwrap_or_default();
    // Said of what is below already, unless it differs.
    let told = all.iter().any(|i| i.mtu == interface.mtu && below.contains(&i.name));
    let mtu = if interface.mtu > 0 && !told { format!("MTU {}", interface.mtu) } else { String::new() };
    StackedDevice {
        id: Resource::of(ResourceKind::Nic, &interface.name),
        name: clean(&interface.name),
        below: below.into_iter().map(|b| Resource::of(ResourceKind::Nic, b)).collect(),
        text: wording::list(words, [what, speed, mtu]),
        mounts: Vec::new(),
        tip: Vec::new(),
    }
}

/// Finds the card that each thing stands on. Passes are bounded, so that what
/// claims to stand on itself stays without a home.
fn find_homes(uppers: &[StackedDevice], homes: &mut BTreeMap<Resource, CardOfDevice>) {
    for _ in 0..MOST_PASSES {
        let mut changed = false;
        for upper in uppers {
            let found = upper.below.iter().filter(|b| **b != upper.id).filter_map(|b| homes.get(b).copied());
            let Some(home) = found.reduce(|a, b| if a == b { a } else { CardOfDevice::Several }) else {
                continue;
            };
            changed |= homes.insert(upper.id.clone(), home) != Some(home);
        }
        if !changed {
            break;
        }
    }
}

/// The rungs of one card from what stands on it. Where the card is of several
/// equal disks, equal rungs become one too.
fn rungs(own: &[&StackedDevice], several: usize, view: &CaseView) -> Vec<StackLevel> {
    struct Group<'a> {
        parent: Option<usize>,
        members: Vec<&'a StackedDevice>,
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: BTreeMap<&Resource, usize> = BTreeMap::new();
    let mut by_key: BTreeMap<(Option<usize>, String), usize> = BTreeMap::new();
    for upper in own {
        let parent = upper.below.iter().find_map(|b| group_of.get(b).copied());
        let digits: String = upper.name.chars().rev().take_while(char::is_ascii_digit).collect();
        let alike = several > 1 && upper.below.len() == 1 && !upper.id.is_named(ResourceKind::Nic);
        let key = if alike { format!("{}/{digits}", upper.text) } else { upper.id.to_string() };
        let index = *by_key.entry((parent, key)).or_insert_with(|| {
            groups.push(Group { parent, members: Vec::new() });
            groups.len() - 1
        });
        groups[index].members.push(upper);
        group_of.insert(&upper.id, index);
    }
    let mut rungs = Vec::new();
    let mut stack: Vec<(usize, usize)> =
        (0..groups.len()).rev().filter(|i| groups[*i].parent.is_none()).map(|i| (i, 0)).collect();
    while let Some((index, depth)) = stack.pop() {
        rungs.push(rung(&groups[index].members, depth, view));
        let children = (0..groups.len()).rev().filter(|i| groups[*i].parent == Some(index));
        stack.extend(children.map(|i| (i, depth + 1)));
    }
    rungs
}

fn rung(members: &[&StackedDevice], depth: usize, view: &CaseView) -> StackLevel {
    let all: Vec<String> = members.iter().map(|u| u.name.clone()).collect();
    let text = members.first().map(|u| u.text.as_str()).unwrap_or_default();
    let names = wording::names(view.words, &all);
    let text = if text.is_empty() { names } else { wording::named(view.words, &names, text) };
    let mounts: Vec<&(String, String)> = members.iter().flat_map(|u| &u.mounts).collect();
    let mut resources: Vec<Resource> = members.iter().map(|u| u.id.clone()).collect();
    resources.extend(mounts.iter().flat_map(|(point, _)| view.file_system(point)));
    let tip = members.first().map(|u| u.tip.clone()).unwrap_or_default();
    StackLevel { depth, text, mount: mount_words(&mounts, view.words), resources, tip }
}

/// `xfs on /data`, of several `xfs on /data1 … /data24`.
fn mount_words(mounts: &[&(String, String)], words: &Words) -> String {
    let Some((_, kind)) = mounts.first() else { return String::new() };
    let points: Vec<String> = mounts.iter().map(|(point, _)| clean(point)).collect();
    let points = wording::names(words, &points);
    match kind.is_empty() {
        true => wording::fill(words, "mounted", &[("points", &points)]),
        false => wording::fill(words, "mounted-as", &[("system", kind), ("points", &points)]),
    }
}

/// Disks that hold a file system without any partition.
fn mounted_disks(inventory: &Inventory) -> BTreeMap<Resource, &BlockDevice> {
    let whole = inventory.block.iter().filter(|d| d.below.is_empty() && !d.mounts.is_empty());
    whole.map(|d| (Resource::of(ResourceKind::Block, &d.name), d)).collect()
}

fn whole_disk(disks: &[&BlockDevice], view: &CaseView) -> Option<StackLevel> {
    let mounts: Vec<(String, String)> = disks.iter().flat_map(|d| mounts(d)).collect();
    let mounts: Vec<&(String, String)> = mounts.iter().collect();
    let (first, _) = mounts.split_first()?;
    let resources = mounts.iter().flat_map(|(point, _)| view.file_system(point)).collect();
    let words = view.words;
    let text = if first.1.is_empty() { wording::say(words, "file-system") } else { first.1.clone() };
    let points: Vec<String> = mounts.iter().map(|(point, _)| clean(point)).collect();
    let mount = wording::fill(words, "mounted", &[("points", &wording::names(words, &points))]);
    Some(StackLevel { depth: 0, text, mount, resources, tip: Vec::new() })
}

/// Keeps what the case passes, then the first ones.
fn shorten(rungs: &mut Vec<StackLevel>, view: &CaseView) {
    if rungs.len() <= MOST_RUNGS {
        return;
    }
    let hidden = rungs.len() - MOST_RUNGS;
    let passed = rungs.iter().filter(|r| view.passes(&r.resources)).count().min(MOST_RUNGS);
    let (mut wanted, mut others) = (passed, MOST_RUNGS - passed);
    rungs.retain(|r| {
        let room = if view.passes(&r.resources) { &mut wanted } else { &mut others };
        let keep = *room > 0;
        *room = room.saturating_sub(1);
        keep
    });
    rungs.push(StackLevel { text: wording::counted(view.words, "more", hidden), ..StackLevel::default() });
}

/// Cards for what stands on several others, each with its own ladder.
fn cards_across(across: &[&StackedDevice], view: &CaseView) -> Vec<Node> {
    let ids: BTreeMap<&Resource, usize> = across.iter().enumerate().map(|(i, u)| (&u.id, i)).collect();
    // Each stands on the first of the others that comes before it.
    let mut root: Vec<usize> = Vec::new();
    for (i, upper) in across.iter().enumerate() {
        let below = upper.below.iter().find_map(|b| ids.get(b).copied()).filter(|b| *b < i);
        root.push(below.map_or(i, |b| root[b]));
    }
    let mut cards = Vec::new();
    for (i, upper) in across.iter().enumerate().filter(|(i, _)| root[*i] == *i) {
        let rung = rung(&[upper], 0, view);
        let mut node = Node::new(Kind::Across, rung.text);
        let below: Vec<String> = upper.below.iter().map(|b| clean(b.name())).collect();
        let below = wording::names(view.words, &below);
        node.lines.push(wording::fill(view.words, "on", &[("what", &below)]));
        node.resources = rung.resources;
        node.lines.extend(Some(rung.mount).filter(|m| !m.is_empty()));
        let above: Vec<&StackedDevice> =
            across.iter().enumerate().filter(|(j, _)| *j != i && root[*j] == i).map(|(_, u)| *u).collect();
        node.rungs = rungs(&above, 1, view);
        shorten(&mut node.rungs, view);
        cards.push(node);
    }
    cards
}
