//! A stock server of iperf3 as the other end of `net.stream`, as a person asks
//! for it. What the server's words mean is tested beside the agent.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::StoryFolder;

/// A stock server; it ends with the story.
struct Stock {
    child: Child,
    port: u16,
}

impl Stock {
    /// None where there is no iperf3; in CI there is.
    fn begin() -> Option<Self> {
        let found = Command::new("iperf3").arg("--version").output();
        if !found.is_ok_and(|o| o.stdout.starts_with(b"iperf 3.")) {
            assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped");
            println!("skipped: there is no iperf3 to speak with");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("iperf3")
            .args(["-s", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // One that does not listen yet is asked again.
        Some(Self { child, port })
    }

    fn peer(&self) -> String {
        format!("iperf3://127.0.0.1:{}", self.port)
    }
}

impl Drop for Stock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn metric(trial: &Value, name: &str) -> f64 {
    trial["loads"][0]["metrics"][name]["value"]
        .as_f64()
        .unwrap_or_else(|| panic!("{name} is missing: {trial:#}"))
}

#[test]
fn a_stock_server_is_the_other_end_of_a_stream() {
    let Some(stock) = Stock::begin() else { return };
    let place = StoryFolder::new();
    let peer = stock.peer();
    let ways: [(usize, &[&str]); 3] = [
        (3, &["--direction", "send,receive,both", "--streams", "2"]),
        (1, &["--bytes", "5M"]),
        (2, &["--protocol", "udp", "--bit-rate", "20M", "--buffer", "1k", "--direction", "send,receive"]),
    ];
    for (cases, way) in ways {
        let base = [
            "run",
            "net.stream",
            "--peer",
            &peer,
            "--duration",
            "300ms",
            "--warm-up",
            "50ms",
            "--trials",
            "1",
        ];
        let (code, document) = place.document(&[&base, way].concat());
        assert_eq!(code, 0, "{way:?}: {document:#}");
        let all = document["cases"].as_array().unwrap();
        assert_eq!(all.len(), cases);
        for trial in all.iter().map(|case| &case["trials"][0]) {
            assert_eq!(trial["status"].as_str(), Some("ok"), "{way:?}: {trial:#}");
            assert!(metric(trial, "throughput") > 0.0, "{way:?}");
            if way.contains(&"udp") {
                assert!(metric(trial, "loss") < 1.0 && metric(trial, "jitter") >= 0.0, "{way:?}");
            }
            // What the server told stands beside it, by its name.
            let theirs = &trial["loads"][1];
            assert_eq!(theirs["machine"], peer.as_str(), "{way:?}");
            assert!(theirs["facts"]["peer_tool"].as_str().unwrap().starts_with("iperf"), "{theirs:#}");
            assert_eq!(trial["loads"][0]["facts"].get("clock_uncertainty"), None);
        }
    }
}

#[test]
fn what_a_stock_server_cannot_do_is_refused_before_anything_runs() {
    let Some(stock) = Stock::begin() else { return };
    let place = StoryFolder::new();
    let peer = stock.peer();
    let output =
        place.run(&["run", "net.stream", "--peer", &peer, "--streams", "200", "--duration", "300ms"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("at most 128 streams"), "{said}");
}
