//! pveperf of Proxmox VE, and pmgperf of its mail gateway: each of their tests is a result. Each test lasts three seconds.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Pveperf;

const NAME: &str = "pveperf";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "MB/sec",
    counting: Counting::Binary,
    proof: "bin/pveperf divides the bytes by elapsed * 1024 * 1024",
};

const RULES: &[CountingRule] = &[BYTES];

/// Labels of what the machine is, and of its tests, of which one prints a line each.
const BOGOMIPS: &str = "CPU BOGOMIPS";
const REGEX: &str = "REGEX/SECOND";
const SIZE: &str = "HD SIZE";
const READS: &str = "BUFFERED READS";
const SEEK: &str = "AVERAGE SEEK TIME";
const FSYNCS: &str = "FSYNCS/SECOND";
const DNS_EXTERNAL: &str = "DNS EXT";
const DNS_INTERNAL: &str = "DNS INT";

/// All of them, in the order in which they are printed.
const LABELS: &[&str] = &[BOGOMIPS, REGEX, SIZE, READS, SEEK, FSYNCS, DNS_EXTERNAL, DNS_INTERNAL];

/// How long a test lasts. What is printed as REGEX/SECOND is the count of all of them.
const SECONDS: f64 = 3.0;

impl ToolReader for Pveperf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what pveperf or pmgperf prints: reads, seeks and fsyncs of a drive, regular expressions, and look-ups of names; each is a \
         result"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "pmgperf"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[BOGOMIPS, REGEX, READS, SEEK, FSYNCS]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let (label, _) = labelled(&line.text)?;
        [BOGOMIPS, REGEX, READS, SEEK, FSYNCS].contains(&label).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let label = |line: &ToolLine| labelled(&line.text).map(|(label, _)| label);
        let own = label(last);
        // Each is printed once.
        let is_again = own.is_some() && before.iter().any(|line| label(line) == own);
        let belongs = before.is_empty() || own.is_some() && !is_again;
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let common = block.result(NAME, self.programs());
        let mut device: Option<&str> = None;
        let mut results = Vec::new();
        for line in block.lines {
            let Some((label, value)) = labelled(&line.text) else { continue };
            if label == SIZE {
                // `93.99 GB (/dev/mapper/pve-root)`.
                device = value.split_once('(').and_then(|(_, inside)| inside.strip_suffix(')'));
                continue;
            }
            let Some((metric, printed)) = figure(line.number, label, value) else { continue };
            let mut result = common.clone();
            (result.lines.first, result.lines.last) = (line.number, line.number);
            result.options.insert("test".to_owned(), label.to_lowercase());
            let is_of_drive = [READS, SEEK, FSYNCS].contains(&label);
            let device = device.filter(|_| is_of_drive).map(str::to_owned);
            result.options.extend(device.map(|device| ("device".to_owned(), device)));
            result.whole.add(metric, Some(printed));
            results.push(result);
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// A line by its label, and what stands behind it, which begins with a number.
fn labelled(text: &str) -> Option<(&'static str, &str)> {
    let (name, value) = text.trim().split_once(':')?;
    let label = LABELS.iter().find(|label| **label == name)?;
    let value = value.trim();
    leading(value, false).map(|_| (*label, value))
}

/// The figure of a test; `None` of what is none.
fn figure(line: u64, label: &str, value: &str) -> Option<(MetricName, PrintedValue)> {
    let milliseconds = || time(line, value.split_once(" ms")?.0, "ms");
    let (metric, printed) = match label {
        REGEX => {
            let (count, rest) = whole(value)?;
            let rate = count as f64 / SECONDS;
            // It ends with the first one behind three seconds.
            let printed = PrintedValue {
                line,
                text: format!("{count} in 3 s"),
                value: rate,
                unit: Unit::PerSecond,
                half_step: rate / 1e3,
                counting: None,
            };
            (metric::EVENTS_PER_SECOND, Some(printed).filter(|_| rest.is_empty()))
        }
        READS => (metric::THROUGHPUT, quantity(line, value, BYTES.counting)),
        FSYNCS => (metric::SYNCS_PER_SECOND, bare(line, value, Unit::PerSecond)),
        SEEK | DNS_EXTERNAL | DNS_INTERNAL => (metric::LATENCY_MEAN, milliseconds()),
        _ => return None,
    };
    Some((metric, printed?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "root@pve:~# pveperf\n\
                        CPU BOGOMIPS:      40000.00\n\
                        REGEX/SECOND:      3000000\n\
                        HD SIZE:           90.00 GB (/dev/mapper/pve-root)\n\
                        BUFFERED READS:    400.00 MB/sec\n\
                        AVERAGE SEEK TIME: 0.20 ms\n\
                        FSYNCS/SECOND:     1000.50\n\
                        DNS EXT:           40.00 ms\n\
                        DNS INT:           1.50 ms (local)\n";

    #[test]
    fn each_test_is_a_result_with_its_device() {
        let output = crate::tool::read("", format!("{TEXT}so it was\n").as_bytes()).unwrap();
        let found: Vec<(&str, f64, bool)> = output
            .results
            .iter()
            .map(|result| {
                let value = result.whole.figures[0].printed.value;
                (result.options["test"].as_str(), value, result.options.contains_key("device"))
            })
            .collect();
        let expected = [
            ("regex/second", 1_000_000.0, false),
            ("buffered reads", 400.0 * 1_048_576.0, true),
            ("average seek time", 0.0002, true),
            ("fsyncs/second", 1000.5, true),
            ("dns ext", 0.04, false),
            ("dns int", 0.0015, false),
        ];
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (one, other) in found.iter().zip(expected) {
            assert!((one.0, one.2) == (other.0, other.2) && (one.1 / other.1 - 1.0).abs() < 1e-9, "{one:?}");
        }
        assert_eq!(output.results[1].options["device"], "/dev/mapper/pve-root");
        assert_eq!((output.results[0].command.len(), output.unread.len()), (1, 1));
    }

    #[test]
    fn two_runs_are_apart_and_prose_is_none() {
        let output = crate::tool::read("", format!("{TEXT}{TEXT}").as_bytes()).unwrap();
        assert_eq!(output.results.len(), 12);
        for text in ["FSYNCS/SECOND: none", "fsyncs: 5", "HD SIZE:           90.00 GB (/dev/sda)"] {
            let line = ToolLine { number: 1, text: text.to_owned() };
            assert_eq!(Pveperf.begins(&line), None, "{text}");
        }
    }
}
