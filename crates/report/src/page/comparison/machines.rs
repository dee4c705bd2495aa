//! The machines: one, where all sides ran on the same, or each.

use model::Machine;

use super::view::ComparisonView;
use crate::document::{Block, Section};
use crate::inventory::brief::line;
use crate::page;

/// What makes it another machine to look at.
const HARDWARE: &[&str] =
    &["product", "cpu", "cpus", "memory", "memory-modules", "virtualization", "drive", "nic"];

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let with =
        view.runs.iter().enumerate().filter_map(|(place, run)| Some((place, run, run.run.machines.first()?)));
    let machines: Vec<(usize, &page::View<'_>, &Machine)> = with.collect();
    let differ = |place: usize| {
        let mut here = view.comparison.differences.iter().filter(|d| d.side == place);
        here.any(|d| HARDWARE.contains(&d.code.as_str()))
    };
    let is_one = machines.len() < 2 || !(0..view.comparison.sides.len()).any(differ);
    let mut section =
        Section::new("machine", view.say(if is_one { "machine-title" } else { "comparison-machines" }));
    match (is_one, machines.first()) {
        (_, None) => {}
        (true, Some((_, run, first))) => section.extend(of(run, first)),
        (false, _) => {
            for (place, run, machine) in machines {
                let mut part = Section::new(format!("machine-{}", place + 1), view.side(place));
                part.extend(match place == 0 || differ(place) {
                    true => of(run, machine),
                    false => vec![Block::Paragraph(view.say("comparison-same-machine").into())],
                });
                section.subsections.push(part);
            }
        }
    }
    section
}

fn of(view: &page::View<'_>, machine: &Machine) -> Vec<Block> {
    vec![
        Block::Paragraph(line(view.words, machine).into()),
        Block::Picture {
            title: view.say("machine-picture"),
            svg: chart::machine::svg(machine, None, view.words),
            description: String::new(),
        },
    ]
}
