//! Microsoft's SQLIO, before diskspd: one run is a result.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Sqlio;

const NAME: &str = "sqlio";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.5",
    units: "MBs/sec",
    counting: Counting::Binary,
    proof: "1527.21 IOs/sec of 64KB are 95.45 MBs/sec, and would be 100.09 decimal ones",
};

const RULES: &[CountingRule] = &[BINARY];

/// How the lines of its figures begin.
const IOS: &str = "IOs/sec:";
const RATE: &str = "MBs/sec:";
const LEAST: &str = "Min_Latency(ms):";
const MEAN: &str = "Avg_Latency(ms):";
const MOST: &str = "Max_Latency(ms):";

/// How its other lines begin.
const AROUND: &[&str] = &[
    "sqlio v",
    "using ",
    "enabling multiple I/Os",
    "buffering set to",
    "size of file ",
    "initialization done",
    "parameter file used:",
    "file ",
    "[bla",
    "CUMULATIVE DATA:",
    "throughput metrics:",
    "latency metrics:",
    "histogram:",
    "ms: ",
    "%: ",
    "sqlio: ",
];

impl ToolReader for Sqlio {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what SQLIO prints of a run, with latencies (-LS) or without"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "sqlio.exe"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["sqlio v1.", "CUMULATIVE DATA:", RATE]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_own =
            text.starts_with("sqlio v1.") || text == "CUMULATIVE DATA:" || figure(text, RATE).is_some();
        is_own.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_over = || before.iter().any(|line| figure(line.text.trim(), RATE).is_some());
        let begins_again = text.starts_with("sqlio v1.") || text == "CUMULATIVE DATA:";
        if begins_again && is_over() {
            return Extent::EndsBefore;
        }
        let belongs = before.is_empty()
            || text.is_empty()
            || load(text).is_some()
            || [IOS, RATE, LEAST, MEAN, MOST].iter().any(|label| figure(text, label).is_some())
            || AROUND.iter().any(|beginning| text.starts_with(beginning));
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            let text = line.text.trim();
            if let Some(version) = text.strip_prefix("sqlio v") {
                result.version = Some(version.to_owned());
            } else if let Some(load) = load(text) {
                let told = [("operation", load.operation), ("threads", load.threads), ("time", load.seconds)];
                result.options.extend(told.map(|(name, value)| (name.to_owned(), value.to_owned())));
            } else if let Some((size, order)) = text.strip_prefix("using ").and_then(blocks) {
                result.options.insert("block-size".to_owned(), size.to_string());
                result.options.insert("order".to_owned(), order.to_owned());
            } else if let Some((_, depth)) = text.split_once("I/Os per thread with ") {
                let depth = depth.split(' ').next().unwrap_or_default();
                result.options.insert("queues".to_owned(), depth.to_owned());
            } else if let Some(value) = figure(text, IOS) {
                result.whole.add(metric::IOPS, bare(line.number, value, Unit::PerSecond));
            } else if let Some(value) = figure(text, RATE) {
                let rate = quantity(line.number, &format!("{value} MB/s"), BINARY.counting);
                result.whole.add(metric::THROUGHPUT, rate);
            } else {
                let of = [
                    (LEAST, MetricName::new("latency_min")),
                    (MEAN, metric::LATENCY_MEAN),
                    (MOST, metric::LATENCY_MAX),
                ];
                for (label, metric) in of {
                    let printed = figure(text, label).and_then(|value| time(line.number, value, "ms"));
                    // Whole milliseconds, of which the rest is cut off.
                    let printed = printed.map(|value| PrintedValue { half_step: 1e-3, ..value });
                    result.whole.add(metric, printed);
                }
            }
        }
        if result.options.contains_key("operation") && !result.options.contains_key("queues") {
            result.options.insert("queues".to_owned(), "1".to_owned());
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// The number behind a label.
fn figure<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let value = text.strip_prefix(label)?.trim();
    value.parse::<f64>().is_ok().then_some(value)
}

/// What a run was to do.
struct Load<'a> {
    threads: &'a str,
    operation: &'a str,
    seconds: &'a str,
}

/// `2 threads writing for 120 secs to file E:testfile.dat`.
fn load(text: &str) -> Option<Load<'_>> {
    let words: Vec<&str> = text.split_whitespace().take(6).collect();
    let [threads, "thread" | "threads", operation, "for", seconds, "sec" | "secs"] = words.as_slice() else {
        return None;
    };
    let operation = match *operation {
        "reading" => "read",
        "writing" => "write",
        _ => return None,
    };
    whole(threads).zip(whole(seconds)).map(|_| Load { threads, operation, seconds })
}

/// `64KB random IOs`.
fn blocks(text: &str) -> Option<(u64, &str)> {
    let (size, rest) = text.split_once("KB ")?;
    let (order, _) = rest.split_once(" IOs")?;
    Some((size.parse::<u64>().ok()?.checked_mul(1024)?, order))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_a_result_with_its_load() {
        let text = "C:\\SQLIO>sqlio -kW -t2 -s120 -dE -o8 -frandom -b64 -BH -LS testfile.dat\nsqlio v1.5.SG\n\
                    using system counter for latency timings, 2337900 counts per second\n\
                    2 threads writing for 120 secs to file E:testfile.dat\n\tusing 64KB random IOs\n\
                    \tenabling multiple I/Os per thread with 8 outstanding\n\
                    \tbuffering set to use hardware disk cache (but not file cache)\n\
                    using current size: 20480 MB for file: E:testfile.dat\ninitialization done\nCUMULATIVE DATA:\n\
                    throughput metrics:\nIOs/sec:   1527.21\nMBs/sec:    95.45\nlatency metrics:\nMin_Latency(ms): 0\n\
                    Avg_Latency(ms): 10\nMax_Latency(ms): 341\nhistogram:\nms: 0  1  2 24+\n%:  0  0  1  2\n";
        let output = crate::tool::read("", format!("{text}{text}").as_bytes()).unwrap();
        let [one, _] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert_eq!(one.whole.figure(metric::THROUGHPUT).unwrap().value, 95.45 * 1_048_576.0);
        assert_eq!(one.whole.figure(metric::LATENCY_MAX).unwrap().value, 0.341);
        let option = |name: &str| one.options[name].as_str();
        assert_eq!((option("threads"), option("queues"), option("block-size")), ("2", "8", "65536"));
        assert_eq!((option("operation"), option("order"), option("time")), ("write", "random", "120"));
    }
}
