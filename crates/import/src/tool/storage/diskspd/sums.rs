//! Tables of diskspd held against themselves: totals against the rows of threads and against both directions, the mean of the
//! processors against each of them.

use model::tool_arithmetic::FigureDisagreement;

use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::ToolLine;

/// What a sum of rates may be off by beyond its rounding.
const NEAR: f64 = 0.002;

/// The figures of a row between its bars.
fn cells(line: u64, text: &str) -> Vec<Term> {
    text.split('|').skip(1).map(|cell| nth_of(line, cell, 0)).collect()
}

/// What one output contradicts itself in.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    let mut rows: Vec<Vec<Term>> = Vec::new();
    // The totals of both directions together, and those of each.
    let (mut table, mut totals): (&str, Vec<(&str, Vec<Term>)>) = ("", Vec::new());
    for (line, text) in sheet.lines() {
        if text.ends_with(" IO") || text.starts_with("CPU |") {
            (table, rows) = (text, Vec::new());
        } else if text.starts_with("total:") {
            // The first figure has a colon and no bar before it.
            let total = cells(line, &text.replacen(':', "|", 1));
            column_sums(&sheet, &rows, &total);
            totals.push((table, total));
            rows.clear();
        } else if text.starts_with("avg.|") {
            for (at, mean) in cells(line, text).iter().enumerate() {
                let column: Vec<Term> = rows.iter().filter_map(|row| row.get(at).cloned()).collect();
                sheet.equal(mean, Term::mean(&column), NEAR);
            }
            rows.clear();
        } else if text.contains('|')
            && text.split('|').next().is_some_and(|first| first.trim().parse::<u64>().is_ok())
        {
            let row = cells(line, text);
            if let ("CPU", [usage, user, kernel, ..]) =
                (table.split(' ').next().unwrap_or_default(), row.as_slice())
            {
                sheet.equal(usage, user + kernel, NEAR);
            }
            rows.push(row);
        }
    }
    let of = |name: &str| totals.iter().find(|(table, _)| *table == name).map(|(_, total)| total);
    if let (Some(all), Some(read), Some(written)) = (of("Total IO"), of("Read IO"), of("Write IO")) {
        for ((all, read), written) in all.iter().zip(read).zip(written).take(SUMMED) {
            sheet.equal(all, read + written, NEAR);
        }
    }
    sheet.found()
}

/// Bytes, operations and their rates are summed up; times behind them are not.
const SUMMED: usize = 4;

fn column_sums(sheet: &FigureSheet<'_>, rows: &[Vec<Term>], total: &[Term]) {
    for (at, total) in total.iter().enumerate().take(SUMMED) {
        let column: Vec<Term> = rows.iter().filter_map(|row| row.get(at).cloned()).collect();
        sheet.equal(total, Term::sum(&column), NEAR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "CPU |  Usage |  User  |  Kernel |  Idle\n   0|  12.34%|   2.34%|   10.00%|  87.66%\n   1|  10.11%|   2.11%|    8.00%|  89.89%\n\
                        avg.|  11.23%|   2.23%|    9.00%|  88.77%\n\nTotal IO\n     0 |      1000 |         10 |     1.00 |     10.00 | x\n     \
                        1 |      2000 |         20 |     2.00 |     20.00 | x\ntotal:         3000 |         30 |     3.00 |     30.00\n\n\
                        Read IO\n     0 |      1000 |         10 |     1.00 |     10.00 | x\n     1 |         0 |          0 |     0.00 |      0.00 | x\n\
                        total:         1000 |         10 |     1.00 |     10.00\n\nWrite IO\n     0 |         0 |          0 |     0.00 |      0.00 | x\n     \
                        1 |      2000 |         20 |     2.00 |     20.00 | x\ntotal:         2000 |         20 |     2.00 |     20.00\n";

    fn wrong(text: &str) -> usize {
        let lines: Vec<ToolLine> = (1..)
            .zip(text.lines())
            .map(|(number, text)| ToolLine { number, text: text.to_owned() })
            .collect();
        disagreements(&lines).len()
    }

    #[test]
    fn totals_and_means_are_those_of_the_rows() {
        assert_eq!(wrong(TEXT), 0);
        for (from, to) in [
            ("avg.|  11.23", "avg.|  21.23"),
            ("12.34%", "22.34%"),
            ("3000 |         30", "3000 |         40"),
            ("total:         2000 |         20 |     2.00", "total:         2000 |         20 |     5.00"),
        ] {
            assert!(TEXT.contains(from) && wrong(&TEXT.replacen(from, to, 1)) > 0, "{to}");
        }
    }
}
