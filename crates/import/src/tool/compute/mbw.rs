//! mbw, the memory bandwidth benchmark of Andras Horvath. It counts a copied byte once. Each of its runs is a
//! result: those of one method are repetitions, and have an interval; the mean that it prints
//! below them is read only where they are missing.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolResult};
use model::{Unit, metric};

use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Mbw;

const NAME: &str = "mbw";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x",
    units: "MiB, MiB/s; a copied byte counts once",
    counting: Counting::Binary,
    proof: "mbw-1.2.2-all-methods: an array of 16.00000 MiB, of which two make the 33554432 bytes that it allocates, is \
            copied in 0.00652 s, which are 2453.99 MiB/s; it prints 2453.988",
};

const RULES: &[CountingRule] = &[BINARY];

impl ToolReader for Mbw {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what mbw prints, with its head or without, of all methods or of one; each run is a trial"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["mbw"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Long uses ", "memcpy block copy", "Getting down to business...", "Method:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (is_head(text) || MbwRow::of(line).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let begins = is_head(last.text.trim());
        let is_over = begins && before.last().is_some_and(|line| MbwRow::of(line).is_some());
        if !is_over && (begins || MbwRow::of(last).is_some()) { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let mut runs: Vec<(&str, Term)> = Vec::new();
        let rows: Vec<(u64, &str)> = sheet.lines().collect();
        for (line, text) in rows {
            let Some((number, rest)) = text.split_once("Method: ") else { continue };
            let Some((method, rest)) = rest.split_once("Elapsed: ") else { continue };
            let elapsed = nth_of(line, rest, 0);
            if number.trim() == "AVG" {
                let own: Vec<Term> =
                    runs.iter().filter(|(of, _)| *of == method).map(|(_, elapsed)| elapsed.clone()).collect();
                // With -q or a cut text some rows are missing.
                sheet.equal(&elapsed, Term::mean(&own), 0.0);
                runs.clear();
            } else if number.trim() == runs.len().to_string() {
                runs.push((method, elapsed));
            }
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let blocks = block.lines.iter().find_map(|line| block_bytes(line.text.trim()));
        let rows: Vec<MbwRow<'_>> = block.lines.iter().filter_map(MbwRow::of).collect();
        let has_runs = |method: &str| rows.iter().any(|row| row.method == method && row.run.is_some());
        let chosen = rows.iter().filter(|row| row.run.is_some() || !has_runs(row.method));
        let results: Vec<ToolResult> = chosen.filter_map(|row| row.result(block, blocks)).collect();
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// The lines above the table.
fn is_head(text: &str) -> bool {
    text.starts_with("Long uses ") && text.ends_with("bytes of memory.")
        || block_bytes(text).is_some()
        || text.starts_with("Getting down to business...")
}

/// `Using 262144 bytes as blocks for memcpy block copy test.`
fn block_bytes(text: &str) -> Option<u64> {
    let (bytes, rest) = whole(text.strip_prefix("Using ")?)?;
    rest.contains("memcpy block copy").then_some(bytes)
}

/// A row of the table.
struct MbwRow<'a> {
    line: &'a ToolLine,
    /// Which run; none is their mean.
    run: Option<u64>,
    method: &'a str,
}

impl<'a> MbwRow<'a> {
    /// `0 Method: MEMCPY Elapsed: 0.00652 MiB: 16.00000 Copy: 2453.988 MiB/s`.
    fn of(line: &'a ToolLine) -> Option<Self> {
        let (first, _) = line.text.trim().split_once("Method:")?;
        let first = first.trim();
        let run = whole(first).filter(|(_, rest)| rest.is_empty()).map(|(run, _)| run);
        let method = behind(&line.text, "Method:").filter(|method| !method.is_empty())?;
        let is_row = run.is_some() || first == "AVG";
        (is_row && behind(&line.text, "Copy:").is_some()).then_some(Self { line, run, method })
    }

    fn result(&self, block: &ToolBlock<'_>, blocks: Option<u64>) -> Option<ToolResult> {
        let line = std::slice::from_ref(self.line);
        let mut result = ToolBlock { lines: line, ..*block }.result(NAME, Mbw.programs());
        let (number, text) = (self.line.number, self.line.text.as_str());
        let mebibytes = behind(text, "MiB:");
        let (_, rate) = text.split_once("Copy:")?;
        let rate = quantity(number, rate, BINARY.counting).filter(|rate| rate.unit == Unit::BytesPerSecond);
        result.whole.window = behind(text, "Elapsed:").and_then(|seconds| time(number, seconds, "s"));
        result.whole.bytes =
            mebibytes.and_then(|size| quantity(number, &format!("{size} MiB"), BINARY.counting));
        result.whole.add(metric::THROUGHPUT, Some(rate?));
        let mut set = |name: &str, value: String| result.options.insert(name.to_owned(), value);
        set("method", self.method.to_owned());
        if let Some(mebibytes) = mebibytes {
            set("MiB", mebibytes.to_owned());
        }
        if let Some(bytes) = blocks.filter(|_| self.method == "MCBLOCK") {
            set("block-bytes", bytes.to_string());
        }
        if self.run.is_none() {
            set("runs", "mean".to_owned());
        }
        Some(result)
    }
}

/// The word behind a name.
fn behind<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split_once(name)?.1.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<ToolLine> {
        (1..).zip(text.lines()).map(|(number, text)| ToolLine { number, text: text.to_owned() }).collect()
    }

    #[test]
    fn the_mean_is_read_where_its_runs_are_missing() {
        let run = "0 Method: MEMCPY Elapsed: 0.5 MiB: 16.00000 Copy: 32.0 MiB/s\n";
        let mean = "AVG Method: DUMB Elapsed: 0.5 MiB: 16.00000 Copy: 32.0 MiB/s\n";
        let text = format!("{run}{}{mean}", mean.replace("DUMB", "MEMCPY"));
        let lines = lines(&text);
        let results = Mbw.read(&ToolBlock { lines: &lines, command: None }).unwrap();
        let methods: Vec<_> = results.iter().map(|r| (r.options["method"].as_str(), r.lines.first)).collect();
        assert_eq!(methods, [("MEMCPY", 1), ("DUMB", 3)]);
        assert_eq!(results[0].whole.bytes.as_ref().unwrap().value, 16.0 * 1_048_576.0);
    }

    #[test]
    fn what_took_no_time_has_no_rate() {
        let lines = lines("AVG Method: MEMCPY Elapsed: -nan MiB: 4.00000 Copy: -nan MiB/s\n");
        let block = ToolBlock { lines: &lines, command: None };
        assert_eq!(Mbw.read(&block).unwrap_err(), NotUnderstood::CutShort);
        assert_eq!(Mbw.begins(&lines[0]), Some(Beginning::Certain));
    }
}
