//! What an iperf3 server told at the end, as the result of a far end. Only what
//! it saw itself: what it received, and of its own sending what left it.
//!
//! Rates are over the span of our clock in which the load ran: the server's own
//! seconds begin when its streams are connected, which is before anybody sends.

use std::collections::BTreeMap;

use model::machine::ObserverCost;
use model::message::TrialReport;
use model::trial::{TrialResult, Window};
use model::{FactName, MetricName, Quantity, Unit, Value, fact, metric};

use crate::iperf3::wire::parameters::{Parameters, Results, StreamResult};

/// The far end's report; `window` is from the first byte that the near end sent until
/// the server was told that the test is over.
pub(crate) fn report(asked: &Parameters, results: &Results, window: Window) -> TrialReport {
    let mut result = TrialResult { window: Some(window), ..TrialResult::default() };
    result.main_mut().metrics = metrics(asked, results, window.seconds());
    result.main_mut().facts = facts(results);
    // Nobody watched that machine.
    let observer = ObserverCost { cpu_s: 0.0, watched_s: 0.0, cpus: 0 };
    TrialReport { result, observer }
}

fn metrics(asked: &Parameters, results: &Results, seconds: f64) -> BTreeMap<MetricName, Quantity> {
    let mut metrics = BTreeMap::new();
    let mut put = |name: MetricName, value: f64, unit: Unit| {
        if value.is_finite() {
            metrics.insert(name, Quantity { value, unit });
        }
    };
    let receiving = usize::try_from(asked.ways().0).unwrap_or(usize::MAX).min(results.streams.len());
    let (received, sent) = results.streams.split_at(receiving);
    let bytes = |streams: &[StreamResult]| streams.iter().map(|s| s.bytes as f64).sum::<f64>();
    if !received.is_empty() {
        put(metric::THROUGHPUT, bytes(received) / seconds, Unit::BytesPerSecond);
    }
    if !received.is_empty() && asked.udp {
        let sum = |of: fn(&StreamResult) -> i64| received.iter().map(|s| of(s) as f64).sum::<f64>();
        let (numbered, lost) = (sum(|s| s.packets), sum(|s| s.errors.max(0)));
        put(metric::PACKETS_PER_SECOND, (numbered - lost).max(0.0) / seconds, Unit::PerSecond);
        // With none there is no share.
        put(metric::LOSS, lost / numbered, Unit::One);
        let jitter = received.iter().map(|s| s.jitter).fold(0.0, f64::max);
        put(metric::JITTER, jitter, Unit::Seconds);
    }
    if !sent.is_empty() {
        put(metric::SENDER_THROUGHPUT, bytes(sent) / seconds, Unit::BytesPerSecond);
        let again: Option<Vec<f64>> =
            sent.iter().map(|s| (s.retransmits >= 0).then_some(s.retransmits as f64)).collect();
        if let Some(again) = again.filter(|_| asked.tcp) {
            put(metric::RETRANSMITS, again.iter().sum(), Unit::One);
        }
    }
    let own_s = own_seconds(results);
    if own_s > 0.0 {
        let cpu_s = results.cpu_util_total / 100.0 * own_s;
        put(metric::CPU_PER_BYTE, cpu_s / bytes(&results.streams), Unit::SecondsPerByte);
    }
    metrics
}

fn own_seconds(results: &Results) -> f64 {
    results.streams.iter().map(|s| s.end_time - s.start_time).fold(0.0, f64::max)
}

fn facts(results: &Results) -> BTreeMap<FactName, Value> {
    let tool = version(results).unwrap_or("iperf3, of a version that it does not tell");
    let mut facts: BTreeMap<FactName, Value> = BTreeMap::from([
        (fact::PEER_TOOL, tool.into()),
        (fact::PEER_SPAN, "iperf3's own: the whole load with its warm-up".into()),
        (fact::PEER_SECONDS, own_seconds(results).into()),
        (fact::PEER_CPU_PERCENT, results.cpu_util_total.into()),
    ]);
    facts.extend(results.congestion_used.as_deref().map(|name| (fact::CONGESTION, name.into())));
    facts
}

/// `iperf 3.12`: only a server that was asked for its page, and prints JSON or is
/// verbose, says it.
fn version(results: &Results) -> Option<&str> {
    let json = results.server_output_json.as_ref().and_then(|page| page.pointer("/start/version")?.as_str());
    let text = || results.server_output_text.as_deref()?.lines().find(|line| line.starts_with("iperf 3."));
    json.or_else(text).filter(|version| version.len() < 40)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(streams: Vec<StreamResult>) -> Results {
        Results { cpu_util_total: 50.0, streams, ..Results::default() }
    }

    fn stream(bytes: u64) -> StreamResult {
        StreamResult { bytes, retransmits: -1, end_time: 2.5, ..StreamResult::default() }
    }

    const SPAN: Window = Window { start_ns: 1_000_000_000, end_ns: 3_000_000_000 };

    fn value(report: &TrialReport, name: MetricName) -> Option<f64> {
        report.result.main().metrics.get(&name).map(|q| q.value)
    }

    #[test]
    fn what_a_server_received_is_the_throughput_and_what_it_sent_is_not() {
        let both = Parameters { tcp: true, parallel: 1, bidirectional: true, ..Parameters::default() };
        let again = StreamResult { retransmits: 3, ..stream(800) };
        let report = report(&both, &told(vec![stream(200), again]), SPAN);
        assert_eq!(value(&report, metric::THROUGHPUT), Some(100.0));
        assert_eq!(value(&report, metric::SENDER_THROUGHPUT), Some(400.0));
        assert_eq!(value(&report, metric::RETRANSMITS), Some(3.0));
        // Half a CPU for its own 2.5 s, over 1000 bytes.
        assert_eq!(value(&report, metric::CPU_PER_BYTE), Some(1.25e-3));
        assert_eq!(value(&report, metric::LOSS), None);
        assert_eq!(report.result.window.unwrap().seconds(), 2.0);
    }

    #[test]
    fn datagrams_that_did_not_come_are_a_share_of_those_sent() {
        let udp = Parameters { udp: true, parallel: 2, ..Parameters::default() };
        let one = StreamResult { packets: 100, errors: 20, jitter: 0.001, ..stream(80) };
        let other = StreamResult { packets: 100, errors: 0, jitter: 0.003, ..stream(100) };
        let told_all = report(&udp, &told(vec![one, other]), SPAN);
        assert_eq!(value(&told_all, metric::LOSS), Some(0.1));
        assert_eq!(value(&told_all, metric::JITTER), Some(0.003));
        assert_eq!(value(&told_all, metric::PACKETS_PER_SECOND), Some(90.0));
        let none = report(&udp, &told(vec![stream(0)]), SPAN);
        assert_eq!(value(&none, metric::LOSS), None);
        assert_eq!(value(&none, metric::THROUGHPUT), Some(0.0));
    }

    #[test]
    fn a_version_is_told_where_the_server_tells_it() {
        let named = |results: &Results| facts(results)[&fact::PEER_TOOL].to_string();
        assert!(named(&told(Vec::new())).contains("does not tell"));
        let text = Some("-----\niperf 3.12\nLinux\n".to_owned());
        assert_eq!(named(&Results { server_output_text: text, ..Results::default() }), "iperf 3.12");
        let json = Some(serde_json::json!({"start": {"version": "iperf 3.17"}}));
        assert_eq!(named(&Results { server_output_json: json, ..Results::default() }), "iperf 3.17");
    }
}
