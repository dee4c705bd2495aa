//! `net.connect`: how many connections per second come about.
//!
//! Each operation is a connection of its own: it is made, a request goes there, an answer
//! comes back, and it is closed (netperf's TCP_CRR). The request, one byte in netperf, is
//! the cookie of the trial: strangers get no answer.
//!
//! Who closes first keeps the connection in TIME_WAIT for 60 s (RFC 9293, section 3.6.1;
//! TCP_TIMEWAIT_LEN of include/net/tcp.h). Where that is the end that connects, it has no
//! port left after some 28,000 connections to one address (net.ipv4.ip_local_port_range);
//! so by default the other end closes.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::outcome::LoadOutcome;
use engine::queue::{ALIKE, Class, Completion, Operation, Queue, Wait};
use engine::schedule::WorkerIndex;
use engine::{Fault, Prepared, Worker, clock};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass};
use model::resource::Symbol;
use model::trial::{TrialResult, Window};
use model::{
    LoadProfile, MetricName, MetricSpec, Parameters, Unit, Value, WorkloadName, WorkloadSpec, metric,
};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, ipproto};

use crate::workload::common::{self, LoadSchedule};
use crate::workload::net::answer_slots::AnswerSlots;
use crate::workload::net::dscp::DSCP;
use crate::workload::net::ends::End;
use crate::workload::net::hello::{self, COOKIE, PATIENCE, WELCOME};
use crate::workload::net::pingpong::{PEER_CPU, counted, tell_peer_cpu, two_ended};
use crate::workload::net::ports;
use crate::workload::net::socket::{
    self, LOCAL_ADDRESS, PEER, PEER_CPU_NODE, PEER_MEMORY_NODE, SocketOptions,
};
use crate::workload::{HostInfo, LoadContext, Merged, Metrics, Planned, Requirements, Workload, named};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("net.connect"),
    definition_version: 1,
    summary: "how many TCP connections per second come about, and how long one takes",
    doc: "Each operation makes a connection, sends 16 bytes, reads one byte and closes it, as netperf's TCP_CRR. The \
          latency is all of that, `handshake` the part until the connection stands. Each thread has a partner at the \
          other end, which takes its connections one after the other.",
    parameters: &[
        PEER,
        ParameterSpec::new(
            "close",
            Kind::Choice,
            "Who closes a connection first, and keeps it in TIME_WAIT for 60 s.",
        )
        .default("far")
        .words(&[
            Word { word: "far", doc: "the other end, so that no port is used up here" },
            Word {
                word: "near",
                doc: "this end, as netperf does: after some 28,000 connections in a minute no port is left",
            },
            Word { word: "reset", doc: "this end, by a reset (SO_LINGER of 0): nobody keeps it" },
        ]),
        DSCP,
        LOCAL_ADDRESS,
        PEER_CPU_NODE,
        PEER_MEMORY_NODE,
    ],
    headline: metric::CONNECTIONS_PER_SECOND,
    metrics: &[
        CONNECTIONS,
        common::LATENCY_P50,
        common::LATENCY_P90,
        common::LATENCY_P99,
        common::LATENCY_P99_9,
        common::LATENCY_MAX,
        HANDSHAKE_P50,
        HANDSHAKE_P99,
        common::ELAPSED,
        common::SERVICE_P50,
        common::SERVICE_P99,
        common::CPU_PER_OPERATION,
        PEER_CPU,
        common::LATE_STARTS,
        common::UNFINISHED,
    ],
    path: &[Symbol::WorkerCpus, Symbol::PeerInterface],
    examples: &[
        "net.connect",
        "net.connect --peer 'headroom://HOST:7117#KEY'",
        "net.connect --peer 'headroom://HOST:7117#KEY' --threads 1,4,16",
    ],
};
const CONNECTIONS: MetricSpec =
    common::rate(metric::CONNECTIONS_PER_SECOND, "Connections that were made, used and closed per second.");
const HANDSHAKE_P50: MetricSpec =
    handshake(MetricName::new("handshake_p50"), "Half of the connections stood after at most this long.");
const HANDSHAKE_P99: MetricSpec =
    handshake(MetricName::new("handshake_p99"), "99 % of the connections stood after at most this long.");

