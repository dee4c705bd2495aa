//! Two machines over IPv6: who is let in, all network loads, and what of a known
//! rate is left when a packet's head has 40 bytes. Needs root, `ip` and `tc`.

use crate::common::{eventually, stderr, stdout, trials};
use crate::network::{TestNetwork, codes, metric, tool};

/// With addresses of IPv6 on the first pair, and a node that listens at any
/// address of both families.
fn network(name: &str, node: &[&str]) -> TestNetwork {
    let mut network = TestNetwork::without_node(name);
    for (namespace, device, address) in
        [(&network.near, "near0", "fd15::1/64"), (&network.far, "far0", "fd15::2/64")]
    {
        tool("ip", &["-n", namespace, "addr", "add", address, "dev", device, "nodad"]);
    }
    network.start_node(&[&["--listen", "[::]:7117"], node].concat(), 3);
    assert!(network.joins[2].starts_with("headroom://[fd15::2]:7117#"), "{:?}", network.joins);
    network
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn every_load_runs_over_ipv6_and_its_packets_are_probed() {
    let network = network("six", &[]);
    let six = &network.joins[2];
    for load in ["net.stream", "net.pingpong", "net.connect", "net.loaded"] {
        let document = network.run_over(six, &[load, "--duration", "300ms"]);
        for trial in trials(&document) {
            assert_eq!(trial["status"], "ok", "{trial:#}");
            assert_eq!(trial["loads"][0]["facts"]["local_address"], "fd15::1", "{trial:#}");
            assert_eq!(trial["loads"][0]["facts"]["interface"], "near0");
            assert_eq!(trial["loads"][0]["facts"]["packet_carried"], 1500);
        }
        assert_eq!(document["machines"][1]["id"], "[fd15::2]:7117");
    }
    for load in ["net.stream", "net.pingpong"] {
        let udp = [load, "--protocol", "udp", "--duration", "300ms", "--local-address", "fd15::1"];
        for trial in trials(&network.run_over(six, &udp)) {
            assert_eq!(trial["status"], "ok", "{trial:#}");
        }
    }
    // An interface that sends more than the other end takes.
    tool("ip", &["-n", &network.near, "link", "set", "near0", "mtu", "9000"]);
    let jumbo = network.run_over(six, &["net.stream", "--duration", "200ms"]);
    let carried = trials(&jumbo)[0]["loads"][0]["facts"]["packet_carried"].as_u64().unwrap();
    assert!((1500..=1504).contains(&carried), "{carried}");
    assert!(codes(&jumbo, 0).contains(&"packet-not-carried"));
    // IPv4 reaches the same node: it sees mapped addresses and names them plain.
    let four = network.run(&["net.stream", "--duration", "200ms"]);
    assert_eq!(trials(&four)[0]["loads"][0]["facts"]["local_address"], "10.215.0.1");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_known_rate_is_met_over_ipv6_with_its_longer_head() {
    let network = network("sixrate", &[]);
    network.shape(&network.near, "near0", &["tbf", "rate", "100mbit", "burst", "256kb", "latency", "50ms"]);
    let document = network.run_over(&network.joins[2], &["net.stream", "--duration", "2s"]);
    let expected = 100e6 / 8.0 * 1428.0 / 1514.0;
    let got = metric(&document, 0, "throughput");
    assert!((got / expected - 1.0).abs() < 0.05, "{got} instead of {expected}");
    assert!(codes(&document, 0).contains(&"io-quota"), "{:?}", codes(&document, 0));
    let used = document["cases"][0]["utilization"].as_array().unwrap();
    let share = used.iter().find(|u| u["resource"] == "nic:near0").unwrap();
    // What is held against is what IPv6 leaves, not what IPv4 would.
    let limit = share["limit"].as_f64().unwrap();
    assert!((limit / expected - 1.0).abs() < 1e-6, "{limit} instead of {expected}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn networks_of_ipv6_are_allowed_and_others_turned_away() {
    let network = network("sixallow", &["--allow", "fd15::/64"]);
    let short = ["net.stream", "--duration", "200ms"];
    assert!(metric(&network.run_over(&network.joins[2], &short), 0, "throughput") > 1e6);
    let refused = |peer: &str| {
        let run = [&["run"], &short[..], &["--peer", peer]].concat();
        let output = network.within(&network.near, &run).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
        stderr(&output).split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "")
    };
    // It comes as ::ffff:10.215.0.1, and is no neighbour of fd15::/64.
    let said = refused(&network.joins[0]);
    assert!(said.contains("does not name it"), "{said}");
    let local = network.joins[2].replace("[fd15::2]", "[fe80::2%near0]");
    let said = refused(&local);
    assert!(said.contains("is a link-local address") && said.contains("fd00::2/64"), "{said}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn stock_iperf3_is_met_over_ipv6_both_ways() {
    let network = network("sixperf", &["--iperf3", "--allow", "fd15::/64,10.215.0.0/24"]);
    let within = |namespace: &str, program: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new("ip");
        command.args(["netns", "exec", namespace, program]).args(arguments);
        command
    };
    for more in [&[][..], &["-R"], &["-u", "-b", "10M"]] {
        let client = [&["-6", "-c", "fd15::2", "-t", "1"], more].concat();
        let output = within(&network.near, "iperf3", &client).output().unwrap();
        assert!(output.status.success(), "{more:?}: {}{}", stdout(&output), stderr(&output));
    }
    let mut server = within(&network.far, "iperf3", &["-s", "-p", "5301"]);
    let mut server = server.stdout(std::process::Stdio::null()).spawn().unwrap();
    eventually("it listens", || {
        let shown = within(&network.far, "cat", &["/proc/net/tcp6"]).output().unwrap();
        stdout(&shown).contains(&format!(":{:04X} ", 5301))
    });
    let run = ["run", "net.stream", "--peer", "iperf3://[fd15::2]:5301", "--duration", "1s", "--trials", "1"];
    let output = network.within(&network.near, &run).output().unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}
