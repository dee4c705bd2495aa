//! Every trial of every case: the spread that an interval sums up.

use language::Words;

use super::{Axis, Drawing, Measured, Plot, Reference, Table};

/// A row a case: its trials as dots, from five on a box of the quartiles behind
/// them, and the estimate with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Boxes {
    /// The axis of values.
    pub value: Axis,
    /// The rows, top to bottom.
    pub rows: Vec<BoxRow>,
    /// Lines across all of them.
    pub references: Vec<Reference>,
}

/// One case.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxRow {
    /// What it is called.
    pub label: String,
    /// The trials, in the order they ran.
    pub trials: Vec<f64>,
    /// What they say together.
    pub estimate: Option<Measured>,
}

impl Plot for Boxes {
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
