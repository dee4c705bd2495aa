//! Options of a socket as asked, and what the kernel made of them.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, LoadProfile, Peer, RateUnit, Transport, WaitsFor};
use model::value::ParameterError;
use model::{FactName, Parameters, Value, fact};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};

use crate::workload::net::dscp;
use crate::workload::net::path::never_carried_full;
use crate::workload::net::tcp_info::TcpInfo;
use crate::workload::{common, named};

/// A call gives up after so long without a byte, so that its worker can look
/// around.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// So many calls one after the other without a byte: the link or the other end
/// is gone. 6 s, in which the kernel has sent again some five times.
pub(super) const LOOKS_MOST: u32 = 60;

/// And so many more for who only receives: a second.
const LOOKS_MORE: u32 = 10;

/// An idle connection asks whether the other side is still there after so long,
/// and then so often (tcp(7), SO_KEEPALIVE).
const ASK_AFTER: Duration = Duration::from_secs(2);
const ASK_EVERY: Duration = Duration::from_secs(1);

/// What was sent and is not acknowledged for so long, ms, ends a connection: an
/// end that only answers would wait for ever (TCP_USER_TIMEOUT). A little longer
/// than [`LOOKS_MOST`], whose reason is clearer.
const UNANSWERED_MS: u32 = 7_000;

pub(in crate::workload) const PEER: ParameterSpec = ParameterSpec::new(
    "peer",
    Kind::Text,
    "The other end: what `headroom node` printed there, or the name of one in the study; `listen://:7117` waits for \
     one that can only dial out (`headroom node --join`). `self` starts it on this machine; the data then passes the \
     loopback interface, which is no wire.",
).says(Aspect::Peer)
.default("self");

pub(in crate::workload) const PEER_CPU_NODE: ParameterSpec = ParameterSpec::new(
    "peer-cpu-node",
    Kind::Count,
    "The NUMA node whose CPUs the workers of the other end run on. `cpu-node` is this end's.",
)
.says(Aspect::PeerCpuNode)
.or_zero()
.remote_max(common::NODE_MOST);

pub(in crate::workload) const PEER_MEMORY_NODE: ParameterSpec = ParameterSpec::new(
    "peer-memory-node",
    Kind::Count,
    "The NUMA node in whose memory the buffers of the other end lie. `memory-node` is this end's.",
)
.says(Aspect::PeerMemoryNode)
.or_zero()
.remote_max(common::NODE_MOST);

pub(in crate::workload) const LOCAL_ADDRESS: ParameterSpec = ParameterSpec::new(
    "local-address",
    Kind::Text,
    "The address of this machine that connections come from; without it the route decides.",
);

pub(super) const PROTOCOL: ParameterSpec =
    ParameterSpec::new("protocol", Kind::Choice, "What carries the data.").default("tcp").words(&[
        Word { word: "tcp", doc: "TCP" },
        Word { word: "udp", doc: "UDP: nothing that is lost is sent again" },
    ]);

pub(in crate::workload) const WINDOW: ParameterSpec = ParameterSpec::new(
    "window",
    Kind::Size,
    "The send and the receive buffer of each socket, at both ends (SO_SNDBUF, SO_RCVBUF). The kernel takes at most \
     net.core.wmem_max and rmem_max of what is asked and doubles that: facts say what was granted.",
).says(Aspect::Window).remote_max(1 << 30)
.default("auto")
.words(&[Word { word: "auto", doc: "the kernel sizes them as it goes" }]);

pub(in crate::workload) const CONGESTION: ParameterSpec = ParameterSpec::new(
    "congestion",
    Kind::Text,
    "The congestion control of the connections at both ends, such as cubic or bbr; without it the machine's own.",
)
.only_with("protocol", &["tcp"]);

/// The parameter of Nagle's algorithm, for loads that wait for answers.
pub(super) const NODELAY: ParameterSpec = ParameterSpec::new(
    "nodelay",
    Kind::Flag,
    "Send small segments at once (TCP_NODELAY), not only when the one before is acknowledged.",
)
.default("yes")
.only_with("protocol", &["tcp"]);

