//! Measurements against speedtest.net: speedtest-cli (its text, with --simple or without, and its JSON) and the program
//! of Ookla (its text and its JSON). What came in and what went out were measured one after the other.

use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};
use serde_json::Value;

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{percent, plain, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Speedtest;

const NAME: &str = "speedtest";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "speedtest-cli 1.x and 2.x; Ookla 1.x",
    units: "Mbit/s, Mbyte/s; Mbps",
    counting: Counting::Decimal,
    proof: "speedtest-2.1.3-from-source: its speedtest.py prints bits a second / 1000.0 / 1000.0, and with --bytes divides by 8 \
            before that",
};

const RULES: &[CountingRule] = &[BITS];

/// The round trip while nothing else is sent.
const IDLE_LATENCY: MetricName = MetricName::new("idle_latency");

/// Lines of speedtest-cli that it may begin with.
const HEADS: &[&str] = &["Retrieving speedtest.net configuration", "Retrieving speedtest.net server list"];

/// What other lines of it begin with.
const LINES: &[&str] = &[
    "Testing from ",
    "Selecting best server ",
    "Hosted by ",
    "Testing download speed",
    "Testing upload speed",
    "Ping: ",
    "Download: ",
    "Upload: ",
    "Share results: ",
];

/// What those of Ookla begin with, behind blanks.
const OF_OOKLA: &[&str] = &[
    "Speedtest by Ookla",
    "Server: ",
    "ISP: ",
    "Latency: ",
    "Idle Latency: ",
    "Download: ",
    "Upload: ",
    "Packet Loss: ",
    "Result URL: ",
];

impl ToolReader for Speedtest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the text and the JSON of speedtest-cli and of Ookla's speedtest"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["speedtest", "speedtest-cli"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[HEADS, &["Speedtest by Ookla", "Ping: ", "Download: ", "Upload: "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim_start();
        if text == "Speedtest by Ookla" || HEADS.iter().any(|head| text.starts_with(head)) {
            return Some(Beginning::Certain);
        }
        // With --simple.
        let is_rate =
            |label: &str| text.strip_prefix(label).is_some_and(|rest| rate(line.number, rest).is_some());
        let is_ping = || text.strip_prefix("Ping: ").is_some_and(|rest| rest.ends_with(" ms"));
        (is_ping() || is_rate("Download: ") || is_rate("Upload: ")).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim_start();
        let begins_anew =
            text == "Speedtest by Ookla" || text.starts_with(HEADS[0]) || text.starts_with("Ping: ");
        if begins_anew && !before.is_empty() {
            return Extent::EndsBefore;
        }
        let lists = [HEADS, LINES, OF_OOKLA];
        let is_line = lists.iter().any(|list| list.iter().any(|beginning| text.starts_with(beginning)));
        // The latency while it is loaded stands below a rate.
        let is_below = text.contains(" ms ") && text.contains("(jitter: ");
        if last.is_blank() || is_line || is_below { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        let has = |keys: &[&str]| keys.iter().all(|key| text.contains(key));
        has(&["\"download\"", "\"upload\"", "\"ping\"", "\"server\""])
            && (has(&["\"bytes_received\""]) || has(&["\"bandwidth\""]))
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{')) {
            json(block, &mut result)?;
        } else {
            block.lines.iter().for_each(|line| take(line, &mut result));
            if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
                result.lines.last = last.number;
            }
            if result.version.is_none() && result.whole.figures.len() < 2 && !block.lines.iter().any(is_sure)
            {
                return Err(NotUnderstood::OtherText);
            }
        }
        let rates = [metric::RECEIVE_THROUGHPUT, metric::SEND_THROUGHPUT];
        if rates.iter().all(|rate| result.whole.figure(*rate).is_none()) {
            return Err(NotUnderstood::CutShort);
        }
        Ok(vec![result])
    }
}

/// Whether a line tells whose rate stands below it: any program may print `Download: 93.21 Mbit/s`.
fn is_sure(line: &ToolLine) -> bool {
    let text = line.text.trim_start();
    text.starts_with("Ping: ")
        || text.contains("(data used: ")
        || HEADS.iter().any(|head| text.starts_with(head))
}

/// Takes what stands on a line.
fn take(line: &ToolLine, result: &mut ToolResult) {
    let (text, number) = (line.text.trim(), line.number);
    let ms = |text: &str| {
        let end = text.find(" ms").map(|at| at + 3)?;
        quantity(number, text.get(..end)?, Counting::Decimal)
    };
    let whole = &mut result.whole;
    if text == "Speedtest by Ookla" {
        result.version = Some("Ookla".to_owned());
    } else if let Some(rest) = text.strip_prefix("Download: ") {
        whole.add(metric::RECEIVE_THROUGHPUT, rate(number, rest));
    } else if let Some(rest) = text.strip_prefix("Upload: ") {
        whole.add(metric::SEND_THROUGHPUT, rate(number, rest));
    } else if let Some(rest) = text.strip_prefix("Packet Loss: ") {
        whole.add(metric::LOSS, percent(number, rest));
    } else if let Some(rest) =
        ["Ping: ", "Latency: ", "Idle Latency: "].iter().find_map(|l| text.strip_prefix(l))
    {
        whole.add(IDLE_LATENCY, ms(rest));
        // `(0.15 ms jitter)` or `(jitter: 0.15ms, low: 4.38ms, high: 4.67ms)`.
        let inside = rest.split_once('(').map(|(_, inside)| inside);
        let jitter = inside.and_then(|inside| {
            let first = inside.split([',', ')']).next()?;
            let first = first.strip_prefix("jitter:").or_else(|| first.strip_suffix(" jitter"))?;
            quantity(number, first, Counting::Decimal)
        });
        whole.add(metric::JITTER, jitter);
    } else if text.starts_with("Hosted by ")
        && let Some((_, time)) = text.rsplit_once("]: ")
    {
        whole.add(IDLE_LATENCY, ms(time));
    }
}

