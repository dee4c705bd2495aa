//! Which connections of a worker go on: those that the kernel tells of (epoll), then those that may hold
//! something of which it does not tell.

use std::os::fd::OwnedFd;
use std::time::Duration;

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

/// How long a worker asks again and again for an answer before it sleeps until there is one, ns.
///
/// Who wakes a sleeping thread pays for it. A server that is the limit, on this machine, then has less time for
/// answers: with few connections a client that does little for each of them sleeps after most, and looks slower than
/// one that does more (decision 0028). With 16 connections to one nginx a request took 20 us, for 10 of which the worker
/// ran (http-requests-16 in `docs/performance.md`): this is half of the rest. It counts in `cpu_per_operation`.
const SPIN_NS: u64 = 5_000;

/// All spins together take at most one in so many parts of a worker's time. A thread that is busy for 95 % of the time is taken for
/// full, and one that is ready for 85 % for held back by processors (`FULL` and `READY` in
/// `crates/analysis/src/bottleneck`): what a worker spins makes none full that was not held back.
const SPIN_PART: u64 = 10;

/// What a worker that did not spin for long may spin at once, ns.
const CREDIT_MOST_NS: u64 = 10 * SPIN_NS;

/// So many waits go without it at most after spins in vain: answers that take longer anyway cost a 64th of it each.
const PASSES_MOST: u32 = 63;

/// Whether the next wait begins with a spin: after each in vain, twice as many go without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spin {
    /// Waits that go without one after the last one that was in vain, and how many of these are left.
    passes: u32,
    left: u32,
    /// How long it may spin, ns, and until when that was counted.
    credit_ns: u64,
    counted_ns: u64,
}

impl Spin {
    /// Whether this wait goes without one.
    #[inline]
    fn is_passed(&mut self) -> bool {
        let is_passed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_passed
    }

    /// Whether there is time for one.
    #[inline]
    fn has_credit(&mut self, now_ns: u64) -> bool {
        let earned_ns = now_ns.saturating_sub(self.counted_ns) / SPIN_PART;
        self.credit_ns = self.credit_ns.saturating_add(earned_ns).min(CREDIT_MOST_NS);
        self.counted_ns = now_ns;
        self.credit_ns >= SPIN_NS
    }

    /// One is over that took so long, in which something came or nothing did.
    #[inline]
    fn ends(&mut self, spun_ns: u64, has_come: bool) {
        self.credit_ns = self.credit_ns.saturating_sub(spun_ns);
        self.passes = if has_come { 0 } else { (2 * self.passes + 1).min(PASSES_MOST) };
        self.left = self.passes;
    }
}

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
    spin: Spin,
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
            spin: Spin::default(),
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
        let has_come = wait == Wait::One && wait_ns > 0 && self.spin()?;
        if !has_come {
            self.wait(wait_ns)?;
        }
        let now_ns = clock::now_ns();
        if now_ns < self.look_ns {
            return Ok(());
        }
        self.look_ns = now_ns + LOOK_NS;
        self.look(server, lines)
    }

    /// Takes what the kernel tells within `wait_ns`.
    #[inline]
    fn wait(&mut self, wait_ns: u64) -> Result<(), Fault> {
        ready::wait(&self.epoll, &mut self.events, wait_ns)
            .map_err(|e| Fault::system("waiting for answers", e))
    }

    /// Asks for a moment without sleeping, where that has been of use; whether something came.
    #[inline]
    fn spin(&mut self) -> Result<bool, Fault> {
        if self.spin.is_passed() {
            return Ok(false);
        }
        let begun_ns = clock::now_ns();
        if !self.spin.has_credit(begun_ns) {
            return Ok(false);
        }
        self.wait(0)?;
        // What was there already says nothing of how long the next one takes.
        if !self.events.is_empty() {
            return Ok(true);
        }
        loop {
            self.wait(0)?;
            let (has_come, spun_ns) = (!self.events.is_empty(), clock::now_ns().saturating_sub(begun_ns));
            if has_come || spun_ns >= SPIN_NS {
                self.spin.ends(spun_ns, has_come);
                return Ok(has_come);
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of so many waits, one each `distance_ns`, begin with a spin, each of which takes all of its time and
    /// ends as `has_come` says.
    fn spun(spin: &mut Spin, waits: u64, distance_ns: u64, has_come: bool) -> Vec<u64> {
        let from_ns = spin.counted_ns;
        let mut is_spun = |wait: &u64| {
            let is_due = !spin.is_passed() && spin.has_credit(from_ns + (wait + 1) * distance_ns);
            if is_due {
                spin.ends(SPIN_NS, has_come);
            }
            is_due
        };
        (0..waits).filter(|wait| is_spun(wait)).collect()
    }

    #[test]
    fn spins_in_vain_become_rare_and_one_of_use_brings_them_back() {
        // So rare that there is always time for one.
        let distance_ns = SPIN_PART * SPIN_NS;
        let mut spin = Spin::default();
        assert_eq!(spun(&mut spin, 4, distance_ns, true), [0, 1, 2, 3]);
        assert_eq!(spun(&mut spin, 128, distance_ns, false), [0, 2, 6, 14, 30, 62, 126]);
        // At most so many go without.
        assert_eq!(spun(&mut spin, 191, distance_ns, false), [62, 126, 190]);
        spin.credit_ns = 0;
        assert_eq!(spun(&mut spin, 66, distance_ns, true), [63, 64, 65]);
    }

    #[test]
    fn spins_of_use_have_no_more_than_their_part_of_the_time() {
        let mut spin = Spin { counted_ns: 1, ..Spin::default() };
        // One in ten where each wait takes as long as a spin.
        let waits = spun(&mut spin, 1_000, SPIN_NS, true);
        assert_eq!(waits.len(), 100, "{waits:?}");
        // After a long time there is credit for some, and no more.
        spin.credit_ns = 0;
        assert!(spin.has_credit(1_000_000_000_000));
        assert_eq!(spin.credit_ns, CREDIT_MOST_NS);
        assert_eq!(spun(&mut spin, 20, 0, true), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
}
