//! The streams of all CPUs as one, in order of time.
//!
//! Events of one CPU are in order. So the earliest one at hand is the next, as soon as no CPU
//! of which nothing is at hand can have an earlier one. For that, who reads a CPU says until
//! when all of its events were read. What is held back stays in the kernel's pages, and an event
//! is decoded when it is its turn: nothing is copied or kept for each. To bound the memory, no
//! more than so many lots of pages are held back: if a CPU is silent for that long, the earliest
//! goes on without waiting for it. What comes after a later one for this reason is given as it
//! comes, and counted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::decode::{CpuDecoder, DecodeCounts, Decoded};
use super::page_lot::PageLot;
use super::page_stream::PageStream;
use super::sync_calls::{CallEnd, SyncCalls};
use crate::event::TraceRecord;

/// Puts the streams of CPUs together.
#[derive(Debug)]
pub struct StreamMerge {
    streams: Vec<PageStream>,
    /// The time of the next event of each stream, where one is at hand.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
    /// Lots that are held back.
    held: usize,
    held_max: usize,
    /// Lots of which all was taken.
    emptied: Vec<PageLot>,
    calls: SyncCalls,
    last_ns: u64,
    late: u64,
}

impl StreamMerge {
    /// Of the CPUs that have these decoders, holding back at most `held_max` lots of pages.
    #[must_use]
    pub fn new(decoders: Vec<CpuDecoder>, held_max: usize) -> Self {
        Self {
            streams: decoders.into_iter().map(PageStream::new).collect(),
            heads: BinaryHeap::new(),
            held: 0,
            held_max,
            emptied: Vec::new(),
            calls: SyncCalls::default(),
            last_ns: 0,
            late: 0,
        }
    }

    /// Takes the next pages of the stream `index`. What is of no stream is dropped.
    pub fn push(&mut self, index: usize, lot: PageLot) {
        let Some(stream) = self.streams.get_mut(index) else { return };
        let was_silent = stream.head_ns().is_none();
        let emptied_before = self.emptied.len();
        stream.push(lot, &mut self.emptied);
        self.held = (self.held + 1).saturating_sub(self.emptied.len() - emptied_before);
        if let Some(time_ns) = stream.head_ns().filter(|_| was_silent) {
            self.heads.push(Reverse((time_ns, index)));
        }
    }

    /// Says that all events of the stream `index` up to then were pushed.
    pub fn complete_to(&mut self, index: usize, time_ns: u64) {
        if let Some(stream) = self.streams.get_mut(index) {
            stream.complete_to(time_ns);
        }
    }

    /// Says that nothing more comes of the stream `index`.
    pub fn end(&mut self, index: usize) {
        if let Some(stream) = self.streams.get_mut(index) {
            stream.is_ended = true;
        }
    }

    /// Puts what is certain to be next behind `out`: at most `most` records. Says whether that was all.
    pub fn take(&mut self, out: &mut Vec<TraceRecord>, most: usize) -> bool {
        let full = out.len().saturating_add(most);
        let silent = self.streams.iter().filter(|stream| stream.head_ns().is_none() && !stream.is_ended);
        let mut limit_ns = silent.map(PageStream::complete_ns).min().unwrap_or(u64::MAX);
        while let Some(Reverse(head)) = self.heads.pop() {
            if head.0 > limit_ns && self.held <= self.held_max {
                self.heads.push(Reverse(head));
                return true;
            }
            if out.len() >= full {
                self.heads.push(Reverse(head));
                return false;
            }
            match self.take_one_stream(head, limit_ns, out, full) {
                Some(time_ns) => self.heads.push(Reverse((time_ns, head.1))),
                None => {
                    let stream = &self.streams[head.1];
                    if !stream.is_ended {
                        limit_ns = limit_ns.min(stream.complete_ns());
                    }
                }
            }
        }
        true
    }

