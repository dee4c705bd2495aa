//! Where connections come in: it hears who knows the key and turns all others
//! away. Who opened it, a node or a run that waits for its node, is its [`Handler`].
//!
//! Until the key is shown a connection costs one thread with a small stack, a
//! kilobyte of what it said, and five seconds; and there are only so many
//! ([`PendingConnections`]). One from an address that is not allowed takes the place of none
//! that is.

use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::wire;
use load::workload::net;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustls::{ServerConfig, ServerConnection};

use super::allow::Allow;
use super::frame::Frames;
use super::handshake::{Dialer, HANDSHAKE_MAX, HandshakeAnswer, HandshakeRequest, Refused, WRONG_KEY, judge};
use super::identity::{IdentityError, NodeIdentity};
use super::join::JoinString;
use super::limits::Limits;
use super::measurement_lock::Waker;
use super::pending::{PendingConnections, PendingSlot};
use super::secure::{Secure, wait, wait_until};
use super::serve::NodeError;
use super::tls;

/// The stack of a connection's thread: it calls nothing deep.
const STACK: usize = 512 << 10;

pub(super) struct Acceptor {
    listener: TcpListener,
    identity: NodeIdentity,
    config: Arc<ServerConfig>,
    rules: Rules,
}

/// Who may come in.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// What it must be.
    pub(super) awaited: Dialer,
    /// From where it must come.
    pub(super) allow: Allow,
    /// How many and how slow strangers may be.
    pub(super) limits: Limits,
}

/// Who opened the acceptor.
pub(super) trait Handler: Copy + Send {
    /// What one has that was let in.
    type Slot: Send;

    /// A slot for one that showed the key.
    ///
    /// # Errors
    /// Why there is none.
    fn slot(self, version: String) -> Result<Self::Slot, Refused>;

    /// It was let in, and its thread is the host's until this returns; what came
    /// after its first word is in the frames.
    fn receive(self, from: IpAddr, met: (Secure, Frames), slot: Self::Slot);

    fn refused(self, from: IpAddr, why: String);
}

