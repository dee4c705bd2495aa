//! `headroom node --join`: the other machine can only dial out, so the run listens
//! and waits for it. From there on all must be as with a node that was dialled.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ::node::{DialError, JoinString, NodeAgent};
use rustix::process::Signal;
use serde_json::Value;

use crate::common::{StoryFolder, eventually, lives, signal, stderr, stdout};

const PATIENCE: Duration = Duration::from_secs(20);

/// A program that runs, and what it says on standard error meanwhile.
struct Talking {
    child: Child,
    said: Arc<Mutex<String>>,
    /// Reads what it says, to its end.
    reader: Option<JoinHandle<()>>,
}

impl Talking {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let (heard, from) = (Arc::clone(&said), child.stderr.take().unwrap());
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                *heard.lock().unwrap() += &(line + "\n");
            }
        });
        Self { child, said, reader: Some(reader) }
    }

    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    fn says(&self, what: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        while !self.said().contains(what) {
            assert!(Instant::now() < end, "never: {what}; but\n{}", self.said());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The join strings that a run printed, one for each address.
    fn joins(&self) -> Vec<JoinString> {
        self.says("Ctrl-C ends it");
        let said = self.said();
        let typed = said.lines().filter_map(|l| l.strip_prefix("headroom node --join '")?.strip_suffix('\''));
        typed.map(|join| JoinString::parse(join).unwrap()).collect()
    }

    /// Its exit code, and what it printed; all that it said has been read then.
    fn ended(&mut self) -> (i32, String) {
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        let code = self.child.wait().unwrap().code().unwrap();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        (code, out)
    }

    fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Talking {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A run that listens on loopback.
fn run_with(place: &StoryFolder, listen: &str, more: &[&str]) -> Talking {
    let run = ["run", "net.stream", "--peer", listen, "--key-file", "run.json", "--warm-up", "100ms"];
    Talking::start(place.command(&[&run[..], &["--trials", "1"], more].concat()))
}

fn node(place: &StoryFolder, join: &JoinString, more: &[&str]) -> Talking {
    Talking::start(place.command(&[&["node", "--join", &join.secret()], more].concat()))
}

fn key(join: &JoinString) -> String {
    join.secret().rsplit_once('.').unwrap().1.to_owned()
}

/// Processes that this one started.
fn agents(of: &Talking) -> Vec<u32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{}/task", of.id())) else { return Vec::new() };
    let all: Vec<String> =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok()).collect();
    all.iter().flat_map(|list| list.split_whitespace()).filter_map(|word| word.parse().ok()).collect()
}

/// A port that nobody has.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_run_with_a_node_that_dialled_has_both_machines_and_no_key() {
    let place = StoryFolder::new();
    let mut run = run_with(&place, "listen://127.0.0.1:0", &["--duration", "300ms"]);
    let join = run.joins().remove(0);
    let mut node = node(&place, &join, &["--once"]);
    let (code, out) = run.ended();
    assert_eq!(code, 0, "{}", run.said());
    assert!(
        run.said().contains("127.0.0.1 (headroom ") && run.said().contains("has joined"),
        "{}",
        run.said()
    );
    let document = place.stored();
    let machines = document["machines"].as_array().unwrap();
    assert_eq!(machines.len(), 2);
    assert_eq!((machines[1]["id"].as_str(), machines[1]["role"].as_str()), (Some("127.0.0.1"), Some("peer")));
    assert_eq!(document["cases"][0]["loads"][0]["parameters"]["peer"], "127.0.0.1");
    assert_eq!(document["cases"][0]["trials"][0]["loads"][1]["machine"], "127.0.0.1");
    assert!(document["cases"][0]["loads"][0]["estimates"]["throughput"]["median"].as_f64().unwrap() > 1e6);
    // Told to the person who may have it, and kept nowhere.
    assert!(!document.to_string().contains(&key(&join)) && !out.contains(&key(&join)));
    assert_eq!(node.ended().0, 0, "{}", node.said());
    let said = node.said();
    assert!(said.contains("let this machine in") && said.contains("is gone: it is done"), "{said}");
    assert!(!said.contains(&key(&join)), "{said}");
    let mode = place.path().join("run.json").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn strangers_get_nothing_and_do_not_end_the_wait() {
    let place = StoryFolder::new();
    let mut run = run_with(&place, "listen://127.0.0.1:0", &["--duration", "300ms"]);
    let join = run.joins().remove(0);
    let mut tcp = TcpStream::connect(("127.0.0.1", join.port)).unwrap();
    tcp.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = tcp.read_to_end(&mut answer);
    assert!(answer.len() <= 7, "{answer:?}");
    run.says("127.0.0.1 was turned away: it spoke something else");
    // The string of another run: its key first, then its certificate.
    let other = ::node::NodeIdentity::new().unwrap();
    let other = other.join_strings("127.0.0.1:1".parse().unwrap()).unwrap().remove(0);
    let wrong_key = JoinString { key: other.key.clone(), ..join.clone() };
    let mut lost = node(&place, &wrong_key, &[]);
    assert_eq!(lost.ended().0, 3, "{}", lost.said());
    lost.says("does not know the key");
    run.says("the key is not this run's");
    let elsewhere = JoinString { fingerprint: other.fingerprint, ..join.clone() };
    let mut lost = node(&place, &elsewhere, &[]);
    assert_eq!(lost.ended().0, 3, "{}", lost.said());
    lost.says("somebody else answers at");
    // Who would dial it as a node.
    let error = NodeAgent::dial(join.clone(), PATIENCE).unwrap_err();
    assert!(matches!(error, DialError::Alike { .. }), "{error}");
    let _node = node(&place, &join, &["--once"]);
    assert_eq!(run.ended().0, 0, "{}", run.said());
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_node_that_is_killed_fails_its_trials_with_the_reason() {
    let place = StoryFolder::new();
    let levels = ["--duration", "60s", "--buffer", "1KiB..1MiB"];
    let mut run = run_with(&place, "listen://127.0.0.1:0", &levels);
    let join = run.joins().remove(0);
    let node = node(&place, &join, &[]);
    eventually("the node has an agent", || !agents(&node).is_empty());
    std::thread::sleep(Duration::from_millis(500));
    signal(node.id(), Signal::KILL);
    let began = std::time::Instant::now();
    let (code, out) = run.ended();
    assert_eq!(code, 1, "{out}");
    // Each of eleven trials waiting for it to come again would be 100 s.
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    let said = (out + &run.said()).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("127.0.0.1"), "{said}");
    assert!(said.contains("was lost") || said.contains("did not come again"), "{said}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_node_outlives_a_run_that_is_killed_and_serves_the_next_with_the_same_string() {
    let place = StoryFolder::new();
    let listen = format!("listen://127.0.0.1:{}", free_port());
    let mut first = run_with(&place, &listen, &["--duration", "60s"]);
    let join = first.joins().remove(0);
    let mut node = node(&place, &join, &[]);
    eventually("the node has an agent", || !agents(&node).is_empty());
    let before = agents(&node);
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    eventually("its agent is gone", || before.iter().all(|agent| !lives(*agent)));
    node.says("no run waits there now; tries again every 5 s");
    let mut second = run_with(&place, &listen, &["--duration", "300ms"]);
    assert_eq!(second.joins().remove(0).secret(), join.secret());
    assert_eq!(second.ended().0, 0, "{}", second.said());
    signal(node.id(), Signal::TERM);
    assert_eq!(node.ended().0, 0, "{}", node.said());
    assert_eq!(node.said().matches("let this machine in").count(), 2, "{}", node.said());
}

#[test]
fn a_run_that_nobody_joins_ends_with_what_to_do() {
    let place = StoryFolder::new();
    let mut run = run_with(&place, "listen://127.0.0.1:0", &["--join-within", "300ms"]);
    assert_eq!(run.ended().0, 3);
    let said = run.said().split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "");
    assert!(said.contains("did not connect within 300 ms") && said.contains("--join-within"), "{said}");
    let mut run = run_with(&place, "listen://127.0.0.1:0", &[]);
    run.joins();
    signal(run.id(), Signal::INT);
    assert_eq!(run.ended().0, 130, "{}", run.said());
    // Nothing was kept of either.
    assert!(!stdout(&place.run(&["list"])).contains("net.stream"));
}

#[test]
fn what_keeps_either_from_starting_is_said_with_what_to_do() {
    let place = StoryFolder::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap();
    let refused = |arguments: &[&str], code: i32, says: &[&str]| {
        let output = place.run(arguments);
        let said = stderr(&output).split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "");
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(says.iter().all(|s| said.contains(s)), "{said}");
        assert!(!said.contains("ICEi"), "{said}");
    };
    let run = |listen: &str, code: i32, says: &[&str]| {
        refused(&["run", "net.stream", "--peer", listen, "--key-file", "run.json"], code, says);
    };
    run(&format!("listen://{at}"), 3, &["cannot be listened at", "perhaps a node or another run"]);
    run("listen://192.0.2.1:0", 3, &["no address of this machine"]);
    run("listen://lan:1", 2, &["is no address to listen at", "listen://:7117"]);
    std::fs::set_permissions(place.path().join("run.json"), std::fs::Permissions::from_mode(0o644)).unwrap();
    run("listen://127.0.0.1:0", 3, &["others may read", "chmod 600"]);

    let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8.ICEiIyQlJicoKSorLC0uLw";
    let join = format!("headroom://127.0.0.1:9#{secret}");
    refused(&["node", "--join", "headroom://127.0.0.1:9"], 2, &["no `#`", "quote it"]);
    refused(&["node", "--join", &format!("{join}x")], 2, &["the key in the join string is not whole"]);
    refused(&["node", "--join", "no-such-file"], 2, &["there is no file no-such-file"]);
    refused(&["node", "--join", &join, "--listen", "10.0.0.2"], 2, &["cannot be used with"]);
    refused(&["node", "--join", &join, "--systemd-unit"], 2, &["everybody may read a unit"]);
    let file = place.path().join("join");
    std::fs::write(&file, &join).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    refused(&["node", "--join", "join"], 3, &["others may read join", "chmod 600"]);
}

