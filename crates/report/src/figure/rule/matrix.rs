//! What a hand-off takes from each CPU to each: a map with a row for where it
//! comes from and a column for where it goes. Numbers of CPUs are names, not
//! amounts, so that neither lines nor bars over them say anything.

use chart::plot::Measured;
use model::Value;
use model::profile::Aspect;

use super::heat;
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput};

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

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let (from, to) = sides(group)?;
    let metric = quantity::common(words, &group.cases)?;
    let plot = heat::map(group, &metric, to, from);
    let name = Value::Text(metric.title.clone());
    let title = words.tell("figure-matrix", &[("metric", name)]);
    let note = sentence(input, (from, to), &metric, &plot.cells);
    Some(Figure::new("matrix", input.title(&title, group), plot).note(note))
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