const fn handshake(name: MetricName, doc: &'static str) -> MetricSpec {
    MetricSpec::lower(name, Unit::Seconds, doc)
}

/// What the end that accepts does is no operation of the load.
const ACCEPTS: &[Class] = &[
    Class { name: "accept", counts: false, fails: false },
    Class { name: "farewell", counts: false, fails: false },
];

const CONNECTING: &str = "making connections to the other end";
const ACCEPTING: &str = "taking connections of the other end";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    Far,
    Near,
    Reset,
}

/// The workload.
#[derive(Debug)]
pub struct Connect;

impl Workload for Connect {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedConnect {
            schedule: schedule.clone(),
            close: match parameters.text(named("close"))? {
                "near" => Close::Near,
                "reset" => Close::Reset,
                _ => Close::Far,
            },
            options: SocketOptions { nodelay: true, ..SocketOptions::of(parameters)? },
        }))
    }
}

#[derive(Debug)]
struct PlannedConnect {
    schedule: LoadSchedule,
    close: Close,
    options: SocketOptions,
}

impl Planned for PlannedConnect {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        two_ended(&self.schedule, SPEC.name)?;
        self.options.check()?;
        Ok(Requirements::default())
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        self.options.profile(base, vec![Flow::only(OperationClass::Connect, FlowUnit::Operations)])
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(PreparedConnect {
            end: End::of_ours(given, SPEC.name)?,
            close: self.close,
            options: self.options.clone(),
            made: Arc::default(),
        }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        let accepted = outcome.classes.iter().find(|c| c.class.name == "accept").map(|c| c.operations);
        metrics.extend(counted(CONNECTIONS, accepted.unwrap_or(outcome.operations), outcome, window));
        metrics
    }

    fn merge(&self, near: &mut TrialResult, far: &TrialResult) -> Merged {
        tell_peer_cpu(near, far)
    }
}

#[derive(Debug)]
struct PreparedConnect {
    end: End,
    close: Close,
    options: SocketOptions,
    /// Connections that all workers made.
    made: Arc<AtomicU64>,
}

impl Prepared for PreparedConnect {
    fn classes(&self) -> &'static [Class] {
        if self.end.drives() { ALIKE } else { ACCEPTS }
    }

    fn stages(&self) -> Option<[MetricName; 2]> {
        self.end.drives().then_some([MetricName::new("handshake"), MetricName::new("exchange")])
    }

    fn worker(&self, worker: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let control = self.end.tcp(worker.index, &self.options)?;
        let request = self.end.farewell().unwrap_or_default();
        Ok(if self.end.drives() {
            let told = (request, Arc::clone(&self.made));
            Box::new(Connecting::new(control, self.close, self.options.clone(), told)?)
        } else {
            Box::new(Accepting::new(control, self.close, &self.options, request)?)
        })
    }
}

/// The end that connects.
#[derive(Debug)]
struct Connecting {
    /// Over which the other end told its port; it ends when this does.
    control: TcpStream,
    to: SocketAddr,
    close: Close,
    options: SocketOptions,
    request: [u8; COOKIE],
    /// Connections that all workers made.
    made: Arc<AtomicU64>,
    finished: Option<Completion>,
}

impl Connecting {
    fn new(
        mut control: TcpStream,
        close: Close,
        options: SocketOptions,
        (request, made): ([u8; COOKIE], Arc<AtomicU64>),
    ) -> Result<Self, Fault> {
        let failed = |e: std::io::Error| Fault::system("hearing the other end's port", e);
        control.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        let mut port = [0; 2];
        control.read_exact(&mut port).map_err(failed)?;
        let mut to = control.peer_addr().map_err(failed)?;
        to.set_port(u16::from_be_bytes(port));
        Ok(Self { control, to, close, options, request, made, finished: None })
    }

