//! A stock server of iperf3 as the far end of a trial. It has no clock of ours,
//! watches no machine, and its figures are over its own time: from the start of
//! the load, warm-up included, until it is told that the test is over.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::{clock, lock};
use load::workload::net::iperf3::COOKIE;
use load::workload::net::stream::{self, PlannedStream};
use model::machine::{Diagnosis, Machine};
use model::message::{RendezvousAddress, RendezvousKind, Reply, Request, TrialReport};
use model::plan::{LoadSpec, Problem};
use model::trial::{Timeline, Window};
use rustix::net::sockopt;

use crate::iperf3::outcome;
use crate::iperf3::server::PORT;
use crate::iperf3::wire::control_protocol::{ControlConnection, RefusalCode, State};
use crate::iperf3::wire::parameters::{LENGTH_MOST, Parameters, Results, StreamResult, stream_id};
use crate::{Agent, AgentError, CallContext, OutOfBand};

/// How the address of such a server begins.
pub const SCHEME: &str = "iperf3://";

/// Streams each way, at most: iperf3's own bound.
const STREAMS_MOST: u64 = 128;

/// How long a connection to it may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long it may take to say what is due.
const PATIENCE: Duration = Duration::from_secs(10);
/// A server that has just ended a test is not there for a moment, or still says
/// that it is busy.
const AGAIN: Duration = Duration::from_secs(3);
/// How often this end looks around.
const LOOK: Duration = Duration::from_millis(20);
/// Bytes of its results, at most: with a page of its own, if it sends one.
const RESULTS_MOST: usize = 16 << 20;
/// Seconds that a test may take longer than the load: for warming up, and for
/// watching the machine at rest. The server would end it after that.
const SLACK_S: f64 = 60.0;

/// A stock server of iperf3.
#[derive(Debug)]
pub struct Iperf3End {
    name: String,
    address: SocketAddr,
    told: Arc<Mutex<Option<Timeline>>>,
    open: Option<Opened>,
    /// How long a server that is busy, or not there, is asked again.
    pub(super) again: Duration,
}

/// A test that the server waits for.
#[derive(Debug)]
struct Opened {
    control: ControlConnection,
    asked: Parameters,
}

impl Iperf3End {
    /// The server that `iperf3://HOST[:PORT]` names. Nothing is said to it yet.
    ///
    /// # Errors
    /// If that is no such address, or its name is not known.
    pub fn of(address: &str) -> Result<Self, AgentError> {
        let wrong = || {
            AgentError::Failed(format!(
                "`{address}` is no address such as {SCHEME}10.0.0.2 or {SCHEME}host:5201"
            ))
        };
        let name = address.strip_prefix(SCHEME).unwrap_or(address).trim_end_matches('/');
        let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).unwrap_or(name);
        if bare.is_empty() {
            return Err(wrong());
        }
        let found = match (bare.parse::<IpAddr>(), name.rsplit_once(':')) {
            (Ok(ip), _) => Ok(vec![SocketAddr::new(ip, PORT)]),
            (Err(_), Some((_, port))) if port.parse::<u16>().is_ok_and(|port| port > 0) => resolved(name),
            (Err(_), Some(_)) => return Err(wrong()),
            (Err(_), None) => resolved((bare, PORT)),
        };
        let found =
            found.map_err(|e| AgentError::Unreachable(format!("nobody knows where `{name}` is: {e}")))?;
        let first = found.first().ok_or_else(wrong)?;
        Ok(Self { name: name.to_owned(), address: *first, told: Arc::default(), open: None, again: AGAIN })
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What the run document may say of its machine: not much.
    fn machine(&self) -> Machine {
        Machine { role: "peer".to_owned(), hostname: self.name.clone(), ..Machine::default() }
    }

    /// Begins a test: the server then waits for its streams.
    fn open(&mut self, loads: &[LoadSpec]) -> Result<RendezvousAddress, AgentError> {
        self.open = None;
        *lock(&self.told) = None;
        let stream = accepted(loads).map_err(|p| AgentError::Failed(format!("{}: {}", p.message, p.help)))?;
        let asked = parameters(&stream, self.address).map_err(|e| AgentError::Failed(e.to_string()))?;
        let cookie = cookie().map_err(|e| AgentError::Failed(format!("making a cookie: {e}")))?;
        let until = Instant::now() + self.again;
        let control = loop {
            match self.begin(&asked, &cookie) {
                // It may be clearing up after the trial before.
                Err(Refusal::Passing(_)) if Instant::now() < until => std::thread::sleep(10 * LOOK),
                Err(Refusal::Passing(why) | Refusal::Lasting(why)) => return Err(why),
                Ok(control) => break control,
            }
        };
        self.open = Some(Opened { control, asked });
        let (address, port) = (self.address.ip(), self.address.port());
        Ok(RendezvousAddress {
            address,
            tcp: port,
            udp: port,
            cookie,
            way: BTreeMap::new(),
            kind: RendezvousKind::Iperf3,
        })
    }

