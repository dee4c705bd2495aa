//! What a hand-off takes from each CPU to each: a map with a row for where it
//! comes from and a column for where it goes. Numbers of CPUs are names, not
//! amounts, so that neither lines nor bars over them say anything.

use chart::plot::{HeatMap, Measured};
use model::Value;
use model::profile::Aspect;

use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput};

pub(super) const KIND: &str = "matrix";

/// Cells that a page and an eye can bear.
const CELLS_MOST: usize = 4096;

/// The two factors of a matrix: where from and where to.
pub(super) fn sides<'g>(group: &'g CaseGroup<'_>) -> Option<(&'g Factor, &'g Factor)> {
    let [one, other] = group.factors.as_slice() else { return None };
    let (from, to) = match (one.says?, other.says?) {
        (Aspect::From, Aspect::To) => (one, other),
        (Aspect::To, Aspect::From) => (other, one),
        _ => return None,
    };
    let fits = from.levels.len() * to.levels.len() <= CELLS_MOST && !group.collides();
    fits.then_some((from, to))
}

pub(super) fn charts(input: &RuleInput<'_>) -> Vec<Figure> {
    input.groups.iter().filter_map(|g| chart(input, g)).collect()
}

fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let (from, to) = sides(group)?;
    let metric = quantity::common(words, &group.cases)?;
    let mut cells = vec![vec![None; to.levels.len()]; from.levels.len()];
    for case in &group.cases {
        if let (Some(row), Some(column)) = (from.level_of(case), to.level_of(case)) {
            cells[row][column] = metric.at(case);
        }
    }
    let levels = |f: &Factor| f.levels.iter().map(|l| l.text.clone()).collect::<Vec<_>>();
    let name = Value::Text(metric.title.clone());
    let title = words.tell("figure-matrix", &[("metric", name)]);
    let notes = [sentence(input, (from, to), &metric, &cells)];
    let plot = HeatMap {
        title: metric.title.clone(),
        numbers: metric.numbers,
        x: (to.title.clone(), levels(to)),
        y: (from.title.clone(), levels(from)),
        cells,
        better: Some(metric.better),
    };
    let figure = Figure::new(KIND, input.title(&title, group), plot);
    Some(notes.into_iter().fold(figure, Figure::note))
}

/// What the same CPU takes, and what others do.
fn sentence(
    input: &RuleInput<'_>,
    (from, to): (&Factor, &Factor),
    metric: &Metric,
    cells: &[Vec<Option<Measured>>],
) -> Option<String> {
    let (mut same, mut others): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for (row, cells) in from.levels.iter().zip(cells) {
        for (column, cell) in to.levels.iter().zip(cells) {
            let Some(cell) = cell else { continue };
            let is_same = row.number.is_some() && row.number == column.number;
            if is_same { same.push(cell.value) } else { others.push(cell.value) }
        }
    }
    let shown = |value: f64| Value::Text(crate::figure::reference::shown(value, metric));
    let middle = |values: &[f64]| stats::interval::median(values);
    let (same, other) = (middle(&same)?, middle(&others)?);
    let args = [("same", shown(same)), ("other", shown(other))];
    Some(input.view.words.tell("figure-matrix-note", &args))
}
