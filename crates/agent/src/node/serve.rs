//! A node: it takes connections, lets in who knows its key, and gives each
//! controller a thread and an agent's process.
//!
//! Until the key is shown a connection costs one thread with a small stack, a
//! kilobyte of what it said, and five seconds; and there are only so many.

use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustls::{ServerConfig, ServerConnection};

use super::allow::Allow;
use super::frame::Frames;
use super::hello::{Answer, FULL, HELLO_MAX, Hello, Refused, judge};
use super::identity::{Identity, IdentityError};
use super::join::JoinString;
use super::limits::Limits;
use super::permit::{Bell, Permit};
use super::secure::{Secure, wait};
use super::session::{Ground, Session};
use super::tls;
use crate::child::ChildCommand;
use crate::wire;

/// The stack of a session's thread: it calls nothing deep.
const STACK: usize = 512 << 10;

/// How a node serves.
#[derive(Clone, Debug)]
pub struct Options {
    /// From where.
    pub allow: Allow,
    /// Whether it ends after one session.
    pub once: bool,
    /// What it bears.
    pub limits: Limits,
    /// How the agent's process is started.
    pub agent: ChildCommand,
}

/// What happens at a node, for who watches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeEvent {
    /// A connection was turned away.
    Refused {
        /// From where it came.
        from: IpAddr,
        /// Why.
        why: String,
    },
    /// A controller was let in.
    Came {
        /// From where.
        from: IpAddr,
        /// Its version.
        version: String,
    },
    /// Its session ended.
    Went {
        /// From where it had come.
        from: IpAddr,
        /// Why.
        why: String,
    },
}

/// A node that listens.
pub struct Node {
    listener: TcpListener,
    identity: Identity,
    config: Arc<ServerConfig>,
    options: Options,
}

/// Why a node cannot start.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The address cannot be listened at.
    #[error("{at} cannot be listened at: {source}")]
    Listen {
        /// Where.
        at: SocketAddr,
        /// What the kernel said.
        source: io::Error,
    },
    /// It has no identity.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// Nothing works without it.
    #[error("the node cannot go on: {0}")]
    System(#[from] io::Error),
}

/// Who is here.
#[derive(Debug, Default)]
struct Guests {
    strangers: Vec<IpAddr>,
    sessions: usize,
    /// Whether a session was there, if one is enough.
    is_served: bool,
}

/// What the threads of a node share.
struct Shared<'a> {
    node: &'a Node,
    ground: Ground<'a>,
    guests: Mutex<Guests>,
    tell: &'a (dyn Fn(NodeEvent) + Sync),
    /// Set with `ground.stop`.
    stopped: AtomicBool,
    number: AtomicU64,
}

impl Node {
    /// Listens at `at`; a port of 0 is one that the kernel chooses.
    ///
    /// # Errors
    /// If that cannot be listened at.
    pub fn listen(at: SocketAddr, identity: Identity, options: Options) -> Result<Self, NodeError> {
        let listener = TcpListener::bind(at).map_err(|source| NodeError::Listen { at, source })?;
        listener.set_nonblocking(true)?;
        let config = identity.server().map_err(|e| IdentityError::Certificate(e.to_string()))?;
        Ok(Self { listener, identity, config, options })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the kernel does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What controllers must know, once for each address by which this machine
    /// may be reached.
    ///
    /// # Errors
    /// If the addresses cannot be read.
    pub fn join_strings(&self) -> io::Result<Vec<JoinString>> {
        self.identity.join_strings(self.address()?)
    }

    /// Serves until `stop` can be read from (nothing is read), or until the one
    /// session is over that was asked for. When this returns no process of it is
    /// left.
    ///
    /// # Errors
    /// If no more connections can be taken.
    pub fn serve(&self, stop: BorrowedFd<'_>, tell: &(dyn Fn(NodeEvent) + Sync)) -> io::Result<()> {
        let (permit, bell) = (Permit::default(), Bell::new()?);
        let Options { limits, agent, .. } = &self.options;
        let shared = Shared {
            node: self,
            ground: Ground { permit: &permit, command: agent, limits, stop: &bell },
            guests: Mutex::default(),
            tell,
            stopped: AtomicBool::new(false),
            number: AtomicU64::new(0),
        };
        std::thread::scope(|scope| {
            let outcome = loop {
                let mut fds = [
                    PollFd::new(&self.listener, PollFlags::IN),
                    PollFd::from_borrowed_fd(stop, PollFlags::IN),
                    PollFd::new(&bell, PollFlags::IN),
                ];
                if let Err(error) = wait(&mut fds, None) {
                    break Err(error);
                }
                if fds[1..].iter().any(|fd| !fd.revents().is_empty()) {
                    break Ok(());
                }
                let Some((tcp, from)) = self.accept() else { continue };
                let Some(place) = Place::take(&shared, from) else { continue };
                let shared = &shared;
                let thread = std::thread::Builder::new().name("session".to_owned()).stack_size(STACK);
                // Where there are no threads left, the connection closes.
                let _ = thread.spawn_scoped(scope, move || shared.receive(tcp, from, place));
            };
            shared.stop();
            outcome
        })
    }

    fn accept(&self) -> Option<(TcpStream, IpAddr)> {
        match self.listener.accept() {
            Ok((tcp, from)) => Some((tcp, from.ip().to_canonical())),
            Err(error) => {
                // Too many open files: the same again at once would help nobody.
                if error.raw_os_error().is_some_and(|e| {
                    let e = rustix::io::Errno::from_raw_os_error(e);
                    matches!(
                        e,
                        rustix::io::Errno::MFILE | rustix::io::Errno::NFILE | rustix::io::Errno::NOMEM
                    )
                }) {
                    std::thread::sleep(Duration::from_millis(100));
                }
                None
            }
        }
    }
}

/// A stranger's place among those that there may be.
struct Place<'a> {
    shared: &'a Shared<'a>,
    from: IpAddr,
}