#[test]
fn a_string_in_a_file_serves_a_unit() {
    let place = StoryFolder::new();
    let unit = stdout(&place.run(&["node", "--systemd-unit", "--join", "join"]));
    let path = place.path().canonicalize().unwrap().join("join");
    assert!(unit.contains(&format!(" node --join {}\n", path.display())), "{unit}");
    assert!(unit.contains("RestartSec=") && !unit.contains("StandardOutput"), "{unit}");

    let mut run = run_with(&place, "listen://127.0.0.1:0", &["--duration", "300ms"]);
    let join = run.joins().remove(0);
    std::fs::write(&path, join.secret() + "\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mut node = Talking::start(place.command(&["node", "--once", "--join", "join"]));
    node.says("let this machine in");
    assert_eq!((run.ended().0, node.ended().0), (0, 0), "{}", run.said());
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_key_that_was_typed_is_not_in_the_list_of_processes() {
    let place = StoryFolder::new();
    let mut run = run_with(&place, "listen://127.0.0.1:0", &["--duration", "300ms"]);
    let join = run.joins().remove(0);
    let port = free_port();
    let waits = node(&place, &JoinString { port, ..join.clone() }, &[]);
    waits.says("no run waits there now");
    let words = std::fs::read_to_string(format!("/proc/{}/cmdline", waits.id())).unwrap();
    assert!(words.contains(&format!("--join\0headroom://127.0.0.1:{port}#....")), "{words}");
    assert!(!words.contains(&key(&join)), "{words}");
    let _node = node(&place, &join, &["--once"]);
    assert_eq!(run.ended().0, 0, "{}", run.said());
}

/// Two namespaces with a veth pair; gone when it is dropped.
struct TestNetwork {
    near: String,
    far: String,
    place: StoryFolder,
}

impl TestNetwork {
    fn new(name: &str) -> Self {
        let unique = format!("hr-{name}-{}", std::process::id());
        let network =
            Self { near: format!("{unique}-a"), far: format!("{unique}-b"), place: StoryFolder::new() };
        let (a, b) = (network.near.as_str(), network.far.as_str());
        ip(&["netns", "add", a]);
        ip(&["netns", "add", b]);
        ip(&["-n", a, "link", "add", "near0", "type", "veth", "peer", "name", "far0", "netns", b]);
        for (name, device, address) in [(a, "near0", "10.218.0.1/24"), (b, "far0", "10.218.0.2/24")] {
            ip(&["-n", name, "addr", "add", address, "dev", device]);
            ip(&["-n", name, "link", "set", device, "up"]);
        }
        network
    }

    fn within(&self, namespace: &str, arguments: &[&str]) -> Command {
        let inner = self.place.command(arguments);
        let mut command = Command::new("ip");
        command.args(["netns", "exec", namespace]).arg(inner.get_program()).args(inner.get_args());
        command.current_dir(self.place.path()).env("NO_COLOR", "1").env("HEADROOM_STATE", self.place.path());
        command
    }

    /// Local ports of the TCP sockets of a namespace, and whether they listen.
    fn sockets(&self, namespace: &str) -> Vec<(u16, bool)> {
        let output = Command::new("ip").args(["netns", "exec", namespace, "cat", "/proc/net/tcp"]).output();
        let table = stdout(&output.unwrap());
        let one = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let port = u16::from_str_radix(words.get(1)?.rsplit_once(':')?.1, 16).ok()?;
            // TCP_LISTEN of include/net/tcp_states.h.
            Some((port, *words.get(3)? == "0A"))
        };
        table.lines().skip(1).filter_map(one).collect()
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
    let output = Command::new("ip").args(arguments).output().expect("it is installed");
    assert!(output.status.success(), "ip {}: {}", arguments.join(" "), stderr(&output));
}

/// The run's port is open and the ports of data are not. Needs root.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_door_that_the_node_does_not_reach_is_named() {
    let network = TestNetwork::new("port");
    let near = network.near.as_str();
    // Rules may stand before the one that finds this machine's own addresses.
    ip(&["-n", near, "rule", "add", "pref", "10", "lookup", "local"]);
    ip(&["-n", near, "rule", "del", "pref", "0"]);
    let closed = ["dport", "32768-60999", "prohibit"];
    ip(&[&["-n", near, "rule", "add", "pref", "5", "iif", "near0", "ipproto", "tcp"], &closed[..]].concat());
    let arguments = ["run", "net.stream", "--peer", "listen://:7117", "--key-file", "run.json"];
    let mut run = Talking::start(
        network.within(near, &[&arguments[..], &["--duration", "300ms", "--trials", "1"]].concat()),
    );
    let secret = run.joins().remove(0).secret();
    let _node = Talking::start(network.within(&network.far, &["node", "--once", "--join", &secret]));
    let (code, out) = run.ended();
    let said = (out + &run.said()).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("the other end") && said.contains("10.218.0.1:"), "{said}");
}

