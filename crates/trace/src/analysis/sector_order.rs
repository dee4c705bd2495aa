//! Sectors in order, each with the place where what begins there is kept.
//!
//! A list of short sorted lists, for what is on its way: most often a few dozen, which are one list
//! of one or two KiB. Finding a sector in it has no branch that depends on the sector, for a
//! random one is guessed wrong; a tree of the standard library has several. Requests ask several
//! times for the sector that came last, so that is tried first.

/// A sector, and where what begins there is kept.
pub(super) type Key = (u64, u32);

/// A list that would become longer is divided.
const LIST_MAX: usize = 128;
/// A list that becomes shorter goes to its neighbour, if both together have no more than half of
/// [`LIST_MAX`].
const LIST_MIN: usize = LIST_MAX / 4;

/// Where a key stands: in which list, and where there.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyPlace {
    list: usize,
    index: usize,
}

/// Keys in order of their sectors; those of one sector in the order in which they came.
#[derive(Clone, Debug)]
pub(super) struct SectorOrder {
    /// None of them is empty but the only one.
    lists: Vec<Vec<Key>>,
    /// Where the sector that came last stood.
    last: KeyPlace,
}

impl SectorOrder {
    pub(super) const fn new() -> Self {
        Self { lists: Vec::new(), last: KeyPlace { list: 0, index: 0 } }
    }

    /// Adds a key behind the others of its sector.
    pub(super) fn insert(&mut self, key: Key) {
        let KeyPlace { mut list, mut index } = self.place_behind(key.0);
        if self.lists.is_empty() {
            self.lists.push(Vec::with_capacity(LIST_MAX));
        }
        if self.lists[list].len() >= LIST_MAX {
            let later = self.lists[list].split_off(LIST_MAX / 2);
            self.lists.insert(list + 1, later);
            if index > LIST_MAX / 2 {
                (list, index) = (list + 1, index - LIST_MAX / 2);
            }
        }
        self.lists[list].insert(index, key);
        self.last = KeyPlace { list, index };
    }

    /// Where a key of this sector has to go.
    fn place_behind(&self, sector: u64) -> KeyPlace {
        let list = self.lists.partition_point(|keys| keys.last().is_some_and(|key| key.0 <= sector));
        // Behind all that there are, it goes to the last list.
        let list = list.min(self.lists.len().saturating_sub(1));
        let index = self.lists.get(list).map_or(0, |keys| keys.partition_point(|key| key.0 <= sector));
        KeyPlace { list, index }
    }

    /// Where the first key stands that has this sector or a later one.
    fn place_of(&self, sector: u64) -> KeyPlace {
        let list = self.lists.partition_point(|keys| keys.last().is_some_and(|key| key.0 < sector));
        let index = self.lists.get(list).map_or(0, |keys| keys.partition_point(|key| key.0 < sector));
        KeyPlace { list, index }
    }

    /// Whether the first key of this sector stands here.
    fn is_first_of(&self, place: KeyPlace, sector: u64) -> bool {
        let Some(keys) = self.lists.get(place.list) else { return false };
        if keys.get(place.index).is_none_or(|key| key.0 != sector) {
            return false;
        }
        let before = match (place.index.checked_sub(1), place.list.checked_sub(1)) {
            (Some(index), _) => keys.get(index),
            (None, Some(list)) => self.lists.get(list).and_then(|keys| keys.last()),
            (None, None) => None,
        };
        before.is_none_or(|key| key.0 < sector)
    }

    /// The key here or, behind the end of a list, the first of the next one.
    fn at(&self, place: KeyPlace) -> Option<(KeyPlace, Key)> {
        if let Some(key) = self.lists.get(place.list)?.get(place.index) {
            return Some((place, *key));
        }
        let next = KeyPlace { list: place.list + 1, index: 0 };
        self.lists.get(next.list)?.first().map(|key| (next, *key))
    }

    /// The keys from the first of this sector on, with their places.
    pub(super) fn at_or_after(&mut self, sector: u64) -> impl Iterator<Item = (KeyPlace, Key)> {
        if !self.is_first_of(self.last, sector) {
            self.last = self.place_of(sector);
        }
        let mut place = self.last;
        let order = &*self;
        std::iter::from_fn(move || {
            let (here, key) = order.at(place)?;
            place = KeyPlace { index: here.index + 1, ..here };
            Some((here, key))
        })
    }

