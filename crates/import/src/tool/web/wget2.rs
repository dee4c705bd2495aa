//! The line of sums below the bars of wget2. Without bars, and where it runs in a pipe, it prints no rate.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Wget2;

const NAME: &str = "wget2";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.99 to 2.x",
    units: "K, M and G of Bytes; KB/s, MB/s, GB/s",
    counting: Counting::Binary,
    proof: "libwget/utils.c, wget_human_readable divides by 1024: of 40000000 bytes, wget2-2.0.1-sums-from-source has 38.15M",
};

impl ToolReader for Wget2 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the line of wget2 that sums up files and bytes, with the rate since it started"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[BYTES]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["  Bytes: "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        sums(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, _lines: &[ToolLine]) -> Extent {
        Extent::EndsHere
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let line = block.lines.last().ok_or(NotUnderstood::CutShort)?;
        let sums = sums(&line.text).ok_or(NotUnderstood::OtherText)?;
        let mut result = block.result(NAME, self.programs());
        // A line that was drawn while something was still to come is no end.
        let is_over = whole(sums.left).is_some_and(|(left, _)| left == 0);
        let rate = quantity(line.number, sums.rate, BYTES.counting);
        let rate = rate.filter(|rate| is_over && rate.unit == Unit::BytesPerSecond);
        let rate: PrintedValue = rate.ok_or(NotUnderstood::CutShort)?;
        result.whole.bytes = count(line.number, sums.bytes, BYTES.counting, Unit::Bytes);
        result.whole.add(metric::THROUGHPUT, Some(rate));
        result.options.insert("files".to_owned(), sums.files.to_owned());
        Ok(vec![result])
    }
}

/// `[Files: 1  Bytes: 38.15M [104.30MB/s] Redirects: 0  Todo: 0  Errors: 0]`.
struct Sums<'a> {
    files: &'a str,
    bytes: &'a str,
    rate: &'a str,
    left: &'a str,
}

fn sums(text: &str) -> Option<Sums<'_>> {
    let (_, rest) = text.rsplit_once("Files: ")?;
    let (files, rest) = rest.split_once("  Bytes: ")?;
    let (bytes, rest) = rest.split_once(" [")?;
    let (rate, rest) = rest.split_once("] Redirects: ")?;
    let (_, rest) = rest.split_once("  Todo: ")?;
    let (left, _) = rest.split_once("  Errors: ")?;
    let is_count = !files.is_empty() && files.bytes().all(|byte| byte.is_ascii_digit());
    is_count.then_some(Sums { files, bytes, rate, left })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_still_to_come_is_no_end() {
        let rate = |left: u32| {
            let text = format!(
                "big  100% [====>]  38.15M [Files: 1  Bytes: 38.15M [104.30MB/s] Redirects: 0  Todo: {left}  Errors: 0]"
            );
            let lines = [ToolLine { number: 1, text }];
            let results = Wget2.read(&ToolBlock { lines: &lines, command: None });
            results.map(|all| all[0].whole.figure(metric::THROUGHPUT).map(|rate| rate.value))
        };
        assert_eq!(rate(0), Ok(Some(104.3 * 1_048_576.0)));
        assert_eq!(rate(2), Err(NotUnderstood::CutShort));
    }
}