    /// A socket that is connected; nobody waits longer than [`PATIENCE`].
    fn connect(&self) -> Result<OwnedFd, Fault> {
        let family = if self.to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket =
            rustix::net::socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, Some(ipproto::TCP))
                .map_err(|e| Fault::system(CONNECTING, e))?;
        for which in [Timeout::Recv, Timeout::Send] {
            sockopt::set_socket_timeout(&socket, which, Some(PATIENCE))
                .map_err(|e| Fault::system(CONNECTING, e))?;
        }
        self.options.apply_early(&socket)?;
        self.options.bind(&socket)?;
        match rustix::net::connect(&socket, &self.to) {
            Ok(()) => {
                self.made.fetch_add(1, Ordering::Relaxed);
                Ok(socket)
            }
            Err(e) => Err(refused(e, self.to, self.made.load(Ordering::Relaxed))),
        }
    }

    /// One connection; when it stood, ns.
    fn transact(&self) -> Result<u64, Fault> {
        let broken = |e| socket::broken(CONNECTING, e);
        let socket = self.connect()?;
        let stood_ns = clock::now_ns();
        rustix::net::send(&socket, &self.request, SendFlags::NOSIGNAL).map_err(broken)?;
        let mut answer = [0; 1];
        if read(&socket, &mut answer)? == 0 {
            return Err(broken(Errno::CONNRESET));
        }
        match self.close {
            // Only who has seen the other's end is not the first.
            Close::Far => {
                read(&socket, &mut answer)?;
            }
            Close::Near => {}
            Close::Reset => {
                sockopt::set_socket_linger(&socket, Some(Duration::ZERO)).map_err(broken)?;
            }
        }
        drop(socket);
        Ok(stood_ns)
    }
}

fn read(socket: &impl AsFd, into: &mut [u8]) -> Result<usize, Fault> {
    loop {
        match rustix::net::recv(socket, &mut *into, RecvFlags::empty()) {
            Ok((got, _)) => return Ok(got),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Err(socket::silent(CONNECTING)),
            Err(e) => return Err(socket::broken(CONNECTING, e)),
        }
    }
}

/// The fault of a connection to `to` that did not come about, after `made` that did.
fn refused(error: Errno, to: SocketAddr, made: u64) -> Fault {
    match error {
        e if ports::are_used_up(e) => ports::used_up(
            Some(made),
            "Use close=far or close=reset, a rate, or a wider net.ipv4.ip_local_port_range",
        ),
        Errno::CONNREFUSED => Fault::Other(format!(
            "while {CONNECTING}, it took no more at {to}: its program ended, or was ended, or what has that address \
             lets nobody in"
        )),
        Errno::INPROGRESS | Errno::AGAIN | Errno::TIMEDOUT => Fault::Other(format!(
            "while {CONNECTING}, one to {to} did not come about within {} s: the link is gone, or something on the \
             way drops new connections (a firewall, or its table is full)",
            PATIENCE.as_secs()
        )),
        e => Fault::system(format!("{CONNECTING}, at {to}"), e),
    }
}

