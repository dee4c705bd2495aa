//! `cpu.compress`: bytes per second that threads compress or decompress.

mod codec;
mod content;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::scalar::binary;
use model::trial::Window;
use model::{
    FactName, LoadProfile, MetricSpec, Parameters, Quantity, Unit, Value, WorkloadName, WorkloadSpec, metric,
};

use crate::workload::common::LoadSchedule;
use crate::workload::memory::sizes;
use crate::workload::{
    HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, common, named, profile,
};
use codec::Codec;

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("cpu.compress"),
    definition_version: 1,
    summary: "bytes per second that threads compress or decompress",
    doc: "Each thread compresses (or decompresses) blocks, each by itself, one after another of some MiB of made \
          content, by the C libraries of zstd and LZ4. Throughput counts uncompressed bytes either way. How fast that \
          is depends on the content as much as on the processor: figures compare for the same content, codec, level \
          and block-size only. One operation, as `requests` and `rate` count them, is as many blocks as make 128 KiB, \
          at least one. After the window every block is decompressed and compared with its source.",
    parameters: &[
        ParameterSpec::new("codec", Kind::Choice, "What compresses.").default("zstd").words(&[
            Word { word: "zstd", doc: "Zstandard (RFC 8878), at `level`" },
            Word { word: "lz4", doc: "LZ4's fast mode, in blocks without a frame" },
        ]),
        ParameterSpec::new("operation", Kind::Choice, "What is done with the blocks.")
            .says(Aspect::Operation)
            .default("compress")
            .words(&[
                Word { word: "compress", doc: "the content becomes compressed blocks" },
                Word { word: "decompress", doc: "compressed blocks become the content again" },
            ]),
        ParameterSpec::new("level", Kind::Count, "How hard zstd tries, 1 to 19.")
            .default("3")
            .only_with("codec", &["zstd"]),
        ParameterSpec::new("block-size", Kind::Size, "How much is compressed by itself.")
            .always_told()
            .says(Aspect::Sizes)
            .default("128k"),
        ParameterSpec::new("content", Kind::Choice, "What is compressed.")
            .silent_by_default()
            .says(Aspect::Content)
            .default("text")
            .words(content::WORDS),
    ],
    headline: metric::THROUGHPUT,
    metrics: &[common::THROUGHPUT, COMPRESSION_RATIO, common::CPU_PER_BYTE, common::ELAPSED],
    path: &[Symbol::WorkerCpus],
    examples: &[
        "cpu.compress --codec zstd,lz4",
        "cpu.compress --level 1,3,9,19 --threads all",
        "cpu.compress --operation decompress --content text,compressible",
    ],
};

const COMPRESSION_RATIO: MetricSpec = MetricSpec::higher(
    metric::COMPRESSION_RATIO,
    Unit::One,
    "Bytes of the content for each byte that it was compressed to.",
);

/// The fact that tells how large the blocks are, bytes.
const UNCOMPRESSED: FactName = FactName::new("content_bytes");
/// How large they are when compressed, bytes.
const COMPRESSED: FactName = FactName::new("compressed_bytes");

/// Content of each thread, in bytes, in whole blocks.
const CONTENT_BYTES: usize = 4 << 20;
/// One operation is of so many bytes at least.
const OPERATION_BYTES: u64 = 128 << 10;
const BLOCKS: std::ops::RangeInclusive<u64> = 64..=64 << 20;
/// Levels above want so much memory that they are of no use on a server.
const LEVELS: std::ops::RangeInclusive<u64> = 1..=19;
/// The same content on every machine and in every trial.
const SEED: u64 = 2;

#[derive(Debug)]
pub(crate) struct Compress;

impl Workload for Compress {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedCompress {
            threads: schedule.threads,
            level: parameters.integer(named("level"))?,
            is_zstd: parameters.is_word(named("codec"), "zstd"),
            packs: !parameters.is_word(named("operation"), "decompress"),
            block: parameters.integer(named("block-size"))?,
            content: parameters.text(named("content"))?.to_owned(),
        }))
    }
}

#[derive(Clone, Debug)]
struct PlannedCompress {
    threads: u64,
    level: u64,
    is_zstd: bool,
    packs: bool,
    block: u64,
    content: String,
}

impl Planned for PlannedCompress {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        let Self { threads, block, level, .. } = *self;
        if !BLOCKS.contains(&block) {
            return Err(Problem::invalid(
                format!("a block-size of {block} bytes is none that is worth compressing by itself"),
                format!("from {} bytes to {}", BLOCKS.start(), binary(*BLOCKS.end())),
            ));
        }
        if !LEVELS.contains(&level) {
            return Err(Problem::invalid(
                format!("zstd has no level {level} here"),
                format!("from {} to {}", LEVELS.start(), LEVELS.end()),
            ));
        }
        // Content, compressed content, and what zstd works with at high levels.
        let memory_bytes = (3 * block.max(CONTENT_BYTES as u64) + (64 << 20)).saturating_mul(threads);
        let users = format!("{threads} threads");
        sizes::fitting(memory_bytes, host, &users, "use a smaller block-size or fewer threads")
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let blocks = Flow::only(OperationClass::Compute, FlowUnit::Bytes).of_bytes(self.block);
        profile::of_one(base, WaitsFor::Processor, blocks)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(self.clone()))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        if let (Some(Value::Integer(content)), Some(Value::Integer(packed @ 1..))) =
            (outcome.facts.get(&UNCOMPRESSED), outcome.facts.get(&COMPRESSED))
        {
            let quantity = Quantity { value: *content as f64 / *packed as f64, unit: COMPRESSION_RATIO.unit };
            metrics.insert(COMPRESSION_RATIO.name, quantity);
        }
        metrics
    }
}

