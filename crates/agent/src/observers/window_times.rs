//! When a trial's window opens and closes, for those who watch while it is not known yet.

use std::sync::atomic::{AtomicU64, Ordering};

use model::trial::{Timeline, Window};

/// The edges of a window, on the clock of the agent. It has none until somebody says so.
#[derive(Debug)]
pub(crate) struct WindowTimes {
    opens_ns: AtomicU64,
    closes_ns: AtomicU64,
}

impl Default for WindowTimes {
    fn default() -> Self {
        Self { opens_ns: AtomicU64::new(u64::MAX), closes_ns: AtomicU64::new(u64::MAX) }
    }
}

impl WindowTimes {
    /// The times of the load are known; when the window closes need not be.
    pub(crate) fn set(&self, timeline: Timeline) {
        self.closes_ns.store(timeline.end_ns, Ordering::Release);
        self.opens_ns.store(timeline.window_ns, Ordering::Release);
    }

    /// The load ended at this time: the window is not open any more.
    pub(crate) fn close(&self, at_ns: u64) {
        self.closes_ns.fetch_min(at_ns, Ordering::AcqRel);
    }

    /// The window, once it is over.
    pub(crate) fn window(&self) -> Option<Window> {
        let [start_ns, end_ns] = [&self.opens_ns, &self.closes_ns].map(|edge| edge.load(Ordering::Acquire));
        (end_ns < u64::MAX && start_ns <= end_ns).then_some(Window { start_ns, end_ns })
    }

    /// Whether this time is in the window, as far as that is known.
    pub(crate) fn hold(&self, at_ns: u64) -> bool {
        self.opens_ns.load(Ordering::Acquire) <= at_ns && at_ns <= self.closes_ns.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_in_a_window_before_it_is_known() {
        let times = WindowTimes::default();
        assert!(!times.hold(5));
        times.set(Timeline { start_ns: 1, window_ns: 4, interval_ns: 1, end_ns: u64::MAX });
        assert_eq!(times.window(), None);
        assert_eq!([3, 4, 900].map(|at_ns| times.hold(at_ns)), [false, true, true]);
        times.close(10);
        times.close(12);
        assert_eq!(times.window(), Some(Window { start_ns: 4, end_ns: 10 }));
        assert_eq!([10, 11].map(|at_ns| times.hold(at_ns)), [true, false]);
    }
}
