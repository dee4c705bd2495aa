//! What the parts can do at most, and what measuring itself costs.

use language::{Words, resource_name};
use model::limit::{Access, Direction, LimitKind, UsualRange};
use model::machine::Calibration;
use model::{Limit, MetricName, Resource, Unit, metric};

use super::layout::names;
use crate::document::{Column, Table, Text};
use crate::format::{self, Rates};
use crate::label;

/// So many limits are listed; arrays and switches have hundreds.
const LISTED: usize = 60;

/// The limits as a table; equal ones of neighbours in one line.
pub(crate) fn limits(words: &Words, all: &[Limit]) -> Table {
    let nameless = |l: &Limit| Limit { resource: Resource::from(l.resource.kind_word()), ..l.clone() };
    let lines = crate::grouped(all.iter().map(|limit| (nameless(limit), limit)));
    let shown = |value: Option<f64>, l: &Limit| {
        value.map(|v| bound(v, l.unit, (&l.resource, l.quantity))).unwrap_or_default()
    };
    let mut rows: Vec<Vec<Text>> = lines
        .iter()
        .take(LISTED)
        .map(|(_, alike)| {
            let limit = alike[0];
            let called: Vec<String> = alike.iter().map(|l| resource_name(words, &l.resource)).collect();
            let called: Vec<&str> = called.iter().map(String::as_str).collect();
            [
                names(&called),
                what(words, limit),
                shown(limit.line, limit),
                shown(limit.effective, limit),
                usual(words, limit),
                words.say(kind(limit.kind)),
                limit.known_from(),
            ]
            .map(Text::from)
            .to_vec()
        })
        .collect();
    if lines.len() > LISTED {
        let mut row = vec![Text::default(); 7];
        row[0] = words.count("and-more", lines.len() - LISTED).into();
        rows.push(row);
    }
    let table = Table {
        columns: vec![
            Column::words(words.say("column-resource")),
            Column::words(words.say("column-limit-of")),
            Column::numbers(words.say("column-line")),
            Column::numbers(words.say("column-effective")),
            Column::words(words.say("column-usual")),
            Column::words(words.say("column-kind")),
            Column::words(words.say("column-source")),
        ],
        rows,
        ..Table::default()
    };
    table.without_empty_columns()
}

/// A bound with its unit; CPU seconds for each second are CPUs.
pub(crate) fn bound(value: f64, unit: Unit, (resource, quantity): (&Resource, MetricName)) -> String {
    let text = Rates::of_resource(resource).setting(value, unit);
    match quantity {
        metric::CPU if value == 1.0 => format!("{text} CPU"),
        metric::CPU => format!("{text} CPUs"),
        _ => text,
    }
}

/// What a full one usually gives, each way: `read: 839.9 MB/s to 862.6 MB/s`.
fn usual(words: &Words, limit: &Limit) -> String {
    let one = |range: &UsualRange| {
        let ends = usual_range(words, *range, limit.unit, (&limit.resource, limit.quantity));
        match range.direction {
            Some(way) => {
                words.tell_texts("limit-usual-way", &[("way", &direction(words, way)), ("range", &ends)])
            }
            None => ends,
        }
    };
    limit.usual.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// `839.9 MB/s to 862.6 MB/s`.
pub(crate) fn usual_range(
    words: &Words,
    range: UsualRange,
    unit: Unit,
    of: (&Resource, MetricName),
) -> String {
    let [least, most] = [range.least, range.most].map(|value| bound(value, unit, of));
    words.tell_texts("limit-usual", &[("least", &least), ("most", &most)])
}

fn direction(words: &Words, direction: Direction) -> String {
    words.say(match direction {
        Direction::Read => "direction-read",
        Direction::Write => "direction-write",
    })
}

/// The key of a limit's kind.
pub(crate) fn kind(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Link => "limit-link",
        LimitKind::Datasheet => "limit-datasheet",
        LimitKind::Promise => "limit-promise",
        LimitKind::Quota => "limit-quota",
        LimitKind::Measured => "limit-measured",
        LimitKind::Hardware => "limit-hardware",
    }
}

/// What is bounded, of which access.
fn what(words: &Words, limit: &Limit) -> String {
    let quantity = match limit.quantity {
        metric::CPU => words.say("quantity-cpu"),
        other => label::metric(words, other),
    };
    let access = limit.access.map(|a| match a {
        Access::Sequential => words.say("access-sequential"),
        Access::Random => words.say("access-random"),
    });
    let direction = limit.direction.map(|way| direction(words, way));
    let size = limit.block_bytes.map(format::binary);
    [Some(quantity), access, direction, size].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A table for [`take_sources`].
pub(super) fn sources(words: &Words) -> Table {
    let columns = ["column-resource", "column-source"].map(|key| Column::words(words.say(key)));
    Table { caption: String::new(), columns: columns.into(), rows: Vec::new(), groups: Vec::new() }
}

/// Takes the column of sources out of a table of limits, where it has one.
pub(super) fn take_sources(limits: &mut Table, sources: &mut Table) {
    let last = sources.columns[1].title.clone();
    if limits.columns.pop_if(|column| column.title == last).is_some() {
        let one = |row: &mut Vec<Text>| row.pop().map(|source| vec![row[0].clone(), source]);
        sources.rows.extend(limits.rows.iter_mut().filter_map(one));
        sources.rows.dedup();
    }
}

/// What the agent measured of itself and of the machine's parts.
pub(crate) fn calibration(words: &Words, all: &[Calibration]) -> Table {
    let row = |c: &Calibration| {
        let result = format::quantity(c.result.value, c.result.unit);
        vec![
            c.name.clone().into(),
            result.into(),
            words.or(&format!("calibration-{}", c.name), &c.method).into(),
        ]
    };
    Table {
        columns: vec![
            Column::words(words.say("column-what")),
            Column::numbers(words.say("column-result")),
            Column::words(words.say("column-how")),
        ],
        rows: all.iter().map(row).collect(),
        ..Table::default()
    }
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;
    use crate::tests::server;

    #[test]
    fn what_a_full_link_usually_gives_stands_beside_its_bound() {
        let mut all = server().limits;
        all.truncate(1);
        let titles =
            |table: &Table| -> Vec<String> { table.columns.iter().map(|c| c.title.clone()).collect() };
        let without = limits(Language::English.words(), &all);
        assert!(!titles(&without).contains(&"usual".to_owned()), "of older documents nothing is known");

        let range = |direction, least| UsualRange { direction: Some(direction), least, most: 863e6 };
        all[0].usual = vec![range(Direction::Read, 840e6), range(Direction::Write, 742e6)];
        let table = limits(Language::English.words(), &all);
        let at = titles(&table).iter().position(|title| title == "usual").unwrap();
        let cell = table.rows[0][at].words().replace('\u{a0}', " ");
        assert_eq!(cell, "read: 840 MB/s to 863 MB/s; write: 742 MB/s to 863 MB/s");
    }
}
