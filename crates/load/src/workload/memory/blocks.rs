//! `memory.blocks`: sysbench's memory test, the same work, so that figures
//! compare.
//!
//! The loops are written in instructions because compilers differ: Debian's
//! sysbench 1.0.20 is built by GCC with loops unrolled eight times, and its
//! writes work out the value of each word from the distance to the end, so that
//! they take four instructions a word; rustc would make vectors of it or
//! none of it. Random access is what the source says in any compiler: a word at
//! `uniform double x words`, the double from xoroshiro128+.

use std::sync::Arc;

use engine::fault::Fault;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, SharedAccess, WaitsFor};
use model::resource::Symbol;
use model::scalar::binary;
use model::{LoadProfile, Parameters, WorkloadName, WorkloadSpec, metric};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoroshiro128Plus;

use crate::workload::common::LoadSchedule;
use crate::workload::memory::buffer::Buffer;
use crate::workload::memory::pages::Pages;
use crate::workload::memory::sizes;
use crate::workload::{HostInfo, LoadContext, Planned, Requirements, Workload, common, named, profile};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("memory.blocks"),
    definition_version: 1,
    summary: "one small block of memory, read or written again and again (sysbench memory)",
    doc: "One operation passes once over one block in words of 8 bytes, with the instructions of sysbench 1.0.20. The \
          block is the same each time, so it stays in a cache: this is no measurement of memory, and below some \
          16 KiB most of it is the cost of an operation, not of the words. That cost is lower here than in sysbench, \
          which reads the clock twice and takes a logarithm for each event; so rates of small blocks are higher here, \
          and those of blocks from 1 MiB up are the same. Use memory.bandwidth and memory.latency to measure caches \
          and memory.",
    parameters: &[
        ParameterSpec::new("block-size", Kind::Size, "The block, a power of two.")
            .always_told()
            .says(Aspect::Sizes)
            .default("1k"),
        ParameterSpec::new("operation", Kind::Choice, "What is done with each word.")
            .says(Aspect::Operation)
            .default("write")
            .words(&[
                Word { word: "read", doc: "each word is read" },
                Word { word: "write", doc: "each word is written" },
            ]),
        ParameterSpec::new("access", Kind::Choice, "In which order.").default("sequential").words(&[
            Word { word: "sequential", doc: "one after the other" },
            Word { word: "random", doc: "as many words as the block has, each at a random place" },
        ]),
        ParameterSpec::new("scope", Kind::Choice, "Whose the block is.").default("global").words(&[
            Word { word: "global", doc: "one for all threads" },
            Word { word: "local", doc: "one for each thread" },
        ]),
        common::BYTES,
    ],
    headline: metric::OPERATIONS_PER_SECOND,
    metrics: &[
        common::OPERATIONS,
        common::THROUGHPUT,
        common::ELAPSED,
        common::LATENCY_P50,
        common::LATENCY_P99,
        common::LATENCY_MAX,
        common::CPU_PER_OPERATION,
        common::RATE_HELD,
        common::LATE_STARTS,
        common::UNFINISHED,
    ],
    path: &[Symbol::WorkerCpus, Symbol::Memory],
    examples: &[
        "memory.blocks",
        "memory.blocks --block-size 1k,1m --operation read,write",
        "memory.blocks --bytes 100g --threads 16",
    ],
};

/// Bytes of a word.
const WORD: usize = size_of::<u64>();

#[derive(Debug)]
pub(crate) struct Blocks;

impl Workload for Blocks {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedBlocks {
            threads: schedule.threads,
            block: parameters.integer(named("block-size"))?,
            write: parameters.text(named("operation"))? == "write",
            random: parameters.text(named("access"))? == "random",
            local: parameters.text(named("scope"))? == "local",
        }))
    }
}

#[derive(Debug)]
struct PlannedBlocks {
    threads: u64,
    block: u64,
    write: bool,
    random: bool,
    local: bool,
}

impl Planned for PlannedBlocks {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        let block = self.block;
        // As in sysbench; below 64 bytes there is nothing to unroll.
        if !block.is_power_of_two() || block < 64 {
            return Err(Problem::invalid(
                format!("a block of {block} bytes is no power of two of at least 64"),
                "sysbench's default is 1k",
            ));
        }
        let blocks = if self.local { self.threads } else { 1 };
        let memory_bytes = Pages::Auto.rounded(block).saturating_mul(blocks);
        let users = format!("{blocks} x {}", binary(block));
        sizes::fitting(memory_bytes, host, &users, "use a smaller block-size")
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let blocks = Flow::only(OperationClass::Access, FlowUnit::Operations).of_bytes(self.block);
        let shared = if self.write { SharedAccess::Write } else { SharedAccess::Read };
        let profile = profile::of_one(base, WaitsFor::Memory, blocks);
        LoadProfile { shared: (!self.local).then_some(shared), ..profile }
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let Self { write, random, .. } = *self;
        let bytes = self.block as usize;
        let global = if self.local { None } else { Some(Arc::new(touched(bytes)?)) };
        Ok(Box::new(PreparedBlocks { bytes, write, random, global }))
    }
}