/// Settings at both ends, the way, the addresses: and every connection is made by
/// the node. Needs root.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn between_two_machines_the_node_makes_all_connections() {
    let network = TestNetwork::new("joined");
    let arguments = ["run", "net.stream", "--peer", "listen://:7117", "--key-file", "run.json"];
    let more = ["--set", "mtu=4000", "--duration", "3s", "--trials", "1", "--json=full"];
    let mut run = Talking::start(network.within(&network.near, &[&arguments[..], &more].concat()));
    let join = run.joins().remove(0);
    assert_eq!(join.place(), "10.218.0.1:7117");
    let secret = join.secret();
    let _node = Talking::start(network.within(&network.far, &["node", "--once", "--join", &secret]));
    // The near end has a port with the trial's connection behind it; none of the
    // far end's is used, and the control connection came to the port of the run.
    let met = || {
        let near = network.sockets(&network.near);
        let listens = |port: u16| near.contains(&(port, true));
        let came = near.iter().filter(|(port, is_listening)| !is_listening && listens(*port)).count();
        let far = network.sockets(&network.far);
        let visited = far.iter().any(|(port, is_listening)| !is_listening && far.contains(&(*port, true)));
        came >= 2 && !visited
    };
    eventually("data goes to the near end", met);
    let (code, out) = run.ended();
    assert_eq!(code, 0, "{}", run.said());
    let document: Value = serde_json::from_str(&out).unwrap();
    let case = &document["cases"][0];
    assert_eq!(case["loads"][0]["parameters"]["peer"], "10.218.0.2");
    let states = case["settings"]["mtu"].to_string();
    assert!(states.contains("nic:near0") && states.contains("nic:far0"), "{states}");
    let trial = &case["trials"][0];
    let near = &trial["loads"][0];
    let fact = |end: &Value, name: &str| end["facts"][name].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        (fact(near, "interface"), fact(near, "source_address")),
        ("near0".into(), "10.218.0.1".into())
    );
    let far = &trial["loads"][1];
    assert_eq!(far["machine"], "10.218.0.2");
    assert_eq!((fact(far, "interface"), fact(far, "source_address")), ("far0".into(), "10.218.0.2".into()));
    // The end that dials is the one that sees what a packet may be.
    assert_eq!(far["facts"]["packet_carried"], 4000);
    for (name, device) in [(&network.near, "near0"), (&network.far, "far0")] {
        let shown = Command::new("ip").args(["-n", name, "link", "show", device]).output().unwrap();
        assert!(stdout(&shown).contains("mtu 1500"), "{}", stdout(&shown));
    }
}
