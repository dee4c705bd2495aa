//! The streams of all CPUs as one, in order of time.
//!
//! Events of one CPU are in order. So the earliest one at hand is the next, as soon as no CPU
//! of which nothing is at hand can have an earlier one. For that, who reads a CPU says until
//! when all of its events were read. To bound the memory, no more than so many are held back:
//! if a CPU is silent for that long, the earliest goes on without waiting for it. What comes
//! after a later one for this reason is given as it comes, and counted.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::decode::Decoded;
use super::sync_calls::{CallEnd, SyncCalls};
use crate::event::TraceRecord;

/// What is at hand of one CPU.
#[derive(Debug, Default)]
struct Stream {
    waiting: VecDeque<Decoded>,
    /// All of its events up to here are at hand or were given.
    complete_ns: u64,
    is_ended: bool,
}

/// Puts the streams of CPUs together.
#[derive(Debug)]
pub struct StreamMerge {
    streams: Vec<Stream>,
    /// The time of the first that waits in each stream, where one does.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
    held: usize,
    held_max: usize,
    calls: SyncCalls,
    last_ns: u64,
    late: u64,
}

impl StreamMerge {
    /// Of so many streams, holding back at most `held_max` events.
    #[must_use]
    pub fn new(streams: usize, held_max: usize) -> Self {
        Self {
            streams: std::iter::repeat_with(Stream::default).take(streams).collect(),
            heads: BinaryHeap::new(),
            held: 0,
            held_max,
            calls: SyncCalls::default(),
            last_ns: 0,
            late: 0,
        }
    }

    /// Takes more of the stream `index`, all of which up to `complete_ns` was given so. What
    /// is of no stream is dropped.
    pub fn push(&mut self, index: usize, events: Vec<Decoded>, complete_ns: u64) {
        let Some(stream) = self.streams.get_mut(index) else { return };
        if let (true, Some(first)) = (stream.waiting.is_empty(), events.first()) {
            self.heads.push(Reverse((first.time_ns(), index)));
        }
        let read_to = events.last().map_or(0, Decoded::time_ns);
        stream.complete_ns = stream.complete_ns.max(complete_ns).max(read_to);
        self.held += events.len();
        stream.waiting.extend(events);
    }

    /// Says that nothing more comes of the stream `index`.
    pub fn end(&mut self, index: usize) {
        if let Some(stream) = self.streams.get_mut(index) {
            stream.is_ended = true;
        }
    }

    /// Puts all that is certain to be next behind `out`.
    pub fn take(&mut self, out: &mut Vec<TraceRecord>) {
        let silent = self.streams.iter().filter(|stream| stream.waiting.is_empty() && !stream.is_ended);
        let mut limit_ns = silent.map(|stream| stream.complete_ns).min().unwrap_or(u64::MAX);
        while let Some(&Reverse((time_ns, index))) = self.heads.peek() {
            if time_ns > limit_ns && self.held <= self.held_max {
                break;
            }
            self.heads.pop();
            let stream = &mut self.streams[index];
            let Some(first) = stream.waiting.pop_front() else { continue };
            self.held -= 1;
            match stream.waiting.front() {
                Some(next) => self.heads.push(Reverse((next.time_ns(), index))),
                None if !stream.is_ended => limit_ns = limit_ns.min(stream.complete_ns),
                None => {}
            }
            self.late += u64::from(time_ns < self.last_ns);
            self.last_ns = self.last_ns.max(time_ns);
            out.extend(self.record(first));
        }
    }

    fn record(&mut self, decoded: Decoded) -> Option<TraceRecord> {
        match decoded {
            Decoded::TraceRecord(record) => Some(record),
            Decoded::CallBegan { time_ns, thread, call } => {
                self.calls.began(time_ns, thread, call);
                None
            }
            Decoded::CallEnded { time_ns, thread, task, call, result } => {
                self.calls.ended(CallEnd { time_ns, thread, task, call, result })
            }
        }
    }

    /// How many events are held back.
    #[must_use]
    pub const fn held(&self) -> usize {
        self.held
    }

    /// How many came after a later one.
    #[must_use]
    pub const fn late(&self) -> u64 {
        self.late
    }

    /// How many calls began and did not end.
    #[must_use]
    pub fn unfinished_calls(&self) -> u64 {
        self.calls.unfinished()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::TaskName;

    fn lost(time_ns: u64) -> Decoded {
        Decoded::TraceRecord(TraceRecord::Lost { time_ns, cpu: 0, events: None })
    }

    fn taken(merge: &mut StreamMerge) -> Vec<u64> {
        let mut out = Vec::new();
        merge.take(&mut out);
        out.iter().map(TraceRecord::time_ns).collect()
    }

    #[test]
    fn nothing_is_given_before_what_may_come_first() {
        let mut merge = StreamMerge::new(2, 100);
        merge.push(0, vec![lost(5), lost(8)], 0);
        assert_eq!((taken(&mut merge), merge.held()), (vec![], 2));
        merge.push(1, vec![], 6);
        assert_eq!(taken(&mut merge), [5]);
        merge.push(1, vec![lost(7)], 0);
        // What comes of 0 after 8 cannot be earlier, nor of 1 after 7.
        assert_eq!(taken(&mut merge), [7]);
        merge.end(1);
        assert_eq!(taken(&mut merge), [8]);
        assert_eq!((merge.held(), merge.late()), (0, 0));
    }

    #[test]
    fn no_more_is_held_than_allowed_and_what_comes_late_is_counted() {
        let mut merge = StreamMerge::new(2, 3);
        merge.push(0, (1..=5).map(lost).collect(), 0);
        assert_eq!(taken(&mut merge), [1, 2]);
        merge.push(1, vec![lost(1)], 9);
        assert_eq!(taken(&mut merge), [1, 3, 4, 5]);
        assert_eq!(merge.late(), 1);
        merge.push(7, vec![lost(1)], 0);
        assert_eq!(merge.held(), 0);
    }

    #[test]
    fn a_call_may_end_on_another_cpu() {
        let mut merge = StreamMerge::new(2, 100);
        let task = TaskName::default();
        merge.push(1, vec![Decoded::CallBegan { time_ns: 1, thread: 7, call: "fsync" }], 0);
        let end = Decoded::CallEnded { time_ns: 4, thread: 7, task, call: "fsync", result: 0 };
        merge.push(0, vec![end, Decoded::CallBegan { time_ns: 5, thread: 8, call: "sync" }], 0);
        merge.end(0);
        merge.end(1);
        let mut out = Vec::new();
        merge.take(&mut out);
        assert!(
            matches!(out[..], [TraceRecord::Synced { began_ns: 1, ended_ns: 4, thread: 7, .. }]),
            "{out:?}"
        );
        assert_eq!(merge.unfinished_calls(), 1);
    }
}
