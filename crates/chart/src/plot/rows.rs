//! Charts of rows, one below the other: names at the left, or on a phone above,
//! an axis from left to right, and words at the right end.

use super::canvas::{Canvas, LINE, PathBuilder, TEXT};
use super::scale::Scale;
use super::ticks::Tick;
use crate::svg::clean;

/// From names to the area of the axis.
pub(crate) const GAP: f64 = 10.0;

/// How many lines a name may take.
const NAME_LINES: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Names {
    /// Where the names end, if they stand at the left; `None` where they stand
    /// above their rows.
    pub(crate) beside: Option<f64>,
    width: f64,
}

impl Names {
    /// Beside the rows, where the sheet is wide; as wide as they need, up to a
    /// share of it.
    pub(crate) fn of<'a>(names: impl Iterator<Item = &'a str>, canvas: &Canvas) -> Self {
        let width = canvas.width;
        let widest = names.map(|name| TEXT.width(&clean(name))).fold(0.0, f64::max);
        Self { beside: canvas.is_pointed().then(|| widest.min(width * 0.32).ceil()), width }
    }

    /// The same, where they stand above rows with so much room left at the right
    /// of their lines; beside rows nothing changes.
    pub(crate) fn leaving(self, room: f64) -> Self {
        Self { width: if self.beside.is_none() { self.width - room } else { self.width }, ..self }
    }

    /// Where the area right of them begins.
    pub(crate) fn right(&self) -> f64 {
        self.beside.map_or(0.0, |end| if end > 0.0 { end + GAP } else { 0.0 })
    }

    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let room = self.beside.unwrap_or(self.width);
        TEXT.wrap(&clean(name), room, room, NAME_LINES)
    }

    /// Draws a name above `y`, and answers where the rows begin, or beside rows
    /// from `y` on of this height.
    pub(crate) fn draw(&self, canvas: &mut Canvas, name: &str, y: f64, height: f64) -> f64 {
        let lines = self.lines(name);
        let start = match self.beside {
            None => y,
            Some(_) => y + (height - lines.len() as f64 * LINE) / 2.0,
        };
        for (i, line) in lines.iter().enumerate() {
            let base = start + (i + 1) as f64 * LINE - 4.0;
            match self.beside {
                None => canvas.text((0.0, base), "o", line),
                Some(end) => canvas.text((end, base), "e", line),
            }
        }
        if self.beside.is_some() { y } else { y + lines.len() as f64 * LINE }
    }

    /// The height that rows with this name take at least.
    pub(crate) fn height(&self, name: &str, rows: f64) -> f64 {
        let lines = self.lines(name).len() as f64 * LINE;
        if self.beside.is_some() { lines.max(rows) } else { lines + rows }
    }
}

/// Lines down through all rows at the ticks.
pub(crate) fn grid(canvas: &mut Canvas, ticks: &[Tick], top: f64, bottom: f64) {
    for tick in ticks {
        canvas.down("g", tick.at, top, bottom);
    }
}

/// An interval as a whisker at a height, with a bar across each end that is on
/// the axis: what goes on beyond it has none.
pub(crate) fn whisker(scale: &Scale, interval: Option<(f64, f64)>, y: f64, half: f64) -> Option<PathBuilder> {
    let (left, right) = ends(scale, interval)?;
    let (low, high) = interval?;
    let bar = |pen: PathBuilder, x: f64, on: bool| if on { pen.jump(x, y - half).up(y + half) } else { pen };
    let pen = PathBuilder::at(left, y).across(right);
    Some(bar(bar(pen, left, scale.domain.holds(low)), right, scale.domain.holds(high)))
}

/// Where a value stands on the axis, and an interval's ends around it.
pub(crate) fn ends(scale: &Scale, interval: Option<(f64, f64)>) -> Option<(f64, f64)> {
    interval
        .filter(|(low, high)| low.is_finite() && high.is_finite())
        .map(|(low, high)| (scale.place(low), scale.place(high)))
}
