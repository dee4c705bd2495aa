//! Loads that wait for one another: each line of a working set holds the
//! address of the next, so that the next load cannot begin before the last has
//! ended, and what is measured is latency.
//!
//! The lines form one cycle in an order that is uniformly random over the whole
//! set (Sattolo, "An algorithm to generate a random cyclic permutation",
//! Information Processing Letters 22, 1986): each line is visited once before any
//! is again, and no prefetcher can guess the next. Nothing is done to keep
//! neighbours within a page together, as lmbench and multichase can: in a large
//! set the address of nearly every page must be looked up too, and that is
//! part of the latency that programs see. The size of pages shows how large
//! a part.

use std::ptr::NonNull;

use engine::fault::Fault;
use model::{MetricSpec, metric};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workload::common;
use crate::workload::memory::buffer::Buffer;
use crate::workload::memory::kernel::LINE;

/// The latency of a load.
pub const LOAD_LATENCY: MetricSpec = common::time(
    metric::LOAD_LATENCY,
    "How long a load takes whose address the load before it brings, on average.",
);

/// How many lines ahead of its turn a random place is chosen and fetched while a
/// cycle is made: so many loads from memory a core has under way at once.
const AHEAD: usize = 16;

/// Chains that are walked side by side when a cycle is checked.
const CHAINS: usize = 64;

/// Steps between two signs of life.
const STEPS_PER_BEAT: usize = 1 << 22;

/// What a line of the set holds; the rest of it is not used.
#[derive(Debug)]
#[repr(C, align(64))]
struct Line {
    next: *const Line,
    /// Where a chain of the check begins: its number from 1; otherwise 0.
    mark: usize,
}

const _: () = assert!(size_of::<Line>() == LINE);

/// One cycle over all lines of a buffer.
#[derive(Debug)]
pub struct Cycle {
    buffer: Buffer,
    lines: usize,
    at: NonNull<Line>,
}

