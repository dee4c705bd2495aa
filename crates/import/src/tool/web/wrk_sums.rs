//! What the figures of wrk say of one another. Requests and bytes against the time are held by the checks, as those of every
//! tool.

use model::tool_arithmetic::FigureDisagreement;

use super::span;
use crate::tool::arithmetic::{FigureSheet, Term, nth_count_of};
use crate::tool::block::ToolLine;

/// The histogram of latencies has so many digits.
const BIN: f64 = 0.02;

/// What contradicts itself.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    let time = |line: u64, word: &str| Term::of(span(line, word));
    let (mut most, mut before) = (Term::default(), Term::default());
    let (mut requests, mut is_distribution) = (Term::default(), false);
    for (line, text) in sheet.lines() {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["Latency", "Distribution", ..] => is_distribution = true,
            // wrk2 prints a spectrum below.
            ["Detailed", ..] => is_distribution = false,
            ["Latency", mean, _, max, ..] => {
                most = time(line, max);
                sheet.at_most(&time(line, mean), most.clone(), BIN);
            }
            [percent, value] if is_distribution && percent.ends_with('%') => {
                let value = time(line, value);
                sheet.at_least(&value, before, BIN);
                sheet.at_most(&value, most.clone(), BIN);
                before = value;
            }
            [_, "requests", "in", ..] => requests = nth_count_of(line, text, 0),
            ["Non-2xx", .., failed] => sheet.at_most(&nth_count_of(line, failed, 0), requests.clone(), 0.0),
            _ => {}
        }
    }
    sheet.found()
}

#[cfg(test)]
mod tests {
    const TEXT: &str = "Running 3s test @ http://a/\n  2 threads and 10 connections\n\
        \x20 Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency    49.63ms   27.29ms 222.58ms   80.04%\n\
        \x20   Req/Sec    90.36     27.73   181.00     71.43%\n  Latency Distribution\n     50%   44.87ms\n     75%   59.14ms\n\
        \x20    90%   81.86ms\n     99%  172.01ms\n  541 requests in 3.00s, 270.50KB read\n  Non-2xx or 3xx responses: 541\n\
        Requests/sec:    180.33\nTransfer/sec:     90.17KB\n";

    fn wrong(from: &str, to: &str) -> Vec<String> {
        let output = crate::tool::read("", TEXT.replacen(from, to, 1).as_bytes()).unwrap();
        assert_eq!(output.results.len(), 1);
        let all = output.results.iter().flat_map(|result| &result.disagreements);
        all.map(|wrong| format!("{} / {}", wrong.printed.text, wrong.arithmetic)).collect()
    }

    #[test]
    fn latencies_rise_and_lie_below_the_longest() {
        assert_eq!(wrong("a", "a"), Vec::<String>::new());
        assert_eq!(wrong("172.01ms", "1.72s"), ["1.72s / 222.58ms"]);
        assert_eq!(wrong(" 81.86ms", " 8.186ms"), ["8.186ms / 59.14ms"]);
        assert_eq!(wrong("49.63ms", "496.3ms"), ["496.3ms / 222.58ms"]);
        assert_eq!(wrong("responses: 541", "responses: 5410"), ["5410 / 541"]);
    }
}
