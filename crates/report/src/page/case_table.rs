//! The table of a workload's cases: what a row says of a case is decided here
//! alone, so that a column more is one entry more.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::run::{CaseResult, Estimate};
use model::{LoadProfile, MetricName, metric};

use super::highlights;
use crate::breakdown;
use crate::document::{Column, Piece, Table, Text};
use crate::format::{self, Rates};
use crate::view::{View, WorkloadGroup};

/// Metrics beside the headline, in this order, where a case has them: as many as
/// fit the width of a printed page; each with how easily a narrower one spares it.
/// The table of every number has the others.
const BESIDE: &[(MetricName, u8)] = &[
    (metric::IOPS, 3),
    (metric::THROUGHPUT, 2),
    (metric::PEAK_SHARE, 1),
    (metric::FREQUENCY, 2),
    (metric::OPERATIONS_PER_SECOND, 3),
    (metric::LOST_COMMITS, 1),
    (metric::COMPRESSION_RATIO, 1),
    (metric::WAKEUP_P99, 1),
    (metric::LATENESS_P99, 1),
    (metric::LATENCY_P50, 4),
    (metric::LATENCY_P99, 1),
    (metric::CPU_PER_OPERATION, 6),
    (metric::CPU_PER_BYTE, 6),
];
/// Headlines that a study asks for: a case without one has no figure to show instead.
const ASKED: &[MetricName] = &[metric::ELAPSED, metric::RATE_HELD];

/// How easily the metric is spared that a few cases show instead of the headline.
const OWN_SPARE: u8 = 1;
/// How easily the share of a limit is spared.
const LIMIT_SPARE: u8 = 5;

/// Rows that have room on a screen beside the rest of the summary.
const FEW: usize = 20;

/// What stands where nothing was measured.
const NOTHING: &str = "–";

/// A load of a case: itself, or one that ran beside it.
pub(super) struct Row<'a> {
    /// What it is called.
    pub(super) label: String,
    /// The case that it belongs to.
    pub(super) case: &'a CaseResult,
    /// Whether it is the case's own load.
    pub(super) is_main: bool,
    /// Its metric to show first.
    pub(super) headline: MetricName,
    /// In what its rates are written.
    pub(super) rates: Rates,
    /// What it is.
    pub(super) profile: &'a LoadProfile,
    /// What the trials say of it.
    pub(super) estimates: Cow<'a, BTreeMap<MetricName, Estimate>>,
}

/// Each row followed by its parts, such as its reads and its writes.
fn with_parts<'a>(view: &View<'_>, rows: Vec<Row<'a>>) -> Vec<Row<'a>> {
    let mut all = Vec::new();
    for row in rows {
        let of_part = |(label, estimates): (String, BTreeMap<MetricName, Estimate>)| Row {
            label,
            case: row.case,
            is_main: false,
            rates: row.rates,
            headline: row.headline,
            profile: row.profile,
            estimates: Cow::Owned(estimates),
        };
        let parts: Vec<Row<'a>> =
            breakdown::of(view.words, row.profile, &row.estimates).into_iter().map(of_part).collect();
        all.push(row);
        all.extend(parts);
    }
    all
}

/// The rows of a workload: its cases in their order, each followed by what ran
/// beside it.
pub(super) fn rows<'a>(view: &View<'a>, group: &WorkloadGroup<'a>) -> Vec<Row<'a>> {
    let headline = crate::load::headline(&group.cases);
    let mut rows = Vec::new();
    for case in group.cases.iter().copied() {
        let label = view.short(case);
        let estimates = Cow::Borrowed(&case.loads.main.estimates);
        let rates = crate::load::rates(case);
        let profile = crate::load::profile(case);
        rows.push(Row { label, case, is_main: true, headline, rates, profile, estimates });
        for companion in &case.loads.beside {
            let own = crate::load::shown_first(companion);
            let (called, metric) = (view.called(companion.workload.as_str()), view.metric(own));
            let texts = [("workload", called.as_str()), ("metric", metric.as_str())];
            rows.push(Row {
                label: view.tell("case-beside", &texts),
                case,
                is_main: false,
                headline: own.to_owned(),
                rates: Rates::of(companion.profile.rate_unit),
                profile: &companion.profile,
                estimates: Cow::Borrowed(&companion.estimates),
            });
        }
    }
    rows
}

/// Whether the tables of all cases have room on a screen.
pub(super) fn are_few(view: &View<'_>) -> bool {
    let all = view.groups().iter().map(|group| with_parts(view, rows(view, group)).len()).sum::<usize>();
    all <= FEW
}

/// What a column says of a row.
type Write = Box<dyn Fn(&View<'_>, &Row<'_>) -> String>;

/// A column: its title, whether it holds numbers, and what it says of a row.
struct Cell {
    column: Column,
    write: Write,
}

