//! Two metrics against each other.

use language::Words;

use super::{Axis, Drawing, Measured, Plot, Reference, Table};

/// Points of two metrics, such as latency against throughput.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
    /// The groups of points.
    pub groups: Vec<Dots>,
    /// Lines across, on the axis `x`.
    pub references: Vec<Reference>,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Dots {
    /// Their name; empty where they are the only ones.
    pub name: String,
    /// The points, in the order of their factor.
    pub dots: Vec<Dot>,
    /// Whether a line joins them in that order.
    pub joined: bool,
}

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Left to right.
    pub x: Measured,
    /// Bottom to top.
    pub y: Measured,
    /// What it is: `depth 8`.
    pub label: String,
}

impl Plot for Scatter {
    fn draw(&self, _words: &Words, _width: f64) -> Drawing {
        Drawing::default()
    }

    fn describe(&self, _words: &Words) -> String {
        String::new()
    }

    fn table(&self, _words: &Words) -> Table {
        Table::default()
    }
}
