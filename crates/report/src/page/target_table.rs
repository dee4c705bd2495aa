//! What each of several targets gave: a table for the cases that drove several
//! at once.

use model::run::{CaseResult, Estimate, TargetResult};
use model::{MetricName, metric};

use crate::document::{Block, Column, Table, Text};
use crate::format::{self, Rates};
use crate::view::{View, WorkloadGroup};

/// Rows of one table: eight disks in sixty cases.
const ROWS_MOST: usize = 480;

/// Figures of a target beside its rates, where it has them.
const BESIDE: &[MetricName] = &[metric::ELAPSED, metric::LATENCY_P50, metric::LATENCY_P99];

/// The rates, of which a target has a share of the whole.
const RATES: &[MetricName] = &[metric::THROUGHPUT, metric::IOPS];

/// The table, closed on a screen; none where no case has several targets.
pub(super) fn block(view: &View<'_>, group: &WorkloadGroup<'_>) -> Option<Block> {
    let cases: Vec<&CaseResult> =
        group.cases.iter().copied().filter(|c| c.loads.main.targets.len() > 1).collect();
    let has = |name: MetricName| {
        cases.iter().flat_map(|c| &c.loads.main.targets).any(|t| t.estimates.contains_key(&name))
    };
    let rates: Vec<MetricName> = RATES.iter().copied().filter(|name| has(*name)).collect();
    let beside: Vec<MetricName> = BESIDE.iter().copied().filter(|name| has(*name)).collect();
    let first = *rates.first().or(beside.first())?;
    let mut columns = vec![Column::words(view.say("column-target"))];
    columns.extend(rates.iter().map(|name| Column::numbers(view.metric(*name))));
    columns.push(Column::numbers(view.say("column-interval")));
    columns.push(Column::numbers(view.say("column-share")));
    columns.extend(beside.iter().map(|name| Column::numbers(view.metric(*name))));
    let mut table = Table { caption: String::new(), columns, ..Table::default() };
    let figure = |target: &TargetResult, name: MetricName| {
        target.estimates.get(&name).map_or_else(String::new, |e| view.figure(Rates::Bytes, name, e))
    };
    for case in cases {
        if table.rows.len() + case.loads.main.targets.len() > ROWS_MOST {
            break;
        }
        if group.cases.len() > 1 {
            table.groups.push((table.rows.len(), view.short(case).into()));
        }
        for target in &case.loads.main.targets {
            let mut row = vec![target.target.clone()];
            row.extend(rates.iter().map(|name| figure(target, *name)));
            row.push(
                target.estimates.get(&first).and_then(|e| view.interval(Rates::Bytes, e)).unwrap_or_default(),
            );
            row.push(share(case, target, first).map(format::percent).unwrap_or_default());
            row.extend(beside.iter().map(|name| figure(target, *name)));
            table.rows.push(row.into_iter().map(Text::from).collect());
        }
    }
    let blocks = vec![Block::Table(table.without_empty_columns())];
    Some(Block::More { title: view.say("targets-table"), blocks })
}

/// How much of the whole a target gave; of the sum of all, where the whole is
/// not known.
fn share(case: &CaseResult, target: &TargetResult, name: MetricName) -> Option<f64> {
    if !RATES.contains(&name) {
        return None;
    }
    let of = |estimate: &Estimate| estimate.median;
    let sum: f64 = case.loads.main.targets.iter().filter_map(|t| t.estimates.get(&name)).map(of).sum();
    let whole = case.loads.main.estimates.get(&name).map_or(sum, of);
    let share = of(target.estimates.get(&name)?) / whole;
    share.is_finite().then_some(share)
}
