//! mongoperf, which drives a file as MongoDB does: the operations of each second, and the megabytes of these.

use model::tool_result::{Counting, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use super::mean;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, leading, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Mongoperf;

const NAME: &str = "mongoperf";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x, 3.x",
    units: "MB/sec",
    counting: Counting::Binary,
    proof: "mongoperf.cpp shifts what a second has of operations of 4096 bytes by 20 bits: 1024 operations are `4 MB/sec`",
};

const RULES: &[CountingRule] = &[BINARY];

impl ToolReader for Mongoperf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what mongoperf prints each second: operations, and megabytes; the whole is their mean"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[NAME, " MB/sec"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (text == NAME || row(line).is_some()).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let beginnings = [
            "use -h",
            "parsed options",
            "creating test file",
            "testing...",
            "options:",
            "wthr",
            "new thread",
            "read:",
            "write:",
        ];
        let is_own = before.is_empty()
            || row(last).is_some()
            || last.is_blank()
            || beginnings.iter().any(|beginning| text.starts_with(beginning))
            || text.starts_with(['{', '}', '"'])
            || text.contains("nThreads");
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        for line in block.lines {
            if let Some(measured) = row(line) {
                let at = result.parts.len();
                result.parts.push(ToolPart {
                    kind: ToolPartKind::Interval,
                    name: format!("{} s", at + 1),
                    start_s: Some(at as f64),
                    measured,
                });
            } else if let Some((_, threads)) = line.text.split_once("new thread, total running :") {
                result
                    .options
                    .extend(whole(threads).map(|(threads, _)| ("threads".to_owned(), threads.to_string())));
            }
        }
        if result.parts.is_empty() {
            return Err(NotUnderstood::OtherText);
        }
        result.whole = mean(&result.parts, &[metric::IOPS, metric::THROUGHPUT]);
        Ok(vec![result])
    }
}

/// `43123 ops/sec 168 MB/sec`, and of early versions `ops/sec: 43123 168 MB/sec`.
fn row(line: &ToolLine) -> Option<ToolMeasurement> {
    let text = line.text.trim();
    let (operations, rest) = match text.strip_suffix(" MB/sec")?.split_once(" ops/sec ") {
        Some(parts) => parts,
        None => text.strip_suffix(" MB/sec")?.strip_prefix("ops/sec: ")?.split_once(' ')?,
    };
    let is_number = |text: &str| leading(text, false).is_some_and(|number| number.rest.is_empty());
    if !is_number(operations.trim()) || !is_number(rest.trim()) {
        return None;
    }
    let mut measured = ToolMeasurement::default();
    measured.add(metric::IOPS, bare(line.number, operations.trim(), Unit::PerSecond));
    // Whole megabytes, cut off.
    let rate = quantity(line.number, &format!("{} MB/s", rest.trim()), BINARY.counting);
    measured.add(metric::THROUGHPUT, rate.map(crate::tool::number::cut_off));
    Some(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_is_an_interval() {
        let text = "$ echo \"{nThreads:16,fileSizeMB:1000,r:true}\" | mongoperf\nmongoperf\nuse -h for help\nparsed options:\n{ nThreads: 16, fileSizeMB: 1000, r: true }\n\
                    creating test file size:1000MB ...\ntesting...\noptions:{ nThreads: 16, fileSizeMB: 1000, r: true }\nwthr 16\nnew thread, total running : 1\nread:1 write:0\n\
                    40000 ops/sec 156 MB/sec\n44000 ops/sec 171 MB/sec\nnew thread, total running : 16\nread:1 write:0\n48000 ops/sec 187 MB/sec\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!(result.whole.figure(metric::IOPS).map(|iops| iops.value), Some(44_000.0));
        assert_eq!(
            (result.parts.len(), result.options["threads"].as_str(), output.unread.len()),
            (3, "16", 0)
        );
    }

    #[test]
    fn prose_that_has_such_a_rate_is_none() {
        for text in ["we saw 40000 ops/sec and 156 MB/sec\n", "mongoperf\nis a tool\n"] {
            assert!(crate::tool::read("", text.as_bytes()).unwrap().results.is_empty(), "{text}");
        }
    }
}
