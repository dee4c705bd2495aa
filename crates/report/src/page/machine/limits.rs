//! What the parts can do at most, and what measuring itself costs.

use model::limit::{Access, Direction};
use model::{Limit, Machine};

use crate::document::{Block, Column, Section, Table, Text};
use crate::format;
use crate::inventory::layout::names;
use crate::inventory::limit::bound;
use crate::page::{View, headline};

/// So many limits are listed; arrays and switches have hundreds.
const LISTED: usize = 60;

/// The sections, as far as there is something to say.
pub(super) fn write(view: &View<'_>, machine: &Machine, prefix: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    if !machine.limits.is_empty() {
        let mut section = Section::new(format!("{prefix}limits"), view.say("limits-title"));
        section.push(Block::Table(limits(view, &machine.limits)));
        sections.push(section);
    }
    if !machine.calibration.is_empty() {
        let mut section = Section::new(format!("{prefix}calibration"), view.say("calibration-title"));
        section.push(Block::More {
            title: view.say("calibration-about"),
            blocks: vec![Block::Table(calibration(view, machine))],
        });
        sections.push(section);
    }
    sections
}

fn limits(view: &View<'_>, all: &[Limit]) -> Table {
    let mut lines: Vec<(&Limit, Vec<&str>)> = Vec::new();
    for limit in all {
        let nameless = |l: &Limit| Limit { resource: area(&l.resource).to_owned(), ..l.clone() };
        match lines.iter_mut().find(|(l, _)| nameless(l) == nameless(limit)) {
            Some((_, resources)) => resources.push(&limit.resource),
            None => lines.push((limit, vec![&limit.resource])),
        }
    }
    let shown = |value: Option<f64>, l: &Limit| {
        value.map(|v| bound(v, l.unit, (&l.resource, &l.quantity))).unwrap_or_default()
    };
    let mut rows: Vec<Vec<Text>> = lines
        .iter()
        .take(LISTED)
        .map(|(limit, resources)| {
            let called: Vec<String> = resources.iter().map(|r| view.resource(r)).collect();
            let called: Vec<&str> = called.iter().map(String::as_str).collect();
            [
                names(&called),
                what(view, limit),
                shown(limit.line, limit),
                shown(limit.effective, limit),
                view.say(headline::kind(limit.kind)),
                limit.source.clone(),
            ]
            .map(Text::from)
            .to_vec()
        })
        .collect();
    if lines.len() > LISTED {
        let mut row = vec![Text::default(); 6];
        row[0] = view.count("and-more", lines.len() - LISTED).into();
        rows.push(row);
    }
    let table = Table {
        caption: String::new(),
        columns: vec![
            Column::words(view.say("column-resource")),
            Column::words(view.say("column-limit-of")),
            Column::numbers(view.say("column-line")),
            Column::numbers(view.say("column-effective")),
            Column::words(view.say("column-kind")),
            Column::words(view.say("column-source")),
        ],
        rows,
        groups: Vec::new(),
    };
    table.without_empty_columns()
}

fn area(resource: &str) -> &str {
    resource.split(':').next().unwrap_or(resource)
}

/// What is bounded, of which access.
fn what(view: &View<'_>, limit: &Limit) -> String {
    let quantity = match limit.quantity.as_str() {
        "cpu" => view.say("quantity-cpu"),
        other => view.metric(other),
    };
    let access = limit.access.map(|a| match a {
        Access::Sequential => view.say("access-sequential"),
        Access::Random => view.say("access-random"),
    });
    let direction = limit.direction.map(|d| match d {
        Direction::Read => view.say("direction-read"),
        Direction::Write => view.say("direction-write"),
    });
    let size = limit.block_bytes.map(format::binary);
    [Some(quantity), access, direction, size].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn calibration(view: &View<'_>, machine: &Machine) -> Table {
    let row = |c: &model::machine::Calibration| {
        let result = format::quantity(c.result.value, c.result.unit);
        vec![
            c.name.clone().into(),
            result.into(),
            view.words.or(&format!("calibration-{}", c.name), &c.method).into(),
        ]
    };
    Table {
        caption: String::new(),
        columns: vec![
            Column::words(view.say("column-what")),
            Column::numbers(view.say("column-result")),
            Column::words(view.say("column-how")),
        ],
        rows: machine.calibration.iter().map(row).collect(),
        groups: Vec::new(),
    }
}
