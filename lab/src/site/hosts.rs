//! Two network namespaces that stand for two machines, joined by a veth pair or a wire.
//! They are those of two processes, not named ones, so that they are gone when these end,
//! even if the lab is killed.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::scenario::End;
use crate::tool::{self, read, tool};
use crate::wire::{Way, Wire, WireCounts};

/// Where the node listens.
pub(crate) const FAR: &str = "10.220.0.2";
const NEAR: &str = "10.220.0.1";

/// Holds a namespace of network and mounts. /sys is that of the network; the control
/// groups, which lie below it, are those of before.
const HOLD: &str = "d=$(mktemp -d) && mount --rbind /sys/fs/cgroup $d && mount -t sysfs sysfs /sys && \
                    mount --move $d /sys/fs/cgroup && rmdir $d && echo ready && exec sleep 1d";

/// One end.
#[derive(Debug)]
struct Holder {
    child: Child,
}

impl Holder {
    fn new() -> Result<Self, String> {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "unshare", "--net", "--mount", "sh", "-c", HOLD]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().map_err(|e| format!("`setpriv`: {e}"))?;
        // It is ended from here on.
        let mut holder = Self { child };
        let mut line = String::new();
        if let Some(printed) = holder.child.stdout.take() {
            BufReader::new(printed).read_line(&mut line).map_err(|e| format!("a namespace: {e}"))?;
        }
        match line.trim() {
            "ready" => Ok(holder),
            _ => Err("no namespaces of network and mounts are to be had".to_owned()),
        }
    }

    fn id(&self) -> String {
        self.child.id().to_string()
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Both ends and what joins them.
pub(crate) struct Hosts {
    // Without current before its interfaces go.
    wire: Option<Wire>,
    near: Holder,
    far: Holder,
}

impl Hosts {
    /// Two with a veth pair between them.
    pub(crate) fn with_veth() -> Result<Self, String> {
        let hosts = Self { wire: None, near: Holder::new()?, far: Holder::new()? };
        let far = hosts.far.id();
        let pair = ["link", "add", "near0", "type", "veth", "peer", "name", "far0", "netns", far.as_str()];
        hosts.within(End::Near, "ip", &pair)?;
        hosts.address()?;
        Ok(hosts)
    }

    /// Two with a wire between them, which may state its speed.
    pub(crate) fn with_wire(way: Way, states_speed: bool) -> Result<Self, String> {
        let mut hosts = Self { wire: None, near: Holder::new()?, far: Holder::new()? };
        let wire = Wire::lay(way, (&hosts.near.id(), "near0"), (&hosts.far.id(), "far0"));
        hosts.wire = Some(wire.map_err(|e| e.to_string())?);
        hosts.address()?;
        if states_speed {
            let speed = way.mbit.to_string();
            for end in [End::Near, End::Far] {
                let words = ["-s", interface(end), "speed", &speed, "duplex", "full"];
                hosts.within(end, "ethtool", &words)?;
            }
        }
        Ok(hosts)
    }

    fn address(&self) -> Result<(), String> {
        for (end, address) in [(End::Near, NEAR), (End::Far, FAR)] {
            let all = format!("{address}/24");
            self.within(end, "ip", &["addr", "add", &all, "dev", interface(end)])?;
            self.within(end, "ip", &["link", "set", interface(end), "up"])?;
            self.within(end, "ip", &["link", "set", "lo", "up"])?;
        }
        Ok(())
    }

    /// The process that holds an end.
    pub(crate) fn id(&self, end: End) -> String {
        match end {
            End::Near => self.near.id(),
            End::Far => self.far.id(),
        }
    }

    /// Runs a tool in the network of an end.
    fn within(&self, end: End, program: &str, words: &[&str]) -> Result<String, String> {
        let id = self.id(end);
        tool("nsenter", &[&["--target", id.as_str(), "--net", program], words].concat())
    }

    /// Puts a queueing discipline at the root of an end's interface.
    pub(crate) fn shape(&self, end: End, words: &[&str]) -> Result<(), String> {
        let root = ["qdisc", "add", "dev", interface(end), "root"];
        self.within(end, "tc", &[&root[..], words].concat()).map(drop)
    }

    /// Adds a class to an end's queueing discipline.
    pub(crate) fn class(&self, end: End, words: &[&str]) -> Result<(), String> {
        let add = ["class", "add", "dev", interface(end)];
        self.within(end, "tc", &[&add[..], words].concat()).map(drop)
    }

    /// Sets a switch of an end's network.
    pub(crate) fn set(&self, end: End, name: &str, value: &str) -> Result<(), String> {
        let path = format!("/proc/sys/net/{name}");
        self.within(end, "sh", &["-c", "echo \"$1\" >\"$0\"", &path, value])?;
        let now = self.within(end, "cat", &[&path])?;
        match now.split_whitespace().eq(value.split_whitespace()) {
            true => Ok(()),
            false => Err(format!("{path} is {now}, not {value}")),
        }
    }

    /// Bytes that left by an end's interface.
    pub(crate) fn sent(&self, end: End) -> Option<f64> {
        sent(&read(&format!("/proc/{}/net/dev", self.id(end))).ok()?, interface(end))
    }

    /// Datagrams that full sockets of an end dropped.
    pub(crate) fn socket_drops(&self, end: End) -> Option<f64> {
        socket_drops(&read(&format!("/proc/{}/net/snmp", self.id(end))).ok()?)
    }

    pub(crate) fn wire(&self) -> Option<Arc<WireCounts>> {
        self.wire.as_ref().map(Wire::counts)
    }
}

fn interface(end: End) -> &'static str {
    match end {
        End::Near => "near0",
        End::Far => "far0",
    }
}

