//! iperf3's JSON, of one text or as events of a line each. All figures stand at the line where the
//! text, or the event, begins.

use model::tool_result::{LineRange, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind};
use model::{Unit, metric};
use serde::Deserialize;
use serde_json::Value;

use super::run::{Iperf3Ends, Iperf3Run};
use crate::tool::block::ToolBlock;
use crate::tool::number::{exact, plain};
use crate::tool::reader::NotUnderstood;

/// Whether a line is an event of `--json-stream`.
pub(super) fn is_event(text: &str) -> bool {
    event(text).is_some()
}

/// Whether it is the one that a test begins with.
pub(super) fn is_start(text: &str) -> bool {
    event(text) == Some("start")
}

/// What kind of event it is: `{"event":"interval","data":{...}}`.
fn event(text: &str) -> Option<&str> {
    const KNOWN: &[&str] = &["start", "interval", "end", "error", "server_output_text", "server_output_json"];
    let rest = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"event\"")?;
    let name = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (name, rest) = name.split_once('"')?;
    (KNOWN.contains(&name) && rest.contains("\"data\"")).then_some(name)
}

/// Reads one text.
///
/// # Errors
/// If it is cut, another program's, or of a test that did not end.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<Iperf3Run, NotUnderstood> {
    let document: Value = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    let line = block.range().first;
    let mut run = Iperf3Run { lines: block.range(), ..Iperf3Run::default() };
    start(&mut run, &document["start"]);
    for interval in document["intervals"].as_array().into_iter().flatten() {
        add_interval(&mut run, line, interval);
    }
    add_end(&mut run, line, &document["end"]);
    Ok(run)
}

/// Reads a stream of events.
///
/// # Errors
/// If one of them is cut, or another program's.
pub(super) fn read_events(block: &ToolBlock<'_>) -> Result<Iperf3Run, NotUnderstood> {
    let mut run = Iperf3Run { lines: block.range(), ..Iperf3Run::default() };
    for line in block.lines {
        let event = match serde_json::from_str::<Value>(&line.text) {
            Ok(event) => event,
            // Who ended it, or copied it, may have cut the last one.
            Err(error) if error.is_eof() && !run.flows.is_empty() => {
                run.unread.push(LineRange { first: line.number, last: line.number });
                continue;
            }
            Err(_) => return Err(NotUnderstood::CutShort),
        };
        let data = &event["data"];
        match event["event"].as_str() {
            Some("start") => start(&mut run, data),
            Some("interval") => add_interval(&mut run, line.number, data),
            Some("end") => add_end(&mut run, line.number, data),
            _ => {}
        }
    }
    Ok(run)
}

/// What stands before the figures.
fn start(run: &mut Iperf3Run, start: &Value) {
    let version = start["version"].as_str().and_then(|version| version.strip_prefix("iperf "));
    run.version = version.map(str::to_owned);
    run.moment = start["timestamp"]["time"].as_str().map(str::to_owned);
    // A server was connected to, a client connects.
    run.is_server = !start["accepted_connection"].is_null();
    let test = &start["test_start"];
    run.block_size = test["blksize"].as_u64();
    let mut set = |name: &str, value: String| drop(run.options.insert(name.to_owned(), value));
    if test["protocol"] == "UDP" {
        set("udp", "1".to_owned());
    }
    for (key, name) in [("reverse", "reverse"), ("bidir", "bidir")] {
        if test[key].as_u64().is_some_and(|value| value > 0) {
            set(name, "1".to_owned());
        }
    }
    for (key, name) in [
        ("num_streams", "parallel"),
        ("duration", "time"),
        ("bytes", "bytes"),
        ("blocks", "blockcount"),
        ("target_bitrate", "bitrate"),
        ("omit", "omit"),
    ] {
        if let Some(value) = test[key].as_u64().filter(|value| *value > 0) {
            set(name, value.to_string());
        }
    }
    if let Some(host) = start["connecting_to"]["host"].as_str() {
        set("client", host.to_owned());
    }
}

