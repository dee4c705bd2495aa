//! Each verdict on a connection that can be brought about on one machine is, and
//! must be named. Imposed rates, windows, the receiver's processor, the round trip
//! and packets that are not carried are in `network`; loss, delay and bonds are in
//! the guest.

use std::time::Duration;

use crate::hosts::{Hosts, finding, found, metric, state_speed, tool};
use crate::wire::{Way, Wire};

/// Two hosts with a wire of 100 Mbit/s between them, of which no interface says how
/// fast it is, and a node at its far end.
fn wired(name: &str) -> (Hosts, Wire) {
    let mut hosts = Hosts::new(name);
    let wire = Wire::lay(Way::of(100), (&hosts.near, "near0"), (&hosts.far, "far0")).unwrap();
    hosts.address(0, "near0", "far0");
    hosts.start_node();
    (hosts, wire)
}

/// One byte a call: the sender has nothing to do but calls. What acknowledges is
/// slow, so that all that is called for in the meantime makes one segment (RFC 896),
/// and segments are few.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_sender_whose_calls_take_all_its_time_is_named() {
    let mut hosts = Hosts::new("calls");
    hosts.lay_veth(0);
    hosts.address(0, "near0", "far0");
    let slow = ["tbf", "rate", "1mbit", "burst", "1600", "latency", "100ms"];
    tool("tc", &[&["-n", &hosts.far, "qdisc", "add", "dev", "far0", "root"], &slow[..]].concat());
    hosts.start_node();
    let calls = ["net.stream", "--buffer", "1", "--read-buffer", "1MiB"];
    let short = ["--duration", "500ms", "--warm-up", "100ms", "--trials", "1"];
    let mut document = hosts.run(&[&calls[..], &short].concat());
    for _ in 0..5 {
        // A hypervisor may have taken the processor away, which is said; not always.
        let taken = ["cpu-stolen", "all-cores-full", "own-cores-full"]
            .iter()
            .any(|code| found(&document, 0, code).is_some());
        if !taken || found(&document, 0, "sender-cpu").is_some() {
            break;
        }
        document = hosts.run(&[&calls[..], &short].concat());
    }
    let named = finding(&document, 0, "sender-cpu");
    assert!(named["args"]["share"].as_f64().unwrap() >= 0.95, "{named:#}");
    assert_eq!(named["evidence"][0]["at"]["metric"], "cpu_per_byte", "{named:#}");
}

/// TCP's own account misses a window over a long way: each acknowledgement opens it a
/// little, and that is used at once.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_window_over_a_long_way_is_named() {
    let mut hosts = Hosts::new("long");
    let way = Way { delay: Duration::from_millis(5), ..Way::of(1000) };
    let _wire = Wire::lay(way, (&hosts.near, "near0"), (&hosts.far, "far0")).unwrap();
    hosts.address(0, "near0", "far0");
    hosts.start_node();
    let load = ["net.stream", "--duration", "1s", "--warm-up", "500ms", "--trials", "1"];
    for direction in ["send", "receive"] {
        let held = hosts.run(&[&load[..], &["--window", "64KiB", "--direction", direction]].concat());
        let named = finding(&held, 0, "window-bound");
        assert_eq!(named["args"]["by"], "flight", "{named:#}");
        assert!(named["args"]["share"].as_f64().unwrap() >= 0.8, "{named:#}");
        let free = hosts.run(&[&load[..], &["--direction", direction]].concat());
        assert!(found(&free, 0, "window-bound").is_none(), "{free:#}");
    }
}

