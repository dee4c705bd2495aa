//! Bars with intervals, in groups: categories against one value.

use language::Words;

use super::{Axis, Better, Drawing, Measured, Plot, Reference, Table};

/// Bars that lie, one below the other, so that long names are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// The axis of values.
    pub value: Axis,
    /// The names of the series; one needs no name.
    pub series: Vec<String>,
    /// The groups, top to bottom.
    pub groups: Vec<BarGroup>,
    /// Lines across all of them.
    pub references: Vec<Reference>,
    /// Which way is better.
    pub better: Option<Better>,
}

/// Bars that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct BarGroup {
    /// What they are about.
    pub label: String,
    /// One a series that has a value here.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Which series, from 0.
    pub series: usize,
    /// Its value; absent where nothing was measured.
    pub value: Option<Measured>,
    /// A line of its own, such as the limit of this case alone.
    pub reference: Option<Reference>,
    /// Said beside it: why it has no value, that it is not to be trusted.
    pub note: Option<String>,
}

impl Plot for Bars {
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