/// Says which options a load's sockets have.
#[derive(Clone, Debug, Default)]
pub struct SocketOptions {
    /// Bytes of both buffers, as asked.
    pub window: Option<u64>,
    /// By name, as the kernel has it.
    pub congestion: Option<String>,
    /// Whether small segments go at once.
    pub nodelay: bool,
    /// The near end's own address, as it was given.
    pub local: Option<String>,
    /// The code point of Differentiated Services that its packets have.
    pub dscp: Option<u64>,
    /// Whether it is a TCP socket.
    pub is_tcp: bool,
    /// Whether this program starts the other end too.
    pub is_to_self: bool,
}

impl SocketOptions {
    /// The options that `parameters` ask for.
    pub(in crate::workload) fn of(parameters: &Parameters) -> Result<Self, ParameterError> {
        let text = |name| Ok(parameters.given(name, Parameters::text)?.map(str::to_owned));
        Ok(Self {
            window: parameters.integer(named("window")).ok(),
            congestion: text(named("congestion"))?,
            nodelay: parameters.given(named("nodelay"), Parameters::flag)?.unwrap_or(false),
            local: text(named("local-address"))?,
            dscp: dscp::asked(parameters)?,
            is_tcp: !parameters.is_word(named("protocol"), "udp"),
            is_to_self: parameters.is_word(named("peer"), "self"),
        })
    }

    /// Refuses what no socket can have.
    pub(super) fn check(&self) -> Result<(), Problem> {
        dscp::check(self.dscp)
    }

    /// The byte of IP that has the code point which is asked for (IP_TOS, IPV6_TCLASS): what other tools are asked with.
    #[must_use]
    pub fn traffic_class(&self) -> Option<u64> {
        self.dscp.map(dscp::traffic_class)
    }

    /// What was asked of the kernel, as facts: beside them it is told what was granted.
    pub(in crate::workload) fn asked(&self) -> Vec<(FactName, Value)> {
        self.window.map(|bytes| (FactName::new("window_asked"), Value::Integer(bytes))).into_iter().collect()
    }

    /// What a load between two ends is, in which this flows.
    pub(super) fn profile(&self, base: LoadProfile, flows: Vec<Flow>) -> LoadProfile {
        LoadProfile {
            flows,
            waits_for: [WaitsFor::Peer].into(),
            peer: Some(if self.is_to_self { Peer::SameProgram } else { Peer::AnotherProgram }),
            transport: Some(if self.is_tcp { Transport::Tcp } else { Transport::Udp }),
            rate_unit: RateUnit::Bits,
            ..base
        }
    }

    /// The near end's own address.
    pub(super) fn local(&self) -> Result<Option<IpAddr>, Fault> {
        let wrong = |address: &String| {
            Fault::Other(format!("local-address `{address}` is no address such as 10.0.0.1"))
        };
        self.local.as_ref().map(|address| address.parse().map_err(|_| wrong(address))).transpose()
    }

    /// Those that must be there before a connection is made.
    pub(super) fn apply_early(&self, socket: &impl AsFd) -> Result<(), Fault> {
        if let Some(code_point) = self.dscp {
            dscp::apply(socket, code_point)?;
        }
        let Some(window) = self.window else { return Ok(()) };
        let failed = |e| Fault::system(format!("setting a window of {window} bytes"), e);
        let asked = usize::try_from(window).unwrap_or(usize::MAX).min(i32::MAX as usize);
        sockopt::set_socket_send_buffer_size(socket, asked).map_err(failed)?;
        sockopt::set_socket_recv_buffer_size(socket, asked).map_err(failed)
    }

    /// Goes out from the address that was asked for.
    pub(super) fn bind(&self, socket: &impl AsFd) -> Result<(), Fault> {
        let Some(local) = self.local()? else { return Ok(()) };
        port_later(socket);
        rustix::net::bind(socket, &SocketAddr::new(local, 0))
            .map_err(|e| Fault::system(format!("going out from local-address {local}"), e))
    }

