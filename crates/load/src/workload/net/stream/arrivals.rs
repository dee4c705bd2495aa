//! What became of datagrams: which came, came twice, came late or never, from
//! the numbers that they carry.

/// So many numbers back a datagram is known again. One that is later than that
/// counts as late, and cannot be told from one that came before.
const REMEMBERED: u64 = 4096;

/// Counts of one socket so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    /// Datagrams that came, each once.
    pub(super) received: u64,
    /// The number after the highest that came: how many should have.
    pub(super) expected: u64,
    /// Those that came after one with a higher number.
    pub(super) reordered: u64,
    /// Those that came again.
    pub(super) duplicates: u64,
    /// How much the time on the way varies, s: RFC 3550, section 6.4.1.
    pub(super) jitter_s: f64,
}

/// Keeps count.
#[derive(Debug)]
pub(super) struct Arrivals {
    pub(super) counts: Counts,
    /// A bit for each of the last numbers.
    came: Box<[u64; (REMEMBERED / 64) as usize]>,
    /// How long the last one seemed to be on its way, ns; the clocks of the two
    /// ends differ, and the difference drops out.
    transit_ns: Option<i64>,
}

impl Default for Arrivals {
    fn default() -> Self {
        Self { counts: Counts::default(), came: Box::new([0; (REMEMBERED / 64) as usize]), transit_ns: None }
    }
}

impl Arrivals {
    /// Datagram `number` came, sent and seen at these times of two clocks, ns.
    #[inline]
    pub(super) fn note(&mut self, number: u64, sent_ns: u64, seen_ns: u64) {
        let transit_ns = (seen_ns as i64).wrapping_sub(sent_ns as i64);
        if let Some(last_ns) = self.transit_ns {
            let off_s = transit_ns.wrapping_sub(last_ns).unsigned_abs() as f64 / 1e9;
            // A sixteenth: RFC 3550's choice of noise against speed.
            self.counts.jitter_s += (off_s - self.counts.jitter_s) / 16.0;
        }
        self.transit_ns = Some(transit_ns);
        let next = self.counts.expected;
        if number >= next {
            self.forget(next, number);
            self.counts.expected = number + 1;
            self.counts.received += 1;
        } else if next - number > REMEMBERED {
            self.counts.reordered += 1;
            self.counts.received += 1;
        } else if self.has(number) {
            self.counts.duplicates += 1;
        } else {
            self.counts.reordered += 1;
            self.counts.received += 1;
        }
        self.came[Self::word(number)] |= 1 << (number % 64);
    }

    /// The bits from `from` to `to` are of older numbers: none of them came.
    #[inline]
    fn forget(&mut self, from: u64, to: u64) {
        if to - from >= REMEMBERED {
            self.came.fill(0);
            return;
        }
        for number in from..=to {
            self.came[Self::word(number)] &= !(1 << (number % 64));
        }
    }

    fn has(&self, number: u64) -> bool {
        self.came[Self::word(number)] >> (number % 64) & 1 == 1
    }

    fn word(number: u64) -> usize {
        (number % REMEMBERED / 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(numbers: impl IntoIterator<Item = u64>) -> Counts {
        let mut arrivals = Arrivals::default();
        numbers.into_iter().for_each(|n| arrivals.note(n, n * 1000, n * 1000 + 77));
        arrivals.counts
    }

    #[test]
    fn what_came_is_counted_once_and_what_did_not_is_missed() {
        let counts = after([0, 1, 2, 5, 6]);
        assert_eq!((counts.received, counts.expected, counts.reordered, counts.duplicates), (5, 7, 0, 0));
        let counts = after([0, 2, 1, 1, 3, 3]);
        assert_eq!((counts.received, counts.expected, counts.reordered, counts.duplicates), (4, 4, 1, 2));
        // All numbers twice around what is remembered, none lost.
        let counts = after(0..20_000);
        assert_eq!(
            (counts.received, counts.expected, counts.reordered, counts.duplicates),
            (20_000, 20_000, 0, 0)
        );
        // After a long gap the old bits are no duplicates.
        let counts = after((0..100).chain(REMEMBERED + 50..REMEMBERED + 60));
        assert_eq!((counts.received, counts.duplicates, counts.expected), (110, 0, REMEMBERED + 60));
    }

    #[test]
    fn jitter_is_that_of_rfc_3550() {
        // Transit 10, 26, 10 us: |D| is 16 us twice, J = 1, then 1 + 15/16 us.
        let mut arrivals = Arrivals::default();
        for (i, transit) in [10_000u64, 26_000, 10_000].into_iter().enumerate() {
            let sent_ns = i as u64 * 1_000_000;
            arrivals.note(i as u64, sent_ns, sent_ns + transit);
        }
        assert!((arrivals.counts.jitter_s - 1.9375e-6).abs() < 1e-12, "{:?}", arrivals.counts);
        // A clock that is far off changes nothing.
        let mut skewed = Arrivals::default();
        for (i, transit) in [10_000u64, 26_000, 10_000].into_iter().enumerate() {
            skewed.note(i as u64, u64::MAX / 2 + i as u64 * 1_000_000, i as u64 * 1_000_000 + transit);
        }
        assert!((skewed.counts.jitter_s - arrivals.counts.jitter_s).abs() < 1e-12);
    }
}
