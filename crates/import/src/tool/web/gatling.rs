//! Gatling: the global information that it prints at the end of a simulation. Its rate and its times are of all
//! requests, of those that failed, too; times are in milliseconds.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolResult, ToolWarning};
use model::{MetricName, Unit, metric};

use crate::tool::arithmetic::{FigureSheet, nth_count_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{exact, leading, plain, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Gatling;

const NAME: &str = "gatling";

/// How the title begins.
const TITLE: &str = "---- Global Information --";

/// The same of the errors, which stand last.
const ERRORS: &str = "---- Errors --";

/// Around the name of a percentile.
const PERCENTILE: (&str, &str) = ("response time ", " percentile");

impl ToolReader for Gatling {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the global information of Gatling 2 and 3: requests, those that failed, and their times"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["gatling.sh", "gatling.bat"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[TITLE]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        line.text.trim().starts_with(TITLE).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if text.starts_with("====") {
            return Extent::EndsHere;
        }
        let is_next = !before.is_empty() && text.starts_with(TITLE);
        let is_own = text.starts_with("---- ") || text.starts_with('>') || Row::of(text).is_some();
        if is_own && !is_next { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let counts =
            sheet.lines().find(|(_, text)| text.trim_start_matches("> ").starts_with("request count"));
        if let Some((line, text)) = counts {
            let count = |at: usize| nth_count_of(line, text, at);
            sheet.equal(&count(0), &count(1) + &count(2), 0.0);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut is_error = false;
        for line in block.lines {
            let text = line.text.trim();
            if text.starts_with("---- ") {
                is_error = text.starts_with(ERRORS);
            } else if let (true, Some(error)) = (is_error, text.strip_prefix('>')) {
                let words: Vec<&str> = error.split_whitespace().collect();
                result.warnings.push(ToolWarning { line: line.number, text: words.join(" ") });
            } else if let Some(row) = Row::of(text) {
                row.put(line.number, &mut result.whole);
            }
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// What a row says of all requests, and how many of them failed.
struct Row<'a> {
    label: &'a str,
    all: &'a str,
    failed: &'a str,
}

impl<'a> Row<'a> {
    /// `> request count            12474 (OK=7474   KO=5000  )`, and of late versions `> request count | 12,474 | 7,474 | 5,000`.
    fn of(text: &'a str) -> Option<Self> {
        let text = text.trim_start_matches(['>', ' ']);
        let (label, all, failed) = if let Some((label, cells)) = text.split_once('|') {
            let mut cells = cells.split('|').map(str::trim);
            (label, cells.next()?, cells.nth(1)?)
        } else {
            let (before, behind) = text.split_once(" (OK=")?;
            let (label, all) = before.trim_end().rsplit_once(' ')?;
            let (_, failed) = behind.split_once("KO=")?;
            (label, all, failed.trim_end_matches([')', ' ']))
        };
        leading(all, true)?;
        Some(Self { label: label.trim().trim_end_matches(" (ms)"), all, failed })
    }

    fn put(&self, line: u64, whole: &mut ToolMeasurement) {
        let milliseconds = || time(line, &self.all.replace(',', ""), "ms");
        match self.label {
            "request count" => self.count(line, whole),
            "mean requests/sec" | "mean throughput (rps)" => {
                whole.add(metric::REQUESTS_PER_SECOND, self.rate(line));
            }
            "min response time" => whole.add(MetricName::new("latency_min"), milliseconds()),
            "max response time" => whole.add(metric::LATENCY_MAX, milliseconds()),
            "mean response time" => whole.add(metric::LATENCY_MEAN, milliseconds()),
            "std deviation" | "response time std deviation" => {
                whole.add(MetricName::new("latency_stddev"), milliseconds());
            }
            other => {
                let (before, behind) = PERCENTILE;
                let rank = other.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
                if let Some(metric) = rank.and_then(statistic) {
                    whole.add(metric, milliseconds());
                }
            }
        }
    }

    fn count(&self, line: u64, whole: &mut ToolMeasurement) {
        let number = |text: &str| text.replace(',', "").parse::<u64>().ok();
        let Some(all) = number(self.all) else { return };
        whole.operations = Some(exact(line, all, Unit::One));
        if let Some(failed) = number(self.failed).filter(|_| all > 0) {
            let share = failed as f64 / all as f64;
            whole.add(metric::ERROR_SHARE, Some(plain(line, format!("{failed}/{all}"), share, Unit::One)));
        }
    }

    fn rate(&self, line: u64) -> Option<PrintedValue> {
        let number = leading(self.all, true)?;
        let half_step = number.half_step;
        Some(PrintedValue { half_step, ..plain(line, self.all, number.value, Unit::PerSecond) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    fn value(result: &ToolResult, name: MetricName) -> Option<f64> {
        result.whole.figure(name).map(|printed| (printed.value * 1e6).round() / 1e6)
    }

    #[test]
    fn all_requests_count_and_those_that_failed_are_a_share() {
        let result = read(
            "---- Global Information --------------------------------------------------------\n\
             > request count                                       1000 (OK=750    KO=250   )\n\
             > min response time                                     68 (OK=121    KO=68    )\n\
             > max response time                                    634 (OK=634    KO=528   )\n\
             > mean response time                                   121 (OK=141    KO=90    )\n\
             > response time 50th percentile                        130 (OK=135    KO=72    )\n\
             > response time 99th percentile                        187 (OK=509    KO=156   )\n\
             > mean requests/sec                                   40.5 (OK=24.266 KO=16.234)\n\
             ---- Response Time Distribution ------------------------------------------------\n\
             > t < 800 ms                                           750 ( 75%)\n\
             ---- Errors --------------------------------------------------------------------\n\
             > status.find.is(200), but actually found 403          250 (100,0%)\n\
             ================================================================================\n",
        );
        assert_eq!(result.whole.operations.as_ref().map(|all| all.value), Some(1000.0));
        assert_eq!(value(&result, metric::ERROR_SHARE), Some(0.25));
        assert_eq!(value(&result, metric::REQUESTS_PER_SECOND), Some(40.5));
        assert_eq!(value(&result, metric::LATENCY_P99), Some(0.187));
        assert_eq!(value(&result, metric::LATENCY_MAX), Some(0.634));
        assert_eq!(result.warnings.len(), 1);
    }

    #[test]
    fn late_versions_have_columns() {
        let result = read(
            "---- Global Information -------------------|---Total---|-----OK----|----KO----\n\
             > request count                              |     1,200 |     1,200 |         0\n\
             > mean response time (ms)                    |        12 |        12 |         -\n\
             > response time 95th percentile (ms)         |     1,030 |     1,030 |         -\n\
             > mean throughput (rps)                      |     99.17 |     99.17 |         -\n",
        );
        assert_eq!(value(&result, metric::ERROR_SHARE), Some(0.0));
        assert_eq!(value(&result, metric::LATENCY_MEAN), Some(0.012));
        assert_eq!(value(&result, MetricName::new("latency_p95")), Some(1.03));
        assert_eq!(value(&result, metric::REQUESTS_PER_SECOND), Some(99.17));
    }
}
