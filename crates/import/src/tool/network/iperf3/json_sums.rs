//! What the figures of iperf3's JSON say of one another: rates are those of bytes and seconds, and the sums are those of the
//! connections.

use model::tool_arithmetic::FigureDisagreement;

use crate::tool::arithmetic::{FigureSheet, JsonNode, Term};

/// The CPU times of both modes are read one behind the other.
const MODES: f64 = 0.05;

/// Rates are computed of seconds that have more digits than are printed.
const RATES: f64 = 0.01;

/// What contradicts itself in a text, or in the events of a stream.
pub(super) fn disagreements(root: &JsonNode) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(&[]);
    let of_text = |document: &JsonNode| {
        document.get("intervals").items().iter().for_each(|interval| of_interval(&sheet, interval));
        of_end(&sheet, document.get("end"));
    };
    of_text(root);
    for item in root.items() {
        match item.get("event").text() {
            Some("interval") => of_interval(&sheet, item.get("data")),
            Some("end") => of_end(&sheet, item.get("data")),
            // Several texts, one behind the other.
            _ => of_text(item),
        }
    }
    sheet.found()
}

fn of_interval(sheet: &FigureSheet<'_>, interval: &JsonNode) {
    let streams = interval.get("streams").items();
    streams.iter().for_each(|stream| of_rate(sheet, stream));
    // With --bidir there is a sum of each direction.
    if interval.get("sum_bidir_reverse").members().is_empty() {
        of_sum(sheet, interval.get("sum"), &streams.iter().collect::<Vec<_>>());
    }
}

fn of_end(sheet: &FigureSheet<'_>, end: &JsonNode) {
    let streams = end.get("streams").items();
    let side = |name: &str| -> Vec<&JsonNode> {
        streams.iter().map(|stream| stream.get(name)).filter(|side| !side.members().is_empty()).collect()
    };
    let (sent, received, datagrams) = (side("sender"), side("receiver"), side("udp"));
    for stream in sent.iter().chain(&received).chain(&datagrams) {
        of_rate(sheet, stream);
        sheet.between(&stream.number("min_rtt"), &stream.number("mean_rtt"), &stream.number("max_rtt"));
    }
    if end.get("sum_sent_bidir_reverse").members().is_empty() {
        of_sum(sheet, end.get("sum_sent"), &sent);
        of_sum(sheet, end.get("sum_received"), &received);
    }
    if end.get("sum_bidir_reverse").members().is_empty() {
        of_lost(sheet, end.get("sum"));
    }
    let processor = end.get("cpu_utilization_percent");
    for of in ["host", "remote"] {
        let of = |what: &str| processor.number(&format!("{of}_{what}"));
        sheet.equal(&of("total"), &of("user") + &of("system"), MODES);
    }
}

/// Bits a second of bytes and seconds.
fn of_rate(sheet: &FigureSheet<'_>, moved: &JsonNode) {
    let seconds = moved.number("seconds");
    if seconds.is_some() {
        let rate = &(&moved.count("bytes") * &Term::number(8.0)) / &seconds;
        sheet.equal(&moved.number("bits_per_second"), rate, RATES);
    }
}

/// Bytes and retransmissions of all connections together.
fn of_sum(sheet: &FigureSheet<'_>, sum: &JsonNode, parts: &[&JsonNode]) {
    for name in ["bytes", "retransmits"] {
        let counts: Vec<Term> = parts.iter().map(|part| part.count(name)).collect();
        if !counts.is_empty() {
            sheet.equal(&sum.count(name), Term::sum(&counts), 0.0);
        }
    }
}

/// The share of what was lost.
fn of_lost(sheet: &FigureSheet<'_>, sum: &JsonNode) {
    let (lost, packets) = (sum.count("lost_packets"), sum.count("packets"));
    if lost.is_some() && packets.is_some() {
        sheet.equal(&sum.number("lost_percent"), (&lost / &packets).scaled(100.0), RATES);
    }
}