impl<'a> Place<'a> {
    fn take(shared: &'a Shared<'a>, from: IpAddr) -> Option<Self> {
        let limits = shared.ground.limits;
        let mut guests = shared.guests();
        let of_one = guests.strangers.iter().filter(|other| **other == from).count();
        if guests.strangers.len() >= limits.strangers || of_one >= limits.strangers_of_one {
            return None;
        }
        guests.strangers.push(from);
        Some(Self { shared, from })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut guests = self.shared.guests();
        if let Some(at) = guests.strangers.iter().position(|other| *other == self.from) {
            guests.strangers.swap_remove(at);
        }
    }
}

impl<'a> Shared<'a> {
    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the node.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.ground.stop.ring();
    }

    /// One connection, from its first byte to its last.
    fn receive(&'a self, tcp: TcpStream, from: IpAddr, place: Place<'a>) {
        let tell = |why: String| (self.tell)(NodeEvent::Refused { from, why });
        if !self.node.options.allow.admits(from) {
            turn_away(&tcp, self.ground.limits.parting, self.ground.stop.as_fd());
            return tell(format!("its address is not allowed (allowed: {})", self.node.options.allow));
        }
        let met = self.meet(tcp);
        drop(place);
        let (secure, frames, mut seat) = match met {
            Ok(met) => met,
            // A node that ends blames nobody.
            Err(_) if self.stopped.load(Ordering::Relaxed) => return,
            Err(why) => return tell(why),
        };
        seat.is_used = true;
        (self.tell)(NodeEvent::Came { from, version: seat.version.clone() });
        let why = match Session::new(&self.ground, seat.number, (secure, frames)) {
            Ok(session) => session.run().to_string(),
            Err(error) => error.to_string(),
        };
        (self.tell)(NodeEvent::Went { from, why });
    }

    /// Lets a stranger in that knows the key, or says why not.
    fn meet(&'a self, tcp: TcpStream) -> Result<(Secure, Frames, Seat<'a>), String> {
        let until = Instant::now() + self.ground.limits.stranger;
        let stop = Some(self.ground.stop.as_fd());
        let system = |e: io::Error| match e.kind() {
            io::ErrorKind::TimedOut => "it did not show the key in time".to_owned(),
            _ => format!("it spoke something else: {e}"),
        };
        let tls = ServerConnection::new(Arc::clone(&self.node.config)).map_err(|e| e.to_string())?;
        let mut secure = Secure::new(tcp, tls).map_err(system)?;
        let mut frames = Frames::new(HELLO_MAX);
        let heard = secure.hear(&mut frames, until, stop).map_err(system)?;
        let heard = heard.ok_or_else(|| "it went without showing the key".to_owned())?;
        let hello: Hello =
            serde_json::from_slice(&heard).map_err(|_| "its first word was no greeting".to_owned())?;
        let judged = judge(&hello, self.node.identity.key()).and_then(|version| self.seat(version));
        let answer = match &judged {
            Ok(_) => Answer::welcome(),
            Err(refused) => Answer::refuse(refused.clone()),
        };
        let said = wire::frame(&answer).and_then(|frame| secure.say(&frame, until, stop));
        match (judged, said) {
            (Ok(seat), Ok(())) => Ok((secure, frames, seat)),
            (Ok(_), Err(error)) => Err(system(error)),
            (Err(refused), _) => {
                secure.end();
                Err(refused.reason)
            }
        }
    }

    /// Gives a controller a seat, if there is one.
    fn seat(&'a self, version: String) -> Result<Seat<'a>, Refused> {
        let mut guests = self.guests();
        let refused = |reason: String| Err(Refused { kind: FULL.to_owned(), reason });
        if guests.is_served {
            return refused("the node serves one session only, and another had it".to_owned());
        }
        if guests.sessions >= self.ground.limits.sessions {
            return refused(format!("the node has {} sessions already", guests.sessions));
        }
        guests.sessions += 1;
        guests.is_served = self.node.options.once;
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        Ok(Seat { shared: self, number, version, is_used: false })
    }
}

/// A controller's seat.
struct Seat<'a> {
    shared: &'a Shared<'a>,
    number: u64,
    version: String,
    /// Whether there was a session.
    is_used: bool,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.shared.ground.permit.leave(self.number);
        let mut guests = self.shared.guests();
        guests.sessions -= 1;
        if guests.is_served && self.is_used {
            self.shared.stop();
        }
        guests.is_served &= self.is_used;
    }
}

/// Says in TLS's own words that an address is not allowed, and closes. What the
/// stranger said must be read for that: a socket that closes on unread bytes
/// takes back what it said.
fn turn_away(tcp: &TcpStream, patience: Duration, stop: BorrowedFd<'_>) {
    use std::io::{Read, Write};
    let _ = tcp.set_nonblocking(true);
    let mut tcp_ref = tcp;
    let _ = tcp_ref.write(&tls::ACCESS_DENIED);
    let _ = tcp.shutdown(Shutdown::Write);
    let until = Instant::now() + patience;
    let mut piece = [0; 1024];
    for _ in 0..16 {
        let mut fds = [PollFd::new(tcp, PollFlags::IN), PollFd::from_borrowed_fd(stop, PollFlags::IN)];
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || wait(&mut fds, Some(left)).is_err() || !fds[1].revents().is_empty() {
            return;
        }
        if matches!(tcp_ref.read(&mut piece), Ok(0)) {
            return;
        }
    }
}
