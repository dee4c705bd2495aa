//! A heat map where two factors have many levels each.

use chart::plot::{HeatMap, Measured};
use model::Value;

use super::matrix;
use super::sweep::{LEVELS_LEAST, LINES_MOST};
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput};

pub(super) const KIND: &str = "heat";

/// Cells that a page and an eye can bear.
const CELLS_MOST: usize = 400;

/// Less than this share of the cells filled is no map.
const FILLED_LEAST: f64 = 0.5;

pub(super) fn charts(input: &RuleInput<'_>) -> Vec<Figure> {
    input.groups.iter().filter_map(|g| chart(input, g)).collect()
}

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

fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let (x, y) = sides(group)?;
    let metric = quantity::common(words, &group.cases)?;
    let cells = cells(group, &metric, x, y);
    let texts = |f: &Factor| (f.title.clone(), f.levels.iter().map(|l| l.text.clone()).collect());
    let title = words.tell(
        "figure-by-two",
        &[
            ("metric", Value::Text(metric.title.clone())),
            ("factor", Value::Text(x.title.clone())),
            ("other", Value::Text(y.title.clone())),
        ],
    );
    let plot = HeatMap {
        title: metric.title.clone(),
        numbers: metric.numbers,
        x: texts(x),
        y: texts(y),
        cells,
        better: Some(metric.better),
    };
    Some(Figure::new(KIND, input.title(&title, group), plot))
}

fn cells(group: &CaseGroup<'_>, metric: &Metric, x: &Factor, y: &Factor) -> Vec<Vec<Option<Measured>>> {
    let mut cells = vec![vec![None; x.levels.len()]; y.levels.len()];
    for case in &group.cases {
        if let (Some(column), Some(row)) = (x.level_of(case), y.level_of(case)) {
            cells[row][column] = metric.at(case);
        }
    }
    cells
}
