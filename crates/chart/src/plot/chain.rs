//! The path of a workload's data as a chain, each link with its share.

use language::Words;

use super::{Drawing, Plot, Table};

/// A path.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The links, from the program outwards.
    pub links: Vec<Link>,
}

/// One resource on the path.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What it is called: `disk vda`.
    pub name: String,
    /// What passes and what could: `429 of 560 MB/s`.
    pub detail: Option<String>,
    /// The share of its limit that is used; absent where no limit is known.
    pub share: Option<f64>,
    /// Bytes that pass here for each one of the workload.
    pub amplification: f64,
    /// Whether it is what holds the result back.
    pub is_bottleneck: bool,
}

impl Plot for Chain {
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
