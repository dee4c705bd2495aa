//! influx-stress: how many points it wrote, and at which rate.

use model::tool_result::{PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, exact, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct InfluxStress;

const NAME: &str = "influx-stress";

/// What its lines begin with.
const LABELS: &[&str] = &[
    "Using point template:",
    "Using batch size of ",
    "Spreading writes across ",
    "Throttling output to ",
    "Using ",
    "Running until ",
    "Write Throughput:",
    "Points Written:",
    "Point Template:",
    "Batch Size:",
];

impl ToolReader for InfluxStress {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what `influx-stress insert` prints: the rate of points"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Points, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Using point template:", "Write Throughput:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if text.starts_with("Using point template:") {
            return Some(Beginning::Certain);
        }
        rate(line).map(|_| Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_own = before.is_empty() || LABELS.iter().any(|label| text.starts_with(label));
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            let text = line.text.trim();
            let count = |label: &str| text.strip_prefix(label).and_then(whole).map(|(count, _)| count);
            if let Some(rate) = rate(line) {
                result.whole.add(POINTS_PER_SECOND, Some(rate));
            } else if let Some(points) = count("Points Written:") {
                result.whole.operations = Some(exact(line.number, points, Unit::One));
            } else if let Some(points) = count("Using batch size of ") {
                result.options.insert("batch-size".to_owned(), points.to_string());
            } else if text.ends_with("concurrent writer(s)") {
                result.options.extend(count("Using ").map(|count| ("threads".to_owned(), count.to_string())));
            }
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// Points are what its operations are.
const POINTS_PER_SECOND: MetricName = metric::OPERATIONS_PER_SECOND;

/// `Write Throughput: 198304.1`, which is of points a second.
fn rate(line: &ToolLine) -> Option<PrintedValue> {
    let value = line.text.trim().strip_prefix("Write Throughput:")?.trim();
    let printed = bare(line.number, value, Unit::PerSecond)?;
    (printed.text == value).then_some(printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_rate_is_of_points() {
        let text = "$ influx-stress insert -r 60s --strict --pps 200000 --host http://localhost:8086\nUsing point template: ctr,some=tag n=0i <timestamp>\n\
                    Using batch size of 10000 line(s)\nSpreading writes across 100000 series\nThrottling output to ~200000 points/sec\nUsing 20 concurrent writer(s)\n\
                    Running until ~18446744073709551615 points sent or until ~1m0s has elapsed\nWrite Throughput: 198304.1\nPoints Written: 11900000\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(result.whole.figure(POINTS_PER_SECOND).map(|rate| rate.value), Some(198_304.1));
        assert_eq!(result.whole.operations.as_ref().map(|points| points.value), Some(11.9e6));
        assert_eq!((result.options["threads"].as_str(), output.unread.len()), ("20", 0));
    }
}
