//! ioping: its statistics, their raw form and its JSON. Its rates are of the time in requests alone; how
//! long it ran, with the pauses between them, is a phase of its own.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{
    Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolRemedy, ToolResult,
};
use model::{MetricName, Unit, metric};
use serde::Deserialize;

use super::ioping_work::{self, options};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, exact, leading, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ioping;

const NAME: &str = "ioping";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "all; until 0.6 kb/s, mb/s and gb/s",
    units: "KiB/s, MiB/s, GiB/s",
    counting: Counting::Binary,
    proof: "ioping-1.3-write: 8 KiB in 676.7 us are 11.5 MiB/s and 12.1 decimal MB/s; it prints 11.5 MiB/s",
};

const COUNTS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "k and M of requests and iops",
    counting: Counting::Decimal,
    proof: "ioping-1.3-requests: 4 requests in 1.26 ms are 3175 a second, and it prints `3.17 k iops`, which with 1024 were \
            3246",
};

const RULES: &[CountingRule] = &[BYTES, COUNTS];

impl ToolReader for Ioping {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the statistics of ioping, its raw statistics (-B, -p) and its JSON"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["ioping"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[": request=", " ioping statistics ---"]]).or_number()
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if is_request(&line.text) || target(&line.text).is_some() {
            return Some(Beginning::Certain);
        }
        raw(line).map(|_| Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let Some(previous) = before.last() else {
            return if raw(last).is_some() { Extent::EndsHere } else { Extent::More };
        };
        let text = last.text.as_str();
        let recent = before.get(before.len().saturating_sub(4)..).unwrap_or(before);
        let has_statistics = recent.iter().any(|line| target(&line.text).is_some());
        let is_statistic = text.contains(" requests completed in ") || generation(text).is_some();
        match () {
            () if text.starts_with("min/avg/max/mdev") => Extent::EndsHere,
            () if has_statistics => {
                if is_statistic {
                    Extent::More
                } else {
                    Extent::EndsBefore
                }
            }
            () if is_request(text) || target(text).is_some() => Extent::More,
            // With -p they stand between the requests.
            () if is_request(&previous.text) && raw(last).is_some() => Extent::More,
            // Who ended it by a key has that on a line of its own.
            () if last.is_blank() && !previous.is_blank() || text == "^C" => Extent::More,
            () => Extent::EndsBefore,
        }
    }

    fn knows_json(&self, text: &str) -> bool {
        text.contains("\"mdev\"") && text.contains("\"iops\"") && text.contains("\"localtime\"")
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        super::ioping_sums::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        options(&mut result);
        ioping_work::fill(&mut result);
        let first = block.lines.first().map_or("", |line| line.text.trim_start());
        if first.starts_with(['{', '[']) {
            return json(block, &result);
        }
        if let Some(raw) = block.lines.first().and_then(raw) {
            raw.fill(&mut result);
            return Ok(vec![result]);
        }
        for line in block.lines {
            take(line, &mut result);
        }
        number_intervals(&mut result);
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        let has_direct = result.options.keys().any(|name| name == "D" || name == "direct");
        if has_direct || result.command.is_empty() || !remedies.contains(&ToolRemedy::BypassPageCache) {
            return None;
        }
        let mut words = result.command.clone();
        words.insert(1, "-D".to_owned());
        Some(words)
    }
}

/// `4 KiB <<< io (ext4 /dev/vda 252.0 GiB): request=2 time=236.9 us`; until 0.9 `4.0 KiB from io (...): request=2 time=...`.
fn is_request(text: &str) -> bool {
    // The cheap question first: every line of any text is asked.
    let is_one = || [" <<< ", " >>> ", " from ", " to "].iter().any(|mark| text.contains(mark));
    text.contains('=')
        && text.contains(": request=")
        && text.contains(" time=")
        && is_one()
        && leading(text, false).is_some()
}

/// The target of `--- io (ext4 /dev/vda 252.0 GiB) ioping statistics ---`.
fn target(text: &str) -> Option<&str> {
    text.strip_prefix("--- ")?.strip_suffix(" ioping statistics ---")
}

/// Takes what stands on a line.
fn take(line: &ToolLine, result: &mut ToolResult) {
    let text = line.text.as_str();
    if let Some(target) = target(text) {
        result.options.insert("target".to_owned(), target.to_owned());
    } else if is_request(text) {
        request(text, result);
    } else if let Some((requests, rest)) = text.split_once(" requests completed in ") {
        completed(line.number, requests, rest, result);
    } else if let Some((requests, rest)) = generation(text) {
        let (mut measured, _) = amounts(line.number, rest);
        measured.operations = count(line.number, requests, COUNTS.counting, Unit::One);
        result.parts.push(generated(measured));
    } else if let Some((_, times)) = text.split_once("min/avg/max/mdev = ") {
        // Of no request there are no times.
        if !result.whole.is_empty() {
            latencies(line.number, times, &mut result.whole);
        }
    } else if let Some(raw) = raw(line) {
        let mut own = ToolResult::default();
        raw.fill(&mut own);
        result.parts.push(ToolPart {
            kind: ToolPartKind::Interval,
            name: String::new(),
            start_s: None,
            measured: own.whole,
        });
    }
}

