//! Where a run waits for its node: the other machine stands behind something that
//! lets nobody in, so it dials, and this end listens. From the greeting on all is
//! as if this end had dialled.
//!
//! One node at a time is let in. When its connection is lost it may come again,
//! or another with the same join string may; as long as one is here, others are
//! told so.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::lock;

use super::acceptor::{Acceptor, Handler, Rules};
use super::allow::Allow;
use super::controller::Connected;
use super::frame::Frames;
use super::handshake::{Dialer, FULL, Refused};
use super::identity::NodeIdentity;
use super::join::JoinString;
use super::limits::Limits;
use super::measurement_lock::Waker;
use super::secure::Secure;
use super::serve::{NodeError, NodeEvent};

/// How often one who waits looks whether to go on.
const LOOK: Duration = Duration::from_millis(100);

/// Hears what happens at the acceptor.
pub type Listener = Box<dyn Fn(NodeEvent) + Send + Sync>;

/// An acceptor that waits for a node.
pub struct ReverseAccept {
    at: SocketAddr,
    joins: Vec<JoinString>,
    shared: Arc<Shared>,
    shut: Arc<Waker>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

/// A node that came.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) link: Connected,
    pub(super) from: IpAddr,
    /// The address of this machine that it came to.
    pub(super) here: IpAddr,
}

/// What the acceptor and the one who waits share.
struct Shared {
    state: Mutex<State>,
    came: Condvar,
    tell: Listener,
    /// How long a request may take without progress.
    patience: Duration,
}

#[derive(Debug, Default)]
struct State {
    /// Whether there is a node, here or on its way in.
    taken: bool,
    /// The node that nobody has fetched yet.
    arrival: Option<Arrival>,
    /// Whether somebody waits for one: only then are strangers worth a word.
    waits: bool,
}

/// The one place for a node; free again when this is dropped.
pub(super) struct SessionSlot {
    shared: Arc<Shared>,
    version: String,
}

impl Drop for SessionSlot {
    fn drop(&mut self) {
        lock(&self.shared.state).taken = false;
    }
}

impl Handler for &Arc<Shared> {
    type Slot = SessionSlot;

    fn slot(self, version: String) -> Result<SessionSlot, Refused> {
        let mut state = lock(&self.state);
        if state.taken {
            let reason = "another node has joined it".to_owned();
            return Err(Refused { kind: FULL.to_owned(), reason });
        }
        state.taken = true;
        Ok(SessionSlot { shared: Arc::clone(self), version })
    }

    fn receive(self, from: IpAddr, (secure, frames): (Secure, Frames), slot: SessionSlot) {
        let version = slot.version.clone();
        let here = secure.tcp().local_addr().map(|at| at.ip().to_canonical());
        let link = here.and_then(|here| {
            let link = Connected::over(secure, frames, self.patience, slot)?;
            Ok(Arrival { link, from, here })
        });
        match link {
            Ok(arrival) => {
                (self.tell)(NodeEvent::Came { from, version });
                lock(&self.state).arrival = Some(arrival);
                self.came.notify_all();
            }
            Err(error) => (self.tell)(NodeEvent::Refused { from, why: error.to_string() }),
        }
    }

    fn refused(self, from: IpAddr, why: String) {
        if lock(&self.state).waits {
            (self.tell)(NodeEvent::Refused { from, why });
        }
    }
}

impl ReverseAccept {
    /// Listens at `at`; a port of 0 is one that the kernel chooses. A request to
    /// the node that comes is given up after `patience` without progress.
    ///
    /// # Errors
    /// If that cannot be listened at.
    pub fn open(
        at: SocketAddr,
        identity: NodeIdentity,
        patience: Duration,
        tell: Listener,
    ) -> Result<Self, NodeError> {
        let rules = Rules { awaited: Dialer::Node, allow: Allow::default(), limits: Limits::default() };
        let acceptor = Acceptor::open(at, identity, rules)?;
        let (at, joins) = (acceptor.address()?, acceptor.join_strings()?);
        let shared = Shared { state: Mutex::default(), came: Condvar::new(), tell, patience };
        let (shared, shut) = (Arc::new(shared), Arc::new(Waker::new()?));
        let (host, waker) = (Arc::clone(&shared), Arc::clone(&shut));
        let attend = move || acceptor.attend(waker.as_fd(), &waker, &host);
        let thread = std::thread::Builder::new().name("acceptor".to_owned()).spawn(attend)?;
        Ok(Self { at, joins, shared, shut, thread: Some(thread) })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.at
    }

    /// What the node must know, once for each address by which this machine may
    /// be reached.
    #[must_use]
    pub fn join_strings(&self) -> &[JoinString] {
        &self.joins
    }

    /// How long a request may take without progress.
    pub(super) fn patience(&self) -> Duration {
        self.shared.patience
    }

    /// The node that comes within this time, or none; it asks `goes_on` several
    /// times a second.
    pub(super) fn wait(&self, within: Duration, goes_on: &mut dyn FnMut() -> bool) -> Option<Arrival> {
        let until = Instant::now() + within;
        lock(&self.shared.state).waits = true;
        let arrival = loop {
            let mut state = lock(&self.shared.state);
            // One that came and went again is none.
            if let Some(arrival) = state.arrival.take().filter(|arrival| arrival.link.lives()) {
                break Some(arrival);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break None;
            }
            let waited = self.shared.came.wait_timeout(state, left.min(LOOK));
            drop(waited);
            if !goes_on() {
                break None;
            }
        };
        lock(&self.shared.state).waits = false;
        arrival
    }
}

impl Drop for ReverseAccept {
    fn drop(&mut self) {
        self.shut.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        // Its thread would wait for who holds it, and that is the shared state itself.
        let unused = lock(&self.shared.state).arrival.take();
        if let Some(Arrival { link, .. }) = unused {
            link.cut();
        }
    }
}

impl std::fmt::Debug for ReverseAccept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReverseAccept({})", self.at)
    }
}
