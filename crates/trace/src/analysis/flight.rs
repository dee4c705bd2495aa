//! What is on its way: bios that were queued, requests that the device has.
//!
//! Both are found by where they begin. Events name a sector and no identity, so two of the
//! same direction that begin in the same sector are told apart by their order: the first
//! queued is the first issued. Nothing is guessed beyond that.

use std::ops::Range;

pub(super) use super::sector_order::Key;
use super::sector_order::SectorOrder;
use super::traffic::SECTOR_BYTES;
use crate::event::{BlockEvent, BlockOperation, IoDirection};

/// The time of what has not happened.
pub(super) const NEVER: u64 = u64::MAX;

/// Bios of one device that are followed at once. A queue has 1,023 requests at most in each of
/// its hardware queues; more than this are left over from events that were lost.
pub(super) const BIOS_MAX: usize = 1 << 16;
/// Requests of one device that are followed at once.
pub(super) const REQUESTS_MAX: usize = 1 << 14;

/// A bio from queue to completion, or the part of one that was split.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bio {
    /// The sector after its last.
    pub(super) end: u64,
    pub(super) queue_ns: u64,
    pub(super) get_ns: u64,
    pub(super) insert_ns: u64,
    pub(super) merge_ns: u64,
    pub(super) issue_ns: u64,
    pub(super) thread: u32,
    /// How much was on its way at the device when it was queued.
    pub(super) depth: u32,
    pub(super) operation: BlockOperation,
    /// It is the second part of a split one.
    pub(super) is_part: bool,
}

impl Bio {
    pub(super) const fn queued(event: &BlockEvent, now: u64, depth: u32) -> Self {
        Self {
            end: sectors(event).end,
            queue_ns: now,
            get_ns: NEVER,
            insert_ns: NEVER,
            merge_ns: NEVER,
            issue_ns: NEVER,
            thread: event.thread,
            depth,
            operation: event.operation,
            is_part: false,
        }
    }

    pub(super) fn is(&self, direction: IoDirection) -> bool {
        self.operation.direction == direction
    }

    pub(super) const fn is_issued(&self) -> bool {
        self.issue_ns != NEVER
    }
}

/// A request that the device has.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceRequest {
    /// Where it began; it may have been done in part since.
    pub(super) start: u64,
    /// The sector after its last.
    pub(super) end: u64,
    pub(super) issue_ns: u64,
    /// When its first bio was queued; [`NEVER`] where that is not known.
    pub(super) queue_ns: u64,
    /// Who queued that; who issued it where that is not known.
    pub(super) thread: u32,
    /// How many the device had with it.
    pub(super) depth: u32,
    pub(super) operation: BlockOperation,
}

/// What has an end on the device and a beginning in time.
pub(super) trait Pending {
    fn end(&self) -> u64;
    fn began_ns(&self) -> u64;
}

impl Pending for Bio {
    fn end(&self) -> u64 {
        self.end
    }

    fn began_ns(&self) -> u64 {
        self.queue_ns
    }
}

impl Pending for DeviceRequest {
    fn end(&self) -> u64 {
        self.end
    }

    fn began_ns(&self) -> u64 {
        self.issue_ns
    }
}

/// The sectors that an event speaks of.
pub(super) const fn sectors(event: &BlockEvent) -> Range<u64> {
    event.sector..event.sector.saturating_add(event.bytes.div_ceil(SECTOR_BYTES))
}

/// Steps that are looked back for one that began before a sector.
const LOOK_BACK: usize = 64;

/// What is on its way at one device, by where it begins.
#[derive(Clone, Debug)]
pub(super) struct PendingTable<V> {
    /// Where each begins, and which of `values` it is.
    order: SectorOrder,
    /// What is on its way, and what was before in places that are free.
    values: Vec<V>,
    free: Vec<u32>,
    most: usize,
    given_up: u64,
}

impl<V: Pending + Copy> PendingTable<V> {
    pub(super) const fn new(most: usize) -> Self {
        Self { order: SectorOrder::new(), values: Vec::new(), free: Vec::new(), most, given_up: 0 }
    }

