//! Rows and columns of tables that sum up the others: averages, totals, medians, extremes.

use super::table::{CellNumber, WrittenTable};

/// What a row or a column says that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SumKind {
    Mean,
    Median,
    Total,
    Least,
    Greatest,
}

const NAMES: &[(SumKind, &[&str])] = &[
    (SumKind::Mean, &["average", "avg", "avg.", "mean", "average:", "mean:", "평균", "平均"]),
    (SumKind::Median, &["median", "중앙값", "中央値"]),
    (SumKind::Total, &["total", "sum", "totals", "합계", "총계", "合計"]),
    (SumKind::Least, &["min", "minimum", "min.", "최소", "最小"]),
    (SumKind::Greatest, &["max", "maximum", "max.", "최대", "最大"]),
];

impl SumKind {
    /// What a label says alone, or with a unit in parentheses behind it.
    fn of(label: &str) -> Option<Self> {
        let label = label.to_lowercase();
        let plain = label.split(['(', '[']).next().unwrap_or(&label).trim().trim_end_matches(':');
        NAMES.iter().find(|(_, names)| names.contains(&plain)).map(|(kind, _)| *kind)
    }

    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
            Self::Total => "total",
            Self::Least => "least",
            Self::Greatest => "greatest",
        }
    }
}

/// A summary that is not what its rows make.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrongSum {
    pub(super) kind: SumKind,
    pub(super) line: u64,
    /// The heading of its column; of a row its own label.
    pub(super) of: String,
    pub(super) printed: String,
    pub(super) count: usize,
    pub(super) computed: f64,
    pub(super) decimals: usize,
}

/// How many summaries can be held against their rows, and those that are wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SumsOfTable {
    pub(super) held: usize,
    pub(super) wrong: Vec<WrongSum>,
}

/// Rows that sum up those above them.
pub(super) fn of_rows(table: &WrittenTable) -> SumsOfTable {
    let mut all = SumsOfTable::default();
    let kind_of = |row: &super::table::Row| SumKind::of(&row.cells.first()?.text);
    if table.is_cut() {
        return all;
    }
    for (at, row) in table.rows.iter().enumerate() {
        let Some(kind) = kind_of(row) else { continue };
        // Rows above it that sum up nothing, up to a summary behind which others came.
        let above = table.rows.get(..at).unwrap_or_default();
        let start = above.iter().enumerate().rev().find(|(place, own)| {
            kind_of(own).is_some() && above.get(place + 1).is_some_and(|next| kind_of(next).is_none())
        });
        let start = start.map_or(0, |(place, _)| place + 1);
        let rows: Vec<_> = above.iter().skip(start).filter(|own| kind_of(own).is_none()).collect();
        for column in 1..row.cells.len() {
            let numbers = rows.iter().map(|row| row.cells.get(column)?.number.as_ref());
            let Some(numbers) = numbers.collect::<Option<Vec<_>>>() else { continue };
            let Some(printed) = row.cells.get(column).and_then(|cell| cell.number.as_ref()) else { continue };
            let others: Vec<Vec<&CellNumber>> = (1..row.cells.len())
                .filter(|other| *other != column)
                .filter_map(|other| rows.iter().map(|row| row.cells.get(other)?.number.as_ref()).collect())
                .collect();
            let Some(agrees) = agrees(kind, printed, &numbers, &others) else { continue };
            all.held += 1;
            if !agrees {
                all.wrong.push(WrongSum {
                    kind,
                    line: row.line,
                    of: table.headings.get(column).cloned().unwrap_or_default(),
                    printed: row.cells[column].text.clone(),
                    count: numbers.len(),
                    computed: computed(kind, &numbers),
                    decimals: decimals(printed),
                });
            }
        }
    }
    all
}

