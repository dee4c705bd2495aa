//! Lines over a factor, with intervals as bands.

use language::Words;

use super::{Axis, Better, Drawing, Measured, Plot, Reference, Table};

/// Lines over an ordered factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// The axis of the factor.
    pub x: Axis,
    /// The axis of values.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<Line>,
    /// Lines across.
    pub references: Vec<Reference>,
    /// Places to be named, such as a knee.
    pub marks: Vec<Mark>,
    /// Which way is better.
    pub better: Option<Better>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name; empty where it is the only one.
    pub name: String,
    /// Its points, by `x`.
    pub points: Vec<(f64, Measured)>,
}

/// A place with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where, on the factor's axis.
    pub x: f64,
    /// What is there.
    pub label: String,
}

impl Plot for Lines {
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
