//! Metrics that other tools call otherwise.

/// Metrics that have another name here: their word, and ours with those that come first first.
const METRICS: &[(&str, &[&str])] = &[
    ("bw", &["throughput"]),
    ("bandwidth", &["throughput"]),
    ("mbps", &["throughput"]),
    ("mb/s", &["throughput"]),
    ("speed", &["throughput", "events_per_second", "operations_per_second"]),
    ("goodput", &["throughput"]),
    ("rate", &["throughput", "iops", "operations_per_second", "events_per_second"]),
    ("io/s", &["iops"]),
    ("iops", &["operations_per_second", "events_per_second"]),
    ("ops", &["operations_per_second", "iops", "events_per_second"]),
    ("ops/s", &["operations_per_second", "iops", "events_per_second"]),
    ("events", &["events_per_second"]),
    ("lat", &["latency_p99", "load_latency", "rtt"]),
    ("latency", &["latency_p99", "load_latency", "rtt"]),
    ("clat", &["latency_p99"]),
    ("slat", &["submit_latency_p99"]),
    ("avg", &["latency_p50"]),
    ("mean", &["latency_p50"]),
    ("median", &["latency_p50"]),
    ("min", &["latency_p50"]),
    ("max", &["latency_max"]),
    ("p50", &["latency_p50"]),
    ("p90", &["latency_p90"]),
    ("p95", &["latency_p99", "latency_p90"]),
    ("p99", &["latency_p99"]),
    ("p999", &["latency_p99_9", "latency_p99"]),
    ("p99.9", &["latency_p99_9", "latency_p99"]),
    ("rps", &["requests_per_second"]),
    ("req/s", &["requests_per_second"]),
    ("requests", &["requests_per_second"]),
    ("tps", &["transactions_per_second"]),
    ("qps", &["queries_per_second", "requests_per_second"]),
    ("pps", &["packets_per_second"]),
    ("retr", &["retransmits"]),
    ("retries", &["retransmits", "retries_per_second"]),
    ("lost", &["loss"]),
    ("packet_loss", &["loss"]),
    ("ping", &["latency_p50", "rtt"]),
    ("errors", &["error_share"]),
    ("cpu", &["cpu_per_operation", "cpu_per_byte"]),
    ("fsync", &["sync_latency_p99"]),
    ("fsync_latency", &["sync_latency_p99"]),
];

/// What a metric is here, of those that `has` knows.
#[must_use]
pub fn metric(theirs: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let theirs = theirs.to_lowercase();
    let (_, ours) = METRICS.iter().find(|(word, _)| *word == theirs)?;
    ours.iter().copied().find(|name| has(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_told_where_there_is_one() {
        assert_eq!(metric("bw", |name| name == "throughput"), Some("throughput"));
        assert_eq!(metric("IOPS", |name| name == "operations_per_second"), Some("operations_per_second"));
        assert_eq!(metric("lat", |name| name == "load_latency"), Some("load_latency"));
        assert_eq!(metric("bw", |_| false), None);
        assert_eq!(metric("throughput", |_| true), None);
    }
}