/// Columns that sum up the runs to their left: `run 1 | run 2 | run 3 | average`.
pub(super) fn of_columns(table: &WrittenTable) -> SumsOfTable {
    let turned = table.turned();
    let mut all = SumsOfTable::default();
    // Without headings that count runs, nobody knows of what a column is the sum.
    let labels: Vec<String> = turned.rows.first().map_or_else(Vec::new, |_| table.headings.clone());
    let first = labels.iter().position(|label| SumKind::of(label).is_some());
    let Some(first) = first.filter(|first| *first > 1) else { return all };
    let runs = labels.get(1..first).unwrap_or_default();
    let are_runs = runs.len() > 1 && (1..).zip(runs).all(|(number, label)| is_run(label, number));
    if !are_runs {
        return all;
    }
    for row in &table.rows {
        let numbers = row.cells.get(1..first).unwrap_or_default().iter().map(|cell| cell.number.as_ref());
        let Some(numbers) = numbers.collect::<Option<Vec<_>>>() else { continue };
        for (column, label) in labels.iter().enumerate().skip(first) {
            let Some(kind) = SumKind::of(label) else { continue };
            let Some(cell) = row.cells.get(column) else { continue };
            let Some(printed) = &cell.number else { continue };
            let Some(agrees) = agrees(kind, printed, &numbers, &[]) else { continue };
            all.held += 1;
            if !agrees {
                all.wrong.push(WrongSum {
                    kind,
                    line: row.line,
                    of: row.cells.first().map(|cell| cell.text.clone()).unwrap_or_default(),
                    printed: cell.text.clone(),
                    count: numbers.len(),
                    computed: computed(kind, &numbers),
                    decimals: decimals(printed),
                });
            }
        }
    }
    all
}

/// `run 1`, `#1`, `1st`, `test 1`, `1`.
fn is_run(label: &str, number: usize) -> bool {
    let digits: String = label.chars().filter(char::is_ascii_digit).collect();
    let has_unit =
        ["kb", "mb", "gb", "kib", "mib", "gib"].iter().any(|unit| label.to_lowercase().contains(unit));
    digits == number.to_string() && !has_unit && label.chars().count() <= 12
}

fn decimals(number: &CellNumber) -> usize {
    if number.step < 1.0 { (-number.step.log10()).round().clamp(0.0, 9.0) as usize } else { 0 }
}

fn sorted(numbers: &[&CellNumber]) -> Vec<f64> {
    let mut values: Vec<f64> = numbers.iter().map(|number| number.value).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().sum()
}

fn middle(values: &[f64]) -> f64 {
    let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
    (values.get(low).copied().unwrap_or_default() + values.get(high).copied().unwrap_or_default()) / 2.0
}

/// What the label says, as most would compute it.
fn computed(kind: SumKind, numbers: &[&CellNumber]) -> f64 {
    let values = sorted(numbers);
    match kind {
        SumKind::Mean => sum(values.iter().copied()) / values.len() as f64,
        SumKind::Median => middle(&values),
        SumKind::Total => sum(values),
        SumKind::Least => values.first().copied().unwrap_or_default(),
        SumKind::Greatest => values.last().copied().unwrap_or_default(),
    }
}