    fn begin(&self, asked: &Parameters, cookie: &str) -> Result<ControlConnection, Refusal> {
        let address = self.address;
        let unreachable = |e: std::io::Error| {
            let why = AgentError::Unreachable(format!(
                "nothing answers at {address}: {}. Does `iperf3 -s` run there, and may this machine reach its port?",
                e.kind()
            ));
            if e.kind() == std::io::ErrorKind::ConnectionRefused {
                Refusal::Passing(why)
            } else {
                Refusal::Lasting(why)
            }
        };
        let stream = TcpStream::connect_timeout(&address, CONNECT).map_err(unreachable)?;
        let mut control = ControlConnection::new(stream).map_err(unreachable)?;
        let until = Instant::now() + PATIENCE;
        // One that is busy closes the connection without reading it.
        let _ = control.say_cookie(cookie);
        match self.hear(&mut control, until) {
            Ok(State::ParamExchange) => {}
            Ok(State::AccessDenied) => {
                return Err(Refusal::Passing(AgentError::Failed(format!(
                    "the iperf3 server at {address} is busy: it serves one client at a time. Wait for the other \
                     test to end, or run a second server on another port"
                ))));
            }
            Ok(other) => return Err(Refusal::Lasting(out_of_turn(other))),
            Err(why) => return Err(Refusal::Passing(why)),
        }
        let failed = |e| Refusal::Lasting(gone(&e));
        control.write_json(asked).map_err(failed)?;
        match self.hear(&mut control, until).map_err(Refusal::Lasting)? {
            State::CreateStreams => Ok(control),
            State::ServerError => Err(Refusal::Lasting(explained(&mut control))),
            State::AccessDenied => Err(Refusal::Lasting(AgentError::Failed(
                "the iperf3 server denied access: it asks for a user name and a password, which Headroom does not \
                 send"
                    .to_owned(),
            ))),
            other => Err(Refusal::Lasting(out_of_turn(other))),
        }
    }

    /// What the server says before `until`.
    fn hear(&self, control: &mut ControlConnection, until: Instant) -> Result<State, AgentError> {
        let left = until.saturating_duration_since(Instant::now());
        match control.hear(left) {
            Ok(Some(state)) => Ok(state),
            Ok(None) => Err(AgentError::Failed(format!(
                "what listens at {} did not answer within {} s: is that an iperf3 server of version 3?",
                self.address,
                PATIENCE.as_secs()
            ))),
            Err(e) => Err(gone(&e)),
        }
    }

    /// The far side of a trial, until its results are here.
    fn trial(&mut self, watch: &CallContext<'_>) -> Result<TrialReport, AgentError> {
        let Some(Opened { mut control, asked }) = self.open.take() else {
            return Err(AgentError::Failed("no test was begun with the iperf3 server".to_owned()));
        };
        for state in [State::TestStart, State::TestRunning] {
            expect(&mut control, state, watch)?;
        }
        let times = self.until_end(&mut control, watch)?;
        let end_ns = clock::now_ns();
        control.say(State::TestEnd).map_err(|e| gone(&e))?;
        expect(&mut control, State::ExchangeResults, watch)?;
        control.write_json(&nothing(&asked)).map_err(|e| gone(&e))?;
        let until = Instant::now() + PATIENCE;
        let results: Results = control.read_json(RESULTS_MOST, until).map_err(|e| gone(&e))?;
        expect(&mut control, State::DisplayResults, watch)?;
        // It has told all that it knows.
        let _ = control.say(State::IperfDone);
        let window = Window { start_ns: times.start_ns.min(end_ns), end_ns };
        Ok(outcome::report(&asked, &results, window))
    }

    /// Waits until the near end's load is over; returns its times.
    fn until_end(
        &self,
        control: &mut ControlConnection,
        watch: &CallContext<'_>,
    ) -> Result<Timeline, AgentError> {
        loop {
            let times = *lock(&self.told);
            let now_ns = clock::now_ns();
            if let Some(times) = times.filter(|times| now_ns >= times.end_ns) {
                return Ok(times);
            }
            let left_ns = times.map_or(u64::MAX, |times| times.end_ns - now_ns);
            let heard = control.hear(LOOK.min(Duration::from_nanos(left_ns))).map_err(|e| gone(&e))?;
            refuse(control, heard)?;
            if (watch.cancelled)() {
                let _ = control.say(State::ClientTerminate);
                return Err(AgentError::Cancelled);
            }
        }
    }
}

