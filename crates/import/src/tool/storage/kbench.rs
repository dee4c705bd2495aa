//! kbench of Longhorn: the summary of what fio measured of a volume. Each of its figures is of a run of its own.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::leading;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Kbench;

const NAME: &str = "kbench";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "KiB/sec",
    counting: Counting::Binary,
    proof: "it writes the i, and prints fio's own `bw` of JSON, which is in KiB/s (fio's HOWTO, section on JSON+ output)",
};

const RULES: &[CountingRule] = &[BINARY];

/// The first line of its summary that nobody else prints.
const TITLE: &str = "FIO Benchmark Summary";

impl ToolReader for Kbench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of kbench of one volume; each of its figures is a result. Not its comparison of two"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[TITLE, "(Read/Write)"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (text == TITLE || Section::of(text).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_rule = !text.is_empty() && text.bytes().all(|byte| byte == b'=');
        let belongs = text.is_empty()
            || is_rule
            || Section::of(text).is_some()
            || row(text).is_some()
            || setting(text).is_some()
            || text.starts_with("CPU Idleness");
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut common = block.result(NAME, self.programs());
        let mut section = None;
        let mut results = Vec::new();
        for line in block.lines {
            let text = line.text.trim();
            if let Some(found) = Section::of(text) {
                section = Some(found);
            } else if let Some((name, value)) = setting(text) {
                common.options.insert(name.to_owned(), value.to_owned());
            } else if let Some((section, (pattern, values))) = section.as_ref().zip(row(text)) {
                let both = ["read", "write"].into_iter().zip(values);
                results.extend(both.filter_map(|(direction, value)| {
                    section.result(line.number, (pattern, direction), value, &common)
                }));
            }
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// What its figures are.
#[derive(Clone, Copy)]
enum Section {
    Iops,
    Bandwidth,
    Latency,
}

impl Section {
    fn of(text: &str) -> Option<Self> {
        match text {
            "IOPS (Read/Write)" | "IOPS in ops (Read/Write)" => Some(Self::Iops),
            "Bandwidth in KiB/sec (Read/Write)" => Some(Self::Bandwidth),
            "Latency in ns (Read/Write)" => Some(Self::Latency),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Iops => "iops",
            Self::Bandwidth => "bandwidth",
            Self::Latency => "latency",
        }
    }

    /// The result of one of its figures; what was not measured is 0.
    fn result(
        self,
        line: u64,
        (pattern, direction): (&str, &str),
        value: &str,
        common: &ToolResult,
    ) -> Option<ToolResult> {
        let number = leading(value, true).filter(|number| number.rest.is_empty() && number.value > 0.0)?;
        let (metric, unit, text, scale) = match self {
            Self::Iops => (metric::IOPS, Unit::PerSecond, value.to_owned(), 1.0),
            Self::Bandwidth => (metric::THROUGHPUT, Unit::BytesPerSecond, format!("{value} KiB/sec"), 1024.0),
            Self::Latency => (metric::LATENCY_MEAN, Unit::Seconds, format!("{value} ns"), 1e-9),
        };
        let counting = matches!(self, Self::Bandwidth).then_some(BINARY.counting);
        let half_step = number.half_step * scale;
        let printed = PrintedValue { line, text, value: number.value * scale, unit, half_step, counting };
        let mut result = common.clone();
        result.lines.first = line;
        result.lines.last = line;
        for (name, value) in [("test", self.name()), ("pattern", pattern), ("operation", direction)] {
            result.options.insert(name.to_owned(), value.to_owned());
        }
        result.whole.add(metric, Some(printed));
        Some(result)
    }
}

/// `For: test_device`, `SIZE: 30G`, `Quick Mode: disabled`, by our names.
fn setting(text: &str) -> Option<(&'static str, &str)> {
    let (label, value) = text.split_once(": ")?;
    let name = match label {
        "For" => "target",
        "SIZE" | "Size" => "size",
        "QUICK MODE" | "Quick Mode" => "quick-mode",
        "CPU Idleness Profiling" => "cpu-idleness-profiling",
        _ => return None,
    };
    Some((name, value.trim()))
}

/// The pattern of a row, and what stands for reads and for writes: `Random:           28,832 / 5,730`.
fn row(text: &str) -> Option<(&'static str, [&str; 2])> {
    let (label, values) = text.split_once(':')?;
    let pattern = match label {
        "Random" => "random",
        "Sequential" => "sequential",
        _ => return None,
    };
    let (read, write) = values.split_once('/')?;
    Some((pattern, [read.trim(), write.trim()]))
}

#[cfg(test)]
mod tests {

    const SUMMARY: &str = "=====================\nFIO Benchmark Summary\nFor: test_device\nSIZE: 30G\n\
                           QUICK MODE: DISABLED\n=====================\nIOPS (Read/Write)\n\
                           \x20       Random:           28,832 / 5,730\n    Sequential:               0 / 11329\n\
                           \x20 CPU Idleness:                      86%\n\nBandwidth in KiB/sec (Read/Write)\n\
                           \x20       Random:      1,034,002 / 278,604\n\nLatency in ns (Read/Write)\n\
                           \x20       Random:      303,098 / 1,029,192\n";

    #[test]
    fn each_figure_is_a_result() {
        let output = crate::tool::read("", format!("{SUMMARY}\nso it was\n").as_bytes()).unwrap();
        let told: Vec<(String, f64)> = output
            .results
            .iter()
            .map(|result| {
                let option = |name: &str| result.options[name].clone();
                let name = [option("test"), option("pattern"), option("operation")].join(" ");
                (name, result.whole.figures[0].printed.value)
            })
            .collect();
        let expected = [
            ("iops random read", 28_832.0),
            ("iops random write", 5730.0),
            ("iops sequential write", 11_329.0),
            ("bandwidth random read", 1_034_002.0 * 1024.0),
            ("bandwidth random write", 278_604.0 * 1024.0),
            ("latency random read", 303_098.0 * 1e-9),
            ("latency random write", 1_029_192.0 * 1e-9),
        ];
        assert_eq!(told, expected.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(output.results[0].options["target"], "test_device");
        // The rule above the title, and what is not its own.
        assert_eq!(output.unread.len(), 2);
    }
}