impl PlannedCompress {
    fn blocks(&self) -> u64 {
        (OPERATION_BYTES / self.block).max(1)
    }
}

impl Prepared for PlannedCompress {
    fn operation_bytes(&self) -> u64 {
        self.block * self.blocks()
    }

    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Blocking::new(Packing::new(self)?)))
    }
}

/// One block in all its forms.
struct Block {
    source: Vec<u8>,
    packed: Vec<u8>,
    packed_bytes: usize,
    unpacked: Vec<u8>,
}

/// Takes one block after another.
struct Packing {
    codec: Codec,
    packs: bool,
    blocks: Vec<Block>,
    /// Of one operation.
    at_once: u64,
    at: usize,
    /// Blocks that were taken since the begin.
    taken: usize,
}

impl Packing {
    fn new(ready: &PlannedCompress) -> Result<Self, Fault> {
        let mut codec = if ready.is_zstd { Codec::zstd(ready.level as i32)? } else { Codec::Lz4 };
        let block = ready.block as usize;
        let count = (CONTENT_BYTES / block).max(1);
        let content = content::make(&ready.content, count * block, SEED);
        let blocks = content.chunks_exact(block).map(|source| {
            let mut packed = vec![0; Codec::bound(source.len())];
            let packed_bytes = codec.pack(source, &mut packed)?;
            Ok(Block { source: source.to_vec(), packed, packed_bytes, unpacked: vec![0; source.len()] })
        });
        let blocks = blocks.collect::<Result<Vec<_>, Fault>>()?;
        Ok(Self { codec, packs: ready.packs, blocks, at_once: ready.blocks(), at: 0, taken: 0 })
    }

    fn step(&mut self) -> Result<u64, Fault> {
        let block = &mut self.blocks[self.at];
        if self.packs {
            block.packed_bytes = self.codec.pack(&block.source, &mut block.packed)?;
        } else {
            self.codec.unpack(&block.packed[..block.packed_bytes], &mut block.unpacked)?;
        }
        let bytes = block.source.len() as u64;
        self.at = (self.at + 1) % self.blocks.len();
        self.taken += 1;
        Ok(bytes)
    }
}

impl Operate for Packing {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        let mut bytes = 0;
        for _ in 0..self.at_once {
            bytes += self.step()?;
        }
        Ok(bytes)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        for (number, block) in self.blocks.iter_mut().enumerate() {
            let was_unpacked = !self.packs && number < self.taken;
            let was_right = !was_unpacked || block.unpacked == block.source;
            let unpacked = self.codec.unpack(&block.packed[..block.packed_bytes], &mut block.unpacked);
            let is_right = unpacked.is_ok_and(|bytes| bytes == block.source.len());
            if !was_right || !is_right || block.unpacked != block.source {
                return Err(Fault::Verification(format!(
                    "block {number}, compressed and decompressed, is not what it was"
                )));
            }
        }
        Ok(())
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let sum =
            |of: &dyn Fn(&Block) -> usize| Value::Integer(self.blocks.iter().map(of).sum::<usize>() as u64);
        vec![(UNCOMPRESSED, sum(&|b| b.source.len())), (COMPRESSED, sum(&|b| b.packed_bytes))]
    }
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use super::*;

    fn ready(level: Option<u64>, packs: bool, content: &str, block: u64) -> PlannedCompress {
        let (is_zstd, level, content) = (level.is_some(), level.unwrap_or(3), content.to_owned());
        PlannedCompress { threads: 1, level, is_zstd, packs, block, content }
    }

    #[test]
    fn every_codec_brings_back_every_content_and_a_wrong_byte_is_found() {
        for level in [None, Some(1), Some(3)] {
            for content in content::WORDS {
                for (packs, block) in [(true, 64), (true, 100_000), (false, 1 << 20)] {
                    let mut packing = Packing::new(&ready(level, packs, content.word, block)).unwrap();
                    for index in 0..3 {
                        let bytes = packing.operate(Operation { index, sequence: index }).unwrap();
                        assert_eq!(bytes, ready(level, packs, content.word, block).operation_bytes());
                    }
                    packing.verify().unwrap();
                    packing.blocks[0].source[9] ^= 1;
                    assert!(packing.verify().is_err(), "{level:?} {}", content.word);
                }
            }
        }
    }

    #[test]
    fn what_is_compressed_twice_as_well_has_twice_the_ratio() {
        let packed = |content: &str| {
            let packing = Packing::new(&ready(Some(3), true, content, 128 << 10)).unwrap();
            packing.blocks.iter().map(|b| b.packed_bytes).sum::<usize>() as f64
        };
        let ratio = packed("random") / packed("compressible");
        assert!((1.9..2.1).contains(&ratio), "{ratio}");
    }

    #[test]
    fn blocks_and_levels_that_make_no_sense_are_refused() {
        let survey = |name: &str, value: u64, memory: u64| {
            let mut p = Parameters::default();
            [("threads", 1), ("block-size", 4096), ("level", 3)]
                .iter()
                .for_each(|(n, v)| p.set(ParameterName::intern(n).unwrap(), *v as u64));
            p.set(ParameterName::intern(name).unwrap(), value);
            crate::workload::survey(
                &Compress,
                p,
                &HostInfo { memory_available: memory, ..HostInfo::default() },
            )
        };
        assert!(survey("block-size", 0, 1 << 30).unwrap_err().message.contains("block-size"));
        assert!(survey("block-size", 1 << 40, 1 << 30).is_err());
        assert!(survey("level", 20, 1 << 30).unwrap_err().message.contains("level 20"));
        assert!(survey("threads", 1000, 1 << 30).unwrap_err().message.contains("memory"));
        assert!(survey("level", 1, 1 << 30).is_ok());
    }
}
