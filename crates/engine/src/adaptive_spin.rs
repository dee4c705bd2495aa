//! A moment in which a thread asks again and again for what it waits for, before it sleeps until there is something.
//!
//! Who wakes a sleeping thread pays for it. A server that is the limit, on this machine, then has less time for
//! answers: with few connections a client that does little for each of them sleeps after most, and looks slower than
//! one that does more (decision 0028). Where answers take longer anyway, spinning is given up by itself.

use crate::clock;

/// How long it takes at most, ns.
///
/// With 16 connections to one nginx a request took 20 us, for 10 of which the worker ran (http-requests-16 in
/// `docs/performance.md`): this is half of the rest. It counts in `cpu_per_operation`.
const MOST_NS: u64 = 5_000;

/// All spins together take at most one in so many parts of a worker's time. A thread that is busy for 95 % of the time is taken for
/// full, and one that is ready for 85 % for held back by processors (`FULL` and `READY` in
/// `crates/analysis/src/bottleneck`): what a worker spins makes none full that was not held back.
const SPIN_PART: u64 = 10;

/// What a worker that did not spin for long may spin at once, ns.
const CREDIT_MOST_NS: u64 = 10 * MOST_NS;

/// So many waits go without it at most after spins in vain: answers that take longer anyway cost a 64th of it each.
const PASSES_MOST: u32 = 63;

/// Whether the next wait begins with a spin: after each in vain, twice as many go without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdaptiveSpin {
    /// Waits that go without one after the last one that was in vain, and how many of these are left.
    passes: u32,
    left: u32,
    /// How long it may spin, ns, and until when that was counted.
    credit_ns: u64,
    counted_ns: u64,
}

impl AdaptiveSpin {
    /// That of one of so many workers; none where they have all processors that a server here may use: it would have to wait
    /// for them. That is `allowed` of them, or any of this machine where that is not known.
    #[must_use]
    pub fn beside_server(workers: usize, allowed: Option<usize>) -> Option<Self> {
        leaves_one(workers, allowed.unwrap_or_else(online)).then(Self::default)
    }

    /// Asks `has_come` for a moment, where that has been of use; whether something came. Otherwise the caller sleeps.
    ///
    /// # Errors
    /// What `has_come` fails with.
    #[inline]
    pub fn before_sleep<E>(&mut self, mut has_come: impl FnMut() -> Result<bool, E>) -> Result<bool, E> {
        if self.is_passed() {
            return Ok(false);
        }
        let begun_ns = clock::now_ns();
        if !self.has_credit(begun_ns) {
            return Ok(false);
        }
        // What was there already says nothing of how long the next one takes.
        if has_come()? {
            return Ok(true);
        }
        loop {
            let (has_come, spun_ns) = (has_come()?, clock::now_ns().saturating_sub(begun_ns));
            if has_come || spun_ns >= MOST_NS {
                self.ends(spun_ns, has_come);
                return Ok(has_come);
            }
        }
    }

    /// Whether this wait goes without one.
    #[inline]
    fn is_passed(&mut self) -> bool {
        let is_passed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_passed
    }

    /// Whether there is time for one.
    #[inline]
    fn has_credit(&mut self, now_ns: u64) -> bool {
        let earned_ns = now_ns.saturating_sub(self.counted_ns) / SPIN_PART;
        self.credit_ns = self.credit_ns.saturating_add(earned_ns).min(CREDIT_MOST_NS);
        self.counted_ns = now_ns;
        self.credit_ns >= MOST_NS
    }

    /// One is over that took so long, in which something came or nothing did.
    #[inline]
    fn ends(&mut self, spun_ns: u64, has_come: bool) {
        self.credit_ns = self.credit_ns.saturating_sub(spun_ns);
        self.passes = if has_come { 0 } else { (2 * self.passes + 1).min(PASSES_MOST) };
        self.left = self.passes;
    }
}

/// How many processors this machine has online; 0 where sysconf(3) does not know (-1).
fn online() -> usize {
    // SAFETY: sysconf reads no memory of ours.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    usize::try_from(online).unwrap_or(0)
}

/// Whether so many workers leave one of so many processors to others.
const fn leaves_one(workers: usize, processors: usize) -> bool {
    workers < processors
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of so many waits, one each `distance_ns`, begin with a spin, each of which takes all of its time and
    /// ends as `has_come` says.
    fn spun(spin: &mut AdaptiveSpin, waits: u64, distance_ns: u64, has_come: bool) -> Vec<u64> {
        let from_ns = spin.counted_ns;
        let mut is_spun = |wait: &u64| {
            let is_due = !spin.is_passed() && spin.has_credit(from_ns + (wait + 1) * distance_ns);
            if is_due {
                spin.ends(MOST_NS, has_come);
            }
            is_due
        };
        (0..waits).filter(|wait| is_spun(wait)).collect()
    }

    #[test]
    fn spins_in_vain_become_rare_and_one_of_use_brings_them_back() {
        // So rare that there is always time for one.
        let distance_ns = SPIN_PART * MOST_NS;
        let mut spin = AdaptiveSpin::default();
        assert_eq!(spun(&mut spin, 4, distance_ns, true), [0, 1, 2, 3]);
        assert_eq!(spun(&mut spin, 128, distance_ns, false), [0, 2, 6, 14, 30, 62, 126]);
        // At most so many go without.
        assert_eq!(spun(&mut spin, 191, distance_ns, false), [62, 126, 190]);
        spin.credit_ns = 0;
        assert_eq!(spun(&mut spin, 66, distance_ns, true), [63, 64, 65]);
    }

    #[test]
    fn spins_of_use_have_no_more_than_their_part_of_the_time() {
        let mut spin = AdaptiveSpin { counted_ns: 1, ..AdaptiveSpin::default() };
        // One in ten where each wait takes as long as a spin.
        let waits = spun(&mut spin, 1_000, MOST_NS, true);
        assert_eq!(waits.len(), 100, "{waits:?}");
        // After a long time there is credit for some, and no more.
        spin.credit_ns = 0;
        assert!(spin.has_credit(1_000_000_000_000));
        assert_eq!(spin.credit_ns, CREDIT_MOST_NS);
        assert_eq!(spun(&mut spin, 20, 0, true), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn nobody_spins_where_workers_have_all_processors() {
        let cases = [(1, 2, true), (2, 2, false), (1, 1, false), (3, 2, false), (1, 0, false)];
        for (workers, processors, expected) in cases {
            let spin = AdaptiveSpin::beside_server(workers, Some(processors));
            assert_eq!(spin.is_some(), expected, "{workers} of {processors}");
        }
        assert_eq!(AdaptiveSpin::beside_server(usize::MAX, None), None);
    }

    /// A question is asked once where no time is left for more, and again and again where there is.
    #[test]
    fn what_comes_is_told_and_what_does_not_is_asked_for_until_the_time_is_over() {
        let mut spin = AdaptiveSpin { counted_ns: 1, ..AdaptiveSpin::default() };
        let mut asked = 0;
        let mut come_at = |number: u32| {
            asked = 0;
            spin.before_sleep(|| {
                asked += 1;
                Ok::<_, ()>(asked == number)
            })
            .map(|has_come| (has_come, asked))
        };
        assert_eq!(come_at(1), Ok((true, 1)));
        let (has_come, asked) = come_at(0).unwrap();
        assert!(!has_come && asked >= 2, "{asked}");
        // The next one goes without.
        assert_eq!(come_at(1), Ok((false, 0)));
    }
}
