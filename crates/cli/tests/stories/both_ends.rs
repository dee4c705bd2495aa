//! Settings at both ends of a pair, each in a network namespace of its own, by
//! real agents. Needs root.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use agent::{Agent, AgentError, AgentGroup, CallContext, FarEnd, LocalAgent};
use model::message::{Reply, Request};
use model::setting::Change;
use rustix::process::Signal;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::common::{StoryFolder, eventually, flat, lives, program, signal, stderr, stdout};

/// Two namespaces with a veth pair between them, gone when it is dropped.
struct TestNetwork {
    near: String,
    far: String,
}

impl TestNetwork {
    fn new(name: &str) -> Self {
        let name = |end: &str| format!("hr-{name}-{}-{end}", std::process::id());
        let network = Self { near: name("a"), far: name("b") };
        let (near, far) = (&network.near, &network.far);
        ip(&["netns", "add", near]);
        ip(&["netns", "add", far]);
        ip(&["-n", near, "link", "add", "va", "type", "veth", "peer", "name", "vb", "netns", far]);
        for (namespace, interface, address) in [(near, "va", "10.213.2.1/24"), (far, "vb", "10.213.2.2/24")] {
            ip(&["-n", namespace, "addr", "add", address, "dev", interface]);
            ip(&["-n", namespace, "link", "set", interface, "up"]);
        }
        network
    }

    fn mtus(&self) -> (u64, u64) {
        let mtu = |namespace: &str, interface: &str| {
            let path = format!("/sys/class/net/{interface}/mtu");
            let output =
                Command::new("ip").args(["netns", "exec", namespace, "cat", &path]).output().unwrap();
            stdout(&output).trim().parse().unwrap_or_else(|_| panic!("{}", stderr(&output)))
        };
        (mtu(&self.near, "va"), mtu(&self.far, "vb"))
    }
}

impl Drop for TestNetwork {
    fn drop(&mut self) {
        for name in [&self.near, &self.far] {
            let _ = Command::new("ip").args(["netns", "del", name]).status();
        }
    }
}

fn ip(arguments: &[&str]) {
    let output = Command::new("ip").args(arguments).output().expect("ip is installed");
    assert!(output.status.success(), "ip {}: {}", arguments.join(" "), stderr(&output));
}

/// An agent in a namespace.
fn agent_in(namespace: &str, state: &Path) -> Box<LocalAgent> {
    let state = format!("HEADROOM_STATE={}", state.display());
    let words = ["netns", "exec", namespace, "env", &state];
    let mut arguments: Vec<OsString> = words.map(OsString::from).to_vec();
    arguments.extend([program().into(), "agent".into()]);
    Box::new(LocalAgent::new("ip".into(), arguments, Duration::from_secs(30)))
}

fn mtu(bytes: u64) -> Vec<Change> {
    vec![Change { peer: Some("b".to_owned()), ..Change::new("mtu", bytes.into()) }]
}

#[test]
fn the_interfaces_towards_each_other_are_changed_at_both_ends_and_put_back() {
    let (network, place) = (TestNetwork::new("both"), StoryFolder::new());
    let state = place.path().join("state");
    let in_near = || {
        // What drives finds the way to the far end itself.
        let namespace = std::fs::File::open(format!("/run/netns/{}", network.near)).unwrap();
        move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
        let far = FarEnd {
            agent: agent_in(&network.far, &state),
            address: "10.213.2.2".parse().unwrap(),
            dials: None,
            machine: Some("peer-1".to_owned()),
        };
        let mut pair =
            AgentGroup::new(agent_in(&network.near, &state), BTreeMap::from([("b".to_owned(), far)]));
        let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
        let mut ask = |request: Request| pair.call(request, &mut watch);

        let Ok(Reply::Set(states)) = ask(Request::Set { changes: mtu(9000) }) else {
            panic!("nothing was set")
        };
        let shown: Vec<_> = states["mtu"]
            .iter()
            .map(|s| (s.machine.as_str(), s.resource.as_ref().map(model::Resource::as_str)))
            .collect();
        assert_eq!(shown, [("local", Some("nic:va")), ("peer-1", Some("nic:vb"))]);
        assert_eq!(network.mtus(), (9000, 9000));

        // The far end alone refuses: a route of its would be overwritten.
        ip(&["-n", &network.far, "addr", "add", "2001:db8::2/64", "dev", "vb", "nodad"]);
        ip(&["-n", &network.far, "route", "add", "2001:db8:1::/48", "via", "2001:db8::1", "mtu", "1400"]);
        let refused = ask(Request::Set { changes: mtu(1300) });
        let Err(AgentError::Failed(reason)) = refused else { panic!("{refused:?}") };
        assert!(reason.contains("the other end (b)") && reason.contains("IPv6"), "{reason}");
        assert_eq!(ask(Request::Restore), Ok(Reply::Done));
        assert_eq!(network.mtus(), (1500, 1500));

        // An interface that is named is not the one that is measured, and it carries the run.
        let named = Change { resource: Some("va".to_owned()), ..Change::new("mtu", 4000_u64.into()) };
        let Ok(Reply::Missing(reasons)) = ask(Request::LookAtSettings { changes: vec![named.clone()] })
        else {
            panic!("nobody looked")
        };
        let refused = ask(Request::Set { changes: vec![named] });
        let Err(AgentError::Failed(reason)) = refused else { panic!("{refused:?}") };
        assert_eq!(reasons, [Some(reason.clone())]);
        assert!(reason.contains("va carries the connection to the peer b (10.213.2.2)"), "{reason}");
        assert_eq!(network.mtus(), (1500, 1500));

        assert!(ask(Request::Set { changes: mtu(4000) }).is_ok());
        assert_eq!(network.mtus(), (4000, 4000));
        // No request to put back: the agents are told to end.
        drop(pair);
        assert_eq!(network.mtus(), (1500, 1500));
    };
    std::thread::scope(|scope| scope.spawn(in_near).join().unwrap());
    assert!(!state.join("settings.journal").exists());
}

