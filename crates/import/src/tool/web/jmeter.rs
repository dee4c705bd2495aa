//! JMeter without its window: the lines of its summariser. One with `+` is of an interval, one with `=` of all requests until
//! then, so that the last of these is the whole. Times are in milliseconds.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::span;
use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, exact, percent, plain, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct JMeter;

const NAME: &str = "jmeter";

/// How other lines begin that stand between these.
const OTHERS: &[&str] = &["Tidying up ", "... end of run", "Waiting for possible "];

impl ToolReader for JMeter {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the lines of JMeter's summariser, as it prints them without a window or into its log"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "jmeter.sh"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["/s Avg:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        Row::of(line).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let Some(row) = Row::of(last) else {
            let is_own = OTHERS.iter().any(|other| last.text.trim().starts_with(*other));
            return if is_own { Extent::More } else { Extent::EndsBefore };
        };
        // Of all requests there are never fewer, unless another execution began.
        let earlier = || before.iter().rev().filter_map(Row::of).find(|earlier| earlier.is_whole);
        let is_next = row.is_whole && earlier().is_some_and(|earlier| earlier.requests > row.requests);
        if is_next { Extent::EndsBefore } else { Extent::More }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        for (line, text) in sheet.lines().filter(|(_, text)| text.contains(" Err:")) {
            // `summary =   1000 in 00:00:10 =  100.0/s Avg:    10 Min:     1 Max:   100 Err:     0 (0.00%)`
            let Some((_, rest)) = text.split_once(['=', '+']) else { continue };
            let behind = |label: &str| {
                rest.split_once(label).map_or_else(Term::default, |(_, rest)| nth_of(line, rest, 0))
            };
            let all = nth_of(line, rest, 0).exact();
            let share = rest.split_once('(').map_or_else(Term::default, |(_, share)| nth_of(line, share, 0));
            sheet.equal(&share, (&behind("Err:").exact() / &all).scaled(100.0), 0.0);
            sheet.between(&behind("Min:"), &behind("Avg:"), &behind("Max:"));
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut start_s = 0.0;
        for row in block.lines.iter().filter_map(Row::of) {
            result.lines.last = row.line;
            if row.is_whole {
                result.whole = row.measured;
                continue;
            }
            let length_s = row.measured.window.as_ref().map_or(0.0, |window| window.value);
            result.parts.push(ToolPart {
                kind: ToolPartKind::Interval,
                name: format!("{start_s:.0}-{:.0}", start_s + length_s),
                start_s: Some(start_s),
                measured: row.measured,
            });
            start_s += length_s;
        }
        if result.whole.is_empty() && result.parts.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        Ok(vec![result])
    }
}

/// A line of the summariser.
struct Row {
    line: u64,
    is_whole: bool,
    requests: u64,
    measured: ToolMeasurement,
}

impl Row {
    /// `summary =   1000 in 00:01:40 =   10.0/s Avg:    50 Min:    10 Max:   200 Err:     1 (0.10%)`, behind a log's stamp or not.
    fn of(line: &ToolLine) -> Option<Self> {
        let (before, behind) = line.text.split_once("/s Avg:")?;
        let (head, rate) = before.rsplit_once('=')?;
        let (head, took) = head.split_once(" in ")?;
        let mut words = head.split_whitespace().rev();
        let requests: u64 = words.next()?.parse().ok()?;
        let is_whole = match words.next()? {
            "=" => true,
            "+" => false,
            _ => return None,
        };
        let number = line.number;
        let value =
            |label: &str| behind.split_once(label).and_then(|(_, rest)| rest.split_whitespace().next());
        let milliseconds = |text: Option<&str>| time(number, text?, "ms");
        let mut measured = ToolMeasurement {
            window: window(number, took.trim()),
            operations: Some(exact(number, requests, Unit::One)),
            ..ToolMeasurement::default()
        };
        let rate = count(number, rate, Counting::Decimal, Unit::PerSecond)?;
        measured.add(metric::REQUESTS_PER_SECOND, Some(rate));
        measured.add(metric::LATENCY_MEAN, milliseconds(behind.split_whitespace().next()));
        measured.add(MetricName::new("latency_min"), milliseconds(value("Min:")));
        measured.add(metric::LATENCY_MAX, milliseconds(value("Max:")));
        let errors = behind.split_once("Err:").map(|(_, errors)| errors);
        let share = errors.and_then(|errors| errors.split_once('(')).map(|(_, share)| share);
        measured.add(metric::ERROR_SHARE, share.and_then(|share| percent(number, share)));
        Some(Self { line: number, is_whole, requests, measured })
    }
}

/// How long it took: `00:01:40`, and of early versions `100.5s`.
fn window(line: u64, text: &str) -> Option<PrintedValue> {
    let parts: Vec<&str> = text.split(':').collect();
    let [hours, minutes, seconds] = parts.as_slice() else { return span(line, text) };
    let (hours, _) = whole(hours)?;
    let (minutes, _) = whole(minutes)?;
    let (seconds, _) = whole(seconds)?;
    let value = hours as f64 * 3600.0 + minutes as f64 * 60.0 + seconds as f64;
    // What is less than a second is rounded or cut off, by version.
    Some(PrintedValue { half_step: 1.0, ..plain(line, text, value, Unit::Seconds) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sum_is_the_whole() {
        let text = "summary +    400 in 00:00:10 =   40.0/s Avg:    60 Min:    10 Max:   200 Err:     0 (0.00%) Active: 5 Started: 5 Finished: 0\n\
                    summary +    600 in 00:00:20 =   30.0/s Avg:    50 Min:     5 Max:   900 Err:    10 (1.67%) Active: 0 Started: 5 Finished: 5\n\
                    summary =   1000 in 00:00:30 =   33.3/s Avg:    54 Min:     5 Max:   900 Err:    10 (1.00%)\n\
                    Tidying up ...    @ 2026 Nov 28 10:00:30 UTC (1795773630000)\n... end of run\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|printed| (printed.value * 1e6).round() / 1e6);
        assert_eq!(value(metric::REQUESTS_PER_SECOND), Some(33.3));
        assert_eq!((value(metric::LATENCY_MEAN), value(metric::LATENCY_MAX)), (Some(0.054), Some(0.9)));
        assert_eq!(value(metric::ERROR_SHARE), Some(0.01));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(30.0));
        let starts: Vec<Option<f64>> = result.parts.iter().map(|part| part.start_s).collect();
        assert_eq!((starts, output.unread.len()), (vec![Some(0.0), Some(10.0)], 0));
    }

    #[test]
    fn lines_of_a_log_and_of_early_versions_are_read() {
        let text = "2015/02/21 13:31:35 INFO  - jmeter.reporters.Summariser: summary =      2 in   1.1s =    1.8/s Avg:  1126 Min:  1126 Max:  1126 Err:     0 (0.00%)\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!(results[0].whole.window.as_ref().map(|window| window.value), Some(1.1));
        assert_eq!(results[0].whole.operations.as_ref().map(|count| count.value), Some(2.0));
    }
}
