//! UnixBench: the rate and the index of each part of a run, and the index of all. A run has one process first, and then
//! one for each processor; each is a result.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, leading, plain, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct UnixBench;

const NAME: &str = "unixbench";

/// The heading of the table of a run: of all tests, or of some.
const HEADINGS: &[&str] = &["System Benchmarks Index Values", "System Benchmarks Partial Index"];

/// What the line with the index of all begins with.
const SCORE: &str = "System Benchmarks Index Score";

/// What stands between the copies and the rest of the line that tells of them.
const COPIES: &str = "running ";

/// How many times as fast as a SPARCstation 20-61 of 1995, times ten, it is.
const INDEX: MetricName = MetricName::new("index");

const COPIED: CountingRule = CountingRule {
    tool: NAME,
    versions: "5.x",
    units: "KBps",
    counting: Counting::Binary,
    proof: "fstime.c divides the blocks that it copied by its COUNTSIZE, which are 1024 bytes",
};

const RULES: &[CountingRule] = &[COPIED];

/// What it counts, with our names for it, the unit, and how much of it one is: loops in a second and in a minute,
/// Whetstone's instructions, bytes copied.
const RATES: &[(&str, MetricName, Unit, f64)] = &[
    ("lps", metric::OPERATIONS_PER_SECOND, Unit::PerSecond, 1.0),
    ("lpm", metric::OPERATIONS_PER_SECOND, Unit::PerSecond, 1.0 / 60.0),
    ("MWIPS", metric::OPERATIONS_PER_SECOND, Unit::PerSecond, 1e6),
    ("KBps", metric::THROUGHPUT, Unit::BytesPerSecond, 1024.0),
];

/// What an index may be off by beyond its rounding.
const NEAR: f64 = 0.005;

