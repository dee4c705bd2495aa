//! `rados bench` of Ceph: its sums, and the rate of each second above them.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, cut_off, plain, quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Rados;

const NAME: &str = "rados";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.80 to 19",
    units: "MB/s, MB/sec",
    counting: Counting::Binary,
    proof: "src/common/obj_bencher.cc of Ceph divides the bytes of a second by 1024*1024",
};

const RULES: &[CountingRule] = &[BINARY];

/// The first of its sums.
const TOTAL_TIME: &str = "Total time run";

impl ToolReader for Rados {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the sums of `rados bench` (write, seq, rand), with the rate of each second"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Maintaining ", "Cur", TOTAL_TIME, "hints = "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = undated(&line.text);
        if load(text).is_some() || is_heading(text) || is_total_time(text) {
            return Some(Beginning::Certain);
        }
        is_hints(text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = undated(&last.text);
        if before.is_empty() || text.is_empty() {
            return Extent::More;
        }
        let is_over = || before.iter().rev().take(SUMS_MAX).any(|line| is_total_time(undated(&line.text)));
        let is_first = is_hints(text) || load(text).is_some() || is_heading(text) || is_total_time(text);
        let belongs = is_first
            || row(text).is_some()
            || sum(text).is_some()
            || AROUND.iter().any(|beginning| text.starts_with(beginning));
        if !belongs || is_first && is_over() { Extent::EndsBefore } else { Extent::More }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut before = None;
        for line in block.lines {
            let text = undated(&line.text);
            if let Some(load) = load(text) {
                load.keep(&mut result);
            } else if let Some((label, value)) = sum(text) {
                take(line.number, label, value, &mut result);
            } else if let Some((second, rate)) = row(text) {
                result.parts.extend(interval(line.number, before, second, rate));
                before = Some(second);
            }
        }
        if let Some(kind) = KINDS.iter().find(|kind| result.command.iter().any(|word| word == *kind)) {
            result.options.insert("operation".to_owned(), (*kind).to_owned());
        }
        result.whole.bytes = written(&result);
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// So many lines the sums have at most, with those behind them.
const SUMS_MAX: usize = 32;

/// What it can do, as its command names it.
const KINDS: &[&str] = &["write", "seq", "rand"];

/// Other lines above and below its sums.
const AROUND: &[&str] =
    &["Object prefix:", "min lat:", "Cleaning up (", "Removed ", "Clean up completed", "Warning:"];

/// Labels of its sums, without their units, which old versions leave out.
const SUMS: &[&str] = &[
    TOTAL_TIME,
    "Total writes made",
    "Total reads made",
    "Write size",
    "Read size",
    "Object size",
    "Bandwidth",
    "Stddev Bandwidth",
    "Max bandwidth",
    "Min bandwidth",
    "Average IOPS",
    "Stddev IOPS",
    "Max IOPS",
    "Min IOPS",
    "Average Latency",
    "Stddev Latency",
    "Max latency",
    "Min latency",
];

/// A line without the moment before it: `2026-11-28T09:00:00.000000+0000` or `2026-11-28 09:00:00.000000`.
fn undated(text: &str) -> &str {
    let text = text.trim();
    let Some((moment, rest)) = text.split_once(' ') else { return text };
    let is_date = moment.starts_with(|c: char| c.is_ascii_digit()) && moment.matches('-').count() >= 2;
    let rest = rest.trim_start();
    match (is_date, moment.contains('T')) {
        (true, true) => rest,
        (true, false) => rest.split_once(' ').map_or(rest, |(_, behind)| behind.trim_start()),
        (false, _) => text,
    }
}

/// `hints = 1`.
fn is_hints(text: &str) -> bool {
    text.strip_prefix("hints = ").is_some_and(|hints| hints.parse::<u8>().is_ok())
}

/// `  sec Cur ops   started  finished  avg MB/s  cur MB/s last lat(s)  avg lat(s)`; old versions have no unit behind
/// the latencies.
fn is_heading(text: &str) -> bool {
    let mut words = text.split_whitespace();
    ["sec", "Cur", "ops", "started", "finished", "avg", "MB/s"].iter().all(|word| words.next() == Some(*word))
}

fn is_total_time(text: &str) -> bool {
    sum(text).is_some_and(|(label, value)| label == TOTAL_TIME && value.parse::<f64>().is_ok())
}

/// What is asked for: `Maintaining 16 concurrent writes of 4194304 bytes to objects of size 4194304 for up to 10 seconds
/// or 0 objects`.
struct Load<'a> {
    concurrent: &'a str,
    bytes: &'a str,
    object: Option<&'a str>,
    seconds: Option<&'a str>,
}

fn load(text: &str) -> Option<Load<'_>> {
    let (concurrent, rest) = text.strip_prefix("Maintaining ")?.split_once(" concurrent writes of ")?;
    let (bytes, rest) = rest.split_once(" bytes")?;
    let behind = |mark: &str| rest.split_once(mark).and_then(|(_, behind)| behind.split(' ').next());
    Some(Load { concurrent, bytes, object: behind("objects of size "), seconds: behind("for up to ") })
}