/// A block of zeros, every page of which is there.
fn touched(bytes: usize) -> Result<Buffer, Fault> {
    let mut buffer = Buffer::new(bytes)?;
    buffer.as_mut_slice().fill(0);
    Ok(buffer)
}

#[derive(Debug)]
struct PreparedBlocks {
    bytes: usize,
    write: bool,
    random: bool,
    global: Option<Arc<Buffer>>,
}

impl Prepared for PreparedBlocks {
    fn operation_bytes(&self) -> u64 {
        self.bytes as u64
    }

    fn worker(&self, _seat: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let buffer = match &self.global {
            Some(global) => Arc::clone(global),
            None => Arc::new(touched(self.bytes)?),
        };
        let block = Block { buffer, words: self.bytes / WORD };
        // One type for each loop, so that none is chosen while time counts.
        let worker: Box<dyn Worker> = match (self.random, self.write) {
            (false, false) => Box::new(Blocking::new(Sequential::<false> { block })),
            (false, true) => Box::new(Blocking::new(Sequential::<true> { block })),
            (true, false) => Box::new(Blocking::new(Random::<false>::new(block, seed))),
            (true, true) => Box::new(Blocking::new(Random::<true>::new(block, seed))),
        };
        Ok(worker)
    }
}

/// A block, perhaps of several threads: it is touched by single instructions
/// only, never through a reference.
#[derive(Debug)]
struct Block {
    buffer: Arc<Buffer>,
    words: usize,
}

impl Block {
    fn start(&self) -> *mut u64 {
        self.buffer.as_mut_ptr().cast()
    }

    fn bytes(&self) -> u64 {
        (self.words * WORD) as u64
    }

    fn word(&self, index: usize) -> u64 {
        // SAFETY: a word of the block.
        unsafe { self.start().add(index).read_volatile() }
    }

    /// Whether word `index` is one of these.
    fn expect(&self, index: usize, wanted: impl Fn(u64) -> bool) -> Result<(), Fault> {
        let found = self.word(index);
        if wanted(found) {
            return Ok(());
        }
        Err(Fault::Verification(format!("word {index} of the block holds {found}, which nobody wrote")))
    }
}

/// One word after the other.
#[derive(Debug)]
struct Sequential<const WRITE: bool> {
    block: Block,
}

impl<const WRITE: bool> Operate for Sequential<WRITE> {
    #[inline]
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        let (start, words) = (self.block.start(), self.block.words);
        // SAFETY: the block has so many words, at least eight and a power of two.
        unsafe { if WRITE { write_words(start, words) } else { read_words(start, words) } };
        Ok(self.block.bytes())
    }

    fn buffers(&self) -> Vec<std::ops::Range<*const u8>> {
        vec![self.block.buffer.range()]
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let words = self.block.words;
        // Once more, for a trial that was over before this thread came to it.
        self.operate(Operation { index: 0, sequence: 0 })?;
        // The distance to the end, as sysbench writes it.
        (0..words).try_for_each(|i| self.block.expect(i, |v| v == if WRITE { (words - i) as u64 } else { 0 }))
    }
}

/// As many words as the block has, each at a random place.
#[derive(Debug)]
struct Random<const WRITE: bool> {
    block: Block,
    random: Xoroshiro128Plus,
}

impl<const WRITE: bool> Random<WRITE> {
    fn new(block: Block, seed: u64) -> Self {
        Self { block, random: Xoroshiro128Plus::seed_from_u64(seed) }
    }
}

impl<const WRITE: bool> Operate for Random<WRITE> {
    #[inline]
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        let (start, words) = (self.block.start(), self.block.words);
        for i in 0..words {
            // The upper 53 bits as a number from 0 to below 1.
            let uniform = (self.random.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
            let place = (uniform * words as f64) as usize;
            // SAFETY: below the number of words, as the factor is below 1 and a
            // power of two makes the product exact.
            unsafe {
                let word = start.add(place);
                if WRITE {
                    word.write_volatile((i * WORD) as u64);
                } else {
                    let _ = word.read_volatile();
                }
            }
        }
        Ok(self.block.bytes())
    }

    fn buffers(&self) -> Vec<std::ops::Range<*const u8>> {
        vec![self.block.buffer.range()]
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let words = self.block.words;
        // sysbench writes how many bytes it had written.
        let written =
            |v: u64| if WRITE { v < self.block.bytes() && v.is_multiple_of(WORD as u64) } else { v == 0 };
        (0..words).try_for_each(|i| self.block.expect(i, written))
    }
}

/// Reads each of `words` words: the loop of `event_seq_read` in sysbench 1.0.20,
/// with GCC's eight loads a round.
///
/// # Safety
/// `start` must be readable for `words` words, a multiple of eight.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn read_words(start: *const u64, words: usize) {
    // SAFETY: reads within the caller's range; writes nothing.
    unsafe {
        core::arch::asm!(
            ".p2align 6",
            "2:",
            "mov {word}, [{at}]",
            "mov {word}, [{at} + 8]",
            "mov {word}, [{at} + 16]",
            "mov {word}, [{at} + 24]",
            "mov {word}, [{at} + 32]",
            "mov {word}, [{at} + 40]",
            "mov {word}, [{at} + 48]",
            "mov {word}, [{at} + 56]",
            "add {at}, 64",
            "cmp {end}, {at}",
            "ja 2b",
            at = inout(reg) start => _,
            end = in(reg) start.wrapping_add(words),
            word = out(reg) _,
            options(readonly, nostack)
        );
    }
}

