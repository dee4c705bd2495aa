//! What goes wrong between two machines while they measure: a link that goes
//! down, packets that vanish, an end that is stopped, ports and disks that are
//! used up. The trial fails with the reason, nothing hangs, and both ends are as
//! they were. Needs root, `ip` and `tc`.

use std::process::{Child, Output, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{eventually, lives, signal, stderr, stdout, trials};
use crate::network::{TestNetwork, codes, metric, tool};

/// A run of 60 s, to which a story does something; ended when it is dropped.
struct Fault<'a> {
    network: &'a TestNetwork,
    run: Option<Child>,
}

impl Drop for Fault<'_> {
    fn drop(&mut self) {
        if let Some(mut run) = self.run.take() {
            let _ = run.kill();
            let _ = run.wait();
        }
    }
}

impl<'a> Fault<'a> {
    /// A run that changes the MTU at both ends; returns when its load runs.
    fn during(network: &'a TestNetwork, load: &[&str]) -> Self {
        let join = &network.joins[0];
        let with =
            ["--peer", join, "--set", "mtu=1400", "--duration", "60s", "--warm-up", "0", "--trials", "1"];
        let mut command = network.within(&network.near, &[&["run"], load, &with].concat());
        let run = Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        let fault = Self { network, run };
        eventually("both ends are changed", || network.mtus() == (1400, 1400));
        eventually("its load runs", || network.connections() >= 2);
        std::thread::sleep(std::time::Duration::from_secs(1));
        fault
    }

    fn ended(&mut self) -> Output {
        self.run.take().unwrap().wait_with_output().unwrap()
    }

    /// Waits for its end: the trial failed with a reason that has all of these
    /// words, and all is put back.
    fn fails(mut self, says: &[&str]) {
        let began = std::time::Instant::now();
        let output = self.ended();
        // Against hanging, not for speed.
        assert!(began.elapsed().as_secs() < 50, "{:?}", began.elapsed());
        assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
        let document = self.network.place.stored();
        let all = trials(&document);
        assert_eq!((all.len(), all[0]["status"].as_str()), (1, Some("failed")));
        let reason = all[0]["reason"].as_str().unwrap();
        assert!(says.iter().all(|word| reason.contains(word)), "{reason}");
        println!("{}{}", stdout(&output), stderr(&output));
        self.network.is_as_it_was();
    }
}

impl TestNetwork {
    fn mtus(&self) -> (u64, u64) {
        let mtu = |namespace: &str, interface: &str| -> u64 {
            let shown = std::process::Command::new("ip")
                .args(["-n", namespace, "-j", "link", "show", interface])
                .output()
                .unwrap();
            let all: Value = serde_json::from_slice(&shown.stdout).unwrap();
            all[0]["mtu"].as_u64().unwrap()
        };
        (mtu(&self.near, "near0"), mtu(&self.far, "far0"))
    }

    /// TCP connections of the near end.
    fn connections(&self) -> usize {
        let mut command = std::process::Command::new("ip");
        command.args(["netns", "exec", &self.near, "cat", "/proc/net/tcp"]);
        let shown = stdout(&command.output().unwrap());
        // 01 is TCP_ESTABLISHED.
        shown.lines().filter(|line| line.split_whitespace().nth(3) == Some("01")).count()
    }

