//! How workers tell the session's coordinator what happened without waking it each
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

/// After so many reports that may wait the coordinator is woken, to give records back
/// while the worker has some left.
const WAKE_AFTER: usize = SPARE_RECORDS - 2;

/// To the coordinator, from a worker.
#[derive(Clone, Debug)]
pub struct ReportSender {
    send: SyncSender<Report>,
    coordinator: Thread,
    /// What was sent since this worker last woke the coordinator.
    unseen: usize,
}

/// Where the coordinator finds what was sent.
#[derive(Debug)]
pub(crate) struct ReportReceiver {
    reports: Receiver<Report>,
}

/// A channel that holds so many reports; the calling thread is the coordinator.
pub(crate) fn channel(capacity: usize) -> (ReportSender, ReportReceiver) {
    let (send, reports) = sync_channel(capacity);
    (ReportSender { send, coordinator: thread::current(), unseen: 0 }, ReportReceiver { reports })
}

impl ReportSender {
    /// Sends what the coordinator must know now. That nobody is there any more means
    /// that the session has given up on the trial.
    pub(crate) fn send_and_wake(&mut self, report: Report) {
        self.push(report);
        self.wake();
    }

    /// Sends what the coordinator may find when it looks up next.
    pub(crate) fn send(&mut self, report: Report) {
        self.push(report);
        self.unseen += 1;
        if self.unseen >= WAKE_AFTER {
            self.wake();
        }
    }

    fn push(&mut self, report: Report) {
        if let Err(TrySendError::Full(report)) = self.send.try_send(report) {
            self.wake();
            let _ = self.send.send(report);
        }
    }

    fn wake(&mut self) {
        self.unseen = 0;
        self.coordinator.unpark();
    }
}

impl ReportReceiver {
    /// The next report. Where there is none, one that comes before the coordinator was
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
        let (mut sender, receiver) = channel(1);
        sender.send(Report::Ready);
        assert_eq!(sender.unseen, 1, "it woke the coordinator");
        assert!(matches!(receiver.next(Duration::ZERO), Some(Report::Ready)));
        assert!(receiver.next(Duration::ZERO).is_none());
    }

    // Not in a scope: its threads wake the one that waits for them when they end.

    #[test]
    fn the_coordinator_is_woken_while_a_worker_has_records_left() {
        let (mut sender, receiver) = channel(SPARE_RECORDS);
        let began = Instant::now();
        let worker = thread::spawn(move || (0..WAKE_AFTER).for_each(|_| sender.send(Report::Ready)));
        thread::park_timeout(LONG);
        // Against sleeping through it, not for speed.
        assert!(began.elapsed() < LONG, "nobody woke it");
        worker.join().unwrap();
        for _ in 0..WAKE_AFTER {
            assert!(receiver.next(Duration::ZERO).is_some());
        }
    }

    #[test]
    fn what_is_urgent_or_has_no_room_wakes_the_coordinator() {
        let (mut sender, receiver) = channel(1);
        let began = Instant::now();
        let worker = thread::spawn(move || {
            // The second finds no room.
            sender.send(Report::Ready);
            sender.send(Report::Ready);
            sender.send_and_wake(Report::Ready);
        });
        let mut came = 0;
        while came < 3 {
            came += usize::from(receiver.next(LONG).is_some());
        }
        worker.join().unwrap();
        assert!(began.elapsed() < LONG, "nobody woke it");
    }
}
