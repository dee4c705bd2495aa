//! How many times faster hyperfine says that a command was: the ratio of the means above.

use std::collections::BTreeMap;

use model::tool_arithmetic::FigureDisagreement;

use super::text::{heading, mean_of};
use crate::tool::arithmetic::{FigureSheet, JsonNode, Term, nth_of};
use crate::tool::block::ToolLine;

/// What stands between a ratio and the command that it is of.
const FASTER: &str = " times faster than ";
const SLOWER: &str = " times slower than ";

/// What contradicts itself.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    // Of commands that were measured twice it is not known which one a ratio is of.
    let mut means: BTreeMap<&str, Vec<Term>> = BTreeMap::new();
    let (mut command, mut first) = ("", None);
    for line in lines {
        let text = line.text.trim();
        if let Some(own) = heading(text) {
            command = own;
        } else if let Some(mean) = mean_of(line) {
            means.entry(command).or_default().push(Term::of(Some(mean)));
        } else if let Some(own) = text.strip_suffix(" ran") {
            first = Some(unquoted(own));
        }
        let only = |command: &str| match means.get(command).map(Vec::as_slice) {
            Some([only]) => Some(only),
            _ => None,
        };
        let compared = |between: &str| {
            let (ratio, other) = text.split_once(between)?;
            let (own, other) = (only(first?)?, only(unquoted(other))?);
            Some((nth_of(line.number, ratio, 0), own, other))
        };
        if let Some((ratio, own, other)) = compared(FASTER) {
            sheet.equal(&ratio, other / own, 0.0);
        } else if let Some((ratio, own, other)) = compared(SLOWER) {
            sheet.equal(&ratio, own / other, 0.0);
        }
    }
    sheet.found()
}

fn unquoted(command: &str) -> &str {
    let command = command.trim();
    command.strip_prefix('\'').and_then(|inside| inside.strip_suffix('\'')).unwrap_or(command)
}

/// What contradicts itself in JSON: the mean is that of the times.
pub(super) fn disagreements_of_json(root: &JsonNode) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(&[]);
    for result in root.get("results").items() {
        let times = result.get("times").numbers("times");
        if !times.is_empty() {
            sheet.equal(&result.number("mean"), Term::mean(&times), 1e-6);
            for time in &times {
                sheet.between(&result.number("min"), time, &result.number("max"));
            }
        }
    }
    sheet.found()
}

#[cfg(test)]
mod tests {
    const TEXT: &str = "Benchmark 1: sleep 0.01\n  Time (mean ± σ):      11.4 ms ±   0.1 ms    [User: 0.6 ms, System: 0.3 ms]\n\
        \x20 Range (min … max):    11.3 ms …  11.5 ms    3 runs\n \nBenchmark 2: sleep 0.03\n\
        \x20 Time (mean ± σ):      31.3 ms ±   0.1 ms    [User: 0.6 ms, System: 0.3 ms]\n\
        \x20 Range (min … max):    31.2 ms …  31.4 ms    3 runs\n \nSummary\n  'sleep 0.01' ran\n\
        \x20   2.75 ± 0.03 times faster than 'sleep 0.03'\n";

    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert!(!output.results.is_empty());
        let all = output.results.iter().flat_map(|result| &result.disagreements);
        all.map(|wrong| format!("{} / {}", wrong.printed.text, wrong.arithmetic)).collect()
    }

    #[test]
    fn a_ratio_is_that_of_two_means() {
        assert_eq!(wrong(TEXT), Vec::<String>::new());
        assert_eq!(wrong(&TEXT.replace("2.75 ±", "3.75 ±")), ["3.75 / 31.3 ms / 11.4 ms"]);
        let unquoted = TEXT.replace('\'', "");
        assert_eq!(wrong(&unquoted.replace("2.75 ±", "1.75 ±")).len(), 1);
        let slower = TEXT
            .replace("'sleep 0.01' ran", "'sleep 0.03' ran")
            .replace("faster than 'sleep 0.03'", "slower than 'sleep 0.01'");
        assert_eq!(wrong(&slower), Vec::<String>::new());
        assert_eq!(wrong(&slower.replace("2.75 ±", "1.75 ±")).len(), 1);
        // Twice the same command.
        assert_eq!(
            wrong(&TEXT.replace("Benchmark 1: sleep 0.01", "Benchmark 1: sleep 0.03")),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_mean_of_json_is_that_of_its_times() {
        let text = |mean: &str| {
            format!(
                "{{\n  \"results\": [\n    {{\n      \"command\": \"true\",\n      \"mean\": {mean},\n      \"stddev\": 0.1,\n      \"median\": 2.0,\n      \
                 \"user\": 0.1,\n      \"system\": 0.1,\n      \"min\": 1.0,\n      \"max\": 3.0,\n      \"times\": [1.0, 2.0, 3.0]\n    }}\n  ]\n}}\n"
            )
        };
        assert_eq!(wrong(&text("2.0")), Vec::<String>::new());
        assert_eq!(wrong(&text("2.5")), ["mean 2.5 / (times 1.0 + times 2.0 + times 3.0) / 3"]);
    }
}
