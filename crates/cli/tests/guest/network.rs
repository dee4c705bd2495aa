//! Paths that lose, delay and reorder packets, and bonds: what needs netem and
//! bonding, which few machines' kernels have.

use crate::common::{StoryFolder, stderr};
use crate::hosts::{Hosts, finding, found, metric, state_speed, tool};
use crate::test_bed::{TestBed, does};
use crate::wire::{Way, Wire};

/// One trial is enough: what is asked is what it was like.
const ONCE: &[&str] = &["--warm-up", "300ms", "--trials", "1"];

fn run(hosts: &Hosts, load: &[&str]) -> serde_json::Value {
    hosts.run(&[load, ONCE].concat())
}

/// Has netem treat what leaves by the near interface in this way.
fn netem(hosts: &Hosts, words: &[&str]) {
    let replace = ["-n", &hosts.near, "qdisc", "replace", "dev", "near0", "root", "netem"];
    tool("tc", &[&replace[..], words].concat());
}

/// The number of a finding's argument.
fn number(finding: &serde_json::Value, name: &str) -> f64 {
    finding["args"][name].as_f64().unwrap_or_else(|| panic!("{name} is not in {finding:#}"))
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_path_that_loses_delays_and_reorders_is_told_by_each() {
    let _ground = TestBed::new();
    let mut hosts = Hosts::new("netem");
    hosts.lay_veth(0);
    hosts.address(0, "near0", "far0");
    hosts.start_node();

    // At 2 % and 10 ms a connection gets 1.2 MB/s, by the formula of Mathis: of
    // 850 segments 17 are sent again.
    netem(&hosts, &["delay", "10ms", "loss", "2%"]);
    let lossy = run(&hosts, &["net.stream", "--duration", "1s"]);
    let share = number(finding(&lossy, 0, "loss-bound"), "share");
    assert!((0.004..0.08).contains(&share), "{share}");

    // 1,250 small datagrams in two seconds, so that a receiver that is late loses none:
    // a share of 5 % is told to within 0.6 %, two times in three.
    netem(&hosts, &["delay", "10ms", "loss", "5%", "reorder", "20%"]);
    let small = ["--buffer", "200", "--bit-rate", "1m", "--window", "1MiB", "--duration", "2s"];
    let datagrams = run(&hosts, &[&["net.stream", "--protocol", "udp"], &small[..]].concat());
    let (loss, reordered) = (metric(&datagrams, 0, "loss"), metric(&datagrams, 0, "reordered"));
    assert!((0.02..0.08).contains(&loss), "{loss}");
    // One in five overtakes those of the 10 ms before it.
    assert!(reordered > 50.0, "{reordered}");

    netem(&hosts, &["delay", "20ms"]);
    let late = run(&hosts, &["net.pingpong", "--message-size", "1", "--duration", "1s"]);
    let mean = number(finding(&late, 0, "round-trip-bound"), "latency_s");
    // It may last longer in a guest, but not less.
    let half = metric(&late, 0, "half_round_trip");
    assert!((0.02..0.5).contains(&mean) && (0.01..0.25).contains(&half), "{mean} {half}");
}

/// What payload gets at most of wires of so many Mbit/s, B/s: TCP without timestamps.
fn goodput(mbit: f64) -> f64 {
    mbit * 1e6 / 8.0 * 1460.0 / 1538.0
}

/// Two wires between the hosts, and a bond of this mode over them at both ends.
fn bonded(hosts: &Hosts, mode: &str) {
    for (namespace, end) in [(&hosts.near, "near"), (&hosts.far, "far")] {
        hosts.ip(namespace, &["link", "add", "bond0", "type", "bond", "mode", mode, "miimon", "50"]);
        for number in 0..2 {
            let member = format!("{end}{number}");
            hosts.ip(namespace, &["link", "set", &member, "down"]);
            hosts.ip(namespace, &["link", "set", &member, "master", "bond0"]);
        }
        if mode == "active-backup" {
            let first = format!("{end}0");
            hosts.ip(namespace, &["link", "set", "bond0", "up"]);
            hosts.ip(namespace, &["link", "set", "bond0", "type", "bond", "active_slave", &first]);
        }
    }
    hosts.address(0, "bond0", "bond0");
}

/// The route is the bond's, and the bond carried the data; its limit.
fn went_over_bond(document: &serde_json::Value) -> f64 {
    let trial = &document["cases"][0]["trials"][0];
    assert_eq!(trial["loads"][0]["facts"]["interface"], "bond0", "{trial:#}");
    assert_eq!(trial["loads"][1]["facts"]["interface"], "bond0", "{trial:#}");
    assert!(found(document, 0, "other-route").is_none(), "{:#}", document["cases"][0]["findings"]);
    let limits = document["machines"][0]["limits"].as_array().unwrap();
    let of_bond = limits.iter().find(|l| l["resource"] == "nic:bond0");
    of_bond.unwrap_or_else(|| panic!("no limit of the bond: {limits:#?}"))["effective"].as_f64().unwrap()
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_bond_carries_what_its_members_do_and_outlives_one() {
    let _ground = TestBed::new();
    does(&["modprobe", "tun"]);
    let mut hosts = Hosts::new("bond");
    let mut wires = Vec::new();
    for number in 0..2 {
        let (near, far) = (format!("near{number}"), format!("far{number}"));
        let ends = ((hosts.near.as_str(), near.as_str()), (hosts.far.as_str(), far.as_str()));
        wires.push(Wire::lay(Way::of(20), ends.0, ends.1).unwrap());
        state_speed(ends.0, 20);
        state_speed(ends.1, 20);
    }
    bonded(&hosts, "active-backup");
    hosts.start_node();
    let one = run(&hosts, &["net.stream", "--duration", "1s"]);
    assert!((went_over_bond(&one) / goodput(20.0) - 1.0).abs() < 1e-6, "of the member in use");

    // The one in use goes away at one end: the wire tells the other nothing.
    for (namespace, member) in [(&hosts.near, "near0"), (&hosts.far, "far0")] {
        hosts.ip(namespace, &["link", "set", member, "down"]);
    }
    let other = run(&hosts, &["net.stream", "--duration", "1s"]);
    assert!((went_over_bond(&other) / goodput(20.0) - 1.0).abs() < 1e-6, "of the one that is left");
    assert!(metric(&other, 0, "throughput") > 1e5);

    for namespace in [&hosts.near, &hosts.far] {
        hosts.ip(namespace, &["link", "del", "bond0"]);
    }
    bonded(&hosts, "balance-rr");
    let both = run(&hosts, &["net.stream", "--duration", "1s"]);
    assert!((went_over_bond(&both) / goodput(40.0) - 1.0).abs() < 1e-6, "the sum");
}

/// An interface below a VLAN, a bond of two with a VLAN on it, and routes over all of
/// them, one with an MTU of its own.
const STACKED: &str = "
    ip link add va type veth peer name vb; ip link set vb up; ip link set va up
    ip link add link va name va.10 type vlan id 10; ip addr add 10.213.10.1/24 dev va.10; ip link set va.10 up
    ip link add bond0 type bond mode active-backup miimon 50
    for n in 0 1; do ip link add m$n type veth peer name p$n; ip link set p$n up; ip link set m$n master bond0; done
    ip addr add 10.213.1.1/24 dev va; ip addr add 10.213.2.1/24 dev bond0; ip link set bond0 up
    ip link add link bond0 name bond0.20 type vlan id 20; ip addr add fd00:20::1/64 dev bond0.20 nodad
    ip link set bond0.20 up
    ip route add 10.99.0.0/16 via 10.213.10.2; ip route add 10.98.0.0/16 via 10.213.2.2 mtu 1400";

/// All that an MTU has to do with.
const MTUS: &str = "
    for i in va va.10 bond0 bond0.20 m0 m1; do echo $i $(cat /sys/class/net/$i/mtu); done
    ip route show table all | sort; ip -6 route show table all | sort
    grep . /proc/sys/net/ipv6/conf/*/mtu";

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn an_mtu_is_put_back_with_those_of_vlans_and_bonds() {
    let mut bed = TestBed::new();
    bed.module("8021q", &[]);
    bed.build(&["modprobe", "bonding", "max_bonds=0"], &["true"]);
    bed.build(&["ip", "netns", "add", "stacked"], &["ip", "netns", "del", "stacked"]);
    let shell = |lines: &str| does(&["ip", "netns", "exec", "stacked", "sh", "-e", "-c", lines]);
    shell(STACKED);
    std::thread::sleep(std::time::Duration::from_secs(2));
    let before = shell(MTUS);
    let place = StoryFolder::new();
    for (name, mtu) in [("va", 1300), ("va", 9000), ("bond0", 1300), ("bond0", 9000), ("m0", 9000)] {
        let set = format!("mtu@{name}={mtu}");
        let words = ["run", "null", "--duration", "50ms", "--warm-up", "0", "--trials", "1", "--json"];
        let there = place.command(&words);
        let mut command = std::process::Command::new("ip");
        command.args(["netns", "exec", "stacked"]).arg(there.get_program()).args(there.get_args());
        command.args(["--set", &set]).env("HEADROOM_STATE", place.path().join("state"));
        let output = command.current_dir(place.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{set}: {}", stderr(&output));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let state = &document["cases"][0]["settings"][format!("mtu@{name}")][0];
        assert_eq!(state["read_back"], mtu, "{set}: {state}");
        std::thread::sleep(std::time::Duration::from_secs(1));
        assert_eq!(shell(MTUS), before, "{set}");
    }
}
