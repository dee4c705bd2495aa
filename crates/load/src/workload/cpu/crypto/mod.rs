//! `cpu.crypto`: bytes per second that threads encrypt or hash.

mod cipher;
mod hardware;
mod openssl;

use std::sync::Arc;

use engine::fault::Fault;
use engine::queue::{Blocking, Operate, Operation};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::scalar::binary;
use model::{FactName, LoadProfile, Parameters, Value, WorkloadName, WorkloadSpec, fact, metric};

use crate::workload::common::LoadSchedule;
use crate::workload::memory::sizes;
use crate::workload::{HostInfo, LoadContext, Planned, Requirements, Workload, common, named, profile};
use cipher::{Algorithm, Cipher, CipherLibrary, KEY_BYTES, Tag};
use hardware::FeatureGuard;

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("cpu.crypto"),
    definition_version: 1,
    summary: "bytes per second that threads encrypt or hash",
    doc: "Each thread encrypts (or hashes) a block of its own again and again, in place, with a key of its own: by \
          AWS-LC or the machine's OpenSSL, whose code is chosen by what the processor can do. The block stays in the cache, so this is what \
          the processor computes: the most that a disk encryption layer can do with so many threads, before it has \
          waited for anything. XTS takes a block as one data unit under a tweak of its own; dm-crypt uses data units \
          of 512 or 4096 bytes, so that a block-size of 512 or 4k is its work. GCM and ChaCha20-Poly1305 seal every \
          block under a fresh nonce and make its tag. One operation, as `requests` and `rate` count them, is as many \
          blocks as make 1 MiB, at least one. Published answers and the last block are checked after the window.",
    parameters: &[
        ParameterSpec::new("algorithm", Kind::Choice, "What is computed.").default("aes-256-xts").words(&[
            Word { word: "aes-256-xts", doc: "AES-XTS with two keys of 256 bits, as disks are encrypted" },
            Word { word: "aes-256-gcm", doc: "AES-GCM: encryption with a tag, as in TLS" },
            Word { word: "sha-256", doc: "a digest" },
            Word { word: "chacha20-poly1305", doc: "encryption with a tag that needs no cipher instructions" },
        ]),
        ParameterSpec::new("block-size", Kind::Size, "How much is encrypted or hashed at once.").always_told().says(Aspect::Sizes).default("4k"),
        ParameterSpec::new(
            "hardware",
            Kind::Flag,
            "Whether the processor's cipher instructions and wide vectors may be used. Without, 128-bit vectors \
             stay.",
        )
        .default("yes"),
        ParameterSpec::new("library", Kind::Choice, "Whose code computes.").default("aws-lc").words(&[
            Word { word: "aws-lc", doc: "AWS-LC, which is part of Headroom: the same on every machine" },
            Word { word: "openssl", doc: "libcrypto.so.3 of this machine, which most of its programs use" },
        ]),
    ],
    headline: metric::THROUGHPUT,
    metrics: &[common::THROUGHPUT, common::CPU_PER_BYTE, common::ELAPSED],
    path: &[Symbol::WorkerCpus],
    examples: &[
        "cpu.crypto --hardware yes,no",
        "cpu.crypto --algorithm aes-256-gcm,sha-256 --block-size 1k..64k",
        "cpu.crypto --library aws-lc,openssl --threads 1,all",
    ],
};

/// What the instructions are called without which AES takes a multiple of the time.
const AES: &str = "AES";

/// The longest data unit of XTS: 2^20 blocks of AES (IEEE 1619-2007, 5.1).
const XTS_MOST: u64 = 16 << 20;
/// Longer than anybody seals at once.
const MOST: u64 = 256 << 20;
/// The least that XTS encrypts: one block of AES.
const XTS_LEAST: u64 = 16;
/// One operation computes so many bytes: long beside the clock, short beside a
/// window.
const OPERATION_BYTES: u64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct Crypto;

impl Workload for Crypto {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let word = parameters.text(named("algorithm"))?;
        let unknown = || Problem::invalid(format!("`{word}` is no algorithm of cpu.crypto"), "");
        Ok(Box::new(PlannedCrypto {
            threads: schedule.threads,
            algorithm: Algorithm::of(word).ok_or_else(unknown)?,
            block: parameters.integer(named("block-size"))?,
            hardware: parameters.flag(named("hardware"))?,
            library: CipherLibrary::of(parameters.text(named("library"))?).ok_or_else(unknown)?,
        }))
    }
}

#[derive(Debug)]
struct PlannedCrypto {
    threads: u64,
    algorithm: Algorithm,
    block: u64,
    hardware: bool,
    library: CipherLibrary,
}

impl Planned for PlannedCrypto {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        let Self { threads, block, .. } = *self;
        let (least, most) = match self.algorithm {
            Algorithm::Xts => (XTS_LEAST, XTS_MOST),
            _ => (1, MOST),
        };
        if !(least..=most).contains(&block) {
            return Err(Problem::invalid(
                format!("a block-size of {block} bytes is none that this algorithm takes"),
                format!("from {least} bytes to {}", binary(most)),
            ));
        }
        if !hardware::SWITCHABLE && !self.hardware {
            return Err(Problem::refused(
                "cipher instructions of this kind of processor cannot be switched off",
                "leave hardware out",
            ));
        }
        if self.library == CipherLibrary::OpenSsl {
            if !self.hardware {
                return Err(Problem::refused(
                    "what OpenSSL uses of the processor cannot be switched off from outside",
                    "leave hardware out, or take library=aws-lc",
                ));
            }
            if let Err(why) = self.library.version() {
                return Err(Problem::refused(
                    format!("OpenSSL 3 cannot be used here: {why}"),
                    "install it (libssl3), or take library=aws-lc",
                ));
            }
        }
        let memory_bytes = block.saturating_mul(threads);
        let users = format!("{threads} threads x {}", binary(block));
        sizes::fitting(memory_bytes, host, &users, "use a smaller block-size or fewer threads")
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let blocks = Flow::only(OperationClass::Compute, FlowUnit::Bytes).of_bytes(self.block);
        profile::of_one(base, WaitsFor::Processor, blocks)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let Self { algorithm, block, library, .. } = *self;
        let held = Arc::new(FeatureGuard::take(self.hardware)?);
        let blocks = (OPERATION_BYTES / block).max(1);
        Ok(Box::new(PreparedCrypto { library, algorithm, block, blocks, held }))
    }
}