    /// All others, and how long a call waits.
    pub(super) fn apply(&self, socket: &impl AsFd) -> Result<(), Fault> {
        patience(socket)?;
        if let Some(code_point) = self.dscp {
            dscp::apply(socket, code_point)?;
        }
        if !self.is_tcp {
            return Ok(());
        }
        sockopt::set_tcp_nodelay(socket, self.nodelay)
            .map_err(|e| Fault::system("setting TCP_NODELAY", e))?;
        watchful(socket).map_err(|e| Fault::system("setting how long a connection may be silent", e))?;
        let Some(wanted) = &self.congestion else { return Ok(()) };
        sockopt::set_tcp_congestion(socket, wanted).map_err(|e| {
            let there = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
            let there = there.map(|names| format!(" (loaded here: {})", names.trim())).unwrap_or_default();
            Fault::system(format!("taking the congestion control `{wanted}`{there}"), e)
        })
    }
}

/// Lets the kernel choose the port when it knows where the socket connects
/// (IP_BIND_ADDRESS_NO_PORT, ip(7)): by then one port serves several addresses.
/// Old kernels do not know it, and choose at once.
fn port_later(socket: &impl AsFd) {
    let yes: libc::c_int = 1;
    // SAFETY: the kernel reads one int, the size given, at the address of `yes`.
    unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const yes).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        );
    }
}

/// Has the kernel notice that the other side is gone.
fn watchful(socket: &impl AsFd) -> rustix::io::Result<()> {
    sockopt::set_socket_keepalive(socket, true)?;
    sockopt::set_tcp_keepidle(socket, ASK_AFTER)?;
    sockopt::set_tcp_keepintvl(socket, ASK_EVERY)?;
    sockopt::set_tcp_user_timeout(socket, UNANSWERED_MS)
}

/// Whether a connection still gets on, for a worker whose calls give nothing.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    /// Looks one after the other at which nothing had moved.
    looks: u32,
    /// Bytes that were not acknowledged at the last.
    queued: Option<u64>,
}

impl Quiet {
    /// Something moved.
    #[inline]
    pub(super) fn ends(&mut self) {
        self.looks = 0;
    }

    /// A call gave nothing for [`LOOK`]. What the other side acknowledges moves
    /// too: a slow link takes long to empty a large buffer.
    #[cold]
    pub(super) fn lasts(&mut self, socket: &impl AsFd, doing: &str) -> Result<(), Fault> {
        let queued = queued(socket);
        if queued != self.queued {
            (self.looks, self.queued) = (0, queued);
        }
        self.looks += 1;
        if self.looks > LOOKS_MOST { Err(silent_on(socket, doing)) } else { Ok(()) }
    }

    /// The same for an end that only receives: the sender's kernel knows more, and may say it first.
    #[cold]
    pub(super) fn lasts_longer(&mut self, socket: &impl AsFd, doing: &str) -> Result<(), Fault> {
        self.looks += 1;
        if self.looks > LOOKS_MOST + LOOKS_MORE { Err(silent_on(socket, doing)) } else { Ok(()) }
    }
}

/// Lets calls wait for [`LOOK`] only.
pub(in crate::workload) fn patience(socket: &impl AsFd) -> Result<(), Fault> {
    for which in [Timeout::Recv, Timeout::Send] {
        sockopt::set_socket_timeout(socket, which, Some(LOOK))
            .map_err(|e| Fault::system("setting how long a call waits", e))?;
    }
    Ok(())
}

