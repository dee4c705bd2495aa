//! perftest: the tables of ib_write_bw, ib_read_lat and their kin. Each size is a part; the whole is that of a table
//! with one size, and of several the shortest time and the highest rate are kept.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::part;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, exact, quantity, time, whole};
use crate::tool::reader::{Beginning, DASHES, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Perftest;

const NAME: &str = "perftest";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "MB/sec, MiB/sec",
    counting: Counting::Binary,
    proof: "perftest-6.06-write-bandwidth-from-source: 0.184318 million messages of 65536 bytes a second are 12079 decimal MB and \
            11519.9 MiB; it has 11519.87",
};

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all, with --report_gbits",
    units: "Gb/sec",
    counting: Counting::Decimal,
    proof: "src/perftest_parameters.h, GBPS: 8 bits of a byte, divided by 1000000000",
};

const RULES: &[CountingRule] = &[BYTES, BITS];

/// The shortest time of all sizes.
const SHORTEST: MetricName = MetricName::new("latency_min");
/// The highest rate of all sizes.
const HIGHEST: MetricName = MetricName::new("throughput_max");

/// Its table begins after fewer lines.
const HEAD_MAX: usize = 128;

/// The rule that it draws between its parts: 87 dashes, with two ports 163.
fn is_rule(text: &str) -> bool {
    matches!(text.len(), 87 | 163) && text.bytes().all(|byte| byte == b'-')
}

/// `                    RDMA_Write BW Test`: what is tested.
fn test(text: &str) -> Option<&str> {
    let test = text.trim().strip_suffix(" Test")?;
    let is_end = test.ends_with(" BW") || test.ends_with(" Latency");
    let is_start = ["RDMA_", "Send ", "Raw ", "Atomic "].iter().any(|start| test.starts_with(start));
    (is_end && is_start).then_some(test)
}

impl ToolReader for Perftest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the tables of perftest: bandwidth and latency of RDMA writes, reads, sends and atomic operations"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[
            "ib_write_bw",
            "ib_read_bw",
            "ib_send_bw",
            "ib_atomic_bw",
            "ib_write_lat",
            "ib_read_lat",
            "ib_send_lat",
            "ib_atomic_lat",
            "raw_ethernet_bw",
            "raw_ethernet_lat",
        ]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[" BW Test", " Latency Test", "#iterations", DASHES]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if test(&line.text).is_some() || Columns::of(&line.text).is_some() {
            return Some(Beginning::Certain);
        }
        is_rule(&line.text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        match before {
            [] => return Extent::More,
            [rule] if is_rule(&rule.text) && test(text).is_none() => return Extent::EndsBefore,
            _ => {}
        }
        let head = before.get(..HEAD_MAX).unwrap_or(before);
        let has_columns = head.iter().any(|line| Columns::of(&line.text).is_some());
        match () {
            () if has_columns && is_rule(text) => Extent::EndsHere,
            () if has_columns && (test(text).is_some() || !last.is_indented() && !last.is_blank()) => {
                Extent::EndsBefore
            }
            () if test(text).is_some() && head.iter().any(|line| test(&line.text).is_some()) => {
                Extent::EndsBefore
            }
            () if !has_columns && before.len() >= HEAD_MAX => Extent::EndsBefore,
            () if last.is_blank() || last.is_indented() || is_rule(text) => Extent::More,
            // Warnings stand above the table.
            () if ["WARNING", "Warning", "Conflicting CPU", "Requested "]
                .iter()
                .any(|w| text.starts_with(w)) =>
            {
                Extent::More
            }
            () => Extent::EndsBefore,
        }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut columns = None;
        let mut last = None;
        for line in block.lines {
            if let Some(own) = Columns::of(&line.text) {
                columns = Some(own);
            } else if let Some(row) = columns.as_ref().and_then(|columns: &Columns| columns.row(line)) {
                last = Some(line.number);
                result.parts.push(row);
            } else if columns.is_none() {
                said(&line.text, &mut result);
            }
        }
        let Some(last) = last else {
            let is_known = block.lines.iter().any(|line| test(&line.text).is_some());
            return Err(if is_known { NotUnderstood::CutShort } else { NotUnderstood::OtherText });
        };
        result.lines.last = last;
        sum_up(&mut result);
        Ok(vec![result])
    }
}

/// What is said of the test above its table: ` TX depth        : 128`.
fn said(text: &str, result: &mut ToolResult) {
    if let Some(test) = test(text) {
        result.options.insert("test".to_owned(), test.to_owned());
    }
    for label in ["Number of qps", "Connection type", "TX depth", "Mtu", "Link type"] {
        let value = text.split_once(label).and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
        if let Some(value) = value.and_then(|value| value.split_whitespace().next()) {
            result.options.insert(label.to_owned(), value.to_owned());
        }
    }
}

