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
