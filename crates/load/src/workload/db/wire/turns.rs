//! Which connections of a worker go on: those of which the kernel says that they can (epoll(7)). Where there is one, poll(2)
//! says it: it wakes the thread itself, while epoll puts the connection on a list first, and looks at it again when it is
//! asked next. Either is asked for a moment without sleeping first, where that is of use ([`AdaptiveSpin`]).

use std::os::fd::{AsFd, OwnedFd};

use engine::adaptive_spin::AdaptiveSpin;
use engine::clock;
use engine::fault::Fault;
use engine::queue::Wait;
use engine::ready;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// How often it is looked whether every connection gets on, ns.
const LOOK_NS: u64 = 100_000_000;

/// The order of a worker's connections, which are known by their places.
pub(super) struct WireTurns {
    epoll: OwnedFd,
    /// What the kernel told of, and how many of these were taken.
    events: Vec<Event>,
    taken: usize,
    look_ns: u64,
    /// None if it always sleeps.
    spin: Option<AdaptiveSpin>,
}

impl WireTurns {
    /// Those of so many connections, for which the thread spins before it sleeps, or never does.
    ///
    /// # Errors
    /// If the kernel has no more epoll instances.
    pub(super) fn new(connections: usize, spin: Option<AdaptiveSpin>) -> Result<Self, Fault> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)
            .map_err(|e| Fault::system("making an epoll instance for connections", e))?;
        let events = Vec::with_capacity(connections.max(1));
        Ok(Self { epoll, events, taken: 0, look_ns: clock::now_ns() + LOOK_NS, spin })
    }

    /// Watches the connection of this number for what comes.
    ///
    /// # Errors
    /// If the kernel does not take it.
    pub(super) fn add(&self, connection: impl AsFd, number: usize) -> Result<(), Fault> {
        epoll::add(&self.epoll, connection, EventData::new_u64(number as u64), EventFlags::IN)
            .map_err(|e| Fault::system("watching a connection", e))
    }

    /// From now on also, or no more, waits until it can send.
    ///
    /// # Errors
    /// If the kernel does not take it.
    pub(super) fn change(&self, connection: impl AsFd, number: usize, sends: bool) -> Result<(), Fault> {
        let wanted = if sends { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        epoll::modify(&self.epoll, connection, EventData::new_u64(number as u64), wanted)
            .map_err(|e| Fault::system("watching a connection", e))
    }

    /// Asks the kernel which may go on, once all that were known to have had their turn. Whether it is time to look
    /// if all get on.
    ///
    /// # Errors
    /// If the kernel refuses to wait.
    #[inline]
    pub(super) fn ask(&mut self, wait: Wait) -> Result<bool, Fault> {
        if self.taken < self.events.len() {
            return Ok(false);
        }
        self.taken = 0;
        let Self { epoll, events, spin, .. } = self;
        if !spins(spin.as_mut(), wait, || told(epoll, events, 0))? {
            told(epoll, events, limit_ns(wait))?;
        }
        let now_ns = clock::now_ns();
        let is_due = now_ns >= self.look_ns;
        if is_due {
            self.look_ns = now_ns + LOOK_NS;
        }
        Ok(is_due)
    }

    /// The next connection that may go on, as far as that is known.
    #[inline]
    pub(super) fn take(&mut self) -> Option<usize> {
        let event = self.events.get(self.taken)?;
        self.taken += 1;
        usize::try_from(event.data.u64()).ok()
    }

    /// Whether the kernel told of this one, and it had no turn yet.
    pub(super) fn is_next(&self, number: usize) -> bool {
        self.events[self.taken..].iter().any(|event| event.data.u64() == number as u64)
    }
}

/// Takes what the kernel tells within `wait_ns`; whether there is something.
#[inline]
fn told(epoll: &OwnedFd, events: &mut Vec<Event>, wait_ns: u64) -> Result<bool, Fault> {
    ready::wait(epoll, events, wait_ns).map_err(|e| Fault::system("waiting for answers", e))?;
    Ok(!events.is_empty())
}

/// Waits until a connection that has no other beside it can receive, or, if it `sends`, can send, as long as `wait` says.
/// Whether it can.
///
/// # Errors
/// If the kernel refuses to wait.
#[inline]
pub(super) fn await_only(
    connection: &impl AsFd,
    sends: bool,
    wait: Wait,
    spin: Option<&mut AdaptiveSpin>,
) -> Result<bool, Fault> {
    let wanted = if sends { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
    let can = |wait_ns| match poll(&mut [PollFd::new(connection, wanted)], Some(&clock::timespec(wait_ns))) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(e) => Err(Fault::system("waiting for an answer", e)),
    };
    Ok(spins(spin, wait, || can(0))? || can(limit_ns(wait))?)
}

/// Asks `has_come` for a moment without sleeping, where that is of use; whether something came. Where an operation may be
/// due meanwhile, the engine says how long to sleep.
#[inline]
fn spins(
    spin: Option<&mut AdaptiveSpin>,
    wait: Wait,
    has_come: impl FnMut() -> Result<bool, Fault>,
) -> Result<bool, Fault> {
    match spin {
        Some(spin) if wait == Wait::One => spin.before_sleep(has_come),
        _ => Ok(false),
    }
}

/// How long one call waits at most.
fn limit_ns(wait: Wait) -> u64 {
    match wait {
        Wait::Poll => 0,
        Wait::For(ns) => ns.min(LOOK_NS),
        Wait::One => LOOK_NS,
    }
}
