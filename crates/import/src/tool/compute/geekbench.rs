//! Geekbench: its two scores. Those of one major version cannot be held against those of another.

use model::tool_result::{PrintedValue, ToolResult};
use model::{MetricName, Unit};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Geekbench;

const NAME: &str = "geekbench";

/// The lines of the scores, with our names for them.
const SCORES: &[(&str, MetricName)] = &[
    ("Single-Core Score", MetricName::new("single_core_score")),
    ("Multi-Core Score", MetricName::new("multi_core_score")),
];

/// Headings between its banner and its scores.
const HEADINGS: &[&str] = &[
    "System Information",
    "CPU Information",
    "Processor Information",
    "Memory Information",
    "Single-Core",
    "Multi-Core",
    "Benchmark Summary",
    "Geekbench ",
    "Upload",
];

/// So many lines may stand between its banner and its scores.
const LINES_MAX: usize = 400;

impl ToolReader for Geekbench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the scores of one core and of all in the text of Geekbench, with its version where that stands above them"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["geekbench5", "geekbench6", "geekbench4"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Geekbench ", "Single-Core Score", "Multi-Core Score"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        // Prose names the major version alone.
        let is_banner = version(text).is_some_and(|v| v.contains('.')) && text.contains("geekbench.com");
        (is_banner || score(line).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let is_over = before.iter().rev().take(SCORES.len()).any(|line| score(line).is_some());
        let text = last.text.trim();
        let is_heading = HEADINGS.iter().any(|heading| text.starts_with(heading));
        let is_above = last.is_blank() || last.is_indented() || is_heading;
        let belongs = score(last).is_some() || !is_over && is_above && before.len() < LINES_MAX;
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            if let Some((metric, printed)) = score(line) {
                result.whole.add(metric, Some(printed));
                result.lines.last = line.number;
            } else if result.version.is_none() {
                result.version = version(line.text.trim()).map(str::to_owned);
            }
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// `6.3.0` of `Geekbench 6.3.0 Tryout : https://www.geekbench.com/`.
fn version(text: &str) -> Option<&str> {
    let version = text.strip_prefix("Geekbench ")?.split_whitespace().next()?;
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// `Single-Core Score             2345`.
fn score(line: &ToolLine) -> Option<(MetricName, PrintedValue)> {
    let text = line.text.trim();
    let (rest, metric) =
        SCORES.iter().find_map(|(name, metric)| Some((text.strip_prefix(name)?, *metric)))?;
    let (score, _) =
        whole(rest.trim_start_matches([':', ' ', '\t'])).filter(|(_, rest)| rest.trim().is_empty())?;
    Some((metric, exact(line.number, score, Unit::One)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_stands_above_the_scores() {
        let text = "Geekbench 6.3.0 : https://www.geekbench.com/\n\nSystem Information\n  Operating System   Linux\n\n\
                    Single-Core\n  Running File Compression\n\nBenchmark Summary\n  Single-Core Score   2345\n\
                    \x20 Multi-Core Score    11234\n\nUpload results online.\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let result = &output.results[0];
        assert_eq!((output.results.len(), result.version.as_deref()), (1, Some("6.3.0")));
        let values: Vec<f64> = result.whole.figures.iter().map(|figure| figure.printed.value).collect();
        assert_eq!(values, [2345.0, 11_234.0]);
        assert_eq!(result.lines.last, 11);
    }

    #[test]
    fn words_of_scores_are_no_scores() {
        let line = |text: &str| ToolLine { number: 1, text: text.to_owned() };
        assert!(score(&line("Single-Core Score is 2345 here")).is_none());
        assert!(score(&line("Multi-Core Score: 9")).is_some());
        let prose = line("Geekbench 6 results are at https://browser.geekbench.com/");
        assert!(Geekbench.begins(&prose).is_none());
    }
}
