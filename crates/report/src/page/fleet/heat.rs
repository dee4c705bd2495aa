//! All machines and all figures at once: how far each is from the median, on the worse side or on the better.

use analysis::fleet::{Fleet, FleetFigure};
use chart::plot::{HeatMap, Measured, Numbers};
use model::Better;

use super::view::FleetView;
use crate::document::{Block, Section};

/// Rows that a map has at most: more machines are taken together.
const ROWS: usize = 64;
/// Rows of machines that differ, where others are taken together.
const APART: usize = 14;
/// What is farther out is drawn as this far.
const FARTHEST: f64 = 8.0;
/// Figures that are drawn at most.
const COLUMNS: usize = 60;

pub(super) fn write(view: &FleetView<'_>) -> Section {
    let mut section = Section::new("heat", view.say("fleet-heat"));
    let fleet = view.fleet();
    let known: Vec<&FleetFigure> =
        fleet.figures.iter().filter(|f| f.spread.is_some()).take(COLUMNS).collect();
    // One machine or one figure is no map; the dots show as much.
    if known.len() < 2 {
        return section;
    }
    let rows = rows(view);
    let row = |(_, machines): &(String, Vec<usize>)| known.iter().map(|f| cell(f, machines)).collect();
    let cells: Vec<Vec<Option<Measured>>> = rows.iter().map(row).collect();
    let is_binned = rows.iter().any(|(_, machines)| machines.len() > 1);
    let note = if is_binned { "fleet-heat-note-binned" } else { "fleet-heat-note" };
    section.push(Block::Chart {
        title: view.say("fleet-heat"),
        note: Some(view.say(note)),
        plot: Box::new(HeatMap {
            title: view.say("fleet-heat-title"),
            numbers: Numbers::Count,
            x: (view.say("fleet-figures"), known.iter().map(|figure| view.name(figure)).collect()),
            y: (view.say("fleet-machines"), rows.into_iter().map(|(name, _)| name).collect()),
            cells,
            better: None,
        }),
    });
    section
}

/// The rows: machines in the order of racks; of many those that differ alone, and the others together.
fn rows(view: &FleetView<'_>) -> Vec<(String, Vec<usize>)> {
    let fleet = view.fleet();
    let count = fleet.machines.len();
    if count <= ROWS {
        return (0..count).map(|place| (called(fleet, place), vec![place])).collect();
    }
    let mut apart: Vec<usize> = Vec::new();
    for machine in fleet.splits.iter().flat_map(|split| &split.machines) {
        if apart.len() < APART && !apart.contains(machine) {
            apart.push(*machine);
        }
    }
    let rest: Vec<usize> = (0..count).filter(|place| !apart.contains(place)).collect();
    let together = rest.len().div_ceil(ROWS - APART).max(1);
    let block = |machines: &[usize]| {
        let (first, last) = (machines[0], machines[machines.len() - 1]);
        (
            view.tell("range", &[("low", &called(fleet, first)), ("high", &called(fleet, last))]),
            machines.to_vec(),
        )
    };
    let alone = apart.iter().map(|place| (called(fleet, *place), vec![*place]));
    alone.chain(rest.chunks(together).map(block)).collect()
}

/// A machine with its rack and position, where these are known.
fn called(fleet: &Fleet, place: usize) -> String {
    let machine = &fleet.machines[place];
    let parts = [machine.rack.as_ref(), machine.position.as_ref(), Some(&machine.name)];
    parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
}

/// How far machines are on the worse side, of several the one that is farthest out.
fn cell(figure: &FleetFigure, machines: &[usize]) -> Option<Measured> {
    let scores = machines.iter().filter_map(|machine| *figure.scores.get(*machine)?);
    let farthest = scores.filter(|score| score.is_finite()).max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let worse = if figure.better == Better::Higher { -farthest } else { farthest };
    // Two digits are read, and more would only lengthen the page.
    let value = (worse.clamp(-FARTHEST, FARTHEST) * 10.0).round() / 10.0;
    Some(Measured { value, interval: None })
}