/// The load, if a stock server can be the other end of `loads`.
///
/// # Errors
/// Why it cannot.
fn accepted(loads: &[LoadSpec]) -> Result<PlannedStream, Problem> {
    let [load] = loads else {
        return Err(Problem::invalid(
            "an iperf3 server takes one load at a time",
            "run `headroom node` there, or leave out the loads beside the first",
        ));
    };
    let Some(stream) = PlannedStream::of(load)? else {
        let (name, only) = (&load.workload, stream::SPEC.name);
        return Err(Problem::invalid(
            format!("an iperf3 server cannot be the other end of {name}, only of {only}"),
            "run `headroom node` there",
        ));
    };
    if stream.streams > STREAMS_MOST {
        return Err(Problem::invalid(
            format!("an iperf3 server takes at most {STREAMS_MOST} streams"),
            "give less streams, or run `headroom node` there",
        ));
    }
    if stream.buffer.is_some_and(|bytes| bytes > LENGTH_MOST) {
        return Err(Problem::invalid(
            "an iperf3 server takes at most 1 MiB as the length of a buffer",
            "give a smaller buffer",
        ));
    }
    Ok(stream)
}

/// Why a test did not begin.
enum Refusal {
    /// It may in a moment.
    Passing(AgentError),
    Lasting(AgentError),
}

fn resolved(name: impl ToSocketAddrs) -> std::io::Result<Vec<SocketAddr>> {
    Ok(name.to_socket_addrs()?.collect())
}

fn expect(control: &mut ControlConnection, state: State, watch: &CallContext<'_>) -> Result<(), AgentError> {
    let until = Instant::now() + PATIENCE;
    loop {
        match control.hear(LOOK).map_err(|e| gone(&e))? {
            Some(heard) if heard == state => return Ok(()),
            heard => refuse(control, heard)?,
        }
        if (watch.cancelled)() {
            let _ = control.say(State::ClientTerminate);
            return Err(AgentError::Cancelled);
        }
        if Instant::now() > until {
            return Err(AgentError::Failed(format!(
                "the iperf3 server said nothing for {} s",
                PATIENCE.as_secs()
            )));
        }
    }
}

/// Anything that is heard where nothing should be.
fn refuse(control: &mut ControlConnection, heard: Option<State>) -> Result<(), AgentError> {
    match heard {
        None => Ok(()),
        Some(State::ServerError) => Err(explained(control)),
        Some(State::ServerTerminate) => {
            Err(AgentError::Failed("the iperf3 server was ended in the middle of the test".to_owned()))
        }
        Some(other) => Err(out_of_turn(other)),
    }
}

fn gone(error: &std::io::Error) -> AgentError {
    AgentError::Failed(format!("the iperf3 server ended the test, or its machine is gone: {error}"))
}

fn out_of_turn(state: State) -> AgentError {
    AgentError::Failed(format!("the iperf3 server said {state:?} out of turn: is its version 3?"))
}

/// What follows [`State::ServerError`].
fn explained(control: &mut ControlConnection) -> AgentError {
    match control.error_numbers(Instant::now() + LOOK * 50) {
        Ok((number, _)) => AgentError::Failed(format!(
            "the iperf3 server refused the test: {} (its error {number})",
            RefusalCode::meaning(number)
        )),
        Err(e) => gone(&e),
    }
}