/// The number of requests and what follows it of `generated 6 requests in 100.4 ms, ...`; with -t or -T how many did
/// not count stands before it: `3 too slow, generated 4 requests in 60.3 ms, ...`.
fn generation(text: &str) -> Option<(&str, &str)> {
    let own = match text.split_once(", generated ") {
        Some((before, own)) if before.contains(" too fast") || before.contains(" too slow") => own,
        _ => text.strip_prefix("generated ")?,
    };
    own.split_once(" requests in ")
}

/// Names the intervals of -p by their order.
fn number_intervals(result: &mut ToolResult) {
    let intervals = result.parts.iter_mut().filter(|part| part.kind == ToolPartKind::Interval);
    for (number, part) in (1_u32..).zip(intervals) {
        part.name = number.to_string();
    }
}

/// With all pauses.
fn generated(measured: ToolMeasurement) -> ToolPart {
    ToolPart { kind: ToolPartKind::Phase, name: "generated".to_owned(), start_s: None, measured }
}

/// What a line of a request says of all: its size, and whether it reads.
fn request(text: &str, result: &mut ToolResult) {
    let marks = [(" <<< ", "read"), (" >>> ", "write"), (" from ", "read"), (" to ", "write")];
    let found = marks.iter().find_map(|(mark, operation)| Some((text.split_once(mark)?.0, *operation)));
    if let Some((size, operation)) = found {
        result.options.entry("size".to_owned()).or_insert_with(|| size.to_owned());
        let other = result.options.insert("operation".to_owned(), operation.to_owned());
        // In ping-pong mode both take turns.
        if other.is_some_and(|other| other != operation) {
            result.options.insert("operation".to_owned(), "both".to_owned());
        }
    }
}

/// `4 requests completed in 1.11 ms, 16 KiB read, 3.62 k iops, 14.1 MiB/s`. Without a size, as until 0.9, the time has
/// the pauses in it and the rates do not.
fn completed(line: u64, requests: &str, rest: &str, result: &mut ToolResult) {
    let (mut measured, time) = amounts(line, rest);
    measured.operations = count(line, requests, COUNTS.counting, Unit::One);
    // All were too fast or too slow to be counted.
    if measured.operations.as_ref().is_some_and(|requests| requests.value <= 0.0) {
        return;
    }
    if measured.bytes.is_none() {
        measured.add(metric::ELAPSED, time);
        measured.window = None;
        measured.operations = None;
    }
    result.whole = measured;
}

/// A time, and of what follows it whatever has a unit that is known.
fn amounts(line: u64, text: &str) -> (ToolMeasurement, Option<PrintedValue>) {
    let mut measured = ToolMeasurement::default();
    let mut parts = text.split(", ");
    let time = parts.next().and_then(|time| quantity(line, time, BYTES.counting));
    let time = time.filter(|time| time.unit == Unit::Seconds);
    measured.window = time.clone();
    for part in parts {
        if let Some(iops) = part.strip_suffix(" iops") {
            let iops = count(line, iops, COUNTS.counting, Unit::PerSecond);
            // Below 1000 its decimals are cut off.
            let iops = iops.map(|iops| PrintedValue { half_step: iops.half_step.max(1.0), ..iops });
            measured.add(metric::IOPS, iops);
            continue;
        }
        let part = part.strip_suffix(" read").or(part.strip_suffix(" written")).unwrap_or(part);
        // Until 0.6 bytes are written with a small b.
        let old = ["kb/s", "mb/s", "gb/s"].iter().any(|unit| part.ends_with(unit));
        let printed = match part.strip_suffix("b/s").filter(|_| old) {
            Some(number) => quantity(line, &format!("{number}B/s"), BYTES.counting),
            None => quantity(line, part, BYTES.counting),
        };
        match printed {
            Some(rate) if rate.unit == Unit::BytesPerSecond => {
                let text = part.to_owned();
                measured.add(metric::THROUGHPUT, Some(PrintedValue { text, ..rate }));
            }
            Some(bytes) if bytes.unit == Unit::Bytes => measured.bytes = Some(bytes),
            _ => {}
        }
    }
    (measured, time)
}

