//! What a disk gives at mixes that were measured, and what follows for another mix: a range between the nearest ones, and
//! nothing outside of them.
//!
//! **Between two sizes.** As operations grow, a device does no more of them and moves no fewer bytes. So at a size between
//! two that were measured, of which the smaller gives `a` operations and the larger `b` in each second, it gives at most `a`
//! of them and at least `b`; at least as many bytes as at the smaller, and at most as many as at the larger. The tighter of
//! both bounds holds.
//!
//! **Between two shares of reads** it gives something between what it gives at both.
//!
//! **The order** of the places is nowhere counted by the kernel. Where random and sequential places were measured, the range
//! is that of both.

use model::profile::Order;

/// So much another size, or share of reads, is the same one.
const SAME_SIZE: f64 = 0.10;
const SAME_SHARE: f64 = 0.05;

/// The operations of a load on a disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IoMix {
    /// Bytes of an operation, in the mean.
    pub block_bytes: f64,
    /// The share of operations that read.
    pub read_share: f64,
}

/// What a disk gave with so many operations in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixLevel {
    /// Operations in flight.
    pub depth: f64,
    /// Operations finished per second.
    pub operations_per_s: f64,
}

impl MixLevel {
    /// How long an operation took in the mean, by Little's law.
    fn latency_s(&self) -> f64 {
        self.depth / self.operations_per_s
    }
}

/// One mix on one disk, as a run measured it.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredMix {
    /// The disk, without `/dev/`.
    pub device: String,
    /// Its operations.
    pub mix: IoMix,
    /// The order of places.
    pub order: Order,
    /// By depth, the least first.
    pub levels: Vec<MixLevel>,
    /// The run.
    pub run: String,
    /// When that started, RFC 3339.
    pub started: String,
}

/// The most of a mix.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Most {
    operations_per_s: f64,
    by_latency: bool,
    knee: f64,
}

impl MeasuredMix {
    /// The most that it gave before latency ran away, by the rules of a search (`stats::capacity`); `None` of a mix without
    /// levels.
    fn most(&self) -> Option<Most> {
        use stats::capacity::{ENOUGH, RUNAWAY};
        let greatest = |levels: &mut dyn Iterator<Item = &MixLevel>| {
            levels.map(|level| level.operations_per_s).fold(0.0, f64::max)
        };
        let most = greatest(&mut self.levels.iter());
        let half = self.levels.iter().find(|level| level.operations_per_s >= most / 2.0)?;
        let is_usable = |level: &&MixLevel| level.latency_s() <= RUNAWAY * half.latency_s();
        let usable = greatest(&mut self.levels.iter().filter(is_usable));
        let by_latency = usable < ENOUGH * most;
        let operations_per_s = if by_latency { usable } else { most };
        let knee = self.levels.iter().find(|level| level.operations_per_s >= ENOUGH * operations_per_s)?;
        Some(Most { operations_per_s, by_latency, knee: knee.depth })
    }

    /// Whether more may be had than was measured: at one depth alone, or where the deepest still gave more than the one
    /// before.
    fn is_shallow(&self) -> bool {
        match &self.levels[..] {
            [.., before, deepest] => {
                deepest.operations_per_s > before.operations_per_s * (1.0 + stats::capacity::GAIN)
            }
            _ => true,
        }
    }
}

/// What a disk would give of a mix.
#[derive(Clone, Debug, PartialEq)]
pub struct MixRange {
    /// Operations per second, at least and at most.
    pub low: f64,
    /// See `low`.
    pub high: f64,
    /// Whether latency runs away before the rate ends.
    pub by_latency: bool,
    /// Operations in flight from which more add hardly anything, at the nearest mixes.
    pub knee: (f64, f64),
    /// The nearest mixes, by their places among those given.
    pub from: Vec<usize>,
    /// Whether one of these still gave more at the deepest level, or was measured at one depth alone.
    pub is_shallow: bool,
}

