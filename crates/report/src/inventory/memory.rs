//! The memory: modules, nodes, swap, huge pages.

use model::machine::{Memory, MemoryModule, NumaNode, Swap};

use super::layout::{Pairs, number_list};
use crate::format::binary;
use crate::text::{counted, facts, groups};

/// What the list of parts does not say.
pub(super) fn details(memory: &Memory) -> Pairs {
    let available = (memory.available_bytes > 0).then(|| binary(memory.available_bytes));
    let mut rows = Pairs::default();
    rows.add("available", available).add("slots", slots(memory)).add("modules", modules(&memory.modules));
    for node in &memory.nodes {
        rows.add(format!("node {}", node.id), Some(node_text(node)));
    }
    rows.add("swap", memory.swap.iter().map(swap)).add("huge pages", huge_pages(memory));
    rows
}

fn slots(memory: &Memory) -> Option<String> {
    let slots = memory.slots.filter(|s| *s > 0)?;
    Some(format!("{} of {slots} filled", memory.modules.len()))
}

/// Modules, equal ones together: `16 x 32 GiB DDR4-3200 ECC, 2 ranks`.
fn modules(all: &[MemoryModule]) -> Vec<String> {
    // Boards name slots in channel order, so equal ones need not be neighbours.
    let nameless = |m: &MemoryModule| MemoryModule { slot: String::new(), bank: None, ..m.clone() };
    let kinds = crate::grouped(all.iter().map(|module| (nameless(module), module.slot.as_str())));
    kinds.iter().map(|(kind, slots)| module_text(kind, slots)).collect()
}

fn module_text(module: &MemoryModule, slots: &[&str]) -> String {
    let transfers = |t: u64| t / 1_000_000;
    let kind = match (&module.kind, module.speed_transfers) {
        (Some(kind), Some(speed)) => format!(" {kind}-{}", transfers(speed)),
        (Some(kind), None) => format!(" {kind}"),
        (None, Some(speed)) => format!(" {} MT/s", transfers(speed)),
        (None, None) => String::new(),
    };
    let ecc = match module.ecc {
        Some(true) => " ECC",
        Some(false) => " without ECC",
        None => "",
    };
    let slower = module.configured_transfers.filter(|c| Some(*c) != module.speed_transfers);
    let made = [&module.maker, &module.part].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ");
    let count = slots.len();
    let slots: Vec<&str> = slots.iter().copied().filter(|s| !s.is_empty()).collect();
    let what = facts([
        Some(format!("{count} x {}{kind}{ecc}", binary(module.bytes))),
        module.ranks.map(|r| counted(r as usize, "rank")),
        module.data_bits.filter(|bits| *bits != 64).map(|bits| format!("{bits} bits wide")),
        slower.map(|c| format!("running at {} MT/s", transfers(c))),
    ]);
    groups([Some(what), Some(made), (!slots.is_empty()).then(|| format!("in {}", slots.join(", ")))])
}

fn node_text(node: &NumaNode) -> String {
    let distances: Vec<String> = node.distances.iter().map(u32::to_string).collect();
    let free = node.free_bytes.map(|f| format!("{} free", binary(f)));
    facts([
        (!node.cpus.is_empty()).then(|| format!("CPUs {}", number_list(&node.cpus))),
        Some(binary(node.total_bytes)),
        free,
        (!distances.is_empty()).then(|| format!("distances {}", distances.join(" "))),
    ])
}

fn swap(swap: &Swap) -> String {
    let used = match swap.used_bytes {
        0 => "unused".to_owned(),
        used => format!("{} used", binary(used)),
    };
    let about = facts([
        Some(binary(swap.bytes)),
        Some(used),
        Some(swap.kind.clone()),
        Some(format!("priority {}", swap.priority)),
    ]);
    format!("{}: {about}", swap.path)
}

fn huge_pages(memory: &Memory) -> Option<String> {
    let reserved = memory.huge_pages.iter().map(|h| {
        let free = if h.reserved > 0 { format!(", {} free", h.free) } else { String::new() };
        Some(format!("{} x {}{free}", h.reserved, binary(h.bytes)))
    });
    Some(facts(reserved))
}
