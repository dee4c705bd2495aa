//! How often each value occurred.

use language::Words;

use super::{Axis, Drawing, Plot, Reference, Table};

/// A histogram. Bins may differ in width; on a logarithmic axis their areas
/// are as they look.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The axis of values.
    pub value: Axis,
    /// The bins, ascending, without overlap.
    pub bins: Vec<Bin>,
    /// Values to be named: the median, the 99th percentile.
    pub references: Vec<Reference>,
}

/// One bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Its least value.
    pub low: f64,
    /// Its greatest value.
    pub high: f64,
    /// How many values lie in it.
    pub count: u64,
}

impl Plot for Histogram {
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