impl Acceptor {
    /// Listens at `at`; a port of 0 is one that the kernel chooses.
    ///
    /// # Errors
    /// If that cannot be listened at.
    pub(super) fn open(at: SocketAddr, identity: NodeIdentity, rules: Rules) -> Result<Self, NodeError> {
        let listener = TcpListener::bind(at).map_err(|source| NodeError::Listen { at, source })?;
        listener.set_nonblocking(true)?;
        // What is agreed on must arrive where the load's own packets do not; without it most does.
        let _ = net::keep_segments_small(&listener);
        let config = identity.server().map_err(|e| IdentityError::Certificate(e.to_string()))?;
        Ok(Self { listener, identity, config, rules })
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What others must know, once for each address by which this machine may be
    /// reached.
    pub(super) fn join_strings(&self) -> io::Result<Vec<JoinString>> {
        self.identity.join_strings(self.address()?)
    }

    /// Takes connections until `stop` can be read from (nothing is read), or
    /// `shut` is woken; then it wakes `shut` itself, so that whoever is inside
    /// ends, and waits for them.
    ///
    /// # Errors
    /// If no more connections can be taken.
    pub(super) fn attend(&self, stop: BorrowedFd<'_>, shut: &Waker, host: impl Handler) -> io::Result<()> {
        let Rules { allow, limits, .. } = &self.rules;
        let (strangers, turned_away) =
            (PendingConnections::new(limits.strangers), PendingConnections::new(limits.turned_away));
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
                let is_allowed = allow.admits(from);
                let among = if is_allowed { &strangers } else { &turned_away };
                let Some(place) = among.admit(&tcp, from) else { continue };
                let serve = move || {
                    let why = if is_allowed {
                        self.meet(tcp, &place, shut, host)
                            .map(|(met, slot)| host.receive(from, met, slot))
                            .err()
                    } else {
                        deny(&tcp, limits.parting, shut.as_fd());
                        Some(self.not_allowed())
                    };
                    // Who ends blames nobody.
                    let Some(why) = why.filter(|_| !shut.is_woken()) else { return };
                    match place.is_lost() {
                        false => host.refused(from, why),
                        true if among.may_tell() => host.refused(from, self.lost(is_allowed)),
                        true => {}
                    }
                };
                let thread = std::thread::Builder::new().name("session".to_owned()).stack_size(STACK);
                // Where there are no threads left, the connection closes.
                let _ = thread.spawn_scoped(scope, serve);
            };
            shut.wake();
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

    /// Why one lost its place.
    fn lost(&self, is_allowed: bool) -> String {
        match is_allowed {
            true => format!(
                "more than {} connections had not shown the key, and it was the oldest of the network that had the \
                 most (told once in a while)",
                self.rules.limits.strangers
            ),
            false => format!("{}, and many came (told once in a while)", self.not_allowed()),
        }
    }

    fn not_allowed(&self) -> String {
        format!("its address is not allowed (allowed: {})", self.rules.allow)
    }

    /// Lets a stranger in that knows the key, or says why not.
    fn meet<H: Handler>(
        &self,
        tcp: TcpStream,
        place: &PendingSlot<'_>,
        shut: &Waker,
        host: H,
    ) -> Result<((Secure, Frames), H::Slot), String> {
        let until = Instant::now() + self.rules.limits.stranger;
        let stop = Some(shut.as_fd());
        let system = |e: io::Error| match e.kind() {
            io::ErrorKind::TimedOut => "it did not show the key in time".to_owned(),
            _ => format!("it spoke something else: {e}"),
        };
        let tls = ServerConnection::new(Arc::clone(&self.config)).map_err(|e| e.to_string())?;
        let mut secure = Secure::new(tcp, tls).map_err(system)?;
        let mut frames = Frames::new(HANDSHAKE_MAX);
        let heard = secure.hear(&mut frames, until, stop).map_err(system)?;
        let heard = heard.ok_or_else(|| "it went without showing the key".to_owned())?;
        let hello: HandshakeRequest =
            serde_json::from_slice(&heard).map_err(|_| "its first word was no greeting".to_owned())?;
        let judged = judge(&hello, self.identity.key(), self.rules.awaited);
        // Who shows the key is no stranger: its place is free before it has heard so,
        // and nobody drives it out any more.
        let knows_key = !matches!(&judged, Err(refused) if refused.kind == WRONG_KEY);
        if knows_key && !place.leave() {
            return Err("it showed the key when another had just got its place".to_owned());
        }
        let judged = judged.and_then(|version| host.slot(version));
        let answer = match &judged {
            Ok(_) => HandshakeAnswer::welcome(),
            Err(refused) => HandshakeAnswer::refuse(refused.clone()),
        };
        let said = wire::frame(&answer).and_then(|frame| secure.say(&frame, until, stop));
        match (judged, said) {
            (Ok(slot), Ok(())) => Ok(((secure, frames), slot)),
            (Ok(_), Err(error)) => Err(system(error)),
            (Err(refused), _) => {
                secure.end();
                Err(refused.reason)
            }
        }
    }
}

/// Says in TLS's own words that an address is not allowed, and closes. What the
/// stranger said must be read for that: a socket that closes on unread bytes
/// takes back what it said.
fn deny(tcp: &TcpStream, patience: Duration, stop: BorrowedFd<'_>) {
    use std::io::{Read, Write};
    let _ = tcp.set_nonblocking(true);
    let mut tcp_ref = tcp;
    let _ = tcp_ref.write(&tls::ACCESS_DENIED);
    let _ = tcp.shutdown(Shutdown::Write);
    let until = Instant::now() + patience;
    let mut piece = [0; 1024];
    for _ in 0..16 {
        let waited = wait_until(PollFd::new(tcp, PollFlags::IN), until, Some(stop));
        if waited.is_err() || matches!(tcp_ref.read(&mut piece), Ok(0)) {
            return;
        }
    }
}
