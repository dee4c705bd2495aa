//! The thread that empties the kernel's buffers.
//!
//! One thread for all CPUs, which does nothing but copy: as long as there are whole pages it takes them, lot by lot
//! and CPU by CPU, then it sleeps for as long as no CPU can have filled half of its buffer, and on until a
//! quarter of one is full or a moment has passed. What it read is handed over once for all CPUs, so that there is one
//! wake-up for some tens of milliseconds. Each time that nothing was left of a CPU, it says until when all events of
//! that CPU were read. If nobody takes what it read, it waits, and the kernel counts what it overwrites meanwhile.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use trace::ring::{LOT_BYTES, PageLot};

use super::clock::now_ns;
use super::priority::AnalysisPriority;

/// A byte of events takes a CPU so long at least: an event has some 80 bytes and takes 400 ns (`trace-cost-zram` in
/// docs/performance.md, with a reader that only copies).
const NS_PER_BYTE: u64 = 5;
/// How long it sleeps at least: old kernels wake up for every event.
const SHORTEST_SLEEP: Duration = Duration::from_millis(5);
/// How long it sleeps at most without a look at how full the buffers are, and with.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_millis(100);
/// An event has its time before it is in the buffer. Between the two there may be an
/// interrupt, and on a virtual machine the time of others.
const SLACK_NS: u64 = 10_000_000;
/// So many lots are handed over before all was read: 2 MiB.
const LOTS_AT_ONCE: usize = 32;
/// All lots together have at most so many times the room of the kernel's buffers, and at most so many bytes.
const ROOM_FACTOR: u64 = 16;
const ROOM_MAX: u64 = 64 << 20;

/// What was read since the last time.
#[derive(Debug, Default)]
pub(super) struct BufferRead {
    /// Pages with the number of their stream, in order.
    pub(super) lots: Vec<(usize, PageLot)>,
    /// Streams of which all up to a time was read, with these lots.
    pub(super) complete: Vec<(usize, u64)>,
    /// Streams that cannot be read any more, and why.
    pub(super) failed: Vec<(usize, String)>,
}

/// How many lots of pages there may be, for the buffers of `cpus` CPUs of so many bytes.
pub(super) fn lots_max(buffer_bytes: u64, cpus: usize) -> usize {
    let room = buffer_bytes.saturating_mul(cpus as u64).saturating_mul(ROOM_FACTOR).min(ROOM_MAX);
    let lots = usize::try_from(room / LOT_BYTES as u64).unwrap_or(usize::MAX);
    // Of each CPU one is being filled while one is being read.
    lots.max(2 * cpus + 4)
}

/// Reads the buffers of all CPUs.
#[derive(Debug)]
pub(super) struct BufferReader {
    /// The `trace_pipe_raw` of each stream, which must not block; none of one that cannot be read any more.
    pub(super) pipes: Vec<Option<File>>,
    pub(super) page_bytes: usize,
    /// The buffer of each CPU.
    pub(super) buffer_bytes: u64,
    /// That the trace has ended: what is there is read, and no more.
    pub(super) is_over: Arc<AtomicBool>,
    pub(super) filled: Sender<BufferRead>,
    pub(super) lots: LotStore,
    /// That of the thread that takes what was read.
    pub(super) priority: Arc<AnalysisPriority>,
}

/// That nobody wants to have the events any more.
struct Unwanted;

/// Lots that go back and forth.
#[derive(Debug)]
pub(super) struct LotStore {
    emptied: Receiver<PageLot>,
    spare: Vec<PageLot>,
    made: usize,
    most: usize,
}

impl LotStore {
    /// At most so many, which come back by `emptied`.
    pub(super) fn new(most: usize, emptied: Receiver<PageLot>) -> Self {
        Self { emptied, spare: Vec::new(), made: 0, most }
    }

    /// One to be filled; nothing where all are under way.
    fn lot(&mut self, page_bytes: usize) -> Option<PageLot> {
        self.collect();
        if self.spare.is_empty() && self.made < self.most {
            self.made += 1;
            return Some(PageLot::new(page_bytes));
        }
        self.spare.pop()
    }

    fn collect(&mut self) {
        let emptied = self.emptied.try_iter().map(|mut lot| {
            lot.clear();
            lot
        });
        self.spare.extend(emptied);
    }

