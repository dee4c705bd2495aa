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

#[cfg(test)]
mod tests {
    use language::Language;
    use model::workload::Catalogue;

    use super::*;
    use crate::document::Piece;
    use crate::page::Subject;

    fn section(price: &str) -> Section {
        let mut run = crate::tests::long::short();
        run.study.price = Some(price.to_owned());
        run.study.references = vec!["a sheet".to_owned()];
        let catalogue = Catalogue { workloads: Vec::new(), common: &[] };
        write(&View::new(&Subject { run: &run, catalogue: &catalogue, words: Language::English.words() }))
    }

    fn tables(section: &Section) -> Vec<&Table> {
        let blocks = section.subsections.iter().flat_map(|s| &s.blocks);
        blocks.filter_map(|b| if let Block::Table(table) = b { Some(table) } else { None }).collect()
    }

    #[test]
    fn what_speed_costs_is_a_division() {
        let run = crate::tests::long::short();
        let catalogue = Catalogue { workloads: Vec::new(), common: &[] };
        let view = View::new(&Subject { run: &run, catalogue: &catalogue, words: Language::English.words() });
        let best = telling::best(&view);
        let (value, unit) = (best[0].estimate.median, best[0].estimate.unit);
        for (text, amount) in [("USD 1,000 a node", 1000.0), ("USD 2,500 a node", 2500.0)] {
            let section = section(text);
            let table = tables(&section)[0];
            assert_eq!(table.columns[2].title, "for each USD");
            assert_eq!(table.rows[0][2].0, [Piece::Plain(format::quantity(value / amount, unit))]);
        }
    }

    #[test]
    fn nothing_is_divided_by_a_price_that_may_be_read_in_two_ways() {
        let section = section("1.299 EUR");
        assert!(tables(&section).is_empty());
        assert_eq!(section.subsections.len(), 2);
    }
}
