//! Every figure over all machines: its quantiles in one table, and then its machines as dots, lowest first.

use std::collections::BTreeSet;

use analysis::fleet::FleetFigure;
use chart::plot::{Axis, Dot, Dots, Measured, Numbers, Scatter, Spread};
use model::Unit;
use stats::interval::quantile_sorted;

use super::view::FleetView;
use crate::document::{Block, Column, Rank, Section, Table, Text};
use crate::format::Rates;
use crate::label;

/// So many figures are listed at most.
const LISTED: usize = 200;
/// So many of them have a chart: a page is read, not searched.
const DRAWN: usize = 60;
/// More machines than this are drawn as so many quantiles.
const DOTS: usize = 300;
const QUANTILES: usize = 100;
/// Machines that differ are drawn and named one by one, up to so many.
const APART: usize = 60;

pub(super) fn write(view: &FleetView<'_>) -> Section {
    let mut section = Section::new("figures", view.say("fleet-figures"));
    let all = ordered(view);
    if all.is_empty() {
        return section;
    }
    section.put(Rank::Figure, Block::Table(overview(view, &all)));
    let charts = all.iter().take(DRAWN).enumerate().map(|(place, figure)| of_figure(view, *figure, place));
    section.subsections.extend(charts);
    section
}

/// The figures in which machines differ, then the others; each with its place.
fn ordered<'a>(view: &FleetView<'a>) -> Vec<(usize, &'a FleetFigure)> {
    let differs: BTreeSet<usize> =
        view.fleet().splits.iter().flat_map(|split| &split.figures).map(|one| one.figure).collect();
    let mut all: Vec<_> = view.fleet().figures.iter().enumerate().collect();
    all.sort_by_key(|(place, _)| !differs.contains(place));
    all
}

fn sorted(figure: &FleetFigure) -> Vec<f64> {
    let mut all: Vec<f64> = figure.values.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    all
}

/// A row a figure.
fn overview(view: &FleetView<'_>, all: &[(usize, &FleetFigure)]) -> Table {
    let columns = vec![
        Column::words(view.say("column-what")),
        Column::numbers(view.say("fleet-machines")),
        Column::numbers(view.say("fleet-column-low")).to_spare(2),
        Column::numbers(view.say("fleet-column-median")),
        Column::numbers(view.say("fleet-column-high")).to_spare(2),
        Column::numbers(view.say("fleet-column-spread")),
        Column::numbers(view.say("fleet-column-apart-machines")).to_spare(1),
    ];
    let row = |(place, figure): &(usize, &FleetFigure)| {
        let values = sorted(figure);
        let quantile =
            |q: f64| quantile_sorted(&values, q).map(|v| view.figure(figure, v)).unwrap_or_default();
        let texts = [
            view.name(figure),
            values.len().to_string(),
            quantile(0.05),
            quantile(0.5),
            quantile(0.95),
            view.spread(figure),
            apart(view, *place).len().to_string(),
        ];
        texts.map(Text::from).to_vec()
    };
    let caption = view.words().count("fleet-figures-caption", view.fleet().figures.len());
    Table { caption, columns, rows: all.iter().take(LISTED).map(row).collect(), groups: Vec::new() }
}

/// The machines that differ in a figure.
fn apart(view: &FleetView<'_>, place: usize) -> BTreeSet<usize> {
    let has = |split: &&analysis::fleet::FleetSplit| split.figures.iter().any(|one| one.figure == place);
    view.fleet().splits.iter().filter(has).flat_map(|split| split.machines.iter().copied()).collect()
}

fn of_figure(view: &FleetView<'_>, (place, figure): (usize, &FleetFigure), number: usize) -> Section {
    let mut section = Section::new(format!("figure-{}", number + 1), view.name(figure));
    let is_thinned = figure.values.iter().flatten().count() > DOTS;
    section.push(Block::Chart {
        title: view.name(figure),
        note: Some(view.say(if is_thinned { "fleet-dots-note-thinned" } else { "fleet-dots-note" })),
        plot: Box::new(plot(view, (place, figure), is_thinned)),
    });
    section
}

/// Each machine, or each quantile, with the share of machines that have as much at most.
fn plot(view: &FleetView<'_>, (place, figure): (usize, &FleetFigure), is_thinned: bool) -> Scatter {
    let is_bits = Rates::of(figure.rate_unit) == Rates::Bits;
    let numbers = match figure.unit {
        Unit::BytesPerSecond if is_bits => Numbers::Bits,
        unit => Numbers::Unit(unit),
    };
    let values = sorted(figure);
    let share = |value: f64| values.partition_point(|other| *other <= value) as f64 / values.len() as f64;
    let exact = |value: f64| Measured { value, interval: None };
    let dot = |value: f64, label: String| Dot { x: exact(value), y: exact(share(value)), label };
    let apart = apart(view, place);
    let of = |machine: usize| Some((machine, (*figure.values.get(machine)?)?));
    let machine = |(machine, value): (usize, f64)| dot(value, view.fleet().machines[machine].name.clone());
    let named: Vec<Dot> = apart.iter().take(APART).filter_map(|place| of(*place)).map(machine).collect();
    let others: Vec<Dot> = if is_thinned {
        let at = |step: usize| quantile_sorted(&values, step as f64 / QUANTILES as f64);
        (0..=QUANTILES).filter_map(|step| Some(dot(at(step)?, format!("{step} %")))).collect()
    } else {
        let rest = (0..figure.values.len()).filter(|place| !apart.contains(place));
        rest.filter_map(of).map(machine).collect()
    };
    let group = |key: &str, dots: Vec<Dot>| Dots { name: view.say(key), dots, joined: false };
    let groups = [group("fleet-dots-others", others), group("fleet-dots-apart", named)];
    Scatter {
        x: Axis { title: label::metric_of_chart(view.words(), figure.metric), numbers, spread: Spread::Auto },
        y: Axis { title: view.say("fleet-axis"), numbers: Numbers::Share, spread: Spread::Linear },
        better: (Some(figure.better), None),
        groups: groups.into_iter().filter(|group| !group.dots.is_empty()).collect(),
        references: Vec::new(),
    }
}
