//! `headroom node` as a person runs it: what it prints, who is let in, and how
//! it ends. What it does for whom is tested beside it, in the agent.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout};
use std::time::Duration;

use ::node::{DialError, JoinString, NodeAgent};
use agent::{Agent, CallContext};
use rustix::process::Signal;

use crate::common::{StoryFolder, eventually, flat, lives, signal, stderr, stdout};

const PATIENCE: Duration = Duration::from_secs(20);

/// A node that runs.
struct Node {
    child: Child,
    join: JoinString,
    out: BufReader<ChildStdout>,
}

impl Node {
    fn start(place: &StoryFolder, more: &[&str]) -> Self {
        let node = ["node", "--listen", "127.0.0.1:0", "--key-file", "key.json"];
        let mut child = place.start(&[&node, more].concat());
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let join = JoinString::parse(&line).unwrap();
        Self { child, join, out }
    }

    fn dial(&self) -> Result<NodeAgent, DialError> {
        NodeAgent::dial(self.join.clone(), PATIENCE)
    }

    fn agents(&self) -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let children = |task: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(task.ok()?.path().join("children")).ok()
        };
        let all: Vec<String> = tasks.filter_map(children).collect();
        all.iter().flat_map(|list| list.split_whitespace()).filter_map(|word| word.parse().ok()).collect()
    }

    /// Waits for its end; gives its exit code, the rest of what it printed, and
    /// what it said.
    fn ended(mut self) -> (i32, String, String) {
        let mut code = None;
        eventually("the node ends", || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        let (mut out, mut said) = (String::new(), String::new());
        self.out.read_to_string(&mut out).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        // Sentences are wrapped.
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        (code.unwrap().code().unwrap(), out, said)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn describe(agent: &mut NodeAgent) -> String {
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    agent.describe(&mut watch).unwrap().hostname
}

#[test]
fn a_node_lets_in_who_has_its_string_and_ends_at_sigterm_with_all_it_started() {
    let place = StoryFolder::new();
    let node = Node::start(&place, &[]);
    let mut agent = node.dial().unwrap();
    assert!(!describe(&mut agent).is_empty());
    let agents = node.agents();
    assert_eq!(agents.len(), 1);
    signal(node.child.id(), Signal::TERM);
    let port = node.join.port;
    let key = node.join.secret().rsplit_once('.').unwrap().1.to_owned();
    let (code, out, said) = node.ended();
    assert_eq!((code, out.as_str()), (0, ""), "{said}");
    assert!(!lives(agents[0]));
    assert!(said.contains("Connections are accepted from any address. Ctrl-C ends"), "{said}");
    assert!(said.contains("127.0.0.1 (headroom ") && said.contains("the node was told to end"), "{said}");
    assert!(!said.contains(&key), "{said}");
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    // The controller was there all the while.
    drop(agent);
}

#[test]
fn a_node_sends_a_file_that_it_was_started_for_and_no_other() {
    let place = StoryFolder::new();
    let [path, other] = ["big", "other"].map(|name| {
        let path = place.path().join(name);
        std::fs::write(&path, vec![7; 300_000]).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let node = Node::start(&place, &["--serve-file", &path]);
    let join = node.join.secret();
    let run = |file: &str| {
        let download = ["run", "http.download", "--url", "peer", "--peer", &join, "--serve-file", file];
        place.document(&[&download[..], &["--until", "end", "--trials", "1"]].concat())
    };
    let (code, document) = run(&path);
    assert_eq!(code, 0, "{document}");
    let text = document.to_string();
    assert!(text.contains("\"content_length\":300000") && text.contains("a file, by sendfile"), "{text}");
    let (code, document) = run(&other);
    assert_eq!(code, 1, "{document}");
    assert!(document.to_string().contains("this node was not started to send"), "{document}");
    // What is no file is refused before anything listens.
    let refused = place.run(&["node", "--serve-file", "/dev/zero"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(flat(&stderr(&refused)).contains("no regular file"), "{}", stderr(&refused));
}

#[test]
fn a_node_says_what_it_presents_which_is_nothing_but_devices_and_folders() {
    let place = StoryFolder::new();
    for path in ["/dev/zero", "no-such-folder"] {
        let refused = place.run(&["node", "--present", path]);
        assert_eq!(refused.status.code(), Some(2), "{path}: {}", stderr(&refused));
    }
    let folder = place.path().to_str().unwrap();
    if !rustix::process::geteuid().is_root() {
        let node = ["node", "--listen", "127.0.0.1:0", "--key-file", "key.json", "--present", folder];
        let refused = place.run(&node);
        assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
        assert!(stderr(&refused).contains("does not run as root"), "{}", stderr(&refused));
        return;
    }
    let node = Node::start(&place, &["--present", folder]);
    signal(node.child.id(), Signal::TERM);
    let (_, _, said) = node.ended();
    assert!(said.contains("presented to whoever asks for it"), "{said}");
}

#[test]
fn the_string_stays_the_same_until_a_new_key_is_asked_for() {
    let place = StoryFolder::new();
    let node = Node::start(&place, &["--once"]);
    let file = place.path().join("key.json");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let first = node.join.clone();
    drop(node.dial().unwrap());
    let (code, _, said) = node.ended();
    assert_eq!(code, 0);
    assert!(said.contains("One session ends it") && said.contains("is gone: it is done"), "{said}");
    let print = ["node", "--key-file", "key.json", "--print", "--listen"];
    let printed = place.run(&[&print[..], &["127.0.0.1:9"]].concat());
    assert_eq!(stdout(&printed), format!("{}\n", JoinString { port: 9, ..first.clone() }.secret()));
    let node = Node::start(&place, &["--new-key"]);
    let old = JoinString { port: node.join.port, ..first };
    assert!(matches!(NodeAgent::dial(old, PATIENCE), Err(DialError::Other(_))));
    assert!(node.dial().is_ok());
}

#[test]
fn a_node_that_is_killed_leaves_no_agent() {
    let place = StoryFolder::new();
    let node = Node::start(&place, &[]);
    let mut agent = node.dial().unwrap();
    describe(&mut agent);
    let agents = node.agents();
    assert_eq!(agents.len(), 1);
    signal(node.child.id(), Signal::KILL);
    eventually("its agent's process is gone", || !lives(agents[0]));
}

/// A run whose far end is this node.
fn run_with(place: &StoryFolder, node: &Node, more: &[&str]) -> Child {
    let join = node.join.secret();
    place.start(
        &[&["run", "net.stream", "--peer", &join, "--warm-up", "100ms", "--trials", "1"], more].concat(),
    )
}

#[test]
fn a_run_between_two_ends_keeps_no_key_and_leaves_no_agent() {
    let place = StoryFolder::new();
    let node = Node::start(&place, &[]);
    let output = run_with(&place, &node, &["--duration", "300ms"]).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document = place.stored();
    let roles: Vec<_> = document["machines"].as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles.len(), 2, "{roles:?}");
    assert_eq!(roles[1], "peer");
    let text = document.to_string();
    assert!(text.contains(&node.join.place()));
    let key = node.join.secret().rsplit_once('.').unwrap().1.to_owned();
    assert!(!text.contains(&key) && !stdout(&output).contains(&key) && !stderr(&output).contains(&key));
    // The run waits for that.
    assert!(node.agents().is_empty());
}

#[test]
fn a_controller_that_is_killed_leaves_no_agent_at_the_node() {
    let place = StoryFolder::new();
    let node = Node::start(&place, &[]);
    let mut run = run_with(&place, &node, &["--duration", "60s"]);
    eventually("both measure", || {
        let store = place.run(&["list"]);
        store.status.success() && !node.agents().is_empty()
    });
    let agents = node.agents();
    run.kill().unwrap();
    run.wait().unwrap();
    eventually("the node's agent is gone", || agents.iter().all(|agent| !lives(*agent)));
    // And the next one is served.
    assert!(!describe(&mut node.dial().unwrap()).is_empty());
}

#[test]
fn a_node_that_is_killed_fails_the_trial_and_those_after_it_with_the_reason() {
    let place = StoryFolder::new();
    let node = Node::start(&place, &[]);
    let run = run_with(&place, &node, &["--duration", "60s"]);
    eventually("the node has an agent", || !node.agents().is_empty());
    std::thread::sleep(Duration::from_millis(500));
    signal(node.child.id(), Signal::KILL);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let said = (stdout(&output) + &stderr(&output)).split_whitespace().collect::<Vec<_>>().join(" ");
    let place_of = node.join.place();
    assert!(said.contains(&place_of), "{said}");
    assert!(said.contains("was lost") || said.contains("nobody listens at"), "{said}");
}

#[test]
fn what_keeps_a_node_from_starting_is_said_with_what_to_do() {
    let place = StoryFolder::new();
    let node = Node::start(&place, &[]);
    let at = format!("127.0.0.1:{}", node.join.port);
    let refused = |arguments: &[&str], code: i32, says: &[&str]| {
        let output = place.run(&[&["node"], arguments].concat());
        let said = stderr(&output).split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "");
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(says.iter().all(|s| said.contains(s)), "{said}");
        assert_eq!(stdout(&output), "");
    };
    refused(
        &["--listen", &at, "--key-file", "key.json"],
        3,
        &["cannot be listened at", "perhaps another node"],
    );
    refused(&["--listen", "192.0.2.1:0", "--key-file", "key.json"], 3, &["no address of this machine"]);
    let file = place.path().join("key.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    refused(&["--listen", "127.0.0.1:0", "--key-file", "key.json"], 3, &["others may read", "chmod 600"]);
    refused(
        &["--listen", "127.0.0.1:0", "--key-file", "/proc/key.json"],
        3,
        &["cannot be written", "--key-file"],
    );
    refused(&["--listen", "lan"], 2, &["no address of a machine"]);
    refused(&["--allow", "10.0.0.0/64"], 2, &["no network or address"]);
}

#[test]
fn a_unit_for_systemd_is_printed() {
    let place = StoryFolder::new();
    let output = place.run(&["node", "--systemd-unit", "--listen", "10.0.0.2", "--allow", "10.0.0.0/8"]);
    let unit = stdout(&output);
    assert!(unit.contains(" node --listen 10.0.0.2:7117 --allow 10.0.0.0/8\n"), "{unit}");
    // Nothing was made.
    assert_eq!(place.names(), Vec::<String>::new());
}