    /// Whether somebody must hurry (half of them are under way), or need not (an eighth at most).
    fn is_pressing(&self) -> Option<bool> {
        let away = self.made - self.spare.len();
        if away >= self.most / 2 {
            Some(true)
        } else if away <= self.most / 8 {
            Some(false)
        } else {
            None
        }
    }

    /// Waits until one comes back.
    fn wait(&mut self) -> Result<(), Unwanted> {
        let mut lot = self.emptied.recv().map_err(|_| Unwanted)?;
        lot.clear();
        self.spare.push(lot);
        Ok(())
    }
}

/// What came of reading one CPU's pages into a lot.
enum LotRead {
    /// It is full, and there may be more.
    Full,
    /// Nothing is left.
    All,
    Failed(String),
}

impl BufferReader {
    /// Reads until the trace is over.
    pub(super) fn run(mut self) {
        loop {
            let is_last = self.is_over.load(Ordering::Acquire);
            if is_last {
                // An event may just be written.
                std::thread::sleep(SHORTEST_SLEEP);
            }
            if self.drain().is_err() || is_last || self.pipes.iter().all(Option::is_none) {
                return;
            }
            self.wait();
        }
    }

    /// Reads and hands over all that is there: of each CPU a lot in turn, so that none is far ahead of the others.
    fn drain(&mut self) -> Result<(), Unwanted> {
        let mut read = BufferRead::default();
        let mut open: Vec<usize> =
            (0..self.pipes.len()).filter(|index| self.pipes[*index].is_some()).collect();
        while !open.is_empty() {
            let mut still_open = Vec::with_capacity(open.len());
            for index in open {
                let mut lot = self.lot(&mut read)?;
                let began_ns = now_ns();
                let Some(pipe) = &mut self.pipes[index] else {
                    self.lots.spare.push(lot);
                    continue;
                };
                let came = fill(pipe, &mut lot);
                if lot.pages() > 0 {
                    read.lots.push((index, lot));
                } else {
                    self.lots.spare.push(lot);
                }
                match came {
                    LotRead::Full => still_open.push(index),
                    LotRead::All => read.complete.push((index, began_ns.saturating_sub(SLACK_NS))),
                    LotRead::Failed(reason) => {
                        self.pipes[index] = None;
                        read.failed.push((index, reason));
                    }
                }
                if read.lots.len() >= LOTS_AT_ONCE {
                    self.hand_over(&mut read)?;
                }
            }
            open = still_open;
        }
        self.hand_over(&mut read)
    }

    /// A lot to be filled. Where all are under way, what was read is handed over, and one is waited for.
    fn lot(&mut self, read: &mut BufferRead) -> Result<PageLot, Unwanted> {
        loop {
            if let Some(lot) = self.lots.lot(self.page_bytes) {
                return Ok(lot);
            }
            self.hand_over(read)?;
            self.lots.wait()?;
        }
    }

    fn hand_over(&self, read: &mut BufferRead) -> Result<(), Unwanted> {
        if let Some(is_pressing) = self.lots.is_pressing() {
            self.priority.set_low(!is_pressing);
        }
        self.filled.send(std::mem::take(read)).map_err(|_| Unwanted)
    }

    /// Waits until there is enough to do.
    fn wait(&self) {
        let asleep = sleep_for(self.buffer_bytes);
        // Whoever ends the trace ends this, too.
        std::thread::park_timeout(asleep);
        if self.is_over.load(Ordering::Acquire) {
            return;
        }
        let mut polled: Vec<PollFd<'_>> =
            self.pipes.iter().flatten().map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
        if let Ok(timeout) = Timespec::try_from(LONGEST_WAIT.saturating_sub(asleep)) {
            // Without it the buffers are only looked at more often.
            let _ = poll(&mut polled, Some(&timeout));
        }
    }
}

/// For how long no CPU can fill half of its buffer.
fn sleep_for(buffer_bytes: u64) -> Duration {
    let half_full = Duration::from_nanos((buffer_bytes / 2).saturating_mul(NS_PER_BYTE));
    half_full.clamp(SHORTEST_SLEEP, LONGEST_SLEEP)
}

