//! Every set of machines that differs, in each of its figures, with what goes with it.

use analysis::fleet::{FleetSplit, SplitFigure};
use language::format;

use super::view::FleetView;
use crate::document::{Block, Column, Piece, Section, Table, Text};

/// So many rows at most.
const LISTED: usize = 200;

pub(super) fn write(view: &FleetView<'_>) -> Section {
    let mut section = Section::new("splits", view.say("fleet-splits"));
    if view.fleet().splits.is_empty() {
        return section;
    }
    section.push(Block::Table(differing(view)));
    section.extend(facts(view));
    section
}

fn differing(view: &FleetView<'_>) -> Table {
    let columns = vec![
        Column::words(view.say("fleet-column-machines")),
        Column::words(view.say("fleet-column-side")),
        Column::words(view.say("column-what")),
        Column::numbers(view.say("comparison-change")),
        Column::words(view.say("trend-column-interval")).to_spare(1),
        Column::numbers(view.say("fleet-column-p")).to_spare(2),
    ];
    let row = |(split, one): (&FleetSplit, &SplitFigure)| {
        let figure = view.fleet().figures.get(one.figure)?;
        let (tone, word) = view.badge(split);
        let (change, interval) = view.change(one.ratio.as_ref());
        let p_value = one.p_value.map_or_else(|| view.say("fleet-group"), format::probability);
        Some(vec![
            view.machines(&split.machines).into(),
            Text(vec![Piece::Badge(tone, word)]),
            view.name(figure).into(),
            change.into(),
            interval.into(),
            p_value.into(),
        ])
    };
    let all = view.fleet().splits.iter().flat_map(|split| split.figures.iter().map(move |one| (split, one)));
    let rows: Vec<_> = all.filter_map(row).take(LISTED).collect();
    Table { caption: view.say("fleet-splits-caption"), columns, rows, groups: Vec::new() }
}

/// What goes with each set, a row a tie.
fn facts(view: &FleetView<'_>) -> Option<Block> {
    let columns = vec![
        Column::words(view.say("fleet-column-machines")),
        Column::words(view.say("fleet-column-facts")),
        Column::numbers(view.say("fleet-column-apart")).to_spare(1),
        Column::numbers(view.say("fleet-column-p")).to_spare(1),
    ];
    let of_split = |split: &FleetSplit| {
        let row = |tie: &analysis::fleet::FactTie| {
            let texts = [
                view.machines(&split.machines),
                view.tie(tie),
                format::percent(tie.told_apart),
                format::probability(tie.p_value),
            ];
            texts.map(Text::from).to_vec()
        };
        split.ties.iter().map(row).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<Text>> = view.fleet().splits.iter().flat_map(of_split).take(LISTED).collect();
    let caption = view.say("fleet-facts-caption");
    (!rows.is_empty()).then(|| Block::Table(Table { caption, columns, rows, groups: Vec::new() }))
}
