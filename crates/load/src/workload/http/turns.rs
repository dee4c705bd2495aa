//! Which connections of a worker go on: those that the kernel tells of (epoll), then those that may hold
//! something of which it does not tell.

use std::os::fd::OwnedFd;
use std::time::Duration;

use engine::adaptive_spin::AdaptiveSpin;
use engine::clock;
use engine::fault::Fault;
use engine::queue::Wait;
use engine::ready;
use rustix::event::epoll::{self, CreateFlags, Event};
use rustix::io::Errno;

use crate::workload::http::client::Server;
use crate::workload::http::line::Line;

/// How often it is looked whether every connection gets on, ns.
const LOOK_NS: u64 = 100_000_000;

/// The order of a worker's connections, which are known by their places among its lines.
pub(in crate::workload) struct Turns {
    epoll: OwnedFd,
    /// What the kernel told of, and how many of these were taken.
    events: Vec<Event>,
    taken: usize,
    /// Connections that go on after those without being told of, and such of the next time.
    untold: Vec<usize>,
    late: Vec<usize>,
    look_ns: u64,
    looks_most: u32,
    spin: AdaptiveSpin,
}

impl Turns {
    /// Those of so many connections, each of which may be silent for so long.
    ///
    /// # Errors
    /// If the kernel has no more epoll instances.
    pub(in crate::workload) fn new(connections: usize, patience: Duration) -> Result<Self, Fault> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)
            .map_err(|e| Fault::system("making an epoll instance for connections", e))?;
        let looks = patience.as_nanos() / u128::from(LOOK_NS);
        Ok(Self {
            epoll,
            events: Vec::with_capacity(connections.max(1)),
            taken: 0,
            untold: Vec::new(),
            late: Vec::new(),
            look_ns: clock::now_ns() + LOOK_NS,
            looks_most: u32::try_from(looks).unwrap_or(u32::MAX).max(1),
            spin: AdaptiveSpin::default(),
        })
    }

    /// Where connections are to be watched.
    #[inline]
    pub(in crate::workload) fn epoll(&self) -> &OwnedFd {
        &self.epoll
    }

    /// Asks the kernel which of `lines` may go on, once all that were known to have had their turn.
    ///
    /// # Errors
    /// If one of them has not got on for too long.
    #[inline]
    pub(in crate::workload) fn ask(
        &mut self,
        wait: Wait,
        server: &Server,
        lines: &mut [Line],
    ) -> Result<(), Fault> {
        if self.taken < self.events.len() || !self.untold.is_empty() {
            return Ok(());
        }
        let wait_ns = match wait {
            _ if !self.late.is_empty() => 0,
            Wait::Poll => 0,
            Wait::For(ns) => ns.min(LOOK_NS),
            Wait::One => LOOK_NS,
        };
        self.taken = 0;
        std::mem::swap(&mut self.untold, &mut self.late);
        // Where a request may be due meanwhile, the engine says how long to sleep.
        let has_come = wait == Wait::One && wait_ns > 0 && {
            let Self { spin, epoll, events, .. } = self;
            spin.before_sleep(|| told(epoll, events, 0))?
        };
        if !has_come {
            told(&self.epoll, &mut self.events, wait_ns)?;
        }
        let now_ns = clock::now_ns();
        if now_ns < self.look_ns {
            return Ok(());
        }
        self.look_ns = now_ns + LOOK_NS;
        self.look(server, lines)
    }

    /// Looks whether every connection gets on.
    #[cold]
    fn look(&self, server: &Server, lines: &mut [Line]) -> Result<(), Fault> {
        // What was just told of has moved.
        let is_told = |number: usize| self.events.iter().any(|event| event.data.u64() == number as u64);
        for (number, line) in lines.iter_mut().enumerate() {
            if line.is_stuck(self.looks_most) && !is_told(number) {
                return Err(match line.is_connecting() {
                    true => server.refused(Errno::TIMEDOUT, None),
                    false => server.silent(line.doing()),
                });
            }
        }
        Ok(())
    }

    /// The next connection that may go on, as far as that is known.
    #[inline]
    pub(in crate::workload) fn take(&mut self) -> Option<usize> {
        let Some(event) = self.events.get(self.taken) else { return self.untold.pop() };
        self.taken += 1;
        Some(event.data.u64() as usize)
    }

    /// Has a connection go on after the others without being told of.
    #[inline]
    pub(in crate::workload) fn add(&mut self, line: usize) {
        if !self.late.contains(&line) {
            self.late.push(line);
        }
    }
}

/// Takes what the kernel tells within `wait_ns`; whether there is something.
#[inline]
fn told(epoll: &OwnedFd, events: &mut Vec<Event>, wait_ns: u64) -> Result<bool, Fault> {
    ready::wait(epoll, events, wait_ns).map_err(|e| Fault::system("waiting for answers", e))?;
    Ok(!events.is_empty())
}
