//! A machine as `headroom machine` lists it: its parts and what they can do at most,
//! as on a page; for those who ask for all, whatever else is known of each part.

pub(crate) mod brief;
pub(crate) mod cpu;
pub(crate) mod layout;
pub(crate) mod limit;
mod memory;
mod network;
pub(crate) mod parts;
mod pci;
mod sensor;
mod storage;
mod system;
mod tree;

use language::Words;
use model::machine::Machine;
use model::{Limit, ResourceKind, Severity};

use crate::document::{Block, Document, Rank, Section, Text};

/// The document. Parts of which nothing is known are left out.
#[must_use]
pub fn document(machine: &Machine, words: &'static Words) -> Document {
    let inventory = &machine.inventory;
    let name = brief::name(machine).unwrap_or_default().to_owned();
    let mut line = vec![brief::line(words, machine)];
    let title = if name.is_empty() { line.remove(0) } else { name };
    let mut sections = figures(machine, words);
    for (title, block) in [
        ("System", system::details(inventory).blocks()),
        ("CPU", cpu::details(inventory).blocks()),
        ("Memory", memory::details(&inventory.memory).blocks()),
        ("PCIe", tree(pci::branches(machine))),
        ("Storage", tree(storage::branches(inventory))),
        ("Network", tree(network::branches(inventory))),
        ("Sensors", table(sensor::table(&inventory.sensors))),
        ("Control groups", system::cgroup(&inventory.cgroup).blocks()),
        (&words.say("calibration-title"), table(limit::calibration(words, &machine.calibration))),
    ] {
        let mut section = Section::new("", title);
        section.extend(block);
        sections.push(section);
    }
    sections.push(cautions(machine));
    Document { words, title, byline: line, purpose: Vec::new(), sections, footer: Text::default() }
}

/// The parts, and what they can do at most. Where that is known from, and links that
/// carry no data, such as that of a management controller, are for those who ask.
fn figures(machine: &Machine, words: &Words) -> Vec<Section> {
    let mut parts = Section::new("parts", words.say("machine-parts"));
    let known = parts::all(words, &machine.inventory, parts::Devices::Alike).blocks();
    known.into_iter().for_each(|block| parts.put(Rank::Figure, block));
    let aside = pci::without_data(machine);
    let is_aside = |l: &&Limit| l.resource.named(ResourceKind::Pci).is_some_and(|a| aside.contains(a));
    let (others, limits): (Vec<&Limit>, Vec<&Limit>) = machine.limits.iter().partition(is_aside);
    let mut section = Section::new("limits", words.say("limits-title"));
    let mut sources = limit::sources(words);
    for (rank, limits) in [(Rank::Figure, limits), (Rank::Detail, others)] {
        let limits: Vec<Limit> = limits.into_iter().cloned().collect();
        let mut limits = limit::limits(words, &limits);
        limit::take_sources(&mut limits, &mut sources);
        table(limits).into_iter().for_each(|block| section.put(rank, block));
    }
    section.extend(table(sources));
    vec![parts, section]
}

fn tree(branches: Vec<crate::document::Branch>) -> Option<Block> {
    (!branches.is_empty()).then_some(Block::Tree(branches))
}

fn table(table: crate::document::Table) -> Option<Block> {
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

/// What could not be read, by the reason; whether the doctor has something to say.
fn cautions(machine: &Machine) -> Section {
    let mut section = Section::new("cautions", "");
    let reasons = crate::grouped(machine.inventory.absent.iter().map(|a| (&a.reason, a.what.as_str())));
    let absent = reasons.iter().map(|(reason, things)| format!("{} ({reason})", things.join(", ")));
    let mut pairs = layout::Pairs::default();
    pairs.add("Not readable", absent);
    pairs.blocks().into_iter().for_each(|block| section.put(Rank::Caution, block));
    let grave = machine.looks.iter().flat_map(|l| &l.findings).filter(|f| f.severity >= Severity::Warning);
    match grave.count() {
        0 => {}
        count => {
            let what = crate::text::counted(count, "condition");
            let text = format!("{what} could disturb a measurement: `headroom doctor` says more.");
            section.put(Rank::Caution, Block::Paragraph(Text::ticked(&text)));
        }
    }
    section
}
