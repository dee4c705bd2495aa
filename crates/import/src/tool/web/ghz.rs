//! ghz: the summary of its calls over gRPC. It is laid out as that of hey, with the number of calls, units that change
//! from line to line, and codes of gRPC instead of those of HTTP.

use model::tool_result::{Counting, ToolMeasurement, ToolResult};
use model::{Unit, metric};

use super::outcome::{RequestOutcome, RequestOutcomes};
use super::{CommandOptions, behind, span};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::percentile;
use crate::tool::number::{count, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ghz;

const NAME: &str = "ghz";

/// What it calls an error of a call that was open when it closed its connections at the end (`-z` without waiting).
const CLOSED: &[&str] = &["transport is closing", "client connection is closing"];

/// Whether a line is `Count:  200`, which no other summary of this layout has.
pub(super) fn is_count(line: &ToolLine) -> bool {
    behind(&line.text, "Count").and_then(whole).is_some_and(|(_, rest)| rest.is_empty())
}

impl ToolReader for Ghz {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of ghz"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no bytes.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Summary:"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (line.text == "Summary:").then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        super::oha::Oha.extent(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        if !block.lines.iter().any(is_count) {
            return Err(NotUnderstood::OtherText);
        }
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut calls = Calls::default();
        for line in block.lines {
            take(line, &mut result.whole, &mut calls);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let outcomes = calls.outcomes();
        result.whole.operations = outcomes.operations();
        result.whole.add(metric::ERROR_SHARE, outcomes.error_share());
        options(&mut result);
        Ok(vec![result])
    }
}

/// How the calls ended.
#[derive(Default)]
struct Calls {
    line: u64,
    good: u64,
    others: u64,
    closed: u64,
}

impl Calls {
    fn outcomes(&self) -> RequestOutcomes {
        let closed = self.closed.min(self.others);
        let mut outcomes = RequestOutcomes::default();
        outcomes.add(self.line, self.good, RequestOutcome::of_status(200));
        outcomes.add(self.line, self.others - closed, RequestOutcome::Failed);
        outcomes.add(self.line, closed, RequestOutcome::Unfinished);
        outcomes
    }
}

/// Reads a line.
fn take(line: &ToolLine, measured: &mut ToolMeasurement, calls: &mut Calls) {
    let number = line.number;
    let text = line.text.trim();
    let time = |label: &str| span(number, behind(text, label)?);
    if let Some(window) = time("Total") {
        measured.window = Some(window);
    } else if let Some(rate) = behind(text, "Requests/sec") {
        measured.add(metric::REQUESTS_PER_SECOND, count(number, rate, Counting::Decimal, Unit::PerSecond));
    } else if let Some((percent, value)) = text.split_once(" in ").filter(|(rank, _)| rank.ends_with('%')) {
        if let Some(metric) = percentile(percent.trim_end_matches('%').trim()) {
            measured.add(metric, span(number, value));
        }
    } else if let Some((code, rest)) = text.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        match (whole(rest.trim()), code.parse::<u64>()) {
            (Some((calls_of_code, words)), Err(_)) if words.trim_start().starts_with("response") => {
                calls.line = number;
                let place = match code {
                    "OK" => &mut calls.good,
                    _ => &mut calls.others,
                };
                *place = place.saturating_add(calls_of_code);
            }
            (_, Ok(errors)) if CLOSED.iter().any(|closed| rest.contains(closed)) => {
                calls.closed = calls.closed.saturating_add(errors);
            }
            _ => {}
        }
    } else {
        measured.add(metric::LATENCY_MEAN, time("Average"));
        measured.add(metric::LATENCY_MAX, time("Slowest"));
    }
}

const WITH_VALUE: &[&str] = &[
    "proto",
    "protoset",
    "call",
    "i",
    "import-paths",
    "cacert",
    "cert",
    "key",
    "cname",
    "config",
    "c",
    "concurrency",
    "connections",
    "n",
    "total",
    "r",
    "rps",
    "z",
    "duration",
    "x",
    "max-duration",
    "t",
    "timeout",
    "d",
    "data",
    "D",
    "data-file",
    "b",
    "binary",
    "B",
    "binary-file",
    "m",
    "metadata",
    "M",
    "metadata-file",
    "o",
    "output",
    "O",
    "format",
    "cpus",
    "name",
    "skipFirst",
    "tags",
    "async",
];

/// Options whose values are told: others may be secret.
const TOLD: &[(&str, &str)] = &[
    ("call", "call"),
    ("c", "c"),
    ("concurrency", "c"),
    ("connections", "connections"),
    ("n", "n"),
    ("total", "n"),
    ("r", "rps"),
    ("rps", "rps"),
    ("z", "z"),
    ("duration", "z"),
];

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    given.tell(TOLD, result);
}

#[cfg(test)]
mod tests {
    use super::*;

    // In the form that ghz prints; not captured.
    const SUMMARY: &str = "$ ghz --insecure --call helloworld.Greeter.SayHello -c 50 -n 200 0.0.0.0:50051\n\nSummary:\n  \
                           Count:\t200\n  Total:\t181.57 ms\n  Slowest:\t69.60 ms\n  Fastest:\t26.09 ms\n  Average:\t32.01 ms\n  \
                           Requests/sec:\t1101.53\n\nResponse time histogram:\n  26.093 [1]   |\n  30.444 [53]  |∎∎∎\n\n\
                           Latency distribution:\n  10 % in 28.48 ms \n  99 % in 69.60 ms \n\nStatus code distribution:\n  \
                           [OK]            198 responses   \n  [Unavailable]   2 responses   \n\nError distribution:\n  \
                           [1]   rpc error: code = Unavailable desc = transport is closing   \n  \
                           [1]   rpc error: code = Unavailable desc = connection refused   \n";

    #[test]
    fn calls_times_and_codes_are_read() {
        let flat: Vec<&str> = SUMMARY.lines().map(str::trim_start).collect();
        for text in [SUMMARY.to_owned(), flat.join("\n")] {
            let output = crate::tool::read("", text.as_bytes()).unwrap();
            let [result] = output.results.as_slice() else { panic!("{output:?}") };
            let value = |name| result.whole.figure(name).map(|figure| (figure.value * 1e6).round() / 1e6);
            assert_eq!((result.tool.as_str(), output.unread.len()), ("ghz", 0));
            assert_eq!(
                (value(metric::LATENCY_MEAN), value(metric::LATENCY_P99)),
                (Some(0.032_01), Some(0.0696))
            );
            assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(0.181_57));
            // One call was open when the client closed its connections.
            assert_eq!(value(metric::ERROR_SHARE).map(|share| (share * 1e4).round()), Some(50.0));
            assert_eq!((result.options["c"].as_str(), result.options["n"].as_str()), ("50", "200"));
        }
    }
}