/// `232.9 us / 276.6 us / 334.9 us / 43.4 us`; until 0.6 `0.1/0.2/0.3/0.1 ms`.
fn latencies(line: u64, times: &str, whole: &mut ToolMeasurement) {
    let parts: Vec<&str> = times.split('/').map(str::trim).collect();
    let [least, mean, max, last] = parts.as_slice() else { return };
    let common = leading(last, false).map_or("", |number| number.rest.trim());
    let time = |text: &str| {
        let has_unit = leading(text, false)?.rest.trim().starts_with(char::is_alphabetic);
        let printed = if has_unit {
            quantity(line, text, BYTES.counting)
        } else {
            quantity(line, &format!("{text} {common}"), BYTES.counting)
        };
        printed.filter(|printed| printed.unit == Unit::Seconds)
    };
    whole.add(MetricName::new("latency_mean"), time(mean));
    whole.add(metric::LATENCY_MAX, time(max));
    whole.add(MetricName::new("latency_min"), time(least));
}

/// Raw statistics: requests, time of them in ns, iops, bytes per second, then the least, the mean, the greatest time
/// of one and the mean deviation in ns; since 1.0 requests that were started, and how long all took.
struct RawStatistics {
    line: u64,
    numbers: Vec<u64>,
}

/// Numbers alone are known by what they say of each other.
fn raw(line: &ToolLine) -> Option<RawStatistics> {
    let mut numbers = Vec::new();
    for word in line.text.split_whitespace() {
        let (number, "") = whole(word)? else { return None };
        numbers.push(number);
    }
    let [requests, time, iops, rate, least, mean, greatest, _, ..] = *numbers.as_slice() else { return None };
    let is_of_raw = matches!(numbers.len(), 8 | 10);
    let expected = requests as f64 * 1e9 / time as f64;
    let is_so = is_of_raw
        && requests > 0
        && time > 0
        && rate > 0
        && (expected - iops as f64).abs() <= 1.0
        && (mean as f64 * requests as f64 - time as f64).abs() <= requests as f64
        && least <= mean
        && mean <= greatest;
    is_so.then_some(RawStatistics { line: line.number, numbers })
}

impl RawStatistics {
    fn fill(&self, result: &mut ToolResult) {
        let Self { line, numbers } = self;
        let [requests, time, iops, rate, _, mean, max, _, more @ ..] = numbers.as_slice() else { return };
        let whole = &mut result.whole;
        whole.window = Some(nanoseconds(*line, *time));
        whole.operations = Some(exact(*line, *requests, Unit::One));
        let cut_off = |value: u64, unit: Unit| PrintedValue { half_step: 1.0, ..exact(*line, value, unit) };
        whole.add(metric::IOPS, Some(cut_off(*iops, Unit::PerSecond)));
        whole.add(metric::THROUGHPUT, Some(cut_off(*rate, Unit::BytesPerSecond)));
        whole.add(MetricName::new("latency_mean"), Some(nanoseconds(*line, *mean)));
        whole.add(metric::LATENCY_MAX, Some(nanoseconds(*line, *max)));
        if let [started, elapsed] = more {
            result.parts.push(generated(ToolMeasurement {
                window: Some(nanoseconds(*line, *elapsed)),
                operations: Some(exact(*line, *started, Unit::One)),
                ..ToolMeasurement::default()
            }));
        }
    }
}

/// A whole number of nanoseconds.
fn nanoseconds(line: u64, ns: u64) -> PrintedValue {
    PrintedValue { half_step: 1e-9, ..plain(line, format!("{ns} ns"), ns as f64 / 1e9, Unit::Seconds) }
}

/// What is read of an item of the JSON; it has more.
#[derive(Deserialize)]
struct Item {
    target: Option<Target>,
    io: Option<Request>,
    stat: Option<Statistics>,
    load: Option<Statistics>,
}

#[derive(Deserialize)]
struct Target {
    path: Option<String>,
}

#[derive(Deserialize)]
struct Request {
    operation: Option<String>,
    size: Option<u64>,
}

#[derive(Deserialize)]
struct Statistics {
    count: u64,
    size: u64,
    time: u64,
    iops: f64,
    bps: f64,
    avg: Option<u64>,
    max: Option<u64>,
}

impl Statistics {
    fn measured(&self, line: u64) -> ToolMeasurement {
        let mut measured = ToolMeasurement {
            window: Some(nanoseconds(line, self.time)),
            bytes: Some(exact(line, self.size, Unit::Bytes)),
            operations: Some(exact(line, self.count, Unit::One)),
            ..ToolMeasurement::default()
        };
        let rate = |value: f64, unit: Unit| plain(line, value.to_string(), value, unit);
        measured.add(metric::IOPS, Some(rate(self.iops, Unit::PerSecond)));
        let throughput = PrintedValue { half_step: 1.0, ..rate(self.bps, Unit::BytesPerSecond) };
        measured.add(metric::THROUGHPUT, Some(throughput));
        measured.add(MetricName::new("latency_mean"), self.avg.map(|ns| nanoseconds(line, ns)));
        measured.add(metric::LATENCY_MAX, self.max.map(|ns| nanoseconds(line, ns)));
        measured
    }
}

