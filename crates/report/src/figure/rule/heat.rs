//! A heat map where two factors have many levels each.

use chart::plot::HeatMap;

use super::matrix;
use super::sweep::{LEVELS_LEAST, LINES_MOST};
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput};

/// Cells that a page and an eye can bear.
const CELLS_MOST: usize = 400;

/// Less than this share of the cells filled is no map.
const FILLED_LEAST: f64 = 0.5;

/// Both have an order and three levels, or one has more levels than there can
/// be lines.
fn sides<'g>(group: &'g CaseGroup<'_>) -> Option<(&'g Factor, &'g Factor)> {
    let [x, y] = group.factors.as_slice() else { return None };
    let (columns, rows) = (x.levels.len(), y.levels.len());
    let both_ordered = x.is_ordered() && y.is_ordered() && columns >= LEVELS_LEAST && rows >= LEVELS_LEAST;
    let many = columns >= LEVELS_LEAST && rows > LINES_MOST || columns > LINES_MOST && rows >= LEVELS_LEAST;
    let cells = columns * rows;
    let filled = group.cases.len() as f64 / cells as f64;
    let is_own = !group.collides() && matrix::sides(group).is_none();
    let fits = cells <= CELLS_MOST && filled >= FILLED_LEAST && is_own;
    ((both_ordered || many) && fits).then_some((x, y))
}

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let (x, y) = sides(group)?;
    let metric = quantity::common(words, &group.cases)?;
    let by = [("metric", metric.title.as_str()), ("factor", &x.title), ("other", &y.title)];
    let title = words.tell_texts("figure-by-two", &by);
    Some(Figure::new("heat", input.title(&title, group), map(group, &metric, x, y)))
}

/// A row for each level of `y`, with a cell for each of `x`.
pub(super) fn map(group: &CaseGroup<'_>, metric: &Metric, x: &Factor, y: &Factor) -> HeatMap {
    let mut cells = vec![vec![None; x.levels.len()]; y.levels.len()];
    for case in &group.cases {
        if let (Some(column), Some(row)) = (x.level_of(case), y.level_of(case)) {
            cells[row][column] = metric.at(case);
        }
    }
    let texts = |f: &Factor| (f.title.clone(), f.levels.iter().map(|l| l.text.clone()).collect());
    HeatMap {
        title: metric.title.clone(),
        numbers: metric.numbers,
        x: texts(x),
        y: texts(y),
        cells,
        better: Some(metric.better),
    }
}