#[cfg(test)]
mod tests {
    const TEXT: &str = r#"{"start": {"version": "iperf 3.12", "test_start": {"protocol": "TCP", "num_streams": 2}},
"intervals": [{"streams": [
{"socket": 5, "start": 0, "end": 1, "seconds": 1.0, "bytes": 1000, "bits_per_second": 8000.0, "retransmits": 1},
{"socket": 7, "start": 0, "end": 1, "seconds": 1.0, "bytes": 3000, "bits_per_second": 24000.0, "retransmits": 2}],
"sum": {"start": 0, "end": 1, "seconds": 1.0, "bytes": 4000, "bits_per_second": 32000.0, "retransmits": 3}}],
"end": {"streams": [
{"sender": {"socket": 5, "start": 0, "end": 1, "seconds": 1.0, "bytes": 1000, "bits_per_second": 8000.0, "retransmits": 1, "max_rtt": 9, "min_rtt": 3, "mean_rtt": 4},
 "receiver": {"socket": 5, "start": 0, "end": 1, "seconds": 1.0, "bytes": 1000, "bits_per_second": 8000.0}},
{"sender": {"socket": 7, "start": 0, "end": 1, "seconds": 1.0, "bytes": 3000, "bits_per_second": 24000.0, "retransmits": 2, "max_rtt": 9, "min_rtt": 3, "mean_rtt": 4},
 "receiver": {"socket": 7, "start": 0, "end": 1, "seconds": 1.0, "bytes": 3000, "bits_per_second": 24000.0}}],
"sum_sent": {"start": 0, "end": 1, "seconds": 1.0, "bytes": 4000, "bits_per_second": 32000.0, "retransmits": 3},
"sum_received": {"start": 0, "end": 1, "seconds": 1.0, "bytes": 4000, "bits_per_second": 32000.0},
"cpu_utilization_percent": {"host_total": 13.5, "host_user": 1.5, "host_system": 12.0}}}
"#;

    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let all = output.results.iter().flat_map(|result| &result.disagreements);
        all.map(|wrong| format!("{}: {}", wrong.printed.line, wrong.printed.text)).collect()
    }

    #[test]
    fn sums_and_rates_of_json_are_held_against_their_parts() {
        assert_eq!(wrong(TEXT), Vec::<String>::new());
        let first = |from: &str, to: &str| wrong(&TEXT.replacen(from, to, 1));
        assert_eq!(
            first("\"bits_per_second\": 8000.0", "\"bits_per_second\": 9000.0"),
            ["3: bits_per_second 9000.0"]
        );
        assert_eq!(first("\"retransmits\": 3", "\"retransmits\": 8"), ["5: retransmits 8"]);
        assert_eq!(first("\"mean_rtt\": 4", "\"mean_rtt\": 40"), ["7: mean_rtt 40"]);
        assert_eq!(first("\"host_total\": 13.5", "\"host_total\": 23.5"), ["13: host_total 23.5"]);
    }

    #[test]
    fn the_share_of_what_was_lost_is_that_of_the_packets() {
        let text = |percent: &str| {
            format!(
                "{{\"start\": {{\"version\": \"iperf 3.12\", \"test_start\": {{\"protocol\": \"UDP\"}}}}, \"intervals\": [],\n\"end\": \
                 {{\"streams\": [], \"sum\": {{\"start\": 0, \"end\": 2, \"seconds\": 2, \"bytes\": 2000000, \"bits_per_second\": 8e6, \
                 \"jitter_ms\": 0.5, \"lost_packets\": 10, \"packets\": 100, \"lost_percent\": {percent}}}}}}}\n"
            )
        };
        assert_eq!(wrong(&text("10")), Vec::<String>::new());
        assert_eq!(wrong(&text("1.5")), ["2: lost_percent 1.5"]);
    }

    #[test]
    fn events_are_held_against_themselves() {
        let event = |rate: &str| {
            format!(
                "{{\"event\":\"start\",\"data\":{{\"version\":\"iperf 3.17\"}}}}\n{{\"event\":\"interval\",\"data\":{{\"streams\":[{{\"socket\":5,\"start\":0,\
                 \"end\":1,\"seconds\":1.0,\"bytes\":1000,\"bits_per_second\":{rate}}}],\"sum\":{{\"start\":0,\"end\":1,\"seconds\":1.0,\"bytes\":1000,\
                 \"bits_per_second\":8000.0}}}}}}\n{{\"event\":\"end\",\"data\":{{\"streams\":[],\"sum_sent\":{{\"start\":0,\"end\":1,\"seconds\":1.0,\
                 \"bytes\":1000,\"bits_per_second\":8000.0}}}}}}\n"
            )
        };
        assert_eq!(wrong(&event("8000.0")), Vec::<String>::new());
        assert_eq!(wrong(&event("9000.0")), ["2: bits_per_second 9000.0"]);
    }
}
