//! tinymembench: how fast memory is copied and filled in several ways, and how long random reads take by the size of the
//! block. A copied byte counts once.

use model::tool_result::{Counting, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Tinymembench;

const NAME: &str = "tinymembench";

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.3 and 0.4",
    units: "MB/s; a copied byte counts once",
    counting: Counting::Decimal,
    proof: "tinymembench-0.4.9-made has the note that the program prints of itself: `1MB = 1000000 bytes`",
};

const RULES: &[CountingRule] = &[DECIMAL];

/// Before its version.
const BANNER: &str = "tinymembench v";

/// The heading of a table of latencies.
const LATENCIES: &str = "block size : single random read / dual random read";

/// Ways that begin an output where its head is missing.
const FIRST: &[&str] = &["C copy backwards", "C copy", COPY.0, FILL.0];

/// The ways of the C library, which are shown as those of the whole.
const COPY: (&str, MetricName) = ("standard memcpy", MetricName::new("memcpy_throughput"));
const FILL: (&str, MetricName) = ("standard memset", MetricName::new("memset_throughput"));

/// What a random read takes beside one of the L1 cache.
const SINGLE: MetricName = MetricName::new("random_read_time");
/// The same of two reads at once.
const DUAL: MetricName = MetricName::new("dual_random_read_time");

impl ToolReader for Tinymembench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the rates of tinymembench by way of copying, and the times of random reads by size of the block"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[BANNER, LATENCIES, "C copy", COPY.0, FILL.0]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_first = text.starts_with(BANNER)
            || text.starts_with(LATENCIES)
            || rate(text).is_some_and(|(way, _)| FIRST.contains(&way));
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        let is_own = last.is_blank()
            || text.starts_with("==")
            || text == "---"
            || text.starts_with(LATENCIES)
            || rate(text).is_some()
            || times(text).is_some();
        if is_own && !begins_again(before, text) { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        // The last row of the first table of latencies: the largest block.
        let mut largest = ToolMeasurement::default();
        let (mut mark, mut tables) = ("", 0);
        for line in block.lines {
            let text = line.text.trim();
            if let Some(version) = text.strip_prefix(BANNER) {
                result.version = version.split_whitespace().next().map(str::to_owned);
            } else if let Some(behind) = text.strip_prefix(LATENCIES) {
                (mark, tables) = (behind, tables + 1);
            } else if let Some((way, printed)) = rate(text) {
                let printed = quantity(line.number, printed, DECIMAL.counting);
                let own = [COPY, FILL].into_iter().find(|(own, _)| *own == way);
                if let Some((_, metric)) = own {
                    result.whole.add(metric, printed.clone());
                }
                let mut measured = ToolMeasurement::default();
                measured.add(metric::THROUGHPUT, printed);
                result.parts.push(phase(way.to_owned(), measured));
            } else if let Some((size, single, dual)) = times(text) {
                let mut measured = ToolMeasurement::default();
                for (metric, time) in [(SINGLE, single), (DUAL, dual)] {
                    measured.add(metric, quantity(line.number, time, DECIMAL.counting));
                }
                if tables <= 1 {
                    largest.clone_from(&measured);
                }
                result.parts.push(phase(format!("{size}{mark}"), measured));
            }
        }
        result.whole.figures.extend(largest.figures);
        if result.parts.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

fn phase(name: String, measured: ToolMeasurement) -> ToolPart {
    ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured }
}

/// Whether a row is of the next execution: of the way that the first row is of.
fn begins_again(before: &[ToolLine], text: &str) -> bool {
    let first = || before.iter().find_map(|line| rate(line.text.trim()));
    rate(text).is_some_and(|(way, _)| first().is_some_and(|(first, _)| first == way))
}

/// The way and the rate of `C copy backwards    :   8440.6 MB/s (0.3%)`.
fn rate(text: &str) -> Option<(&str, &str)> {
    let (way, rest) = text.split_once(" : ")?;
    let (printed, behind) = rest.split_once(" MB/s").unwrap_or((rest, ""));
    let is_end = behind.is_empty() || behind.starts_with(" (");
    let end = printed.len() + " MB/s".len();
    let printed = rest.get(..end).filter(|_| is_end)?;
    let is_number =
        quantity(0, printed, DECIMAL.counting).is_some_and(|rate| rate.unit == Unit::BytesPerSecond);
    is_number.then(|| (way.trim_end(), printed.trim()))
}

/// The size, and the times of one read and of two, of `1048576 :   19.3 ns          /    27.6 ns`.
fn times(text: &str) -> Option<(u64, &str, &str)> {
    let (size, rest) = whole(text)?;
    let (single, dual) = rest.trim_start().strip_prefix(':')?.split_once('/')?;
    let (single, dual) = (single.trim(), dual.trim());
    (single.ends_with(" ns") && dual.ends_with(" ns")).then_some((size, single, dual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_their_head_are_known() {
        let text = " C copy backwards                                     :   8440.6 MB/s (0.3%)\n \
                    ---\n standard memcpy                                      :   8327.5 MB/s\n\
                    \u{20}C copy backwards                                     :   8440.6 MB/s\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let copy = results[0].whole.figure(COPY.1).map(|rate| rate.value);
        assert_eq!((results.len(), copy), (2, Some(8_327_500_000.0)));
        assert_eq!(results[0].parts[0].name, "C copy backwards");
        assert_eq!(rate("standard memcpy : fast"), None);
    }

    #[test]
    fn times_are_of_a_size() {
        assert_eq!(
            times("1048576 :   19.3 ns          /    27.6 ns"),
            Some((1_048_576, "19.3 ns", "27.6 ns"))
        );
        assert_eq!(times("1048576 : 19.3 ns"), None);
    }
}
