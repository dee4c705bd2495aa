//! The server for stock clients of iperf3: takes connections, and tells by their
//! cookie whether they are a new test or a stream of one.
//!
//! iperf3 has no key, so whoever reaches the port could load the machine: beyond
//! loopback, the networks that may come must be named. What does not begin with
//! a cookie gets no byte.

use std::io::{self, ErrorKind, Read};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;
use std::time::{Duration, Instant};

use load::workload::net::crowd;
use load::workload::net::iperf3::{COOKIE, HELLO, HELLO_OLD, WELCOME, WELCOME_OLD};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, sockopt};
use rustix::time::Timespec;

use crate::iperf3::session::Iperf3Test;
use crate::iperf3::test_registry::{Cookie, NewTest, Rejection, TestRegistry};
use crate::iperf3::wire::control_protocol::{ControlConnection, State};

/// The port of iperf3.
pub const PORT: u16 = 5201;

/// How long a connection may take to say its cookie.
const COOKIE_PATIENCE: Duration = Duration::from_secs(3);

/// Connections that have not said their cookie yet, at most: one more, and another
/// goes ([`crowd::gives_way`]).
const STRANGERS_MOST: usize = 64;

/// How often the server looks whether it is to stop.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Says whether a client at an address is served.
pub type Admit = Box<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// What a server allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Clients at once.
    pub clients: usize,
    /// Streams of all clients together.
    pub streams: u64,
    /// Seconds of one test.
    pub seconds: u64,
    /// Bytes of buffers of all clients together.
    pub memory_bytes: u64,
    /// How long a client may take to say what is due, and to open each stream.
    pub patience: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            clients: 16,
            streams: 256,
            seconds: 3600,
            memory_bytes: 256 << 20,
            patience: Duration::from_secs(5),
        }
    }
}

/// How a server is to be.
pub struct Iperf3Options {
    /// Where it listens, over TCP and UDP. Port 0 lets the kernel choose.
    pub listen: SocketAddr,
    /// Who is served. Without it only a loopback address can be listened at.
    pub admit: Option<Admit>,
    /// Whether a second client is told that the server is busy, as stock servers
    /// do, instead of being served beside the first.
    pub one_at_a_time: bool,
    /// What is allowed.
    pub caps: ServerLimits,
    /// Hears in a sentence who came and how it ended.
    pub tell: Box<dyn Fn(&str) + Send + Sync>,
}

impl std::fmt::Debug for Iperf3Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Iperf3Options").field("listen", &self.listen).finish_non_exhaustive()
    }
}

impl Iperf3Options {
    /// Serves several clients at once at `listen`, and tells nobody.
    #[must_use]
    pub fn new(listen: SocketAddr) -> Self {
        Self {
            listen,
            admit: None,
            one_at_a_time: false,
            caps: ServerLimits::default(),
            tell: Box::new(|_| {}),
        }
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum Iperf3Error {
    /// Everybody could load this machine.
    #[error(
        "iperf3 has no key: whoever reaches {0} could load this machine. Name the networks that may come \
         (--allow 10.0.0.0/8), or listen at 127.0.0.1"
    )]
    Open(SocketAddr),
    /// The port cannot be had, or was lost.
    #[error("serving iperf3 at {address}: {source}{}", hint(source))]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the kernel said.
        source: io::Error,
    },
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::AddrInUse => ". Another iperf3 server has this port? Choose another one",
        _ => "",
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Iperf3Server {
    options: Iperf3Options,
    tcp: TcpListener,
    udp: UdpSocket,
    address: SocketAddr,
}

/// A connection that has not said its cookie yet.
#[derive(Debug)]
struct Stranger {
    stream: TcpStream,
    from: SocketAddr,
    order: u64,
    cookie: Cookie,
    filled: usize,
    until: Instant,
}

/// What came of reading from a [`Stranger`].
enum CookieRead {
    Nothing,
    Cookie,
    Garbage,
}

