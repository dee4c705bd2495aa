//! Every number: all estimates of every case, and the trials where they are
//! few.

use std::collections::BTreeMap;

use model::run::{CaseResult, Estimate};
use model::{Better, MetricName, Status, Trial};

use super::case_table::Row;
use super::findings;
use super::{case_table, method};
use crate::document::{Block, Column, Piece, Section, Table, Text};
use crate::format::Rates;
use crate::view::{View, WorkloadGroup};

/// Trials up to so many are listed one by one.
const TRIALS: usize = 120;

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("tables", view.say("tables-title"));
    for group in view.groups() {
        let rows: Vec<Row<'_>> = case_table::rows(view, &group);
        if rows.iter().any(|r| !r.estimates.is_empty()) {
            section.push(of(view, &group, &rows));
        }
    }
    section.extend(trials(view));
    if !section.is_empty() {
        let text = Text::default().plain(format!("{} ", view.say("tables-rest")));
        let command = format!("headroom export {} -o run.json", method::quoted(&view.run.id));
        section.push(Block::Paragraph(text.with(Piece::Code(command))));
    }
    section
}

fn of(view: &View<'_>, group: &WorkloadGroup<'_>, rows: &[Row<'_>]) -> Block {
    let mut table = Table {
        columns: vec![
            Column::words(view.say("column-metric")),
            Column::numbers(view.say("column-median")),
            Column::numbers(view.say("column-low")),
            Column::numbers(view.say("column-high")),
            Column::numbers(view.say("column-n")),
            Column::words(view.say("column-better")),
            Column::words(view.say("column-method")),
        ],
        ..Table::default()
    };
    for row in rows.iter().filter(|r| !r.estimates.is_empty()) {
        table.groups.push((table.rows.len(), row.label.clone().into()));
        table.rows.extend(estimates(view, row.rates, &row.estimates));
    }
    let title = view.tell("tables-of", &[("workload", &view.called(group.name.as_str()))]);
    Block::More { title, blocks: vec![Block::Table(table)] }
}

fn estimates<'b>(
    view: &'b View<'_>,
    rates: Rates,
    all: &'b BTreeMap<MetricName, Estimate>,
) -> impl Iterator<Item = Vec<Text>> + 'b {
    let shown = move |v: Option<f64>, e: &Estimate| v.map(|v| rates.quantity(v, e.unit)).unwrap_or_default();
    all.iter().map(move |(metric, e)| {
        let better = match e.better {
            Better::Higher => "better-higher",
            Better::Lower => "better-lower",
        };
        let method =
            e.method.as_deref().map(|m| view.words.or(&format!("method-{m}"), m)).unwrap_or_default();
        [
            view.metric(*metric),
            rates.quantity(e.median, e.unit),
            shown(e.low, e),
            shown(e.high, e),
            e.n.to_string(),
            view.say(better),
            method,
        ]
        .map(Text::from)
        .to_vec()
    })
}

/// The trials in the order in which they ran; of many, those that gave nothing.
fn trials(view: &View<'_>) -> Option<Block> {
    let mut all: Vec<(&CaseResult, &Trial)> =
        view.run.cases.iter().flat_map(|c| c.trials.iter().map(move |t| (c, t))).collect();
    all.sort_by_key(|(_, t)| t.order);
    let is_whole = all.len() <= TRIALS;
    if !is_whole {
        all.retain(|(_, t)| t.status != Status::Ok);
        all.truncate(TRIALS);
    }
    if all.is_empty() {
        return None;
    }
    let keys =
        ["column-order", "column-case", "column-status", "column-figure", "column-settled", "column-started"];
    let is_number = |key: &str| matches!(key, "column-figure");
    let column =
        |key| if is_number(key) { Column::numbers(view.say(key)) } else { Column::words(view.say(key)) };
    let columns = keys.map(column).to_vec();
    let rows = all.iter().map(|(case, trial)| trial_row(view, case, trial)).collect();
    let title = view.say(if is_whole { "tables-trials" } else { "tables-failed" });
    let table = Table { caption: String::new(), columns, rows, groups: Vec::new() };
    Some(Block::More { title, blocks: vec![Block::Table(table)] })
}

fn trial_row(view: &View<'_>, case: &CaseResult, trial: &Trial) -> Vec<Text> {
    let headline = crate::load::headline(&[case]);
    let rates = crate::load::rates(case);
    let value = trial.result.main().metrics.get(&headline).map(|q| rates.quantity(q.value, q.unit));
    let status = match trial.status {
        Status::Ok => "status-ok",
        Status::Failed => "status-failed",
        Status::Skipped => "status-skipped",
    };
    let status = match &trial.reason {
        Some(reason) => format!("{}: {}", view.say(status), findings::sentence(reason)),
        None => view.say(status),
    };
    let settled = trial.result.steady.as_ref().map(|s| view.say(if s.settled { "yes" } else { "no" }));
    let time = method::clock(&trial.started);
    [
        (u64::from(trial.order) + 1).to_string(),
        view.name(case),
        status,
        value.unwrap_or_default(),
        settled.unwrap_or_default(),
        time,
    ]
    .map(Text::from)
    .to_vec()
}