impl Cycle {
    /// Makes the cycle over the first `lines` lines of `buffer`, in an order that
    /// the seed decides. To be called in the thread that walks.
    ///
    /// # Errors
    /// If the buffer is too small, or there are fewer than two lines.
    pub fn new(buffer: Buffer, lines: usize, seed: u64) -> Result<Self, Fault> {
        let start = buffer.as_mut_ptr().cast::<Line>();
        if lines < 2 || lines > buffer.len() / LINE {
            return Err(Fault::Other(format!("{lines} lines cannot make a cycle in {} bytes", buffer.len())));
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Below `i`, each as likely (Lemire 2019, without the rejection: its bias
        // is below 2^-32 for any set that fits a machine).
        let mut below = |i: usize| ((u128::from(random.next_u64()) * i as u128) >> 64) as usize;
        let mut chosen = [0; AHEAD];
        for i in 1..lines.min(AHEAD) {
            chosen[i % AHEAD] = below(i);
        }
        // SAFETY: every index is below `lines`, which fit the buffer; lines are
        // aligned as its pages are; any bits are a valid line.
        unsafe {
            start.write(Line { next: start, mark: 0 });
            // Each line is put into the cycle of those before it, behind one of
            // them at random.
            for i in 1..lines {
                let before = start.add(chosen[i % AHEAD]);
                let later = i + AHEAD;
                if later < lines {
                    let place = below(later);
                    chosen[later % AHEAD] = place;
                    prefetch(start.add(place));
                }
                start.add(i).write(Line { next: (*before).next, mark: 0 });
                (*before).next = start.add(i);
            }
        }
        let at = NonNull::new(start).ok_or_else(|| Fault::Other("memory at address 0".to_owned()))?;
        Ok(Self { buffer, lines, at })
    }

    /// The memory it lies in.
    #[must_use]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Does `loads` loads, a multiple of 16, from where the last call ended.
    #[inline]
    pub fn walk(&mut self, loads: usize) {
        let mut at: *const Line = self.at.as_ptr();
        for _ in 0..loads / 16 {
            // SAFETY: every line holds the address of a line of the set, which
            // lives as long as `self`. Volatile, so that no load is left out.
            unsafe {
                macro_rules! step {
                    ($($_:literal)*) => { $({ let _ = $_; at = (&raw const (*at).next).read_volatile(); })* };
                }
                step!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            }
        }
        if let Some(at) = NonNull::new(at.cast_mut()) {
            self.at = at;
        }
    }

    /// Whether the lines still form one cycle over all of them. Many chains of it
    /// are walked side by side, each from a marked line to the next marked one:
    /// one alone would take as long as as many loads one after another.
    ///
    /// # Errors
    /// If they do not, or `beat` says that it is to end.
    pub fn verify(&mut self, beat: &mut dyn FnMut() -> Result<(), Fault>) -> Result<(), Fault> {
        let start = self.buffer.as_mut_ptr().cast::<Line>();
        let count = CHAINS.min(self.lines);
        // SAFETY: below the number of lines.
        let head = |chain: usize| unsafe { start.add(chain * (self.lines / count)) };
        for chain in 0..count {
            // SAFETY: a line of ours.
            unsafe { (*head(chain)).mark = chain + 1 };
        }
        let mut followers = vec![0; count];
        let mut chains: Vec<(usize, *const Line)> =
            (0..count).map(|chain| (chain, head(chain).cast_const())).collect();
        let mut steps = 0;
        while !chains.is_empty() {
            let mut i = 0;
            while i < chains.len() {
                let (chain, at) = chains[i];
                // SAFETY: `at` is the head of a chain or was looked at below.
                let next = unsafe { (*at).next };
                self.look_at(next)?;
                steps += 1;
                // SAFETY: it is a line of the set, as was just seen.
                let mark = unsafe { (*next).mark };
                if mark == 0 {
                    chains[i].1 = next;
                    i += 1;
                } else {
                    followers[chain] = mark - 1;
                    chains.swap_remove(i);
                }
                if steps % STEPS_PER_BEAT == 0 {
                    beat()?;
                }
            }
            if steps > self.lines {
                return Err(Fault::Verification(
                    "lines of the chase lead back to one another early".to_owned(),
                ));
            }
        }
        for chain in 0..count {
            // SAFETY: a line of ours.
            unsafe { (*head(chain)).mark = 0 };
        }
        let mut met = 1;
        let mut at = followers[0];
        while at != 0 && met <= count {
            at = followers[at];
            met += 1;
        }
        if steps != self.lines || met != count {
            return Err(Fault::Verification(format!(
                "a walk met {steps} lines in {met} chains where there are {} in {count}",
                self.lines
            )));
        }
        Ok(())
    }

    /// Whether this is the address of a line of the set.
    fn look_at(&self, line: *const Line) -> Result<(), Fault> {
        let offset = (line as usize).wrapping_sub(self.buffer.as_mut_ptr() as usize);
        if offset.is_multiple_of(LINE) && offset / LINE < self.lines {
            return Ok(());
        }
        Err(Fault::Verification("a line of the chase holds an address that is none of the set's".to_owned()))
    }
}

/// Has a line fetched that will be needed; a hint.
#[inline(always)]
fn prefetch(line: *const Line) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; it cannot fault whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch(line.cast(), std::arch::x86_64::_MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Loads of one operation over a set of `bytes`: so many that it takes about 20
/// to 50 us, which is long beside the engine's own cost (1/500 of it or less)
/// and short beside an interval.
#[must_use]
pub fn loads_per_operation(bytes: u64) -> usize {
    match bytes {
        ..0x2_0001 => 16384,
        0x2_0001..0x80_0001 => 4096,
        _ => 512,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn cycle(lines: usize, seed: u64) -> Cycle {
        Cycle::new(Buffer::new(lines * LINE).unwrap(), lines, seed).unwrap()
    }

    fn order(cycle: &mut Cycle) -> Vec<usize> {
        let start = cycle.buffer.as_mut_ptr() as usize;
        let mut at = start as *const Line;
        (0..cycle.lines)
            .map(|_| {
                // SAFETY: a line of the cycle.
                at = unsafe { (*at).next };
                (at as usize - start) / LINE
            })
            .collect()
    }

    #[test]
    fn every_line_is_met_once_before_any_is_again() {
        for lines in [2, 3, 15, 16, 17, 18, 63, 64, 65, 1000, 10_007] {
            let mut cycle = cycle(lines, 7);
            let order = order(&mut cycle);
            assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), lines);
            assert_eq!(order.last(), Some(&0), "{lines}: back at the first line");
            cycle.verify(&mut || Ok(())).unwrap();
            cycle.walk(lines * 16);
            assert_eq!(cycle.at.as_ptr(), cycle.buffer.as_mut_ptr().cast());
            cycle.verify(&mut || Ok(())).unwrap();
        }
    }

    /// Of four lines there are six cycles, and each must come as often.
    #[test]
    fn every_cycle_is_as_likely() {
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..6000 {
            *counts.entry(order(&mut cycle(4, seed))).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6, "{counts:?}");
        // Five standard deviations of a binomial of 6000 and 1/6: 144.
        assert!(counts.values().all(|n| (856..1144).contains(n)), "{counts:?}");
    }

    #[test]
    fn the_order_has_no_stride_and_the_seed_decides_it() {
        let one = order(&mut cycle(4096, 1));
        let near = one.windows(2).filter(|two| two[0].abs_diff(two[1]) <= 2).count();
        // Expected 4096 x 4 / 4096 = 4.
        assert!(near < 25, "{near} steps to a neighbour");
        assert_eq!(one, order(&mut cycle(4096, 1)));
        assert_ne!(one, order(&mut cycle(4096, 2)));
    }

    #[test]
    fn broken_cycles_fail_the_verification() {
        for lines in [100, 5000] {
            // Two lines change their followers: the cycle falls into two.
            let mut split = cycle(lines, 3);
            let start = split.buffer.as_mut_ptr().cast::<Line>();
            // SAFETY: lines of the set.
            unsafe { std::mem::swap(&mut (*start.add(1)).next, &mut (*start.add(2)).next) };
            split.verify(&mut || Ok(())).unwrap_err();
            // A line that leads to itself.
            let mut short = cycle(lines, 3);
            let start = short.buffer.as_mut_ptr().cast::<Line>();
            // SAFETY: a line of the set.
            unsafe { (*start.add(1)).next = start.add(1) };
            short.verify(&mut || Ok(())).unwrap_err();
            // An address that is none.
            let mut wild = cycle(lines, 3);
            let start = wild.buffer.as_mut_ptr().cast::<Line>();
            // SAFETY: a line of the set; what it then holds is not followed.
            unsafe { (*start.add(1)).next = start.add(lines) };
            let fault = wild.verify(&mut || Ok(())).unwrap_err();
            assert!(fault.to_string().contains("none of the set's"), "{fault}");
        }
    }

    #[test]
    fn too_few_lines_are_no_cycle() {
        let buffer = || Buffer::new(4096).unwrap();
        Cycle::new(buffer(), 1, 0).unwrap_err();
        Cycle::new(buffer(), 65, 0).unwrap_err();
    }
}
