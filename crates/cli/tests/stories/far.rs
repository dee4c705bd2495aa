//! What only one end of a connection can count is told with its name: datagrams
//! for which its socket had no room, packets that its queue dropped, a processor
//! that packets fill. Two network namespaces are the two ends. Needs root, `ip` and
//! `tc`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::{StoryFolder, stderr};

/// Two namespaces with a veth pair between them and a node in the second; gone
/// when it is dropped.
struct TestNetwork {
    near: String,
    far: String,
    place: StoryFolder,
    node: Option<Child>,
    join: String,
}

impl TestNetwork {
    fn new(name: &str) -> Self {
        let name = |end: &str| format!("hr-{name}-{}-{end}", std::process::id());
        let (near, far) = (name("a"), name("b"));
        let mut network = Self { near, far, place: StoryFolder::new(), node: None, join: String::new() };
        let (a, b) = (network.near.as_str(), network.far.as_str());
        tool(&["ip", "netns", "add", a]);
        tool(&["ip", "netns", "add", b]);
        tool(&["ip", "-n", a, "link", "add", "near0", "type", "veth", "peer", "name", "far0", "netns", b]);
        for (namespace, interface, address) in [(a, "near0", "10.218.0.1/24"), (b, "far0", "10.218.0.2/24")] {
            tool(&["ip", "-n", namespace, "addr", "add", address, "dev", interface]);
            tool(&["ip", "-n", namespace, "link", "set", interface, "up"]);
        }
        let mut node = network
            .within(b, &["node", "--listen", "10.218.0.2:7117", "--key-file", "node.json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(node.stdout.take().unwrap()).lines();
        network.join = lines.next().unwrap().unwrap();
        network.node = Some(node);
        network
    }

    /// `headroom ARGUMENTS` in a namespace, before all others that want a CPU.
    fn within(&self, namespace: &str, arguments: &[&str]) -> Command {
        let inner = self.place.command(arguments);
        let mut command = Command::new("ip");
        command.args(["netns", "exec", namespace, "nice", "-n", "-20"]);
        command.arg(inner.get_program()).args(inner.get_args());
        command.current_dir(self.place.path()).env("NO_COLOR", "1").env("HEADROOM_STATE", self.place.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Value {
        let more = ["--peer", &self.join, "--trials", "2", "--json=full"];
        let all = [&["run", "net.stream"], arguments, &more].concat();
        let output = self.within(&self.near, &all).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(&output)))
    }
}

impl Drop for TestNetwork {
    fn drop(&mut self) {
        if let Some(mut node) = self.node.take() {
            let _ = node.kill();
            let _ = node.wait();
        }
        for name in [&self.near, &self.far] {
            let _ = Command::new("ip").args(["netns", "del", name]).status();
        }
    }
}

fn tool(words: &[&str]) {
    let output = Command::new(words[0]).args(&words[1..]).output().expect("it is installed");
    assert!(output.status.success(), "{}: {}", words.join(" "), stderr(&output));
}

/// The findings of this code of the only case.
fn found<'a>(document: &'a Value, code: &str) -> Vec<&'a Value> {
    let all = document["cases"][0]["findings"].as_array().unwrap();
    all.iter().filter(|f| f["code"] == code).collect()
}

/// The finding that packets were dropped in this way.
fn dropped<'a>(document: &'a Value, what: &str) -> &'a Value {
    let all = found(document, "packets-dropped");
    let one = all.iter().find(|f| f["args"]["what"] == what);
    one.unwrap_or_else(|| panic!("{what}: {:#}", document["cases"][0]["findings"]))
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn datagrams_that_a_socket_has_no_room_for_are_told_of_the_end_that_dropped_them() {
    let network = TestNetwork::new("room");
    let document = network.run(&["--protocol", "udp", "--window", "4k", "--duration", "500ms"]);
    let finding = dropped(&document, "socket-drops");
    assert_eq!(finding["args"]["machine"], "10.218.0.2:7117");
    let count = finding["args"]["count"].as_f64().unwrap();
    let share = finding["args"]["share"].as_f64().unwrap();
    // The kernel's own counter of the far namespace, all trials together.
    let kernel =
        Command::new("ip").args(["netns", "exec", &network.far, "cat", "/proc/net/snmp"]).output().unwrap();
    let text = String::from_utf8(kernel.stdout).unwrap();
    let mut lines = text.lines().filter(|l| l.starts_with("Udp:")).map(|l| l.split(' ').collect::<Vec<_>>());
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    let at = names.iter().position(|name| *name == "RcvbufErrors").unwrap();
    let all: f64 = values[at].parse().unwrap();
    assert!(count > 0.0 && count <= all && share <= 1.0, "{count} of {all}, {share}");
    assert!(found(&document, "packets-dropped").iter().all(|f| f["args"]["what"] != "missed"));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn what_a_full_queue_drops_is_told_of_the_interface_before_it() {
    let network = TestNetwork::new("queue");
    let shape = ["tc", "-n", &network.near, "qdisc", "add", "dev", "near0", "root", "tbf", "rate", "50mbit"];
    tool(&[&shape[..], &["burst", "32kb", "limit", "60000"]].concat());
    let document = network.run(&["--protocol", "udp", "--bit-rate", "100m", "--duration", "500ms"]);
    let finding = dropped(&document, "queue-drops");
    assert_eq!(
        (finding["resource"].as_str(), finding["args"]["end"].as_str()),
        (Some("nic:near0"), Some("near"))
    );
    // Twice as much was sent as goes through.
    let share = finding["args"]["share"].as_f64().unwrap();
    assert!((0.3..0.7).contains(&share), "{share}");
    // And what went through is all that datagrams get: no more than the rate.
    let used = document["cases"][0]["utilization"].as_array().unwrap();
    let quota = used.iter().find(|u| u["kind"] == "quota").unwrap();
    assert!(quota["source"].as_str().unwrap().contains("datagrams of 1472 bytes"), "{quota}");
    let fraction = quota["fraction"].as_f64().unwrap();
    assert!((0.8..1.02).contains(&fraction), "{quota}");
}