/// Nobody knows what holds it back until the interface states its speed.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_full_link_is_named_and_a_short_transfer_looks_faster_than_it() {
    let (hosts, _wire) = wired("wire");
    let short = ["net.stream", "--duration", "200ms", "--warm-up", "300ms", "--trials", "1"];
    let unknown = hosts.run(&short);
    let said = finding(&unknown, 0, "cannot-tell");
    let missing = said["evidence"].as_array().unwrap();
    assert!(missing.iter().any(|e| e["code"] == "no-account"), "{said:#}");

    state_speed((&hosts.near, "near0"), 100);
    state_speed((&hosts.far, "far0"), 100);
    let full = hosts.run(&["net.stream", "--duration", "1s", "--warm-up", "500ms", "--trials", "1"]);
    let named = finding(&full, 0, "link-full");
    assert!(named["text"].as_str().unwrap().contains("link at 100 Mbit/s, as somebody set it"), "{named:#}");
    // 100 Mbit/s less preambles, gaps and heads.
    let goodput = 100e6 / 8.0 * 1448.0 / 1538.0;
    let got = metric(&full, 0, "throughput");
    assert!((got / goodput - 1.0).abs() < 0.1, "{got} of {goodput}");

    // Study D's: what the sender's kernel took is not what the wire carried.
    let counted = hosts.run(&["net.stream", "--bytes", "1MiB", "--trials", "2"]);
    let held = finding(&counted, 0, "short-transfer");
    assert!(held["args"]["held"].as_u64().unwrap() > 20_000, "{held:#}");
    let (sent, got) = (metric(&counted, 0, "sender_throughput"), metric(&counted, 0, "throughput"));
    assert!(sent > got, "{sent} {got}");
}

/// Study D's "single port": the route names one interface, a rule for TCP alone has
/// the data leave by another. Answers go where the route says.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn data_that_leaves_by_another_interface_is_named_with_it() {
    let mut hosts = Hosts::new("route");
    for number in [0, 1] {
        hosts.lay_veth(number);
        hosts.address(number, &format!("near{number}"), &format!("far{number}"));
    }
    let near = hosts.near.clone();
    hosts.ip(&near, &["route", "add", "10.217.0.2", "dev", "near1", "table", "99", "src", "10.217.0.1"]);
    hosts.ip(&near, &["rule", "add", "to", "10.217.0.2", "ipproto", "tcp", "lookup", "99"]);
    hosts.start_node();
    let ways = ["net.stream", "--direction", "send,receive"];
    let document = hosts.run(&[&ways[..], &["--duration", "300ms", "--trials", "1"]].concat());
    let named = finding(&document, 0, "other-route");
    assert_eq!(named["resource"], "nic:near0", "{named:#}");
    assert_eq!(named["args"]["other"], "nic:near1", "{named:#}");
    assert!(named["args"]["share"].as_f64().unwrap() < 0.1, "{named:#}");
    // What comes, comes as it should.
    assert!(found(&document, 1, "other-route").is_none());
}

/// A firewall tells TCP at once that it dropped what was to leave, so that nothing is lost and nothing is sent again.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn what_a_firewall_of_the_sender_drops_is_named_with_it() {
    if std::process::Command::new("nft").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: there is no nft");
        println!("skipped: there is no nft");
        return;
    }
    let mut hosts = Hosts::new("unsent");
    hosts.lay_veth(0);
    hosts.address(0, "near0", "far0");
    hosts.start_node();
    for words in [
        "add table inet test",
        "add chain inet test out { type filter hook output priority 0 ; }",
        "add rule inet test out tcp dport 7117 accept",
        "add rule inet test out oifname near0 limit rate over 10 mbytes/second burst 1 mbytes drop",
    ] {
        tool("ip", &["netns", "exec", &hosts.near, "nft", words]);
    }
    let document = hosts.run(&["net.stream", "--duration", "1500ms", "--warm-up", "500ms", "--trials", "2"]);
    let named = finding(&document, 0, "loss-bound");
    assert_eq!(named["args"]["how"], "unsent", "{named:#}");
    assert_eq!(named["args"]["what"], "filtered-out", "{named:#}");
    assert_eq!(named["args"]["end"], "near", "{named:#}");
    let rate = metric(&document, 0, "throughput");
    assert!((8e6..13e6).contains(&rate), "{rate}");
}