impl Load<'_> {
    /// By the names that its output in JSON has.
    fn keep(&self, result: &mut ToolResult) {
        let known = [
            ("concurrent_ios", Some(self.concurrent)),
            ("op_size", Some(self.bytes)),
            ("object_size", self.object),
            ("seconds_to_run", self.seconds),
        ];
        for (name, value) in known {
            result.options.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        }
    }
}

/// The second and its rate: `    3      16       169       153   203.924       212    0.183315    0.294263`.
fn row(text: &str) -> Option<(u64, &str)> {
    let cells: Vec<&str> = text.split_whitespace().collect();
    let [second, _, _, _, _, rate, _, _] = cells.as_slice() else { return None };
    let second: u64 = second.parse().ok()?;
    let is_row = cells.iter().all(|cell| *cell == "-" || cell.parse::<f64>().is_ok());
    is_row.then_some((second, *rate))
}

/// What was done in the second that ends so; `None` where that before it was left out.
fn interval(line: u64, before: Option<u64>, second: u64, rate: &str) -> Option<ToolPart> {
    let start = before.filter(|start| start.checked_add(1) == Some(second))?;
    let mut measured = ToolMeasurement::default();
    measured.add(metric::THROUGHPUT, quantity(line, &format!("{rate} MB/s"), BINARY.counting));
    Some(ToolPart {
        kind: ToolPartKind::Interval,
        name: second.to_string(),
        start_s: Some(start as f64),
        measured,
    })
}

/// The label of a sum without its unit, and its value: `Bandwidth (MB/sec):     200`.
fn sum(text: &str) -> Option<(&str, &str)> {
    let (label, value) = text.split_once(':')?;
    let label = label.trim().trim_end_matches("(s)").trim_end_matches("(MB/sec)").trim_end();
    SUMS.contains(&label).then(|| (label, value.trim()))
}

/// Takes a sum.
fn take(line: u64, label: &str, value: &str, result: &mut ToolResult) {
    let mut keep = |name: &str, value: &str| result.options.insert(name.to_owned(), value.to_owned());
    match label {
        "Total writes made" => {
            keep("operation", "write");
        }
        "Total reads made" => {
            keep("operation", "read");
        }
        "Write size" | "Read size" => {
            keep("op_size", value);
        }
        "Object size" => {
            keep("object_size", value);
        }
        _ => {}
    }
    let whole = &mut result.whole;
    let rate = || quantity(line, &format!("{value} MB/s"), BINARY.counting);
    match label {
        TOTAL_TIME => whole.window = time(line, value, "s"),
        "Total writes made" | "Total reads made" => {
            whole.operations = count(line, value, Counting::Decimal, Unit::One);
        }
        "Bandwidth" => whole.add(metric::THROUGHPUT, rate()),
        "Max bandwidth" => whole.add(metric::THROUGHPUT_PEAK, rate()),
        // Its rest is cut off.
        "Average IOPS" => {
            whole.add(metric::IOPS, count(line, value, Counting::Decimal, Unit::PerSecond).map(cut_off));
        }
        "Average Latency" => whole.add(metric::LATENCY_MEAN, time(line, value, "s")),
        "Stddev Latency" => whole.add(MetricName::new("latency_stddev"), time(line, value, "s")),
        "Max latency" => whole.add(metric::LATENCY_MAX, time(line, value, "s")),
        "Min latency" => whole.add(MetricName::new("latency_min"), time(line, value, "s")),
        _ => {}
    }
}