/// What one object says: of a connection or of their sum, of one end or of an interval.
#[derive(Deserialize)]
struct Sum {
    socket: Option<i64>,
    #[serde(default)]
    start: f64,
    #[serde(default)]
    end: f64,
    seconds: Option<f64>,
    bytes: Option<f64>,
    bits_per_second: Option<f64>,
    retransmits: Option<i64>,
    mean_rtt: Option<f64>,
    jitter_ms: Option<f64>,
    lost_packets: Option<i64>,
    packets: Option<i64>,
    #[serde(default)]
    omitted: bool,
    sender: Option<bool>,
}

impl Sum {
    fn of(value: &Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }

    /// Its figures. `knows_losses` is false of a sender, who prints noughts.
    fn measured(&self, line: u64, knows_losses: bool) -> ToolMeasurement {
        let count = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
        let seconds = self.seconds.unwrap_or(self.end - self.start);
        let window = plain(line, format!("{seconds} s"), seconds, Unit::Seconds);
        let mut measured = ToolMeasurement {
            window: Some(PrintedValue { half_step: 5e-7, ..window }),
            bytes: self.bytes.map(|bytes| plain(line, bytes.to_string(), bytes, Unit::Bytes)),
            ..ToolMeasurement::default()
        };
        let rate = |bits: f64| plain(line, format!("{bits} bits/s"), bits / 8.0, Unit::BytesPerSecond);
        measured.add(metric::THROUGHPUT, self.bits_per_second.map(rate));
        measured.add(metric::RETRANSMITS, count(self.retransmits).map(|again| exact(line, again, Unit::One)));
        let us = |us: f64| plain(line, format!("{us} us"), us / 1e6, Unit::Seconds);
        measured.add(metric::RTT, self.mean_rtt.filter(|rtt| *rtt > 0.0).map(us));
        let Some(packets) = count(self.packets) else { return measured };
        let lost = count(self.lost_packets).filter(|_| knows_losses);
        let arrived = packets.saturating_sub(lost.unwrap_or(0));
        measured.operations = Some(exact(line, arrived, Unit::One));
        if let Some(lost) = lost
            && packets > 0
        {
            let share = lost as f64 / packets as f64;
            measured.add(metric::LOSS, Some(plain(line, format!("{lost}/{packets}"), share, Unit::One)));
            let ms = |ms: f64| plain(line, format!("{ms} ms"), ms / 1e3, Unit::Seconds);
            measured.add(metric::JITTER, self.jitter_ms.map(ms));
        }
        measured
    }

    fn is_nothing(&self) -> bool {
        self.bytes.is_none_or(|bytes| bytes == 0.0)
    }
}

/// What was moved in one interval, all connections together.
fn add_interval(run: &mut Iperf3Run, line: u64, interval: &Value) {
    let (sum, reverse) = (Sum::of(&interval["sum"]), Sum::of(&interval["sum_bidir_reverse"]));
    let is_both = reverse.is_some();
    let is_server = run.is_server;
    for (sum, is_reverse) in [(sum, false), (reverse, true)] {
        let Some(sum) = sum.filter(|sum| !sum.omitted && !sum.is_nothing()) else { continue };
        let role = role(is_both, is_reverse, is_server);
        let name = format!("{:.2}-{:.2}", sum.start, sum.end);
        let name = if role.is_empty() { name } else { format!("{role} {name}") };
        let measured = sum.measured(line, sum.sender == Some(false) || sum.jitter_ms.is_some());
        let start_s = Some(sum.start);
        run.flow(role).intervals.push(ToolPart { kind: ToolPartKind::Interval, name, start_s, measured });
    }
}

