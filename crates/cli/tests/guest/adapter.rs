//! Settings of adapters with rings and interrupts: two that QEMU emulates, on a wire that leads
//! nowhere, with the drivers that such cards have.

use serde_json::Value;

use crate::common::{StoryFolder, stderr};
use crate::test_bed::{TestBed, does, eventually};

/// The interface of the adapter that this driver drives.
fn interface(driver: &str) -> String {
    let is_its = |name: &String| {
        let link = std::fs::read_link(format!("/sys/class/net/{name}/device/driver"));
        link.is_ok_and(|link| link.file_name().is_some_and(|leaf| leaf == driver))
    };
    let entries = std::fs::read_dir("/sys/class/net").unwrap();
    let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.find(is_its).unwrap_or_else(|| panic!("{driver} drives no interface"))
}

fn has_carrier(name: &str) -> bool {
    std::fs::read_to_string(format!("/sys/class/net/{name}/carrier")).is_ok_and(|text| text.trim() == "1")
}

/// A trial with this setting: the exit code, how the setting stood, and why the trial failed.
fn run(place: &StoryFolder, set: &str) -> (Option<i32>, Value, String) {
    let words =
        ["run", "null", "--duration", "50ms", "--warm-up", "0", "--trials", "1", "--json", "--set", set];
    let output = place.run(&words);
    let document: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{set}: {e}: {}", stderr(&output)));
    let case = &document["cases"][0];
    let key = set.split_once('=').unwrap().0;
    let reason = case["trials"][0]["reason"].as_str().unwrap_or_default().to_owned();
    (output.status.code(), case["settings"][key][0].clone(), reason)
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn rings_interrupts_and_offloads_of_an_adapter_are_put_back() {
    let mut bed = TestBed::new();
    bed.module("e1000e", &[]);
    let name = interface("e1000e");
    does(&["ip", "link", "set", &name, "up"]);
    eventually("the adapter has a link", || has_carrier(&name));
    let look = || ["-c", "-g", "-k"].map(|what| does(&["ethtool", what, &name])).concat();
    let before = look();
    let place = StoryFolder::new();
    for (setting, asked, was) in [
        ("coalescing", "50", "adaptive-rx:0+rx-usecs:3+rx-frames:0"),
        ("coalescing", "0", "adaptive-rx:0+rx-usecs:3+rx-frames:0"),
        ("rings", "128", "rx:256+tx:256"),
        ("ring-tx", "512", "256"),
        ("offload-rx-checksum", "no", "rx-checksum:on"),
        ("offloads", "no", "tx-tcp-segmentation:on"),
    ] {
        let (code, state, reason) = run(&place, &format!("{setting}@{name}={asked}"));
        assert_eq!(code, Some(0), "{setting}: {reason}");
        let shown = |value: &Value| match value {
            Value::Bool(false) => "no".to_owned(),
            Value::Array(parts) => {
                parts.iter().map(|part| part.as_str().unwrap()).collect::<Vec<_>>().join("+")
            }
            other => other.to_string(),
        };
        assert_eq!(shown(&state["read_back"]), asked, "{state}");
        assert!(shown(&state["before"]).contains(was), "{state}");
        assert_eq!(look(), before, "{setting}");
        eventually("the adapter has a link again", || has_carrier(&name));
    }
    for (set, says) in [
        ("rings@NAME=9000", "it takes rx up to 4096 and tx up to 4096"),
        // It counts in steps of 8.
        ("ring-rx@NAME=100", "took 104 instead"),
        // By 3 this driver means that it chooses itself.
        ("coalescing@NAME=3", "use `adaptive`"),
        ("coalescing@NAME=7", "its driver does not take this value"),
    ] {
        let (code, state, reason) = run(&place, &set.replace("NAME", &name));
        assert!(code == Some(1) && reason.contains(says), "{set}: {reason}");
        assert_eq!(state.get("read_back"), None, "{set}: {state}");
        assert_eq!(look(), before, "{set}");
        eventually("the adapter has a link again", || has_carrier(&name));
    }
    // It is so already.
    let (code, state, reason) = run(&place, &format!("coalescing@{name}=adaptive"));
    assert!(code == Some(0) && state["read_back"] == "adaptive", "{state} {reason}");
}

/// The CPUs that may take each interrupt of an interface's adapter, by its number.
fn affinities(name: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(format!("/sys/class/net/{name}/device/msi_irqs")).unwrap();
    let mut numbers: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    numbers.sort();
    let cpus = |number: String| {
        let list = std::fs::read_to_string(format!("/proc/irq/{number}/smp_affinity_list")).unwrap();
        (number, list.trim().to_owned())
    };
    numbers.into_iter().map(cpus).collect()
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn the_cpus_that_take_interrupts_of_an_adapter_are_put_back() {
    let mut bed = TestBed::new();
    bed.module("e1000e", &[]);
    let name = interface("e1000e");
    does(&["ip", "link", "set", &name, "up"]);
    eventually("the adapter has a link", || has_carrier(&name));
    // Each of its interrupts has CPUs of its own before.
    let all = affinities(&name);
    assert!(!all.is_empty(), "{name} has no interrupts of its own");
    for (at, (number, _)) in all.iter().enumerate() {
        std::fs::write(format!("/proc/irq/{number}/smp_affinity_list"), (at % 2).to_string()).unwrap();
    }
    let before = affinities(&name);
    let place = StoryFolder::new();
    for cpus in ["0", "1", "0-1"] {
        let (code, state, reason) = run(&place, &format!("irq-affinity@{name}={cpus}"));
        assert_eq!(code, Some(0), "{cpus}: {reason}");
        assert_eq!(state["read_back"], cpus, "{state}");
        assert!(state["resource"].as_str().is_some_and(|place| place.starts_with("irq:pci")), "{state}");
        assert_eq!(affinities(&name), before, "{cpus}");
    }
    let (code, _, reason) = run(&place, &format!("irq-affinity@{name}=7"));
    assert!(code == Some(1) && reason.contains("not online: CPU 7; online are 0-1"), "{reason}");
    assert_eq!(affinities(&name), before);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn what_a_bond_switches_off_in_its_members_is_put_back() {
    let mut bed = TestBed::new();
    bed.module("vmxnet3", &[]);
    bed.build(&["modprobe", "bonding", "max_bonds=0"], &["true"]);
    let name = interface("vmxnet3");
    let bond = ["ip", "link", "add", "bond0", "type", "bond", "mode", "active-backup", "miimon", "50"];
    bed.build(&bond, &["ip", "link", "del", "bond0"]);
    does(&["ip", "link", "set", &name, "master", "bond0"]);
    does(&["ip", "link", "set", "bond0", "up"]);
    eventually("the bond has a link", || has_carrier("bond0"));
    let large = |name: &str| {
        let all = does(&["ethtool", "-k", name]);
        let line = all.lines().find(|line| line.starts_with("large-receive-offload:")).unwrap();
        line.to_owned()
    };
    let before = (large("bond0"), large(&name));
    assert_eq!(before.1, "large-receive-offload: on");
    let place = StoryFolder::new();
    for set in ["offload-lro@bond0=no", "offloads@bond0=no"] {
        let (code, state, reason) = run(&place, set);
        assert!(code == Some(0) && state["read_back"] == false, "{set}: {state} {reason}");
        assert_eq!((large("bond0"), large(&name)), before, "{set}");
    }
}
