//! fio's `t/io_uring`: one line a second, and the greatest rate of them at the end.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct IoUring;

const NAME: &str = "io_uring";

const OPERATIONS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "K, M of operations",
    counting: Counting::Decimal,
    proof: "t/io_uring.c divides by 1000 and 1000000",
};

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "MiB/s, GiB/s",
    counting: Counting::Binary,
    proof: "t/io_uring.c: operations of a second / (1048576 / size)",
};

const RULES: &[CountingRule] = &[OPERATIONS, BYTES];

/// What its last line begins with.
const MAXIMUM: &str = "Maximum IOPS=";

impl ToolReader for IoUring {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the lines of fio's t/io_uring, one a second; what it says of latencies is not read"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["submitter=", "polled=", "IOPS="]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (text.starts_with("submitter=") || is_settings(text) || Row::of(text).is_some())
            .then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if text.starts_with(MAXIMUM) {
            return Extent::EndsHere;
        }
        // Another run.
        let has_rows = || before.last().is_some_and(|line| Row::of(line.text.trim()).is_some());
        if text.starts_with("submitter=") && has_rows() {
            return Extent::EndsBefore;
        }
        let belongs = before.is_empty()
            || Row::of(text).is_some()
            || is_settings(text)
            || [
                "submitter=",
                "Engine=",
                "Added file ",
                "sq_ring",
                "cq_ring",
                "Exiting on signal",
                "^CExiting on signal",
            ]
            .iter()
            .any(|beginning| text.starts_with(beginning));
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        options(&mut result);
        let mut rows = Vec::new();
        for line in block.lines {
            let text = line.text.trim();
            if let Some(row) = Row::of(text) {
                rows.push(row.measured(line.number));
            } else if let Some(most) = text.strip_prefix(MAXIMUM) {
                let most = count(line.number, most, OPERATIONS.counting, Unit::PerSecond);
                result.whole.add(MetricName::new("iops_max"), most);
            } else if is_settings(text) {
                let depth = text.split(", ").find_map(|part| part.strip_prefix("QD="));
                result.options.extend(depth.map(|depth| ("iodepth".to_owned(), depth.to_owned())));
            }
        }
        for metric in [metric::THROUGHPUT, metric::IOPS] {
            if let Some(mean) = mean(&rows, metric) {
                result.whole.figures.insert(0, model::tool_result::ToolFigure { metric, printed: mean });
            }
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        if rows.len() > 1 {
            let part = |(second, measured): (usize, ToolMeasurement)| ToolPart {
                kind: ToolPartKind::Interval,
                name: second.to_string(),
                start_s: Some(second as f64),
                measured,
            };
            result.parts = rows.into_iter().enumerate().map(part).collect();
        }
        Ok(vec![result])
    }
}

/// `polled=1, fixedbufs=0/0, register_files=1, buffered=1, QD=128`.
fn is_settings(text: &str) -> bool {
    text.starts_with("polled=") && text.contains(", QD=")
}

/// `IOPS=1.63M, BW=796MiB/s, IOS/call=32/31`.
struct Row<'a> {
    iops: &'a str,
    rate: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let rest = text.strip_prefix("IOPS=")?;
        if !rest.contains("IOS/call=") {
            return None;
        }
        let (iops, rest) = rest.split_once(", ")?;
        let rate = rest.strip_prefix("BW=").and_then(|rest| rest.split(',').next());
        Some(Self { iops, rate })
    }

    fn measured(&self, line: u64) -> ToolMeasurement {
        let mut measured = ToolMeasurement::default();
        // What is less than a multiple is cut off.
        let cut = |value: PrintedValue| PrintedValue { half_step: value.half_step * 2.0, ..value };
        measured.add(metric::IOPS, count(line, self.iops, OPERATIONS.counting, Unit::PerSecond).map(cut));
        measured.add(
            metric::THROUGHPUT,
            self.rate.and_then(|rate| quantity(line, rate, BYTES.counting)).map(cut),
        );
        measured
    }
}

/// The mean of all seconds.
fn mean(rows: &[ToolMeasurement], metric: MetricName) -> Option<PrintedValue> {
    let values: Vec<&PrintedValue> = rows.iter().filter_map(|row| row.figure(metric)).collect();
    let (first, last) = (*values.first()?, *values.last()?);
    let count = values.len() as f64;
    let text = match values.len() {
        1 => first.text.clone(),
        count => format!("{} to {} ({count})", first.text, last.text),
    };
    Some(PrintedValue {
        text,
        value: values.iter().map(|value| value.value).sum::<f64>() / count,
        half_step: values.iter().map(|value| value.half_step).sum::<f64>() / count,
        ..first.clone()
    })
}

/// What the command asks for: `-b512 -d128`.
fn options(result: &mut ToolResult) {
    const OPTIONS: &[(&str, &str)] =
        &[("-b", "block-size"), ("-d", "iodepth"), ("-n", "numjobs"), ("-r", "runtime"), ("-p", "polled")];
    let mut words = result.command.iter().skip(1);
    let mut told = Vec::new();
    while let Some(word) = words.next() {
        let Some((option, name)) = OPTIONS.iter().find(|(option, _)| word.starts_with(option)) else {
            continue;
        };
        let value = word.strip_prefix(option).filter(|value| !value.is_empty()).map(str::to_owned);
        told.extend(value.or_else(|| words.next().cloned()).map(|value| ((*name).to_owned(), value)));
    }
    result.options.extend(told);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_is_an_interval() {
        // Of a message to the list of io_uring, quoted there.
        let text = "> # taskset -c 0 t/io_uring -b512 -d128 -c32 -s32 -p1 -F1 -B0 -O0 -n1 -u1 /dev/ng0n1\n\
                    > submitter=0, tid=2178, file=/dev/ng0n1, node=-1\n\
                    > polled=1, fixedbufs=0/0, register_files=1, buffered=1, QD=128\n\
                    > Engine=io_uring, sq_ring=128, cq_ring=128\n\
                    > IOPS=1.63M, BW=796MiB/s, IOS/call=32/31\n> IOPS=1.65M, BW=803MiB/s, IOS/call=32/31\n\
                    > ^CExiting on signal\n> Maximum IOPS=1.65M\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert!((result.whole.figure(metric::IOPS).unwrap().value - 1.64e6).abs() < 1.0);
        assert_eq!(result.parts[1].measured.figure(metric::THROUGHPUT).unwrap().value, 803.0 * 1_048_576.0);
        assert_eq!(
            (result.options["block-size"].as_str(), result.options["iodepth"].as_str()),
            ("512", "128")
        );
        assert!(output.unread.is_empty(), "{:?}", output.unread);
        let early = "IOPS=254820, BW=124MiB/s, IOS/call=1/1, inflight=(1 1)\n";
        let output = crate::tool::read("", early.as_bytes()).unwrap();
        assert_eq!(output.results[0].whole.figure(metric::IOPS).unwrap().value, 254_820.0);
    }
}
