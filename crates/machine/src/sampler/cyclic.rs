//! Counters that begin again at 0: what the kernel prints of 32 bits, and the
//! energy counters of a processor.

use crate::sampler::ABSENT;

/// Makes one that never steps back out of one that begins again at 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cyclic {
    last: u64,
    added: u64,
}

impl Cyclic {
    /// The count so far, of a counter that goes from `range` to 0. A step back
    /// from the upper half to the lower one is that; any other is a device that
    /// was reset, and is passed on as it is.
    pub(super) fn unroll(&mut self, raw: u64, range: u64) -> u64 {
        if raw == ABSENT {
            return ABSENT;
        }
        if raw < self.last && self.last <= range && self.last > range / 2 && raw <= range / 2 {
            self.added = self.added.saturating_add(range);
        }
        self.last = raw;
        raw.saturating_add(self.added)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_begins_again_goes_on_and_one_that_was_reset_does_not() {
        let mut counter = Cyclic::default();
        let read: Vec<_> = [10, 90, 5, ABSENT, 60, 20].map(|raw| counter.unroll(raw, 100)).into();
        assert_eq!(read, [10, 90, 105, ABSENT, 160, 220]);
        let mut counter = Cyclic::default();
        assert_eq!([30, 5, 200, 7].map(|raw| counter.unroll(raw, 100)), [30, 5, 200, 7]);
    }
}
