//! RabbitMQ's PerfTest: its lines of each second, and those of all at its end. Latencies are in microseconds, or in
//! milliseconds with `--use-millis`.

use model::database::metric::RECEIVED_MESSAGES_PER_SECOND;
use model::tool_result::{Counting, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit};

use super::mean;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{count, leading, time};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct RabbitMq;

const NAME: &str = "rabbitmq-perf-test";

/// What stands before the name of a test.
const START: &str = "id: ";

/// Rates, by what stands before them: in each second, and at the end.
const RATES: &[(&str, &str, MetricName)] = &[
    ("sent: ", "sending rate avg: ", MetricName::new("sent_messages_per_second")),
    ("received: ", "receiving rate avg: ", RECEIVED_MESSAGES_PER_SECOND),
    ("confirmed: ", "confirm rate avg: ", MetricName::new("confirmed_messages_per_second")),
];

/// Options whose values are told, with our names.
const TOLD: &[(&[&str], &str)] = &[
    (&["-x", "--producers"], "producers"),
    (&["-y", "--consumers"], "consumers"),
    (&["-s", "--size"], "message-size"),
    (&["-r", "--rate"], "rate"),
    (&["-z", "--time"], "time"),
    (&["-c", "--confirm"], "confirm"),
];

impl ToolReader for RabbitMq {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the lines of RabbitMQ's PerfTest, of each second and of all at its end"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["perf-test", "runjava", "PerfTest"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[START]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        own(line).filter(|own| is_second(own) || is_end(own)).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_after_end = || before.last().and_then(own).is_some_and(|own| is_end(&own));
        let belongs = match own(last) {
            Some(own) if is_second(&own) => !is_after_end(),
            Some(_) => true,
            None => text.starts_with("test stopped") || last.is_blank(),
        };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            let Some(own) = own(line) else { continue };
            if is_end(&own) {
                result.name.get_or_insert_with(|| own.0.to_owned());
                take(line.number, own.1, &mut result.whole);
            } else if is_second(&own) {
                let mut measured = ToolMeasurement::default();
                take(line.number, own.1, &mut measured);
                let name = (result.parts.len() + 1).to_string();
                result.parts.push(ToolPart { kind: ToolPartKind::Interval, name, start_s: None, measured });
            }
        }
        if result.whole.is_empty() {
            // It was stopped before its end.
            result.whole =
                mean(&result.parts, &RATES.iter().map(|(_, _, metric)| *metric).collect::<Vec<_>>());
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let command = std::mem::take(&mut result.command);
        for (word, next) in command.iter().zip(command.iter().skip(1)) {
            let told = TOLD.iter().find(|(options, _)| options.contains(&word.as_str()));
            result.options.extend(told.map(|(_, name)| ((*name).to_owned(), next.clone())));
        }
        result.command = command;
        Ok(vec![result])
    }
}

/// The name of a test, and what stands behind it.
fn own(line: &ToolLine) -> Option<(&str, &str)> {
    line.text.trim().strip_prefix(START)?.split_once(", ")
}

fn is_second(own: &(&str, &str)) -> bool {
    own.1.starts_with("time") && own.1.contains(" msg/s")
}

fn is_end(own: &(&str, &str)) -> bool {
    RATES.iter().any(|(_, end, _)| own.1.starts_with(end)) || own.1.starts_with("consumer latency min/")
}

/// Takes the rates of a line, and its latencies: `min/median/75th/95th/99th consumer latency: 2094/93041/1/2/3 µs`.
fn take(line: u64, text: &str, measured: &mut ToolMeasurement) {
    for cell in text.split(", ") {
        for (second, end, metric) in RATES {
            let rate = cell.strip_prefix(second).or_else(|| cell.strip_prefix(end));
            let rate = rate.and_then(|rate| rate.trim().strip_suffix("msg/s"));
            measured
                .add(*metric, rate.and_then(|rate| count(line, rate, Counting::Decimal, Unit::PerSecond)));
        }
        latencies(line, cell, measured);
    }
}

fn latencies(line: u64, cell: &str, measured: &mut ToolMeasurement) {
    // Those of confirms stand beside those of consumers, which are of the whole way.
    let Some(ranks) = cell.split_whitespace().find(|word| word.starts_with("min/")) else { return };
    if !cell.contains("consumer latency") || cell.contains("confirm") {
        return;
    }
    let mut words = cell.split_whitespace().rev();
    let (Some(unit), Some(values)) = (words.next(), words.next()) else { return };
    for (rank, value) in ranks.split('/').zip(values.split('/')) {
        if let (Some(metric), Some(_)) = (statistic(rank), leading(value, false)) {
            measured.add(metric, time(line, value, unit));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::metric;

    #[test]
    fn the_end_counts_and_its_latencies_have_their_unit() {
        let text = "id: test 1, starting consumer #0\n\
             id: test 1, time: 1.000s, sent: 24810 msg/s, received: 22110 msg/s, min/median/75th/95th/99th consumer latency: 2094/93041/130000/161000/165000 \u{b5}s\n\
             id: test 1, time 2.000 s, sent: 25002 msg/s, received: 24901 msg/s, min/median/75th/95th/99th consumer latency: 2/93/130/161/165 ms\n\
             test stopped (Reached time limit)\nid: test 1, sending rate avg: 25004 msg/s\nid: test 1, receiving rate avg: 24037 msg/s\n\
             id: test 1, consumer latency min/median/75th/95th/99th 2094/153041/170000/181000/195000 \u{b5}s\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        let value = |name| result.whole.figure(name).map(|printed| printed.value);
        assert_eq!(value(MetricName::new("sent_messages_per_second")), Some(25_004.0));
        assert_eq!(value(RECEIVED_MESSAGES_PER_SECOND), Some(24_037.0));
        assert!(value(metric::LATENCY_P99).is_some_and(|tail| (tail - 0.195).abs() < 1e-12));
        let second = result.parts[1].measured.figure(metric::LATENCY_P50).map(|median| median.value);
        assert_eq!((result.parts.len(), second), (2, Some(0.093)));
        let stopped: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
        let result = crate::tool::read("", stopped.as_bytes()).unwrap().results.remove(0);
        let sent = result.whole.figure(MetricName::new("sent_messages_per_second")).map(|sent| sent.value);
        assert_eq!(sent, Some(24_906.0));
    }
}
