//! btt of blktrace: how long the steps of requests took, of all devices. Its tables of each device have shares of these.

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Btt;

const NAME: &str = "btt";

/// Its steps, by the events at both ends: Q is queued, G got a request, I inserted, D issued, M merged, C completed.
const STEPS: &[&str] = &["Q2Q", "Q2A", "Q2G", "G2I", "Q2M", "I2D", "M2D", "D2C", "Q2C"];

impl ToolReader for Btt {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the first table of btt: how long each step of requests took, of all devices, with how many there were"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["=========="]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (title(&line.text) == Some("All Devices")).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let is_another = title(text) == Some("All Devices");
        let is_table = last.is_blank()
            || last.is_indented()
            || title(text).is_some()
            || text.starts_with("---")
            || text.starts_with('#')
            || text.contains(" | ")
            || Step::of(last).is_some();
        if before.is_empty() || is_table && !is_another { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        // The tables of devices come behind it.
        let is_first = |line: &&ToolLine| title(&line.text).is_none();
        let steps: Vec<Step> = block.lines.iter().skip(1).take_while(is_first).filter_map(Step::of).collect();
        if steps.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let mut result = block.without_blank_end().result(NAME, self.programs());
        let step = |name: &str| steps.iter().find(|step| step.name == name);
        result.whole = step("Q2C").map(Step::measured).unwrap_or_default();
        let of_device = step("D2C").and_then(|step| step.mean.clone());
        result.whole.add(MetricName::new("device_latency_mean"), of_device);
        for step in &steps {
            result.parts.push(ToolPart {
                kind: ToolPartKind::Phase,
                name: step.name.to_owned(),
                start_s: None,
                measured: step.measured(),
            });
        }
        Ok(vec![result])
    }
}

/// What stands in `==================== All Devices ====================`.
fn title(text: &str) -> Option<&str> {
    let title = text.strip_prefix("==========")?.trim_matches('=').trim();
    (!title.is_empty() && text.ends_with("==========")).then_some(title)
}

/// A row: how long a step took at least, in the mean and at most, in seconds, and how often there was one.
struct Step {
    name: &'static str,
    mean: Option<PrintedValue>,
    max: Option<PrintedValue>,
    count: u64,
    line: u64,
}

impl Step {
    /// Reads `D2C               0.000080000   0.000120000   0.004000000        1200`.
    fn of(line: &ToolLine) -> Option<Self> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let [name, _, mean, max, count] = words.as_slice() else { return None };
        let name = *STEPS.iter().find(|step| *step == name)?;
        let (count, "") = whole(count)? else { return None };
        let (mean, max) = (time(line.number, mean, "s"), time(line.number, max, "s"));
        Some(Self { name, mean, max, count, line: line.number })
    }

    fn measured(&self) -> ToolMeasurement {
        let mut measured = ToolMeasurement {
            operations: Some(exact(self.line, self.count, Unit::One)),
            ..ToolMeasurement::default()
        };
        measured.add(MetricName::new("latency_mean"), self.mean.clone());
        measured.add(metric::LATENCY_MAX, self.max.clone());
        measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
==================== All Devices ====================

            ALL           MIN           AVG           MAX           N
--------------- ------------- ------------- ------------- -----------

D2C               0.000080000   0.000120000   0.004000000        1200
Q2C               0.000082000   0.000123000   0.004100000        1200

==================== Device Overhead ====================

       DEV |       Q2G       G2I       Q2M       I2D       D2C
---------- | --------- --------- --------- --------- ---------
 (  8,  0) |   0.8317%   0.7317%   0.0000%   0.9756%  97.5610%
";

    #[test]
    fn the_whole_way_is_the_latency() {
        let output = crate::tool::read("", format!("{TABLE}\nThat was all.\n").as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{:?}", output.results) };
        let value = |name| result.whole.figure(name).map(|printed: &PrintedValue| printed.value);
        assert!((value(MetricName::new("latency_mean")).unwrap() - 123e-6).abs() < 1e-12);
        assert!((value(metric::LATENCY_MAX).unwrap() - 4.1e-3).abs() < 1e-12);
        assert_eq!(result.whole.operations.as_ref().unwrap().value, 1200.0);
        let steps: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!((steps, result.lines.last, output.unread.len()), (vec!["D2C", "Q2C"], 13, 1));
    }

    #[test]
    fn other_titles_begin_nothing() {
        assert_eq!(
            title("==================== Device Overhead ===================="),
            Some("Device Overhead")
        );
        for text in ["==========", "== All Devices ==", "===================="] {
            let line = ToolLine { number: 1, text: text.to_owned() };
            assert!(Btt.begins(&line).is_none() && title(text).is_none(), "{text}");
        }
    }
}
