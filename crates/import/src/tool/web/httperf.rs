//! httperf: its report. Its requests go out at a rate, and those that were not answered are in the rate, too: so it is held
//! against the requests, and the answers tell what failed.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolResult};
use model::{MetricName, Unit, metric};

use super::outcome::{RequestOutcome, RequestOutcomes};
use crate::tool::arithmetic::{FigureSheet, Term};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, exact, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Httperf;

const NAME: &str = "httperf";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.9",
    units: "KB/s of Net I/O",
    counting: Counting::Binary,
    proof: "httperf-0.9.0-calls: 2078.4 KB/s are 17.03 million bits a second if a KB has 1024 bytes, and 16.63 if it has 1000; it \
            prints `17.0*10^6 bps`",
};

const RULES: &[CountingRule] = &[BINARY];

/// What lines of its report begin with.
const BEGINNINGS: &[&str] = &[
    "Maximum connect burst length:",
    "Total: connections ",
    "Connection rate:",
    "Connection time [ms]:",
    "Connection length [replies/conn]:",
    "Request rate:",
    "Request size [B]:",
    "Reply rate [replies/s]:",
    "Reply time [ms]:",
    "Reply size [B]:",
    "Reply status:",
    "CPU time [s]:",
    "Net I/O:",
    "Errors:",
    "Session ",
    "Session:",
    "httperf: ",
];

/// Its two clocks, and the rounding to a thousandth of a second.
const NEAR: f64 = 0.01;

impl ToolReader for Httperf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the report of httperf"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Maximum connect burst length:", "Total: connections "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        let is_first = text.starts_with("Maximum connect burst length:")
            || text.starts_with("Total: connections ") && text.contains(" test-duration ");
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let is_again = text.starts_with("Total: connections ")
            && before.iter().any(|line| line.text.starts_with("Total: connections "));
        let is_own = last.is_blank() || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
        if is_own && !is_again { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let seconds = sheet.within("Total:", "test-duration ");
        for (label, count) in [("Connection rate:", "connections "), ("Request rate:", "requests ")] {
            let rate = sheet.number(label);
            sheet.equal(&rate, &sheet.within("Total:", count).exact() / &seconds, NEAR);
            if rate.is_some() {
                sheet.equal(&sheet.nth(label, 1), &Term::number(1e3) / &rate, NEAR);
            }
        }
        let statuses = ["1xx=", "2xx=", "3xx=", "4xx=", "5xx="];
        let statuses = statuses.map(|status| sheet.within("Reply status:", status).exact());
        sheet.equal(&sheet.within("Total:", "replies ").exact(), Term::sum(&statuses), 0.0);
        let part = |name: &str| sheet.within("Reply size [B]:", name);
        let sizes = [part("header "), part("content "), part("footer ")];
        sheet.equal(&part("(total "), Term::sum(&sizes), 0.0);
        let causes = ["client-timo ", "socket-timo ", "connrefused ", "connreset "];
        let causes = causes.map(|cause| sheet.within("Errors: total", cause).exact());
        let more = ["fd-unavail ", "addrunavail ", "ftab-full ", "other "];
        let more = more.map(|cause| sheet.within("Errors: fd-unavail", cause).exact());
        let all: Vec<Term> = causes.into_iter().chain(more).collect();
        sheet.equal(&sheet.count("Errors: total"), Term::sum(&all), 0.0);
        sheet.between(
            &sheet.within("Connection time [ms]: min", "min "),
            &sheet.within("Connection time [ms]: min", "avg "),
            &sheet.within("Connection time [ms]: min", "max "),
        );
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut outcomes = RequestOutcomes::default();
        for line in block.lines {
            take(line, &mut result, &mut outcomes);
        }
        if result.whole.operations.is_none() || result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        result.whole.add(metric::ERROR_SHARE, outcomes.error_share());
        options(&mut result);
        Ok(vec![result])
    }
}