/// The bytes sent in /proc/net/dev: the ninth number of an interface.
fn sent(text: &str, interface: &str) -> Option<f64> {
    let numbers = text.lines().find_map(|line| line.trim().strip_prefix(interface)?.strip_prefix(':'))?;
    numbers.split_whitespace().nth(8)?.parse().ok()
}

/// `RcvbufErrors` of UDP in /proc/net/snmp: a line of names, and one of numbers below it.
fn socket_drops(text: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp: "));
    let place = lines.next()?.split_whitespace().position(|name| name == "RcvbufErrors")?;
    lines.next()?.split_whitespace().nth(place)?.parse().ok()
}

/// A node in the far namespace.
#[derive(Debug)]
pub(crate) struct Node {
    child: Child,
    /// What it printed for those who come.
    pub(crate) join: String,
}

impl Node {
    pub(crate) fn new(mut command: Command) -> Result<Self, String> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().map_err(|e| format!("the node: {e}"))?;
        let mut node = Self { child, join: String::new() };
        let printed = node.child.stdout.take().ok_or("the node has no output")?;
        let mut lines = BufReader::new(printed);
        let mut line = String::new();
        lines.read_line(&mut line).map_err(|e| format!("the node: {e}"))?;
        line.trim().clone_into(&mut node.join);
        if !node.join.starts_with("headroom://") {
            return Err(format!("the node says `{}`, which is no join string", node.join));
        }
        // It goes on speaking, and must be heard.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Ok(node)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It puts away its agents when it is asked to end.
        tool::end(&mut self.child, Duration::from_secs(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_by_an_interface_is_read() {
        let text = "Inter-|   Receive\n face |bytes\n  lo: 1 2 3 4 5 6 7 8 9\nnear0: 10 2 3 4 5 6 7 8 77 0\n";
        assert_eq!(sent(text, "near0"), Some(77.0));
        assert_eq!(sent(text, "far0"), None);
    }

    #[test]
    fn drops_of_full_sockets_are_read() {
        let text = "Tcp: RtoAlgorithm\nTcp: 1\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors\n\
                    Udp: 600 1 8 700 6\nUdpLite: RcvbufErrors\nUdpLite: 9\n";
        assert_eq!(socket_drops(text), Some(6.0));
        assert_eq!(socket_drops("Udp: InDatagrams\nUdp: 1\n"), None);
    }

    #[test]
    fn two_ends_are_joined_and_gone_again() {
        let hosts = match Hosts::with_veth() {
            Ok(hosts) => hosts,
            Err(e) => return println!("skipped: {e}"),
        };
        assert!(hosts.sent(End::Near).is_some());
        hosts.set(End::Far, "ipv4/tcp_rmem", "4096 8192 8192").unwrap();
        let folder = format!("/proc/{}", hosts.id(End::Far));
        drop(hosts);
        assert!(!std::path::Path::new(&folder).exists());
    }
}