/// The whole of the rows.
fn sum_up(result: &mut ToolResult) {
    if let [only] = result.parts.as_slice() {
        result.whole = only.measured.clone();
        result.parts.clear();
        return;
    }
    let all = |metric: MetricName| result.parts.iter().filter_map(move |part| part.measured.figure(metric));
    let order = |a: &&PrintedValue, b: &&PrintedValue| a.value.total_cmp(&b.value);
    let highest = all(metric::THROUGHPUT).max_by(order).cloned();
    let shortest = all(SHORTEST).min_by(order).cloned();
    result.whole.add(HIGHEST, highest);
    result.whole.add(SHORTEST, shortest);
}

/// The columns of a table, each with its unit: `BW average[MB/sec]`.
struct Columns(Vec<(String, String)>);

impl Columns {
    /// Those of ` #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]`.
    fn of(text: &str) -> Option<Self> {
        let rest = text.trim_start().strip_prefix("#bytes")?.trim_start().strip_prefix("#iterations")?;
        let mut columns = Vec::new();
        for column in rest.split_inclusive(']') {
            let column = column.trim().strip_suffix(']').and_then(|column| column.split_once('['));
            let Some((name, unit)) = column else { break };
            columns.push((name.trim().to_owned(), unit.to_owned()));
        }
        (!columns.is_empty()).then_some(Self(columns))
    }

    /// A row of it.
    fn row(&self, line: &ToolLine) -> Option<ToolPart> {
        let mut words = line.text.split_whitespace();
        let (bytes, "") = whole(words.next()?)? else { return None };
        let (operations, "") = whole(words.next()?)? else { return None };
        let mut measured = ToolMeasurement {
            operations: Some(exact(line.number, operations, Unit::One)),
            ..ToolMeasurement::default()
        };
        for ((name, unit), value) in self.0.iter().zip(words) {
            if let Some((metric, printed)) = figure(line.number, name, unit, value) {
                measured.add(metric, Some(printed));
            }
        }
        (!measured.figures.is_empty()).then(|| part(ToolPartKind::Phase, bytes.to_string(), measured))
    }
}

/// The figure of a column. A peak of nought was not looked for.
fn figure(line: u64, name: &str, unit: &str, value: &str) -> Option<(MetricName, PrintedValue)> {
    let counting = if unit.contains("bit") || unit.contains("b/") { BITS.counting } else { BYTES.counting };
    let rate = || quantity(line, &format!("{value} {unit}"), counting).filter(|rate| rate.value > 0.0);
    let time = || time(line, value, unit);
    Some(match name {
        "BW average" => (metric::THROUGHPUT, rate()?),
        "BW peak" => (metric::THROUGHPUT_PEAK, rate()?),
        "MsgRate" => {
            let millions = count(line, &format!("{value}M"), Counting::Decimal, Unit::PerSecond)?;
            (metric::OPERATIONS_PER_SECOND, PrintedValue { text: format!("{value} {unit}"), ..millions })
        }
        "t_min" => (SHORTEST, time()?),
        "t_max" => (metric::LATENCY_MAX, time()?),
        // It is the median: `print_report_lat`.
        "t_typical" => (metric::LATENCY_P50, time()?),
        "t_avg" => (metric::LATENCY_MEAN, time()?),
        "t_stdev" => (MetricName::new("latency_stddev"), time()?),
        "99% percentile" => (metric::LATENCY_P99, time()?),
        "99.9% percentile" => (metric::LATENCY_P99_9, time()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::network::lines;

    fn read(text: &str) -> Result<ToolResult, NotUnderstood> {
        Perftest.read(&ToolBlock { lines: &lines(text), command: None }).map(|mut all| all.remove(0))
    }

    const BANDWIDTH: &str =
        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n";

    #[test]
    fn bits_are_decimal_and_a_peak_of_nought_is_none() {
        let read = read(&format!(
            "{BANDWIDTH} 65536      5000             0.00               96.00              0.183105\n"
        ))
        .unwrap();
        let figure = |name| read.whole.figure(name).map(|figure| figure.value);
        assert_eq!((figure(metric::THROUGHPUT), figure(metric::THROUGHPUT_PEAK)), (Some(12e9), None));
        assert!((figure(metric::OPERATIONS_PER_SECOND).unwrap() - 183_105.0).abs() < 1e-6);
        assert!(read.parts.is_empty());
    }

    #[test]
    fn of_several_sizes_the_best_are_kept() {
        let rows = " 2 1000 0.10 0.08 1.0\n 4 1000 0.20 0.16 1.0\n";
        let read = read(&format!("{BANDWIDTH}{rows}")).unwrap();
        assert_eq!(read.whole.figure(HIGHEST).map(|rate| rate.value), Some(2e7));
        let names: Vec<&str> = read.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["2", "4"]);
    }

    #[test]
    fn titles_are_told_from_others() {
        assert_eq!(test("                    RDMA_Write BW Test"), Some("RDMA_Write BW"));
        assert_eq!(test("                    Send Latency Test"), Some("Send Latency"));
        assert_eq!(test("My Latency Test"), None);
    }

    #[test]
    fn a_head_without_a_table_was_cut() {
        assert_eq!(
            read("                    Send BW Test\n TX depth        : 128\n").unwrap_err(),
            NotUnderstood::CutShort
        );
        assert_eq!(read(&format!("{}\n", "-".repeat(87))).unwrap_err(), NotUnderstood::OtherText);
    }
}
