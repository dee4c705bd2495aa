//! Two network namespaces joined by a veth pair, as two machines: the near ends
//! of ours and of the peer run in one, held to the first CPU, the far ends in the
//! other, held to the last, or each where the kernel puts it. Needs root and `ip`;
//! nothing is left when it is dropped.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command as Process, Stdio};
use std::time::Duration;

use crate::context::{BenchContext, Metrics};
use crate::{context, place};
use xtask::Error;

/// The far end's address.
pub(crate) const FAR: &str = "10.219.0.2";

/// How long a server gets to listen: a connection that only asks whether it does
/// would be its client.
const LISTENS: Duration = Duration::from_millis(300);

/// Both namespaces and, in the far one, a node.
pub(crate) struct NamespacePair {
    near: String,
    far: String,
    /// The near end's CPU and the far end's; none where nobody is held.
    cpus: Option<[u32; 2]>,
    node: Option<Server>,
    join: String,
}

impl NamespacePair {
    /// Makes them and starts the node, each end on a CPU of its own.
    pub(crate) fn new(context: &BenchContext) -> Result<Self, Error> {
        Self::on(context, Some([place::allowed()?.first().copied().unwrap_or_default(), place::last()?]))
    }

    /// The same, with nobody held to a CPU.
    pub(crate) fn unplaced(context: &BenchContext) -> Result<Self, Error> {
        Self::on(context, None)
    }

    fn on(context: &BenchContext, cpus: Option<[u32; 2]>) -> Result<Self, Error> {
        let unique = format!("hr-bench-{}", std::process::id());
        let (near, far) = (format!("{unique}-a"), format!("{unique}-b"));
        let join = String::new();
        let mut network = Self { near, far, cpus, node: None, join };
        let (a, b) = (network.near.clone(), network.far.clone());
        ip(&["netns", "add", &a])?;
        ip(&["netns", "add", &b])?;
        ip(&["-n", &a, "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", &b])?;
        ip(&["-n", &a, "addr", "add", "10.219.0.1/24", "dev", "near"])?;
        ip(&["-n", &b, "addr", "add", &format!("{FAR}/24"), "dev", "far"])?;
        ip(&["-n", &a, "link", "set", "near", "up"])?;
        ip(&["-n", &b, "link", "set", "far", "up"])?;
        let (program, key) = (context.program().to_string_lossy().into_owned(), context.scratch("node.json"));
        let listen = format!("{FAR}:7117");
        let words = [&program, "node", "--key-file", &key.to_string_lossy(), "--listen", &listen];
        let mut node = network.serve(context, &words)?;
        let mut line = String::new();
        BufReader::new(&mut node.says).read_line(&mut line).map_err(|e| failed("its node", &e))?;
        if !line.starts_with("headroom://") {
            return Err(Error::Bench(format!("the node says `{}`, which is no join string", line.trim())));
        }
        line.trim().clone_into(&mut network.join);
        network.node = Some(node);
        Ok(network)
    }

    /// One trial of ours between both; `words` say what ends it.
    pub(crate) fn ours(&self, context: &BenchContext, words: &[&str], seed: u64) -> Result<Metrics, Error> {
        let duration = format!("{}s", context.seconds);
        let all = [words, &["--peer", &self.join, "--duration", &duration]].concat();
        context.headroom_after(&["ip", "netns", "exec", &self.near], self.near_cpu(), &all, seed)
    }

    /// The same as a user types it: with what Headroom does unless it is told otherwise.
    pub(crate) fn typed(&self, context: &BenchContext, words: &[&str], seed: u64) -> Result<Metrics, Error> {
        let duration = format!("{}s", context.seconds);
        let all = [words, &["--peer", &self.join, "--duration", &duration]].concat();
        context.as_typed(&["ip", "netns", "exec", &self.near], &all, seed)
    }

    /// One trial of ours at the near end with nobody of ours at the far one, begun by the words
    /// `before`; `words` say all of it.
    pub(crate) fn at_near_end(
        &self,
        context: &BenchContext,
        before: &[&str],
        words: &[&str],
        seed: u64,
    ) -> Result<Metrics, Error> {
        let before = [before, &["ip", "netns", "exec", &self.near]].concat();
        context.headroom_after(&before, self.near_cpu(), words, seed)
    }

    /// Lets no more than `rate` (as tc writes it) leave the far end, by a token bucket of 256 kB that
    /// queues for 20 ms at most (tc-tbf(8)).
    pub(crate) fn limit_far_end(&self, rate: &str) -> Result<(), Error> {
        let place = ["-n", &self.far, "qdisc", "add", "dev", "far", "root"];
        let bucket = ["tbf", "rate", rate, "burst", "256kb", "latency", "20ms"];
        tool("tc", &[&place[..], &bucket].concat())
    }

    fn near_cpu(&self) -> Option<u32> {
        self.cpus.map(|[near, _]| near)
    }

    /// What the peer's near end prints.
    pub(crate) fn client(&self, context: &BenchContext, words: &[&str]) -> Result<String, Error> {
        context.output(self.near_cpu(), "ip", &[&["netns", "exec", &self.near], words].concat())
    }

    /// Starts a program in the far namespace; it is ended when it is dropped.
    pub(crate) fn serve(&self, context: &BenchContext, words: &[&str]) -> Result<Server, Error> {
        let cpu = self.cpus.map(|[_, far]| far.to_string());
        let placed: Vec<&str> = cpu.iter().flat_map(|cpu| ["taskset", "-c", cpu]).collect();
        let err = context.scratch("server.err");
        let make = |path: &Path| File::create(path).map_err(Error::file("make", path));
        let mut child = Process::new("ip")
            .args(["netns", "exec", &self.far])
            .args(placed)
            .args(words)
            .current_dir(context.scratch(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(make(&err)?)
            .spawn()
            .map_err(|e| failed(words[0], &e))?;
        let says = child.stdout.take().ok_or_else(|| Error::Bench("a server without a pipe".to_owned()))?;
        std::thread::sleep(LISTENS);
        Ok(Server { child, says })
    }
}

impl Drop for NamespacePair {
    fn drop(&mut self) {
        drop(self.node.take());
        for name in [&self.near, &self.far] {
            if let Err(e) = ip(&["netns", "del", name]) {
                eprintln!("xtask: {e}");
            }
        }
    }
}

/// A program of the far end.
pub(crate) struct Server {
    child: Child,
    says: ChildStdout,
}

impl Server {
    /// All it said, once it has ended by itself.
    pub(crate) fn last_words(&mut self) -> Result<String, Error> {
        let mut text = String::new();
        self.says.read_to_string(&mut text).map_err(|e| failed("the far end", &e))?;
        Ok(text)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A node puts away its agents when it is asked to end.
        let id = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        if !matches!(context::ends_within(&self.child, Duration::from_secs(5)), Ok(true)) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

fn ip(words: &[&str]) -> Result<(), Error> {
    tool("ip", words)
}

fn tool(program: &str, words: &[&str]) -> Result<(), Error> {
    let output = Process::new(program).args(words).output().map_err(|e| failed(program, &e))?;
    if output.status.success() {
        return Ok(());
    }
    let says = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::Bench(format!("`{program} {}`: {says}", words.join(" "))))
}

fn failed(what: &str, error: &std::io::Error) -> Error {
    Error::Bench(format!("{what} between two namespaces: {error}"))
}