    fn agents(&self) -> Vec<u32> {
        let node = self.node.as_ref().unwrap().id();
        let tasks = std::fs::read_dir(format!("/proc/{node}/task")).unwrap();
        let of = |task: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(task.ok()?.path().join("children")).ok()
        };
        let all: Vec<String> = tasks.filter_map(of).collect();
        all.iter().flat_map(|list| list.split_whitespace()).filter_map(|word| word.parse().ok()).collect()
    }

    /// Settings, journal and processes.
    fn is_as_it_was(&self) {
        eventually("both ends are put back", || self.mtus() == (1500, 1500));
        eventually("the journal is empty", || !self.place.path().join("settings.journal").exists());
        eventually("the node has no agent", || self.agents().is_empty());
    }

    fn serves(&self) {
        let next = self.run(&["net.stream", "--duration", "200ms"]);
        assert!(metric(&next, 0, "throughput") > 1e6);
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_link_that_goes_down_in_the_middle_is_named_and_both_ends_are_put_back() {
    let network = TestNetwork::new("down");
    let fault = Fault::during(&network, &["net.pingpong"]);
    tool("ip", &["-n", &network.far, "link", "set", "far0", "down"]);
    fault.fails(&["near0 lost its carrier"]);
    tool("ip", &["-n", &network.far, "link", "set", "far0", "up"]);
    network.serves();
    let fault = Fault::during(&network, &["net.stream", "--direction", "receive"]);
    tool("ip", &["-n", &network.near, "link", "set", "near0", "down"]);
    fault.fails(&["near0 was switched off"]);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn packets_that_vanish_in_the_middle_end_the_trial_at_both_ends() {
    let network = TestNetwork::new("vanish");
    let fault = Fault::during(&network, &["net.stream"]);
    // Both interfaces stay up: somebody on the way takes the packets.
    let to = ["lladdr", "02:00:00:00:00:99", "dev", "near0", "nud", "permanent"];
    tool("ip", &[&["-n", &network.near, "neigh", "replace", "10.215.0.2"], &to[..]].concat());
    fault.fails(&["gone"]);
    tool("ip", &["-n", &network.near, "neigh", "del", "10.215.0.2", "dev", "near0"]);
    network.serves();
}

/// Bug: "the link or the other end is gone, or its program is stopped".
#[test]
#[ignore = "long: cargo xtask test --long"]
fn large_packets_that_vanish_while_small_ones_pass_are_told_as_that() {
    let network = TestNetwork::new("hole");
    // Each packet by itself, for a veth pair carries larger ones uncut.
    tool("ip", &["-n", &network.near, "link", "set", "near0", "gso_max_segs", "1"]);
    let fault = Fault::during(&network, &["net.stream"]);
    // The kernel drops what is larger at this end, and tells nobody.
    tool("ip", &["-n", &network.far, "link", "set", "far0", "mtu", "1300"]);
    fault.fails(&["packets of 1400 bytes do not reach the other end", "ICMP", "tcp_mtu_probing"]);
    network.serves();
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn an_agent_that_is_stopped_at_the_node_is_noticed_and_put_back() {
    let network = TestNetwork::new("stopped");
    let fault = Fault::during(&network, &["net.pingpong"]);
    let agents = network.agents();
    assert_eq!(agents.len(), 1);
    signal(agents[0], Signal::STOP);
    fault.fails(&["the other end", "no sign of life"]);
    assert!(!lives(agents[0]));
    network.serves();
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_node_that_is_stopped_is_noticed_and_goes_on_without_harm() {
    let network = TestNetwork::new("asleep");
    let node = network.node.as_ref().unwrap().id();
    // For a moment: nobody minds.
    let join = &network.joins[0];
    let run = ["run", "net.stream", "--peer", join, "--duration", "4s", "--trials", "1"];
    let run =
        network.within(&network.near, &run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("its load runs", || network.connections() >= 2);
    signal(node, Signal::STOP);
    std::thread::sleep(std::time::Duration::from_secs(1));
    signal(node, Signal::CONT);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));

    let mut fault = Fault::during(&network, &["net.stream"]);
    signal(node, Signal::STOP);
    let output = fault.ended();
    signal(node, Signal::CONT);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    let document = network.place.stored();
    let reason = trials(&document)[0]["reason"].as_str().unwrap();
    assert!(reason.contains("nothing came from it") && reason.contains("stopped"), "{reason}");
    network.is_as_it_was();
    network.serves();
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn ports_that_run_out_are_told_with_how_many_there_are() {
    let network = TestNetwork::new("ports");
    let narrow = ["sysctl", "-q", "net.ipv4.ip_local_port_range=40000 40099"];
    tool("ip", &[&["netns", "exec", &network.near], &narrow[..]].concat());
    let document = network.run(&["net.connect", "--close", "near", "--duration", "2s", "--warm-up", "0"]);
    let reason = trials(&document)[0]["reason"].as_str().unwrap();
    for part in ["no port", "has 100 ports, 40000 to 40099", "TIME_WAIT", "close=far", " connections:"] {
        assert!(reason.contains(part), "{reason}");
    }
    // The other end closes: ports come free at once.
    let document = network.run(&["net.connect", "--duration", "500ms", "--warm-up", "0"]);
    assert!(metric(&document, 0, "connections_per_second") > 200.0);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_disk_that_is_full_ends_the_run_and_puts_both_ends_back() {
    let network = TestNetwork::new("full");
    std::fs::create_dir(network.place.path().join("small")).unwrap();
    let inner = network.within(&network.near, &["run"]);
    let environment = inner.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
    // The store's disk is filled after the first trial.
    let script = "mount -t tmpfs -o size=4m none small; \
                  \"$HEADROOM\" run net.stream --peer \"$JOIN\" --set mtu=1400 --duration 1s --warm-up 0 --trials 8 \
                  --store small/store.db & run=$!; \
                  until \"$HEADROOM\" export last --store small/store.db 2>/dev/null | grep -q '\"ok\"'; do sleep 0.1; done; \
                  dd if=/dev/zero of=small/filler bs=64k 2>/dev/null; wait $run; code=$?; umount -l small; exit $code";
    let output = std::process::Command::new("ip")
        .args(["netns", "exec", &network.near, "unshare", "-m", "sh", "-c", script])
        .envs(environment)
        .env("HEADROOM", crate::common::program())
        .env("JOIN", &network.joins[0])
        .current_dir(network.place.path())
        .output()
        .unwrap();
    let said = stderr(&output).split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "");
    println!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("no space is left") && said.contains("trials in the summary above are stored"),
        "{said}"
    );
    // What was measured is shown, as not all of it is kept.
    assert!(stdout(&output).contains("net.stream"), "{}", stdout(&output));
    network.is_as_it_was();
}

#[test]
fn a_journal_that_cannot_be_written_keeps_everything_as_it_is() {
    let network = TestNetwork::new("journal");
    std::fs::create_dir(network.place.path().join("small")).unwrap();
    let script = "mount -t tmpfs -o size=64k none small; dd if=/dev/zero of=small/filler bs=4k 2>/dev/null; \
                  HEADROOM_STATE=small \"$HEADROOM\" run net.stream --peer \"$JOIN\" --set mtu=1400 --duration 300ms \
                  --trials 1 --store store.db; code=$?; umount -l small; exit $code";
    let output = std::process::Command::new("ip")
        .args(["netns", "exec", &network.near, "unshare", "-m", "sh", "-c", script])
        .env("HEADROOM", crate::common::program())
        .env("JOIN", &network.joins[0])
        .env("NO_COLOR", "1")
        .current_dir(network.place.path())
        .output()
        .unwrap();
    println!("{}{}", stdout(&output), stderr(&output));
    let said = format!("{}{}", stdout(&output), stderr(&output));
    assert_ne!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("journal") || said.contains("no space left"), "{said}");
    network.is_as_it_was();
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_path_that_answers_no_datagrams_is_probed_once_and_said_so_once() {
    let network = TestNetwork::new("deaf");
    // What the other end answers over UDP goes nowhere.
    tool("ip", &["-n", &network.far, "rule", "add", "ipproto", "udp", "blackhole"]);
    let document = network.run(&["net.stream", "--streams", "1,2", "--duration", "200ms"]);
    assert!(codes(&document, 0).contains(&"packet-size-unknown"), "{:?}", codes(&document, 0));
    assert!(!codes(&document, 1).contains(&"packet-size-unknown"));
    for trial in trials(&document) {
        assert_eq!(
            (trial["status"].as_str(), trial["loads"][0]["facts"].get("packet_carried")),
            (Some("ok"), None)
        );
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn one_node_at_two_addresses_is_one_machine_with_two_paths() {
    let network = TestNetwork::new("paths");
    let both = network.joins.join(",");
    let sets = ["--set", "mtu=1400,9000"];
    let document = network.run_over(&both, &[&["net.stream", "--duration", "200ms"], &sets[..]].concat());
    let machines = document["machines"].as_array().unwrap();
    assert_eq!(machines.len(), 2, "{:?}", machines.iter().map(|m| &m["id"]).collect::<Vec<_>>());
    let paths = ["10.215.0.2:7117", "10.216.0.2:7117"];
    assert_eq!(machines[1]["id"], paths[0]);
    assert_eq!(machines[1]["reached_as"], serde_json::json!(paths));
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 4);
    for case in cases {
        let first = case["loads"][0]["parameters"]["peer"] == paths[0];
        let trial = &case["trials"][0];
        assert_eq!(trial["status"], "ok", "{trial:#}");
        assert_eq!(trial["loads"][1]["machine"], paths[0]);
        assert_eq!(trial["loads"][1]["facts"]["interface"], if first { "far0" } else { "far1" });
    }
    network.is_as_it_was();
    let page = network.place.run(&["report", "last", "-o", "page.md"]);
    assert!(page.status.success(), "{}", stderr(&page));
    let page = std::fs::read_to_string(network.place.path().join("page.md")).unwrap();
    assert!(page.contains("10.215.0.2:7117, 10.216.0.2:7117: peer"), "no machine of two paths");
}
