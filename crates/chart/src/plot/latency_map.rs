//! How many operations finished with which latency, over time: a heat map whose columns are intervals and whose rows are
//! ranges of latency. It shows what percentiles over a whole window hide: two speeds side by side, a pause, a slow drift.

use language::Words;

use super::heat::MOST_ROWS;
use super::wording::{name, text};
use super::{DataTable, Drawing, HeatMap, Measured, Numbers, Plot};
use crate::svg::clean;

/// The least width of a column: neighbours are counted together on a narrow sheet, so that none is left out.
const LEAST: f64 = 10.0;
/// About what the names of the rows take of a sheet.
const NAMES: f64 = 110.0;

/// Counts of operations by time and latency.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyMap {
    /// What is counted: `operations`.
    pub title: String,
    /// What the columns are, and when each begins.
    pub time: (String, Vec<String>),
    /// What the rows are, and from which latency on each counts, the longest first.
    pub latency: (String, Vec<String>),
    /// The counts, row by row, each as long as there are columns.
    pub counts: Vec<Vec<u64>>,
}

impl Plot for LatencyMap {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let most = ((width - NAMES) / LEAST).max(1.0) as usize;
        self.map(together(self.time.1.len(), most)).draw(words, width)
    }

    fn describe(&self, words: &Words) -> String {
        let mut said = vec![words.tell("latency-map-what", &[("title", name(&self.title))])];
        let known = self.latency.1.iter().zip(&self.counts);
        let mut rows = known.filter(|(_, counts)| counts.iter().any(|count| *count > 0));
        let first = rows.next();
        match (first, rows.next_back().or(first)) {
            (Some((longest, _)), Some((shortest, _))) => {
                let ends = [("shortest", text(clean(shortest))), ("longest", text(clean(longest)))];
                said.push(words.tell("latency-map-range", &ends));
            }
            _ => said.push(words.say("chart-nothing")),
        }
        said.join(" ")
    }

    fn table(&self, _words: &Words) -> DataTable {
        let corner = format!("{} \\ {}", clean(&self.latency.0), clean(&self.time.0));
        let head = std::iter::once(corner).chain(self.time.1.iter().map(|time| clean(time))).collect();
        let row = |(latency, counts): (&String, &Vec<u64>)| {
            std::iter::once(clean(latency)).chain(counts.iter().map(ToString::to_string)).collect()
        };
        DataTable { head, rows: self.latency.1.iter().zip(&self.counts).map(row).collect() }
    }
}

/// How many of so many neighbouring columns are one, where `most` are drawn: as few as may be, but up to twice as many where
/// the last one is whole then, or lacks less. One that covers less time would look like less work.
fn together(columns: usize, most: usize) -> usize {
    let least = columns.div_ceil(most.max(1)).max(1);
    if least == 1 {
        return 1;
    }
    let share = |together: usize| match columns % together {
        0 => 1.0,
        last => last as f64 / together as f64,
    };
    // Of equal ones the last is taken, which is the least.
    (least..=2 * least).rev().max_by(|one, other| share(*one).total_cmp(&share(*other))).unwrap_or(least)
}

impl LatencyMap {
    /// The map in which so many neighbouring columns are one, and neighbouring rows where there are more than are drawn.
    /// Where no operation finished, nothing is coloured.
    fn map(&self, together: usize) -> HeatMap {
        let rows = self.latency.1.len().div_ceil(MOST_ROWS).max(1);
        let cell = |counts: &[Vec<u64>], from: usize| {
            let counts = counts.iter().flat_map(|row| row.iter().skip(from).take(together));
            let sum = counts.fold(0u64, |sum, count| sum.saturating_add(*count));
            (sum > 0).then_some(Measured { value: sum as f64, interval: None })
        };
        let columns = || (0..self.time.1.len()).step_by(together);
        let row = |counts: &[Vec<u64>]| columns().map(|from| cell(counts, from)).collect();
        let times = self.time.1.iter().step_by(together).cloned();
        // The least latency of a row is that of the last of those that it is made of.
        let latencies = self.latency.1.chunks(rows).filter_map(|names| names.last().cloned());
        HeatMap {
            title: self.title.clone(),
            numbers: Numbers::Count,
            x: (self.time.0.clone(), times.collect()),
            y: (self.latency.0.clone(), latencies.collect()),
            cells: self.counts.chunks(rows).map(row).collect(),
            better: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;

    fn map() -> LatencyMap {
        LatencyMap {
            title: "operations".to_owned(),
            time: ("seconds".to_owned(), (0..4).map(|at| format!("{at}.0")).collect()),
            latency: (
                "latency from".to_owned(),
                ["100 ms", "10 ms", "1 ms", "100 µs"].map(str::to_owned).into(),
            ),
            counts: vec![vec![0; 4], vec![0, 0, 3, 0], vec![0; 4], vec![500, 480, 20, 510]],
        }
    }

    #[test]
    fn a_pause_is_told_in_words_and_no_operation_is_no_missing_figure() {
        let words = Language::English.words();
        let said = map().describe(words);
        assert!(said.contains("100 µs") && said.contains("10 ms") && !said.contains("100 ms"), "{said}");
        let table = map().table(words);
        assert_eq!(table.rows[1], ["10 ms", "0", "0", "3", "0"]);
        assert_eq!(table.head.len(), 5);
    }

    #[test]
    fn a_narrow_sheet_counts_neighbours_together_and_loses_none() {
        let value = |map: &HeatMap, row: usize| -> Vec<Option<f64>> {
            map.cells[row].iter().map(|cell| cell.map(|measured| measured.value)).collect()
        };
        let (all, halved) = (map().map(1), map().map(2));
        assert_eq!(value(&all, 1), [None, None, Some(3.0), None]);
        assert_eq!(value(&halved, 3), [Some(980.0), Some(530.0)]);
        assert_eq!(halved.x.1, ["0.0", "2.0"]);
        assert!(map().draw(Language::English.words(), 120.0).height > 0.0);
    }

    #[test]
    fn regression_the_last_column_of_a_narrow_sheet_covered_less_time_and_looked_paler() {
        for (columns, most, expected) in
            [(60, 60, 1), (60, 50, 2), (60, 9, 10), (60, 8, 10), (59, 50, 4), (0, 5, 1)]
        {
            assert_eq!(together(columns, most), expected, "{columns} columns, {most} at most");
        }
    }

    #[test]
    fn of_many_ranges_of_latency_neighbours_are_counted_together() {
        let many = LatencyMap {
            latency: ("latency from".to_owned(), (0..130).rev().map(|step| format!("{step} us")).collect()),
            counts: vec![vec![1; 4]; 130],
            ..map()
        };
        let drawn = many.map(2);
        assert!(drawn.y.1.len() <= MOST_ROWS && drawn.cells.len() == drawn.y.1.len());
        assert_eq!(drawn.y.1.last().map(String::as_str), Some("0 us"));
        assert_eq!(drawn.y.1[0], "127 us");
        let counted = drawn.cells.iter().flatten().flatten().map(|cell| cell.value);
        assert_eq!(counted.sum::<f64>(), 520.0);
    }

    #[test]
    fn where_nothing_finished_nothing_is_drawn() {
        let empty = LatencyMap { counts: vec![vec![0; 4]; 4], ..map() };
        let words = Language::English.words();
        assert!(empty.describe(words).contains(&words.say("chart-nothing")));
        assert!(empty.draw(words, 700.0).elements.contains("text"));
    }
}