    /// Adds one. When there are too many, the older half is given up first, and true comes back.
    pub(super) fn insert(&mut self, sector: u64, value: V) -> bool {
        let is_full = self.len() >= self.most;
        if is_full {
            self.give_up_older_half();
        }
        let place = match self.free.pop() {
            Some(place) => {
                self.values[place as usize] = value;
                place
            }
            None => {
                self.values.push(value);
                // There are never more than `most`.
                self.values.len() as u32 - 1
            }
        };
        self.order.insert((sector, place));
        is_full
    }

    /// Whoever began half of them ago never ends: its completion was lost.
    fn give_up_older_half(&mut self) {
        let mut times: Vec<u64> = self.values().map(Pending::began_ns).collect();
        let before = times.len();
        let middle = before / 2;
        let (_, limit, _) = times.select_nth_unstable(middle);
        let limit = *limit;
        let Self { order, values, free, .. } = self;
        order.retain(|key| {
            let is_kept = values[key.1 as usize].began_ns() > limit;
            if !is_kept {
                free.push(key.1);
            }
            is_kept
        });
        self.given_up += (before - self.len()) as u64;
    }

    /// The first that begins in this very sector and is wanted.
    pub(super) fn find(&mut self, sector: u64, wanted: impl Fn(&V) -> bool) -> Option<&mut V> {
        let Self { order, values, .. } = self;
        let here = order.at_or_after(sector).take_while(|(_, key)| key.0 == sector);
        let mut places = here.map(|(_, key)| key.1 as usize);
        let place = places.find(|place| wanted(&values[*place]))?;
        values.get_mut(place)
    }

    /// Takes out the first that begins in this very sector and is wanted.
    pub(super) fn take(&mut self, sector: u64, wanted: impl Fn(&V) -> bool) -> Option<V> {
        let Self { order, values, free, .. } = self;
        let found = order
            .at_or_after(sector)
            .take_while(|(_, key)| key.0 == sector)
            .find(|(_, key)| wanted(&values[key.1 as usize]));
        let (place, key) = found?;
        order.remove(place);
        free.push(key.1);
        Some(values[key.1 as usize])
    }

    /// Puts into `found` what lies wholly in `range` and is wanted, one after another: of two
    /// that overlap only the first, since a request has every sector once.
    pub(super) fn covered(&mut self, range: &Range<u64>, wanted: impl Fn(&V) -> bool, found: &mut Vec<Key>) {
        found.clear();
        let mut reached = range.start;
        let Self { order, values, .. } = self;
        for (_, key) in order.at_or_after(range.start) {
            if key.0 >= range.end {
                break;
            }
            let value = &values[key.1 as usize];
            if key.0 >= reached && value.end() <= range.end && wanted(value) {
                found.push(key);
                reached = value.end();
            }
        }
    }

    /// The nearest that began before `range` and ends with it: what is completed by the last part
    /// of it. Looks at a few only.
    pub(super) fn ending_with(&self, range: &Range<u64>, wanted: impl Fn(&V) -> bool) -> Option<Key> {
        let mut before = self.order.before(range.start).take(LOOK_BACK);
        before.find(|key| {
            let value = &self.values[key.1 as usize];
            value.end() == range.end && wanted(value)
        })
    }

    /// One that begins in `range` and reaches beyond it.
    pub(super) fn reaching_beyond(&self, range: &Range<u64>, wanted: impl Fn(&V) -> bool) -> Option<Key> {
        let within = self.order.before(range.end).take_while(|key| key.0 >= range.start);
        within.take(LOOK_BACK).find(|key| {
            let value = &self.values[key.1 as usize];
            value.end() > range.end && wanted(value)
        })
    }

    /// What is on its way by this key.
    pub(super) fn at_mut(&mut self, key: Key) -> Option<&mut V> {
        self.values.get_mut(key.1 as usize)
    }

    /// Takes out what is on its way by this key.
    pub(super) fn remove(&mut self, key: Key) -> Option<V> {
        let found = self
            .order
            .at_or_after(key.0)
            .take_while(|(_, other)| other.0 == key.0)
            .find(|(_, other)| *other == key);
        self.order.remove(found?.0);
        self.free.push(key.1);
        self.values.get(key.1 as usize).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// Each with its sector, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &V)> {
        self.order.iter().map(move |key| (key.0, &self.values[key.1 as usize]))
    }

    /// How many were given up because there were too many.
    pub(super) const fn given_up(&self) -> u64 {
        self.given_up
    }
}
