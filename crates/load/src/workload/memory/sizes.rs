//! The words for a size: which working set fits which cache of this machine,
//! and which fits none.

use model::parameter::Word;
use model::plan::Problem;
use model::scalar::binary;

use crate::workload::common::NumberOrWord;
use crate::workload::{HostInfo, Requirements};

/// The words, with what `dram` stands for.
#[must_use]
pub const fn words(dram: &'static str) -> [Word; 4] {
    [
        Word { word: "l1", doc: "half of this thread's share of the first-level data cache" },
        Word { word: "l2", doc: "half of this thread's share of the second-level cache" },
        Word { word: "l3", doc: "half of this thread's share of the third-level cache" },
        Word { word: "dram", doc: dram },
    ]
}

/// Makes bytes of the size that each of `threads` asks for, by [`of_word`].
///
/// # Errors
/// As there.
pub fn resolve(
    size: &mut NumberOrWord,
    threads: u64,
    times: u64,
    room: u64,
    host: &HostInfo,
) -> Result<u64, Problem> {
    if let NumberOrWord::Word(word) = size {
        *size = NumberOrWord::Number(of_word(word, threads, times, room, host)?);
    }
    size.number()
}

/// What a load requires for which `users` need `memory_bytes`.
///
/// # Errors
/// If they are not free. A tenth stays free, so that measuring does not make the machine swap.
pub fn fitting(memory_bytes: u64, host: &HostInfo, users: &str, help: &str) -> Result<Requirements, Problem> {
    let free = host.memory_available;
    if memory_bytes <= free / 10 * 9 {
        return Ok(Requirements { memory_bytes, ..Requirements::default() });
    }
    Err(Problem::refused(
        format!("{users} need {} of memory, and {} are free", binary(memory_bytes), binary(free)),
        help,
    ))
}

/// The least that `dram` stands for where memory is free.
const DRAM_LEAST: u64 = 256 << 20;

/// What a word stands for on this machine for each of `threads`: `dram` is
/// `times` the last-level cache, at least 256 MiB, and at most what `room` bytes
/// give to all threads.
///
/// # Errors
/// If the machine does not say how large a cache is, or `room` does not reach
/// beyond the caches.
fn of_word(word: &str, threads: u64, times: u64, room: u64, host: &HostInfo) -> Result<u64, Problem> {
    let unknown = |level: u32| {
        Problem::refused(
            format!("this machine does not say how large its level {level} cache is"),
            "give the size in bytes",
        )
    };
    // Half of a cache, shared with the threads that may run on it too.
    let share = |(_, bytes, shared_by): &(u32, u64, usize)| bytes / 2 / threads.clamp(1, *shared_by as u64);
    let level =
        |wanted: u32| host.caches.iter().find(|(level, ..)| *level == wanted).ok_or_else(|| unknown(wanted));
    Ok(match word {
        "l1" => share(level(1)?),
        "l2" => share(level(2)?),
        "l3" => share(level(3)?),
        _ => {
            // Powers of two, so that it is the same size, and so the same work,
            // as long as about as much memory is free.
            let wanted = (times * last_cache(host)).max(DRAM_LEAST).next_power_of_two();
            let size = wanted.min(1 << (room / threads.max(1)).max(1).ilog2());
            if size.saturating_mul(threads) < 2 * last_cache(host) {
                return Err(Problem::refused(
                    format!(
                        "{} of free memory are too little to go beyond the caches",
                        binary(host.memory_available)
                    ),
                    "free some memory, or give the size in bytes",
                ));
            }
            size
        }
    })
}

/// The last and largest cache, in bytes; 0 where none is known.
#[must_use]
pub fn last_cache(host: &HostInfo) -> u64 {
    host.caches.last().map_or(0, |(_, bytes, _)| *bytes)
}