/// What the roles of iperf3's text would be.
fn role(is_both: bool, is_reverse: bool, is_server: bool) -> &'static str {
    match (is_both, is_reverse, is_server) {
        (false, ..) => "",
        (_, false, false) => "TX-C",
        (_, true, false) => "RX-C",
        (_, false, true) => "RX-S",
        (_, true, true) => "TX-S",
    }
}

/// What stands at the end.
fn add_end(run: &mut Iperf3Run, line: u64, end: &Value) {
    let is_server = run.is_server;
    let is_both = !end["sum_sent_bidir_reverse"].is_null() || !end["sum_bidir_reverse"].is_null();
    for (is_reverse, suffix) in [(false, ""), (true, "_bidir_reverse")] {
        let sum =
            |name: &str| Sum::of(&end[format!("{name}{suffix}").as_str()]).filter(|sum| !sum.is_nothing());
        let (sent, received, plain) = (sum("sum_sent"), sum("sum_received"), sum("sum"));
        let received = received.map(|received| received.measured(line, true));
        let mut ends = Iperf3Ends { sent: sent.map(|sent| sent.measured(line, false)), received };
        // Before 3.7 there is one sum for UDP: the sender's bytes, and the losses of the receiver.
        if ends.sent.is_none() && ends.received.is_none() {
            ends.sent = plain.map(|plain| plain.measured(line, true));
        }
        if ends.sent.is_some() || ends.received.is_some() {
            run.flow(role(is_both, is_reverse, is_server)).sum = ends;
        }
    }
    for stream in end["streams"].as_array().into_iter().flatten() {
        let side = |name: &str| Sum::of(&stream[name]).filter(|sum| !sum.is_nothing());
        let (sent, received, udp) = (side("sender"), side("receiver"), side("udp"));
        let Some(any) = sent.as_ref().or(received.as_ref()).or(udp.as_ref()) else { continue };
        // Whether this end sent it.
        let is_sent_here = any.sender.unwrap_or(!is_server);
        let role = role(is_both, is_sent_here == is_server, is_server);
        let id = any.socket.map(|socket| socket.to_string()).unwrap_or_default();
        let ends = Iperf3Ends {
            sent: sent
                .as_ref()
                .map(|sent| sent.measured(line, false))
                .or(udp.map(|udp| udp.measured(line, true))),
            received: received.map(|received| received.measured(line, true)),
        };
        run.flow(role).streams.push((id, ends));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_known_and_other_json_lines_are_not() {
        for (text, is_one) in [
            (r#"{"event":"start","data":{"connected":[]}}"#, true),
            (r#"{ "event": "interval", "data": {} }"#, true),
            (r#"{"event":"login","data":{}}"#, false),
            (r#"{"a":1}"#, false),
        ] {
            assert_eq!(is_event(text), is_one, "{text}");
        }
    }

    #[test]
    fn a_test_that_failed_has_no_figures() {
        let text = "{\"start\": {\"version\": \"iperf 3.12\"}, \"intervals\": [], \"end\": {}, \"error\": \"refused\"}";
        let lines = crate::tool::network::lines(text);
        let run = read(&ToolBlock { lines: &lines, command: None }).unwrap();
        assert!(run.flows.is_empty() && run.version.as_deref() == Some("3.12"));
    }

    #[test]
    fn the_one_sum_of_udp_before_3_7_is_the_senders() {
        let text = r#"{"start": {"version": "iperf 3.1.3"}, "intervals": [], "end": {"streams": [], "sum": {"start": 0, "end": 2,
            "seconds": 2, "bytes": 2000000, "bits_per_second": 8e6, "jitter_ms": 0.5, "lost_packets": 10, "packets": 100}}}"#;
        let lines = crate::tool::network::lines(text);
        let run = read(&ToolBlock { lines: &lines, command: None }).unwrap();
        let sum = &run.flows[0].sum;
        assert!(sum.received.is_none());
        assert_eq!(sum.sent.as_ref().unwrap().figure(metric::LOSS).map(|loss| loss.value), Some(0.1));
    }
}