/// What the kernel granted a socket.
pub(in crate::workload) fn facts(socket: &impl AsFd) -> Vec<(FactName, Value)> {
    let mut facts = Vec::new();
    let address = |a: rustix::io::Result<rustix::net::SocketAddrAny>| {
        SocketAddr::try_from(a.ok()?).ok().map(|a| Value::Text(a.ip().to_string()))
    };
    let mut put = |name, value: Option<Value>| facts.extend(value.map(|value| (name, value)));
    let size = |bytes: rustix::io::Result<usize>| bytes.ok().map(|bytes| Value::Integer(bytes as u64));
    put(FactName::new("local_address"), address(rustix::net::getsockname(socket)));
    let remote = rustix::net::getpeername(socket).map(|a| a.ok_or(Errno::NOTCONN));
    put(fact::REMOTE_ADDRESS, address(remote.and_then(|a| a)));
    put(FactName::new("window_granted_send"), size(sockopt::socket_send_buffer_size(socket)));
    put(fact::WINDOW_GRANTED_RECEIVE, size(sockopt::socket_recv_buffer_size(socket)));
    // What packets have without being asked is no news.
    put(
        FactName::new("dscp"),
        dscp::granted(socket).filter(|code_point| *code_point > 0).map(Value::Integer),
    );
    if let Some(info) = TcpInfo::of(socket) {
        put(fact::MSS, info.send_mss().map(|v| Value::Integer(u64::from(v))));
        put(FactName::new("path_mtu"), info.path_mtu().map(|v| Value::Integer(u64::from(v))));
        // The kernel has the largest number before it has measured.
        let least_us = info.least_rtt_us().filter(|us| *us != u32::MAX);
        put(fact::RTT_LEAST, least_us.map(|us| Value::Number(f64::from(us) / 1e6)));
        put(fact::OWN_WINDOW, info.own_window().map(|v| Value::Integer(u64::from(v))));
        let paced = info.pacing_rate_most().filter(|rate| *rate > 0 && *rate < u64::MAX);
        put(fact::PACING_RATE_MOST, paced.map(Value::Integer));
        put(FactName::new("timestamps"), info.has_timestamps().map(Value::Bool));
        let has_ecn = info.has_ecn();
        put(FactName::new("ecn"), has_ecn.map(Value::Bool));
        let marked = info.marked().filter(|_| has_ecn == Some(true));
        put(FactName::new("ecn_marked"), marked.map(|segments| Value::Integer(u64::from(segments))));
        put(fact::CONGESTION, sockopt::tcp_congestion(socket).ok().map(Value::Text));
    }
    facts
}

/// Bytes that were handed to the socket and are not acknowledged yet
/// (SIOCOUTQ, tcp(7)); of UDP those not yet sent.
pub(in crate::workload) fn queued(socket: &impl AsFd) -> Option<u64> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: TIOCOUTQ, which is SIOCOUTQ, writes one int at the address given,
    // which is that of `bytes`.
    let result = unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    (result == 0).then(|| u64::try_from(bytes).unwrap_or_default())
}

/// How many bytes of payload one packet of the path to the peer holds over UDP:
/// the MTU of the route (IP_MTU, ip(7)) less the headers of IP (RFC 791: 20,
/// RFC 8200: 40) and UDP (RFC 768: 8).
pub(super) fn datagram_of_path(socket: &std::net::UdpSocket) -> Result<usize, Fault> {
    let failed = |e: std::io::Error| Fault::system("asking for the MTU of the path", e);
    let is_v4 = socket.peer_addr().map_err(failed)?.is_ipv4();
    let (level, name, headers) =
        if is_v4 { (libc::IPPROTO_IP, libc::IP_MTU, 28) } else { (libc::IPPROTO_IPV6, libc::IPV6_MTU, 48) };
    let mut mtu: libc::c_int = 0;
    let mut length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, the size of `mtu`, at its
    // address, and the length at that of `length`.
    let result =
        unsafe { libc::getsockopt(socket.as_raw_fd(), level, name, (&raw mut mtu).cast(), &raw mut length) };
    if result != 0 {
        return Err(failed(std::io::Error::last_os_error()));
    }
    Ok(usize::try_from(mtu).unwrap_or_default().saturating_sub(headers).clamp(1, DATAGRAM_MOST))
}

/// The longest payload of a datagram over IPv4: 65,535 less 20 and 8.
pub(super) const DATAGRAM_MOST: usize = 65_507;

/// What a fault says of a connection that the other end closed: only that end can
/// say why.
pub const CUT: &str = "the other end closed its connection in the middle";

/// The fault of a call that failed on an established connection.
pub(in crate::workload) fn broken(doing: &str, error: Errno) -> Fault {
    match error {
        Errno::PIPE | Errno::CONNRESET | Errno::CONNREFUSED => {
            Fault::Other(format!("while {doing}, {CUT}: its program ended, or was ended"))
        }
        Errno::TIMEDOUT | Errno::HOSTUNREACH | Errno::NETUNREACH | Errno::NETDOWN => Fault::System {
            what: format!("the link to the other end is gone; {doing}"),
            source: error.into(),
        },
        e => Fault::system(doing, e),
    }
}