impl MixRange {
    fn of(place: usize, known: &MeasuredMix) -> Option<Self> {
        let most = known.most()?;
        let operations = most.operations_per_s;
        Some(Self {
            low: operations,
            high: operations,
            by_latency: most.by_latency,
            knee: (most.knee, most.knee),
            from: vec![place],
            is_shallow: known.is_shallow(),
        })
    }

    /// What holds where either may be meant.
    fn or(self, other: Self) -> Self {
        let mut from = self.from;
        from.extend(other.from.into_iter().filter(|place| !from.contains(place)).collect::<Vec<_>>());
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            by_latency: self.by_latency && other.by_latency,
            knee: (self.knee.0.min(other.knee.0), self.knee.1.max(other.knee.1)),
            from,
            is_shallow: self.is_shallow || other.is_shallow,
        }
    }
}

/// What follows of `known`, all of one disk, for a mix; `None` outside of what was measured.
#[must_use]
pub fn range(known: &[MeasuredMix], mix: IoMix) -> Option<MixRange> {
    let of_order = |order: Order| {
        let all: Vec<usize> = (0..known.len()).filter(|place| known[*place].order == order).collect();
        between_shares(known, &all, mix)
    };
    [Order::Random, Order::Sequential].into_iter().filter_map(of_order).reduce(MixRange::or)
}

fn between_shares(known: &[MeasuredMix], all: &[usize], mix: IoMix) -> Option<MixRange> {
    let mut shares: Vec<f64> = all.iter().map(|place| known[*place].mix.read_share).collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup_by(|a, b| (*a - *b).abs() < SAME_SHARE / 2.0);
    let at = |share: f64| {
        let of_share = |place: &&usize| (known[**place].mix.read_share - share).abs() < SAME_SHARE / 2.0;
        between_sizes(known, &all.iter().filter(of_share).copied().collect::<Vec<_>>(), mix.block_bytes)
    };
    let found: Vec<(f64, MixRange)> =
        shares.into_iter().filter_map(|share| Some((share, at(share)?))).collect();
    let distance = |share: f64| (share - mix.read_share).abs();
    let same = found.iter().filter(|(share, _)| distance(*share) <= SAME_SHARE);
    if let Some((_, same)) = same.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0))) {
        return Some(same.clone());
    }
    let below = found.iter().rfind(|(share, _)| *share < mix.read_share)?;
    let above = found.iter().find(|(share, _)| *share > mix.read_share)?;
    Some(below.1.clone().or(above.1.clone()))
}