impl Queue for Connecting {
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        let handed_ns = self.transact()?;
        self.finished = Some(Completion { slot, handed_ns, ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    /// No more will come: the other end may go.
    fn settle(&mut self) -> Result<bool, Fault> {
        self.control.shutdown(Shutdown::Write).map_err(|e| Fault::system(CONNECTING, e))?;
        Ok(false)
    }

    fn facts(&self) -> Vec<(model::FactName, Value)> {
        socket::facts(&self.control)
    }
}

/// The end that accepts.
#[derive(Debug)]
struct Accepting {
    control: TcpStream,
    listener: TcpListener,
    close: Close,
    request: [u8; COOKIE],
    slots: AnswerSlots,
}

impl Accepting {
    fn new(
        mut control: TcpStream,
        close: Close,
        options: &SocketOptions,
        request: [u8; COOKIE],
    ) -> Result<Self, Fault> {
        let failed = |e: std::io::Error| Fault::system(ACCEPTING, e);
        let at = control.local_addr().map_err(failed)?;
        let listener = TcpListener::bind((at.ip(), 0)).map_err(failed)?;
        // What is accepted inherits it: a silent stranger is waited for no longer than a look.
        socket::patience(&listener)?;
        options.apply_early(&listener)?;
        let port = listener.local_addr().map_err(failed)?.port();
        control.write_all(&port.to_be_bytes()).map_err(failed)?;
        Ok(Self { control, listener, close, request, slots: AnswerSlots::default() })
    }

    /// Takes one connection; whether it was the other end's.
    fn serve(&self) -> Result<Option<bool>, Fault> {
        let socket = match rustix::net::accept_with(&self.listener, SocketFlags::CLOEXEC) {
            Ok(socket) => socket,
            Err(Errno::AGAIN) => return Ok(None),
            // One that was gone before it was taken.
            Err(Errno::INTR | Errno::CONNABORTED) => return Ok(Some(false)),
            Err(e) => return Err(Fault::system(ACCEPTING, e)),
        };
        let mut said = [0; COOKIE];
        let mut got = 0;
        while got < COOKIE {
            match rustix::net::recv(&socket, &mut said[got..], RecvFlags::empty()) {
                Ok((0, _)) | Err(_) => return Ok(Some(false)),
                Ok((more, _)) => got += more,
            }
        }
        if !hello::is_same(&self.request, &said) {
            return Ok(Some(false));
        }
        // Who is gone already tells it where it connects.
        let _ = rustix::net::send(&socket, &[WELCOME], SendFlags::NOSIGNAL);
        if self.close != Close::Far {
            let _ = rustix::net::recv(&socket, &mut said, RecvFlags::empty());
        }
        Ok(Some(true))
    }

    /// Whether the other end said that no more will come, or is gone.
    fn is_over(&self) -> bool {
        let came = rustix::net::recv(&self.control, &mut [0; 1], RecvFlags::DONTWAIT);
        !matches!(came, Err(Errno::AGAIN | Errno::INTR))
    }
}

impl Queue for Accepting {
    fn depth(&self) -> usize {
        AnswerSlots::DEPTH
    }

    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        self.slots.start(slot);
        Ok(())
    }

    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        match self.serve()? {
            Some(true) => self.slots.answered(0, 0, done),
            Some(false) => self.slots.nothing(done),
            None if self.is_over() => self.slots.over(done),
            None => self.slots.nothing(done),
        }
        Ok(())
    }

    fn ended(&self) -> bool {
        self.slots.is_over()
    }

    fn facts(&self) -> Vec<(model::FactName, Value)> {
        socket::facts(&self.control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_that_run_out_are_told_with_what_to_do() {
        let to = "10.0.0.2:40000".parse().unwrap();
        let fault = refused(Errno::ADDRNOTAVAIL, to, 28_231).to_string();
        for part in ["TIME_WAIT", "close=far", "after 28231 connections", "ip_local_port_range has"] {
            assert!(fault.contains(part), "{fault}");
        }
        assert!(refused(Errno::TIMEDOUT, to, 1).to_string().contains("firewall"));
        for error in [Errno::TIMEDOUT, Errno::CONNREFUSED, Errno::HOSTUNREACH] {
            let fault = refused(error, to, 1).to_string();
            assert!(fault.contains("10.0.0.2:40000"), "{fault}");
        }
    }

    #[test]
    fn a_stranger_gets_no_answer_and_the_other_end_does() {
        let there = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(there.local_addr().unwrap()).unwrap();
        let (far, _) = there.accept().unwrap();
        let request = *b"what is asked...";
        let mut accepting = Accepting::new(far, Close::Far, &SocketOptions::default(), request).unwrap();
        let near =
            Connecting::new(near, Close::Far, SocketOptions::default(), (request, Arc::default())).unwrap();
        let visit = |said: &[u8]| {
            let mut stream = TcpStream::connect(near.to).unwrap();
            stream.write_all(said).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            stream
        };
        for said in [&b"what is asked?.."[..], b"short"] {
            let mut stranger = visit(said);
            assert_eq!(accepting.serve().unwrap(), Some(false));
            let mut got = Vec::new();
            let _ = stranger.read_to_end(&mut got);
            assert_eq!(got, b"");
        }
        let mut friend = visit(&request);
        assert_eq!(accepting.serve().unwrap(), Some(true));
        let mut got = Vec::new();
        friend.read_to_end(&mut got).unwrap();
        assert_eq!(got, [WELCOME]);
        assert!(!accepting.is_over());
        drop(near);
        while !accepting.is_over() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut done = Vec::new();
        accepting.start(0, Operation { index: 0, sequence: 0 }).unwrap();
        accepting.reap(Wait::One, &mut done).unwrap();
        assert!(accepting.ended() && done.len() == 1);
    }
}
