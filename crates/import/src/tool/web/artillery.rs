//! artillery: its summary, and the reports of periods before it, of versions 1 and 2. Virtual users arrive at a rate,
//! whatever the answers take: an open loop. Times are in milliseconds, without a unit.

use model::tool_result::{
    Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult, ToolWarning,
};
use model::{MetricName, Unit, metric};

use super::outcome::{RequestOutcome, RequestOutcomes};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{count, exact, plain, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Artillery;

const NAME: &str = "artillery";

/// Requests that were sent in a second.
const SENT_PER_SECOND: MetricName = MetricName::new("sent_per_second");

/// What the titles of the summary begin with, and whether other programs may have such a line.
const SUMMARIES: &[(&str, Beginning)] =
    &[("Summary report @ ", Beginning::Certain), ("Complete report @ ", Beginning::Likely)];

/// The same of a period.
const PERIODS: &[(&str, Beginning)] = &[
    ("Metrics for period to: ", Beginning::Certain),
    ("Report for the previous ", Beginning::Likely),
    ("Report @ ", Beginning::Likely),
];

/// Before how long all of it took.
const FINISHED: &str = "All VUs finished. Total time: ";

/// Before the phase that begins, of each execution.
const PHASE: &str = "Phase started: ";

/// How lines begin that stand between reports.
const OTHERS: &[&str] =
    &[FINISHED, "All virtual users finished", "all scenarios completed", PHASE, "Phase completed: "];

/// Above the times of answers, by version.
const LATENCIES: &[&str] = &["http.response_time", "Response time (msec)", "Request latency"];

/// Above answers by their status, and above what failed without one, of version 1.
const CODES: &str = "Codes";
const ERRORS: &str = "Errors";

/// The same of version 2, where they stand before each.
const CODE: &str = "http.codes.";
const ERROR: &str = "errors.";

/// Other headings of version 1.
const HEADINGS: &[&str] = &["Scenario duration", "Scenario counts", "Session length"];

impl ToolReader for Artillery {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of artillery 1 and 2, with its reports of periods; of HTTP alone"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            FINISHED,
            "Summary report @ ",
            "Complete report @ ",
            "Metrics for period to: ",
            "Report for the previous ",
            "Report @ ",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if text.starts_with(FINISHED) {
            return Some(Beginning::Certain);
        }
        title(text).map(|(_, beginning)| beginning)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        let is_rule = !text.is_empty() && text.chars().all(|c| c == '-');
        let is_own = last.is_blank()
            || is_rule
            || title(text).is_some()
            || OTHERS.iter().any(|other| text.starts_with(*other))
            || heading(text).is_some()
            || is_pair(last);
        // Behind the summary another execution may follow.
        let is_phase = |text: &str| text.starts_with(PHASE);
        let mut of_phase =
            before.iter().rev().map(|line| line.text.trim()).take_while(|text| !is_phase(text));
        let is_next =
            is_phase(text) && of_phase.any(|text| title(text).is_some_and(|(name, _)| name.is_none()));
        if is_own && !is_next { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        let mut report = Report::default();
        let mut window = None;
        for line in block.lines {
            let text = line.text.trim();
            if let Some((period, _)) = title(text) {
                std::mem::take(&mut report).end(&mut result);
                report.is_open = true;
                report.period = period.map(str::to_owned);
            } else if let Some(total) = text.strip_prefix(FINISHED) {
                window = span(line.number, total);
            } else {
                report.take(line);
            }
        }
        report.end(&mut result);
        if result.whole.is_empty() && result.parts.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        if !result.whole.is_empty() {
            result.whole.window = window;
        }
        Ok(vec![result])
    }
}

/// The period that a title is of, `None` of the summary, and how sure it is one.
fn title(text: &str) -> Option<(Option<&str>, Beginning)> {
    if let Some((_, beginning)) = SUMMARIES.iter().find(|(start, _)| text.starts_with(*start)) {
        return Some((None, *beginning));
    }
    let (start, beginning) = PERIODS.iter().find(|(start, _)| text.starts_with(*start))?;
    let period = text.get(start.len()..)?;
    // `16:16:50(-0500) (width: 3.206s)`, `10s @ 2016-12-05T18:41:01.850Z`.
    period.contains(':').then_some((Some(period), *beginning))
}

/// The name of a list: `http.response_time:`, `Codes:`.
fn heading(text: &str) -> Option<&str> {
    let name = text.strip_suffix(':')?;
    let is_early = [CODES, ERRORS].contains(&name) || LATENCIES.contains(&name) || HEADINGS.contains(&name);
    let is_late = name.starts_with("plugins.") || name.contains('.') && !name.contains(' ');
    (is_early || is_late).then_some(name)
}

/// The name and the value of `http.requests: ........ 184723`, and of early versions `Requests completed:  1085`.
fn pair(text: &str) -> Option<(&str, &str)> {
    let (before, value) = text.trim().rsplit_once(' ')?;
    let name = before.trim_end_matches('.').trim_end().strip_suffix(':')?;
    Some((name, value))
}

/// Whether a line is one of a list: it has dots up to its value, or is indented.
fn is_pair(line: &ToolLine) -> bool {
    let is_marked = line.text.contains(": ...") || line.is_indented();
    is_marked && line.text.contains(": ")
}

/// A report of all, or of a period.
#[derive(Default)]
struct Report {
    is_open: bool,
    period: Option<String>,
    heading: String,
    measured: ToolMeasurement,
    requests: Option<PrintedValue>,
    answers: RequestOutcomes,
    all: RequestOutcomes,
    warnings: Vec<ToolWarning>,
}

impl Report {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.trim();
        if !self.is_open {
            return;
        }
        if let Some(name) = heading(text) {
            name.clone_into(&mut self.heading);
            return;
        }
        let Some((name, value)) = pair(text) else { return };
        if !line.is_indented() {
            self.heading.clear();
        }
        // It leaves out the mark within 99.9.
        let rank = if name == "p999" { "p99.9" } else { name };
        if LATENCIES.contains(&self.heading.as_str())
            && let Some(metric) = statistic(rank)
        {
            self.measured.add(metric, time(line.number, value, "ms"));
            return;
        }
        self.counted(line, name, value);
    }

    /// What is no time.
    fn counted(&mut self, line: &ToolLine, name: &str, value: &str) {
        let counted: Option<u64> = value.parse().ok();
        let code = name.strip_prefix(CODE).or_else(|| (self.heading == CODES).then_some(name));
        let is_error = name.starts_with(ERROR) || self.heading == ERRORS;
        match (code.and_then(|code| code.parse().ok()), counted) {
            (Some(status), Some(counted)) => {
                let outcome = RequestOutcome::of_status(status);
                self.answers.add(line.number, counted, outcome);
                self.all.add(line.number, counted, outcome);
            }
            (_, Some(counted)) if is_error => {
                self.all.add(line.number, counted, RequestOutcome::Failed);
                self.warn(line, name, value);
            }
            (_, Some(failed)) if name == "vusers.failed" && failed > 0 => self.warn(line, name, value),
            (_, Some(counted)) if name == "http.requests" => {
                self.requests = Some(exact(line.number, counted, Unit::One));
            }
            (_, Some(counted)) if name == "http.responses" || name == "Requests completed" => {
                self.measured.operations = Some(exact(line.number, counted, Unit::One));
            }
            _ => self.rate(line.number, name, value),
        }
    }

    fn warn(&mut self, line: &ToolLine, name: &str, value: &str) {
        self.warnings.push(ToolWarning { line: line.number, text: format!("{name}: {value}") });
    }

    fn rate(&mut self, line: u64, name: &str, value: &str) {
        let metric = match name {
            "http.request_rate" | "RPS sent" => SENT_PER_SECOND,
            "Mean response/sec" | "RPS" => metric::REQUESTS_PER_SECOND,
            _ => return,
        };
        let number = value.trim_end_matches("/sec");
        self.measured.add(metric, count(line, number, Counting::Decimal, Unit::PerSecond));
    }

    /// Puts it into the result.
    fn end(mut self, result: &mut ToolResult) {
        if !self.is_open {
            return;
        }
        // What fails in a scenario may have had its answer, and is counted twice then: without a total that the counts
        // come to, only answers are counted.
        let total = self.requests.or_else(|| self.measured.operations.clone());
        let is_whole = |outcomes: &RequestOutcomes| {
            outcomes.operations().zip(total.as_ref()).is_some_and(|(all, total)| all.value == total.value)
        };
        let outcomes = if is_whole(&self.all) { &self.all } else { &self.answers };
        self.measured.add(metric::ERROR_SHARE, outcomes.error_share());
        match self.period {
            None => {
                result.whole = self.measured;
                result.warnings = self.warnings;
            }
            Some(name) => {
                let kind = ToolPartKind::Interval;
                result.parts.push(ToolPart { kind, name, start_s: None, measured: self.measured });
            }
        }
    }
}

