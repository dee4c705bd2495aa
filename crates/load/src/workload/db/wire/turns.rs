//! Which connections of a worker go on: those of which the kernel says that they can (epoll(7)).

use std::os::fd::{AsFd, OwnedFd};

use engine::clock;
use engine::fault::Fault;
use engine::queue::Wait;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;

/// How often it is looked whether every connection gets on, ns.
pub(super) const LOOK_NS: u64 = 100_000_000;

/// The order of a worker's connections, which are known by their places.
pub(super) struct WireTurns {
    epoll: OwnedFd,
    /// What the kernel told of, and how many of these were taken.
    events: Vec<Event>,
    taken: usize,
    look_ns: u64,
}

impl WireTurns {
    /// Those of so many connections.
    ///
    /// # Errors
    /// If the kernel has no more epoll instances.
    pub(super) fn new(connections: usize) -> Result<Self, Fault> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)
            .map_err(|e| Fault::system("making an epoll instance for connections", e))?;
        let events = Vec::with_capacity(connections.max(1));
        Ok(Self { epoll, events, taken: 0, look_ns: clock::now_ns() + LOOK_NS })
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
        let wait_ns = match wait {
            Wait::Poll => 0,
            Wait::For(ns) => ns.min(LOOK_NS),
            Wait::One => LOOK_NS,
        };
        self.events.clear();
        self.taken = 0;
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&clock::timespec(wait_ns))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(Fault::system("waiting for answers", e)),
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