/// Reads pages until the lot is full or nothing is left.
fn fill(pipe: &mut File, lot: &mut PageLot) -> LotRead {
    loop {
        let Some(room) = lot.room() else { return LotRead::Full };
        match pipe.read(room) {
            Ok(0) => return LotRead::All,
            Ok(length) => lot.push(length),
            Err(e) if e.kind() == ErrorKind::WouldBlock => return LotRead::All,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return LotRead::Failed(e.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::sync::mpsc::channel;

    use rustix::pipe::{PipeFlags, pipe_with};

    use super::*;

    const PAGE: usize = 4096;

    #[test]
    fn nobody_sleeps_for_longer_than_half_a_buffer_takes() {
        assert_eq!(sleep_for(8 << 10), SHORTEST_SLEEP);
        assert_eq!(sleep_for(8_000_000), Duration::from_millis(20));
        assert_eq!(sleep_for(1 << 30), LONGEST_SLEEP);
        assert!(sleep_for(1 << 30) <= LONGEST_WAIT);
    }

    #[test]
    fn there_are_enough_lots_and_not_too_many() {
        assert_eq!(lots_max(16 << 20, 2), 1024);
        assert_eq!(lots_max(1 << 20, 2), 512);
        assert_eq!(lots_max(8 << 10, 2), 8);
        assert_eq!(lots_max(u64::MAX, 1000), 2004);
    }

    #[test]
    fn a_store_is_pressing_from_a_half_to_an_eighth() {
        let (empty, emptied) = channel();
        let mut store = LotStore::new(16, emptied);
        let lots: Vec<PageLot> = (0..8).map(|_| store.lot(PAGE).unwrap()).collect();
        assert_eq!(store.is_pressing(), Some(true));
        let mut found = Vec::new();
        for lot in lots {
            empty.send(lot).unwrap();
            store.collect();
            found.push(store.is_pressing());
        }
        assert_eq!(found[..5], [None; 5]);
        assert_eq!(found[5..], [Some(false); 3]);
    }

    /// A pipe that gives what was written in the end of it that is dropped here, and then nothing more.
    fn pipe_of(pages: &[u8]) -> File {
        let (reader, writer): (OwnedFd, OwnedFd) = pipe_with(PipeFlags::NONBLOCK).unwrap();
        let mut writer = File::from(writer);
        for byte in pages {
            writer.write_all(&[*byte; PAGE]).unwrap();
        }
        File::from(reader)
    }

    #[test]
    fn all_pages_come_in_order_and_a_full_store_waits_for_what_was_read() {
        let (filled, reads) = channel();
        let (empty, emptied) = channel();
        let pages: Vec<u8> = (1..=12).collect();
        let reader = BufferReader {
            pipes: vec![Some(pipe_of(&pages)), None, Some(pipe_of(&[77]))],
            page_bytes: PAGE,
            buffer_bytes: 1 << 20,
            is_over: Arc::new(AtomicBool::new(true)),
            filled,
            // One lot for both.
            lots: LotStore::new(1, emptied),
            priority: Arc::default(),
        };
        let thread = std::thread::spawn(move || reader.run());
        let (mut found, mut complete) = (Vec::new(), Vec::new());
        for read in reads {
            assert!(read.failed.is_empty() && read.lots.len() <= 1, "{read:?}");
            for (index, lot) in read.lots {
                found.extend((0..lot.pages()).map(|page| (index, lot.page(page)[0], lot.page(page).len())));
                // After the last one nobody waits for it.
                let _ = empty.send(lot);
            }
            complete.extend(read.complete.iter().map(|(index, _)| *index));
        }
        thread.join().unwrap();
        let expected = pages.iter().map(|byte| (0, *byte, PAGE)).chain([(2, 77, PAGE)]);
        assert!(found.iter().copied().eq(expected), "{found:?}");
        assert_eq!(complete, [0, 2]);
    }

    #[test]
    fn it_ends_when_nobody_wants_the_pages() {
        let (filled, reads) = channel();
        let (empty, emptied) = channel();
        let reader = BufferReader {
            pipes: vec![Some(pipe_of(&[1]))],
            page_bytes: PAGE,
            buffer_bytes: 1 << 20,
            is_over: Arc::default(),
            filled,
            lots: LotStore::new(1, emptied),
            priority: Arc::default(),
        };
        drop((reads, empty));
        // It would read on until the trace is over.
        reader.run();
    }
}
