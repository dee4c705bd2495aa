//! `/proc/diskstats`: what each device did since the machine started. Sectors are of 512 bytes, whatever the device has (the kernel's
//! Documentation/admin-guide/iostats.rst).

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, plain};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Diskstats;

const NAME: &str = "diskstats";

/// What a counter counts.
#[derive(Clone, Copy)]
enum CounterOf {
    Count,
    Sectors,
    Milliseconds,
}

/// Its fields behind the name of the device. Kernels before 4.18 have the first eleven, those before 5.5 the first fifteen.
const FIELDS: &[(&str, CounterOf)] = &[
    ("read_operations", CounterOf::Count),
    ("read_merges", CounterOf::Count),
    ("read_bytes", CounterOf::Sectors),
    ("read_time", CounterOf::Milliseconds),
    ("write_operations", CounterOf::Count),
    ("write_merges", CounterOf::Count),
    ("written_bytes", CounterOf::Sectors),
    ("write_time", CounterOf::Milliseconds),
    ("in_flight", CounterOf::Count),
    ("busy_time", CounterOf::Milliseconds),
    ("queue_time", CounterOf::Milliseconds),
    ("discard_operations", CounterOf::Count),
    ("discard_merges", CounterOf::Count),
    ("discarded_bytes", CounterOf::Sectors),
    ("discard_time", CounterOf::Milliseconds),
    ("flush_operations", CounterOf::Count),
    ("flush_time", CounterOf::Milliseconds),
];

/// How many fields kernels have.
const COUNTS: &[usize] = &[11, 15, 17];

impl ToolReader for Diskstats {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "/proc/diskstats of any kernel: what each device did since the machine started; those that did nothing are left out"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Counts, milliseconds, and sectors of 512 bytes.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[]]).or_number()
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        row(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some(last) = lines.last() else { return Extent::More };
        if row(&last.text).is_some() { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        result.options.insert("since".to_owned(), "boot".to_owned());
        let mut names: Vec<&str> = Vec::new();
        for line in block.lines {
            let Some((name, values)) = row(&line.text) else { continue };
            if values.iter().all(|value| *value == 0) {
                continue;
            }
            // The same again is of a later moment, which nothing tells.
            let name = match names.iter().filter(|own| **own == name).count() {
                0 => name.to_owned(),
                before => format!("{name} {}", before + 1),
            };
            names.extend(row(&line.text).map(|(name, _)| name));
            result.parts.push(ToolPart {
                kind: ToolPartKind::Target,
                name,
                start_s: None,
                measured: measured(line.number, &values),
            });
        }
        if result.parts.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// `   7       0 loop0 234557 30 6258121 14439 238636 36158 6526801 16211 0 18924 32812 143 6 50178164 60 2493 2100`.
fn row(text: &str) -> Option<(&str, Vec<u64>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [major, minor, name, values @ ..] = words.as_slice() else { return None };
    let is_device = major.parse::<u32>().is_ok()
        && minor.parse::<u32>().is_ok()
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    let values: Vec<u64> = values.iter().map(|value| value.parse().ok()).collect::<Option<_>>()?;
    (is_device && COUNTS.contains(&values.len())).then_some((*name, values))
}

fn measured(line: u64, values: &[u64]) -> ToolMeasurement {
    let mut measured = ToolMeasurement::default();
    for ((name, of), value) in FIELDS.iter().zip(values) {
        let printed: PrintedValue = match of {
            CounterOf::Count => exact(line, *value, Unit::One),
            CounterOf::Sectors => plain(line, format!("{value} sectors"), *value as f64 * 512.0, Unit::Bytes),
            CounterOf::Milliseconds => plain(line, format!("{value} ms"), *value as f64 / 1e3, Unit::Seconds),
        };
        measured.add(MetricName::new(name), Some(printed));
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_each_kernel_are_read() {
        let early = "   8       0 sda 1000 30 80000 1443 500 36 64000 1621 0 1892 3281\n";
        let late = "   7       0 loop0 234557 30 6258121 14439 238636 36158 6526801 16211 0 18924 32812 143 6 50178164 60 2493 2100\n   7       1 loop1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
        for (text, name, bytes) in [(early, "sda", 80_000.0), (late, "loop0", 6_258_121.0)] {
            let output = crate::tool::read("", text.as_bytes()).unwrap();
            let [result] = output.results.as_slice() else { panic!("{output:?}") };
            assert!(result.is_since_boot() && result.parts.len() == 1, "{result:?}");
            let read = result.parts[0].measured.figure(MetricName::new("read_bytes"));
            assert_eq!(
                (result.parts[0].name.as_str(), read.map(|read| read.value)),
                (name, Some(bytes * 512.0))
            );
        }
    }

    #[test]
    fn other_rows_of_numbers_are_none() {
        for text in ["1 2 3 4 5 6 7 8 9 10 11 12 13 14", "8 0 sda 1 2 3"] {
            assert!(row(text).is_none(), "{text}");
        }
    }
}
