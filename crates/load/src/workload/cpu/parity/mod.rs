//! `cpu.parity`: data bytes per second for which threads make the parity of a
//! RAID 5 or RAID 6.

mod field;
mod kernel;

use engine::fault::Fault;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::scalar::binary;
use model::{FactName, LoadProfile, Parameters, Value, WorkloadName, WorkloadSpec, metric};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workload::common::LoadSchedule;
use crate::workload::cpu::vectors::{AskedSet, Set, VECTORS};
use crate::workload::memory::sizes;
use crate::workload::{HostInfo, LoadContext, Planned, Requirements, Workload, common, named, profile};
use field::Field;
use kernel::{STEP, Stripe};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("cpu.parity"),
    definition_version: 1,
    summary: "bytes per second for which RAID 5 or RAID 6 parity is made",
    doc: "Each thread makes the parity of a stripe of its own again and again: the exclusive or of the data chunks, \
          and for RAID 6 also their weighted sum, as Linux md and ZFS do it, with the widest vectors that the \
          processor has. It is the most that writing whole stripes can reach with so many threads; RAID with its \
          locks and queues comes to less. Throughput counts data, not parity. At the defaults a stripe takes 512 KiB, \
          which fits the second-level cache of most server processors; a larger chunk-size or more disks go beyond. \
          One operation, as `requests` and `rate` count them, is as many stripes as hold about 1 MiB of data, at least \
          one. After the window two lost chunks are recovered by another way and compared.",
    parameters: &[
        ParameterSpec::new("raid", Kind::Choice, "Which parity is made.").default("raid6").words(&[
            Word { word: "raid5", doc: "P alone: one disk may be lost" },
            Word { word: "raid6", doc: "P and Q: two disks may be lost" },
        ]),
        ParameterSpec::new("disks", Kind::Count, "Disks of the RAID, those of the parity too.").default("8"),
        ParameterSpec::new("chunk-size", Kind::Size, "How much of a stripe lies on one disk.").default("64k"),
        VECTORS,
    ],
    headline: metric::THROUGHPUT,
    metrics: &[common::THROUGHPUT, common::CPU_PER_BYTE, common::ELAPSED],
    path: &[Symbol::WorkerCpus],
    examples: &[
        "cpu.parity --raid raid5,raid6",
        "cpu.parity --disks 4,8,16 --chunk-size 64k,512k",
        "cpu.parity --vectors scalar,auto --threads 1,all",
    ],
};

/// Data disks at most: the powers of the generator repeat after 255.
const DATA_MOST: u64 = 255;
/// The largest chunk that md and its like are used with is some MiB.
const CHUNK_MOST: u64 = 16 << 20;
/// One operation makes parity for about so many bytes.
const OPERATION_BYTES: u64 = 1 << 20;
/// Places of a chunk that are recovered at most, spread over all of it.
const RECOVERED: usize = 1 << 18;

#[derive(Debug)]
pub(crate) struct Parity;

impl Workload for Parity {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedParity {
            threads: schedule.threads,
            vectors: AskedSet::of(parameters)?,
            parities: if parameters.is_word(named("raid"), "raid5") { 1 } else { 2 },
            disks: parameters.integer(named("disks"))?,
            chunk: parameters.integer(named("chunk-size"))?,
        }))
    }
}

#[derive(Debug)]
struct PlannedParity {
    threads: u64,
    vectors: AskedSet,
    /// Chunks of a stripe that hold parity.
    parities: u64,
    disks: u64,
    chunk: u64,
}

impl Planned for PlannedParity {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        self.vectors.checked()?;
        let Self { threads, parities, disks, chunk, .. } = *self;
        if !(parities + 2..=parities + DATA_MOST).contains(&disks) {
            return Err(Problem::invalid(
                format!("{disks} disks make no RAID {}", 4 + parities),
                format!("from {} to {}, of which {parities} hold parity", parities + 2, parities + DATA_MOST),
            ));
        }
        if !chunk.is_multiple_of(STEP as u64) || !(STEP as u64..=CHUNK_MOST).contains(&chunk) {
            return Err(Problem::invalid(
                format!("a chunk-size of {chunk} bytes is none that parity is made in"),
                format!("a multiple of {STEP} bytes, at most {}", binary(CHUNK_MOST)),
            ));
        }
        let memory_bytes = (disks * (chunk + GAP as u64)).saturating_mul(threads);
        let users = format!("{threads} threads x {disks} chunks of {}", binary(chunk));
        sizes::fitting(memory_bytes, host, &users, "use a smaller chunk-size, fewer disks or fewer threads")
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let bytes = Flow::only(OperationClass::Compute, FlowUnit::Bytes);
        profile::of_one(base, WaitsFor::Processor, bytes)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let set = self.vectors.checked()?;
        let data = self.disks.saturating_sub(self.parities) as usize;
        Ok(Box::new(PreparedParity::new(set, self.parities == 2, data, self.chunk as usize)))
    }
}

#[derive(Clone, Copy, Debug)]
struct PreparedParity {
    set: Set,
    both: bool,
    data: usize,
    chunk: usize,
    stripes: u64,
}

impl PreparedParity {
    fn new(set: Set, both: bool, data: usize, chunk: usize) -> Self {
        let stripes = (OPERATION_BYTES / ((data * chunk) as u64).max(1)).max(1);
        Self { set, both, data, chunk, stripes }
    }

