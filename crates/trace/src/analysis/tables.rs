//! Tables that never grow beyond what they were made for.
//!
//! A trace may name any number of threads, files and callers. What matters is the few that
//! did most, so a full table drops the lighter half and says by how much the rest may be
//! understated (lossy counting, Manku and Motwani 2002).

use std::cmp::Reverse;
use std::hash::Hash;

use crate::key_hash::KeyMap;

/// What a table counts of one key.
pub(super) trait Weigh {
    /// By what the heavy ones are known.
    fn weight(&self) -> u64;

    /// Adds another's counts to these.
    fn absorb(&mut self, other: Self);
}

/// The heaviest keys, and what all others together are.
#[derive(Clone, Debug)]
pub(super) struct BoundedTable<K, V> {
    entries: KeyMap<K, V>,
    most: usize,
    rest: Option<V>,
    understated_by: u64,
}

/// What a table held at the end.
#[derive(Debug)]
pub(super) struct Sorted<K, V> {
    /// The heaviest first.
    pub(super) top: Vec<(K, V)>,
    /// All others together.
    pub(super) rest: Option<V>,
    /// By how much at most any weight is too low, since keys were dropped on the way.
    pub(super) understated_by: u64,
}

impl<K: Copy + Ord + Hash, V: Weigh> BoundedTable<K, V> {
    pub(super) fn new(most: usize) -> Self {
        Self { entries: KeyMap::default(), most: most.max(2), rest: None, understated_by: 0 }
    }

    /// The entry of `key`, made if it is new.
    pub(super) fn entry(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        if self.entries.len() >= self.most && !self.entries.contains_key(&key) {
            self.drop_lighter_half();
        }
        self.entries.entry(key).or_insert_with(make)
    }

    /// The entry of `key`, if there is one.
    pub(super) fn get(&self, key: K) -> Option<&V> {
        self.entries.get(&key)
    }

    /// The entry of `key`, if there is one.
    pub(super) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.entries.get_mut(&key)
    }

    fn drop_lighter_half(&mut self) {
        let mut weights: Vec<u64> = self.entries.values().map(Weigh::weight).collect();
        let middle = weights.len() / 2;
        let (_, limit, _) = weights.select_nth_unstable(middle);
        let limit = *limit;
        let light: Vec<K> =
            self.entries.iter().filter(|(_, value)| value.weight() <= limit).map(|(key, _)| *key).collect();
        for key in light {
            if let Some(value) = self.entries.remove(&key) {
                absorb_into(&mut self.rest, value);
            }
        }
        self.understated_by = self.understated_by.saturating_add(limit);
    }

    /// The `most` heaviest and the rest.
    pub(super) fn sorted(self, most: usize) -> Sorted<K, V> {
        let mut top: Vec<(K, V)> = self.entries.into_iter().collect();
        top.sort_by_key(|(key, value)| (Reverse(value.weight()), *key));
        let mut rest = self.rest;
        for (_, value) in top.drain(most.min(top.len())..) {
            absorb_into(&mut rest, value);
        }
        Sorted { top, rest, understated_by: self.understated_by }
    }

    /// How many keys it holds.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

fn absorb_into<V: Weigh>(rest: &mut Option<V>, value: V) {
    match rest {
        Some(rest) => rest.absorb(value),
        None => *rest = Some(value),
    }
}

/// The few largest of many.
#[derive(Clone, Debug)]
pub(super) struct Largest<T> {
    most: usize,
    items: Vec<(u64, T)>,
}

impl<T> Largest<T> {
    pub(super) const fn new(most: usize) -> Self {
        Self { most, items: Vec::new() }
    }

    /// Whether one of this size would be kept: ask before making what is kept.
    pub(super) fn admits(&self, size: u64) -> bool {
        self.items.len() < self.most || self.items.last().is_some_and(|(least, _)| *least < size)
    }

    /// Keeps it if it is large enough.
    pub(super) fn offer(&mut self, size: u64, item: T) {
        if self.admits(size) {
            let place = self.items.partition_point(|(other, _)| *other >= size);
            self.items.insert(place, (size, item));
            self.items.truncate(self.most);
        }
    }

    /// The largest first.
    pub(super) fn into_items(self) -> Vec<T> {
        self.items.into_iter().map(|(_, item)| item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Count(u64);

    impl Weigh for Count {
        fn weight(&self) -> u64 {
            self.0
        }

        fn absorb(&mut self, other: Self) {
            self.0 += other.0;
        }
    }

    #[test]
    fn the_heavy_ones_stay_and_nothing_is_forgotten() {
        let mut table = BoundedTable::new(8);
        for round in 0..1000_u32 {
            for heavy in 0..3 {
                table.entry(heavy, || Count(0)).0 += 10;
            }
            table.entry(100 + round, || Count(0)).0 += 1;
            assert!(table.len() <= 8);
        }
        let sorted = table.sorted(3);
        let keys: Vec<u32> = sorted.top.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, [0, 1, 2]);
        assert!(sorted.top.iter().all(|(_, count)| count.0 + sorted.understated_by >= 10_000));
        let all: u64 = sorted.top.iter().map(|(_, count)| count.0).sum();
        assert_eq!(all + sorted.rest.unwrap().0, 31_000);
    }

    #[test]
    fn the_largest_come_first_and_the_rest_goes() {
        let mut largest = Largest::new(3);
        for size in [5, 1, 9, 7, 2, 8] {
            largest.offer(size, size * 10);
        }
        assert!(!largest.admits(7) && largest.admits(8));
        assert_eq!(largest.into_items(), [90, 80, 70]);
    }
}
