//! What the same speed costs on each side, where the sides have prices: the price of each run divided by its figures, and
//! how much more or less that is than on the baseline, where both are in one currency and for the same thing.

use model::Run;
use model::comparison::{Ratio, Row};
use model::study::{Offer, Price};

use super::view::ComparisonView;
use crate::change;
use crate::document::{Block, Column, Rank, Section, Table, Text};
use crate::format::Rates;
use crate::page::price::{Cost, RateStep, is_rate, named, prices, read};

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let mut section = Section::new("price", view.say("comparison-price"));
    let offers: Vec<Vec<Offer>> = view.whole.iter().map(|side| offers(side.run)).collect();
    if view.comparison.by.is_some() || offers.iter().all(Vec::is_empty) {
        return section;
    }
    let mut table = Table {
        columns: vec![
            Column::words(view.say("comparison-price-side")),
            Column::words(view.say("comparison-price-offer")),
            Column::numbers(view.say("column-figure")),
            Column::numbers(view.say("price-cost")),
            Column::numbers(view.say("column-interval")),
            Column::numbers(view.say("comparison-change")),
            Column::words(view.say("column-interval")),
        ],
        ..Table::default()
    };
    for row in view.comparison.rows.iter().filter(|row| row.judged) {
        let Some(baseline) = row.baseline.as_ref().or(row.new.as_ref()).filter(|one| is_rate(one)) else {
            continue;
        };
        let step = RateStep::of(&view.all, row.metric, baseline);
        let rows = of_row(view, row, &step, &offers);
        if !rows.is_empty() {
            let texts = [("row", view.name(row)), ("unit", step.name)];
            let texts = texts.each_ref().map(|(name, text)| (*name, text.as_str()));
            table.groups.push((table.rows.len(), view.tell("comparison-price-row", &texts).into()));
            table.rows.extend(rows);
        }
    }
    if !table.rows.is_empty() {
        section.put(Rank::Figure, Block::Table(table.without_empty_columns()));
        section.put(Rank::Remark, Block::Paragraph(view.say("comparison-price-note").into()));
    }
    section
}

/// The offers of a run; none where it has no price that can be read.
fn offers(run: &Run) -> Vec<Offer> {
    run.study.price.as_ref().and_then(|price| read(price).ok()).unwrap_or_default()
}

/// The figures of both sides at each of their prices.
fn of_row(view: &ComparisonView<'_>, row: &Row, step: &RateStep, offers: &[Vec<Offer>]) -> Vec<Vec<Text>> {
    let of_side = |place: usize| offers.get(place).map(|all| prices(all)).unwrap_or_default();
    let (before, after) = (of_side(row.baseline_side), of_side(row.side));
    let sides = [(row.baseline_side, &before, &row.baseline), (row.side, &after, &row.new)];
    let mut rows = Vec::new();
    for (place, own, estimate) in sides {
        let Some(estimate) = estimate.as_ref().filter(|estimate| is_rate(estimate)) else { continue };
        let ratio = row.ratio.as_ref().filter(|_| place == row.side);
        for (offer, price) in own {
            let cost = Cost::of(&view.all, price, step, estimate);
            let change = ratio.and_then(|ratio| change(ratio, &before, (offer, price)));
            let (point, interval) = change.map(|change| (change.point, change.interval)).unwrap_or_default();
            let interval = interval.map(|(low, high)| view.tell("range", &[("low", &low), ("high", &high)]));
            let cells = [
                if view.comparison.sides.len() > 2 { view.side(place) } else { view.role(place) },
                named(offer, price),
                view.all.figure(Rates::of(row.rate_unit), row.metric, estimate),
                cost.money,
                cost.interval.unwrap_or_default(),
                point,
                interval.unwrap_or_default(),
            ];
            rows.push(cells.map(Text::from).into());
        }
    }
    rows
}

/// How much more or less the same costs at this price of the new side than on the baseline, whose rate is to the new one as
/// the ratio says: at the offer of the same name, or the only one, in the same currency and for the same thing.
fn change(
    ratio: &Ratio,
    before: &[(&Offer, &Price)],
    (offer, price): (&Offer, &Price),
) -> Option<change::Change> {
    let is_like =
        |(_, other): &&(&Offer, &Price)| (&other.currency, &other.rest) == (&price.currency, &price.rest);
    let mut like: Vec<&(&Offer, &Price)> = before.iter().filter(is_like).collect();
    if like.len() > 1 {
        like.retain(|(other, _)| other.name == offer.name);
    }
    let [(_, baseline)] = like[..] else { return None };
    // The more it does, the less it costs.
    let [point, low, high] =
        [ratio.point, ratio.high, ratio.low].map(|rate| price.amount / baseline.amount / rate);
    (low > 0.0 && high.is_finite()).then(|| change::of_parts(point, low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::comparison::tests::ratio;

    /// How much more the same costs at `after` than at `before`, where the new side does 25 % more.
    fn more(before: &str, after: &str) -> Option<String> {
        let [before, after] = [before, after].map(|text| Offer::parse_all(text).unwrap());
        let ratio = ratio(1.25, 1.2, 1.3);
        change(&ratio, &prices(&before), prices(&after)[0]).map(|change| change.point)
    }

    #[test]
    fn what_does_more_for_the_same_money_costs_less() {
        assert_eq!(more("USD 100", "USD 100").as_deref(), Some("-20.0 %"));
        assert_eq!(more("USD 100", "USD 150").as_deref(), Some("+20.0 %"));
        assert_eq!(more("100 EUR a month", "110 EUR a month").as_deref(), Some("-12.0 %"));
        // Both ways of writing; of several currencies that which both have.
        assert_eq!(more("USD 100 / 90 EUR", "100 USD").as_deref(), Some("-20.0 %"));
        assert_eq!(more("a: USD 100; b: USD 50", "b: USD 50").as_deref(), None);
        assert_eq!(more("a: USD 100; b: USD 50", "b: USD 50; c: USD 9").as_deref(), Some("-20.0 %"));
        for (before, after) in [
            ("USD 100", "EUR 100"),
            ("100 EUR a month", "100 EUR a year"),
            ("a: USD 100; b: USD 50", "c: USD 50; d: USD 60"),
        ] {
            assert_eq!(more(before, after), None, "{before}, {after}");
        }
    }
}
