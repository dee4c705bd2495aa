//! Whether there is a next operation.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::queue::Operation;
use crate::schedule::WorkerIndex;

/// When a load ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopRule {
    /// After so many nanoseconds of the window.
    Time(u64),
    /// After so many operations of all workers, started in the window.
    Operations(u64),
    /// When so many bytes have been moved by all workers: as many operations
    /// as that takes.
    Bytes(u64),
    /// When each worker has come to the end of its share of the target.
    End,
    /// When the target has no space left, which each worker finds out, or has
    /// come to the end that was set for it.
    Full,
    /// When the main load ends: for loads that run with it.
    FollowMain,
}

/// Set in the index of an operation of the warm-up, so that it goes to other
/// places than any that counts.
pub const REHEARSED: u64 = 1 << 63;

/// What the workers of one load share about stopping.
///
/// Every worker reads the flag at each operation; whoever takes tickets must not
/// take the flag's cache line with them.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct SharedStop {
    /// Set once: no further operation starts.
    pub flag: AtomicBool,
    claimed: Tickets,
}

impl SharedStop {
    /// Where the tickets lie.
    #[cfg(test)]
    pub(crate) fn tickets_at(&self) -> usize {
        &raw const self.claimed as usize
    }
}

/// The number of the next ticket, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Tickets(AtomicU64);

/// One worker's view of its load's stop rule.
#[derive(Debug)]
pub struct Stop<'a> {
    shared: &'a SharedStop,
    worker_index: WorkerIndex,
    sequence: u64,
    limit: Limit,
}

#[derive(Debug)]
enum Limit {
    /// Until the flag is set or the window closes.
    None,
    /// So many more of this worker's own.
    Own(u64),
    /// Tickets from the shared counter, a batch at a time.
    Shared { total: u64, batch: u64, next: u64, end: u64 },
}

impl<'a> Stop<'a> {
    /// The view of worker `worker_index`. `operation_bytes` are what one operation
    /// moves, `to_end` the operations to the end of the worker's share.
    #[must_use]
    pub fn new(
        shared: &'a SharedStop,
        rule: StopRule,
        worker_index: WorkerIndex,
        operation_bytes: u64,
        to_end: Option<u64>,
    ) -> Self {
        let tickets = |total: u64| {
            // Small enough that workers end together, large enough that the
            // counter is rarely touched.
            let batch = (total / (worker_index.of as u64 * 64)).clamp(1, 1024);
            Limit::Shared { total, batch, next: 0, end: 0 }
        };
        let limit = match rule {
            StopRule::Time(_) | StopRule::FollowMain => Limit::None,
            StopRule::Operations(total) => tickets(total),
            StopRule::Bytes(bytes) => tickets(bytes.div_ceil(operation_bytes.max(1))),
            StopRule::End => Limit::Own(to_end.unwrap_or(0)),
            StopRule::Full => Limit::Own(to_end.unwrap_or(u64::MAX)),
        };
        Self { shared, worker_index, sequence: 0, limit }
    }

    /// Whether somebody asked all workers to stop.
    #[inline]
    #[must_use]
    pub fn asked(&self) -> bool {
        self.shared.flag.load(Ordering::Relaxed)
    }

    /// The next operation, or `None` when this worker has no more.
    #[inline]
    pub fn claim(&mut self) -> Option<Operation> {
        let sequence = self.sequence;
        let own_index = self.worker_index.index as u64 + sequence * self.worker_index.of as u64;
        let index = match &mut self.limit {
            Limit::None => own_index,
            Limit::Own(left) => {
                *left = left.checked_sub(1)?;
                own_index
            }
            Limit::Shared { total, batch, next, end } => {
                if *next == *end {
                    *next = self.shared.claimed.0.fetch_add(*batch, Ordering::Relaxed);
                    *end = (*next + *batch).min(*total);
                    if *next >= *total {
                        *next = *total;
                        *end = *total;
                        return None;
                    }
                }
                *next += 1;
                *next - 1
            }
        };
        self.sequence += 1;
        Some(Operation { index, sequence })
    }

    /// An operation of the warm-up: it uses up nothing of the limit.
    #[inline]
    pub fn rehearse(&mut self) -> Operation {
        let sequence = self.sequence;
        self.sequence += 1;
        let index = self.worker_index.index as u64 + sequence * self.worker_index.of as u64;
        Operation { index: index | REHEARSED, sequence }
    }

    /// Whether the rule counts operations, so that those of the warm-up must be
    /// told apart.
    #[inline]
    #[must_use]
    pub fn counts(&self) -> bool {
        !matches!(self.limit, Limit::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(rule: StopRule, workers: usize, bytes: u64, to_end: Option<u64>) -> Vec<u64> {
        let shared = SharedStop::default();
        let mut indices = Vec::new();
        for index in 0..workers {
            let mut stop = Stop::new(&shared, rule, WorkerIndex { index, of: workers }, bytes, to_end);
            while let Some(operation) = stop.claim() {
                indices.push(operation.index);
            }
        }
        indices.sort_unstable();
        indices
    }

    #[test]
    fn operations_are_given_out_once_each_and_no_more() {
        for total in [1, 7, 1000, 100_003] {
            let indices = all(StopRule::Operations(total), 3, 0, None);
            assert_eq!(indices, (0..total).collect::<Vec<_>>());
        }
    }

    #[test]
    fn bytes_are_rounded_up_to_whole_operations() {
        assert_eq!(all(StopRule::Bytes(10_000), 2, 4096, None).len(), 3);
    }

    #[test]
    fn each_worker_goes_to_its_own_end() {
        assert_eq!(all(StopRule::End, 4, 4096, Some(5)).len(), 20);
    }
}
