//! A heat map of two factors.

use language::Words;

use super::{Better, Drawing, Measured, Numbers, Plot, Table};

/// One value for each pair of two factors' levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// What the values are.
    pub title: String,
    /// How they are written.
    pub numbers: Numbers,
    /// The factor from left to right, and its levels.
    pub x: (String, Vec<String>),
    /// The factor from top to bottom, and its levels.
    pub y: (String, Vec<String>),
    /// The values, row by row; absent where nothing was measured.
    pub cells: Vec<Vec<Option<Measured>>>,
    /// Which way is better.
    pub better: Option<Better>,
}

impl Plot for Heat {
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
