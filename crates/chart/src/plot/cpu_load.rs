//! The load of each CPU over time: a row a CPU, the darker the busier.

use language::Words;

use super::{Drawing, Plot, Table};

/// How busy each CPU was.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuLoad {
    /// From when to when, in seconds.
    pub span: (f64, f64),
    /// The part that counts, in the same seconds.
    pub window: Option<(f64, f64)>,
    /// The CPUs.
    pub cpus: Vec<CpuRow>,
}

/// One CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuRow {
    /// Its number.
    pub cpu: u32,
    /// When the first interval began, in seconds.
    pub start_s: f64,
    /// How long an interval is, in seconds.
    pub interval_s: f64,
    /// The share of each interval that it was busy, 0 to 1.
    pub busy: Vec<f64>,
    /// What it did besides computing for others, such as `takes the disk's
    /// interrupts`; shown at its name.
    pub note: Option<String>,
}

impl Plot for CpuLoad {
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
