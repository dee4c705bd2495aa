//! Every trial of every case: the spread that intervals sum up.

use chart::plot::{Axis, BoxRow, Boxes, Measured, Numbers, Spread};
use model::Value;
use model::run::CaseResult;
use model::trial::{Status, Trial};

use crate::figure::factors::{self, Factor};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput, capitalized, some_of};

/// Rows that a reader goes through.
const ROWS_MOST: usize = 40;

/// Medians further apart than this have no spread to see on one axis: then each
/// trial is shown against its own case's median.
const APART: f64 = 5.0;

/// The finding that tells which trial lies apart.
const OUTLIER: &str = "outlier-trial";

/// One case's trials.
struct Row<'a> {
    case: &'a CaseResult,
    metric: Metric,
    /// Of every trial, in order; one that gave no figure has no number.
    trials: Vec<f64>,
    /// Those that have one.
    values: Vec<f64>,
    point: Measured,
}

pub(super) fn charts(input: &RuleInput<'_>) -> Vec<Figure> {
    chart(input).into_iter().collect()
}

fn row<'a>(input: &RuleInput<'_>, case: &'a CaseResult) -> Option<Row<'a>> {
    let metric = quantity::figure(case).and_then(|m| Metric::of(input.view.words, case, m))?;
    let value = |trial: &Trial| {
        let measured = trial.result.main().metrics.get(&metric.name);
        let is_figure = |value: f64| value.is_finite() && trial.status == Status::Ok;
        measured.filter(|q| q.unit == metric.unit && is_figure(q.value)).map_or(f64::NAN, |q| q.value)
    };
    let trials: Vec<f64> = case.trials.iter().map(value).collect();
    let values: Vec<f64> = trials.iter().copied().filter(|v| v.is_finite()).collect();
    let point = metric.at(case)?;
    (!values.is_empty()).then_some(Row { case, metric, trials, values, point })
}

fn chart(input: &RuleInput<'_>) -> Option<Figure> {
    let words = input.view.words;
    let mut rows: Vec<Row<'_>> = input.cases.iter().filter_map(|c| row(input, c)).collect();
    if !rows.iter().any(|r| r.values.len() > 1) {
        return None;
    }
    let factors = factors::of(input.view, &input.cases);
    let all = rows.len();
    if all > ROWS_MOST {
        rows = widest(rows);
    }
    let same = rows.iter().all(|r| r.metric == rows[0].metric) && !are_apart(&rows);
    let metric = rows[0].metric.clone();
    let side = factors.iter().find(|f| f.is_side());
    let made = rows.iter().map(|row| {
        let own = || side.and_then(|side| baseline(row, side, &factors, &rows)).unwrap_or(row.point.value);
        let scale = if same { 1.0 } else { own() };
        BoxRow {
            label: factors::label(&factors, row.case),
            trials: row.trials.iter().map(|v| v / scale).collect(),
            estimate: Some(Measured {
                value: row.point.value / scale,
                interval: row.point.interval.map(|(low, high)| (low / scale, high / scale)),
            }),
            apart: apart(row),
        }
    });
    let is_usable = |row: &BoxRow| {
        row.trials.iter().any(|t| t.is_finite()) && !row.trials.iter().any(|t| t.is_infinite())
    };
    let usable = made.filter(is_usable).collect::<Vec<_>>();
    if usable.is_empty() {
        return None;
    }
    let value = if same {
        metric.axis()
    } else {
        let key = if side.is_some() { "figure-to-baseline" } else { "figure-to-median" };
        Axis { title: words.say(key), numbers: Numbers::Times, spread: Spread::Auto }
    };
    let title = match (same, input.cases.len()) {
        (true, 1) => words.tell("figure-trials-of-one", &[("metric", Value::Text(metric.title))]),
        (true, _) => words.tell("figure-trials", &[("metric", Value::Text(metric.title))]),
        (false, _) if side.is_some() => words.say("figure-trials-to-baseline"),
        (false, _) => words.say("figure-trials-to-median"),
    };
    let cut = (all > ROWS_MOST).then(|| some_of(words, "figure-trials-some", (usable.len(), all)));
    let plot = Boxes { value, rows: usable, references: Vec::new() };
    Some(Figure::new("boxes", capitalized(&title), plot).note(cut))
}

/// The place of the trial that lies apart from the others, if a finding says so of these values.
fn apart(row: &Row<'_>) -> Option<usize> {
    let found = row.case.findings.iter().find(|finding| finding.code == OUTLIER)?;
    let number = |name: &str| found.args.get(name).and_then(Value::number);
    let (trial, of) = (number("trial")?, number("of")?);
    (of == row.trials.len() as f64 && (1.0..=of).contains(&trial)).then(|| trial as usize - 1)
}

/// The median that the first side's case has which did the same.
fn baseline(row: &Row<'_>, side: &Factor, factors: &[Factor], rows: &[Row<'_>]) -> Option<f64> {
    let is_partner = |other: &&Row<'_>| {
        side.level_of(other.case) == Some(0)
            && other.metric == row.metric
            && factors.iter().all(|f| f.is_side() || f.level_of(other.case) == f.level_of(row.case))
    };
    rows.iter().find(is_partner).map(|r| r.point.value).filter(|v| *v > 0.0)
}

fn are_apart(rows: &[Row<'_>]) -> bool {
    let medians = rows.iter().map(|r| r.point.value);
    let (low, high) = medians.fold((f64::MAX, f64::MIN), |(l, h), m| (l.min(m), h.max(m)));
    low > 0.0 && high > low * APART
}

/// Those with the widest spread, in the order they had.
fn widest(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let spread = |r: &Row<'_>| {
        let (low, high) = r.values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        (high - low) / r.point.value.abs().max(f64::MIN_POSITIVE)
    };
    let mut places: Vec<usize> = (0..rows.len()).collect();
    places.sort_by(|a, b| spread(&rows[*b]).total_cmp(&spread(&rows[*a])));
    places.truncate(ROWS_MOST);
    rows.into_iter().enumerate().filter(|(at, _)| places.contains(at)).map(|(_, row)| row).collect()
}
