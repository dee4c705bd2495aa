//! What stress-ng writes with `--yaml`. Of the machine only the version is kept; of the counters of `--perf`
//! nothing.

use model::metric;
use model::tool_result::{Counting, ToolMeasurement, ToolResult};

use super::{Reading, StressColumn, add_further, put};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::quantity;
use crate::tool::reader::{Extent, NotUnderstood};

/// Keys of a stressor, with the column of the table that has the same.
const KEYS: &[(&str, StressColumn)] = &[
    ("bogo-ops", StressColumn::Operations),
    ("bogo-ops-per-second-real-time", StressColumn::Rate),
    ("bogo-ops-per-second-usr-sys-time", StressColumn::RateOfCpu),
    ("wall-clock-time", StressColumn::Window),
    ("user-time", StressColumn::UserTime),
    ("system-time", StressColumn::SystemTime),
    ("cpu-usage-per-instance", StressColumn::CpuShare),
    ("max-rss", StressColumn::Resident),
];

/// Parts of the document, each of which may be the first that a text has of it.
const BEGINNINGS: &[&str] = &["system-info:", "metrics:"];

/// Whether a document may begin with this line.
pub(super) fn begins(line: &ToolLine) -> bool {
    BEGINNINGS.contains(&line.text.as_str())
}

/// Whether a line belongs to the document.
pub(super) fn extent(last: &ToolLine) -> Extent {
    let is_part = || key(&last.text).is_some_and(|(_, value)| value.is_empty());
    match () {
        () if last.text == "..." => Extent::EndsHere,
        () if last.is_blank() || last.is_indented() || is_part() => Extent::More,
        () => Extent::EndsBefore,
    }
}

/// Reads a document.
///
/// # Errors
/// If it has no stressor.
pub(super) fn read(block: &ToolBlock<'_>, result: ToolResult) -> Result<ToolResult, NotUnderstood> {
    let mut reading = Reading { result, ..Reading::default() };
    let mut part = "";
    for line in block.lines.iter().filter(|line| !line.is_blank()) {
        let Some((name, value)) = key(&line.text) else { continue };
        if !line.is_indented() {
            part = name;
            continue;
        }
        match part {
            "system-info" if name == "stress-ng-version" => reading.result.version = Some(value.to_owned()),
            "metrics" if name == "stressor" => {
                reading.stressors.push((value.to_owned(), ToolMeasurement::default()));
            }
            "metrics" => {
                if let Some((_, measured)) = reading.stressors.last_mut() {
                    add(measured, line.number, name, value);
                }
            }
            "times" => add_time(&mut reading.result, line.number, name, value),
            _ => {}
        }
    }
    reading.result()
}

/// `- stressor: cpu`, `bogo-ops: 1033`.
fn key(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let (name, value) = text.strip_prefix("- ").unwrap_or(text).split_once(':')?;
    let is_key = !name.is_empty() && !name.contains(char::is_whitespace);
    is_key.then(|| (name, value.trim().trim_matches('\'')))
}

fn add(measured: &mut ToolMeasurement, line: u64, name: &str, value: &str) {
    match KEYS.iter().find(|(known, _)| *known == name) {
        Some((_, column)) => put(measured, *column, line, value),
        None => {
            // The words of the table, with hyphens.
            let words = name.replace('-', " ").replace("mb per sec", "MB per sec");
            add_further(measured, line, &format!("{value} {words}"));
        }
    }
}

/// Of `--times`: what all stressors took together.
fn add_time(result: &mut ToolResult, line: u64, name: &str, value: &str) {
    let seconds = || quantity(line, &format!("{value} s"), Counting::Decimal);
    match name {
        "run-time" => result.whole.window = seconds(),
        "user-time" => result.whole.add(metric::CPU_USER_TIME, seconds()),
        "system-time" => result.whole.add(metric::CPU_SYSTEM_TIME, seconds()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn keys_are_the_columns_of_the_table() {
        let results = read(
            "system-info:\n      stress-ng-version: 0.15.06\n      hostname: secret\n\nmetrics:\n    - stressor: memrate\n      \
             bogo-ops: 10\n      bogo-ops-per-second-real-time: 5.5\n      wall-clock-time: 2.0\n      \
             write64-mb-per-sec: 2.5\n...\n",
        );
        let [result] = results.as_slice() else { panic!("{results:?}") };
        assert_eq!(result.version.as_deref(), Some("0.15.06"));
        assert_eq!(result.whole.figure(metric::OPERATIONS_PER_SECOND).unwrap().value, 5.5);
        assert_eq!(result.whole.window.as_ref().unwrap().value, 2.0);
        let rate = result.whole.figure(model::MetricName::new("write64_throughput")).unwrap();
        assert_eq!(rate.value, 2.5 * 1_048_576.0);
        assert!(!format!("{result:?}").contains("secret"));
    }

    #[test]
    fn other_documents_with_such_a_part_are_none() {
        assert!(read("metrics:\n  - name: cpu\n    value: 5\n").is_empty());
    }
}