fn between_sizes(known: &[MeasuredMix], all: &[usize], block_bytes: f64) -> Option<MixRange> {
    let size = |place: &usize| known[*place].mix.block_bytes;
    let distance = |place: &usize| (size(place) / block_bytes).ln().abs();
    let same = all.iter().filter(|place| distance(place) <= SAME_SIZE.ln_1p());
    if let Some(same) = same.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
        return MixRange::of(*same, &known[*same]);
    }
    let nearest = |is_smaller: bool| {
        let side = all.iter().filter(|place| (size(place) < block_bytes) == is_smaller);
        side.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    let (smaller, larger) = (nearest(true)?, nearest(false)?);
    let (a, b) = (MixRange::of(*smaller, &known[*smaller])?, MixRange::of(*larger, &known[*larger])?);
    let bytes_of_smaller = a.low * size(smaller) / block_bytes;
    let bytes_of_larger = b.high * size(larger) / block_bytes;
    let (low, high) = (b.low.max(bytes_of_smaller), a.high.min(bytes_of_larger));
    // Where a larger size gave more operations, or fewer bytes, what is between them is not known so well.
    let (low, high) = if low <= high { (low, high) } else { (high, low) };
    Some(MixRange { low, high, ..a.or(b) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(block: f64, read_share: f64, order: Order, levels: &[(f64, f64)]) -> MeasuredMix {
        let level = |(depth, operations_per_s): &(f64, f64)| MixLevel {
            depth: *depth,
            operations_per_s: *operations_per_s,
        };
        MeasuredMix {
            device: "sda".to_owned(),
            mix: IoMix { block_bytes: block, read_share },
            order,
            levels: levels.iter().map(level).collect(),
            run: "r".to_owned(),
            started: String::new(),
        }
    }

    fn flat(block: f64, read_share: f64, operations: f64) -> MeasuredMix {
        measured(block, read_share, Order::Random, &[(8.0, operations), (16.0, operations)])
    }

    fn ends(known: &[MeasuredMix], block: f64, read_share: f64) -> Option<(f64, f64)> {
        range(known, IoMix { block_bytes: block, read_share }).map(|r| (r.low.round(), r.high.round()))
    }

    #[test]
    fn a_mix_that_was_measured_is_a_point_and_one_outside_is_unknown() {
        let known = [flat(4096.0, 1.0, 100_000.0), flat(65_536.0, 1.0, 8_000.0)];
        assert_eq!(ends(&known, 4096.0, 1.0), Some((100_000.0, 100_000.0)));
        assert_eq!(ends(&known, 4400.0, 0.97), Some((100_000.0, 100_000.0)), "nearly the same");
        assert_eq!(ends(&known, 2048.0, 1.0), None);
        assert_eq!(ends(&known, 131_072.0, 1.0), None);
        assert_eq!(ends(&known, 4096.0, 0.5), None, "only reads were measured");
        assert_eq!(ends(&[], 4096.0, 1.0), None);
    }

    /// 400 MB/s at 4 KiB and 524 MB/s at 64 KiB: at 16 KiB no fewer bytes than the first and no more than the second.
    #[test]
    fn between_two_sizes_both_operations_and_bytes_bound() {
        let known = [flat(4096.0, 1.0, 100_000.0), flat(65_536.0, 1.0, 8_000.0)];
        assert_eq!(ends(&known, 16_384.0, 1.0), Some((25_000.0, 32_000.0)));
        // The nearest two count, not all.
        let more = [known[0].clone(), known[1].clone(), flat(32_768.0, 1.0, 15_000.0)];
        assert_eq!(ends(&more, 16_384.0, 1.0), Some((25_000.0, 30_000.0)));
    }

    #[test]
    fn between_two_shares_of_reads_either_may_hold() {
        let known = [flat(4096.0, 0.0, 20_000.0), flat(4096.0, 0.5, 30_000.0), flat(4096.0, 1.0, 100_000.0)];
        assert_eq!(ends(&known, 4096.0, 0.7), Some((30_000.0, 100_000.0)));
        assert_eq!(ends(&known, 4096.0, 0.52), Some((30_000.0, 30_000.0)));
    }

    #[test]
    fn the_order_is_not_counted_so_that_both_count() {
        let sequential = measured(4096.0, 1.0, Order::Sequential, &[(1.0, 70_000.0)]);
        let known = [flat(4096.0, 1.0, 40_000.0), sequential];
        assert_eq!(ends(&known, 4096.0, 1.0), Some((40_000.0, 70_000.0)));
        let found = range(&known, IoMix { block_bytes: 4096.0, read_share: 1.0 }).unwrap();
        assert_eq!((found.from, found.is_shallow), (vec![0, 1], true));
    }

    /// From 8 in flight on operations take more than four times as long as at half of the most.
    #[test]
    fn latency_may_end_it_before_the_rate_does() {
        let steep = measured(
            4096.0,
            1.0,
            Order::Random,
            &[(1.0, 10_000.0), (2.0, 12_000.0), (4.0, 14_000.0), (8.0, 16_000.0), (16.0, 18_000.0)],
        );
        let found = range(&[steep], IoMix { block_bytes: 4096.0, read_share: 1.0 }).unwrap();
        assert!(found.by_latency, "{found:?}");
        assert_eq!((found.low, found.knee), (14_000.0, (4.0, 4.0)));
        assert!(found.is_shallow, "it still grew at the deepest");
        let level = flat(4096.0, 1.0, 9.0);
        assert!(!range(&[level], IoMix { block_bytes: 4096.0, read_share: 1.0 }).unwrap().by_latency);
    }
}
