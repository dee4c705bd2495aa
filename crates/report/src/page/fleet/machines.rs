//! Machines without a result, each with the reason, and documents that could not be read.

use std::collections::BTreeMap;

use super::view::FleetView;
use crate::document::{Block, Column, Rank, Section, Table, Text};

/// So many rows at most.
const LISTED: usize = 200;

pub(super) fn write(view: &FleetView<'_>) -> Section {
    let mut section = Section::new("machines", view.say("fleet-missing"));
    let rows = rows(view);
    if rows.is_empty() {
        return section;
    }
    let more = rows.len().saturating_sub(LISTED);
    let columns = vec![
        Column::words(view.say("fleet-column-machine")),
        Column::numbers(view.say("fleet-column-figures")),
        Column::words(view.say("fleet-column-reason")),
    ];
    let rows = rows.into_iter().take(LISTED).collect();
    let caption = view.say("fleet-missing-caption");
    section.put(Rank::Caution, Block::Table(Table { caption, columns, rows, groups: Vec::new() }));
    if more > 0 {
        section.push(Block::Paragraph(view.words().count("and-more", more).into()));
    }
    section
}

/// A row a machine and reason, with how many figures it is without.
fn rows(view: &FleetView<'_>) -> Vec<Vec<Text>> {
    let mut counts: BTreeMap<(usize, Option<&str>), usize> = BTreeMap::new();
    for missing in view.fleet().figures.iter().flat_map(|figure| &figure.missing) {
        *counts.entry((missing.machine, missing.reason.as_deref())).or_default() += 1;
    }
    let machine = |((place, reason), count): ((usize, Option<&str>), usize)| {
        let name = view.fleet().machines.get(place).map(|machine| machine.name.clone()).unwrap_or_default();
        let reason = reason.map_or_else(|| view.say("fleet-not-done"), str::to_owned);
        [name, count.to_string(), reason].map(Text::from).to_vec()
    };
    let unread = |(name, reason): &(String, String)| {
        [name.clone(), view.fleet().figures.len().to_string(), reason.clone()].map(Text::from).to_vec()
    };
    view.subject.left_out.iter().map(unread).chain(counts.into_iter().map(machine)).collect()
}
