//! pgbench of PostgreSQL 9.0 and later: its report, what it tells on the way (--progress), and the
//! statements and scripts of -r and of several -f or -b.

mod options;
mod sums;
mod text;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{ToolMeasurement, ToolRemedy, ToolResult, ToolWarning};
use model::{WorkloadName, metric};

use self::text::{DEVIATION, MEAN, PgbenchReport};
use super::mean;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::work::same_work;

/// The importer. It prints no multiples of units, so it has no counting rule.
pub(super) struct Pgbench;

const NAME: &str = "pgbench";

/// So many lines are looked at for the end of another report.
const REPORT: usize = 256;

impl ToolReader for Pgbench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the report of pgbench 9.0 and later, with its progress, statements and scripts"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["pgbench"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "pgbench (",
            "transaction type: ",
            "progress: ",
            "starting vacuum...",
            "number of transactions actually processed: ",
            "query mode: ",
            "tps = ",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let words = line.text.trim();
        if begins_report(words) {
            return Some(Beginning::Certain);
        }
        let is_progress = words.starts_with("progress: ") && words.contains(" tps, lat ");
        let is_likely = is_progress || words.starts_with("starting vacuum...") || is_within_report(words);
        is_likely.then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let words = last.text.trim();
        let is_version = text::version(words).is_some();
        let is_over = || before.iter().rev().take(REPORT).any(|line| line.text.trim().starts_with("tps = "));
        let stands = || before.first().is_some_and(|line| text::version(line.text.trim()).is_some());
        if begins_report(words) && !before.is_empty() && (is_over() || is_version && stands()) {
            return Extent::EndsBefore;
        }
        let is_message =
            warns(words) || ["pgbench: ", "NOTICE: "].iter().any(|begin| words.starts_with(begin));
        // What stands below a script; its white space may have been lost.
        let is_of_script = words.starts_with("- ");
        let is_statement = || {
            let mut above = before.iter().rev().take(REPORT);
            words.starts_with(|c: char| c.is_ascii_digit())
                && above.any(|line| text::heads_statements(line.text.trim()))
        };
        let is_own = last.is_blank() || last.is_indented() || is_of_script || is_message || is_statement();
        if is_own || PgbenchReport::default().take(last) { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        sums::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let report = text::read(block.lines);
        let mut result = block.result(NAME, self.programs());
        let (mut all, is_all) = options::given(&result.command);
        // Where both say it, the report tells what was done.
        all.extend(report.options);
        if let Some(parameters) = Some(&all).filter(|_| is_all).and_then(options::work) {
            same_work(&mut result, WorkloadName::new("db.tpcb"), parameters);
        }
        result.options = options::of_work(all);
        result.version = report.version;
        result.whole = with_last_transactions(report.whole);
        if result.whole.figures.is_empty() {
            let rate = mean(&report.parts, &[metric::TRANSACTIONS_PER_SECOND]);
            result.whole.figures.extend(rate.figures);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        result.parts = report.parts;
        result.unread = report.unread;
        let warned = block.lines.iter().filter(|line| warns(line.text.trim()));
        let warning = |line: &ToolLine| ToolWarning { line: line.number, text: line.text.trim().to_owned() };
        result.warnings = warned.map(warning).collect();
        Ok(vec![result])
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        let seconds = remedies.iter().find_map(|remedy| match remedy {
            ToolRemedy::RunFor(seconds) => Some(*seconds),
            _ => None,
        });
        seconds.map(|seconds| options::run_for(&result.command, seconds))
    }
}

/// The time that was asked for, as exactly as the run kept it: clients end what they began within it, so that it
/// took longer by as much as the slowest of their last transactions.
fn with_last_transactions(mut whole: ToolMeasurement) -> ToolMeasurement {
    let seconds = |name| whole.figure(name).map(|printed| printed.value);
    let longer = seconds(MEAN).map(|mean| mean + SPREADS * seconds(DEVIATION).unwrap_or(mean));
    if let (Some(window), Some(longer)) = (whole.window.as_mut(), longer) {
        window.half_step += longer;
    }
    whole
}

/// Nearly all transactions take less than the mean and so many standard deviations.
const SPREADS: f64 = 3.0;

/// Whether a line tells of a client that failed, or of a run that was broken off.
fn warns(words: &str) -> bool {
    const BEGINNINGS: &[&str] =
        &["pgbench: error: ", "pgbench: fatal: ", "pgbench: warning: ", "WARNING: ", "Run was aborted"];
    // Before version 13 it is not said whose message it is.
    let is_early = words.starts_with("client ") && words.contains(" aborted in ");
    is_early || BEGINNINGS.iter().any(|begin| words.starts_with(begin))
}

/// A line of a report, whose first ones may be cut away, that nobody else prints.
fn is_within_report(words: &str) -> bool {
    let is_rate = || {
        let rate = words.strip_prefix("tps = ").and_then(|rest| rest.split_once(" ("));
        rate.is_some_and(|(rate, what)| rate.parse::<f64>().is_ok() && what.contains(" connection"))
    };
    let is_mode = || ["simple", "extended", "prepared"].iter().any(|mode| words.ends_with(mode));
    words.starts_with("number of transactions actually processed: ")
        || words.starts_with("query mode: ") && is_mode()
        || is_rate()
}

/// The first line of a report, of any version.
fn begins_report(words: &str) -> bool {
    text::version(words).is_some() || words.starts_with("transaction type: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn statements_that_lost_their_white_space_are_read() {
        let text = "transaction type: <builtin: TPC-B (sort of)>\nduration: 10 s\n\
                    number of transactions actually processed: 55\ntps = 5.5 (excluding connections establishing)\n\
                    statement latencies in milliseconds:\n0.003  \\set aid 1\n0.250  BEGIN;\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [run] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!((run.parts.len(), output.unread.len()), (2, 0));
    }

    #[test]
    fn a_run_that_was_broken_off_is_warned_of() {
        let read = |warning: &str| {
            let text = format!(
                "transaction type: <builtin: select only>\nduration: 10 s\n\
                 number of transactions actually processed: 50\ntps = 5.5 (without initial connection time)\n{warning}"
            );
            crate::tool::read("", text.as_bytes()).unwrap().results.remove(0).warnings
        };
        assert!(read("").is_empty());
        let warnings = read(
            "client 3 aborted in state 8: ERROR: x\nRun was aborted; the above results are incomplete.\n",
        );
        let texts: Vec<&str> = warnings.iter().map(|warning| warning.text.as_str()).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[1].starts_with("Run was aborted"));
    }

    #[test]
    fn its_first_lines_are_known_in_every_version() {
        for text in
            ["pgbench (15.18 (Debian 15.18-0+deb12u1))", "pgbench (PostgreSQL) 12.1", "transaction type: x"]
        {
            assert_eq!(Pgbench.begins(&line(text)), Some(Beginning::Certain), "{text}");
        }
        for text in ["query mode: simple", "tps = 5.5 (without initial connection time)"] {
            assert_eq!(Pgbench.begins(&line(text)), Some(Beginning::Likely), "{text}");
        }
        for text in ["pgbench (it is a tool)", "pgbench -c 4", "progress: half of it", "tps = 4"] {
            assert_eq!(Pgbench.begins(&line(text)), None, "{text}");
        }
    }
}
