//! How much a result is to its baseline: a ratio with its interval a row.

use language::Words;

use super::{Drawing, Measured, Plot, Table};

/// Ratios, one below the other, on a logarithmic axis around 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratios {
    /// What is compared with what: baseline, new.
    pub sides: (String, String),
    /// The difference that does not matter, as a fraction; drawn as a band.
    pub margin: f64,
    /// The rows.
    pub rows: Vec<RatioRow>,
}

/// One ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioRow {
    /// What it is of: the case and the metric.
    pub label: String,
    /// The ratio; absent where there is none.
    pub ratio: Option<Measured>,
    /// The verdict in a word of the page's language.
    pub verdict: String,
    /// Whether the difference is to the good, to the bad, or neither.
    pub good: Option<bool>,
}

impl Plot for Ratios {
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
