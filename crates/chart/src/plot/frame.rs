//! The frame of a chart with two axes: titles, ticks, grid, and where the data
//! go. The title of the upright axis stands above it, where it can be read.

use language::Words;

use super::canvas::{Canvas, LINE, MIDDLE, TEXT};
use super::scale::{Domain, Scale};
use super::ticks::{TICK, Tick, TickDirection};
use super::{Axis, Better};
use crate::svg::{clean, join};

/// From the labels of ticks to the axis.
const TICK_GAP: f64 = 6.0;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TickedAxis {
    pub(crate) scale: Scale,
    pub(crate) ticks: Vec<Tick>,
}

impl TickedAxis {
    /// An axis with ticks at round numbers.
    pub(crate) fn new(axis: &Axis, scale: Scale, along: TickDirection) -> Self {
        Self { scale, ticks: axis.ticks(&scale, along) }
    }
}

/// The two axes and the area between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    /// Left to right; its scale may begin inside the area, so that marks at its
    /// ends have room.
    pub(crate) x: TickedAxis,
    pub(crate) y: TickedAxis,
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl Frame {
    /// Where the area begins, right of such ticks.
    pub(crate) fn left_of(ticks: &[Tick]) -> f64 {
        let widest = ticks.iter().map(|t| TICK.width(&t.label)).fold(0.0, f64::max);
        (widest + TICK_GAP).ceil()
    }

    /// Gives the area its place on the sheet, and the upright axis its ticks.
    pub(crate) fn stand(&mut self, top: f64, height: f64, upright: &Axis) {
        (self.top, self.bottom) = (top, top + height);
        (self.y.scale.from, self.y.scale.to) = (self.bottom, self.top);
        self.y.ticks = upright.ticks(&self.y.scale, TickDirection::Up);
    }

    /// Draws grid, ticks and their labels, and the title of the axis from left
    /// to right. The answer is the height down to where all of that ends.
    pub(crate) fn draw(&self, canvas: &mut Canvas, x_title: &str) -> f64 {
        self.draw_grid(canvas);
        foot(canvas, &self.x.ticks, self.bottom, (self.left, self.right), x_title)
    }

    /// Draws the same without what stands below the area, for a panel that has
    /// another one there.
    pub(crate) fn draw_grid(&self, canvas: &mut Canvas) -> f64 {
        for tick in &self.y.ticks {
            canvas.across("g", tick.at, self.left, self.right);
            if !tick.label.is_empty() {
                canvas.text((self.left - TICK_GAP, tick.at + MIDDLE), "t e", &tick.label);
            }
        }
        canvas.across("a", self.bottom, self.left, self.right);
        self.bottom + 4.0
    }
}

/// Ticks below an area, and the title of their axis below them. The answer is
/// the height down to where that ends.
pub(crate) fn foot(
    canvas: &mut Canvas,
    ticks: &[Tick],
    bottom: f64,
    (left, right): (f64, f64),
    title: &str,
) -> f64 {
    for tick in ticks {
        canvas.down("a", tick.at, bottom, bottom + 4.0);
        canvas.text((tick.middle, bottom + 17.0), "t m", &tick.label);
    }
    let mut y = bottom + 21.0;
    for line in TEXT.wrap(title, right - left, right - left, 2) {
        y += LINE;
        canvas.text((right, y - 4.0), "q e", &line);
    }
    y + 4.0
}

/// Lines of text from the left edge, the first at the top of the sheet or below
/// `y`; the answer is where they end.
pub(crate) fn heading(canvas: &mut Canvas, text: &str, mut y: f64, class: &str) -> f64 {
    for line in TEXT.wrap(text, canvas.width, canvas.width, 2) {
        y += LINE;
        canvas.text((0.0, y - 4.0), class, &line);
    }
    y
}

/// What an axis measures, which way is better, and what is not as expected.
pub(crate) fn title(axis: &Axis, domain: &Domain, better: Option<Better>, words: &Words) -> String {
    let mut parts = vec![clean(&axis.title)];
    parts.extend(better.map(|better| match better {
        Better::Higher => words.say("chart-higher"),
        Better::Lower => words.say("chart-lower"),
    }));
    if domain.is_logarithmic() {
        parts.push(words.say("chart-logarithmic"));
    } else if domain.low > 0.0 {
        let low = axis.numbers.write(domain.low);
        parts.push(words.tell("chart-from", &[("value", low.as_str().into())]));
    }
    join(parts, " · ")
}
