//! Offloads, moderation of interrupts, and rings of an interface.

use super::*;

/// What `ethtool` says of an interface of `a`.
fn ethtool(network: &TestNetwork, words: &[&str]) -> String {
    let output = Command::new("ip").args(["netns", "exec", &network.a, "ethtool"]).args(words).output();
    let output = output.expect("ip is installed");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn offloads_are_switched_read_back_and_put_back_each_by_its_name() {
    let network = TestNetwork::new("offload");
    let folder = tempfile::tempdir().unwrap();
    let switch = |name: &str, is_on: bool| Wanted { value: Value::Bool(is_on), ..wanted(name, 0) };
    let features = || ethtool(&network, &["-k", "va"]);
    let stand = |lines: &[&str]| {
        let all = features();
        let missing: Vec<_> = lines.iter().filter(|line| !all.lines().any(|l| l.trim() == **line)).collect();
        assert!(missing.is_empty(), "{missing:?} of {all}");
    };
    let before = features();
    stand(&["tx-tcp-segmentation: on", "generic-segmentation-offload: on", "generic-receive-offload: off"]);
    network.inside(|| {
        let mut guard = guard(&folder);
        let now = guard.set(&[switch("offloads", false)]).unwrap();
        assert_eq!(now[0].read_back, Value::Bool(false));
        let was = now[0].before.to_string();
        assert!(was.contains("rx-gro:off") && was.contains("tx-tcp6-segmentation:on"), "{was}");
        stand(&["tx-tcp-segmentation: off", "tx-tcp6-segmentation: off", "tx-udp-segmentation: off"]);
        stand(&["generic-segmentation-offload: off", "tx-checksum-ip-generic: on"]);
        ethtool(&network, &["-K", "va", "gro", "on"]);
        let error = guard.check().unwrap_err().to_string();
        assert!(error.contains("offloads of nic:va from no to") && error.contains("rx-gro:on"), "{error}");
        guard.set(&[switch("offloads", true)]).unwrap();
        stand(&["tx-tcp-segmentation: on", "generic-receive-offload: on", "tx-udp-segmentation: on"]);
    });
    assert_eq!(features(), before, "also what was in between");
    network.inside(|| {
        let mut guard = guard(&folder);
        let checksum = switch("offload-tx-checksum", false);
        guard.set(&[switch("offload-tso", false), checksum.clone()]).unwrap();
        stand(&["tx-checksum-ip-generic: off", "tx-tcp-segmentation: off"]);
        // One is put back while the other keeps it from being on.
        guard.set(std::slice::from_ref(&checksum)).unwrap();
        stand(&["tx-checksum-ip-generic: off", "tx-tcp-segmentation: off [requested on]"]);
        let error = guard.set(&[checksum, switch("offload-tso", true)]).unwrap_err().to_string();
        assert!(error.contains("offload-tso=yes") && error.contains("off without tx-checksum"), "{error}");
        assert_eq!(features(), before, "all is put back after an error");
        // What waits for another feature when the run starts is not off.
        ethtool(&network, &["-K", "va", "tx", "off"]);
        let waits = features();
        guard.set(&[switch("offload-tso", false), switch("offload-tx-checksum", true)]).unwrap();
        stand(&["tx-checksum-ip-generic: on", "tx-tcp-segmentation: off", "tx-tcp6-segmentation: off"]);
        guard.set(&[]).unwrap();
        assert_eq!(features(), waits);
        ethtool(&network, &["-K", "va", "tx", "on"]);
        assert_eq!(features(), before);
        for one in ["offload-scatter-gather", "offload-rx-checksum", "offload-gso", "offload-tso"] {
            guard.set(&[switch(one, false)]).unwrap();
            assert_ne!(features(), before, "{one}");
        }
        guard.set(&[switch("offload-gro", true)]).unwrap();
        stand(&["generic-receive-offload: on", "scatter-gather: on", "tx-tcp-segmentation: on"]);
        let error = guard.set(&[switch("offload-lro", true)]).unwrap_err().to_string();
        assert!(error.contains("lets none of them be switched: rx-lro"), "{error}");
    });
    assert_eq!(features(), before);
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn what_the_driver_of_an_interface_lacks_is_said() {
    let network = TestNetwork::new("driver");
    let folder = tempfile::tempdir().unwrap();
    network.inside(|| {
        let mut guard = guard(&folder);
        for (name, value, says) in [
            ("coalescing", 50, "cannot coalesce interrupts"),
            ("rings", 256, "tells of no rings"),
            ("ring-rx", 256, "tells of no rings"),
            ("ring-tx", 256, "tells of no rings"),
        ] {
            let error = guard.set(&[wanted(name, value)]).unwrap_err().to_string();
            assert!(error.contains(says), "{name}: {error}");
        }
    });
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn coalescing_by_packets_alone_is_switched_off_and_put_back() {
    let network = TestNetwork::new("coalesce");
    let folder = tempfile::tempdir().unwrap();
    // The driver of tun knows packets, and no time.
    ip(&["-n", &network.a, "tuntap", "add", "dev", "t0", "mode", "tap"]);
    ethtool(&network, &["-C", "t0", "rx-frames", "32"]);
    let before = ethtool(&network, &["-c", "t0"]);
    let on = |value: u64| Wanted { resource: Resource::from("nic:t0"), ..wanted("coalescing", value) };
    network.inside(|| {
        let mut guard = guard(&folder);
        let now = guard.set(&[on(0)]).unwrap();
        assert_eq!(now[0].before.to_string(), "adaptive-rx:0+rx-usecs:0+rx-frames:32");
        assert_eq!(now[0].read_back, Value::Integer(0));
        let is_one = |line: &str| line.split_whitespace().eq(["rx-frames:", "1"]);
        assert!(ethtool(&network, &["-c", "t0"]).lines().any(is_one));
        let error = guard.set(&[on(50)]).unwrap_err().to_string();
        assert!(error.contains("coalescing=50") && error.contains("does not let it be changed"), "{error}");
        assert_eq!(ethtool(&network, &["-c", "t0"]), before);
        let adaptive = Wanted { value: "adaptive".into(), ..on(0) };
        assert!(guard.set(&[adaptive]).is_err());
        guard.set(&[on(0)]).unwrap();
    });
    assert_eq!(ethtool(&network, &["-c", "t0"]), before);
    // No packets at all are not as asked, either.
    ethtool(&network, &["-C", "t0", "rx-frames", "0"]);
    let none = ethtool(&network, &["-c", "t0"]);
    network.inside(|| {
        let mut guard = guard(&folder);
        let now = guard.set(&[on(0)]).unwrap();
        assert_eq!(now[0].before.to_string(), "adaptive-rx:0+rx-usecs:0+rx-frames:0");
        assert!(ethtool(&network, &["-c", "t0"]) != none);
    });
    assert_eq!(ethtool(&network, &["-c", "t0"]), none);
    assert!(!Journal::at(folder.path()).path().exists());
}
