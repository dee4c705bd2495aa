//! etcd: the summary of its `benchmark`, which was made after boom's (`pkg/report/report.go`), and what `etcdctl check
//! perf` says (`etcdctl/ctlv3/command/check.go`).

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::arithmetic::{FigureSheet, Term};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::percentile;
use crate::tool::number::{bare, count, exact, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer of `benchmark`.
pub(super) struct EtcdBenchmark;

/// The importer of `etcdctl check perf`.
pub(super) struct EtcdCheck;

const NAME: &str = "etcd-benchmark";
const CHECK_NAME: &str = "etcdctl";

/// The line that boom's summaries have not.
const OWN: &str = "Stddev:";

const HEADINGS: &[&str] =
    &["Summary:", "Response time histogram:", "Latency distribution:", "Error distribution:"];

/// Options of `benchmark` whose values are told, with our names.
const TOLD: &[(&str, &str)] = &[
    ("--clients", "clients"),
    ("--conns", "conns"),
    ("--total", "total"),
    ("--key-size", "key-size"),
    ("--val-size", "val-size"),
    ("--rate", "rate"),
];

/// What a rate may be off by beyond its rounding.
const NEAR: f64 = 0.01;

impl ToolReader for EtcdBenchmark {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of etcd's benchmark: its rate and the latencies of its requests"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["benchmark"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Summary:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (line.text.trim() == "Summary:").then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let belongs = last.is_blank()
            || HEADINGS.contains(&text) && (before.is_empty() || text != "Summary:")
            || last.is_indented();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let done = Term::sum(&sheet.histogram());
        sheet.equal(&sheet.number("Requests/sec:"), &done / &sheet.number("Total:"), NEAR);
        sheet.between(&sheet.number("Fastest:"), &sheet.number("Average:"), &sheet.number("Slowest:"));
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        if !block.lines.iter().any(|line| line.text.trim().starts_with(OWN)) {
            return Err(NotUnderstood::OtherText);
        }
        let mut result = block.result(NAME, self.programs());
        let mut failed = 0;
        let mut heading = "";
        for line in block.lines {
            let text = line.text.trim();
            if HEADINGS.contains(&text) {
                heading = text;
            } else if heading == "Error distribution:" {
                failed += text.strip_prefix('[').and_then(whole).map_or(0, |(count, _)| count);
            } else {
                take(line.number, text, &mut result.whole);
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        if failed > 0 {
            let at = block.range().last;
            result.whole.add(MetricName::new("errors"), Some(exact(at, failed, Unit::One)));
        }
        let command = std::mem::take(&mut result.command);
        for (option, name) in TOLD {
            let value = command.iter().enumerate().find_map(|(at, word)| {
                let behind = word.strip_prefix(option)?;
                if behind.is_empty() {
                    command.get(at + 1).map(String::as_str)
                } else {
                    behind.strip_prefix('=')
                }
            });
            result.options.extend(value.map(|value| ((*name).to_owned(), value.to_owned())));
        }
        result.command = command;
        Ok(vec![result])
    }
}

fn take(line: u64, text: &str, whole_of_it: &mut ToolMeasurement) {
    let seconds = |value: &str| quantity(line, value.trim().trim_end_matches('.'), Counting::Decimal);
    if let Some((label, value)) = text.split_once(':') {
        match label {
            "Total" => whole_of_it.window = seconds(value),
            "Slowest" => whole_of_it.add(metric::LATENCY_MAX, seconds(value)),
            "Fastest" => whole_of_it.add(MetricName::new("latency_min"), seconds(value)),
            "Average" => whole_of_it.add(metric::LATENCY_MEAN, seconds(value)),
            "Stddev" => whole_of_it.add(MetricName::new("latency_stddev"), seconds(value)),
            "Requests/sec" => {
                let rate = count(line, value, Counting::Decimal, Unit::PerSecond);
                whole_of_it.add(metric::REQUESTS_PER_SECOND, rate);
            }
            _ => {}
        }
    } else if let Some((rank, value)) = text.split_once("% in ")
        && let Some(metric) = percentile(rank)
    {
        whole_of_it.add(metric, seconds(value));
    }
}

impl ToolReader for EtcdCheck {
    fn name(&self) -> &'static str {
        CHECK_NAME
    }

    fn doc(&self) -> &'static str {
        "what etcdctl check perf says: the rate of writes, the slowest request and the deviation"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[CHECK_NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["PASS: ", "FAIL: "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        verdict(line).filter(|text| text.starts_with("Throughput ")).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        match last.text.trim() {
            "PASS" | "FAIL" => Extent::EndsHere,
            _ if verdict(last).is_some() && (before.is_empty() || self.begins(last).is_none()) => {
                Extent::More
            }
            _ => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(CHECK_NAME, self.programs());
        for line in block.lines {
            let Some(text) = verdict(line) else { continue };
            let value = text.rsplit(' ').find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
            let Some(value) = value else { continue };
            let seconds = || quantity(line.number, value, Counting::Decimal);
            if text.starts_with("Throughput ") {
                let rate = bare(line.number, value, Unit::PerSecond);
                result.whole.add(metric::OPERATIONS_PER_SECOND, rate);
            } else if text.starts_with("Slowest request ") {
                result.whole.add(metric::LATENCY_MAX, seconds());
            } else if text.starts_with("Stddev ") {
                result.whole.add(MetricName::new("latency_stddev"), seconds());
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        // It asks for a rate by its load, and says whether that was kept.
        result.options.insert("rate".to_owned(), "asked".to_owned());
        Ok(vec![result])
    }
}

/// `PASS: Throughput is 150 writes/s`, `FAIL: Slowest request took too long: 1.087509s`.
fn verdict(line: &ToolLine) -> Option<&str> {
    let text = line.text.trim();
    text.strip_prefix("PASS: ").or_else(|| text.strip_prefix("FAIL: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    /// After the documentation of etcd (op-guide/performance).
    const SUMMARY: &str = "\nSummary:\n  Total:\t8.0000 secs.\n  Slowest:\t0.2012 secs.\n  Fastest:\t0.0021 secs.\n  \
        Average:\t0.0797 secs.\n  Stddev:\t0.0219 secs.\n  Requests/sec:\t12500.0000\n\nResponse time histogram:\n  \
        0.0021 [1]\t|\n  0.0220 [99999]\t|\u{220e}\u{220e}\n\nLatency distribution:\n  50% in 0.0789 secs.\n  99.9% in 0.1801 secs.\n";

    #[test]
    fn the_summary_is_not_heys() {
        let command = "$ benchmark --conns=100 --clients 1000 put --total=100000\n";
        let result = read(&format!("{command}{SUMMARY}"));
        let value = |name| result.whole.figure(name).map(|printed| printed.value);
        assert_eq!((result.tool.as_str(), value(metric::REQUESTS_PER_SECOND)), (NAME, Some(12_500.0)));
        assert_eq!((value(metric::LATENCY_MEAN), value(metric::LATENCY_P99_9)), (Some(0.0797), Some(0.1801)));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(8.0));
        assert_eq!((&*result.options["clients"], &*result.options["total"]), ("1000", "100000"));
    }

    #[test]
    fn errors_are_counted() {
        let result = read(&format!("{SUMMARY}\nError distribution:\n  [12]\tcontext deadline exceeded\n"));
        assert_eq!(result.whole.figure(MetricName::new("errors")).map(|count| count.value), Some(12.0));
    }

    #[test]
    fn a_check_says_what_it_measured_whether_it_passes_or_not() {
        for text in [
            "PASS: Throughput is 150 writes/s\nPASS: Slowest request took 0.087509s\nPASS: Stddev is 0.011084s\nPASS\n",
            "FAIL: Throughput too low: 150 writes/s\nFAIL: Slowest request took too long: 0.087509s\nFAIL: Stddev too high: 0.011084s\nFAIL\n",
        ] {
            let result = read(text);
            let value = |name| result.whole.figure(name).map(|printed| printed.value);
            assert_eq!(value(metric::OPERATIONS_PER_SECOND), Some(150.0));
            assert_eq!(value(metric::LATENCY_MAX), Some(0.087_509));
        }
    }
}