/// Writes each of `words` words with its distance to the end: the loop of
/// `event_seq_write`, likewise.
///
/// # Safety
/// `start` must be writable for `words` words, a multiple of eight.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn write_words(start: *mut u64, words: usize) {
    macro_rules! steps {
        ($($offset:literal)*) => {
            // SAFETY: writes within the caller's range only.
            unsafe {
                core::arch::asm!(
                    ".p2align 6",
                    "2:",
                    "mov {value}, {end}",
                    "sub {value}, {at}",
                    "sar {value}, 3",
                    "mov [{at}], {value}",
                    $(
                        concat!("lea {word}, [{at} + ", $offset, "]"),
                        "mov {value}, {end}",
                        "sub {value}, {word}",
                        "sar {value}, 3",
                        concat!("mov [{at} + ", $offset, "], {value}"),
                    )*
                    "add {at}, 64",
                    "cmp {end}, {at}",
                    "ja 2b",
                    at = inout(reg) start => _,
                    end = in(reg) start.wrapping_add(words),
                    word = out(reg) _,
                    value = out(reg) _,
                    options(nostack)
                );
            }
        };
    }
    steps!(8 16 24 32 40 48 56);
}

/// Other processors: as the source says it.
///
/// # Safety
/// As above.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn read_words(start: *const u64, words: usize) {
    for i in 0..words {
        // SAFETY: the caller's range.
        let _ = unsafe { start.add(i).read_volatile() };
    }
}

/// Other processors: as the source says it.
///
/// # Safety
/// As above.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn write_words(start: *mut u64, words: usize) {
    for i in 0..words {
        // SAFETY: the caller's range.
        unsafe { start.add(i).write_volatile((words - i) as u64) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Operation = Operation { index: 0, sequence: 0 };

    fn block(words: usize) -> Block {
        // A word more, which must stay as it is.
        Block { buffer: Arc::new(touched((words + 1) * WORD).unwrap()), words }
    }

    #[test]
    fn each_word_is_written_with_its_distance_to_the_end_and_none_behind() {
        for words in [8, 64, 128, 2048] {
            let mut work = Sequential::<true> { block: block(words) };
            assert_eq!(work.operate(ANY).unwrap(), (words * 8) as u64);
            let found: Vec<_> = (0..=words).map(|i| work.block.word(i)).collect();
            let mut wanted: Vec<_> = (1..=words as u64).rev().collect();
            wanted.push(0);
            assert_eq!(found, wanted);
            work.verify().unwrap();
        }
    }

    #[test]
    fn random_writes_stay_inside_and_reach_everywhere() {
        let mut work = Random::<true>::new(block(64), 5);
        (0..50).for_each(|_| assert_eq!(work.operate(ANY).unwrap(), 512));
        work.verify().unwrap();
        assert_eq!(work.block.word(64), 0);
        // Of 3200 words none is likely to be missed: 64 x (63/64)^3200 is 1e-20.
        // The value 0 is one in 64, so some stay 0.
        let zeros = (0..64).filter(|i| work.block.word(*i) == 0).count();
        assert!(zeros < 10, "{zeros}");
    }

    #[test]
    fn what_nobody_wrote_is_found() {
        let mut reading = Sequential::<false> { block: block(8) };
        reading.verify().unwrap();
        // SAFETY: a word of the block.
        unsafe { reading.block.start().add(3).write(1) };
        let fault = reading.verify().unwrap_err();
        assert!(fault.to_string().contains("word 3"), "{fault}");
        let mut random = Random::<true>::new(block(8), 1);
        // SAFETY: a word of the block.
        unsafe { random.block.start().add(7).write(5) };
        random.verify().unwrap_err();
    }

    #[test]
    fn blocks_that_sysbench_would_not_take_are_refused() {
        let survey = |block: u64, scope: &str| {
            let mut parameters = Parameters::default();
            parameters.set(named("threads"), 4u64);
            parameters.set(named("block-size"), block);
            parameters.set(named("scope"), scope);
            let host = HostInfo { memory_available: 1 << 20, ..HostInfo::default() };
            crate::workload::survey(&Blocks, parameters, &host).map(|needs| needs.memory_bytes)
        };
        assert_eq!(survey(4096, "global"), Ok(4096));
        assert_eq!(survey(4096, "local"), Ok(16384));
        assert!(survey(1000, "global").unwrap_err().message.contains("power of two"));
        assert!(survey(32, "global").is_err());
        assert!(survey(512 << 10, "global").is_ok());
        assert!(survey(512 << 10, "local").unwrap_err().message.contains("1 MiB are free"));
    }
}
