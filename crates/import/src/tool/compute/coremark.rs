//! CoreMark: its iterations per second, which are its score, of all contexts together. What it prints only where a run
//! is no valid one is kept as a warning of its own.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{PrintedValue, ToolResult, ToolWarning};
use model::{Unit, metric};

use crate::tool::arithmetic::{FigureSheet, Term};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, exact, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct CoreMark;

const NAME: &str = "coremark";

/// The end of its first line: `2K performance run parameters for coremark.`
const HEADING: &str = " run parameters for coremark.";

/// What stands before the colon of its lines.
const LABELS: &[&str] =
    &[SIZE, "Total ticks", SECONDS, RATE, ITERATIONS, COMPILER, FLAGS, "Memory location", "seedcrc"];

const SIZE: &str = "CoreMark Size";
const SECONDS: &str = "Total time (secs)";
const RATE: &str = "Iterations/Sec";
const ITERATIONS: &str = "Iterations";
const COMPILER: &str = "Compiler version";
const FLAGS: &str = "Compiler flags";

/// Before how it ran in parallel: `Parallel PThreads : 4`.
const PARALLEL: &str = "Parallel ";

/// How lines begin that say that a run is none to report.
const WARNINGS: &[&str] = &["ERROR! ", "Errors detected", "Cannot validate operation"];

/// What a rate may be off by beyond its rounding.
const NEAR: f64 = 0.001;

impl ToolReader for CoreMark {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "CoreMark 1.0: the iterations per second of all contexts, its report or only its last line; not CoreMark-PRO"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[HEADING, "CoreMark"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_first = text.ends_with(HEADING)
            || score(line).is_some()
            || field(text).is_some_and(|(label, _)| label == SIZE);
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if score(last).is_some() {
            return Extent::EndsHere;
        }
        let is_second_blank = last.is_blank() && before.last().is_some_and(ToolLine::is_blank);
        let belongs = is_line(last.text.trim()) && !is_second_blank;
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let labelled = |label: &str| sheet.within(label, ":");
        let (rate, score) = (labelled("Iterations/Sec"), labelled("CoreMark 1.0"));
        let computed = labelled("Iterations  ").exact() / labelled("Total time (secs)");
        sheet.equal(&rate, computed, NEAR);
        sheet.equal(&score, Term::sum(std::slice::from_ref(&rate)), NEAR);
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut last = 0;
        for line in block.lines {
            let text = line.text.trim();
            if let Some(rate) = score(line) {
                result.version = Some("1.0".to_owned());
                if result.whole.figures.is_empty() {
                    result.whole.add(metric::OPERATIONS_PER_SECOND, Some(rate));
                }
            } else if is_warning(text) {
                result.warnings.push(ToolWarning { line: line.number, text: text.to_owned() });
            } else if let Some(run) = text.strip_suffix(HEADING) {
                result.options.insert("run".to_owned(), run.to_owned());
            } else if let Some((label, value)) = field(text) {
                take(&mut result, line.number, label, value);
            }
            if !line.is_blank() {
                last = line.number;
            }
        }
        result.lines.last = last;
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// Takes what a line says into the result.
fn take(result: &mut ToolResult, line: u64, label: &str, value: &str) {
    let option = match label {
        SECONDS => {
            result.whole.window = bare(line, value, Unit::Seconds);
            return;
        }
        RATE => {
            result.whole.add(metric::OPERATIONS_PER_SECOND, bare(line, value, Unit::PerSecond));
            return;
        }
        ITERATIONS => {
            result.whole.operations = whole(value).map(|(count, _)| exact(line, count, Unit::One));
            return;
        }
        SIZE => "size",
        COMPILER => "compiler",
        FLAGS => "flags",
        label if label.starts_with(PARALLEL) => "threads",
        _ => return,
    };
    result.options.insert(option.to_owned(), value.to_owned());
}

/// The label and the value of a line; `None` if it has another label than CoreMark's.
fn field(text: &str) -> Option<(&str, &str)> {
    let (label, value) = text.split_once(':')?;
    let label = label.trim_end();
    let is_checksum = label.starts_with('[') && label.contains("]crc");
    let is_known = LABELS.contains(&label) || label.starts_with(PARALLEL) || is_checksum;
    is_known.then(|| (label, value.trim()))
}

/// The score of `CoreMark 1.0 : 12173.471976 / GCC11.2.0 -O2 / Heap / 4:Fork`.
fn score(line: &ToolLine) -> Option<PrintedValue> {
    let rest = line.text.trim().strip_prefix("CoreMark 1.0 :")?;
    bare(line.number, rest, Unit::PerSecond).filter(|_| rest.contains(" / "))
}

fn is_warning(text: &str) -> bool {
    WARNINGS.iter().any(|warning| text.starts_with(warning))
}

/// Whether it is a line behind the first.
fn is_line(text: &str) -> bool {
    let others = ["Correct operation validated.", "(e.g. "];
    text.is_empty()
        || field(text).is_some()
        || is_warning(text)
        || others.iter().any(|other| text.starts_with(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn the_last_line_alone_has_the_score() {
        let results = read("CoreMark 1.0 : 12173.471976 / GCC11.2.0 -O2 / Heap / 4:Fork\n");
        let rate = results[0].whole.figure(metric::OPERATIONS_PER_SECOND).unwrap();
        assert_eq!((rate.value, rate.unit), (12_173.471_976, Unit::PerSecond));
        assert!(read("CoreMark 1.0 : it is old\n").is_empty());
    }

    #[test]
    fn a_run_that_was_too_short_is_warned_of() {
        let results = read(
            "2K performance run parameters for coremark.\nCoreMark Size    : 666\nTotal time (secs): 2.500000\n\
             Iterations/Sec   : 400.000000\nERROR! Must execute for at least 10 secs for a valid result!\n\
             Iterations       : 1000\nErrors detected\n\nwords\n",
        );
        let lines: Vec<u64> = results[0].warnings.iter().map(|warning| warning.line).collect();
        assert_eq!((results.len(), lines, results[0].lines.last), (1, vec![5, 7], 7));
    }
}
