//! `cilium connectivity perf`: its tables, of which each row is a test of netperf between two pods.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{bare, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Cilium;

const NAME: &str = "cilium";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "Mb/s",
    counting: Counting::Decimal,
    proof: "its rates are those of netperf (omni), whose default are multiples of 1000000 bits a second",
};

const RULES: &[CountingRule] = &[BITS];

/// Above its tables, before the parameters in brackets.
const TITLE: &str = "Network Performance Test Summary";

/// What stands before each row.
const MARK: char = '\u{1f4cb}';

/// The first columns.
const TEST: [&str; 4] = ["Scenario", "Node", "Test", "Duration"];

/// So many columns a table has at most.
const COLUMNS_MAX: usize = 16;

impl ToolReader for Cilium {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the tables of `cilium connectivity perf`: each row is a result"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[TITLE, "Scenario"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_table = || line.text.contains("Scenario") && is_heading(&cells(&line.text));
        (line.text.contains(TITLE) || is_table()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_rule = text.chars().all(|c| c == '-');
        let belongs = before.is_empty() || is_rule || cells(text).len() > TEST.len();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut results = Vec::new();
        let mut columns: Vec<&str> = Vec::new();
        for line in block.lines {
            let own = cells(&line.text);
            if is_heading(&own) {
                columns = own;
                continue;
            }
            if own.len() != columns.len() {
                continue;
            }
            let mut result = block.result(NAME, self.programs());
            (result.lines.first, result.lines.last) = (line.number, line.number);
            let [scenario, node, test, ..] = own.as_slice() else { continue };
            for (name, value) in [("scenario", scenario), ("node", node), ("test", test)] {
                result.options.insert(name.to_owned(), (*value).to_owned());
            }
            result.name = Some(format!("{scenario} {node} {test}"));
            for (column, value) in columns.iter().zip(&own) {
                take(&mut result, line.number, column, value, test);
            }
            results.push(result);
        }
        results.retain(|result| !result.whole.figures.is_empty());
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// The cells of a row, without the mark before it.
fn cells(text: &str) -> Vec<&str> {
    let text = text.trim().trim_start_matches(MARK).trim_start();
    text.split('|').take(COLUMNS_MAX).map(str::trim).collect()
}

/// Whether these are the headings of a table.
fn is_heading(cells: &[&str]) -> bool {
    cells.len() > TEST.len() && cells.starts_with(&TEST)
}

/// Takes what stands in one column.
fn take(result: &mut ToolResult, line: u64, column: &str, value: &str, test: &str) {
    let amount = |text: &str| quantity(line, text, BITS.counting);
    let found: Option<(MetricName, Option<PrintedValue>)> = match column {
        "Duration" => {
            result.whole.window = amount(value);
            None
        }
        "Throughput Mb/s" => {
            // Of datagrams netperf knows here what was sent.
            let name = match test.starts_with("UDP") {
                true => metric::SENDER_THROUGHPUT,
                false => metric::THROUGHPUT,
            };
            Some((name, amount(&format!("{value} Mb/s"))))
        }
        "Transaction rate OP/s" => Some((metric::OPERATIONS_PER_SECOND, bare(line, value, Unit::PerSecond))),
        other => statistic(&other.to_ascii_lowercase()).map(|metric| (metric, amount(value))),
    };
    if let Some((metric, printed)) = found {
        result.whole.add(metric, printed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_of_its_tables_is_a_result() {
        let rule = "-".repeat(60);
        let text = format!(
            "\u{1f525} {TITLE} [cilium-test]:\n{rule}\n\
             \u{1f4cb} Scenario   | Node       | Test       | Duration | Min   | Mean     | Max     | P50   | P90   | P99   | Transaction rate OP/s\n\
             {rule}\n\
             \u{1f4cb} pod-to-pod | same-node  | TCP_RR     | 10s      | 57\u{b5}s  | 125.09\u{b5}s | 1.544ms | 120\u{b5}s | 185\u{b5}s | 228\u{b5}s | 7939.43     \n\
             {rule}\n\
             \u{1f4cb} Scenario   | Node       | Test       | Duration | Throughput Mb/s\n\
             {rule}\n\
             \u{1f4cb} pod-to-pod | other-node | TCP_STREAM | 10s      | 8000.00     \n\
             {rule}\n"
        );
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [requests, stream] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(requests.name.as_deref(), Some("pod-to-pod same-node TCP_RR"));
        assert_eq!(
            requests.whole.figure(metric::OPERATIONS_PER_SECOND).map(|rate| rate.value),
            Some(7939.43)
        );
        let median = requests.whole.figure(metric::LATENCY_P50).map(|time| (time.value * 1e6).round());
        assert_eq!((median, requests.whole.figures.len()), (Some(120.0), 7));
        assert_eq!(stream.whole.figure(metric::THROUGHPUT).map(|rate| rate.value), Some(1e9));
        assert_eq!((stream.options["node"].as_str(), output.unread.len()), ("other-node", 0));
    }
}
