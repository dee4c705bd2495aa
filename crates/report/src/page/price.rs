//! What speed costs, where the study has a price.

use model::fact::STACK_BYTES;
use model::profile::Aspect;
use model::run::{CaseResult, Estimate};
use model::stack_top::top_layer;
use model::study::{Offer, Price};
use model::{Better, MetricName, Status, Unit};

use super::View;
use super::highlights;
use crate::document::{Answer, Block, Column, Section, Table, Text};
use crate::format;

/// So many figures stand in the answer's line.
const IN_A_LINE: usize = 2;

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("price", view.say("price-title"));
    let Some(price) = &view.run.study.price else { return section };
    section.push(Block::Paragraph(view.tell("price-text", &[("price", price)]).into()));
    match read(price) {
        Ok(offers) => section.extend(speed_per_price(view, &offers)),
        Err(key) => section.push(Block::Paragraph(view.say(key).into())),
    }
    section
}

/// Every offer of a price, or the key of what is wrong with it.
pub(super) fn read(text: &str) -> Result<Vec<Offer>, &'static str> {
    Offer::parse_all(text).ok_or(if Price::is_none(text) { "price-none" } else { "price-unclear" })
}

/// What it costs, in a line.
pub(super) fn answer(view: &View<'_>) -> Option<Answer> {
    let text = view.run.study.price.as_ref()?;
    let lines = match read(text) {
        Ok(offers) => {
            let all = prices(&offers);
            let called =
                |offer: &Offer, price: &Price| if all.len() > 1 { named(offer, price) } else { text.clone() };
            all.iter().map(|(offer, price)| line(view, called(offer, price), price)).collect()
        }
        Err(key) => vec![Text::default().link("price", text.clone()).plain(format!(": {}", view.say(key)))],
    };
    Some(Answer { question: view.say("price-title"), lines, elsewhere: Vec::new() })
}

/// Each price of each offer.
pub(super) fn prices(offers: &[Offer]) -> Vec<(&Offer, &Price)> {
    offers.iter().flat_map(|offer| offer.prices.iter().map(move |price| (offer, price))).collect()
}

/// A price with the name of its offer: `reserved, 0.06 USD an hour`.
pub(super) fn named(offer: &Offer, price: &Price) -> String {
    let money = money(price, price.amount);
    if offer.name.is_empty() { money } else { format!("{}, {money}", offer.name) }
}

/// What the figures cost at one price, in a line.
fn line(view: &View<'_>, called: String, price: &Price) -> Text {
    let mut line = Text::default().link("price", called);
    let best = highlights::best(view);
    for (index, one) in best.iter().filter(|b| is_rate(b.estimate)).take(IN_A_LINE).enumerate() {
        let step = RateStep::of(view, one.metric, one.estimate);
        let cost = Cost::of(view, price, &step, one.estimate);
        line = line.plain(if index > 0 { "; " } else { ": " }).strong(cost.shown(view, &step));
        line = line.plain(format!(" ({})", view.name(one.case)));
    }
    if let Some(bytes) = capacity(view) {
        line = line.plain("; ").strong(of_capacity(view, price, bytes));
        line = line.plain(format!(" ({})", view.say("price-capacity")));
    }
    line
}

pub(super) fn is_rate(estimate: &Estimate) -> bool {
    let is_unit = matches!(estimate.unit, Unit::PerSecond | Unit::BytesPerSecond);
    is_unit && estimate.better == Better::Higher && estimate.median > 0.0
}

/// Bytes that the highest stack on devices offers at its top, which is what can be used.
fn capacity(view: &View<'_>) -> Option<f64> {
    let of = |case: &CaseResult| {
        let (layers, top) = top_layer(&crate::load::said(case, Aspect::Stack)?.1.to_string())?;
        let is_top = crate::load::said(case, Aspect::Layer).is_none_or(|(_, layer)| layer.to_string() == top);
        let good = case.trials.iter().find(|trial| trial.status == Status::Ok)?;
        let bytes = good.result.main().facts.get(&STACK_BYTES)?.number()?;
        is_top.then_some((layers, bytes)).filter(|(_, bytes)| *bytes > 0.0)
    };
    view.cases().filter_map(of).max_by_key(|(layers, _)| *layers).map(|(_, bytes)| bytes)
}

/// What a terabyte of it costs.
fn of_capacity(view: &View<'_>, price: &Price, bytes: f64) -> String {
    let money = money(price, price.amount * 1e12 / bytes);
    view.tell("price-for", &[("money", &money), ("unit", "TB")])
}

/// So much of a rate as is given a price: a thousand operations a second, a megabyte a second, or a gigabyte where there
/// is one.
pub(super) struct RateStep {
    value: f64,
    pub(super) name: String,
}

impl RateStep {
    pub(super) fn of(view: &View<'_>, metric: MetricName, estimate: &Estimate) -> Self {
        let (value, name) = match estimate.unit {
            Unit::BytesPerSecond if estimate.median >= 1e9 => (1e9, "GB/s".to_owned()),
            Unit::BytesPerSecond => (1e6, "MB/s".to_owned()),
            _ if estimate.median >= 1e3 => (1e3, format!("1000 {}", view.metric(metric))),
            _ => (1.0, view.metric(metric)),
        };
        Self { value, name }
    }
}

