//! AS SSD Benchmark's text (Copy in its menu), with rates in MB/s or in operations each second. Each of its lines of
//! results is a measurement of its own. Its scores are made of its rates, and are not kept.

use model::tool_result::{Counting, ToolMeasurement, ToolResult, ToolWarning};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, leading, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct AsSsd;

const NAME: &str = "as-ssd";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x, 2.x",
    units: "MB/s",
    counting: Counting::Binary,
    proof: "it prints the same test in both units: published texts of version 2.0.7316 have 60.63 MB/s and 15521 iops of 4096 bytes, \
            which are 15521.3 with 1024 * 1024, and 14802.2 with 1000 * 1000",
};

const RULES: &[CountingRule] = &[BINARY];

impl ToolReader for AsSsd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the text that AS SSD Benchmark copies, in MB/s or in iops; each line of results is a result. Not its scores, nor its tests of \
         copying and of compression"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["AS SSD Benchmark"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["AS SSD Benchmark "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        version(unquoted(line)).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = unquoted(last);
        if before.is_empty() || text.is_empty() {
            return Extent::More;
        }
        let label = text.split_once(':').map(|(label, _)| label.trim());
        let is_own = is_rule(text)
            || Test::of(text).is_some()
            || text.trim_end_matches(':') == SCORE
            || label.is_some_and(|label| LABELS.contains(&label));
        if is_own && version(text).is_none() { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut about = About::default();
        let mut test = None;
        let mut results = Vec::new();
        for line in block.lines {
            let text = unquoted(line);
            if let Some(found) = Test::of(text) {
                test = Some(found);
            } else if text.trim_end_matches(':') == SCORE {
                test = None;
            } else if let Some((label, value)) = text.split_once(':') {
                let (label, value) = (label.trim(), value.trim());
                let direction = match label {
                    "Read" => "read",
                    "Write" => "write",
                    _ => {
                        about.take(line.number, label, value);
                        continue;
                    }
                };
                let figures = test.and_then(|_| figures(line.number, value));
                if let (Some(test), Some(figures)) = (test, figures) {
                    results.push(test.result(line.number, direction, figures, &about, block));
                }
            } else if let Some(version) = version(text) {
                about.version = Some(version.to_owned());
            }
        }
        if let Some(first) = results.first_mut() {
            first.warnings = about.warnings;
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// The heading of its scores.
const SCORE: &str = "Score";

/// What stands before a colon in other lines.
const LABELS: &[&str] =
    &["Name", "Firmware", "Controller", "Offset", "Size", "Date", "Read", "Write", "Total"];

/// So many dashes a rule has at least.
const RULE_MIN: usize = 20;

/// A line as it was before somebody quoted it.
fn unquoted(line: &ToolLine) -> &str {
    line.text.trim_start_matches(['>', ' ']).trim_end()
}

fn is_rule(text: &str) -> bool {
    text.len() >= RULE_MIN && text.bytes().all(|byte| byte == b'-')
}

/// `2.0.7316` of `AS SSD Benchmark 2.0.7316.34247`, whose last number is of the build.
fn version(text: &str) -> Option<&str> {
    let version = text.strip_prefix("AS SSD Benchmark ")?.trim();
    let is_one = version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(' ');
    let has_build = version.matches('.').count() == 3;
    let short = version.rsplit_once('.').filter(|_| has_build).map_or(version, |(short, _)| short);
    is_one.then_some(short)
}

/// One of its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Test {
    name: &'static str,
    /// Bytes; of the access times it is not told.
    block: Option<u64>,
    threads: u64,
}

impl Test {
    /// The test below a heading: with a colon, and above rates in operations some without.
    fn of(text: &str) -> Option<Self> {
        let (name, block, threads) = match text.trim_end_matches(':') {
            "Sequential" | "Seq" | "16MB" => ("sequential", Some(16 << 20), 1),
            "4K" => ("random", Some(4096), 1),
            "4K-64Threads" | "4K-64Thrd" => ("random", Some(4096), 64),
            "Access Times" | "Access Time" | "Acc.time" | "512B" => ("access time", None, 1),
            _ => return None,
        };
        Some(Self { name, block, threads })
    }

    fn result(
        self,
        line: u64,
        direction: &str,
        figures: ToolMeasurement,
        about: &About,
        block: &ToolBlock<'_>,
    ) -> ToolResult {
        let mut result = block.result(NAME, AsSsd.programs());
        (result.lines.first, result.lines.last) = (line, line);
        result.version.clone_from(&about.version);
        result.moment.clone_from(&about.moment);
        let told = [
            ("test", Some(format!("{} {direction}", self.name))),
            ("block-size", self.block.map(|bytes| bytes.to_string())),
            ("threads", Some(self.threads.to_string())),
            ("drive", about.drive.clone()),
        ];
        result.options =
            told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        result.whole = figures;
        result
    }
}

/// The figure of a line; `None` of a test that was not run.
fn figures(line: u64, value: &str) -> Option<ToolMeasurement> {
    let number = leading(value, false).filter(|number| number.value > 0.0)?;
    let mut measured = ToolMeasurement::default();
    match number.rest.trim() {
        "MB/s" | "GB/s" => measured.add(metric::THROUGHPUT, quantity(line, value, BINARY.counting)),
        "iops" => {
            measured.add(metric::IOPS, count(line, number.digits, Counting::Decimal, Unit::PerSecond));
        }
        "ms" => measured.add(metric::LATENCY_MEAN, quantity(line, value, BINARY.counting)),
        _ => {}
    }
    (!measured.is_empty()).then_some(measured)
}

/// What the text says of all its tests.
#[derive(Default)]
struct About {
    version: Option<String>,
    moment: Option<String>,
    drive: Option<String>,
    warnings: Vec<ToolWarning>,
}

impl About {
    fn take(&mut self, line: u64, label: &str, value: &str) {
        match label {
            "Name" => self.drive = Some(value.to_owned()),
            "Date" => self.moment = Some(value.to_owned()),
            // `31 K - BAD`: where the partition begins is no multiple of 4 KiB.
            "Offset" if value.ends_with("BAD") => {
                self.warnings.push(ToolWarning { line, text: format!("{label}: {value}") });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "AS SSD Benchmark 1.8.5636.37293\n------------------------------\n";

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", format!("{HEAD}{text}").as_bytes()).unwrap().results
    }

    #[test]
    fn a_rate_of_both_units_is_of_the_same_test() {
        let results = read("4K:\nRead: 60,63 MB/s\n4K:\nRead: 15521 iops\nWrite: 0.00 MB/s\n");
        let [rate, iops] = results.as_slice() else { panic!("{results:?}") };
        let bytes = rate.whole.figure(metric::THROUGHPUT).unwrap().value;
        let operations = iops.whole.figure(metric::IOPS).unwrap().value;
        assert!((bytes / 4096.0 - operations).abs() < 1.0, "{bytes} {operations}");
        assert_eq!(rate.options, iops.options);
        assert_eq!(rate.version.as_deref(), Some("1.8.5636"));
    }

    #[test]
    fn scores_are_no_rates() {
        let results = read("Access Times:\nRead: 0.098 ms\nScore:\nRead: 753\nWrite: 489\nTotal: 1580\n");
        assert_eq!(results.len(), 1);
        assert!((results[0].whole.figure(metric::LATENCY_MEAN).unwrap().value - 98e-6).abs() < 1e-12);
    }

    #[test]
    fn a_partition_that_is_not_aligned_is_told() {
        let results = read("Offset: 31 K - BAD\nSequential:\nRead: 500.00 MB/s\nWrite: 400.00 MB/s\n");
        let lines: Vec<u64> = results.iter().flat_map(|result| &result.warnings).map(|w| w.line).collect();
        assert_eq!(lines, [3]);
    }
}
