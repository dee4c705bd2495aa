//! What the study rests on, and what speed costs.

use model::study::Price;

use super::View;
use super::telling;
use crate::document::{Block, Column, Section, Table, Text};
use crate::format;

/// The section.
pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("references", view.say("references-title"));
    let study = &view.run.study;
    if let Some(price) = &study.price {
        let mut part = Section::new("price", view.say("price-title"));
        part.blocks.push(Block::Paragraph(view.tell("price-text", &[("price", price)]).into()));
        match Price::parse(price) {
            Some(price) => part.blocks.extend(speed_per_price(view, &price)),
            None => part.blocks.push(Block::Paragraph(view.say("price-unclear").into())),
        }
        section.subsections.push(part);
    }
    if !study.references.is_empty() {
        let mut part = Section::new("sources", view.say("references-sources"));
        part.blocks.push(Block::List(study.references.iter().map(|r| r.as_str().into()).collect()));
        section.subsections.push(part);
    }
    section
}

/// The headline figures for a unit of money, and money for a unit of them.
fn speed_per_price(view: &View<'_>, price: &Price) -> Option<Block> {
    let of_rate = |unit: model::Unit| matches!(unit, model::Unit::PerSecond | model::Unit::BytesPerSecond);
    let best = telling::best(view);
    let rows: Vec<Vec<Text>> = best
        .iter()
        .filter(|b| of_rate(b.estimate.unit) && b.estimate.median > 0.0)
        .map(|b| {
            let (value, unit) = (b.estimate.median, b.estimate.unit);
            // A thousand operations, or a megabyte, a second.
            let (step, name) = match unit {
                model::Unit::BytesPerSecond => (1e6, "MB/s".to_owned()),
                _ if value >= 1e3 => (1e3, format!("1000 {}", view.metric(&b.metric))),
                _ => (1.0, view.metric(&b.metric)),
            };
            let for_one = price.amount * step / value;
            vec![
                view.name(b.case).into(),
                view.with_metric(&b.metric, b.estimate).into(),
                format::quantity(value / price.amount, unit).into(),
                view.tell("price-for", &[("money", &money(price, for_one)), ("unit", &name)]).into(),
            ]
        })
        .collect();
    let table = Table {
        caption: String::new(),
        columns: vec![
            Column::words(view.say("column-case")),
            Column::numbers(view.say("column-figure")),
            Column::numbers(view.tell("price-per", &[("currency", &currency(view, price))])),
            Column::numbers(view.say("price-cost")),
        ],
        rows,
        groups: Vec::new(),
    };
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

fn currency(view: &View<'_>, price: &Price) -> String {
    if price.currency.is_empty() { view.say("price-unit") } else { price.currency.clone() }
}

fn money(price: &Price, amount: f64) -> String {
    let text = format::short(amount);
    match price.currency.as_str() {
        "" => text,
        sign if !sign.chars().any(char::is_alphanumeric) => format!("{sign}{text}"),
        word => format!("{text} {word}"),
    }
}
