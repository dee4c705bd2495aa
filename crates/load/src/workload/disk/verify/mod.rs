//! `verify`: whether what was written is really there.
//!
//! Every sector of a block that is written is stamped ([`stamp`]) and the worker
//! keeps a ledger of what must be where ([`ledger`]). After the window all of it
//! is read back around the page cache ([`read_back`]), and what is wrong is told
//! apart ([`sector_checker`]): lost (what was there before is there still), stale (an
//! older block of ours), torn (sectors of two writes), misplaced (a block that
//! belongs elsewhere), corrupted (bytes changed), unreadable.
//!
//! So that a worker knows what must be there, nobody else may write there:
//! workers have regions of their own, at random places too. What is read back
//! comes from wherever the device takes it: a drive's own cache may answer for
//! what its medium lost, unless more was written than it holds.

mod ledger;
mod read_back;
mod sector_checker;
mod stamp;

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use engine::drive::WorkerContext;
use engine::fault::Fault;
use model::parameter::Word;
use model::plan::Problem;
use model::scalar::binary;
use model::{FactName, Value, fact};

use crate::workload::disk::access::{Access, Task, common_unit};
use crate::workload::disk::content::Content;
use crate::workload::disk::plan::DiskPlan;
use ledger::Ledger;
use read_back::ReadBack;
use sector_checker::{SectorChecker, VerifyCounts};
use stamp::{SECTOR, WriteStamp};

pub(super) const WORDS: &[Word] = &[
    Word { word: "none", doc: "nothing is read back" },
    Word {
        word: "crc32c",
        doc: "after the window all that was written is read back: checksum, place and age of every sector",
    },
];

/// What contradicts verification.
pub(super) fn check(plan: &DiskPlan) -> Result<(), Problem> {
    if !plan.verifies {
        return Ok(());
    }
    if !plan.pattern.writes() {
        return Err(Problem::invalid(
            "there is nothing to verify: this pattern writes nothing",
            "leave out verify, or use a pattern that writes",
        ));
    }
    if let Content::Zeros | Content::Duplicate(_) = plan.content {
        let what = if plan.content == Content::Zeros { "zeros" } else { "a copy of another" };
        return Err(Problem::invalid(
            format!("verify stamps every sector, so none would be {what}"),
            "use content=random or compressible, or leave out verify",
        ));
    }
    if let Some(odd) = plan.grid().find(|bytes| !bytes.is_multiple_of(SECTOR as u64)) {
        return Err(Problem::invalid(
            format!("verify stamps sectors of 512 bytes, and {odd} is no multiple of that"),
            "use another block-size or offset, or leave out verify",
        ));
    }
    if plan.fills() && plan.threads > 1 {
        return Err(Problem::invalid(
            "several threads that fill a target write into each other's places, so nobody knows what must be there",
            "use threads=1 with verify and until=full",
        ));
    }
    Ok(())
}

/// Bytes of memory that the ledgers of all workers take, of those that are `available`.
pub(super) fn memory_bytes(plan: &DiskPlan, available: u64) -> Result<u64, Problem> {
    if !plan.verifies {
        return Ok(0);
    }
    let (blocks, targets) = (plan.reach()?.1 / common_unit(plan.grid()).max(1), plan.targets.len() as u64);
    let bytes = blocks.saturating_mul(size_of::<u64>() as u64 * targets);
    if bytes <= available / 2 {
        return Ok(bytes);
    }
    Err(Problem::refused(
        format!("to verify it, 8 bytes are kept for each block of the span: {}", binary(bytes)),
        format!("{} of memory are free; use a smaller span or a larger block-size", binary(available)),
    ))
}

/// What the workers of one load share: what they found.
#[derive(Debug)]
pub(super) struct Verdict {
    /// Sets what this trial wrote apart from what others did.
    run: u64,
    tally: Mutex<Option<VerifyErrors>>,
}

#[derive(Clone, Debug, Default)]
struct VerifyErrors {
    tally: VerifyCounts,
    /// Whether some of it was read through the page cache.
    cached: bool,
}

impl Verdict {
    pub(super) fn new() -> Self {
        use std::hash::{BuildHasher, RandomState};
        // The system's random numbers: a trial with the same seed, yesterday,
        // wrote the same places in the same order.
        let run = RandomState::new().hash_one(engine::clock::now_ns());
        Self { run, tally: Mutex::new(None) }
    }

    fn add(&self, tally: VerifyCounts, cached: bool) {
        let mut all = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all.get_or_insert_default();
        all.tally.merge(tally);
        all.cached |= cached;
    }

    fn found(&self) -> Option<VerifyErrors> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the page cache was dropped to read back.
    pub(super) fn dropped_cache(&self) -> bool {
        self.found().is_some_and(|found| found.cached)
    }

