//! ezFIO: its table, each row of which is a test of fio on a drive that was written full before.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, leading, quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct EzFio;

const NAME: &str = "ezfio";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "MB/s of BW(MB/s)",
    counting: Counting::Binary,
    proof: "ezfio.py, RunTest divides the operations a second times their size by 1024.0 * 1024.0",
};

const RULES: &[CountingRule] = &[BINARY];

/// Labels above its table, with our names for them.
const LABELS: &[(&str, &str)] =
    &[("Drive", "device"), ("Model", "model"), ("TestedCapacity", "size"), ("FIO Version", "fio")];

impl ToolReader for EzFio {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of ezFIO: bandwidth, operations and latency of each of its tests"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["ezfio.py", "ezfio"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["ezFio test parameters:", "Test Description"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_heading = text.starts_with("Test Description") && text.contains("BW(MB/s)");
        (text == "ezFio test parameters:" || is_heading).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if text.starts_with("COMPLETED!") {
            return Extent::EndsHere;
        }
        let is_label = LABELS.iter().any(|(label, _)| text.starts_with(label))
            || ["Serial", "AvailCapacity", "TestedOffset", "CPU", "Cores", "Frequency"]
                .iter()
                .any(|label| text.starts_with(label));
        let is_own = before.is_empty()
            || last.is_blank()
            || is_label
            || text.starts_with("---")
            || text.starts_with("Test Description")
            || Row::of(last).is_some()
            || text.ends_with("DONE");
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        for line in block.lines {
            let labelled = line.text.split_once(": ");
            if let Some(row) = Row::of(line) {
                result.parts.push(ToolPart {
                    kind: ToolPartKind::Phase,
                    name: row.name.to_owned(),
                    start_s: None,
                    measured: row.measured,
                });
            } else if let Some((label, value)) = labelled
                && let Some((_, name)) = LABELS.iter().find(|(own, _)| *own == label.trim())
            {
                result.options.insert((*name).to_owned(), value.trim().to_owned());
            }
        }
        if result.parts.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// `Sustained 4KB Random Read, QD=256    1,234.56   316,047     80.9`.
struct Row<'a> {
    name: &'a str,
    measured: ToolMeasurement,
}

impl<'a> Row<'a> {
    fn of(line: &'a ToolLine) -> Option<Self> {
        let text = line.text.trim();
        let (rest, latency) = text.rsplit_once(char::is_whitespace)?;
        let (rest, operations) = rest.trim_end().rsplit_once(char::is_whitespace)?;
        let (name, rate) = rest.trim_end().rsplit_once(char::is_whitespace)?;
        let number = |text: &str| {
            let plain = text.replace(',', "");
            leading(&plain, false).filter(|number| number.rest.is_empty()).map(|_| plain.clone())
        };
        let (rate, operations, latency) = (number(rate)?, number(operations)?, number(latency)?);
        let name = name.trim();
        let is_name = name.chars().any(char::is_alphabetic) && !name.ends_with(':');
        let mut measured = ToolMeasurement::default();
        measured.add(metric::THROUGHPUT, quantity(line.number, &format!("{rate} MB/s"), BINARY.counting));
        // It cuts off what is behind the point.
        let operations = bare(line.number, &operations, Unit::PerSecond);
        measured.add(metric::IOPS, operations.map(|iops| PrintedValue { half_step: 1.0, ..iops }));
        measured.add(metric::LATENCY_MEAN, time(line.number, &latency, "us"));
        is_name.then_some(Self { name, measured })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "$ sudo ./ezfio.py -d /dev/nvme0n1\n********************************************************************************\nezFio test parameters:\n\n               \
        Drive: /dev/nvme0n1\n               Model: Example SSD\n         FIO Version: fio-3.33\n\n\nTest Description                         BW(MB/s)      IOPS  Lat(us)\n\
        ---------------------------------------- -------- --------- --------\n\n---Sequential Conditioning---\nSequential Conditioning                      DONE      \
        DONE     DONE\n\n---Sustained Multi-Threaded Random Read Tests by Queue Depth---\nRand 4KB 100%R QD=1                         50.00    12,800     77.1\n\
        Rand 4KB 100%R QD=256                    2,000.00   512,000    499.2\n\nCOMPLETED!\n";

    #[test]
    fn each_row_is_a_test() {
        let output = crate::tool::read("", TEXT.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["Rand 4KB 100%R QD=1", "Rand 4KB 100%R QD=256"]);
        let value = |name| result.parts[1].measured.figure(name).map(|figure| figure.value);
        assert_eq!(
            (value(metric::THROUGHPUT), value(metric::IOPS)),
            (Some(2000.0 * 1_048_576.0), Some(512_000.0))
        );
        assert_eq!(result.options["device"], "/dev/nvme0n1");
    }
}
