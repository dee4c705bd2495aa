//! A machine in full, as `headroom machine` lists it: every part that is known.

pub(crate) mod brief;
pub(crate) mod cpu;
pub(crate) mod layout;
pub(crate) mod limit;
mod memory;
mod network;
mod pci;
mod sensor;
mod storage;
mod system;
mod tree;

use std::collections::BTreeSet;

use language::Language;
use model::machine::{Absent, Machine};
use model::{Limit, Severity};

use crate::terminal::paragraph;
use crate::text::{clauses, counted};
use layout::{Pairs, hidden, section};

/// How much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What matters for most.
    Usual,
    /// Every function, interface, device and source.
    All,
}

/// A machine in full, for a terminal of [`crate::WIDTH`] columns. Parts of
/// which nothing is known are left out.
#[must_use]
pub fn text(machine: &Machine, detail: Detail) -> String {
    let inventory = &machine.inventory;
    let line = brief::line(Language::English.words(), machine);
    let line = brief::name(machine).map_or_else(|| line.clone(), |name| format!("{name}: {line}"));
    let mut out = paragraph("", "  ", &clauses(&line)) + "\n";
    for (title, body) in [
        ("System", system::text(inventory)),
        ("CPU", cpu::text(inventory, detail)),
        ("Memory", memory::text(&inventory.memory, detail)),
        ("PCIe", pci::text(machine, detail)),
        ("Storage", storage::text(inventory, detail)),
        ("Network", network::text(inventory, detail)),
        ("Sensors", sensor::text(&inventory.sensors, detail)),
        ("Limits", limits(machine, detail)),
        ("Control groups", system::cgroup(&inventory.cgroup)),
        ("Calibration", limit::calibration(&machine.calibration)),
        ("Not readable", absent(&inventory.absent)),
    ] {
        out.push_str(&section(title, &body));
    }
    out.push_str(&conditions(machine));
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// The limits; usually without those of functions that the PCIe part leaves
/// out, such as the bridge to a management controller.
fn limits(machine: &Machine, detail: Detail) -> String {
    let left_out = match detail {
        Detail::All => BTreeSet::new(),
        Detail::Usual => pci::left_out(machine),
    };
    let matters = |l: &&Limit| !l.resource.strip_prefix("pci:").is_some_and(|a| left_out.contains(a));
    let shown: Vec<Limit> = machine.limits.iter().filter(matters).cloned().collect();
    limit::text(&shown, detail) + &hidden(machine.limits.len() - shown.len(), "limit")
}

/// What could not be read, by the reason.
fn absent(all: &[Absent]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for Absent { what, reason } in all {
        match reasons.iter_mut().find(|(r, _)| r == reason) {
            Some((_, things)) => things.push(what),
            None => reasons.push((reason, vec![what])),
        }
    }
    reasons
        .iter()
        .map(|(reason, things)| paragraph("  ", "    ", &format!("{} ({reason})", things.join(", "))))
        .collect()
}

/// Whether the doctor has something to say.
fn conditions(machine: &Machine) -> String {
    let grave = machine.looks.iter().flat_map(|l| &l.findings).filter(|f| f.severity >= Severity::Warning);
    match grave.count() {
        0 => String::new(),
        count => {
            let what = counted(count, "condition");
            paragraph("", "", &format!("{what} could disturb a measurement: `headroom doctor` says more."))
        }
    }
}

/// Keys with values, for the parts.
fn pairs() -> Pairs {
    Pairs::default()
}
