//! irtt: the table at its end, and its JSON. A round trip has the time in the server taken out; delays one way are by two clocks.

use serde_json::Value;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::arithmetic::{FigureSheet, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Irtt;

const NAME: &str = "irtt";

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.9",
    units: "Kbps, Mbps",
    counting: Counting::Decimal,
    proof: "irtt-0.9.0-quiet: 16512 bytes in 1.98 s are 66.7 thousand bits a second, and 65.2 of 1024; it prints `66.7 Kbps`",
};

const RULES: &[CountingRule] = &[DECIMAL];

/// Its rows, with what each is of, and the name in its JSON.
const ROWS: &[(&str, &str, &str)] = &[
    ("RTT", "rtt", "latency"),
    ("send delay", "send_delay", "send_delay"),
    ("receive delay", "receive_delay", "receive_delay"),
    ("IPDV (jitter)", "ipdv_round_trip", "delay_variation"),
];

/// Its columns, with the ends of our names.
const COLUMNS: &[(&str, &str)] =
    &[("Min", "min"), ("Mean", "mean"), ("Median", "p50"), ("Max", "max"), ("Stddev", "stddev")];

impl ToolReader for Irtt {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table that irtt prints at its end, and its JSON"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["[Connecting] connecting to ", "seq=", "Mean"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_answer = text.starts_with("seq=") && text.contains(" rtt=") && text.contains(" rd=");
        (text.starts_with("[Connecting] connecting to ") || is_answer || is_heading(text))
            .then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if text.starts_with("[Connecting] ") && !before.is_empty() {
            return Extent::EndsBefore;
        }
        if text.starts_with("timer stats:") {
            return Extent::EndsHere;
        }
        let is_own = last.is_blank()
            || last.is_indented()
            || text.starts_with("seq=")
            || text.starts_with('[') && (text.contains("] [") || text.starts_with("[Connecting]"));
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        text.contains("\"irtt\"") && text.contains("\"json_format\"")
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        if let Some((line, rest)) = sheet.behind("packets sent/received:").next() {
            let count = |at: usize| nth_of(line, rest, at).exact();
            let lost = (&(&count(0) - &count(1)) / &count(0)).scaled(100.0);
            sheet.equal(&nth_of(line, rest, 2).cut(), lost, 0.0);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        let is_json = block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{'));
        if is_json {
            of_json(block, &mut result).ok_or(NotUnderstood::OtherText)?;
        } else {
            of_text(block.lines, &mut result);
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// `                        Min    Mean  Median      Max  Stddev`.
fn is_heading(text: &str) -> bool {
    text.split_whitespace().eq(COLUMNS.iter().map(|(name, _)| *name))
}

/// The text from a heading's columns: each value ends where its heading does, but for a letter of its unit.
fn of_text(lines: &[ToolLine], result: &mut ToolResult) {
    let mut ends: Vec<(usize, &str)> = Vec::new();
    for line in lines {
        let (number, text) = (line.number, line.text.trim());
        if is_heading(text) {
            let end = |(name, own): &(&str, &'static str)| {
                let at = line.text.find(name)?;
                Some((line.text.get(..at + name.len())?.chars().count(), *own))
            };
            ends = COLUMNS.iter().filter_map(end).collect();
        } else if let Some((label, _, name)) = ROWS.iter().find(|(label, ..)| text.starts_with(label)) {
            row(&line.text, number, label, name, &ends, &mut result.whole);
        } else if let Some((name, value)) = text.split_once(": ") {
            summary(number, name, value, result);
        }
    }
}

fn row(
    text: &str,
    line: u64,
    label: &str,
    name: &str,
    ends: &[(usize, &str)],
    whole_of: &mut ToolMeasurement,
) {
    let Some((before, rest)) = text.split_once(label) else { return };
    let mut at = before.chars().count() + label.chars().count();
    for word in rest.split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.chars().count();
        let value = word.trim();
        if value.is_empty() {
            continue;
        }
        let end = start + value.chars().count();
        let nearest = ends.iter().min_by_key(|(own, _)| own.abs_diff(end));
        let metric = nearest.and_then(|(_, column)| MetricName::intern(&format!("{name}_{column}")));
        if let Some(metric) = metric {
            whole_of.add(metric, quantity(line, value, Counting::Decimal));
        }
    }
}

/// What stands below the table.
fn summary(line: u64, name: &str, value: &str, result: &mut ToolResult) {
    let whole_of = &mut result.whole;
    match name.trim() {
        "duration" => {
            let seconds = value.split(' ').next().unwrap_or_default();
            whole_of.window = quantity(line, seconds, Counting::Decimal);
        }
        "packets sent/received" => {
            let counts =
                value.split_once('/').and_then(|(sent, rest)| Some((whole(sent)?.0, whole(rest)?.0)));
            if let Some((sent, received)) = counts {
                count(line, sent, received, whole_of);
            }
        }
        "send/receive rate" => {
            for (name, rate) in
                [metric::SEND_THROUGHPUT, metric::RECEIVE_THROUGHPUT].into_iter().zip(value.split(" / "))
            {
                whole_of.add(name, quantity(line, rate.trim(), DECIMAL.counting));
            }
        }
        "packet length" => {
            let length = whole(value).map(|(length, _)| length.to_string());
            result.options.extend(length.map(|length| ("length".to_owned(), length)));
        }
        _ => {}
    }
}

fn count(line: u64, sent: u64, received: u64, whole_of: &mut ToolMeasurement) {
    whole_of.operations = Some(exact(line, received, Unit::One));
    if sent > 0 {
        let lost = sent.saturating_sub(received);
        let share = lost as f64 / sent as f64;
        whole_of.add(metric::LOSS, Some(plain(line, format!("{lost}/{sent}"), share, Unit::One)));
    }
}

/// Its JSON, in nanoseconds.
fn of_json(block: &ToolBlock<'_>, result: &mut ToolResult) -> Option<()> {
    let document: Value = serde_json::from_str(&block.text()).ok()?;
    let line = block.range().first;
    result.version = document.pointer("/version/irtt").and_then(Value::as_str).map(str::to_owned);
    let length = document.pointer("/config/params/length").and_then(Value::as_u64);
    result.options.extend(length.map(|length| ("length".to_owned(), length.to_string())));
    let stats = document.get("stats")?;
    let nanoseconds = |value: &Value| -> Option<PrintedValue> {
        let value = value.as_f64()?;
        Some(plain(line, format!("{value} ns"), value / 1e9, Unit::Seconds))
    };
    result.whole.window = stats.get("duration").and_then(nanoseconds);
    for (_, key, name) in ROWS {
        let Some(own) = stats.get(key) else { continue };
        for (key, end) in
            [("min", "min"), ("mean", "mean"), ("median", "p50"), ("max", "max"), ("stddev", "stddev")]
        {
            if let Some(metric) = MetricName::intern(&format!("{name}_{end}")) {
                result.whole.add(metric, own.get(key).and_then(nanoseconds));
            }
        }
    }
    let number = |name: &str| stats.get(name).and_then(Value::as_u64);
    count(line, number("packets_sent")?, number("packets_received")?, &mut result.whole);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: &str = include_str!("../../../tests/tool/fixtures/irtt/irtt-0.9.0-quiet.out");

    #[test]
    fn columns_without_a_median_are_told_apart() {
        let results = crate::tool::read("", QUIET.as_bytes()).unwrap().results;
        let value = |name| results[0].whole.figure(MetricName::new(name)).map(|figure| figure.text.clone());
        assert_eq!(value("latency_p50").as_deref(), Some("106µs"));
        assert_eq!(value("latency_max").as_deref(), Some("36.09ms"));
        assert_eq!(results[0].options["length"], "172");
        assert_eq!(results[0].disagreements.len(), 0);
        let wrong = QUIET.replacen("96/96 (0.00% loss)", "96/90 (0.00% loss)", 1);
        assert_eq!(crate::tool::read("", wrong.as_bytes()).unwrap().results[0].disagreements.len(), 1);
    }
}
