//! What must be where: for each unit of a worker's region the generation of the
//! write that was last, and which others may have overtaken it.
//!
//! Two writes of one block that are in flight at once may reach the device in
//! either order, and nobody can say which; so both are right. A unit is the
//! largest size of which all blocks are multiples, 8 bytes of memory each.

/// One unit: 40 bits of generation, 13 of how many writes to it are in flight,
/// 11 of how many generations back is right too. 0 is a unit that was not
/// written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Entry(u64);

const FLYING_BITS: u32 = 13;
const BACK_BITS: u32 = 11;
const FLYING_MAX: u64 = (1 << FLYING_BITS) - 1;
/// So many generations back or more: all older ones are right.
const BACK_MAX: u64 = (1 << BACK_BITS) - 1;

impl Entry {
    fn new(generation: u64, flying: u64, back: u64) -> Self {
        Self(
            generation << (FLYING_BITS + BACK_BITS)
                | flying.min(FLYING_MAX) << BACK_BITS
                | back.min(BACK_MAX),
        )
    }

    fn generation(self) -> u64 {
        self.0 >> (FLYING_BITS + BACK_BITS)
    }

    fn flying(self) -> u64 {
        self.0 >> BACK_BITS & FLYING_MAX
    }

    fn back(self) -> u64 {
        self.0 & BACK_MAX
    }
}

/// What may be found in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    /// The generation that was started last.
    pub(super) last: u64,
    /// The oldest that is right too.
    pub(super) oldest: u64,
}

/// What must be where in one worker's region.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The first byte of the region, counted through all files.
    pub(super) start: u64,
    pub(super) unit: u64,
    entries: Vec<Entry>,
}

impl Ledger {
    /// Of the region of `bytes` from `start` on; it grows where a load goes on
    /// behind it.
    pub(super) fn new(start: u64, bytes: u64, unit: u64) -> Self {
        let unit = unit.max(1);
        Self { start, unit, entries: vec![Entry::default(); (bytes / unit) as usize] }
    }

    /// Behind the last byte of the region.
    pub(super) fn end(&self) -> u64 {
        self.start + self.entries.len() as u64 * self.unit
    }

    fn units(&mut self, at: u64, bytes: u64) -> &mut [Entry] {
        let first = ((at - self.start) / self.unit) as usize;
        let end = first + (bytes / self.unit) as usize;
        if end > self.entries.len() {
            self.entries.resize(end, Entry::default());
        }
        &mut self.entries[first..end]
    }

    /// A write is given to the kernel.
    pub(super) fn begin(&mut self, at: u64, bytes: u64, generation: u64) {
        for entry in self.units(at, bytes) {
            let flying = entry.flying();
            let back = match (flying, entry.back()) {
                (0, _) => 0,
                (_, BACK_MAX) => BACK_MAX,
                (_, back) => generation - entry.generation() + back,
            };
            *entry = Entry::new(generation, flying + 1, back);
        }
    }

    /// A write has ended well.
    pub(super) fn end_of(&mut self, at: u64, bytes: u64) {
        for entry in self.units(at, bytes) {
            *entry = Entry::new(entry.generation(), entry.flying().saturating_sub(1), entry.back());
        }
    }

    /// Nobody knows what a write left.
    pub(super) fn forget(&mut self, at: u64, bytes: u64) {
        self.units(at, bytes).fill(Entry::default());
    }

    /// What may be found at byte `at`, if anything was written there.
    pub(super) fn expected(&self, at: u64) -> Option<Expected> {
        let index = at.checked_sub(self.start)? / self.unit;
        let entry = *self.entries.get(index as usize)?;
        let last = entry.generation();
        let oldest = if entry.back() == BACK_MAX { 1 } else { last - entry.back() };
        (last > 0).then_some(Expected { last, oldest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(ledger: &Ledger, at: u64) -> Option<(u64, u64)> {
        ledger.expected(at).map(|e| (e.oldest, e.last))
    }

    #[test]
    fn the_last_write_of_a_unit_is_what_must_be_there() {
        let mut ledger = Ledger::new(8192, 65536, 4096);
        assert_eq!(range(&ledger, 8192), None);
        ledger.begin(8192, 8192, 1);
        ledger.end_of(8192, 8192);
        ledger.begin(12288, 4096, 2);
        ledger.end_of(12288, 4096);
        assert_eq!(
            [8192, 12287, 12288, 16384].map(|at| range(&ledger, at)),
            [Some((1, 1)), Some((1, 1)), Some((2, 2)), None]
        );
        ledger.forget(8192, 4096);
        assert_eq!(range(&ledger, 8192), None);
        assert_eq!(range(&ledger, 0), None);
        assert_eq!(range(&ledger, 1 << 40), None);
    }

    #[test]
    fn writes_in_flight_at_once_may_overtake_each_other() {
        let mut ledger = Ledger::new(0, 4096, 4096);
        ledger.begin(0, 4096, 3);
        ledger.begin(0, 4096, 9);
        assert_eq!(range(&ledger, 0), Some((3, 9)));
        ledger.end_of(0, 4096);
        ledger.begin(0, 4096, 12);
        assert_eq!(range(&ledger, 0), Some((3, 12)), "one of the first two is still in flight");
        ledger.end_of(0, 4096);
        ledger.end_of(0, 4096);
        assert_eq!(range(&ledger, 0), Some((3, 12)), "3 may have been the last to arrive");
        ledger.begin(0, 4096, 13);
        assert_eq!(range(&ledger, 0), Some((13, 13)));
        // One that hangs for a long time while others go on.
        ledger.begin(0, 4096, 5000);
        ledger.begin(0, 4096, 5001);
        assert_eq!(range(&ledger, 0), Some((1, 5001)));
    }

    #[test]
    fn a_unit_has_room_for_the_longest_trial_and_the_deepest_queue() {
        // 10^12 writes are eleven days at a million a second.
        let entry = Entry::new(1_000_000_000_000, 4096, 2000);
        assert_eq!((entry.generation(), entry.flying(), entry.back()), (1_000_000_000_000, 4096, 2000));
    }

    #[test]
    fn a_load_that_goes_on_behind_its_region_is_kept_too() {
        let mut ledger = Ledger::new(0, 8192, 4096);
        ledger.begin(40960, 4096, 4);
        assert_eq!((range(&ledger, 40960), ledger.end()), (Some((4, 4)), 45056));
    }
}