#[derive(Debug)]
struct PreparedCrypto {
    library: CipherLibrary,
    algorithm: Algorithm,
    block: u64,
    /// Of one operation.
    blocks: u64,
    held: Arc<FeatureGuard>,
}

impl Prepared for PreparedCrypto {
    fn operation_bytes(&self) -> u64 {
        self.block * self.blocks
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let library = Value::Text(self.library.version().unwrap_or_default());
        let mut facts = vec![(FactName::new("cipher_library"), library)];
        // OpenSSL does not tell.
        if self.library == CipherLibrary::AwsLc {
            let instructions = self.held.instructions();
            let told = if instructions.is_empty() { "none".to_owned() } else { instructions.join(", ") };
            facts.push((FactName::new("cipher_instructions"), Value::Text(told)));
            let is_aes = matches!(self.algorithm, Algorithm::Xts | Algorithm::Gcm);
            if is_aes && self.held.allows() && !instructions.contains(&AES) {
                facts.push((fact::INSTRUCTIONS_ABSENT, Value::from(AES)));
            }
        }
        facts
    }

    fn worker(&self, _seat: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        // A key is a secret nowhere here; it only has to differ.
        let key: [u8; KEY_BYTES] = std::array::from_fn(|i| (seed >> (i % 8 * 8)) as u8 ^ (i as u8 * 3 + 1));
        let block = (0..self.block).map(|i| i as u8).collect();
        let Self { library, algorithm, blocks, .. } = *self;
        let (machine, held) = (Cipher::new(library, algorithm, &key)?, Arc::clone(&self.held));
        let work =
            Sealing { machine, library, algorithm, block, blocks, number: 0, tag: [0; 32], _held: held };
        Ok(Box::new(Blocking::new(work)))
    }
}

/// Encrypts one block over and over.
struct Sealing {
    machine: Cipher,
    library: CipherLibrary,
    algorithm: Algorithm,
    block: Vec<u8>,
    blocks: u64,
    /// Of the next block.
    number: u64,
    /// Of the last.
    tag: Tag,
    _held: Arc<FeatureGuard>,
}

impl Operate for Sealing {
    fn operate(&mut self, _operation: Operation) -> Result<u64, Fault> {
        for _ in 0..self.blocks {
            self.tag = self.machine.seal(&mut self.block, self.number)?;
            self.number += 1;
        }
        Ok(self.blocks * self.block.len() as u64)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        cipher::known_answer(self.library, self.algorithm)?;
        if let Some(last) = self.number.checked_sub(1) {
            self.machine.open(&mut self.block, last, &self.tag)?;
        }
        // Once more, so that there is something to compare with what comes back.
        let plain = self.block.clone();
        let tag = self.machine.seal(&mut self.block, self.number)?;
        self.machine.open(&mut self.block, self.number, &tag)?;
        if self.block == plain {
            return Ok(());
        }
        Err(Fault::Verification("a block that was decrypted is not what was encrypted".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use super::*;

    fn survey(algorithm: &str, block: u64, threads: u64) -> Result<Requirements, Problem> {
        let mut p = Parameters::default();
        p.set(named("threads"), threads);
        p.set(named("algorithm"), algorithm);
        p.set(named("block-size"), block);
        p.set(named("hardware"), true);
        p.set(named("library"), "aws-lc");
        crate::workload::survey(&Crypto, p, &HostInfo { memory_available: 1 << 30, ..HostInfo::default() })
    }

    #[test]
    fn blocks_that_make_no_sense_are_refused() {
        for (algorithm, block) in
            [("aes-256-xts", 15), ("aes-256-xts", (16 << 20) + 1), ("sha-256", 0), ("aes-256-gcm", 1 << 40)]
        {
            let problem = survey(algorithm, block, 1).unwrap_err();
            assert!(problem.message.contains("block-size"), "{problem:?}");
        }
        let problem = survey("sha-256", 256 << 20, 4).unwrap_err();
        assert!(problem.message.contains("1 GiB"), "{problem:?}");
        // XTS steals ciphertext for what is left of a block.
        assert!(survey("aes-256-xts", 17, 2).is_ok());
    }

    #[test]
    fn a_block_that_was_changed_after_its_tag_fails_the_verification() {
        let _turn = hardware::TURN.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, algorithm) in Algorithm::ALL.into_iter().filter(|(_, a)| *a != Algorithm::Xts) {
            let held = Arc::new(FeatureGuard::take(true).unwrap());
            let mut work = Sealing {
                machine: Cipher::new(CipherLibrary::AwsLc, algorithm, &[1; KEY_BYTES]).unwrap(),
                library: CipherLibrary::AwsLc,
                algorithm,
                block: vec![5; 100],
                blocks: 3,
                number: 0,
                tag: [0; 32],
                _held: held,
            };
            assert_eq!(work.operate(Operation { index: 0, sequence: 0 }).unwrap(), 300);
            work.verify().unwrap();
            work.operate(Operation { index: 1, sequence: 1 }).unwrap();
            work.block[1] ^= 4;
            assert!(work.verify().is_err(), "{algorithm:?}");
        }
    }
}