/// The same of an end that sends, with what its kernel knows where nothing was acknowledged.
pub(in crate::workload) fn broken_on(socket: &impl AsFd, doing: &str, error: Errno) -> Fault {
    let known = (error == Errno::TIMEDOUT)
        .then(|| TcpInfo::of(socket))
        .flatten()
        .as_ref()
        .and_then(never_carried_full);
    match known {
        Some(why) => Fault::Other(format!("{doing}, {why}")),
        None => broken(doing, error),
    }
}

/// The fault of a connection on which nothing moved for too long, with what its kernel knows.
pub(super) fn silent_on(socket: &impl AsFd, doing: &str) -> Fault {
    match TcpInfo::of(socket).as_ref().and_then(never_carried_full) {
        Some(why) => Fault::Other(format!("{doing}, not a byte moved for {} s: {why}", silence_s())),
        None => silent(doing),
    }
}

fn silence_s() -> u128 {
    u128::from(LOOKS_MOST) * LOOK.as_millis() / 1000
}

/// The same where nothing is known.
pub(super) fn silent(doing: &str) -> Fault {
    Fault::Other(format!(
        "{doing}, not a byte moved for {} s: the link or the other end is gone, or its program is stopped",
        silence_s()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream, UdpSocket};

    fn asked(window: u64) -> SocketOptions {
        SocketOptions { window: Some(window), is_tcp: true, ..SocketOptions::default() }
    }

    fn told(facts: &[(FactName, Value)], name: &str) -> Option<Value> {
        facts.iter().find(|(n, _)| n.as_str() == name).map(|(_, v)| v.clone())
    }

    #[test]
    fn what_was_granted_is_what_the_kernel_says() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        asked(50_000).apply_early(&stream).unwrap();
        asked(50_000).apply(&stream).unwrap();
        let facts = facts(&stream);
        // socket(7): the kernel doubles what is asked.
        assert_eq!(told(&facts, "window_granted_send"), Some(Value::Integer(100_000)));
        assert_eq!(told(&facts, "window_granted_receive"), Some(Value::Integer(100_000)));
        assert_eq!(told(&facts, "remote_address"), Some("127.0.0.1".into()));
        assert!(matches!(told(&facts, "mss"), Some(Value::Integer(500..))), "{facts:?}");
        assert!(told(&facts, "timestamps").is_some() && told(&facts, "congestion").is_some());
        assert_eq!(queued(&stream), Some(0));
        assert_eq!(sockopt::tcp_user_timeout(&stream).unwrap(), UNANSWERED_MS);
    }

    #[test]
    fn a_connection_on_which_nothing_moves_is_given_up_and_one_that_empties_is_not() {
        use std::io::{Read, Write};
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut far, _) = listener.accept().unwrap();
        near.set_nonblocking(true).unwrap();
        while near.write(&[0; 1 << 16]).is_ok() {}
        let mut quiet = Quiet::default();
        let mut all = || (0..LOOKS_MOST).try_for_each(|_| quiet.lasts(&near, "sending"));
        all().unwrap();
        // What is read can be acknowledged.
        let before = queued(&near);
        let mut piece = vec![0; 4 << 20];
        while queued(&near) == before {
            let _ = far.read(&mut piece).unwrap();
        }
        all().unwrap();
        while all().is_ok() {}
        assert!(all().unwrap_err().to_string().contains("not a byte moved for 6 s"));
    }

    #[test]
    fn an_unknown_congestion_control_is_named_with_those_there_are() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let options = SocketOptions { congestion: Some("nosuch".to_owned()), ..asked(1) };
        let fault = options.apply(&stream).unwrap_err().to_string();
        assert!(fault.contains("`nosuch`") && fault.contains("loaded here"), "{fault}");
    }

    #[test]
    fn a_datagram_is_the_mtu_less_its_headers() {
        let there = UdpSocket::bind("127.0.0.1:0").unwrap();
        let here = UdpSocket::bind("127.0.0.1:0").unwrap();
        here.connect(there.local_addr().unwrap()).unwrap();
        // The loopback's MTU is 65,536 unless somebody changed it.
        let mtu: usize = std::fs::read_to_string("/sys/class/net/lo/mtu").unwrap().trim().parse().unwrap();
        assert_eq!(datagram_of_path(&here).unwrap(), (mtu - 28).min(DATAGRAM_MOST));
        assert!(facts(&here).iter().all(|(name, _)| *name != fact::MSS));
    }
}