/// 36 characters that name a test.
fn cookie() -> std::io::Result<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut bytes = [0; COOKIE - 1];
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    if got < bytes.len() {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// What the server is asked for so that it is the other end of `load`.
fn parameters(stream: &PlannedStream, server: SocketAddr) -> std::io::Result<Parameters> {
    let PlannedStream { streams, direction, options, .. } = stream;
    let udp = !options.is_tcp;
    // Words such as `auto` are left to the server.
    let len = match stream.buffer {
        None if udp => datagram(server)?,
        bytes => bytes.unwrap_or_default(),
    };
    let seconds = if stream.schedule.bytes.is_some() { 0.0 } else { stream.schedule.duration_s };
    let is_both = direction.sends && direction.receives;
    Ok(Parameters {
        tcp: !udp,
        udp,
        time: if seconds > 0.0 { (seconds + SLACK_S).ceil() as u64 } else { 0 },
        parallel: *streams,
        reverse: direction.receives && !is_both,
        bidirectional: is_both,
        window: options.window,
        len: (len > 0).then_some(len),
        // Ours is for all streams, iperf3's for each.
        bandwidth: stream.bit_rate.map(|rate| (rate / (*streams).max(1) as f64).round() as u64),
        nodelay: !udp && options.nodelay,
        congestion: options.congestion.clone(),
        tos: options.traffic_class(),
        // Heads as long as ours, and no number comes twice.
        udp_counters_64bit: udp.then_some(1),
        get_server_output: Some(1),
        ..Parameters::default()
    })
}

/// Bytes that one packet of the path to `server` holds over UDP: its MTU less the
/// headers of IP (20, or 40 of IPv6) and UDP (8).
fn datagram(server: SocketAddr) -> std::io::Result<u64> {
    let any: SocketAddr = if server.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0; 16], 0).into() };
    let socket = UdpSocket::bind(any)?;
    // Nothing is sent: the kernel only chooses the way.
    socket.connect(server)?;
    let room = if server.is_ipv4() {
        sockopt::ip_mtu(&socket)?.saturating_sub(28)
    } else {
        sockopt::ipv6_mtu(&socket)?.saturating_sub(48)
    };
    Ok(u64::from(room.clamp(16, 65_507)))
}

/// What this end says of its streams: the near end counts elsewhere, and has not
/// done so yet.
fn nothing(asked: &Parameters) -> Results {
    let stream = |index| StreamResult { id: stream_id(index), retransmits: -1, ..StreamResult::default() };
    let streams = (0..asked.streams() as usize).map(stream).collect();
    Results { sender_has_retransmits: -1, streams, ..Results::default() }
}

impl Agent for Iperf3End {
    fn call(&mut self, request: Request, watch: &mut CallContext<'_>) -> Result<Reply, AgentError> {
        match request {
            // There is no other clock: its times are ours.
            Request::Time => Ok(Reply::Time(clock::now_ns())),
            Request::Describe => Ok(Reply::Machine(Box::new(self.machine()))),
            Request::Open(order) => self.open(&order.loads).map(Reply::Open),
            Request::Trial(_) => self.trial(watch).map(|report| Reply::Trial(Box::new(report))),
            Request::Begin(times) => {
                *lock(&self.told) = Some(times);
                Ok(Reply::Done)
            }
            Request::Diagnose => Ok(Reply::Diagnose(Diagnosis::default())),
            // Nothing was changed.
            Request::Restore => Ok(Reply::Done),
            Request::Cancel | Request::Finish => {
                self.open = None;
                Ok(Reply::Done)
            }
            Request::Survey { .. }
            | Request::Calibrate { .. }
            | Request::Prepare { .. }
            | Request::Release { .. }
            | Request::LookAtSettings { .. }
            | Request::LookAtObservers { .. }
            | Request::LookAtPresented(_)
            | Request::Present(_)
            | Request::Withdraw(_)
            | Request::Watch(_)
            | Request::LookAtUse { .. }
            | Request::Attach(_)
            | Request::Set { .. } => Ok(Reply::Failed {
                reason: "an iperf3 server does nothing but move bytes: run `headroom node` there".to_owned(),
            }),
        }
    }

    fn refuses(&self, loads: &[LoadSpec]) -> Option<Problem> {
        accepted(loads).err()
    }

    fn out_of_band(&mut self) -> Result<OutOfBand, AgentError> {
        let told = Arc::clone(&self.told);
        Ok(Box::new(move |request| {
            if let Request::Begin(times) = request {
                *lock(&told) = Some(*times);
            }
            Ok(())
        }))
    }
}

#[cfg(test)]
mod tests {
    use model::{ParameterName, WorkloadName};

    use super::*;

    /// Bug: the packets of a server had no code point, whatever was asked for at both ends.
    #[test]
    fn a_server_is_asked_for_the_code_point_too() {
        let tos = |dscp: Option<&str>| {
            let mut given = model::Parameters::default();
            given.set(ParameterName::new("direction"), "receive");
            given.set(ParameterName::new("streams"), 1u64);
            given.set(ParameterName::new("duration"), 1.0);
            dscp.into_iter().for_each(|class| given.set(ParameterName::new("dscp"), class));
            let stream = accepted(&[LoadSpec::new(WorkloadName::new("net.stream"), given)]).unwrap();
            parameters(&stream, SocketAddr::from(([127, 0, 0, 1], PORT))).unwrap().tos
        };
        assert_eq!((tos(None), tos(Some("ef"))), (None, Some(46 << 2)));
    }
}
