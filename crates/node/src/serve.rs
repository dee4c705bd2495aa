//! A node that listens: whom its acceptor lets in gets a thread and an agent's
//! process.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use agent::child::ChildCommand;
use engine::lock;

use super::acceptor::{Acceptor, Handler, Rules};
use super::allow::Allow;
use super::frame::Frames;
use super::handshake::{Dialer, FULL, Refused};
use super::identity::{IdentityError, NodeIdentity};
use super::join::JoinString;
use super::limits::Limits;
use super::measurement_lock::{MeasurementLock, Waker};
use super::secure::Secure;
use super::session::{NodeSession, SharedState};

/// How a node serves.
#[derive(Clone, Debug)]
pub struct ServeOptions {
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
    acceptor: Acceptor,
    options: ServeOptions,
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
struct Sessions {
    sessions: usize,
    /// Whether a session was there, if one is enough.
    is_served: bool,
}

/// What the threads of a node share.
struct Shared<'a> {
    node: &'a Node,
    state: SharedState<'a>,
    /// Rung when the node is to end.
    shut: &'a Waker,
    guests: Mutex<Sessions>,
    tell: &'a (dyn Fn(NodeEvent) + Sync),
    number: AtomicU64,
}

impl Node {
    /// Listens at `at`; a port of 0 is one that the kernel chooses.
    ///
    /// # Errors
    /// If that cannot be listened at.
    pub fn listen(at: SocketAddr, identity: NodeIdentity, options: ServeOptions) -> Result<Self, NodeError> {
        let ServeOptions { allow, limits, .. } = options.clone();
        let acceptor = Acceptor::open(at, identity, Rules { awaited: Dialer::Controller, allow, limits })?;
        Ok(Self { acceptor, options })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the kernel does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.acceptor.address()
    }

    /// What controllers must know, once for each address by which this machine
    /// may be reached.
    ///
    /// # Errors
    /// If the addresses cannot be read.
    pub fn join_strings(&self) -> io::Result<Vec<JoinString>> {
        self.acceptor.join_strings()
    }

    /// Serves until `stop` can be read from (nothing is read), or until the one
    /// session is over that was asked for. When this returns no process of it is
    /// left.
    ///
    /// # Errors
    /// If no more connections can be taken.
    pub fn serve(&self, stop: BorrowedFd<'_>, tell: &(dyn Fn(NodeEvent) + Sync)) -> io::Result<()> {
        let (lock, shut) = (MeasurementLock::default(), Waker::new()?);
        let ServeOptions { limits, agent, .. } = &self.options;
        let shared = Shared {
            node: self,
            state: SharedState { lock: &lock, command: agent, limits, stop: shut.as_fd() },
            shut: &shut,
            guests: Mutex::default(),
            tell,
            number: AtomicU64::new(0),
        };
        self.acceptor.attend(stop, &shut, &shared)
    }
}

impl<'a> Handler for &'a Shared<'a> {
    type Slot = SessionSlot<'a>;

    /// Gives a controller a slot, if there is one.
    fn slot(self, version: String) -> Result<SessionSlot<'a>, Refused> {
        let mut guests = lock(&self.guests);
        let refused = |reason: String| Err(Refused { kind: FULL.to_owned(), reason });
        if guests.is_served {
            return refused("the node serves one session only, and another had it".to_owned());
        }
        if guests.sessions >= self.state.limits.sessions {
            return refused(format!("the node has {} sessions already", guests.sessions));
        }
        guests.sessions += 1;
        guests.is_served = self.node.options.once;
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        Ok(SessionSlot { shared: self, number, version, is_used: false })
    }

    fn receive(self, from: IpAddr, met: (Secure, Frames), mut slot: SessionSlot<'a>) {
        slot.is_used = true;
        (self.tell)(NodeEvent::Came { from, version: slot.version.clone() });
        let why = match NodeSession::new(&self.state, slot.number, met) {
            Ok(session) => session.run().to_string(),
            Err(error) => error.to_string(),
        };
        (self.tell)(NodeEvent::Went { from, why });
    }

    fn refused(self, from: IpAddr, why: String) {
        (self.tell)(NodeEvent::Refused { from, why });
    }
}

/// A controller's slot.
struct SessionSlot<'a> {
    shared: &'a Shared<'a>,
    number: u64,
    version: String,
    /// Whether there was a session.
    is_used: bool,
}

impl Drop for SessionSlot<'_> {
    fn drop(&mut self) {
        self.shared.state.lock.leave(self.number);
        let mut guests = lock(&self.shared.guests);
        guests.sessions -= 1;
        if guests.is_served && self.is_used {
            self.shared.shut.wake();
        }
        guests.is_served &= self.is_used;
    }
}