/// What a step of a rate costs.
pub(super) struct Cost {
    /// A division: `4.2 EUR a month`.
    pub(super) money: String,
    /// The same of the ends of the interval, the least first.
    pub(super) interval: Option<String>,
}

impl Cost {
    pub(super) fn of(view: &View<'_>, price: &Price, step: &RateStep, estimate: &Estimate) -> Self {
        let of = |value: f64| price.amount * step.value / value;
        // An interval that is too wide to be shown is not divided by either.
        let known = format::Rates::Bytes.interval_ends(estimate).is_some_and(|(low, _)| !low.is_empty());
        let ends = estimate.low.zip(estimate.high).filter(|(low, _)| known && *low > 0.0);
        let interval = ends.map(|(low, high)| {
            view.tell("range", &[("low", &format::amount(of(high))), ("high", &format::amount(of(low)))])
        });
        Self { money: money(price, of(estimate.median)), interval }
    }

    /// With what it is for: `4.2 EUR a month for each 1000 IOPS`.
    fn shown(&self, view: &View<'_>, step: &RateStep) -> String {
        view.tell("price-for", &[("money", &self.money), ("unit", &step.name)])
    }
}

/// The headline figures for a unit of money, and money for a unit of them.
fn speed_per_price(view: &View<'_>, offers: &[Offer]) -> Option<Block> {
    let all = prices(offers);
    let unit = match all[..] {
        [(_, price)] => one_unit(view, price),
        _ => view.say("price-unit"),
    };
    let mut table = Table {
        columns: vec![
            Column::words(view.say("column-case")),
            Column::numbers(view.say("column-figure")),
            Column::numbers(view.tell("price-per", &[("currency", &unit)])),
            Column::numbers(view.say("price-cost")),
            Column::numbers(view.say("column-interval")),
        ],
        ..Table::default()
    };
    for (offer, price) in &all {
        if all.len() > 1 {
            table.groups.push((table.rows.len(), named(offer, price).into()));
        }
        table.rows.extend(rows(view, price));
    }
    (!table.rows.is_empty()).then(|| Block::Table(table.without_empty_columns()))
}

/// Each headline figure at one price.
fn rows(view: &View<'_>, price: &Price) -> Vec<Vec<Text>> {
    let best = highlights::best(view);
    let mut rows: Vec<Vec<Text>> = best
        .iter()
        .filter(|b| is_rate(b.estimate))
        .map(|b| {
            let step = RateStep::of(view, b.metric, b.estimate);
            let cost = Cost::of(view, price, &step, b.estimate);
            vec![
                view.name(b.case).into(),
                view.with_metric(crate::load::rates(b.case), b.metric, b.estimate).into(),
                format::quantity(b.estimate.median / price.amount, b.estimate.unit).into(),
                cost.shown(view, &step).into(),
                cost.interval.unwrap_or_default().into(),
            ]
        })
        .collect();
    rows.extend(capacity(view).map(|bytes| {
        let each = format::quantity(bytes / price.amount, Unit::Bytes);
        let figures = [format::quantity(bytes, Unit::Bytes), each, of_capacity(view, price, bytes)];
        let own = std::iter::once(view.say("price-capacity")).chain(figures).chain([String::new()]);
        own.map(Text::from).collect()
    }));
    rows
}

/// What one unit of the price is called: `EUR a month`.
fn one_unit(view: &View<'_>, price: &Price) -> String {
    let currency = if price.currency.is_empty() { view.say("price-unit") } else { price.currency.clone() };
    with_rest(price, currency)
}

/// An amount as the price is written: `1.154 EUR a month`.
pub(super) fn money(price: &Price, amount: f64) -> String {
    let text = format::amount(amount);
    let text = match price.currency.as_str() {
        "" => text,
        sign if !sign.chars().any(char::is_alphanumeric) => format!("{sign}{text}"),
        word => format!("{text} {word}"),
    };
    with_rest(price, text)
}

