//! The machine: in a line, as a picture with the path of the case that fills
//! most of a limit, as a list of its parts, and what those can do at most.

use chart::machine::DrawnCase;
use model::Machine;

use super::View;
use super::highlights;
use crate::document::{Block, Section};
use crate::inventory::brief::line;
use crate::inventory::limit;
use crate::inventory::parts::{self, Devices};

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("machine", view.say("machine-title"));
    match &view.run.machines[..] {
        [] => {}
        [one] => of(view, one, &mut section, ""),
        several => {
            for (index, machine) in several.iter().enumerate() {
                let id = format!("machine-{}", index + 1);
                let mut part = Section::new(id.clone(), called(machine));
                of(view, machine, &mut part, &format!("{id}-"));
                section.subsections.push(part);
            }
        }
    }
    section
}

/// What one of several machines is called, with its role.
pub(super) fn called(machine: &Machine) -> String {
    let name = match &machine.reached_as[..] {
        [] | [_] => machine.id.clone(),
        paths => paths.join(", "),
    };
    if machine.role.is_empty() { name } else { format!("{name}: {}", machine.role) }
}

fn of(view: &View<'_>, machine: &Machine, section: &mut Section, prefix: &str) {
    section.push(Block::Paragraph(line(view.words, machine).into()));
    let case = highlights::fullest(view)
        .filter(|_| view.run.machines.first().is_some_and(|m| std::ptr::eq(m, machine)));
    let case = case.map(|case| (case, view.name(case)));
    let drawn = case.as_ref().map(|(case, name)| DrawnCase { case, name: name.into() });
    let title = match &drawn {
        Some(drawn) => view.tell("machine-picture-path", &[("case", &drawn.name)]),
        None => view.say("machine-picture"),
    };
    section.push(Block::Picture {
        title,
        svg: chart::machine::svg(machine, drawn, view.words),
        description: String::new(),
    });
    section.subsections.extend(parts(view, machine, prefix));
    section.subsections.extend(limits(view, machine, prefix));
}

fn parts(view: &View<'_>, machine: &Machine, prefix: &str) -> Option<Section> {
    let parts = parts::all(view.words, &machine.inventory, Devices::Each).blocks();
    let mut section = Section::new(format!("{prefix}parts"), view.say("machine-parts"));
    section.extend(parts);
    if section.is_empty() {
        return None;
    }
    if let Some(line) = machine.inventory.system.command_line.as_ref().filter(|l| !l.trim().is_empty()) {
        let blocks = vec![Block::Code(line.clone())];
        section.push(Block::More { title: view.say("part-command-line"), blocks });
    }
    Some(section)
}

/// What the parts can do at most, and what measuring itself costs.
fn limits(view: &View<'_>, machine: &Machine, prefix: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    if !machine.limits.is_empty() {
        let mut section = Section::new(format!("{prefix}limits"), view.say("limits-title"));
        section.push(Block::Table(limit::limits(view.words, &machine.limits)));
        sections.push(section);
    }
    if !machine.calibration.is_empty() {
        let mut section = Section::new(format!("{prefix}calibration"), view.say("calibration-title"));
        section.push(Block::More {
            title: view.say("calibration-about"),
            blocks: vec![Block::Table(limit::calibration(view.words, &machine.calibration))],
        });
        sections.push(section);
    }
    sections
}
