//! Routes and settings of real interfaces: two network namespaces with a veth
//! pair between them, made for the test and removed with it. Needs root.

#![allow(clippy::unwrap_used)]

use std::net::IpAddr;
use std::process::Command;

use machine::route;
use machine::setting::{self, Journal, Keeper, Process, Wanted};
use model::Value;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Two namespaces, gone when it is dropped; `a` has 10.213.0.1, `b` 10.213.0.2,
/// and `a` reaches 10.214.0.0/16 through `b`.
struct Ground {
    a: String,
    b: String,
}

impl Ground {
    fn new(name: &str) -> Self {
        let unique = format!("hr-{name}-{}", std::process::id());
        let ground = Self { a: format!("{unique}-a"), b: format!("{unique}-b") };
        let (a, b) = (&ground.a, &ground.b);
        ip(&["netns", "add", a]);
        ip(&["netns", "add", b]);
        ip(&["-n", a, "link", "add", "va", "type", "veth", "peer", "name", "vb", "netns", b]);
        for (namespace, interface, address) in [(a, "va", "10.213.0.1/24"), (b, "vb", "10.213.0.2/24")] {
            ip(&["-n", namespace, "addr", "add", address, "dev", interface]);
            ip(&["-n", namespace, "link", "set", interface, "up"]);
        }
        ip(&["-n", a, "route", "add", "10.214.0.0/16", "via", "10.213.0.2", "mtu", "1300"]);
        ip(&["-n", a, "neigh", "replace", "10.213.0.2", "lladdr", "02:00:00:00:00:01", "dev", "va"]);
        ground
    }

    /// Runs `act` in a thread that is in `a`.
    fn inside<R: Send>(&self, act: impl FnOnce() -> R + Send) -> R {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let namespace = std::fs::File::open(format!("/run/netns/{}", self.a)).unwrap();
                use std::os::fd::AsFd;
                move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
                act()
            });
            thread.join().unwrap()
        })
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        for name in [&self.a, &self.b] {
            let _ = Command::new("ip").args(["netns", "del", name]).status();
        }
    }
}

fn ip(arguments: &[&str]) {
    let output = Command::new("ip").args(arguments).output().expect("ip is installed");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "ip {}: {said}", arguments.join(" "));
}

fn wanted(name: &str, value: u64) -> Wanted {
    Wanted { setting: name.to_owned(), resource: "nic:va".to_owned(), value: Value::Integer(value) }
}

#[test]
fn the_way_to_a_peer_is_what_the_kernel_says() {
    let ground = Ground::new("route");
    ground.inside(|| {
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let direct = route::towards(address("10.213.0.2")).unwrap();
        assert_eq!((direct.interface.as_str(), direct.mtu, direct.local), ("va", 1500, false));
        assert_eq!((direct.source, direct.gateway), (Some(address("10.213.0.1")), None));
        assert_eq!(direct.neighbour.as_deref(), Some("permanent"));
        assert!(direct.qdisc.is_some());
        let behind = route::towards(address("10.214.9.9")).unwrap();
        assert_eq!((behind.interface.as_str(), behind.gateway), ("va", Some(address("10.213.0.2"))));
        assert_eq!((behind.path_mtu, behind.neighbour.as_deref()), (Some(1300), Some("permanent")));
        let own = route::towards(address("10.213.0.1")).unwrap();
        assert_eq!((own.interface.as_str(), own.local), ("lo", true));
        let nowhere = route::towards(address("192.0.2.1")).unwrap_err().to_string();
        assert!(nowhere.contains("192.0.2.1") && nowhere.contains("unreachable"), "{nowhere}");
        let towards = Some(address("10.214.9.9"));
        assert_eq!(setting::resource("mtu", None, towards), Ok("nic:va".to_owned()));
        let refused = setting::resource("mtu", None, Some(address("192.0.2.1"))).unwrap_err();
        assert!(refused.to_string().contains("unreachable"), "{refused}");
    });
}

#[test]
fn an_interface_is_changed_refused_and_put_back() {
    let ground = Ground::new("setting");
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let mtu = || setting::find("mtu").unwrap().read("nic:va");
    ground.inside(|| {
        let mut keeper = Keeper::with_journal(journal.clone(), Process::parent());
        let now = keeper.set(&[wanted("mtu", 9000), wanted("tx-queue-length", 77)]).unwrap();
        assert_eq!((&now[0].before, &now[0].read_back), (&Value::Integer(1500), &Value::Integer(9000)));
        assert_eq!(now[1].read_back, Value::Integer(77));
        assert_eq!(mtu(), Ok(Value::Integer(9000)));
        let refused = keeper.set(&[wanted("mtu", 100_000)]).unwrap_err().to_string();
        assert!(refused.contains("mtu=100000") && refused.contains("va takes 68 to 65535"), "{refused}");
        assert_eq!(mtu(), Ok(Value::Integer(1500)), "all is put back after a refusal");
        keeper.set(&[wanted("mtu", 1400)]).unwrap();
    });
    ground.inside(|| assert_eq!(mtu(), Ok(Value::Integer(1500)), "the keeper put it back as it went"));
    ip(&["-n", &ground.a, "addr", "add", "2001:db8::1/64", "dev", "va"]);
    ground.inside(|| {
        let mut keeper = Keeper::with_journal(journal.clone(), Process::parent());
        let refused = keeper.set(&[wanted("mtu", 1000)]).unwrap_err().to_string();
        assert!(refused.contains("IPv6"), "{refused}");
        // Here the limits of sockets are the machine's, and can only be read.
        let sockets = Wanted {
            setting: "socket-buffer-max".to_owned(),
            resource: setting::MACHINE.to_owned(),
            value: Value::Integer(33 << 20),
        };
        let refused = keeper.set(&[sockets]).unwrap_err().to_string();
        assert!(refused.contains("first network namespace"), "{refused}");
    });
    assert!(!journal.path().exists());
}
