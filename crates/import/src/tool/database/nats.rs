//! `nats bench`: the statistics of publishers and subscribers. Its early versions call 1048576 bytes a megabyte
//! (`bench.HumanBytes` of nats.go), late ones a mebibyte.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, plain, quantity, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Nats;

const NAME: &str = "nats-bench";

const RULES: &[CountingRule] = &[CountingRule {
    tool: NAME,
    versions: "before 0.2",
    units: "MB/sec",
    counting: Counting::Binary,
    proof: "bench/bench.go of nats.go, HumanBytes: `base := 1024`, `post := \"B\"`, where si is false, as Sample.String has it",
}];

/// What the word before `stats:` says.
const WHOSE: &[&str] = &[
    "Pub",
    "Sub",
    "Pub/Sub",
    "publisher",
    "subscriber",
    "requestor",
    "replier",
    "consumer",
    "putter",
    "getter",
    "stats",
];

/// Options whose values are told.
const TOLD: &[&str] = &["pub", "sub", "msgs", "size", "clients"];

impl ToolReader for Nats {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the statistics of nats bench, and of nats-bench; publishers and subscribers are parts"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["nats", NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[" stats: "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        heading(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_next = !before.is_empty() && heading(text).is_some_and(|(name, _)| name.starts_with("NATS"));
        let is_row =
            ["[", "min ", "message rates ", "avg latencies "].iter().any(|start| text.starts_with(start));
        let belongs = heading(text).is_some() || is_row || last.is_blank();
        if belongs && !is_next { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        let mut own: Option<ToolMeasurement> = None;
        for line in block.lines {
            if let Some((name, rest)) = heading(&line.text) {
                let measured = rates(line.number, rest);
                match own {
                    None => own = Some(measured),
                    Some(_) => result.parts.push(part(ToolPartKind::Direction, name, measured)),
                }
            } else if let Some((name, rest)) =
                line.text.trim().strip_prefix('[').and_then(|row| row.split_once("] "))
            {
                result.parts.push(part(ToolPartKind::Thread, name, rates(line.number, rest)));
            }
        }
        result.whole = own.unwrap_or_default();
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let command = std::mem::take(&mut result.command);
        for (at, word) in command.iter().enumerate() {
            let (name, value) =
                word.trim_start_matches('-').split_once('=').unwrap_or((word.trim_start_matches('-'), ""));
            let value = if value.is_empty() { command.get(at + 1).map_or("", String::as_str) } else { value };
            if word.starts_with("--") && TOLD.contains(&name) && !value.is_empty() {
                result.options.insert(name.to_owned(), value.to_owned());
            }
        }
        result.command = command;
        Ok(vec![result])
    }
}

fn part(kind: ToolPartKind, name: &str, measured: ToolMeasurement) -> ToolPart {
    ToolPart { kind, name: name.to_owned(), start_s: None, measured }
}

/// `NATS Pub/Sub stats: 4,001,234 msgs/sec ~ 488.43 MB/sec`.
fn heading(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.trim().split_once(" stats: ")?;
    let whose = name.split(' ').next_back()?;
    (WHOSE.contains(&whose) && rest.contains(" msgs/sec ~ ")).then_some((name, rest))
}

/// `2,012,345 msgs/sec ~ 245.65 MB/sec`; behind it how long a message took, or how many there were.
fn rates(line: u64, text: &str) -> ToolMeasurement {
    let mut measured = ToolMeasurement::default();
    for cell in text.split(" ~ ") {
        // Digits are parted by thousands.
        let Some(number) = leading(cell, true) else { continue };
        let unit = number.rest.trim().split(' ').next().unwrap_or_default();
        let plain_digits = number.digits.replace(',', "");
        match unit {
            "msgs/sec" => {
                let text = format!("{} msgs/sec", number.digits);
                let rate = PrintedValue {
                    half_step: number.half_step,
                    ..plain(line, text, number.value, Unit::PerSecond)
                };
                measured.add(metric::OPERATIONS_PER_SECOND, Some(rate));
            }
            "us" | "ms" | "s" | "ns" => measured.add(metric::LATENCY_MEAN, time(line, &plain_digits, unit)),
            rate => {
                let rate = quantity(line, &format!("{plain_digits} {rate}"), Counting::Binary);
                measured.add(metric::THROUGHPUT, rate.filter(|rate| rate.unit == Unit::BytesPerSecond));
            }
        }
    }
    let count = text.split_once('(').and_then(|(_, inside)| leading(inside, true));
    let count = count.filter(|count| count.rest.trim_start().starts_with("msgs)"));
    measured.operations = count.map(|count| exact(line, count.value as u64, Unit::One));
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_parted_and_a_megabyte_is_of_1024() {
        let text = "NATS Pub/Sub stats: 4,001,234 msgs/sec ~ 488.43 MB/sec\n Pub stats: 2,012,345 msgs/sec ~ 245.65 MB/sec\n  \
            [1] 1,006,172 msgs/sec ~ 122.82 MB/sec (500000 msgs)\n  min 1,006,172 | avg 1,006,172 | max 1,006,172 | stddev 0 msgs\n \
            Sub stats: 2,000,617 msgs/sec ~ 244.22 MB/sec\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        let value = |name| result.whole.figure(name).map(|printed| printed.value);
        assert_eq!(value(metric::OPERATIONS_PER_SECOND), Some(4_001_234.0));
        assert_eq!(value(metric::THROUGHPUT), Some(488.43 * 1_048_576.0));
        assert_eq!(result.parts.len(), 3);
        assert_eq!(result.parts[1].measured.operations.as_ref().map(|all| all.value), Some(500_000.0));
    }

    #[test]
    fn late_versions_have_a_latency() {
        let text = "$ nats bench pub foo --size=16 --msgs 1000000\nNATS Core NATS publisher stats: 14,786,683 msgs/sec ~ 226 MiB/sec ~ 0.07us\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        let value = |name| result.whole.figure(name).map(|printed| printed.value);
        assert_eq!(value(metric::THROUGHPUT), Some(226.0 * 1_048_576.0));
        assert!(value(metric::LATENCY_MEAN).is_some_and(|mean| (mean - 7e-8).abs() < 1e-15));
        assert_eq!((&*result.options["size"], &*result.options["msgs"]), ("16", "1000000"));
    }
}
