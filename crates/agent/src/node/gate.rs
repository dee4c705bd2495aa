//! Where connections come in: it hears who knows the key and turns all others
//! away. Who opened it, a node or a run that waits for its node, is its [`Host`].
//!
//! Until the key is shown a connection costs one thread with a small stack, a
//! kilobyte of what it said, and five seconds; and there are only so many.

use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustls::{ServerConfig, ServerConnection};

use super::allow::Allow;
use super::frame::Frames;
use super::hello::{Answer, Caller, HELLO_MAX, Hello, Refused, judge};
use super::identity::{Identity, IdentityError};
use super::join::JoinString;
use super::limits::Limits;
use super::permit::Bell;
use super::secure::{Secure, wait};
use super::serve::NodeError;
use super::tls;
use crate::wire;

/// The stack of a connection's thread: it calls nothing deep.
const STACK: usize = 512 << 10;

/// What listens.
pub(super) struct Gate {
    listener: TcpListener,
    identity: Identity,
    config: Arc<ServerConfig>,
    rules: Rules,
}

/// Who may come in.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// What it must be.
    pub(super) awaited: Caller,
    /// From where it must come.
    pub(super) allow: Allow,
    /// How many and how slow strangers may be.
    pub(super) limits: Limits,
}

/// Who opened the gate.
pub(super) trait Host: Copy + Send {
    /// What one has that was let in.
    type Seat: Send;

    /// A seat for one that showed the key.
    ///
    /// # Errors
    /// Why there is none.
    fn seat(self, version: String) -> Result<Self::Seat, Refused>;

    /// It was let in, and its thread is the host's until this returns; what came
    /// after its first word is in the frames.
    fn receive(self, from: IpAddr, met: (Secure, Frames), seat: Self::Seat);

    /// One was turned away.
    fn refused(self, from: IpAddr, why: String);
}

impl Gate {
    /// Listens at `at`; a port of 0 is one that the kernel chooses.
    ///
    /// # Errors
    /// If that cannot be listened at.
    pub(super) fn open(at: SocketAddr, identity: Identity, rules: Rules) -> Result<Self, NodeError> {
        let listener = TcpListener::bind(at).map_err(|source| NodeError::Listen { at, source })?;
        listener.set_nonblocking(true)?;
        let config = identity.server().map_err(|e| IdentityError::Certificate(e.to_string()))?;
        Ok(Self { listener, identity, config, rules })
    }

    /// Where it listens.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What others must know, once for each address by which this machine may be
    /// reached.
    pub(super) fn join_strings(&self) -> io::Result<Vec<JoinString>> {
        self.identity.join_strings(self.address()?)
    }

    /// Takes connections until `stop` can be read from (nothing is read), or
    /// `shut` is rung; then it rings `shut` itself, so that whoever is inside
    /// ends, and waits for them.
    ///
    /// # Errors
    /// If no more connections can be taken.
    pub(super) fn attend(&self, stop: BorrowedFd<'_>, shut: &Bell, host: impl Host) -> io::Result<()> {
        let strangers = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            let outcome = loop {
                let mut fds = [
                    PollFd::new(&self.listener, PollFlags::IN),
                    PollFd::from_borrowed_fd(stop, PollFlags::IN),
                    PollFd::new(shut, PollFlags::IN),
                ];
                if let Err(error) = wait(&mut fds, None) {
                    break Err(error);
                }
                if fds[1..].iter().any(|fd| !fd.revents().is_empty()) {
                    break Ok(());
                }
                let Some((tcp, from)) = self.accept() else { continue };
                let Some(place) = Place::take(&strangers, from, &self.rules.limits) else { continue };
                let thread = std::thread::Builder::new().name("session".to_owned()).stack_size(STACK);
                // Where there are no threads left, the connection closes.
                let _ = thread.spawn_scoped(scope, move || self.receive(tcp, from, place, shut, host));
            };
            shut.ring();
            outcome
        })
    }

    fn accept(&self) -> Option<(TcpStream, IpAddr)> {
        match self.listener.accept() {
            Ok((tcp, from)) => Some((tcp, from.ip().to_canonical())),
            Err(error) => {
                // Too many open files: the same again at once would help nobody.
                if error.raw_os_error().is_some_and(|e| {
                    let e = Errno::from_raw_os_error(e);
                    matches!(e, Errno::MFILE | Errno::NFILE | Errno::NOMEM)
                }) {
                    std::thread::sleep(Duration::from_millis(100));
                }
                None
            }
        }
    }

    /// One connection, from its first byte to its last.
    fn receive(&self, tcp: TcpStream, from: IpAddr, place: Place<'_>, shut: &Bell, host: impl Host) {
        let Rules { allow, limits, .. } = &self.rules;
        if !allow.admits(from) {
            turn_away(&tcp, limits.parting, shut.as_fd());
            return host.refused(from, format!("its address is not allowed (allowed: {allow})"));
        }
        let met = self.meet(tcp, shut, host);
        drop(place);
        match met {
            Ok((met, seat)) => host.receive(from, met, seat),
            // Who ends blames nobody.
            Err(_) if shut.has_rung() => {}
            Err(why) => host.refused(from, why),
        }
    }

    /// Lets a stranger in that knows the key, or says why not.
    fn meet<H: Host>(
        &self,
        tcp: TcpStream,
        shut: &Bell,
        host: H,
    ) -> Result<((Secure, Frames), H::Seat), String> {
        let until = Instant::now() + self.rules.limits.stranger;
        let stop = Some(shut.as_fd());
        let system = |e: io::Error| match e.kind() {
            io::ErrorKind::TimedOut => "it did not show the key in time".to_owned(),
            _ => format!("it spoke something else: {e}"),
        };
        let tls = ServerConnection::new(Arc::clone(&self.config)).map_err(|e| e.to_string())?;
        let mut secure = Secure::new(tcp, tls).map_err(system)?;
        let mut frames = Frames::new(HELLO_MAX);
        let heard = secure.hear(&mut frames, until, stop).map_err(system)?;
        let heard = heard.ok_or_else(|| "it went without showing the key".to_owned())?;
        let hello: Hello =
            serde_json::from_slice(&heard).map_err(|_| "its first word was no greeting".to_owned())?;
        let judged = judge(&hello, self.identity.key(), self.rules.awaited);
        let judged = judged.and_then(|version| host.seat(version));
        let answer = match &judged {
            Ok(_) => Answer::welcome(),
            Err(refused) => Answer::refuse(refused.clone()),
        };
        let said = wire::frame(&answer).and_then(|frame| secure.say(&frame, until, stop));
        match (judged, said) {
            (Ok(seat), Ok(())) => Ok(((secure, frames), seat)),
            (Ok(_), Err(error)) => Err(system(error)),
            (Err(refused), _) => {
                secure.end();
                Err(refused.reason)
            }
        }
    }
}

/// A stranger's place among those that there may be.
struct Place<'a> {
    strangers: &'a Mutex<Vec<IpAddr>>,
    from: IpAddr,
}

impl<'a> Place<'a> {
    fn take(strangers: &'a Mutex<Vec<IpAddr>>, from: IpAddr, limits: &Limits) -> Option<Self> {
        let mut all = strangers.lock().unwrap_or_else(PoisonError::into_inner);
        let of_one = all.iter().filter(|other| **other == from).count();
        if all.len() >= limits.strangers || of_one >= limits.strangers_of_one {
            return None;
        }
        all.push(from);
        Some(Self { strangers, from })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut all = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = all.iter().position(|other| *other == self.from) {
            all.swap_remove(at);
        }
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