impl ToolReader for UnixBench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "UnixBench: the rate and the index of each test, and the index of all, of each number of parallel copies"
    }

    fn programs(&self) -> &'static [&'static str] {
        // It is started by a script called Run.
        &[]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[" BASELINE ", " in system; "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (is_heading(text) || copies(text).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_score = |line: &ToolLine| line.text.trim_start().starts_with(SCORE);
        if before.is_empty() {
            return Extent::More;
        }
        if before.last().is_some_and(is_score) || copies(text).is_some() {
            return Extent::EndsBefore;
        }
        let is_rate = text.ends_with(" samples)");
        let is_rule = !text.is_empty() && text.chars().all(|c| c == '=');
        let is_own = last.is_blank() || is_rate || is_rule || is_heading(text) || is_score(last);
        if is_own || row(text).is_some() { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let mut indexes: Vec<Term> = Vec::new();
        let mut is_in_table = false;
        let rows: Vec<(u64, &str)> = sheet.lines().collect();
        for (line, text) in rows {
            if text.starts_with("System Benchmarks Index Score")
                || text.starts_with("System Benchmarks Partial Index Score")
            {
                let score = nth_of(line, text, 0);
                sheet.equal(&score, Term::geometric_mean(&indexes), NEAR);
                is_in_table = false;
            } else if text.contains("BASELINE") && text.ends_with("INDEX") {
                (is_in_table, indexes) = (true, Vec::new());
            } else if is_in_table {
                // The name may have numbers, too.
                let words: Vec<&str> = text.split_whitespace().rev().take(3).collect();
                let [index, result, baseline] = words.as_slice() else { continue };
                let [index, result, baseline] = [index, result, baseline].map(|word| nth_of(line, word, 0));
                if index.is_some() && result.is_some() {
                    sheet.equal(&index, (&result / &baseline).scaled(10.0), NEAR);
                    indexes.push(index);
                }
            }
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut is_table = false;
        for line in block.lines {
            let text = line.text.trim();
            if let Some(copies) = copies(text) {
                result.options.insert("copies".to_owned(), copies.to_string());
            }
            is_table |= is_heading(text);
            if let Some(score) = text.strip_prefix(SCORE) {
                let number = score.rsplit(' ').next().and_then(|word| number(line.number, word));
                result.whole.add(INDEX, number);
                result.lines.last = line.number;
            } else if let Some((name, value)) = row(text).filter(|_| is_table) {
                part(&mut result, name).add(INDEX, number(line.number, value));
                result.lines.last = line.number;
            } else if let Some((name, metric, rate)) = rate(line.number, text) {
                part(&mut result, name).add(metric, Some(rate));
                result.lines.last = line.number;
            }
        }
        if result.whole.is_empty() && result.parts.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        Ok(vec![result])
    }
}

/// What was measured of a test.
fn part<'a>(result: &'a mut ToolResult, name: &str) -> &'a mut ToolMeasurement {
    let at = result.parts.iter().position(|part| part.name == name).unwrap_or(result.parts.len());
    if at == result.parts.len() {
        let measured = ToolMeasurement::default();
        let kind = ToolPartKind::Phase;
        result.parts.push(ToolPart { kind, name: name.to_owned(), start_s: None, measured });
    }
    &mut result.parts[at].measured
}

/// The test and its rate: `Execl Throughput           1524.7 lps   (29.9 s, 2 samples)`.
fn rate(line: u64, text: &str) -> Option<(&str, MetricName, PrintedValue)> {
    let (before, _) = text.strip_suffix(" samples)")?.rsplit_once('(')?;
    let (before, unit) = before.trim_end().rsplit_once(' ')?;
    let (name, digits) = before.trim_end().rsplit_once(' ')?;
    let (_, metric, known, scale) = RATES.iter().find(|(own, ..)| *own == unit)?;
    let number = leading(digits, false).filter(|number| number.rest.is_empty())?;
    let (value, half_step) = (number.value * scale, number.half_step * scale);
    let printed = PrintedValue { half_step, ..plain(line, format!("{digits} {unit}"), value, *known) };
    Some((name.trim_end(), *metric, printed))
}

fn is_heading(text: &str) -> bool {
    HEADINGS.iter().any(|heading| text.starts_with(heading)) && text.contains(" BASELINE ")
}

/// How many copies of `4 CPUs in system; running 4 parallel copies of tests`.
fn copies(text: &str) -> Option<u64> {
    let (before, rest) = text.split_once(" in system; ")?;
    let (copies, rest) = whole(rest.strip_prefix(COPIES)?)?;
    (before.contains("CPU") && rest.contains(" of tests")).then_some(copies)
}

/// The test, and the index, which stands last behind what it is made of.
fn row(text: &str) -> Option<(&str, &str)> {
    let (rest, index) = text.rsplit_once(' ')?;
    let (rest, result) = rest.trim_end().rsplit_once(' ')?;
    let (name, baseline) = rest.trim_end().rsplit_once(' ')?;
    let is_number = |word: &&str| leading(word, false).is_some_and(|number| number.rest.is_empty());
    let is_row =
        [index, result, baseline].iter().all(is_number) && name.starts_with(|c: char| c.is_ascii_uppercase());
    is_row.then(|| (name.trim_end(), index))
}

fn number(line: u64, word: &str) -> Option<PrintedValue> {
    bare(line, word, Unit::One).filter(|number| number.text == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_stand_above_the_index_or_alone() {
        let rates = "4 CPUs in system; running 1 parallel copy of tests\n\n\
                     Execl Throughput                               1524.7 lps   (29.9 s, 2 samples)\n\
                     File Copy 256 bufsize 500 maxblocks             100.0 KBps  (30.0 s, 2 samples)\n\
                     Shell Scripts (1 concurrent)                    600.0 lpm   (60.0 s, 2 samples)\n";
        let index = "\nSystem Benchmarks Index Values               BASELINE       RESULT    INDEX\n\
                     Execl Throughput                                 43.0       1524.7    354.6\n";
        for (text, indices) in [(rates.to_owned(), 0), (format!("{rates}{index}"), 1)] {
            let results = crate::tool::read("", text.as_bytes()).unwrap().results;
            let figure = |at: usize, name| results[0].parts[at].measured.figure(name).map(|f| f.value);
            assert_eq!((results.len(), results[0].parts.len()), (1, 3));
            assert_eq!(figure(0, metric::OPERATIONS_PER_SECOND), Some(1524.7));
            assert_eq!(figure(1, metric::THROUGHPUT), Some(102_400.0));
            assert_eq!(figure(2, metric::OPERATIONS_PER_SECOND).map(f64::round), Some(10.0));
            assert_eq!(figure(0, INDEX).is_some(), indices == 1);
        }
    }

    #[test]
    fn each_number_of_copies_is_a_result() {
        let table = "System Benchmarks Index Values               BASELINE       RESULT    INDEX\n\
                     Dhrystone 2 using register variables         116700.0   40000000.0   3427.6\n\
                     File Copy 1024 bufsize 2000 maxblocks          3960.0     630179.3   1591.4\n\
                     \x20                                                                  ========\n\
                     System Benchmarks Index Score                                        1038.4\n";
        let text = format!(
            "4 CPUs in system; running 1 parallel copy of tests\n\n{table}\n----\n\
             4 CPUs in system; running 4 parallel copies of tests\n\n{table}"
        );
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let copies: Vec<&str> = results.iter().map(|result| result.options["copies"].as_str()).collect();
        assert_eq!(copies, ["1", "4"]);
        assert_eq!(results[0].whole.figure(INDEX).map(|index| index.value), Some(1038.4));
        let names: Vec<&str> = results[0].parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["Dhrystone 2 using register variables", "File Copy 1024 bufsize 2000 maxblocks"]);
    }
}