    /// The keys of earlier sectors, the latest first.
    pub(super) fn before(&self, sector: u64) -> impl Iterator<Item = Key> {
        let KeyPlace { list, index } = self.place_of(sector);
        let same = self.lists.get(list).and_then(|keys| keys.get(..index)).unwrap_or_default();
        let earlier = self.lists.iter().take(list).rev().flat_map(|keys| keys.iter().rev());
        same.iter().rev().chain(earlier).copied()
    }

    /// All keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = Key> {
        self.lists.iter().flatten().copied()
    }

    /// Takes out the key that stands here.
    pub(super) fn remove(&mut self, place: KeyPlace) {
        let Some(keys) = self.lists.get_mut(place.list).filter(|keys| place.index < keys.len()) else {
            return;
        };
        keys.remove(place.index);
        if keys.len() >= LIST_MIN || self.lists.len() == 1 {
            return;
        }
        if self.lists[place.list].is_empty() {
            self.lists.remove(place.list);
            return;
        }
        let earlier = if place.list + 1 < self.lists.len() { place.list } else { place.list - 1 };
        if self.lists[earlier].len() + self.lists[earlier + 1].len() <= LIST_MAX / 2 {
            let later = self.lists.remove(earlier + 1);
            self.lists[earlier].extend(later);
        }
    }

    /// Keeps only those that are wanted.
    pub(super) fn retain(&mut self, mut wanted: impl FnMut(Key) -> bool) {
        self.lists.iter_mut().for_each(|keys| keys.retain(|key| wanted(*key)));
        self.lists.retain(|keys| !keys.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Held against a tree of the standard library, with many keys and with few.
    #[test]
    fn the_order_is_that_of_sectors_and_then_of_coming() {
        let mut order = SectorOrder::new();
        let mut tree = BTreeMap::new();
        let mut random = 1_u64;
        let mut lists_most = 0;
        for number in 0..60_000_u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let sector = random >> 54;
            // 2,000 come, then most go, and so on.
            let is_coming = number / 2000 % 2 == 0 || random >> 40 & 7 == 0;
            let first = order.at_or_after(sector).next();
            let expected = tree.range((sector, 0)..).next().map(|(key, ())| *key);
            assert_eq!(first.map(|(_, key)| key), expected, "at {number}");
            if is_coming {
                order.insert((sector, number));
                tree.insert((sector, number), ());
            } else if let Some((place, key)) = first {
                order.remove(place);
                tree.remove(&key);
            }
            lists_most = lists_most.max(order.lists.len());
            if number % 97 == 0 {
                assert!(order.iter().eq(tree.keys().copied()), "after {number}");
                assert!(order.before(sector).eq(tree.range(..(sector, 0)).rev().map(|(key, ())| *key)));
                let from = order.at_or_after(sector).map(|(_, key)| key);
                assert!(from.eq(tree.range((sector, 0)..).map(|(key, ())| *key)), "from {sector}");
                assert!(order.lists.len() < 2 || order.lists.iter().all(|keys| !keys.is_empty()));
                assert!(order.lists.iter().all(|keys| keys.len() <= LIST_MAX));
            }
        }
        assert!(lists_most > 4, "{lists_most}");
        order.retain(|key| key.0 % 2 == 0);
        tree.retain(|key, ()| key.0 % 2 == 0);
        assert!(order.iter().eq(tree.keys().copied()));
    }

    #[test]
    fn one_of_many_in_the_same_sector_is_found_and_taken() {
        let mut order = SectorOrder::new();
        (0..500).for_each(|number| order.insert((7, number)));
        order.insert((6, 1000));
        order.insert((8, 1001));
        let place = order.at_or_after(7).find(|(_, key)| key.1 == 300).map(|(place, _)| place);
        order.remove(place.unwrap());
        let left: Vec<u32> =
            order.at_or_after(7).take_while(|(_, key)| key.0 == 7).map(|(_, key)| key.1).collect();
        assert_eq!(left, (0..500).filter(|number| *number != 300).collect::<Vec<u32>>());
        assert_eq!(order.before(8).count(), 500);
        (0..500).for_each(|_| {
            let first = order.at_or_after(0).next();
            order.remove(first.unwrap().0);
        });
        assert_eq!(order.iter().collect::<Vec<_>>(), [(8, 1001)]);
    }
}
