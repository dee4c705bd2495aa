//! A node in a thread, whose agent's process is this test program again.

use std::ffi::OsString;
use std::io::Write;
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::message::{FromAgent, Request};

use crate::dial::introduce;
use crate::frame::Frames;
use crate::handshake::{Dialer, HandshakeRequest};
use crate::secure::Secure;
use crate::{DialError, JoinString, Limits, Node, NodeAgent, NodeEvent, NodeIdentity, ServeOptions};
use agent::{Agent, AgentError, CallContext, ChildCommand, wire};

/// How long anything may take here.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

#[test]
#[ignore = "no test, but the agent's process of the others"]
fn agent_process() {
    let stream = std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from).unwrap();
    // Somebody ran the ignored tests.
    if stream.peer_addr().is_ok() {
        // That its controller vanished is no fault of it.
        let _ = agent::serve(stream);
    }
}

/// How such a process is started, and a word that only it has.
pub(super) fn agent() -> (ChildCommand, String) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mark = format!("node-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let arguments = ["tests::fixture::agent_process", "--exact", "--ignored", "--nocapture", "--skip", &mark];
    let arguments = arguments.map(OsString::from).to_vec();
    (ChildCommand { program: "/proc/self/exe".into(), arguments }, mark)
}

/// The processes that have such a word.
pub(super) fn processes(mark: &str) -> Vec<i32> {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let entry = entry.ok()?;
        let id: i32 = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        line.windows(mark.len()).any(|w| w == mark.as_bytes()).then_some(id)
    });
    all.collect()
}

/// The node.
pub(super) struct Fixture {
    pub(super) join: JoinString,
    pub(super) events: Arc<Mutex<Vec<NodeEvent>>>,
    /// A word that only the processes of this node's agents have.
    mark: String,
    stop: UnixStream,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

impl Fixture {
    pub(super) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(super) fn with(change: impl FnOnce(&mut ServeOptions)) -> Self {
        let (agent, mark) = agent();
        let limits = Limits::default();
        let mut options = ServeOptions { allow: Default::default(), once: false, limits, agent };
        change(&mut options);
        let node =
            Node::listen("127.0.0.1:0".parse().unwrap(), NodeIdentity::new().unwrap(), options).unwrap();
        let join = node.join_strings().unwrap().remove(0);
        let events = Arc::new(Mutex::new(Vec::new()));
        let (stop, theirs) = UnixStream::pair().unwrap();
        let heard = Arc::clone(&events);
        let thread = std::thread::spawn(move || {
            node.serve(theirs.as_fd(), &|event| heard.lock().unwrap().push(event))
        });
        Self { join, events, mark, stop, thread: Some(thread) }
    }

    pub(super) fn dial(&self) -> Result<NodeAgent, DialError> {
        NodeAgent::dial(self.join.clone(), PATIENCE)
    }

    pub(super) fn tcp(&self) -> TcpStream {
        let tcp = TcpStream::connect(("127.0.0.1", self.join.port)).unwrap();
        tcp.set_read_timeout(Some(PATIENCE)).unwrap();
        tcp
    }

    /// A controller that says what it likes, once it was let in.
    pub(super) fn raw(&self) -> Raw {
        let hello = HandshakeRequest::frame(&self.join.key, Dialer::Controller).unwrap();
        Raw(introduce(self.tcp(), &self.join, &hello, None).unwrap())
    }

    /// That the node lets in who has the key, and answers.
    pub(super) fn serves(&self) {
        let mut agent = self.dial().unwrap();
        assert!(!describe(&mut agent).unwrap().is_empty());
    }

    /// Waits until the node has told of this.
    pub(super) fn tells(&self, what: &str, is: impl Fn(&NodeEvent) -> bool) {
        eventually(what, || self.events.lock().unwrap().iter().any(&is));
    }

    /// The agents' processes of this node.
    pub(super) fn processes(&self) -> Vec<i32> {
        processes(&self.mark)
    }

    pub(super) fn stop(&mut self) {
        self.stop.write_all(b"x").unwrap();
        self.ended();
    }

    /// Waits for its end.
    pub(super) fn ended(&mut self) {
        let thread = self.thread.take().unwrap();
        eventually("the node ends", || thread.is_finished());
        thread.join().unwrap().unwrap();
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = self.stop.write_all(b"x");
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "a session panicked");
        }
    }
}

/// Bytes over a connection that was let in.
pub(super) struct Raw(pub(super) (Secure, Frames));

impl Raw {
    pub(super) fn say(&mut self, bytes: &[u8]) {
        self.0.0.say(bytes, Instant::now() + PATIENCE, None).unwrap();
    }

    pub(super) fn ask(&mut self, request: &Request) {
        self.say(&wire::frame(request).unwrap());
    }

    /// The next frame that is more than a sign of life, none once it is closed.
    pub(super) fn hear(&mut self) -> Option<FromAgent> {
        let mut heard = Ok(Some(Vec::new()));
        while matches!(&heard, Ok(Some(frame)) if frame.is_empty()) {
            heard = self.0.0.hear(&mut self.0.1, Instant::now() + PATIENCE, None);
        }
        match heard {
            Ok(frame) => Some(serde_json::from_slice(&frame?).unwrap()),
            // What was not read when it closed resets the connection.
            Err(e) if e.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(e) => panic!("{e}"),
        }
    }
}

/// The name of the machine.
pub(super) fn describe(agent: &mut NodeAgent) -> Result<String, AgentError> {
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    agent.describe(&mut watch).map(|machine| machine.hostname)
}

/// Waits until `holds`.
pub(super) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