    fn disks(self) -> usize {
        self.data + 1 + usize::from(self.both)
    }
}

impl Prepared for PreparedParity {
    fn operation_bytes(&self) -> u64 {
        (self.data * self.chunk) as u64 * self.stripes
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let stripe = (self.disks() * self.chunk) as u64;
        vec![
            (FactName::new("vectors"), Value::Text(self.set.to_string())),
            (FactName::new("stripe"), Value::Text(binary(stripe))),
        ]
    }

    fn worker(&self, _seat: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        // Made and filled by the thread that uses it.
        Ok(Box::new(Blocking::new(Making::new(*self, seed))))
    }
}

/// Between two chunks: without it, the same place of all chunks would fall into
/// the same few lines of a cache, because chunks are powers of two. Blocks of a
/// real stripe lie anywhere.
const GAP: usize = 192;

/// Memory aligned as the widest vectors want it.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Makes the parity of one stripe over and over.
struct Making {
    ready: PreparedParity,
    lines: Vec<Line>,
    made: bool,
}

impl Making {
    fn new(ready: PreparedParity, seed: u64) -> Self {
        let lines = ready.disks() * (ready.chunk + GAP) / size_of::<Line>();
        let mut making = Self { ready, lines: vec![Line([0; 64]); lines], made: false };
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        for line in &mut making.lines {
            generator.fill_bytes(&mut line.0);
        }
        making
    }

    fn byte(&self, disk: usize, place: usize) -> u8 {
        let at = disk * (self.ready.chunk + GAP) + place;
        self.lines[at / size_of::<Line>()].0[at % size_of::<Line>()]
    }

    fn make(&mut self) {
        let PreparedParity { set, both, data, chunk, .. } = self.ready;
        let start = self.lines.as_mut_ptr().cast::<u8>();
        let stride = chunk + GAP;
        let p = start.wrapping_add(data * stride);
        let q = if both { p.wrapping_add(stride) } else { p };
        let stripe = Stripe { start, stride, data, chunk, p, q };
        // SAFETY: the lines are ours and hold a chunk and a gap for each disk;
        // chunk and gap are multiples of 64; the processor has the set.
        unsafe {
            if both {
                kernel::make::<true>(set, stripe);
            } else {
                kernel::make::<false>(set, stripe);
            }
        }
        self.made = true;
    }

    /// Recovers the first and the last chunk of the data, or one where there is
    /// one parity.
    fn check(&self) -> Result<(), Fault> {
        let PreparedParity { both, data, chunk, .. } = self.ready;
        let field = Field::new();
        let lost = (0, data - 1);
        for place in (0..chunk).step_by((chunk / RECOVERED).max(1)) {
            let bytes = (0..data).map(|disk| self.byte(disk, place));
            let p = self.byte(data, place);
            let right = if both {
                let found = field.recover(bytes, lost, (p, self.byte(data + 1, place)));
                found == (self.byte(lost.0, place), self.byte(lost.1, place))
            } else {
                bytes.skip(1).fold(p, |p, byte| p ^ byte) == self.byte(0, place)
            };
            if !right {
                return Err(Fault::Verification(format!(
                    "byte {place} of a lost chunk is not what the parity gives back"
                )));
            }
        }
        Ok(())
    }
}

impl Operate for Making {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        for _ in 0..self.ready.stripes {
            self.make();
        }
        Ok(self.ready.operation_bytes())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.made { self.check() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(raid: &str, disks: u64, chunk: u64) -> Parameters {
        let mut p = Parameters::default();
        p.set(named("raid"), raid);
        p.set(named("disks"), disks);
        p.set(named("chunk-size"), chunk);
        p
    }

    #[test]
    fn arrays_that_make_no_sense_are_refused() {
        let host = HostInfo { memory_available: 1 << 30, ..HostInfo::default() };
        let survey =
            |raid, disks, chunk| crate::workload::survey(&Parity, parameters(raid, disks, chunk), &host);
        assert!(survey("raid5", 2, 4096).unwrap_err().message.contains("RAID 5"));
        assert!(survey("raid6", 3, 4096).unwrap_err().message.contains("RAID 6"));
        assert!(survey("raid6", 258, 4096).is_err());
        assert!(survey("raid6", 257, 4096).is_ok());
        for chunk in [0, 100, 129, 32 << 20] {
            assert!(survey("raid6", 8, chunk).unwrap_err().message.contains("chunk-size"), "{chunk}");
        }
        assert!(survey("raid6", 200, 16 << 20).unwrap_err().message.contains("memory"));
    }

    #[test]
    fn every_operation_can_be_recovered_from_and_a_wrong_byte_is_found() {
        for (both, data) in [(false, 2), (false, 7), (true, 2), (true, 6)] {
            let ready = PreparedParity::new(Set::of("auto"), both, data, 4096);
            let mut making = Making::new(ready, 7);
            assert!(making.check().is_err(), "nothing was made yet");
            let bytes = making.operate(Operation { index: 0, sequence: 0 }).unwrap();
            assert!((1 << 19..=1 << 20).contains(&bytes), "{bytes}");
            making.verify().unwrap();
            let at = making.ready.data * (4096 + GAP) / 64 + 3;
            making.lines[at].0[5] ^= 1;
            assert!(making.verify().is_err(), "{both} {data}");
        }
    }
}
