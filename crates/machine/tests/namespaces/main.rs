//! Routes and settings of real interfaces: two network namespaces with a veth
//! pair between them, made for the test and removed with it. Needs root.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod above;
mod adapter;
mod carried;

use std::net::IpAddr;
use std::process::Command;

use machine::route;
use machine::setting::{self, Journal, Process, SettingGuard, Wanted};
use model::setting::Change;
use model::{Resource, ResourceKind, Value};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Two namespaces, gone when it is dropped; `a` has 10.213.0.1, `b` 10.213.0.2,
/// and `a` reaches 10.214.0.0/16 through `b`.
struct TestNetwork {
    a: String,
    b: String,
}

impl TestNetwork {
    fn new(name: &str) -> Self {
        let unique = format!("hr-{name}-{}", std::process::id());
        let network = Self { a: format!("{unique}-a"), b: format!("{unique}-b") };
        let (a, b) = (&network.a, &network.b);
        ip(&["netns", "add", a]);
        ip(&["netns", "add", b]);
        ip(&["-n", a, "link", "add", "va", "type", "veth", "peer", "name", "vb", "netns", b]);
        for (namespace, interface, address) in [(a, "va", "10.213.0.1/24"), (b, "vb", "10.213.0.2/24")] {
            ip(&["-n", namespace, "addr", "add", address, "dev", interface]);
            ip(&["-n", namespace, "link", "set", interface, "up"]);
        }
        ip(&["-n", a, "route", "add", "10.214.0.0/16", "via", "10.213.0.2", "mtu", "1300"]);
        ip(&["-n", a, "neigh", "replace", "10.213.0.2", "lladdr", "02:00:00:00:00:01", "dev", "va"]);
        network
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

impl Drop for TestNetwork {
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
    Wanted { setting: name.to_owned(), resource: Resource::from("nic:va"), value: Value::Integer(value) }
}

#[test]
fn the_way_to_a_peer_is_what_the_kernel_says() {
    let network = TestNetwork::new("route");
    network.inside(|| {
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
        let resources = |towards: &str| {
            let change = Change::new("mtu", Value::Integer(1500));
            setting::resources(&Change { towards: Some(address(towards)), ..change })
        };
        assert_eq!(resources("10.214.9.9"), Ok(vec![Resource::from("nic:va")]));
        let refused = resources("192.0.2.1").unwrap_err();
        assert!(refused.to_string().contains("unreachable"), "{refused}");
        let of_servers = |servers: &[&str]| {
            let servers = servers.iter().map(|host| (*host).to_owned()).collect();
            setting::resources(&Change { servers, ..Change::new("mtu", Value::Integer(1500)) })
        };
        let both = ["10.214.9.9", "10.213.0.1", "10.213.0.2"];
        assert_eq!(of_servers(&both), Ok(vec![Resource::from("nic:lo"), Resource::from("nic:va")]));
        assert!(of_servers(&["192.0.2.1"]).unwrap_err().to_string().contains("unreachable"));
    });
}

#[test]
fn an_interface_is_changed_refused_and_put_back() {
    let network = TestNetwork::new("setting");
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let mtu = || setting::find("mtu").unwrap().read(&Resource::from("nic:va"));
    network.inside(|| {
        let mut guard = SettingGuard::with_journal(journal.clone(), Process::parent());
        let now = guard.set(&[wanted("mtu", 9000), wanted("tx-queue-length", 77)]).unwrap();
        assert_eq!((&now[0].before, &now[0].read_back), (&Value::Integer(1500), &Value::Integer(9000)));
        assert_eq!(now[1].read_back, Value::Integer(77));
        assert_eq!(mtu(), Ok(Value::Integer(9000)));
        let refused = guard.set(&[wanted("mtu", 100_000)]).unwrap_err().to_string();
        assert!(refused.contains("mtu=100000") && refused.contains("va takes 68 to 65535"), "{refused}");
        assert_eq!(mtu(), Ok(Value::Integer(1500)), "all is put back after a refusal");
        guard.set(&[wanted("mtu", 1400)]).unwrap();
    });
    network.inside(|| assert_eq!(mtu(), Ok(Value::Integer(1500)), "the guard put it back as it went"));
    ip(&["-n", &network.a, "addr", "add", "2001:db8::1/64", "dev", "va"]);
    network.inside(|| {
        let mut guard = SettingGuard::with_journal(journal.clone(), Process::parent());
        let refused = guard.set(&[wanted("mtu", 1000)]).unwrap_err().to_string();
        assert!(refused.contains("IPv6"), "{refused}");
        // Here the limits of sockets are the machine's, and can only be read.
        let sockets = Wanted {
            setting: "socket-buffer-max".to_owned(),
            resource: Resource::MACHINE,
            value: Value::Integer(33 << 20),
        };
        let refused = guard.set(&[sockets]).unwrap_err().to_string();
        assert!(refused.contains("first network namespace"), "{refused}");
    });
    assert!(!journal.path().exists());
}

/// Sees to it that the kernel makes no IPv6 addresses by itself, which come and
/// are found unique in their own time.
fn quieten(network: &TestNetwork) {
    network.inside(|| {
        for interface in ["default", "va"] {
            // 1 is none (`IN6_ADDR_GEN_MODE_NONE`).
            std::fs::write(format!("/proc/sys/net/ipv6/conf/{interface}/addr_gen_mode"), "1").unwrap();
        }
    });
    ip(&["-n", &network.a, "-6", "addr", "flush", "dev", "va", "scope", "link"]);
}

/// All that can be read of `a`: interfaces, routes, addresses, and
/// every sysctl of the network.
fn everything(network: &TestNetwork) -> Vec<String> {
    let ip = |arguments: &[&str]| {
        let output = Command::new("ip").args(["-n", &network.a]).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let mut all = Vec::new();
    let questions: [&[&str]; 4] = [
        &["-d", "link"],
        &["route", "show", "table", "all"],
        &["-6", "route", "show", "table", "all"],
        &["addr"],
    ];
    for question in questions {
        all.extend(ip(question).lines().map(str::to_owned));
    }
    let mut folders = vec![std::path::PathBuf::from("/proc/sys/net")];
    let mut sysctls = Vec::new();
    network.inside(|| {
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(text) = std::fs::read_to_string(&path) {
                    sysctls.push(format!("{} {}", path.display(), text.trim()));
                }
            }
        }
    });
    sysctls.sort();
    // Counters and limits that the kernel moves by itself.
    sysctls.retain(|line| {
        !line.contains("conntrack_count") && !line.contains("/unix/") && !line.contains("mem_max")
    });
    all.extend(sysctls);
    all
}

/// Puts a macvlan on `va`; false, and said so, where this kernel has none.
fn add_macvlan(network: &TestNetwork, name: &str) -> bool {
    let arguments = ["-n", &network.a, "link", "add", "link", "va", "name", name, "type", "macvlan"];
    let is_there = Command::new("ip").args(arguments).output().unwrap().status.success();
    if !is_there {
        assert!(std::env::var_os("CI").is_none(), "this kernel has no macvlan");
        println!("skipped: this kernel has no macvlan");
    }
    is_there
}

fn guard(folder: &tempfile::TempDir) -> SettingGuard {
    SettingGuard::with_journal(Journal::at(folder.path()), Process::parent())
}

fn mtu_of(interface: &str) -> u64 {
    match setting::find("mtu").unwrap().read(&Resource::of(ResourceKind::Nic, interface)) {
        Ok(Value::Integer(mtu)) => mtu,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_kernel_changes_with_a_setting_is_as_before_after_it() {
    let network = TestNetwork::new("with");
    quieten(&network);
    let a = network.a.as_str();
    let has_macvlan = add_macvlan(&network, "m0");
    if has_macvlan {
        ip(&["-n", a, "link", "set", "m0", "up"]);
    }
    ip(&["-n", a, "link", "add", "br0", "type", "bridge"]);
    ip(&["-n", a, "link", "add", "vc", "type", "veth", "peer", "name", "vd"]);
    ip(&["-n", a, "link", "set", "vc", "master", "br0"]);
    ip(&["-n", a, "addr", "add", "2001:db8::1/64", "dev", "va", "nodad"]);
    ip(&["-n", a, "route", "add", "2001:db8:1::/48", "via", "2001:db8::2", "mtu", "1280"]);
    ip(&["-n", a, "route", "add", "2001:db8:2::/48", "via", "2001:db8::2", "mtu", "lock", "1450"]);
    network.inside(|| std::fs::write("/proc/sys/net/ipv6/conf/va/mtu", "1450").unwrap());
    // The kernel tells links apart from their carriers a little later.
    std::thread::sleep(std::time::Duration::from_millis(100));
    let folder = tempfile::tempdir().unwrap();
    let before = everything(&network);
    assert!(before.iter().any(|line| line == "/proc/sys/net/ipv6/conf/va/mtu 1450"), "{before:#?}");
    let on = |interface: &str, name: &str, value: u64| Wanted {
        resource: Resource::of(ResourceKind::Nic, interface),
        ..wanted(name, value)
    };
    for asked in [
        vec![on("va", "mtu", 1300)],
        vec![on("va", "mtu", 1400), on("vc", "mtu", 9000)],
        vec![on("va", "mtu", 9000), on("vc", "mtu", 1300)],
        vec![on("va", "tx-queue-length", 7)],
        vec![on("va", "tx-queue-length", 0)],
    ] {
        network.inside(|| {
            let mut guard = guard(&folder);
            guard.set(&asked).unwrap();
            if has_macvlan && asked[0].value == Value::Integer(1300) {
                assert_eq!(mtu_of("m0"), 1300, "the kernel cuts what lies above");
            }
            if asked.len() > 1 {
                assert_eq!(Value::Integer(mtu_of("br0")), asked[1].value, "a bridge follows");
            }
            assert_ne!(everything(&network), before);
            // Another level on the way, reached from what was before.
            if asked[0].setting == "mtu" {
                guard.set(&[on("va", "mtu", 1350)]).unwrap();
            }
        });
        let (after, before) = (everything(&network), &before);
        let differs: Vec<_> = after.iter().zip(before).filter(|(a, b)| a != b).collect();
        assert!(differs.is_empty() && after.len() == before.len(), "{asked:?}: {differs:#?}");
    }
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn a_change_that_would_overwrite_a_route_or_lose_a_protocol_is_refused() {
    let network = TestNetwork::new("lose");
    quieten(&network);
    let a = network.a.as_str();
    ip(&["-n", a, "addr", "add", "2001:db8::1/64", "dev", "va", "nodad"]);
    ip(&["-n", a, "route", "add", "2001:db8:1::/48", "via", "2001:db8::2", "mtu", "1400"]);
    ip(&["-n", a, "link", "add", "br0", "type", "bridge"]);
    ip(&["-n", a, "link", "set", "lo", "up"]);
    let folder = tempfile::tempdir().unwrap();
    let before = everything(&network);
    for (interface, value, says) in [
        ("va", 1400, "IPv6 route to 2001:db8:1::/48"),
        ("va", 1300, "mtu lock 1400"),
        ("va", 1000, "va speaks IPv6"),
        ("lo", 1000, "lo speaks IPv6"),
        ("br0", 1400, "no longer follows"),
    ] {
        network.inside(|| {
            let mut guard = guard(&folder);
            let resource = Resource::of(ResourceKind::Nic, interface);
            let error = guard
                .set(&[Wanted { resource: resource.clone(), ..wanted("mtu", value) }])
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{interface} {value}: {error}");
        });
        assert_eq!(everything(&network), before, "{interface} {value}");
    }
    network.inside(|| guard(&folder).set(&[wanted("mtu", 9000)]).map(drop)).unwrap();
    network.inside(|| guard(&folder).set(&[wanted("mtu", 1401)]).map(drop)).unwrap();
    assert_eq!(everything(&network), before);
}

#[test]
fn an_interface_in_another_namespace_that_would_be_cut_refuses_the_change() {
    let network = TestNetwork::new("abroad");
    if !add_macvlan(&network, "m0") {
        return;
    }
    ip(&["-n", &network.a, "link", "set", "m0", "netns", &network.b]);
    let folder = tempfile::tempdir().unwrap();
    network.inside(|| {
        let mut guard = guard(&folder);
        let error = guard.set(&[wanted("mtu", 1400)]).unwrap_err().to_string();
        assert!(error.contains("m0 in another network namespace") && error.contains(&network.b), "{error}");
        assert_eq!(mtu_of("va"), 1500);
        guard.set(&[wanted("mtu", 9000)]).unwrap();
    });
    let shown = Command::new("ip").args(["-n", &network.b, "link", "show", "m0"]).output().unwrap();
    assert!(String::from_utf8_lossy(&shown.stdout).contains("mtu 1500"), "it was never touched");
}

/// What `tc` says of the queueing disciplines of `va`.
fn disciplines(network: &TestNetwork) -> String {
    let output = Command::new("tc").args(["-n", &network.a, "qdisc", "show", "dev", "va"]).output();
    String::from_utf8(output.expect("tc is installed").stdout).unwrap()
}

#[test]
fn a_rate_is_set_read_back_and_taken_away_again() {
    let network = TestNetwork::new("rate");
    let folder = tempfile::tempdir().unwrap();
    let rate = |bits: f64| Wanted { value: Value::Number(bits), ..wanted("interface-rate", 0) };
    let before = disciplines(&network);
    assert!(before.contains("noqueue"), "{before}");
    network.inside(|| {
        let mut guard = guard(&folder);
        for (bits, shown) in [(1e9, "rate 1Gbit burst 500000b"), (80e9, "rate 80Gbit"), (1e6, "rate 1Mbit")] {
            let now = guard.set(&[rate(bits)]).unwrap();
            assert_eq!((&now[0].before, &now[0].read_back), (&"noqueue".into(), &Value::Number(bits)));
            let set = disciplines(&network);
            assert!(set.contains("qdisc tbf 4852: root") && set.contains(shown), "{set}");
        }
        // The kernel counts whole bytes.
        let error = guard.set(&[rate(1_000_001.0)]).unwrap_err().to_string();
        assert!(error.contains("took 1M/s instead"), "{error}");
        // The sizes of the bucket are of the MTU.
        let error = guard.set(&[rate(1e9), wanted("mtu", 1400)]).unwrap_err().to_string();
        assert!(error.contains("depends on `mtu`"), "{error}");
    });
    assert_eq!(disciplines(&network), before);
    let tc =
        |arguments: &[&str]| ip(&[&["netns", "exec", &network.a, "tc", "qdisc"][..], arguments].concat());
    // Somebody changes ours, then puts another in its place: that is not ours to take away.
    network.inside(|| {
        let mut guard = guard(&folder);
        guard.set(&[rate(1e9)]).unwrap();
        let own =
            ["change", "dev", "va", "root", "handle", "4852:", "tbf", "rate", "1gbit", "burst", "500000"];
        tc(&[&own[..], &["limit", "9000000"]].concat());
        let error = guard.check().unwrap_err().to_string();
        assert!(error.contains("with a limit of 9000000 bytes"), "{error}");
        tc(&["replace", "dev", "va", "root", "handle", "1:", "pfifo", "limit", "7"]);
        let error = guard.restore().unwrap_err().to_string();
        assert!(error.contains("somebody set pfifo 1: there since"), "{error}");
        assert!(disciplines(&network).contains("pfifo 1: root"), "{}", disciplines(&network));
        tc(&["del", "dev", "va", "root"]);
        guard.restore().unwrap();
    });
    assert_eq!(disciplines(&network), before);
    ip(&["-n", &network.a, "link", "set", "va", "down"]);
    network.inside(|| {
        let error = guard(&folder).set(&[rate(1e9)]).unwrap_err().to_string();
        assert!(error.contains("it is down"), "{error}");
    });
    ip(&["-n", &network.a, "link", "set", "va", "up"]);
    tc(&["add", "dev", "va", "root", "pfifo", "limit", "7"]);
    let other = disciplines(&network);
    network.inside(|| {
        let error = guard(&folder).set(&[rate(1e9)]).unwrap_err().to_string();
        assert!(error.contains("somebody set its queueing discipline (pfifo "), "{error}");
    });
    assert_eq!(disciplines(&network), other);
    assert!(!Journal::at(folder.path()).path().exists());
}

fn discipline(kind: &str) -> Wanted {
    Wanted { value: kind.into(), ..wanted("queueing-discipline", 0) }
}

#[test]
fn a_queueing_discipline_is_set_read_back_and_taken_away_again() {
    let network = TestNetwork::new("kind");
    let folder = tempfile::tempdir().unwrap();
    let before = disciplines(&network);
    assert!(before.contains("noqueue"), "{before}");
    network.inside(|| {
        let mut guard = guard(&folder);
        for kind in ["pfifo", "bfifo", "pfifo_fast"] {
            let now = guard.set(&[discipline(kind)]).unwrap();
            assert_eq!((&now[0].before, &now[0].read_back), (&"noqueue by default".into(), &kind.into()));
            let set = disciplines(&network);
            assert!(set.contains(&format!("qdisc {kind} 4851: root")), "{set}");
        }
        // What was found is a level, too.
        guard.set(&[discipline("default")]).unwrap();
        assert_eq!(disciplines(&network), before);
        // These are modules, which a kernel need not have.
        for kind in ["fq", "fq_codel", "cake", "sfq", "codel", "pie", "fq_pie"] {
            match guard.set(&[discipline(kind)]) {
                Ok(_) => assert!(disciplines(&network).contains(&format!("qdisc {kind} 4851: root"))),
                Err(error) => {
                    assert!(error.to_string().contains(&format!("this kernel has no {kind} (")), "{error}");
                    println!("skipped: {error}");
                }
            }
        }
        let error = guard.set(&[discipline("pfifo"), wanted("mtu", 1400)]).unwrap_err().to_string();
        assert!(error.contains("depends on `mtu`"), "{error}");
        guard.set(&[discipline("pfifo")]).unwrap();
    });
    assert_eq!(disciplines(&network), before, "the guard put it back as it went");
    let tc =
        |arguments: &[&str]| ip(&[&["netns", "exec", &network.a, "tc", "qdisc"][..], arguments].concat());
    // Somebody puts another in its place: that is not ours to take away.
    network.inside(|| {
        let mut guard = guard(&folder);
        guard.set(&[discipline("pfifo")]).unwrap();
        tc(&["replace", "dev", "va", "root", "handle", "1:", "bfifo", "limit", "7000"]);
        let error = guard.check().unwrap_err().to_string();
        assert!(error.contains("from pfifo to bfifo 1:"), "{error}");
        let error = guard.restore().unwrap_err().to_string();
        assert!(error.contains("somebody set bfifo 1: there since"), "{error}");
        tc(&["del", "dev", "va", "root"]);
        guard.restore().unwrap();
    });
    assert_eq!(disciplines(&network), before);
    tc(&["add", "dev", "va", "root", "pfifo", "limit", "7"]);
    let other = disciplines(&network);
    network.inside(|| {
        for kind in ["bfifo", "default"] {
            let error = guard(&folder).set(&[discipline(kind)]).unwrap_err().to_string();
            assert!(error.contains("somebody set its queueing discipline (pfifo "), "{error}");
        }
    });
    assert_eq!(disciplines(&network), other);
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn regression_a_transmit_queue_of_no_packets_was_left_with_a_thousand() {
    let network = TestNetwork::new("empty");
    let folder = tempfile::tempdir().unwrap();
    ip(&["-n", &network.a, "link", "set", "va", "txqueuelen", "0"]);
    let length = || setting::find("tx-queue-length").unwrap().read(&Resource::from("nic:va"));
    network.inside(|| {
        let mut guard = guard(&folder);
        let rate = Wanted { value: Value::Number(1e9), ..wanted("interface-rate", 0) };
        guard.set(std::slice::from_ref(&rate)).unwrap();
        assert_eq!(length(), Ok(Value::Integer(1000)), "the kernel gives it some");
        guard.restore().unwrap();
        assert_eq!(length(), Ok(Value::Integer(0)));
        // One of the length of the queue has as many then.
        for kind in ["pfifo", "pfifo_fast"] {
            guard.set(&[discipline(kind)]).unwrap();
            assert!(disciplines(&network).contains(&format!("qdisc {kind} 4851: root")));
            assert_eq!(length(), Ok(Value::Integer(1000)));
            guard.restore().unwrap();
            assert_eq!(length(), Ok(Value::Integer(0)));
        }
    });
    assert!(disciplines(&network).contains("noqueue"));
    assert!(!Journal::at(folder.path()).path().exists());
}

#[test]
fn a_discipline_in_which_nothing_could_wait_is_refused() {
    let network = TestNetwork::new("nothing");
    let folder = tempfile::tempdir().unwrap();
    // A tap has a queue of its own, which a length of 0 leaves without a ring: noqueue, and still 0.
    ip(&["-n", &network.a, "tuntap", "add", "dev", "t0", "mode", "tap"]);
    ip(&["-n", &network.a, "link", "set", "t0", "txqueuelen", "0"]);
    ip(&["-n", &network.a, "link", "set", "t0", "up"]);
    network.inside(|| {
        let mut guard = guard(&folder);
        let setting = setting::find("queueing-discipline").unwrap();
        let tap = Resource::from("nic:t0");
        let before = setting.read_each(&tap).unwrap();
        for kind in ["pfifo", "bfifo", "pfifo_fast"] {
            let asked = Wanted { resource: tap.clone(), ..discipline(kind) };
            let error = guard.set(&[asked]).unwrap_err().to_string();
            assert!(error.contains("would let nothing wait"), "{kind}: {error}");
            assert_eq!(setting.read_each(&tap), Ok(before.clone()));
        }
    });
    assert!(!Journal::at(folder.path()).path().exists());
}
