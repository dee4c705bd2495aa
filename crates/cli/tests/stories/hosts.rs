//! Two network namespaces are two machines: a node in one, the controller in the
//! other, and between them what the story lays. In the guest as on any machine.
//! Needs root and `ip`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::common::{StoryFolder, stderr, stdout};

/// Runs a command before others. Where the scheduler has a group for each session
/// (sched(7), autogroup), a thread's own nice value counts in its session only.
const FIRST: &str = "echo -19 2>/dev/null >/proc/self/autogroup; exec nice -n -19 \"$@\"";

/// Two namespaces, and a node in the second once it is started; gone when it is
/// dropped.
pub(crate) struct Hosts {
    pub(crate) near: String,
    pub(crate) far: String,
    place: StoryFolder,
    node: Option<Child>,
    /// What the node printed for its first address.
    join: String,
    _alone: MutexGuard<'static, ()>,
}

/// One story after the other: each would take the processor that the other needs.
static ALONE: Mutex<()> = Mutex::new(());

impl Hosts {
    /// Two that nothing joins yet.
    pub(crate) fn new(name: &str) -> Self {
        let unique = format!("hr-{name}-{}", std::process::id());
        let (near, far) = (format!("{unique}-a"), format!("{unique}-b"));
        // One that failed left nothing behind.
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let hosts =
            Self { near, far, place: StoryFolder::new(), node: None, join: String::new(), _alone: alone };
        tool("ip", &["netns", "add", &hosts.near]);
        tool("ip", &["netns", "add", &hosts.far]);
        // A packet may come by another interface than the answer goes out by.
        let everywhere = "for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >$f; done";
        for namespace in [&hosts.near, &hosts.far] {
            tool("ip", &["netns", "exec", namespace, "sh", "-c", everywhere]);
        }
        hosts
    }

    /// Lays a pair of veth: `near0` and `far0`, or with another number.
    pub(crate) fn lay_veth(&self, number: usize) {
        let (near, far) = (format!("near{number}"), format!("far{number}"));
        let pair = ["link", "add", &near, "type", "veth", "peer", "name", &far, "netns", &self.far];
        self.ip(&self.near, &pair);
    }

    /// Gives both ends of a path addresses, and has them up: 10.217.NUMBER.1 and .2.
    pub(crate) fn address(&self, number: usize, near: &str, far: &str) {
        for (namespace, interface, host) in [(&self.near, near, 1), (&self.far, far, 2)] {
            let address = format!("10.217.{number}.{host}/24");
            self.ip(namespace, &["addr", "add", &address, "dev", interface]);
            self.ip(namespace, &["link", "set", interface, "up"]);
        }
    }

    /// `ip` in a namespace.
    pub(crate) fn ip(&self, namespace: &str, words: &[&str]) {
        tool("ip", &[&["-n", namespace], words].concat());
    }

    /// Starts the node on the address of the first path.
    pub(crate) fn start_node(&mut self) {
        let arguments = ["node", "--listen", "10.217.0.2:7117", "--key-file", "node.json"];
        let mut command = self.within(&self.far, &arguments);
        let mut node = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(node.stdout.take().unwrap());
        lines.read_line(&mut self.join).unwrap();
        self.node = Some(node);
        self.join = self.join.trim().to_owned();
        assert!(self.join.starts_with("headroom://10.217.0.2:7117#"), "{}", self.join);
        // It goes on speaking, and must be heard.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
    }

    /// `headroom ARGUMENTS` in a namespace, before all others at a processor of its
    /// own: they are two machines, and here they are one, on which other stories run.
    fn within(&self, namespace: &str, arguments: &[&str]) -> Command {
        let inner = self.place.command(arguments);
        let cpus = rustix::thread::sched_getaffinity(None).unwrap();
        let mut cpus = (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| cpus.is_set(*cpu));
        let cpu = if namespace == self.near { cpus.next() } else { cpus.next_back() }.unwrap().to_string();
        let mut command = Command::new("setsid");
        command.args(["sh", "-c", FIRST, "sh", "taskset", "-c", &cpu, "ip", "netns", "exec", namespace]);
        command.arg(inner.get_program()).args(inner.get_args());
        command.current_dir(self.place.path()).env("NO_COLOR", "1").env("HEADROOM_STATE", self.place.path());
        command
    }

    /// `headroom run ARGUMENTS` with the node as peer, and its document.
    pub(crate) fn run(&self, arguments: &[&str]) -> Value {
        let all = [&["run"], arguments, &["--peer", &self.join, "--json=full"]].concat();
        let output = self.within(&self.near, &all).output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}{}", stdout(&output), stderr(&output)));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        document
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        if let Some(mut node) = self.node.take() {
            let _ = node.kill();
            let _ = node.wait();
        }
        for name in [&self.near, &self.far] {
            let _ = Command::new("ip").args(["netns", "del", name]).status();
        }
    }
}

/// Runs a program that must succeed.
pub(crate) fn tool(name: &str, arguments: &[&str]) {
    let output = Command::new(name).args(arguments).output().expect("it is installed");
    assert!(output.status.success(), "{name} {}: {}", arguments.join(" "), stderr(&output));
}

/// Has an interface of a namespace state its speed, as one does whose wire is known.
pub(crate) fn state_speed((namespace, interface): (&str, &str), mbit: u32) {
    let speed = mbit.to_string();
    tool("ip", &["netns", "exec", namespace, "ethtool", "-s", interface, "speed", &speed, "duplex", "full"]);
}

/// The middle of a case's figure.
pub(crate) fn metric(document: &Value, case: usize, name: &str) -> f64 {
    let estimates = &document["cases"][case]["loads"][0]["estimates"];
    estimates[name]["median"].as_f64().unwrap_or_else(|| panic!("there is no {name}: {estimates:#}"))
}

/// The finding of a case with this code.
pub(crate) fn found<'a>(document: &'a Value, case: usize, code: &str) -> Option<&'a Value> {
    document["cases"][case]["findings"].as_array().unwrap().iter().find(|f| f["code"] == code)
}

/// The same where it must be there.
pub(crate) fn finding<'a>(document: &'a Value, case: usize, code: &str) -> &'a Value {
    found(document, case, code).unwrap_or_else(|| {
        let case = &document["cases"][case];
        panic!("no {code} among {:#}\nof {:#}", case["findings"], case["trials"][0]["loads"][0]["facts"])
    })
}