/// All bytes: it prints how many operations there were, and the size of each.
fn written(result: &ToolResult) -> Option<PrintedValue> {
    let (operations, size) = (result.whole.operations.as_ref()?, result.options.get("op_size")?);
    let each: u64 = size.parse().ok()?;
    let text = format!("{} x {size} bytes", operations.text);
    Some(plain(operations.line, text, operations.value * each as f64, Unit::Bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "  sec Cur ops   started  finished  avg MB/s  cur MB/s last lat(s)  avg lat(s)\n";

    const ROWS: &str = "    0       0         0         0         0         0           -           0\n\
                        \x20   1      16        66        50       200       200    0.183315    0.294263\n\
                        \x20   2      16       116       100       200       200    0.183315    0.294263\n";

    const SUMS_OF_WRITES: &str = "Total time run:         10.0\nTotal writes made:      500\n\
                                  Write size:             4194304\nObject size:            4194304\n\
                                  Bandwidth (MB/sec):     200\nAverage IOPS:           50\n\
                                  Average Latency(s):     0.32\nMax latency(s):         1.5\n";

    #[test]
    fn each_run_is_a_result_with_its_seconds() {
        let first = format!(
            "Maintaining 16 concurrent writes of 4194304 bytes to objects of size 4194304 for up to 10 seconds or 0 \
             objects\n{HEADING}{ROWS}\n{SUMS_OF_WRITES}Cleaning up (deleting benchmark objects)\n"
        );
        let second = format!("hints = 1\n{HEADING}{ROWS}{}", SUMS_OF_WRITES.replace("writes", "reads"));
        let text =
            format!("$ rados bench -p x 10 write\n{first}$ rados bench -p x 10 seq\n{second}so it was\n");
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [write, read] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(write.whole.figure(metric::THROUGHPUT).unwrap().value, 200.0 * 1_048_576.0);
        assert_eq!(write.whole.figure(metric::IOPS).unwrap().half_step, 1.0);
        assert_eq!(write.whole.window.as_ref().unwrap().value, 10.0);
        assert_eq!(write.whole.bytes.as_ref().unwrap().value, 500.0 * 4_194_304.0);
        assert_eq!(write.options["concurrent_ios"], "16");
        let starts: Vec<_> = write.parts.iter().map(|part| part.start_s).collect();
        assert_eq!(starts, [Some(0.0), Some(1.0)]);
        assert_eq!(
            (write.options["operation"].as_str(), read.options["operation"].as_str()),
            ("write", "seq")
        );
        assert_eq!(output.unread.len(), 1);
    }

    #[test]
    fn moments_and_units_may_be_there_or_not() {
        let old = "Total time run:         10.0\nTotal writes made:      500\nWrite size:             4194304\n\
                   Bandwidth (MB/sec):     200\nAverage Latency:         0.32\nMax latency:             1.5\n";
        let dated: String =
            SUMS_OF_WRITES.lines().map(|line| format!("2026-11-28T09:00:00.000000+0000 {line}\n")).collect();
        for text in [old, dated.as_str()] {
            let output = crate::tool::read("", text.as_bytes()).unwrap();
            let [write] = output.results.as_slice() else { panic!("{:?}", output.results) };
            assert_eq!(write.whole.figure(metric::LATENCY_MAX).unwrap().value, 1.5);
            assert_eq!(write.whole.operations.as_ref().unwrap().value, 500.0);
        }
        assert_eq!(undated("2026-11-28 09:00:00.000000 min lat: 0.1 max lat: 1"), "min lat: 0.1 max lat: 1");
    }

    #[test]
    fn what_ends_before_its_sums_was_cut() {
        let output = crate::tool::read("", format!("{HEADING}{ROWS}").as_bytes()).unwrap();
        assert_eq!(output.results.len(), 0);
        assert_eq!(output.unread[0].tool.as_deref(), Some(NAME));
    }

    #[test]
    fn a_second_that_was_left_out_makes_no_interval() {
        assert!(interval(1, Some(1), 2, "200").is_some());
        assert!(interval(1, Some(1), 100, "200").is_none() && interval(1, None, 0, "0").is_none());
    }
}
