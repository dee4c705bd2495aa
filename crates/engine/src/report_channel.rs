//! How workers tell the session's desk what happened without waking it each
//! time. A thread that wakes while packets come in makes the kernel leave the
//! rest of them to `ksoftirqd` (`__do_softirq` stops where another thread is
//! due), which then takes turns with the worker. What that costs a sender of TCP
//! is in `docs/decisions/0004-time-in-the-engine.md`.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread::{self, Thread};
use std::time::Duration;

use crate::record::Report;

/// Records that each worker has beside the one it fills.
pub const SPARE_RECORDS: usize = 8;

/// After so many reports that may wait the desk is woken, to give records back
/// while the worker has some left.
const WAKE_AFTER: usize = SPARE_RECORDS - 2;

/// To the desk, from a worker.
#[derive(Clone, Debug)]
pub struct Post {
    send: SyncSender<Report>,
    desk: Thread,
    /// What was sent since this worker last woke the desk.
    unheard: usize,
}

/// Where the desk finds what was sent.
#[derive(Debug)]
pub(crate) struct Inbox {
    reports: Receiver<Report>,
}

/// A post box that holds so many reports; the calling thread is the desk.
pub(crate) fn post(capacity: usize) -> (Post, Inbox) {
    let (send, reports) = sync_channel(capacity);
    (Post { send, desk: thread::current(), unheard: 0 }, Inbox { reports })
}

impl Post {
    /// Sends what the desk must know now. That nobody is there any more means
    /// that the session has given up on the trial.
    pub(crate) fn now(&mut self, report: Report) {
        self.put(report);
        self.wake();
    }

    /// Sends what the desk may find when it looks up next.
    pub(crate) fn later(&mut self, report: Report) {
        self.put(report);
        self.unheard += 1;
        if self.unheard >= WAKE_AFTER {
            self.wake();
        }
    }

    fn put(&mut self, report: Report) {
        if let Err(TrySendError::Full(report)) = self.send.try_send(report) {
            self.wake();
            let _ = self.send.send(report);
        }
    }

    fn wake(&mut self) {
        self.unheard = 0;
        self.desk.unpark();
    }
}

impl Inbox {
    /// The next report. Where there is none, one that comes before the desk was
    /// woken or `pause` was over.
    pub(crate) fn next(&self, pause: Duration) -> Option<Report> {
        match self.reports.try_recv() {
            Ok(report) => Some(report),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => {
                thread::park_timeout(pause);
                self.reports.try_recv().ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn what_may_wait_wakes_nobody_and_is_not_lost() {
        let (mut post, inbox) = post(1);
        post.later(Report::Ready);
        assert_eq!(post.unheard, 1, "it woke the desk");
        assert!(matches!(inbox.next(Duration::ZERO), Some(Report::Ready)));
        assert!(inbox.next(Duration::ZERO).is_none());
    }

    // Not in a scope: its threads wake the one that waits for them when they end.

    #[test]
    fn the_desk_is_woken_while_a_worker_has_records_left() {
        let (mut post, inbox) = post(SPARE_RECORDS);
        let began = Instant::now();
        let worker = thread::spawn(move || (0..WAKE_AFTER).for_each(|_| post.later(Report::Ready)));
        thread::park_timeout(LONG);
        // Against sleeping through it, not for speed.
        assert!(began.elapsed() < LONG, "nobody woke it");
        worker.join().unwrap();
        for _ in 0..WAKE_AFTER {
            assert!(inbox.next(Duration::ZERO).is_some());
        }
    }

    #[test]
    fn what_is_urgent_or_has_no_room_wakes_the_desk() {
        let (mut post, inbox) = post(1);
        let began = Instant::now();
        let worker = thread::spawn(move || {
            // The second finds no room.
            post.later(Report::Ready);
            post.later(Report::Ready);
            post.now(Report::Ready);
        });
        let mut came = 0;
        while came < 3 {
            came += usize::from(inbox.next(LONG).is_some());
        }
        worker.join().unwrap();
        assert!(began.elapsed() < LONG, "nobody woke it");
    }
}
