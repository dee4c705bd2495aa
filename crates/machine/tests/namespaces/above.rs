//! The MTU of an interface together with that of one above it.

use super::*;

#[test]
fn an_interface_and_one_above_it_are_set_together_and_put_back() {
    let network = TestNetwork::new("together");
    quieten(&network);
    if !add_macvlan(&network, "m0") {
        return;
    }
    ip(&["-n", &network.a, "link", "set", "m0", "up"]);
    std::thread::sleep(std::time::Duration::from_millis(100));
    let (folder, before) = (tempfile::tempdir().unwrap(), everything(&network));
    let on = |interface: &str, value: u64| Wanted {
        resource: Resource::of(ResourceKind::Nic, interface),
        ..wanted("mtu", value)
    };
    network.inside(|| {
        let mut guard = guard(&folder);
        // The one above is asked for first, as names are sorted.
        for (above, own) in [(1300, 1400), (1350, 1400), (8000, 9000), (1300, 9000), (1400, 1400)] {
            let now = guard.set(&[on("m0", above), on("va", own)]).unwrap();
            assert_eq!((mtu_of("m0"), mtu_of("va")), (above, own));
            assert!(now.iter().all(|state| state.before == Value::Integer(1500)), "{now:?}");
        }
        guard.set(&[on("m0", 1300), on("va", 1400)]).unwrap();
        // What lies above is as with the other alone.
        guard.set(&[on("va", 1400)]).unwrap();
        assert_eq!((mtu_of("m0"), mtu_of("va")), (1400, 1400));
        let error = guard.set(&[on("m0", 4000), on("va", 1400)]).unwrap_err().to_string();
        assert!(error.contains("mtu=4000"), "{error}");
        assert_eq!((mtu_of("m0"), mtu_of("va")), (1500, 1500), "all is put back after a refusal");
        guard.set(&[on("m0", 1300), on("va", 1400)]).unwrap();
    });
    assert_eq!(everything(&network), before);
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn regression_a_queue_was_set_beside_the_mtu_of_an_interface_below() {
    let network = TestNetwork::new("queue-above");
    quieten(&network);
    if !add_macvlan(&network, "m0") {
        return;
    }
    ip(&["-n", &network.a, "link", "set", "m0", "up"]);
    ip(&["-n", &network.a, "link", "add", "vc", "type", "veth", "peer", "name", "vd"]);
    std::thread::sleep(std::time::Duration::from_millis(100));
    let (folder, before) = (tempfile::tempdir().unwrap(), everything(&network));
    let on = |interface: &str, wanted: Wanted| Wanted {
        resource: Resource::of(ResourceKind::Nic, interface),
        ..wanted
    };
    let rate = Wanted { value: Value::Number(1e9), ..wanted("interface-rate", 0) };
    network.inside(|| {
        let mut guard = guard(&folder);
        for queue in [discipline("pfifo"), rate] {
            let both = [on("va", wanted("mtu", 1400)), on("m0", queue.clone())];
            for asked in [both.clone(), [both[1].clone(), both[0].clone()]] {
                let error = guard.set(&asked).unwrap_err().to_string();
                let says = format!("{}=", queue.setting);
                assert!(error.contains(&says) && error.contains("depends on `mtu` of nic:va"), "{error}");
            }
            // One after the other, and beside an MTU that has nothing to do with it.
            guard.set(&both[..1]).unwrap();
            guard.set(&both[1..]).unwrap();
            assert_eq!(mtu_of("va"), 1500);
            guard.set(&[on("vc", wanted("mtu", 1400)), both[1].clone()]).unwrap();
            assert_eq!(mtu_of("vc"), 1400);
        }
    });
    assert_eq!(everything(&network), before);
    assert!(!Journal::at(folder.path()).path().exists());
}
