//! Load averages: of one, five and fifteen minutes.

use model::MetricName;

use super::cell::{CellUnit, Mean};
use super::sample::SampleCell;

const LOADS: &[MetricName] = &[
    MetricName::new("load_average_1"),
    MetricName::new("load_average_5"),
    MetricName::new("load_average_15"),
];

/// `2.93, 2.26, 2.21`; of busybox `2.93 2.26 2.21 1/100 1234`.
pub(super) fn of_load(line: u64, text: &str) -> Vec<SampleCell> {
    let words = text.split_whitespace().map(|word| word.trim_end_matches(','));
    let cell = |(metric, word): (&MetricName, &str)| {
        let printed = CellUnit::COUNT.read(line, word)?;
        Some(SampleCell { metric: *metric, printed, mean: Mean::Plain })
    };
    LOADS.iter().zip(words).filter_map(cell).collect()
}