/// With what the price is for, such as a month or a drive: without that, it is
/// another price.
fn with_rest(price: &Price, text: String) -> String {
    let rest = price.rest.trim_start_matches([',', ';']).trim_end_matches(['.', ',', ';']).trim();
    match rest.chars().next() {
        None => text,
        Some('/') => format!("{text}{rest}"),
        Some(_) => format!("{text} {rest}"),
    }
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::run::Run;
    use model::{ParameterName, Value};

    use super::*;
    use crate::page::Subject;

    const STACK: ParameterName = ParameterName::new("stack");
    const LAYER: ParameterName = ParameterName::new("layer");

    fn with_view<T>(price: &str, see: impl Fn(&View<'_>) -> T) -> T {
        with_view_of(crate::tests::long::short(), price, see)
    }

    fn with_view_of<T>(mut run: Run, price: &str, see: impl Fn(&View<'_>) -> T) -> T {
        run.study.price = Some(price.to_owned());
        see(&View::new(&Subject { run: &run, words: Language::English.words() }))
    }

    /// A run whose first case is at a layer of a stack that offers 2 TB at its top.
    fn on_stack(layer: &str) -> Run {
        let mut run = crate::tests::long::short();
        let case = &mut run.cases[0];
        for (name, value) in [(STACK, "raid6(a+b+c+d) > xfs"), (LAYER, layer)] {
            case.loads.main.parameters.set(name, Value::from(value));
        }
        case.loads.main.profile.aspects.extend([(STACK, Aspect::Stack), (LAYER, Aspect::Layer)]);
        for trial in &mut case.trials {
            trial.result.main_mut().facts.insert(STACK_BYTES, Value::from(2_000_000_000_000_u64));
        }
        run
    }

    fn table(section: Section) -> Option<Table> {
        section
            .blocks
            .into_iter()
            .find_map(|b| if let Block::Table(table) = b.block { Some(table) } else { None })
    }

    #[test]
    fn what_speed_costs_is_a_division_and_keeps_what_it_is_for() {
        let estimate = with_view("1 EUR", |view| highlights::best(view)[0].estimate.clone());
        for (text, amount) in [("1,000 EUR a month", 1000.0), ("2,500 EUR a month", 2500.0)] {
            let table = table(with_view(text, write)).unwrap();
            assert_eq!(table.columns[2].title, "for each EUR a month");
            assert_eq!(table.rows[0][2].words(), format::quantity(estimate.median / amount, estimate.unit));
            assert!(table.rows[0][3].words().contains(" EUR a month for each "), "{:?}", table.rows[0][3]);
            let answer = with_view(text, answer).unwrap().lines[0].words();
            assert!(answer.starts_with(text) && answer.contains(&table.rows[0][3].words()), "{answer}");
        }
    }

    #[test]
    fn what_can_be_used_of_a_stack_has_a_price_for_each_terabyte() {
        let per_terabyte = "2000 EUR for each TB";
        let whole = table(with_view_of(on_stack("xfs"), "4,000 EUR", write)).unwrap();
        assert_eq!(whole.rows.last().unwrap()[3].words(), per_terabyte);
        let answer = with_view_of(on_stack("xfs"), "4,000 EUR", answer).unwrap().lines[0].words();
        assert!(answer.ends_with(&format!("; {per_terabyte} (usable capacity)")), "{answer}");
        // A layer below the top may offer more than can be used.
        let below = table(with_view_of(on_stack("raid6"), "4,000 EUR", write)).unwrap();
        assert_eq!(below.rows.len() + 1, whole.rows.len());
    }

    #[test]
    fn each_currency_and_each_offer_has_its_own_figures() {
        let one = table(with_view("2,100 USD", write)).unwrap();
        let both = table(with_view("USD 2,100 / 2,000,000 won", write)).unwrap();
        assert_eq!(both.rows.len(), 2 * one.rows.len());
        let groups: Vec<String> = both.groups.iter().map(|(_, text)| text.words()).collect();
        assert_eq!(groups, ["2100 USD", "2000000 won"]);
        assert_eq!(both.rows[0][3].words(), one.rows[0][3].words());
        assert!(both.rows[one.rows.len()][3].words().contains(" won for each "));
        assert_eq!(both.columns[2].title, "for each unit of price");
        let offers = with_view("on demand: USD 0.10 an hour; reserved: USD 0.06 an hour", answer).unwrap();
        let said: Vec<String> = offers.lines.iter().map(Text::words).collect();
        assert!(said[0].starts_with("on demand, 0.1 USD an hour: "), "{said:?}");
        assert!(said[1].starts_with("reserved, 0.06 USD an hour: "), "{said:?}");
    }

    #[test]
    fn what_is_cheap_is_not_free() {
        for (amount, said) in [(1.1544, "1.154"), (0.05, "0.05"), (0.000_353_7, "0.000354"), (2100.0, "2100")]
        {
            assert_eq!(format::amount(amount), said);
        }
    }

    #[test]
    fn a_price_has_the_interval_of_its_figure() {
        let table = table(with_view("1,000 EUR", write)).unwrap();
        let interval = table.rows[0].last().unwrap().words();
        let ends: Vec<f64> = interval.split(" to ").map(|n| n.parse().unwrap()).collect();
        let cost: f64 = table.rows[0][3].words().split(' ').next().unwrap().parse().unwrap();
        assert!(ends[0] <= cost && cost <= ends[1], "{cost} in {interval}");
    }

    #[test]
    fn what_is_no_price_is_not_divided_by_and_said_so() {
        for (price, key) in [("1.299 EUR", "price-unclear"), ("-5 EUR", "price-none")] {
            let section = with_view(price, write);
            assert_eq!(section.blocks.len(), 2);
            let said = Language::English.words().say(key);
            assert!(
                matches!(&section.blocks[1].block, Block::Paragraph(text) if text.words() == said),
                "{price}"
            );
            assert!(with_view(price, answer).unwrap().lines[0].words().ends_with(&said));
        }
    }
}
