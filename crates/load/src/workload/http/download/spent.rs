//! Where the time of all streams went.

use std::sync::atomic::{AtomicU64, Ordering};

/// Of all streams together, ns: from the first request of each until its last byte, warm-up included.
#[derive(Debug, Default)]
pub(super) struct Spent {
    all: AtomicU64,
    waited: AtomicU64,
    written: AtomicU64,
}

impl Spent {
    /// Adds those of a stream that has ended: `written` is absent where nothing is written.
    pub(super) fn add(&self, all_ns: u64, waited_ns: u64, written_ns: u64) {
        for (sum, ns) in [(&self.all, all_ns), (&self.waited, waited_ns), (&self.written, written_ns)] {
            sum.fetch_add(ns, Ordering::Relaxed);
        }
    }

    /// The shares in which they waited for the server and wrote what came; the second is absent where
    /// nothing was written.
    pub(super) fn shares(&self) -> Option<(f64, Option<f64>)> {
        let [all, waited, written] =
            [&self.all, &self.waited, &self.written].map(|sum| sum.load(Ordering::Relaxed) as f64);
        (all > 0.0).then(|| ((waited / all).min(1.0), (written > 0.0).then_some((written / all).min(1.0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_streams_together() {
        let spent = Spent::default();
        assert_eq!(spent.shares(), None);
        spent.add(1000, 900, 0);
        assert_eq!(spent.shares(), Some((0.9, None)));
        spent.add(1000, 100, 500);
        assert_eq!(spent.shares(), Some((0.5, Some(0.25))));
    }
}