fn json(block: &ToolBlock<'_>, result: &ToolResult) -> Result<Vec<ToolResult>, NotUnderstood> {
    let error = |error: serde_json::Error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    };
    let text = block.text();
    let items: Vec<Item> = if text.trim_start().starts_with('[') {
        serde_json::from_str(&text).map_err(error)?
    } else {
        vec![serde_json::from_str(&text).map_err(error)?]
    };
    let line = block.range().first;
    let mut result = result.clone();
    let requests: Vec<&Request> = items.iter().filter_map(|item| item.io.as_ref()).collect();
    if let Some(request) = requests.first() {
        let operation = request.operation.clone();
        let is_one = requests.iter().all(|other| other.operation == operation);
        let operation = if is_one { operation } else { Some("both".to_owned()) };
        let size = request.size.map(|size| size.to_string());
        let known = [("operation", operation), ("size", size)];
        result.options.extend(known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    }
    let of_statistics = |item: &Item| {
        let mut result = ToolResult { whole: item.stat.as_ref()?.measured(line), ..result.clone() };
        result.parts.extend(item.load.as_ref().map(|load| generated(load.measured(line))));
        let path = item.target.as_ref().and_then(|target| target.path.clone());
        result.options.extend(path.map(|path| ("target".to_owned(), path)));
        Some(result)
    };
    let results: Vec<ToolResult> = items.iter().filter_map(of_statistics).collect();
    if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn the_time_of_early_versions_is_no_window_of_their_rates() {
        let mut result = ToolResult::default();
        take(&line("10 requests completed in 9005.6 ms, 5417 iops, 21.2 mb/s"), &mut result);
        take(&line("min/avg/max/mdev = 0.1/0.2/0.3/0.1 ms"), &mut result);
        assert_eq!((&result.whole.window, &result.whole.bytes), (&None, &None));
        let figure = |name| result.whole.figure(name).unwrap().value;
        assert_eq!((figure(metric::IOPS), figure(metric::THROUGHPUT)), (5417.0, 21.2 * 1_048_576.0));
        assert!((figure(metric::LATENCY_MAX) - 0.3e-3).abs() < 1e-12);
        assert!((figure(metric::ELAPSED) - 9.0056).abs() < 1e-12);
    }

    #[test]
    fn raw_numbers_are_known_by_what_they_say_of_each_other() {
        assert!(raw(&line("4 681983 5865 24024059 159707 170496 176262 6513 5 400266883")).is_some());
        assert!(raw(&line("4 681983 5865 24024059 159707 170496 176262 6513")).is_some());
        for text in [
            "1 0 0 123456 12345 123456 0 0 5 10",
            "4 681983 9865 24024059 159707 170496 176262 6513 5 400266883",
            "0 0 0 0 0 0 0 0 0 0",
            "1 2 3",
        ] {
            assert!(raw(&line(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn requests_that_do_not_count_have_no_rate() {
        let text = "4 KiB <<< io (ext4 /dev/vda 252.0 GiB): request=1 time=164.0 us (warmup)\n\
                    4 KiB <<< io (ext4 /dev/vda 252.0 GiB): request=2 time=198.4 us (too slow)\n\n\
                    --- io (ext4 /dev/vda 252.0 GiB) ioping statistics ---\n\
                    0 requests completed in 0 ns, 0 B read, 0 iops, 0 B/s\n\
                    1 too slow, generated 2 requests in 60.3 ms, 8 KiB, 33 iops, 132.6 KiB/s\n\
                    min/avg/max/mdev = 0 ns / 0 ns / 0 ns / 0 ns\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert!(output.results.is_empty(), "{:?}", output.results);
        let [unread] = output.unread.as_slice() else { panic!("{:?}", output.unread) };
        assert_eq!((unread.tool.as_deref(), unread.lines.last), (Some(NAME), 7));
        let some = text
            .replace("0 requests completed in 0 ns, 0 B read", "1 requests completed in 1 ms, 4 KiB read");
        let result = &crate::tool::read("", some.as_bytes()).unwrap().results[0];
        assert_eq!(result.lines.last, 7);
        assert_eq!(result.parts[0].measured.operations.as_ref().unwrap().value, 2.0);
    }

    #[test]
    fn options_are_letters_or_words() {
        let read = |command: &str| {
            let command = command.split(' ').map(str::to_owned).collect();
            let mut result = ToolResult { command, ..ToolResult::default() };
            options(&mut result);
            result.options.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(read("ioping -RL -w 1 -s64k io"), "L= R= s=64k target=io w=1");
        assert_eq!(read("ioping -direct --count=5 io"), "count=5 direct= target=io");
    }
}