/// `93.21 Mbit/s`, `11.65 Mbyte/s`, `941.22 Mbps (data used: 424.2 MB)`.
fn rate(line: u64, text: &str) -> Option<PrintedValue> {
    let text = text.split('(').next()?.trim();
    let printed = quantity(line, text, BITS.counting)?;
    (printed.unit == Unit::BytesPerSecond).then_some(printed)
}

/// Reads the JSON. That of speedtest-cli has bits a second, that of Ookla bytes a second.
fn json(block: &ToolBlock<'_>, result: &mut ToolResult) -> Result<(), NotUnderstood> {
    let document: Value = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    let line = block.range().first;
    let printed = |value: &Value, scale: f64, unit: Unit| {
        let number = value.as_f64()?;
        Some(plain(line, number.to_string(), number * scale, unit))
    };
    let is_ookla = document["download"].is_object();
    result.version = is_ookla.then(|| "Ookla".to_owned());
    result.moment = document["timestamp"].as_str().map(str::to_owned);
    let whole = &mut result.whole;
    for (key, metric) in [("download", metric::RECEIVE_THROUGHPUT), ("upload", metric::SEND_THROUGHPUT)] {
        let rate = &document[key];
        whole.add(
            metric,
            match is_ookla {
                true => printed(&rate["bandwidth"], 1.0, Unit::BytesPerSecond),
                false => printed(rate, 0.125, Unit::BytesPerSecond),
            },
        );
    }
    let ping = &document["ping"];
    let latency = if is_ookla { &ping["latency"] } else { ping };
    whole.add(IDLE_LATENCY, printed(latency, 1e-3, Unit::Seconds));
    whole.add(metric::JITTER, printed(&ping["jitter"], 1e-3, Unit::Seconds));
    whole.add(metric::LOSS, printed(&document["packetLoss"], 0.01, Unit::One));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::network::lines;

    fn read(text: &str) -> Result<ToolResult, NotUnderstood> {
        Speedtest.read(&ToolBlock { lines: &lines(text), command: None }).map(|mut all| all.remove(0))
    }

    #[test]
    fn bits_and_bytes_are_of_thousands() {
        let value = |text: &str| rate(1, text).map(|rate| rate.value);
        assert_eq!(value("80.00 Mbit/s"), Some(10e6));
        assert_eq!(value("10.00 Mbyte/s"), Some(10e6));
        assert_eq!(value("  80.00 Mbps (data used: 424.2 MB)"), Some(10e6));
        assert_eq!(value("80 MB"), None);
    }

    #[test]
    fn one_json_has_bits_and_the_other_bytes() {
        let bits = "{\"download\": 80000000.0, \"upload\": 8000000.0, \"ping\": 15.5, \"server\": {}, \"bytes_received\": 5}";
        let bytes = "{\"type\":\"result\",\"ping\":{\"jitter\":0.5,\"latency\":15.5},\"download\":{\"bandwidth\":10000000},\
                     \"upload\":{\"bandwidth\":1000000},\"server\":{}}";
        for text in [bits, bytes] {
            let read = read(text).unwrap();
            let figure = |name| read.whole.figure(name).map(|figure| figure.value);
            assert_eq!(figure(metric::RECEIVE_THROUGHPUT), Some(10e6), "{text}");
            assert_eq!(figure(metric::SEND_THROUGHPUT), Some(1e6), "{text}");
            assert!((figure(IDLE_LATENCY).unwrap() - 0.0155).abs() < 1e-12);
            assert!(Speedtest.knows_json(text));
        }
    }

    #[test]
    fn without_rates_it_was_cut() {
        assert_eq!(read("Ping: 15.5 ms\n").unwrap_err(), NotUnderstood::CutShort);
    }

    #[test]
    fn one_rate_alone_may_be_of_any_program() {
        assert_eq!(read("Download: 93.21 Mbit/s\n").unwrap_err(), NotUnderstood::OtherText);
        for text in
            ["Ping: 15.5 ms\nDownload: 93.21 Mbit/s\n", "Download: 93.21 Mbit/s\nUpload: 9.5 Mbit/s\n"]
        {
            assert!(read(text).is_ok(), "{text}");
        }
    }
}
