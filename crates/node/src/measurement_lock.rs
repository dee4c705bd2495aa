//! One measures at a time: who holds the lock, and who waits for it, in order.
//! Two trials at once would measure each other.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex};

use engine::lock;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// Wakes somebody who waits with `poll`: readable once it was rung.
#[derive(Debug)]
pub(super) struct Waker(OwnedFd);

impl Waker {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    pub(super) fn wake(&self) {
        // It can fail only where it has rung 2^64 times.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Whether it was rung and nobody has made it silent.
    pub(super) fn is_woken(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut [PollFd::new(self, PollFlags::IN)], Some(&now)), Ok(1..))
    }

    /// Makes it silent again.
    pub(super) fn clear(&self) {
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Who may measure.
#[derive(Debug, Default)]
pub(super) struct MeasurementLock(Mutex<Queue>);

/// The holder first, then who waits.
#[derive(Debug, Default)]
struct Queue(VecDeque<Waiter>);

#[derive(Debug)]
struct Waiter {
    session: u64,
    from: IpAddr,
    waker: Arc<Waker>,
}

/// What came of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockOutcome {
    /// The lock is the session's.
    Granted,
    /// Another has it, and so many wait before.
    Waits {
        /// Where the one is that has it.
        holder: IpAddr,
        /// How many will have it before.
        before: usize,
    },
}

impl MeasurementLock {
    /// Asks for it, or how it stands; `waker` is woken when the lock becomes the
    /// session's.
    pub(super) fn ask(&self, session: u64, from: IpAddr, waker: &Arc<Waker>) -> LockOutcome {
        let line = &mut lock(&self.0).0;
        let at = line.iter().position(|place| place.session == session).unwrap_or_else(|| {
            line.push_back(Waiter { session, from, waker: Arc::clone(waker) });
            line.len() - 1
        });
        match line.front() {
            Some(first) if at > 0 => LockOutcome::Waits { holder: first.from, before: at - 1 },
            _ => LockOutcome::Granted,
        }
    }

    /// Whether the lock is this session's.
    pub(super) fn is_of(&self, session: u64) -> bool {
        lock(&self.0).0.front().is_some_and(|first| first.session == session)
    }

    /// Gives it back, or waits no more.
    pub(super) fn leave(&self, session: u64) {
        let line = &mut lock(&self.0).0;
        let Some(at) = line.iter().position(|place| place.session == session) else { return };
        line.remove(at);
        if at == 0
            && let Some(next) = line.front()
        {
            next.waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_it_and_the_others_get_it_in_order() {
        let lock = MeasurementLock::default();
        let wakers: Vec<_> = (0..4).map(|_| Arc::new(Waker::new().unwrap())).collect();
        let from = |n: u8| IpAddr::from([10, 0, 0, n]);
        let ask = |n: u8| lock.ask(u64::from(n), from(n), &wakers[usize::from(n)]);
        assert_eq!(ask(1), LockOutcome::Granted);
        assert_eq!(ask(1), LockOutcome::Granted);
        assert_eq!(ask(2), LockOutcome::Waits { holder: from(1), before: 0 });
        assert_eq!(ask(3), LockOutcome::Waits { holder: from(1), before: 1 });
        assert_eq!(ask(0), LockOutcome::Waits { holder: from(1), before: 2 });
        // One that waits no more wakes nobody.
        lock.leave(2);
        assert!(lock.is_of(1) && wakers.iter().all(|waker| !waker.is_woken()));
        assert_eq!(ask(0), LockOutcome::Waits { holder: from(1), before: 1 });
        lock.leave(1);
        assert!(lock.is_of(3) && wakers[3].is_woken() && !wakers[0].is_woken());
        wakers[3].clear();
        assert!(!wakers[3].is_woken());
        lock.leave(3);
        lock.leave(3);
        assert!(lock.is_of(0) && wakers[0].is_woken());
        lock.leave(0);
        assert!(!lock.is_of(0));
    }
}
