//! The machine: in a line, as a picture with the path of the case that fills
//! most of a limit, as a list of its parts, and what those can do at most.

mod limits;
mod parts;

use model::Machine;

use super::View;
use super::telling;
use crate::document::{Block, Section};
use crate::inventory::brief::line;

/// The section.
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
    let case = telling::fullest(view)
        .filter(|_| view.run.machines.first().is_some_and(|m| std::ptr::eq(m, machine)));
    let title = match case {
        Some(case) => view.tell("machine-picture-path", &[("case", &view.name(case))]),
        None => view.say("machine-picture"),
    };
    let called = case.map(|case| model::run::CaseResult { label: view.name(case), ..case.clone() });
    section.push(Block::Picture {
        title,
        svg: chart::machine::svg(machine, called.as_ref(), view.words),
        description: String::new(),
    });
    let parts = parts::all(view, machine);
    if !parts.is_empty() {
        let mut inventory = Section::new(format!("{prefix}parts"), view.say("machine-parts"));
        inventory.push(Block::Pairs(parts));
        if let Some(line) = machine.inventory.system.command_line.as_ref().filter(|l| !l.trim().is_empty()) {
            let blocks = vec![Block::Code(line.clone())];
            inventory.push(Block::More { title: view.say("part-command-line"), blocks });
        }
        section.subsections.push(inventory);
    }
    section.subsections.extend(limits::write(view, machine, prefix));
}
