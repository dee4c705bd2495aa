//! Percentiles on an axis of nines: 90, 99, 99.9 %.

use language::Words;

use super::{Axis, Drawing, Plot, Reference, Table};

/// Values against the share of operations that are no greater.
#[derive(Clone, Debug, PartialEq)]
pub struct Percentiles {
    /// The axis of values.
    pub value: Axis,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Lines across.
    pub references: Vec<Reference>,
}

/// One distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name; empty where it is the only one.
    pub name: String,
    /// Shares (0 to below 1) and the values at them, ascending; nothing beyond
    /// what the count supports.
    pub points: Vec<(f64, f64)>,
    /// How many operations it rests on.
    pub count: u64,
}

impl Plot for Percentiles {
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