/// A time in words: `4 minutes, 30 seconds`. What is less than a second is left out.
fn span(line: u64, text: &str) -> Option<PrintedValue> {
    let mut seconds = 0.0;
    for part in text.split(", ") {
        let (number, unit) = part.trim().split_once(' ')?;
        let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite())?;
        seconds += number
            * match unit.trim_end_matches('s') {
                "day" => 86_400.0,
                "hour" => 3600.0,
                "minute" => 60.0,
                "second" => 1.0,
                _ => return None,
            };
    }
    Some(PrintedValue { half_step: 1.0, ..plain(line, text, seconds, Unit::Seconds) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    fn value(measured: &ToolMeasurement, name: MetricName) -> Option<f64> {
        measured.figure(name).map(|printed| (printed.value * 1e6).round() / 1e6)
    }

    #[test]
    fn the_summary_is_the_whole_and_periods_are_its_parts() {
        let results = read(
            "--------------------------------------\n\
             Metrics for period to: 16:16:50(-0500) (width: 3.206s)\n\
             --------------------------------------\n\n\
             http.codes.200: ................................................................ 6\n\
             http.request_rate: ............................................................. 2/sec\n\
             http.requests: ................................................................. 6\n\n\
             Phase completed: warm (index: 0, duration: 3s) 16:16:50(-0500)\n\n\
             All VUs finished. Total time: 1 minute, 2 seconds\n\n\
             --------------------------------\n\
             Summary report @ 16:17:52(-0500)\n\
             --------------------------------\n\n\
             errors.ETIMEDOUT: .............................................................. 5\n\
             http.codes.200: ................................................................ 80\n\
             http.codes.503: ................................................................ 15\n\
             http.request_rate: ............................................................. 7/sec\n\
             http.requests: ................................................................. 100\n\
             http.response_time:\n\
             \x20 min: ......................................................................... 3\n\
             \x20 max: ......................................................................... 225\n\
             \x20 mean: ........................................................................ 12.5\n\
             \x20 median: ...................................................................... 4\n\
             \x20 p95: ......................................................................... 190.6\n\
             \x20 p99: ......................................................................... 210.6\n\
             http.responses: ................................................................ 95\n\
             vusers.failed: ................................................................. 0\n\
             vusers.session_length:\n\
             \x20 min: ......................................................................... 61284.2\n\
             \x20 p99: ......................................................................... 61717.2\n\nwords\n",
        );
        assert_eq!(results.len(), 1);
        let whole = &results[0].whole;
        assert_eq!(value(whole, SENT_PER_SECOND), Some(7.0));
        assert_eq!(value(whole, metric::ERROR_SHARE), Some(0.2));
        assert_eq!(value(whole, metric::LATENCY_P50), Some(0.004));
        assert_eq!(value(whole, metric::LATENCY_P99), Some(0.2106));
        assert_eq!(value(whole, metric::LATENCY_MAX), Some(0.225));
        assert_eq!(whole.operations.as_ref().map(|count| count.value), Some(95.0));
        assert_eq!(whole.window.as_ref().map(|window| window.value), Some(62.0));
        let warnings: Vec<&str> = results[0].warnings.iter().map(|warning| warning.text.as_str()).collect();
        assert_eq!(warnings, ["errors.ETIMEDOUT: 5"]);
        assert_eq!(results[0].parts.len(), 1);
        assert_eq!(value(&results[0].parts[0].measured, SENT_PER_SECOND), Some(2.0));
    }

    #[test]
    fn early_versions_have_lists_below_their_names() {
        let results = read(
            "Complete report @ 2016-05-14T04:57:10.029Z\n  Scenarios launched:  1000\n  Requests completed:  2000\n\
             \x20 RPS sent: 95.37\n  Request latency:\n    min: 0.1\n    max: 7.2\n    median: 0.2\n    p95: 0.5\n    p99: NaN\n\
             \x20 Scenario duration:\n    min: 1000.4\n    max: 1033.9\n  Codes:\n    200: 1990\n    500: 10\n",
        );
        let whole = &results[0].whole;
        assert_eq!(value(whole, SENT_PER_SECOND), Some(95.37));
        assert_eq!(value(whole, metric::LATENCY_P50), Some(0.0002));
        assert_eq!(value(whole, metric::LATENCY_MAX), Some(0.0072));
        assert_eq!(value(whole, metric::LATENCY_P99), None);
        assert_eq!(value(whole, metric::ERROR_SHARE), Some(0.005));
    }
}
