//! The text that is handed out, and who gets it.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::*;
use crate::limit_book::LimitBook;
use crate::situation::tests::{Fake, book, situation};

fn metrics() -> WatchMetrics {
    let metrics = WatchMetrics::new("host \"a\"", "1.2.3");
    let readings = Fake::default().cpu(0.5).disk("sda", 3_000.0, 1_000.0, 4096.0, 0.002);
    let found = situation(&readings, &book(&[(4096.0, 8_000.0)]), &[]);
    metrics.take(&found, 1.0);
    metrics.take(&found, 1.0);
    metrics
}

#[test]
fn shares_ages_and_histograms_are_told_with_their_names_and_units() {
    let text = metrics().text();
    let has = |line: &str| assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    has("headroom_build_info{version=\"1.2.3\",hostname=\"host \\\"a\\\"\"} 1");
    has(
        "headroom_limit_used_high_ratio{resource=\"block:sda\",measure=\"operations\",origin=\"measured\"} 0.5",
    );
    has("headroom_limit_used_low_ratio{resource=\"cpu\",measure=\"cpu\",origin=\"hardware\"} 0.25");
    has("headroom_limit_age_seconds{resource=\"block:sda\"} 2419200");
    has("headroom_nearest_ratio{resource=\"block:sda\"} 0.5");
    has("# TYPE headroom_disk_latency_seconds histogram");
    has("headroom_disk_latency_seconds_bucket{device=\"sda\",direction=\"read\",le=\"0.001\"} 0");
    has("headroom_disk_latency_seconds_bucket{device=\"sda\",direction=\"read\",le=\"0.0025\"} 6000");
    has("headroom_disk_latency_seconds_bucket{device=\"sda\",direction=\"read\",le=\"+Inf\"} 6000");
    has("headroom_disk_latency_seconds_count{device=\"sda\",direction=\"write\"} 2000");
    has(
        "headroom_limit_use_ratio_bucket{resource=\"block:sda\",measure=\"operations\",origin=\"measured\",le=\"0.5\"} 2",
    );
    has("headroom_watch_samples_total 2");
}

/// Every sample is of a metric that has a line of help and of type before it, once.
#[test]
fn each_metric_is_described_once_before_its_samples() {
    let text = metrics().text();
    let mut described = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let name = rest.split(' ').next().unwrap().to_owned();
            assert!(!described.contains(&name), "{name} twice");
            described.push(name);
        } else if !line.starts_with('#') {
            let name = line.split(['{', ' ']).next().unwrap();
            let is_of = |known: &String| {
                let rest = name.strip_prefix(known.as_str());
                rest.is_some_and(|rest| ["", "_bucket", "_sum", "_count"].contains(&rest))
            };
            assert!(is_of(described.last().unwrap()), "{line}");
            assert!(line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(), "{line}");
        }
    }
    assert!(described.len() > 12 && described.iter().all(|name| name.starts_with("headroom_")));
}

fn asked(address: std::net::SocketAddr, question: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    // One that asks too much is hung up on.
    let _ = stream.write_all(question.as_bytes());
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

#[test]
fn only_this_machine_gets_them_and_no_page_of_a_stranger() {
    let metrics = metrics();
    let anywhere: std::net::SocketAddr = "0.0.0.0:0".parse().unwrap();
    let refused = MetricServer::start(anywhere, false, &metrics);
    assert!(matches!(refused, Err(MetricServerError::Reachable(_))));
    let server = MetricServer::start("127.0.0.1:0".parse().unwrap(), false, &metrics).unwrap();
    let address = server.address();
    let ask = |line: &str, host: &str| asked(address, &format!("{line} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    let told = ask("GET /metrics", &address.to_string());
    assert!(told.starts_with("HTTP/1.1 200 OK\r\n") && told.contains("version=0.0.4"), "{told}");
    assert!(told.ends_with(&metrics.text()));
    assert!(ask("GET /metrics?x=1", "localhost:9").starts_with("HTTP/1.1 200"));
    assert!(ask("GET /metrics", "[::1]:9").starts_with("HTTP/1.1 200"));
    assert!(ask("GET /metrics", "evil.example").starts_with("HTTP/1.1 421"));
    assert!(ask("GET /etc/passwd", "localhost").starts_with("HTTP/1.1 404"));
    assert!(ask("POST /metrics", "localhost").starts_with("HTTP/1.1 405"));
    assert!(asked(address, &format!("GET / HTTP/1.1\r\n{}\r\n\r\n", "a: b\r\n".repeat(2000))).is_empty());
}

#[test]
fn what_is_unknown_has_no_share() {
    let metrics = WatchMetrics::new("h", "1");
    let readings = Fake::default().disk("sda", 10.0, 0.0, 4096.0, 0.001);
    metrics.take(&situation(&readings, &LimitBook::default(), &[]), 1.0);
    let text = metrics.text();
    assert!(text.contains("headroom_limit_known{resource=\"block:sda\"} 0\n"), "{text}");
    assert!(!text.contains("used_high_ratio{resource=\"block:sda\""), "{text}");
}
