//! What the rows of a table of locust say of one another: the last one is of all others.

use model::tool_arithmetic::FigureDisagreement;

use crate::tool::arithmetic::{FigureSheet, Term, nth_count_of, nth_of};
use crate::tool::block::ToolLine;

/// The row of all.
const ALL: &str = "Aggregated";

/// A row: `GET / 41 0(0.00%) | 14 3 72 8 | 15.74 0.00`.
struct Row {
    requests: Term,
    failed: Term,
    share: Term,
    /// The mean, the least, the greatest and the median.
    times: [Term; 4],
    rate: Term,
}

impl Row {
    fn of(line: u64, text: &str) -> Option<Self> {
        let mut parts = text.split('|');
        let (counts, times, rates) = (parts.next()?, parts.next()?, parts.next()?);
        let (counts, failed) = match counts.trim_end().rsplit_once(char::is_whitespace)? {
            (counts, failed) if failed.ends_with("%)") => (counts, failed),
            _ => return None,
        };
        let (failed, share) = failed.split_once('(')?;
        let requests = counts.split_whitespace().next_back()?;
        let time = |nth: usize| nth_of(line, times, nth);
        Some(Self {
            requests: nth_count_of(line, requests, 0),
            failed: nth_count_of(line, failed, 0),
            share: nth_of(line, share, 0),
            times: [time(0), time(1), time(2), time(3)],
            rate: nth_of(line, rates, 0),
        })
    }
}

/// What contradicts itself.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    let mut rows: Vec<Row> = Vec::new();
    for (line, text) in sheet.lines() {
        // Another table begins.
        if text.contains("# reqs") {
            rows.clear();
        }
        let Some(row) = Row::of(line, text) else { continue };
        of_row(&sheet, &row);
        if text.starts_with(ALL) {
            of_all(&sheet, &row, &rows);
            rows.clear();
        } else {
            rows.push(row);
        }
    }
    sheet.found()
}

fn of_row(sheet: &FigureSheet<'_>, row: &Row) {
    if row.requests.is_some() {
        sheet.equal(&row.share, (&row.failed / &row.requests).scaled(100.0), 0.0);
    }
    let [mean, least, most, median] = &row.times;
    // Means are cut to whole milliseconds, and medians are rounded to two digits.
    if most.is_some() {
        sheet.between(least, mean, most);
        sheet.at_most(median, &(most * &Term::number(1.1)) + &Term::number(1.0), 0.0);
    }
}

fn of_all(sheet: &FigureSheet<'_>, all: &Row, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let each = |of: fn(&Row) -> &Term| rows.iter().map(|row| of(row).clone()).collect::<Vec<_>>();
    sheet.equal(&all.requests, Term::sum(&each(|row| &row.requests)), 0.0);
    sheet.equal(&all.failed, Term::sum(&each(|row| &row.failed)), 0.0);
    sheet.equal(&all.rate, Term::sum(&each(|row| &row.rate)), 0.01);
}

#[cfg(test)]
mod tests {
    const TEXT: &str = "Type     Name                                 # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s\n\
        --------|------------------------------------|-------|-------------|-------|-------|-------|-------|--------|-----------\n\
        GET      /                                        41     0(0.00%) |     14       3      72      8 |   15.74        0.00\n\
        GET      /missing                                 11  11(100.00%) |      8       3      13      8 |    4.22        4.22\n\
        --------|------------------------------------|-------|-------------|-------|-------|-------|-------|--------|-----------\n\
        \x20        Aggregated                               52   11(21.15%) |     12       3      72      8 |   19.96        4.22\n";

    fn wrong(from: &str, to: &str) -> Vec<String> {
        let output = crate::tool::read("", TEXT.replacen(from, to, 1).as_bytes()).unwrap();
        assert_eq!(output.results.len(), 1);
        let all = output.results.iter().flat_map(|result| &result.disagreements);
        all.map(|wrong| format!("{} / {}", wrong.printed.text, wrong.arithmetic)).collect()
    }

    #[test]
    fn the_last_row_is_of_all_others() {
        assert_eq!(wrong("x", "x"), Vec::<String>::new());
        assert_eq!(wrong("  52   11(21.15%)", " 520  110(21.15%)"), ["520 / 41 + 11", "110 / 0 + 11"]);
        assert_eq!(wrong("(21.15%)", "(2.115%)").len(), 1);
        assert_eq!(wrong("   19.96  ", "   29.96  "), ["29.96 / 15.74 + 4.22"]);
        assert_eq!(wrong("     14       3", "    140       3"), ["140 / 72"]);
    }
}