pub(super) fn table(view: &View<'_>, group: &WorkloadGroup<'_>) -> Table {
    let rows = with_parts(view, rows(view, group));
    let cells = cells(view, group, &rows);
    let head = Column::words(view.say("column-case"));
    let columns = std::iter::once(head).chain(cells.iter().map(|c| c.column.clone())).collect();
    let row = |row: &Row<'_>| {
        let label = if row.is_main {
            Piece::Plain(row.label.clone())
        } else {
            Piece::Plain(format!("+ {}", row.label))
        };
        let first = std::iter::once(Text(vec![label]));
        first.chain(cells.iter().map(|c| (c.write)(view, row).into())).collect()
    };
    Table {
        caption: view.count("workloads-table", group.cases.len()),
        columns,
        rows: rows.iter().map(row).collect(),
        groups: Vec::new(),
    }
}

fn cells(view: &View<'_>, group: &WorkloadGroup<'_>, rows: &[Row<'_>]) -> Vec<Cell> {
    let headline = crate::load::headline(&group.cases);
    let cell = |title: String, write: fn(&View<'_>, &Row<'_>) -> String| Cell {
        column: Column::numbers(title),
        write: Box::new(write),
    };
    let mut cells = vec![
        cell(view.metric(headline), |view, row| value(view, row, row.headline)),
        cell(view.say("column-interval"), |view, row| {
            row.estimates
                .get(&row.headline)
                .and_then(|e| view.interval(row.rates, e))
                .unwrap_or_else(|| NOTHING.to_owned())
        }),
        cell(view.say("column-n"), |_, row| trials(row)),
    ];
    let own = own_instead(group, headline).map(|metric| (metric, OWN_SPARE));
    let beside = BESIDE.iter().copied().filter(|(m, _)| *m != headline);
    for (metric, spare) in own.into_iter().chain(beside) {
        if rows.iter().any(|r| r.estimates.contains_key(&metric)) {
            let write = move |view: &View<'_>, row: &Row<'_>| value(view, row, metric);
            let column = Column::numbers(view.metric(metric)).to_spare(spare);
            cells.push(Cell { column, write: Box::new(write) });
        }
    }
    if group.cases.iter().any(|c| highlights::nearest(c).is_some()) {
        let mut limit = cell(view.say("column-limit"), |view, row| {
            let used = highlights::nearest(row.case).filter(|_| row.is_main);
            used.map_or_else(String::new, |u| {
                let share = format::percent(u.fraction);
                let resource = view.resource_of(&u.resource, u.machine.as_deref());
                view.tell("case-of-limit", &[("share", &share), ("resource", &resource)])
            })
        });
        limit.column.spare = LIMIT_SPARE;
        cells.push(limit);
    }
    cells
}

/// What a case shows first that lacks what the others do, where no column has that anyway.
fn own_instead(group: &WorkloadGroup<'_>, headline: MetricName) -> Option<MetricName> {
    if ASKED.contains(&headline) {
        return None;
    }
    let lacks = group.cases.iter().filter(|case| !case.loads.main.estimates.contains_key(&headline));
    let mut own = lacks.map(|case| crate::load::shown_first(&case.loads.main));
    own.find(|metric| *metric != headline && !BESIDE.iter().any(|(beside, _)| beside == metric))
}

fn value(view: &View<'_>, row: &Row<'_>, metric: MetricName) -> String {
    row.estimates.get(&metric).map_or_else(|| NOTHING.to_owned(), |e| view.figure(row.rates, metric, e))
}

/// Trials that gave the figure, of those that were tried.
fn trials(row: &Row<'_>) -> String {
    let own = || row.estimates.get(&row.profile.headline).filter(|_| !ASKED.contains(&row.headline));
    let n = row.estimates.get(&row.headline).or_else(own).map_or(0, |e| e.n);
    let tried = row.case.trials.len();
    if n < tried && row.is_main { format!("{n}/{tried}") } else { n.to_string() }
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::{Better, Run, Unit};

    use super::*;
    use crate::page::Subject;

    /// A case with five trials that shows this time first.
    fn case(metric: MetricName, median: f64) -> CaseResult {
        let mut case = crate::tests::run().cases.remove(0);
        let estimate = Estimate {
            n: 5,
            median,
            low: None,
            high: None,
            confidence: None,
            method: None,
            unit: Unit::Seconds,
            better: Better::Lower,
        };
        case.loads.main.profile.headline = metric;
        case.loads.main.estimates.insert(metric, estimate);
        case
    }

    #[test]
    fn a_case_with_a_headline_of_its_own_has_a_column_for_it_and_is_not_the_best() {
        let (usual, other) = (metric::LOAD_LATENCY, metric::WAKEUP_P50);
        let cases = vec![case(other, 1e-9), case(usual, 8e-8), case(usual, 9e-8)];
        let run = Run { cases, ..crate::tests::run() };
        let view = View::new(&Subject { run: &run, words: Language::English.words() });
        let table = table(&view, &view.groups()[0]);
        let column = |metric: MetricName| {
            let at = table.columns.iter().position(|column| column.title == view.metric(metric)).unwrap();
            table.rows.iter().map(|row| row[at].words()).collect::<Vec<_>>()
        };
        let (of_usual, of_other) = (column(usual), column(other));
        assert!(of_usual[0] == NOTHING && of_usual[1].starts_with("80"), "{of_usual:?}");
        assert!(of_other[0].starts_with('1') && of_other[1] == NOTHING, "{of_other:?}");
        let best = highlights::best(&view);
        assert_eq!((best.len(), best[0].metric, best[0].estimate.median), (1, usual, 8e-8));
    }
}
