//! The slots of an end that only answers.
//!
//! It goes on until the other end says that it asks no more, not until its own window closes: the clocks of
//! two machines differ. So one slot of its queue stands for the connection and is in flight until then.

use engine::clock;
use engine::queue::{Completion, UNRECORDED};

/// For so long an end still answers after its load ended or was called off: long
/// enough for whatever is under way, on any clock.
const LATE_NS: u64 = 3_000_000_000;

/// The slots of a queue that answers: one for the present request, one for the
/// connection.
#[derive(Debug, Default)]
pub(in crate::workload) struct AnswerSlots {
    connection: Option<usize>,
    request: Option<usize>,
    /// Since when no slot is given out any more, ns.
    late_ns: Option<u64>,
    is_over: bool,
}

impl AnswerSlots {
    pub(in crate::workload) const DEPTH: usize = 2;

    /// One is given out.
    #[inline]
    pub(in crate::workload) fn start(&mut self, slot: usize) {
        if self.connection.is_none() {
            self.connection = Some(slot);
        } else {
            self.request = Some(slot);
        }
    }

    #[inline]
    pub(in crate::workload) fn answered(&mut self, bytes: usize, class: u8, done: &mut Vec<Completion>) {
        match self.request.take() {
            Some(slot) => done.push(Completion { slot, bytes: bytes as u64, class, ..Completion::default() }),
            None => self.late(clock::now_ns(), done),
        }
    }

    /// A part of a request came, or is awaited: what is under way may end, however late.
    #[inline]
    pub(in crate::workload) fn comes(&mut self, bytes: usize, class: u8, done: &mut Vec<Completion>) {
        let slot = self.request.take();
        done.extend(slot.map(|slot| Completion {
            slot,
            bytes: bytes as u64,
            class,
            ..Completion::default()
        }));
    }

    /// No request came for a while. The slot is given back, to see whether it is
    /// given out again.
    pub(in crate::workload) fn nothing(&mut self, done: &mut Vec<Completion>) {
        match self.request.take() {
            Some(slot) => done.push(Completion { slot, class: UNRECORDED, ..Completion::default() }),
            None => self.late(clock::now_ns(), done),
        }
    }

    /// The load has ended, and the other end has not said that it has.
    fn late(&mut self, now_ns: u64, done: &mut Vec<Completion>) {
        let since_ns = *self.late_ns.get_or_insert(now_ns);
        if now_ns.saturating_sub(since_ns) > LATE_NS {
            self.over(done);
        }
    }

    /// No request will come any more.
    pub(in crate::workload) fn over(&mut self, done: &mut Vec<Completion>) {
        self.is_over = true;
        let left = self.request.take().into_iter().chain(self.connection.take());
        done.extend(left.map(|slot| Completion { slot, class: UNRECORDED, ..Completion::default() }));
    }

    #[inline]
    pub(in crate::workload) fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(
        slots: &mut AnswerSlots,
        with: impl FnOnce(&mut AnswerSlots, &mut Vec<Completion>),
    ) -> Vec<(usize, u8)> {
        let mut done = Vec::new();
        with(slots, &mut done);
        done.iter().map(|c| (c.slot, c.class)).collect()
    }

    #[test]
    fn the_connection_stays_in_flight_until_it_is_over() {
        let mut slots = AnswerSlots::default();
        slots.start(0);
        slots.start(1);
        assert_eq!(finished(&mut slots, |s, done| s.answered(5, 3, done)), [(1, 3)]);
        // The load ended: no slot is given out, and requests are still answered.
        assert_eq!(finished(&mut slots, |s, done| s.answered(5, 3, done)), []);
        assert!(!slots.is_over());
        assert_eq!(finished(&mut slots, |s, done| s.over(done)), [(0, UNRECORDED)]);
        assert!(slots.is_over());
    }

    #[test]
    fn a_request_that_still_comes_is_taken_to_its_end() {
        let mut slots = AnswerSlots::default();
        slots.start(0);
        slots.start(1);
        assert_eq!(finished(&mut slots, |s, done| s.comes(5, 3, done)), [(1, 3)]);
        // The load ended, however long ago.
        for _ in 0..2 {
            assert_eq!(finished(&mut slots, |s, done| s.comes(5, 3, done)), []);
            assert!(!slots.is_over());
            slots.late_ns = Some(0);
        }
        // But no other one is waited for.
        assert_eq!(finished(&mut slots, |s, done| s.late(1 + LATE_NS, done)), [(0, UNRECORDED)]);
    }

    #[test]
    fn who_says_no_farewell_is_not_waited_for_when_the_load_has_ended() {
        let mut slots = AnswerSlots::default();
        slots.start(0);
        // As long as the load lives, nothing is no end.
        for _ in 0..100 {
            slots.start(1);
            assert_eq!(finished(&mut slots, AnswerSlots::nothing), [(1, UNRECORDED)]);
        }
        for now_ns in [5, 5 + LATE_NS] {
            assert_eq!(finished(&mut slots, |s, done| s.late(now_ns, done)), []);
        }
        assert_eq!(finished(&mut slots, |s, done| s.late(6 + LATE_NS, done)), [(0, UNRECORDED)]);
        assert!(slots.is_over());
    }
}
