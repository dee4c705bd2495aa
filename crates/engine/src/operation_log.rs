//! Operations one by one, for those who ask for them: each worker notes its own, as many as there is room for, and
//! hands them over when it has ended them. Where nobody asks, a worker has no log.

use model::trial::Timeline;

use crate::record::{Finished, Wiring};

/// The operations of one worker that ended in the window, or were under way when it closed, in the order in which they
/// ended.
#[derive(Debug)]
pub struct OperationLog {
    /// The load, 0 is the main one.
    pub load: usize,
    /// The worker.
    pub worker: usize,
    /// The first of them.
    pub operations: Vec<Finished>,
    /// How many more there were.
    pub left_out: u64,
    room: usize,
    from_ns: u64,
}

impl OperationLog {
    /// One that has room for so many.
    pub(crate) fn new(wiring: &Wiring, room: usize, timeline: &Timeline) -> Self {
        Self {
            load: wiring.load,
            worker: wiring.worker,
            // Not touched before it is needed: what has no operations needs no memory.
            operations: Vec::with_capacity(room),
            left_out: 0,
            room,
            from_ns: timeline.window_ns,
        }
    }

    /// Takes one, unless it ended before the window or there is no more room.
    #[inline]
    pub(crate) fn note(&mut self, done: &Finished) {
        if done.finished_ns < self.from_ns {
            return;
        }
        if self.operations.len() < self.room {
            self.operations.push(*done);
        } else {
            self.left_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report_channel;

    #[test]
    fn what_ended_in_the_window_is_noted_until_there_is_no_more_room() {
        let (sender, _reports) = report_channel::channel(1);
        let (_recycle, recycled) = std::sync::mpsc::sync_channel(1);
        let wiring = Wiring { load: 1, worker: 2, sender, recycled };
        let timeline = Timeline { start_ns: 10, window_ns: 100, interval_ns: 10, end_ns: 200 };
        let mut log = OperationLog::new(&wiring, 2, &timeline);
        for finished_ns in [99, 100, 150, 201, 202] {
            let (due_ns, started_ns) = (finished_ns - 30, finished_ns - 20);
            log.note(&Finished { due_ns, started_ns, finished_ns, bytes: 1, class: 0, handed_ns: 0 });
        }
        let ends: Vec<u64> = log.operations.iter().map(|done| done.finished_ns).collect();
        assert_eq!((ends, log.left_out), (vec![100, 150], 2));
        assert_eq!((log.load, log.worker), (1, 2));
    }
}
