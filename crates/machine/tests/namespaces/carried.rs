//! Settings of an interface that carries the run itself.

use machine::setting::RunConnection;

use super::*;

#[test]
fn a_setting_that_may_drop_packets_is_refused_where_the_interface_carries_the_run() {
    let network = TestNetwork::new("carried");
    let has_macvlan = add_macvlan(&network, "m0");
    if has_macvlan {
        ip(&["-n", &network.a, "addr", "add", "10.215.0.1/24", "dev", "m0"]);
        ip(&["-n", &network.a, "link", "set", "m0", "up"]);
    }
    ip(&["-n", &network.a, "link", "set", "lo", "up"]);
    network.inside(|| {
        let to = |address: &str| [RunConnection::to_peer("b", address.parse().unwrap())];
        let on = |interface: &str, name: &str, value: Value| Change {
            resource: Some(interface.to_owned()),
            ..Change::new(name, value)
        };
        let mtu = |interface: &str, bytes: u64| on(interface, "mtu", bytes.into());
        let refused = |change: &Change, address: &str| {
            setting::spare(change, &to(address)).map_err(|error| error.to_string()).err()
        };
        for change in [
            mtu("va", 9000),
            mtu("va", 1400),
            on("va", "interface-rate", Value::Number(1e9)),
            on("va", "queueing-discipline", "pfifo".into()),
            on("va", "offload-tso", Value::Bool(false)),
        ] {
            for address in ["10.213.0.2", "10.214.9.9", "10.213.0.77"] {
                let said = refused(&change, address).unwrap_or_default();
                assert!(said.contains("va carries the connection to the peer b"), "{change:?}: {said}");
            }
        }
        // What is so already, what drops nothing, the link that is measured, and other ways.
        assert_eq!(refused(&mtu("va", 1500), "10.213.0.2"), None);
        assert_eq!(refused(&on("va", "offload-gro", Value::Bool(true)), "10.213.0.2"), None);
        let towards = Some("10.213.0.2".parse().unwrap());
        let measured = Change { towards, ..Change::new("mtu", 9000_u64.into()) };
        assert_eq!(refused(&measured, "10.213.0.2"), None);
        for elsewhere in ["127.0.0.1", "10.213.0.1", "192.0.2.1"] {
            assert_eq!(refused(&mtu("va", 9000), elsewhere), None, "{elsewhere}");
        }
        if has_macvlan {
            assert!(refused(&mtu("va", 9000), "10.215.0.7").is_some(), "it lies below");
            assert_eq!(refused(&mtu("m0", 1400), "10.213.0.2"), None);
        }
    });
}