    /// What all workers found, as facts.
    pub(super) fn facts(&self) -> Vec<(FactName, Value)> {
        let Some(found) = self.found() else { return Vec::new() };
        let how = if found.cached { fact::PAGE_CACHE } else { fact::DEVICE };
        let blocks = (fact::VERIFIED_BLOCKS, found.tally.checked.into());
        vec![blocks, (fact::VERIFIED_BY_READING, how.into())]
    }

    /// Whether all of it was right; `targets` are their names.
    pub(super) fn tell(&self, targets: &[&str]) -> Result<(), Fault> {
        let Some(VerifyErrors { tally, .. }) = self.found() else { return Ok(()) };
        let wrong: u64 = tally.wrong.values().sum();
        if wrong == 0 {
            return Ok(());
        }
        let files = tally.first.iter().any(|f| f.file > 0);
        let several = targets.len() > 1;
        let place = |fault: &sector_checker::Fault| {
            let mut text = format!("{} at {}", fault.wrong, fault.offset);
            if files {
                text += &format!(" of file {}", fault.file);
            }
            if several {
                text += &format!(" of {}", targets.get(fault.target).unwrap_or(&"?"));
            }
            text
        };
        let kinds: Vec<String> =
            tally.wrong.iter().map(|(kind, count)| format!("{} {kind}", grouped(*count))).collect();
        let mut places: Vec<String> = tally.first.iter().map(place).collect();
        if wrong > places.len() as u64 {
            places.push("...".to_owned());
        }
        let whose = if several { String::new() } else { format!(" of {}", targets.join("")) };
        Err(Fault::Verification(format!(
            "{} of {} blocks{whose} are wrong ({}): {}",
            grouped(wrong),
            grouped(tally.checked),
            kinds.join(", "),
            places.join(", ")
        )))
    }
}

/// A count as people read it: `4,096`.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// One worker's part: stamps what it writes, and knows what must be where.
#[derive(Debug)]
pub(super) struct Verifier {
    verdict: Arc<Verdict>,
    /// Which of the load's targets.
    target: usize,
    /// The number of the target's first file among all of the load's.
    first_file: usize,
    file_bytes: u64,
    generation: u64,
    ledger: Ledger,
}

impl Verifier {
    /// For the worker that `access` is of. `target` is which of the load's, of
    /// `files` files.
    pub(super) fn new(verdict: Arc<Verdict>, access: &Access, target: usize, files: usize) -> Self {
        let (start, end) = access.range();
        Self {
            verdict,
            target,
            first_file: target * files,
            file_bytes: access.file_bytes,
            generation: 0,
            ledger: Ledger::new(start, end - start, access.unit()),
        }
    }

    /// Where a task begins, counted through all files.
    fn at(&self, task: &Task) -> u64 {
        task.file as u64 * self.file_bytes + task.offset
    }

    /// `block` is about to be written by `task`.
    #[inline(never)]
    pub(super) fn begin(&mut self, task: &Task, block: &mut [u8]) {
        self.generation += 1;
        let file = (self.first_file + task.file) as u32;
        stamp::put(
            block,
            WriteStamp { run: self.verdict.run, file, generation: self.generation },
            task.offset,
        );
        self.ledger.begin(self.at(task), task.bytes, self.generation);
    }

    /// `task` was done.
    pub(super) fn end(&mut self, task: &Task) {
        self.ledger.end_of(self.at(task), task.bytes);
    }

    /// `task` came upon the end of the target: it may have left anything.
    pub(super) fn forget(&mut self, task: &Task) {
        self.ledger.forget(self.at(task), task.bytes);
    }

    /// Reads everything back and says what is wrong with it.
    pub(super) fn verify(&self, files: &[File], name: &str, life: &WorkerContext<'_>) -> Result<(), Fault> {
        let run = self.verdict.run;
        let ledger = &self.ledger;
        let mut back = ReadBack::open(files, self.file_bytes, name)?;
        let mut judge = SectorChecker::default();
        let range = (ledger.start, ledger.end(), ledger.unit);
        back.read(range, &|at| ledger.expected(at).is_some(), life, &mut |piece| {
            let file = (self.first_file + piece.file) as u32;
            for from in (0..piece.bytes.len()).step_by(SECTOR) {
                let Some(expected) = ledger.expected(piece.at + from as u64) else {
                    judge.close();
                    continue;
                };
                let offset = piece.offset + from as u64;
                let found = piece.part(from, SECTOR).map(|s| stamp::look(s, run, file, offset));
                judge.sector((self.target, piece.file, offset), expected, found);
            }
        })?;
        judge.close();
        self.verdict.add(judge.tally, !back.direct);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
