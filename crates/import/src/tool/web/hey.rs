//! hey, and boom that it was called before: its summary. oha's was made after it, and is read in the same way; hey
//! does not say which share went well.

use model::metric;
use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::ToolResult;

use super::oha::{MARKS, Reading, is_within};
use super::{CommandOptions, behind};
use crate::tool::arithmetic::{FigureSheet, Term};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Hey;

const NAME: &str = "hey";

/// A heading that oha has not, in versions that do not print the share that went well.
const OWN_HEADING: &str = "Latency distribution";

/// It keeps the times of no more answers (`maxRes` of requester/report.go), and divides the sum of all by as many as it
/// kept: with more, what it calls the average is too long.
const KEPT_MAX: u64 = 1_000_000;

impl ToolReader for Hey {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of hey, and of boom, which was its name before"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["hey", "boom"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints whole bytes.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(MARKS)
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (line.text == "Summary:" || is_within(line)).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        super::oha::Oha.extent(lines)
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let (answers, histogram) = (Term::sum(&sheet.answers()), sheet.histogram());
        // Of more answers than it keeps some figures are of those that it kept.
        if answers.value().is_some_and(|count| count < KEPT_MAX as f64) {
            let of_one = &Term::sum(&[sheet.count("Total data:")]) / &answers;
            sheet.equal(&sheet.number("Size/request:"), of_one.cut_to(1.0), 0.0);
            sheet.equal_sums(&sheet.answers(), &histogram);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let has = |label: &str| block.lines.iter().any(|line| behind(&line.text, label).is_some());
        // Where the head was cut off, only its own headings tell.
        let is_own = || block.lines.iter().any(|line| line.text.trim_start().starts_with(OWN_HEADING));
        let is_whole = block.lines.first().is_some_and(|line| line.text == "Summary:");
        // etcd's summary was made after boom's, and has what neither prints; a number of calls is what ghz has.
        let is_other = has("Success rate") || has("Stddev") || block.lines.iter().any(super::ghz::is_count);
        if is_other || !(is_own() || is_whole && has("Requests/sec")) {
            return Err(NotUnderstood::OtherText);
        }
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut reading = Reading::default();
        for line in block.lines {
            reading.take(line, &mut result.whole);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let rate = result.whole.figure(metric::REQUESTS_PER_SECOND).zip(result.whole.window.as_ref());
        let done = rate.map_or(0.0, |(rate, window)| rate.value * window.value);
        // Late versions count the answers that they kept alone.
        let is_cut_off = reading.answers() == KEPT_MAX && done > 1.001 * KEPT_MAX as f64;
        result.whole.operations = reading.operations().filter(|_| !is_cut_off);
        result.whole.add(metric::ERROR_SHARE, reading.error_share());
        if is_cut_off || reading.answers() > KEPT_MAX {
            result.whole.figures.retain(|figure| figure.metric != metric::LATENCY_MEAN);
        }
        options(&mut result);
        Ok(vec![result])
    }
}

const WITH_VALUE: &[&str] =
    &["n", "c", "q", "z", "o", "m", "H", "t", "A", "d", "D", "T", "U", "a", "x", "host", "cpus"];

/// Options whose values are told: others may be secret.
const TOLD: &[&str] = &[
    "n",
    "c",
    "q",
    "z",
    "m",
    "t",
    "A",
    "D",
    "T",
    "cpus",
    "disable-compression",
    "disable-keepalive",
    "disable-redirects",
];

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::with_long_names(&result.command, WITH_VALUE);
    given.tell_own_names(TOLD, result);
    given.tell_url(result);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ToolResult, NotUnderstood> {
        crate::tool::web::first_of(&Hey, text)
    }

    #[test]
    fn errors_and_answers_that_say_so_have_failed() {
        let read = read(
            "Summary:\n  Total:\t2.0000 secs\n  Requests/sec:\t50.0000\n\nStatus code distribution:\n  [200]\t80 responses\n  \
             [503]\t10 responses\n\nError distribution:\n  [10]\tGet \"http://h/\": EOF\n",
        )
        .unwrap();
        assert_eq!(read.whole.operations.as_ref().map(|all| all.value), Some(100.0));
        assert_eq!(read.whole.figure(metric::ERROR_SHARE).map(|share| share.value), Some(0.2));
    }

    #[test]
    fn the_mean_of_more_answers_than_it_keeps_is_none() {
        let mean = |answers: u64| {
            let text = format!(
                "Summary:\n  Total:\t20.0000 secs\n  Average:\t0.0150 secs\n  Requests/sec:\t{}.0000\n\n\
                 Status code distribution:\n  [200]\t{answers} responses\n",
                answers / 20
            );
            read(&text).unwrap().whole.figure(metric::LATENCY_MEAN).map(|mean| mean.value)
        };
        assert_eq!((mean(1_000_000), mean(1_500_000)), (Some(0.015), None));
    }

    #[test]
    fn answers_that_it_did_not_keep_are_not_counted() {
        let result = read(
            "Summary:\n  Total:\t10.0000 secs\n  Average:\t0.0006 secs\n  Requests/sec:\t139688.1930\n\n\
             Status code distribution:\n  [200]\t1000000 responses\n",
        )
        .unwrap();
        assert!(result.whole.operations.is_none() && result.whole.figure(metric::LATENCY_MEAN).is_none());
        assert!(result.whole.figure(metric::REQUESTS_PER_SECOND).is_some());
    }

    #[test]
    fn white_space_before_rows_may_be_lost() {
        let text = "Summary:\nTotal: 2.0000 secs\nAverage: 0.0012 secs\nRequests/sec: 50.0000\n\nResponse time histogram:\n\
                    0.003 [99] |\n\nLatency distribution:\n99% in 0.0100 secs\n\nStatus code distribution:\n\
                    [200] 100 responses\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert!(result.whole.figure(metric::LATENCY_P99).is_some());
        assert_eq!(result.whole.operations.as_ref().map(|all| all.value), Some(100.0));
    }

    #[test]
    fn a_summary_whose_head_was_cut_off_is_known_by_its_headings() {
        let rest = "Status code distribution:\n  [200]\t100 responses\n";
        for (tool, heading) in [("hey", "Latency distribution:"), ("oha", "Response time distribution:")] {
            let text = format!(
                "  Average:\t0.0012 secs\n  Requests/sec:\t50.0000\n\n{heading}\n  99% in 0.0100 secs\n\n{rest}"
            );
            let output = crate::tool::read("", text.as_bytes()).unwrap();
            let [result] = output.results.as_slice() else { panic!("{output:?}") };
            assert_eq!((result.tool.as_str(), result.lines.first, output.unread.len()), (tool, 1, 0));
            let rate = result.whole.figure(metric::REQUESTS_PER_SECOND).map(|rate| rate.value);
            assert_eq!(
                (rate, result.whole.figure(metric::ERROR_SHARE).map(|share| share.value)),
                (Some(50.0), Some(0.0))
            );
        }
    }

    #[test]
    fn a_summary_of_ohas_is_another_programs() {
        let text = "Summary:\n  Success rate: 1.0\n  Requests/sec: 50.0\n";
        assert_eq!(read(text).unwrap_err(), NotUnderstood::OtherText);
    }

    #[test]
    fn long_names_stand_behind_one_dash() {
        let words = "hey -z 10s -disable-keepalive -a me:x http://h/".split(' ').map(str::to_owned).collect();
        let mut result = ToolResult { command: words, ..ToolResult::default() };
        options(&mut result);
        let told: Vec<&str> = result.options.keys().map(String::as_str).collect();
        assert_eq!(told, ["disable-keepalive", "url", "z"]);
    }
}