    /// Takes the stream that has the earliest event, as far as no other one has an earlier. Gives the time of its
    /// next event; nothing where none is at hand.
    fn take_one_stream(
        &mut self,
        (mut time_ns, index): (u64, usize),
        limit_ns: u64,
        out: &mut Vec<TraceRecord>,
        full: usize,
    ) -> Option<u64> {
        let other = self.heads.peek().map_or((u64::MAX, usize::MAX), |Reverse(head)| *head);
        loop {
            self.late += u64::from(time_ns < self.last_ns);
            self.last_ns = self.last_ns.max(time_ns);
            let emptied_before = self.emptied.len();
            let stream = self.streams.get_mut(index)?;
            let decoded = stream.take(&mut self.emptied);
            let next = stream.head_ns();
            self.held = self.held.saturating_sub(self.emptied.len() - emptied_before);
            match decoded {
                Some(Decoded::TraceRecord(record)) => out.push(record),
                Some(call) => out.extend(self.call(call)),
                None => {}
            }
            time_ns = next?;
            let must_wait = time_ns > limit_ns && self.held <= self.held_max;
            if must_wait || (time_ns, index) > other || out.len() >= full {
                return next;
            }
        }
    }

    fn call(&mut self, decoded: Decoded) -> Option<TraceRecord> {
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

    /// The lots of which all was taken, to be filled again.
    pub fn emptied(&mut self) -> impl Iterator<Item = PageLot> {
        self.emptied.drain(..)
    }

    /// How many lots are held back.
    #[must_use]
    pub const fn held(&self) -> usize {
        self.held
    }

    /// How many events came after a later one.
    #[must_use]
    pub const fn late(&self) -> u64 {
        self.late
    }

    /// How many calls began and did not end.
    #[must_use]
    pub fn unfinished_calls(&self) -> u64 {
        self.calls.unfinished()
    }

    /// How much was read of each stream.
    #[must_use]
    pub fn counts(&self) -> Vec<DecodeCounts> {
        self.streams.iter().map(|stream| stream.decoder().counts()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::event_format::FormatField;
    use super::super::event_layout::{EVENTS, TraceLayout};
    use super::super::page_header::PageHeader;
    use super::*;

    const PAGE: usize = 256;

    /// The begin and the end of fsync, and nothing else.
    fn merge(streams: u32, held_max: usize) -> StreamMerge {
        let field = |offset, size| FormatField { offset, size, is_signed: false };
        let header = PageHeader { timestamp: field(0, 8), commit: field(8, 8), data: field(16, 240) };
        let mut layout = TraceLayout::new(header, 4096, Vec::new());
        for (id, name) in [(1, "sys_enter_fsync"), (2, "sys_exit_fsync")] {
            let text = format!(
                "name: {name}\nID: {id}\nfield:unsigned short common_type; offset:0; size:2; signed:0;\n\
                 field:int common_pid; offset:4; size:4; signed:1;\nfield:long ret; offset:8; size:8; signed:1;\n"
            );
            layout.add(EVENTS.iter().find(|event| event.name == name).unwrap(), &text).unwrap();
        }
        let layout = Arc::new(layout);
        let decoder = |cpu| CpuDecoder::new(Arc::clone(&layout), cpu, Box::new(|_| None));
        StreamMerge::new((0..streams).map(decoder).collect(), held_max)
    }

    /// A page of that time with these bytes of entries, and whether events were lost before it.
    fn page(time_ns: u64, is_after_loss: bool, entries: &[u8]) -> Vec<u8> {
        let commit = entries.len() as u64 | u64::from(is_after_loss) << 31;
        let mut bytes = [&time_ns.to_ne_bytes()[..], &commit.to_ne_bytes()[..], entries].concat();
        bytes.resize(PAGE, 0);
        bytes
    }

    fn lot(pages: &[Vec<u8>]) -> PageLot {
        let mut lot = PageLot::new(PAGE);
        for page in pages {
            lot.room().unwrap().copy_from_slice(page);
            lot.push(page.len());
        }
        lot
    }

    /// A page for each of these times, which says that events were lost.
    fn losses(times: &[u64]) -> PageLot {
        let pages: Vec<Vec<u8>> = times.iter().map(|time_ns| page(*time_ns, true, &[])).collect();
        lot(&pages)
    }

    /// The event `id` of a thread, so long after the one before.
    fn call(id: u16, thread: u32, after_ns: u32) -> Vec<u8> {
        let words = 4_u32;
        let head =
            if cfg!(target_endian = "little") { after_ns << 5 | words } else { words << 27 | after_ns };
        let mut bytes = head.to_ne_bytes().to_vec();
        bytes.extend(id.to_ne_bytes());
        bytes.extend([0; 2]);
        bytes.extend(thread.to_ne_bytes());
        bytes.extend([0; 8]);
        bytes
    }

    fn taken(merge: &mut StreamMerge) -> Vec<u64> {
        let mut out = Vec::new();
        assert!(merge.take(&mut out, usize::MAX));
        out.iter().map(TraceRecord::time_ns).collect()
    }

    #[test]
    fn nothing_is_given_before_what_may_come_first() {
        let mut merge = merge(2, 100);
        merge.push(0, losses(&[5, 8]));
        assert_eq!((taken(&mut merge), merge.held()), (vec![], 1));
        merge.complete_to(1, 6);
        assert_eq!(taken(&mut merge), [5]);
        merge.push(1, losses(&[7]));
        // What comes of 0 after 8 cannot be earlier, nor of 1 after 7.
        assert_eq!(taken(&mut merge), [7]);
        merge.end(1);
        assert_eq!(taken(&mut merge), [8]);
        assert_eq!((merge.held(), merge.late(), merge.emptied().count()), (0, 0, 2));
    }

    #[test]
    fn events_of_many_streams_come_in_order_however_few_are_taken_at_once() {
        let mut merge = merge(3, 100);
        merge.push(0, losses(&[1, 2, 9, 10]));
        merge.push(1, losses(&[2, 3, 8]));
        merge.push(2, losses(&[4]));
        merge.push(1, losses(&[11]));
        (0..3).for_each(|index| merge.end(index));
        let (mut out, mut takes) = (Vec::new(), 0);
        while !merge.take(&mut out, 2) {
            takes += 1;
            assert_eq!(out.len(), 2 * takes);
        }
        let times: Vec<u64> = out.iter().map(TraceRecord::time_ns).collect();
        assert_eq!(times, [1, 2, 2, 3, 4, 8, 9, 10, 11]);
        assert_eq!((merge.held(), merge.late(), merge.emptied().count()), (0, 0, 4));
        let pages: Vec<u64> = merge.counts().iter().map(|counts| counts.pages).collect();
        assert_eq!(pages, [4, 4, 1]);
    }

    #[test]
    fn no_more_is_held_than_allowed_and_what_comes_late_is_counted() {
        let mut merge = merge(2, 3);
        for time_ns in 1..=5 {
            merge.push(0, losses(&[time_ns]));
        }
        assert_eq!(taken(&mut merge), [1, 2]);
        merge.push(1, losses(&[1]));
        merge.complete_to(1, 9);
        assert_eq!(taken(&mut merge), [1, 3, 4, 5]);
        assert_eq!(merge.late(), 1);
        merge.push(7, losses(&[1]));
        assert_eq!(merge.held(), 0);
    }

    #[test]
    fn a_page_without_events_and_one_that_is_garbled_hold_nothing_up() {
        let mut merge = merge(1, 100);
        let short = page(3, false, &[0xff; 4]);
        merge.push(0, lot(&[page(1, false, &[]), short.clone()]));
        assert_eq!((merge.held(), merge.emptied().count()), (0, 1));
        merge.push(0, lot(&[short, page(4, true, &[])]));
        merge.complete_to(0, 5);
        assert_eq!(taken(&mut merge), [4]);
        let counts = merge.counts()[0];
        assert_eq!((counts.pages, counts.garbled_pages, counts.events), (4, 2, 0));
    }

    #[test]
    fn a_call_may_end_on_another_cpu() {
        let mut merge = merge(2, 100);
        merge.push(1, lot(&[page(0, false, &call(1, 7, 1))]));
        let entries = [call(2, 7, 4), call(1, 8, 1), call(3, 8, 1)].concat();
        merge.push(0, lot(&[page(0, false, &entries)]));
        merge.end(0);
        merge.end(1);
        let mut out = Vec::new();
        assert!(merge.take(&mut out, 10));
        assert!(
            matches!(out[..], [TraceRecord::Synced { began_ns: 1, ended_ns: 4, thread: 7, .. }]),
            "{out:?}"
        );
        assert_eq!(merge.unfinished_calls(), 1);
        let counts = merge.counts();
        assert_eq!((counts[0].events, counts[0].other_events, counts[1].events), (3, 1, 1));
    }
}