impl Iperf3Server {
    /// Opens the port.
    ///
    /// # Errors
    /// If the address cannot be listened at, or is open to everybody.
    pub fn open(options: Iperf3Options) -> Result<Self, Iperf3Error> {
        let address = options.listen;
        if options.admit.is_none() && !address.ip().to_canonical().is_loopback() {
            return Err(Iperf3Error::Open(address));
        }
        let failed = |source| Iperf3Error::Listen { address, source };
        let (tcp, udp) = listen(address).map_err(failed)?;
        let address = tcp.local_addr().map_err(failed)?;
        Ok(Self { options, tcp, udp, address })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop`; tests that run then are told that the server ends.
    ///
    /// # Errors
    /// If the port is lost.
    pub fn serve(&self, stop: &AtomicBool) -> Result<(), Iperf3Error> {
        let registry = TestRegistry::new(self.options.caps);
        let failed = |source| Iperf3Error::Listen { address: self.address, source };
        std::thread::scope(|scope| {
            let mut strangers: Vec<Stranger> = Vec::new();
            let mut order = 0;
            while !stop.load(Ordering::Relaxed) {
                let mut waits =
                    vec![PollFd::new(&self.tcp, PollFlags::IN), PollFd::new(&self.udp, PollFlags::IN)];
                waits.extend(strangers.iter().map(|s| PollFd::new(&s.stream, PollFlags::IN)));
                match poll(&mut waits, Some(&LOOK)) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(e) => return Err(failed(e.into())),
                }
                self.accept(&mut strangers, &mut order).map_err(failed)?;
                self.greetings(&registry, &mut order);
                for mut stranger in std::mem::take(&mut strangers) {
                    match stranger.read() {
                        CookieRead::Nothing if Instant::now() < stranger.until => strangers.push(stranger),
                        CookieRead::Nothing | CookieRead::Garbage => {}
                        CookieRead::Cookie => self.place(scope, &registry, stranger, stop),
                    }
                }
            }
            Ok(())
        })
    }

    /// Takes the connections that wait.
    fn accept(&self, strangers: &mut Vec<Stranger>, order: &mut u64) -> io::Result<()> {
        loop {
            match self.tcp.accept() {
                Ok((stream, from)) => {
                    if self.admits(from.ip()) && stream.set_nonblocking(true).is_ok() {
                        *order += 1;
                        let until = Instant::now() + COOKIE_PATIENCE;
                        let cookie = [0; COOKIE];
                        strangers.push(Stranger { stream, from, order: *order, cookie, filled: 0, until });
                    }
                    if strangers.len() > STRANGERS_MOST {
                        let networks: Vec<IpAddr> =
                            strangers.iter().map(|s| crowd::network(s.from.ip())).collect();
                        if let Some(at) = crowd::gives_way(&networks) {
                            strangers.remove(at);
                        }
                    }
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(e) if is_of_one(&e) => {}
                // Too many open files passes when tests end.
                Err(e) if matches!(e.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
                    std::thread::sleep(Duration::from_millis(10));
                    return Ok(());
                }
                Err(e) => return Err(e),
            }
        }
    }

    fn admits(&self, from: IpAddr) -> bool {
        let from = from.to_canonical();
        self.options.admit.as_ref().map_or(from.is_loopback(), |admits| admits(from))
    }

    /// A connection whose cookie is known now: a stream, or a new test.
    fn place<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        registry: &'scope TestRegistry,
        stranger: Stranger,
        stop: &'scope AtomicBool,
    ) {
        let Stranger { stream, from, order, cookie, .. } = stranger;
        if registry.knows(&cookie) {
            if let Some(unwanted) = registry.deliver(&cookie, order, stream) {
                deny(unwanted);
            }
            return;
        }
        // Who serves one at a time tells the second that it is busy, whatever the first
        // does.
        let alone = self.options.one_at_a_time;
        let most = if alone { 1 } else { self.options.caps.clients };
        let here = stream.local_addr().unwrap_or(self.address);
        let control = stream.try_clone().ok().filter(|_| !alone);
        let connection = NewTest { cookie, from: from.ip().to_canonical(), here, control };
        match registry.enter(connection, most) {
            Ok(place) => {
                let options = &self.options;
                let begun =
                    std::thread::Builder::new().name("iperf3".to_owned()).spawn_scoped(scope, move || {
                        let served = ControlConnection::new(stream)
                            .map(|control| Iperf3Test { control, place, options, stop }.run());
                        let how = served.unwrap_or_else(|e| format!("failed: {e}"));
                        (options.tell)(&format!("{from}: {how}"));
                    });
                // A closed connection is all that a machine without threads can
                // say.
                drop(begun);
            }
            Err(rejection) => {
                deny(stream);
                if rejection == Rejection::Busy {
                    (self.options.tell)(&format!("{from}: told that the server is busy"));
                }
            }
        }
    }

    /// Answers greetings of UDP streams.
    fn greetings(&self, registry: &TestRegistry, order: &mut u64) {
        let mut room = [0; 64];
        // Between binding a stream's socket and connecting it, the kernel may
        // give it what is for others.
        let mut stray: Vec<(SocketAddr, [u8; 4])> = Vec::new();
        loop {
            let (from, said) = match stray.pop() {
                Some(one) => one,
                None => match self.udp.recv_from(&mut room) {
                    Ok((got, from)) => match greeting(&room[..got]) {
                        Some(said) => (from, said),
                        None => continue,
                    },
                    Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                    Err(e) if is_of_one(&e) => continue,
                    Err(_) => return,
                },
            };
            let address = from.ip().to_canonical();
            let Some(here) = registry.awaits_udp(address).filter(|_| self.admits(address)) else { continue };
            let Ok(socket) = datagram_socket(here) else { continue };
            if socket.connect(from).is_err() {
                continue;
            }
            while let Ok((got, other)) = socket.recv_from(&mut room) {
                if other != from {
                    stray.extend(greeting(&room[..got]).map(|said| (other, said)));
                }
            }
            let answer = if said == HELLO { WELCOME } else { WELCOME_OLD };
            if socket.send(&answer).is_ok() {
                *order += 1;
                registry.deliver_udp(address, *order, socket);
            }
        }
    }
}

impl Stranger {
    fn read(&mut self) -> CookieRead {
        loop {
            match self.stream.read(&mut self.cookie[self.filled..]) {
                Ok(0) => return CookieRead::Garbage,
                Ok(got) => self.filled += got,
                Err(e) if e.kind() == ErrorKind::WouldBlock => return CookieRead::Nothing,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return CookieRead::Garbage,
            }
            // Nothing but the zero at the end is not a printable character.
            let text = &self.cookie[..self.filled.min(COOKIE - 1)];
            if !text.iter().all(u8::is_ascii_graphic) {
                return CookieRead::Garbage;
            }
            if self.filled == COOKIE {
                return if self.cookie[COOKIE - 1] == 0 { CookieRead::Cookie } else { CookieRead::Garbage };
            }
        }
    }
}

fn greeting(datagram: &[u8]) -> Option<[u8; 4]> {
    let said: [u8; 4] = datagram.try_into().ok()?;
    (said == HELLO || said == HELLO_OLD).then_some(said)
}

/// Errors of accept(2) and recv(2) that are about one connection, not the
/// listening socket.
fn is_of_one(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Interrupted
            | ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
    )
}

/// Says, as stock servers do, that nobody is served now.
fn deny(stream: TcpStream) {
    // The client may be gone.
    let _ = ControlConnection::new(stream).and_then(|mut control| control.say(State::AccessDenied));
}

/// Both sockets, at the same port.
fn listen(address: SocketAddr) -> io::Result<(TcpListener, UdpSocket)> {
    let mut tries = 0;
    loop {
        let tcp = TcpListener::bind(address)?;
        tcp.set_nonblocking(true)?;
        match datagram_socket(tcp.local_addr()?) {
            Ok(udp) => return Ok((tcp, udp)),
            // A port that the kernel chose for TCP may be in use over UDP.
            Err(_) if address.port() == 0 && tries < 16 => tries += 1,
            Err(e) => return Err(e),
        }
    }
}

/// A UDP socket at `here`, beside others: those of the streams have the port of
/// the one that listens.
fn datagram_socket(here: SocketAddr) -> io::Result<UdpSocket> {
    let family = if here.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket: OwnedFd = rustix::net::socket_with(family, SocketType::DGRAM, flags, None)?;
    sockopt::set_socket_reuseaddr(socket.as_fd(), true)?;
    rustix::net::bind(&socket, &here)?;
    Ok(UdpSocket::from(socket))
}