/// A node in the far namespace, killed when it is dropped.
struct Node(Child, String);

impl Node {
    fn start(network: &TestNetwork, place: &StoryFolder) -> Self {
        Self::start_in(network, place, "")
    }

    /// In the SSH session of which sshd(8) says this; none of nothing.
    fn start_in(network: &TestNetwork, place: &StoryFolder, session: &str) -> Self {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &network.far]).arg(program());
        command
            .args(["node", "--listen", "10.213.2.2:7117"])
            .env("SSH_CONNECTION", session)
            .env("HEADROOM_STATE", place.path().join("state"));
        command.args(["--key-file".as_ref(), place.path().join("node.json").as_os_str()]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut join = String::new();
        std::io::BufRead::read_line(&mut lines, &mut join).unwrap();
        // It goes on speaking, and must be heard.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Self(child, join.trim().to_owned())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A run with the node as peer, from the near namespace.
fn run_with(network: &TestNetwork, place: &StoryFolder, node: &Node, more: &[&str]) -> Command {
    let there = place.command(&[&["run", "net.stream", "--peer", &node.1], more].concat());
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &network.near]).arg(there.get_program()).args(there.get_args());
    command.env("HEADROOM_STATE", place.path().join("state")).current_dir(place.path());
    command
}

/// A run of many trials that changes the MTU at both ends; it is changed when this
/// returns.
fn start_run(network: &TestNetwork, place: &StoryFolder, node: &Node) -> Child {
    let more = ["--set", "mtu=1400,9000", "--duration", "300ms", "--trials", "40"];
    let mut command = run_with(network, place, node, &more);
    let run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("both ends are changed", || network.mtus() == (1400, 1400));
    run
}

fn all_is_put_back(network: &TestNetwork, place: &StoryFolder) {
    eventually("both ends are put back", || network.mtus() == (1500, 1500));
    eventually("the journal is empty", || !place.path().join("state/settings.journal").exists());
}

#[test]
fn a_node_whose_controller_is_killed_puts_its_own_back() {
    let (network, place) = (TestNetwork::new("far"), StoryFolder::new());
    let node = Node::start(&network, &place);
    assert!(node.1.starts_with("headroom://10.213.2.2:7117#"), "{}", node.1);
    let mut run = start_run(&network, &place, &node);
    signal(run.id(), Signal::KILL);
    run.wait().unwrap();
    all_is_put_back(&network, &place);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_node_puts_back_what_an_agent_of_its_died_over() {
    let (network, place) = (TestNetwork::new("died"), StoryFolder::new());
    let node = Node::start(&network, &place);
    let mut run = start_run(&network, &place, &node);
    // It cannot ask for anything any more.
    signal(run.id(), Signal::STOP);
    let tasks = std::fs::read_dir(format!("/proc/{}/task", node.0.id())).unwrap();
    let children = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).unwrap());
    let children: String = children.collect();
    let agents: Vec<u32> = children.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    assert_eq!(agents.len(), 1, "one session has one agent");
    signal(agents[0], Signal::KILL);
    eventually("the agent is gone", || !lives(agents[0]));
    assert_eq!(network.mtus().1, 1400, "nobody has put it back yet");
    signal(run.id(), Signal::KILL);
    run.wait().unwrap();
    all_is_put_back(&network, &place);
}

#[test]
fn a_node_spares_the_session_in_which_it_was_started() {
    let (network, place) = (TestNetwork::new("spared"), StoryFolder::new());
    let run = |node: &Node, set: &str| {
        let short = ["--set", set, "--duration", "100ms", "--warm-up", "0", "--trials", "1"];
        let mut command = run_with(&network, &place, node, &short);
        command.env("NO_COLOR", "1").env("SSH_CONNECTION", "").output().unwrap()
    };
    let node = Node::start_in(&network, &place, "10.213.2.1 50022 10.213.2.2 22");
    for set in ["mtu=9000", "tx-queue-length=77"] {
        let refused = run(&node, set);
        let said = flat(&stderr(&refused));
        assert_eq!(refused.status.code(), Some(3), "{set}: {said}");
        for part in ["the other end (", "vb carries the SSH session from 10.213.2.1"] {
            assert!(said.contains(part), "{set}: {part}: {said}");
        }
    }
    assert_eq!(network.mtus(), (1500, 1500));
    assert!(!place.path().join("state/settings.journal").exists());
    // What is so already is not changed, and whoever starts a node may say that the session may be lost.
    let as_it_is = run(&node, "mtu=1500");
    assert_eq!(as_it_is.status.code(), Some(0), "{}{}", stdout(&as_it_is), stderr(&as_it_is));
    drop(node);
    let node = Node::start(&network, &place);
    let done = run(&node, "mtu=9000");
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    all_is_put_back(&network, &place);
}