/// Takes what stands on a line.
fn take(line: &ToolLine, result: &mut ToolResult, outcomes: &mut RequestOutcomes) {
    let (text, number) = (line.text.as_str(), line.number);
    let whole_of = &mut result.whole;
    let behind = |name: &str| text.split_once(name).map(|(_, rest)| rest);
    let count = |name: &str| behind(name).and_then(whole).map(|(count, _)| count);
    let milliseconds = |name: &str| {
        let value = behind(name).and_then(|rest| time(number, leading(rest, false)?.digits, "ms"));
        value.filter(|value| value.value > 0.0)
    };
    if text.starts_with("Total: connections ") {
        whole_of.window = behind("test-duration ").and_then(|rest| quantity(number, rest, Counting::Decimal));
        whole_of.operations = count("requests ").map(|count| exact(number, count, Unit::One));
    } else if let Some(rate) = text.strip_prefix("Connection rate:") {
        whole_of.add(metric::CONNECTIONS_PER_SECOND, bare(number, rate.trim(), Unit::PerSecond));
    } else if text.starts_with("Connection time [ms]: min") {
        for (name, metric) in [
            ("min ", "connection_time_min"),
            ("avg ", "connection_time_mean"),
            ("median ", "connection_time_p50"),
            ("max ", "connection_time_max"),
        ] {
            whole_of.add(MetricName::new(metric), milliseconds(name));
        }
    } else if let Some(rate) = text.strip_prefix("Request rate:") {
        whole_of.add(metric::REQUESTS_PER_SECOND, bare(number, rate.trim(), Unit::PerSecond));
    } else if text.starts_with("Reply time [ms]:") {
        whole_of.add(metric::LATENCY_MEAN, milliseconds("response "));
    } else if text.starts_with("Reply status:") {
        for (class, outcome) in [
            ("2xx=", RequestOutcome::Good),
            ("3xx=", RequestOutcome::Good),
            ("4xx=", RequestOutcome::Failed),
            ("5xx=", RequestOutcome::Failed),
        ] {
            outcomes.add(number, count(class).unwrap_or(0), outcome);
        }
    } else if let Some(times) = text.strip_prefix("CPU time [s]:") {
        let of = |name: &str| {
            let rest = times.split_once(name)?.1;
            time(number, leading(rest, false)?.digits, "s")
        };
        whole_of.add(metric::CPU_USER_TIME, of("user "));
        whole_of.add(metric::CPU_SYSTEM_TIME, of("system "));
    } else if let Some(rate) = text.strip_prefix("Net I/O:") {
        let rate = rate.split('(').next().unwrap_or_default();
        whole_of.add(metric::THROUGHPUT, quantity(number, rate, BINARY.counting));
    } else if text.starts_with("Errors: total") {
        outcomes.add(number, count("total ").unwrap_or(0), RequestOutcome::Failed);
    }
}

/// Options that are told: others may be secret.
const TOLD: &[&str] = &[
    "server",
    "port",
    "uri",
    "rate",
    "num-conns",
    "num-calls",
    "timeout",
    "wsess",
    "wsesslog",
    "burst-length",
];

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    for word in &result.command {
        let Some((name, value)) = word.strip_prefix("--").and_then(|word| word.split_once('=')) else {
            continue;
        };
        if TOLD.contains(&name) {
            result.options.insert(name.to_owned(), value.to_owned());
        }
    }
    let pairs = result.command.windows(2).filter_map(|pair| match pair {
        [name, value] => Some((name.strip_prefix("--")?, value)),
        _ => None,
    });
    for (name, value) in pairs {
        if TOLD.contains(&name) && !value.starts_with('-') {
            result.options.insert(name.to_owned(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPTURE: &str = include_str!("../../../tests/tool/fixtures/httperf/httperf-0.9.0-calls.out");

    #[test]
    fn what_was_reset_has_failed() {
        let output = crate::tool::read("", CAPTURE.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!(
            (value(metric::ERROR_SHARE), value(metric::REQUESTS_PER_SECOND)),
            (Some(0.5), Some(970.9))
        );
        assert_eq!((result.options["num-calls"].as_str(), result.disagreements.len()), ("5", 0));
    }

    #[test]
    fn what_its_counts_determine_is_held_against_them() {
        let wrong = |from: &str, to: &str| {
            assert!(CAPTURE.contains(from), "{from}");
            crate::tool::read("", CAPTURE.replacen(from, to, 1).as_bytes()).unwrap().results[0]
                .disagreements
                .len()
        };
        for (from, to) in [
            ("485.5 conn/s", "885.5 conn/s"),
            ("(1.0 ms/req", "(5.0 ms/req"),
            ("2xx=20", "2xx=25"),
            ("(total 4240.0)", "(total 5240.0)"),
            ("connreset 20", "connreset 10"),
        ] {
            assert!(wrong(from, to) > 0, "{to}");
        }
    }
}