/// Whether a figure is what its rows make, by any way in which such a label is meant. `None` where that cannot be told.
fn agrees(
    kind: SumKind,
    printed: &CellNumber,
    numbers: &[&CellNumber],
    others: &[Vec<&CellNumber>],
) -> Option<bool> {
    let is_of_one_unit = numbers.iter().all(|number| number.unit == numbers[0].unit);
    if numbers.len() < 2 || !is_of_one_unit || printed.unit != numbers[0].unit {
        return None;
    }
    let values = sorted(numbers);
    let count = values.len() as f64;
    let rounding = sum(numbers.iter().map(|number| number.step)) / count;
    let is_near =
        |value: f64, room: f64| (value - printed.value).abs() <= printed.step + room + 1e-9 * value.abs();
    let mean = sum(values.iter().copied()) / count;
    let (least, greatest) = (values.first().copied()?, values.last().copied()?);
    let weighted = |weights: &Vec<&CellNumber>| {
        let all = sum(weights.iter().map(|weight| weight.value));
        sum(numbers.iter().zip(weights).map(|(number, weight)| number.value * weight.value)) / all
    };
    let is_mean = || {
        let positive = least > 0.0;
        let geometric = (sum(values.iter().map(|value| value.ln())) / count).exp();
        let harmonic = count / sum(values.iter().map(|value| 1.0 / value));
        let inner = values.get(1..values.len() - 1).unwrap_or_default();
        let trimmed = sum(inner.iter().copied()) / inner.len() as f64;
        let is_trimmed = inner.len() > 1 && is_near(trimmed, rounding);
        is_near(mean, rounding)
            || is_near(middle(&values), rounding)
            || positive && (is_near(geometric, rounding) || is_near(harmonic, rounding))
            || is_trimmed
            || others.iter().any(|weights| is_near(weighted(weights), rounding + 0.01 * mean.abs()))
    };
    Some(match kind {
        SumKind::Mean => is_mean(),
        SumKind::Median => is_near(middle(&values), rounding),
        SumKind::Least => is_near(least, rounding),
        SumKind::Greatest => is_near(greatest, rounding),
        // Of shares and latencies it is that of all together; of times that run at once the longest.
        SumKind::Total => {
            let total = sum(values.iter().copied());
            is_near(total, rounding * count)
                || is_mean()
                || is_near(greatest, rounding)
                || printed.value == 100.0
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (usize, usize) {
        let output = import::tool::read("", text.as_bytes()).unwrap();
        let table = WrittenTable::all(&output).remove(0);
        let (rows, columns) = (of_rows(&table), of_columns(&table));
        (rows.held + columns.held, rows.wrong.len() + columns.wrong.len())
    }

    fn rows(last: &str) -> String {
        format!(
            "| run | MB/s | ms |\n|---|---|---|\n| 1 | 500 | 1.2 |\n| 2 | 520 | 1.4 |\n| 3 | 540 | 1.1 |\n| {last} |\n"
        )
    }

    #[test]
    fn a_row_of_averages_is_that_of_the_rows_above() {
        for right in [
            "Average | 520 | 1.23",
            "avg | 520.0 | 1.2",
            "Mean | 520 | 1.2",
            "median | 520 | 1.2",
            "Min | 500 | 1.1",
            "total | 1560 | 3.7",
        ] {
            assert_eq!(of(&rows(right)), (2, 0), "{right}");
        }
        for wrong in ["Average | 560 | 1.23", "median | 540 | 1.2", "Max | 550 | 1.4", "total | 1650 | 3.7"] {
            assert_eq!(of(&rows(wrong)), (2, 1), "{wrong}");
        }
    }

    #[test]
    fn a_mean_may_be_weighted_or_of_rows_that_are_not_shown() {
        let weighted = "| page | requests | ms |\n|---|---|---|\n| a | 900 | 10 |\n| b | 100 | 50 |\n| Total | 1000 | 14 |\n";
        assert_eq!(of(weighted), (2, 0));
        let cut = rows("average | 560 | 9").replace("| 2 | 520 | 1.4 |", "| ... | ... | ... |");
        assert_eq!(of(&cut), (0, 0));
        assert_eq!(of(&rows("Average of 10 | 560 | 9.9")), (0, 0), "the label says more");
    }

    #[test]
    fn a_column_of_averages_is_that_of_the_runs() {
        let text = |mean: &str| {
            format!(
                "| disk | run 1 | run 2 | run 3 | avg |\n|---|---|---|---|---|\n| A | 500 | 520 | 540 | {mean} |\n| B | 300 | 310 | 320 | 310 |\n"
            )
        };
        assert_eq!((of(&text("520")), of(&text("540"))), ((2, 0), (2, 1)));
        let blocks = "| disk | 1 MB | 2 MB | avg |\n|---|---|---|---|\n| A | 500 | 520 | 600 |\n| B | 300 | 310 | 320 |\n";
        assert_eq!(of(blocks), (0, 0), "these are no runs");
    }
}
