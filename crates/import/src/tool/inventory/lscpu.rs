//! lscpu: its caches and clocks, in text of any language, and its JSON. What it says of the model is kept
//! as options; flags and vulnerabilities are not.

use std::collections::BTreeMap;

use model::tool_result::{Counting, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit};
use serde::Deserialize;

use super::{lscpu_tables, printed, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{leading, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Lscpu;

const NAME: &str = "lscpu";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "K, KiB, MiB of caches, since 2.34 of all instances together",
    counting: Counting::Binary,
    proof: "lscpu-2.38.1-plain has an L3 cache of 32 MiB, and lscpu-2.38.1-bytes 33554432 for the same",
};

const RULES: &[CountingRule] = &[BINARY];

/// Architectures, one of which the first line ends with.
const ARCHITECTURES: &[&str] = &[
    "x86_64",
    "i686",
    "i586",
    "i386",
    "aarch64",
    "armv7l",
    "armv6l",
    "ppc64le",
    "ppc64",
    "s390x",
    "riscv64",
    "loongarch64",
    "mips64",
    "sparc64",
];

/// Names of lines below the first, of which a text begins with one where it was cut.
const BELOW: &[&str] =
    &["CPU op-mode(s)", "CPU(s)", "On-line CPU(s) list", "Vendor ID", "Model name", "Thread(s) per core"];

/// What is kept as an option, by its name in English.
const KEPT: &[&str] = &[
    "Architecture",
    "CPU(s)",
    "Model name",
    "Thread(s) per core",
    "Core(s) per socket",
    "Core(s) per cluster",
    "Socket(s)",
    "NUMA node(s)",
    "Hypervisor vendor",
    "Virtualization type",
];

impl ToolReader for Lscpu {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "caches, clocks and model in what lscpu prints, also with --bytes, in its JSON, in its table of caches (-C), and \
         how many processors, cores and sockets its tables of processors have (-e, -p)"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["lscpu"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[ARCHITECTURES, BELOW, &["ALL-SIZE", "CPU", "# The following is the parsable format"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if size_column(&line.text).is_some() || lscpu_tables::begins(&line.text) {
            return Some(Beginning::Certain);
        }
        let (name, value) = field(&line.text)?;
        let is_one = (ARCHITECTURES.contains(&value) || BELOW.contains(&name)) && !line.is_indented();
        // Other tools say in words of their own what they run on.
        (is_one && line.text.len() > name.len() + value.len() + 4).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Extent::More };
        if size_column(&first.text).is_some() {
            let belongs = lines.len() == 1 || cache_row(&last.text, 0).is_some();
            return if belongs { Extent::More } else { Extent::EndsBefore };
        }
        if lscpu_tables::begins(&first.text) {
            let belongs = lines.len() == 1 || lscpu_tables::belongs(&first.text, &last.text);
            return if belongs { Extent::More } else { Extent::EndsBefore };
        }
        // A terminal wraps the flags far to the right.
        let is_wrapped = last.text.starts_with("            ");
        let is_own = !last.is_blank() && (is_wrapped || field(&last.text).is_some());
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        text.chars().take(256).collect::<String>().contains("\"lscpu\"") || lscpu_tables::knows_json(text)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut reading = Reading::default();
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{')) {
            reading.json(block)?;
        } else if block.lines.first().is_some_and(|line| lscpu_tables::begins(&line.text)) {
            reading.parts.extend(lscpu_tables::of_lines(block.lines));
        } else if let Some(column) = block.lines.first().and_then(|line| size_column(&line.text)) {
            for line in block.lines {
                if let Some((level, size)) = cache_row(&line.text, column) {
                    reading.take(line.number, level, size);
                }
            }
        } else {
            for line in block.lines {
                if let Some((name, value)) = field(&line.text) {
                    reading.take(line.number, name, value);
                }
            }
        }
        if reading.parts.is_empty() && reading.clock.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let mut parts = reading.parts;
        parts.extend(target("cpu".to_owned(), reading.clock));
        let result = block.without_blank_end().result(NAME, self.programs());
        Ok(vec![ToolResult { parts, options: reading.options, ..result }])
    }
}

/// What is read of the JSON; since 2.39 fields have further ones below them.
#[derive(Deserialize)]
struct Document {
    lscpu: Vec<LscpuField>,
}

#[derive(Deserialize)]
struct LscpuField {
    field: String,
    data: Option<String>,
    #[serde(default)]
    children: Vec<LscpuField>,
}

/// The place of the size of all instances in the headings of -C: `NAME ONE-SIZE ALL-SIZE WAYS TYPE ...`.
fn size_column(text: &str) -> Option<usize> {
    let words = || text.split_whitespace();
    (words().next() == Some("NAME")).then(|| words().position(|word| word == "ALL-SIZE")).flatten()
}

/// The level of a cache and what stands at a place of its row.
fn cache_row(text: &str, place: usize) -> Option<(&str, &str)> {
    let level = text.split_whitespace().next()?;
    let is_level = level.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    text.split_whitespace().nth(place).filter(|_| is_level).map(|word| (level, word))
}

/// The name and the value of a line. Names may be indented.
fn field(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let is_name = !name.is_empty() && name.chars().count() <= 48;
    is_name.then_some((name, value))
}

/// What was read so far.
#[derive(Default)]
struct Reading {
    options: BTreeMap<String, String>,
    parts: Vec<ToolPart>,
    clock: ToolMeasurement,
}

impl Reading {
    /// The fields of all of it, or one of the tables.
    fn json(&mut self, block: &ToolBlock<'_>) -> Result<(), NotUnderstood> {
        let why = |error: serde_json::Error| match error.is_eof() {
            true => NotUnderstood::CutShort,
            false => NotUnderstood::OtherText,
        };
        let line = block.range().first;
        let value: serde_json::Value = serde_json::from_str(&block.text()).map_err(why)?;
        if let Some(parts) = lscpu_tables::of_json(line, &value) {
            self.parts.extend(parts);
            return Ok(());
        }
        let document: Document = serde_json::from_value(value).map_err(why)?;
        self.fields(line, &document.lscpu);
        Ok(())
    }

    fn fields(&mut self, line: u64, fields: &[LscpuField]) {
        for LscpuField { field, data, children } in fields {
            let name = field.trim().trim_end_matches(':');
            self.take(line, name, data.as_deref().unwrap_or_default().trim());
            self.fields(line, children);
        }
    }

    fn take(&mut self, line: u64, name: &str, value: &str) {
        let level = name.split(' ').next().unwrap_or_default();
        if matches!(level, "L1d" | "L1i" | "L1" | "L2" | "L3" | "L4") {
            self.parts.extend(cache(line, level, value));
            return;
        }
        let clocks =
            [("CPU max MHz", "frequency_max"), ("CPU min MHz", "frequency_min"), ("CPU MHz", "frequency")];
        if let Some((_, metric)) = clocks.into_iter().find(|(known, _)| *known == name) {
            let clock = leading(value, false).filter(|number| number.rest.is_empty()).map(|number| {
                let text = format!("{} MHz", number.digits);
                printed(line, &text, number.value * 1e6, number.half_step * 1e6, Unit::Hertz)
            });
            self.clock.add(MetricName::new(metric), clock);
        } else if KEPT.contains(&name) && !value.is_empty() {
            self.options.insert(name.to_owned(), value.to_owned());
        }
    }
}

/// `64 KiB (2 instances)`, `32K`, with `--bytes` `65536 (2 instances)`.
pub(super) fn cache(line: u64, level: &str, value: &str) -> Option<ToolPart> {
    let text = value.split(" (").next()?.trim();
    let number = leading(text, false)?;
    let unit = match number.rest.trim() {
        "" => "B".to_owned(),
        unit if unit.ends_with('B') => unit.to_owned(),
        unit => format!("{unit}B"),
    };
    let size = quantity(line, &format!("{} {unit}", number.digits), BINARY.counting)?;
    let mut measured = ToolMeasurement::default();
    measured.add(
        MetricName::new("size"),
        Some(model::tool_result::PrintedValue { text: text.to_owned(), ..size }),
    );
    target(format!("{level} cache"), measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_of_every_version_are_in_bytes() {
        for (value, bytes) in [
            ("64 KiB (2 instances)", 65_536.0),
            ("32K", 32_768.0),
            ("65536 (2 instances)", 65_536.0),
            ("2.5 MiB (10 instances)", 2_621_440.0),
        ] {
            let part = cache(1, "L2", value).unwrap();
            assert_eq!(part.measured.figure(MetricName::new("size")).unwrap().value, bytes, "{value}");
            assert_eq!(part.name, "L2 cache");
        }
        assert!(cache(1, "L2", "unknown").is_none());
    }

    #[test]
    fn the_first_line_is_known_in_any_language() {
        let begins = |text: &str| Lscpu.begins(&ToolLine { number: 1, text: text.to_owned() });
        assert_eq!(begins("Architektur:                     x86_64"), Some(Beginning::Likely));
        assert_eq!(begins("CPU op-mode(s):                  32-bit, 64-bit"), Some(Beginning::Likely));
        assert_eq!(begins("CPU(s): 8"), None, "it is in no column");
        assert_eq!(begins("아키텍처:           aarch64"), Some(Beginning::Likely));
        assert_eq!(begins("arch: x86_64"), None);
        assert_eq!(begins("Architecture:          some other"), None);
    }
}
