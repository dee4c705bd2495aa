//! `rbd bench` and `rbd bench-write` of Ceph: what they print at the end. The rows above it are means of up to five seconds,
//! and are not kept.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, cut_off, exact, leading, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Rbd;

const NAME: &str = "rbd";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "KiB/s, MiB/s, GiB/s; before 14 bytes a second",
    counting: Counting::Binary,
    proof: "src/tools/rbd/action/Bench.cc prints the bytes of each second by byte_u_t, whose units have an i",
};

const RULES: &[CountingRule] = &[BINARY];

/// What the line of all begins with.
const ELAPSED: &str = "elapsed:";

/// What the line begins with that says what is done.
const LOAD: &str = "bench ";

/// Of reads and writes together each has a line behind that of all.
const CLASSES: &[&str] = &["read_ops:", "write_ops:"];

/// The columns of its rows.
const COLUMNS: &[&str] = &["SEC", "OPS", "OPS/SEC", "BYTES/SEC"];

/// So many lines stand behind the line of all at most.
const LINES_BEHIND: usize = 3;

impl ToolReader for Rbd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what `rbd bench` prints at the end, of reads, writes or both; not its rows, each of which is a mean of up to five seconds"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[LOAD, ELAPSED, "OPS/SEC"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if load(text).is_some() || sums(line).is_some() {
            return Some(Beginning::Certain);
        }
        is_heading(text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        let is_over = before.iter().rev().take(LINES_BEHIND).any(|line| sums(line).is_some());
        let belongs = match is_over {
            true => CLASSES.iter().any(|class| text.starts_with(class)),
            false => last.is_blank() || is_heading(text) || is_row(text) || sums(last).is_some(),
        };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            if let Some(options) = load(line.text.trim()) {
                let own = options.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
                result.options.extend(own);
            } else if let Some(sums) = sums(line) {
                result.whole = sums;
                result.lines.last = line.number;
            }
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// What `bench  type write io_size 4096 io_threads 16 bytes 1073741824 pattern sequential` says.
fn load(text: &str) -> Option<Vec<(&str, &str)>> {
    let words: Vec<&str> = text.strip_prefix(LOAD)?.split_whitespace().collect();
    let is_own =
        words.first() == Some(&"type") && words.contains(&"io_size") && words.contains(&"io_threads");
    // The shares of reads and writes are one word.
    let pairs = words.iter().filter(|word| !word.contains('=')).copied().collect::<Vec<_>>();
    is_own.then(|| pairs.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?))).collect())
}

/// `  SEC       OPS   OPS/SEC   BYTES/SEC`.
fn is_heading(text: &str) -> bool {
    text.starts_with("SEC") && text.split_whitespace().eq(COLUMNS.iter().copied())
}

/// `    1     11127   11479.56   45 MiB/s`.
fn is_row(text: &str) -> bool {
    let numbers = text.split_whitespace().take_while(|word| leading(word, false).is_some()).count();
    numbers == COLUMNS.len() && text.split_whitespace().count() <= COLUMNS.len() + 1
}

/// `elapsed:    39  ops:   262144  ops/sec:  6700.43  bytes/sec: 27444961.99`, since 14 `bytes/sec: 26 MiB/s`.
fn sums(line: &ToolLine) -> Option<ToolMeasurement> {
    let (seconds, rest) = whole(line.text.trim().strip_prefix(ELAPSED)?)?;
    let (count, rest) = whole(rest.trim_start().strip_prefix("ops:")?)?;
    let (iops, bytes) = rest.trim_start().strip_prefix("ops/sec:")?.split_once("bytes/sec:")?;
    let bytes = bytes.trim();
    let bytes = if bytes.ends_with("/s") { bytes.to_owned() } else { format!("{bytes} B/s") };
    // Its rest is cut off.
    let window = cut_off(PrintedValue { half_step: 0.5, ..exact(line.number, seconds, Unit::Seconds) });
    let mut sums = ToolMeasurement {
        window: Some(window).filter(|window| window.value > 0.0),
        operations: Some(exact(line.number, count, Unit::One)),
        ..ToolMeasurement::default()
    };
    let rate = quantity(line.number, &bytes, BINARY.counting);
    sums.add(metric::THROUGHPUT, rate.filter(|rate| rate.unit == Unit::BytesPerSecond));
    sums.add(metric::IOPS, bare(line.number, iops, Unit::PerSecond));
    (!sums.figures.is_empty()).then_some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "  SEC       OPS   OPS/SEC   BYTES/SEC\n    1      5000   5000.00   20 MiB/s\n    2     10000   5000.00   20 MiB/s\n";

    const LOAD_LINE: &str = "bench  type write io_size 4096 io_threads 16 bytes 40960000 pattern random\n";

    #[test]
    fn the_sums_of_each_version_are_read_with_what_was_done() {
        let sums = [
            ("elapsed:     2  ops:    10000  ops/sec:  4000.00  bytes/sec: 16384000.00\n", 16_384_000.0),
            ("elapsed: 2   ops: 10000   ops/sec: 4000.5   bytes/sec: 16 MiB/s\n", 16.0 * 1_048_576.0),
        ];
        for (line, bytes_per_s) in sums {
            let text = format!("$ rbd bench --io-type write x\n{LOAD_LINE}{ROWS}{line}so it was\n");
            let output = crate::tool::read("", text.as_bytes()).unwrap();
            let [write] = output.results.as_slice() else { panic!("{:?}", output.results) };
            assert_eq!(write.whole.figure(metric::THROUGHPUT).unwrap().value, bytes_per_s);
            assert!(write.whole.figure(metric::IOPS).unwrap().value >= 4000.0);
            let window = write.whole.window.as_ref().unwrap();
            assert_eq!((window.value, window.half_step), (2.0, 1.0));
            let option = |name: &str| write.options.get(name).map(String::as_str);
            assert_eq!(
                (option("type"), option("io_size"), option("pattern")),
                (Some("write"), Some("4096"), Some("random"))
            );
            assert_eq!((write.command.len(), output.unread.len()), (5, 1));
        }
    }

    #[test]
    fn what_ends_before_its_sums_was_cut_and_two_are_apart() {
        let output = crate::tool::read("", format!("{LOAD_LINE}{ROWS}").as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread[0].tool.as_deref()), (0, Some(NAME)));
        let whole = format!("{LOAD_LINE}{ROWS}elapsed: 2   ops: 9   ops/sec: 4.5   bytes/sec: 18 KiB/s\n");
        let output = crate::tool::read("", format!("{whole}{whole}").as_bytes()).unwrap();
        assert_eq!(output.results.len(), 2);
        assert!(!is_row("1 2 3 4 5 6") && !is_row("SEC OPS") && load("bench press type").is_none());
    }
}
