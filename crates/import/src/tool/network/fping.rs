//! fping: what was lost of the packets to each host, and the round trips of the others. Single answers are not read.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::ToolResult;
use model::{Unit, metric};

use crate::tool::arithmetic::{FigureSheet, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{exact, plain, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Fping;

const NAME: &str = "fping";

/// Between a host and its counts.
const COUNTS: &str = ": xmt/rcv/%loss = ";

/// Between the counts and the times.
const TIMES: &str = ", min/avg/max = ";

impl ToolReader for Fping {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what fping says at the end of each host: what was lost, and the round trips; each host is a result"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "fping6"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Milliseconds, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[COUNTS, " : ["]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (line.text.contains(COUNTS) || is_answer(&line.text)).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim_start();
        let belongs = before.is_empty()
            || last.is_blank()
            || text.contains(COUNTS)
            || is_answer(text)
            || text.starts_with("ICMP ") && text.contains(" for ICMP Echo sent to ");
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        for (line, text) in sheet.lines() {
            let Some((_, counts)) = text.split_once(COUNTS) else { continue };
            let count = |at: usize| nth_of(line, counts, at).exact();
            // It drops what is behind the point.
            let lost = (&(&count(0) - &count(1)) / &count(0)).scaled(100.0);
            sheet.equal(&nth_of(line, counts, 2).cut(), lost, 0.0);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let results: Vec<ToolResult> =
            block.lines.iter().filter_map(|line| of_host(block, self.programs(), line)).collect();
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// `10.0.0.2 : [0], 84 bytes, 12.7 ms (12.7 avg, 0% loss)`.
fn is_answer(text: &str) -> bool {
    let rest = text.split_once(" : [").and_then(|(_, rest)| rest.split_once("], "));
    rest.is_some_and(|(number, rest)| {
        whole(number).is_some_and(|(_, end)| end.is_empty()) && rest.ends_with("% loss)")
    })
}

/// `10.0.0.2 : xmt/rcv/%loss = 5/4/20%, min/avg/max = 14.2/15.1/16.0`: of a host that never answers there are no times.
fn of_host(block: &ToolBlock<'_>, programs: &[&str], line: &ToolLine) -> Option<ToolResult> {
    let (host, rest) = line.text.split_once(COUNTS)?;
    let (counts, times) = rest.split_once(TIMES).unwrap_or((rest, ""));
    let mut counts = counts.split('/');
    let (sent, _) = whole(counts.next()?)?;
    let (received, _) = whole(counts.next()?)?;
    let mut result = block.result(NAME, programs);
    (result.lines.first, result.lines.last) = (line.number, line.number);
    result.name = Some(host.trim().to_owned());
    result.options.insert("host".to_owned(), host.trim().to_owned());
    result.whole.operations = Some(exact(line.number, received, Unit::One));
    if sent > 0 {
        let lost = sent.saturating_sub(received);
        let share = lost as f64 / sent as f64;
        result.whole.add(metric::LOSS, Some(plain(line.number, format!("{lost}/{sent}"), share, Unit::One)));
    }
    for (name, value) in ["min", "avg", "max"].into_iter().zip(times.split('/')) {
        if let Some(metric) = statistic(name) {
            result.whole.add(metric, time(line.number, value, "ms"));
        }
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_is_a_result_and_one_that_never_answers_has_no_times() {
        let text = "$ fping -c 4 10.0.0.2 10.0.0.3\n10.0.0.2 : [0], 84 bytes, 12.7 ms (12.7 avg, 0% loss)\n\
                    ICMP Host Unreachable from 10.0.0.1 for ICMP Echo sent to 10.0.0.3\n\n\
                    10.0.0.2 : xmt/rcv/%loss = 4/3/25%, min/avg/max = 10.0/12.0/16.0\n10.0.0.3 : xmt/rcv/%loss = 4/0/100%\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [one, other] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |result: &ToolResult, name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!((value(one, metric::LATENCY_MEAN), value(one, metric::LOSS)), (Some(0.012), Some(0.25)));
        assert_eq!((value(other, metric::LATENCY_MEAN), value(other, metric::LOSS)), (None, Some(1.0)));
        assert_eq!((other.options["host"].as_str(), output.unread.len()), ("10.0.0.3", 0));
    }
}
