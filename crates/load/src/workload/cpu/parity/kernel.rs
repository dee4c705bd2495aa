//! The parities of a stripe: P is the exclusive or of the data, Q their sum with
//! the generator's powers as weights, made by Horner's rule from the last disk
//! to the first, so that each step is one multiplication by 2 (H. P. Anvin, "The
//! mathematics of RAID-6", section 6; Linux makes it so in `lib/raid6`).
//!
//! A multiplication by 2 of bytes side by side is a shift, and 0x1d taken away
//! where the highest bit was set.

use crate::workload::cpu::vectors::Set;

/// Bytes that all loops take at once: the chunk is a multiple of it.
pub(super) const STEP: usize = 128;

/// A stripe: `data` chunks at the distance `stride`, and where its parities go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stripe {
    pub(super) start: *const u8,
    /// From one chunk to the next, in bytes.
    pub(super) stride: usize,
    pub(super) data: usize,
    /// Bytes of a chunk, a multiple of [`STEP`].
    pub(super) chunk: usize,
    pub(super) p: *mut u8,
    pub(super) q: *mut u8,
}

/// Makes P, and Q where `BOTH`.
///
/// # Safety
/// All chunks of the stripe are ours for their length, aligned to 64 bytes, and
/// do not overlap; the processor has `set`.
pub(super) unsafe fn make<const BOTH: bool>(set: Set, stripe: Stripe) {
    // SAFETY: by the caller's promise.
    unsafe {
        match set {
            #[cfg(target_arch = "x86_64")]
            Set::Sse2 => sse2::make::<BOTH>(stripe),
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => avx2::make::<BOTH>(stripe),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => avx512::make::<BOTH>(stripe),
            #[cfg(target_arch = "aarch64")]
            Set::Neon => neon::make::<BOTH>(stripe),
            _ => words::make::<BOTH>(stripe),
        }
    }
}

macro_rules! loops {
    ($(#[$feature:meta])?, $word:ty, $load:path, $store:path, $xor:path, $twice:path) => {
        use super::{STEP, Stripe};

        const BYTES: usize = size_of::<$word>();
        /// Columns of words that are made at once, so that steps that wait for
        /// each other have company.
        const COLUMNS: usize = if STEP / BYTES < 4 { STEP / BYTES } else { 4 };

        /// # Safety
        /// As [`super::make`].
        $(#[$feature])?
        pub(super) unsafe fn make<const BOTH: bool>(stripe: Stripe) {
            let Stripe { start, stride, data, chunk, p, q } = stripe;
            let mut at = 0;
            while at < chunk {
                // SAFETY: `at` and the columns behind it lie within each chunk,
                // because its length is a multiple of the step.
                unsafe {
                    let last = start.add((data - 1) * stride + at);
                    let mut sums: [$word; COLUMNS] =
                        std::array::from_fn(|column| $load(last.add(column * BYTES).cast()));
                    let mut weighted = sums;
                    for disk in (0..data - 1).rev() {
                        let from = start.add(disk * stride + at);
                        for column in 0..COLUMNS {
                            let word = $load(from.add(column * BYTES).cast());
                            sums[column] = $xor(sums[column], word);
                            if BOTH {
                                weighted[column] = $xor($twice(weighted[column]), word);
                            }
                        }
                    }
                    for column in 0..COLUMNS {
                        let to = at + column * BYTES;
                        $store(p.add(to).cast(), sums[column]);
                        if BOTH {
                            $store(q.add(to).cast(), weighted[column]);
                        }
                    }
                }
                at += COLUMNS * BYTES;
            }
        }
    };
}

/// Eight bytes at a time, for every processor. A compiler may still put several
/// words into one vector of the base instruction set; so may that of Linux.
mod words {
    loops!(, u64, load, store, xor, twice);

    unsafe fn load(from: *const u64) -> u64 {
        // SAFETY: by the caller's promise. Volatile, so that words stay words.
        unsafe { from.read_volatile() }
    }

    unsafe fn store(to: *mut u64, word: u64) {
        // SAFETY: as above.
        unsafe { to.write_volatile(word) };
    }

    fn xor(a: u64, b: u64) -> u64 {
        a ^ b
    }

    fn twice(word: u64) -> u64 {
        let high = word & 0x8080_8080_8080_8080;
        // 0xff in every byte whose highest bit was set.
        let mask = (high << 1).wrapping_sub(high >> 7);
        ((word << 1) & 0xfefe_fefe_fefe_fefe) ^ (mask & 0x1d1d_1d1d_1d1d_1d1d)
    }
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_cmpgt_epi8, _mm_load_si128, _mm_set1_epi8,
        _mm_setzero_si128, _mm_store_si128, _mm_xor_si128,
    };

    loops!(#[target_feature(enable = "sse2")], __m128i, _mm_load_si128, _mm_store_si128, _mm_xor_si128, twice);

    #[target_feature(enable = "sse2")]
    fn twice(word: __m128i) -> __m128i {
        let high = _mm_cmpgt_epi8(_mm_setzero_si128(), word);
        _mm_xor_si128(_mm_add_epi8(word, word), _mm_and_si128(high, _mm_set1_epi8(0x1d)))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_cmpgt_epi8, _mm256_load_si256, _mm256_set1_epi8,
        _mm256_setzero_si256, _mm256_store_si256, _mm256_xor_si256,
    };

    loops! {
        #[target_feature(enable = "avx2")],
        __m256i, _mm256_load_si256, _mm256_store_si256, _mm256_xor_si256, twice
    }

    #[target_feature(enable = "avx2")]
    fn twice(word: __m256i) -> __m256i {
        let high = _mm256_cmpgt_epi8(_mm256_setzero_si256(), word);
        _mm256_xor_si256(_mm256_add_epi8(word, word), _mm256_and_si256(high, _mm256_set1_epi8(0x1d)))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi8, _mm512_load_si512, _mm512_maskz_mov_epi8, _mm512_movepi8_mask,
        _mm512_set1_epi8, _mm512_store_si512, _mm512_xor_si512,
    };

    loops! {
        #[target_feature(enable = "avx512f,avx512bw")],
        __m512i, _mm512_load_si512, _mm512_store_si512, _mm512_xor_si512, twice
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn twice(word: __m512i) -> __m512i {
        let high = _mm512_maskz_mov_epi8(_mm512_movepi8_mask(word), _mm512_set1_epi8(0x1d));
        _mm512_xor_si512(_mm512_add_epi8(word, word), high)
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::{
        uint8x16_t, vandq_u8, vdupq_n_u8, veorq_u8, vld1q_u8, vreinterpretq_s8_u8, vreinterpretq_u8_s8,
        vshlq_n_u8, vshrq_n_s8, vst1q_u8,
    };

    loops!(#[target_feature(enable = "neon")], uint8x16_t, vld1q_u8, vst1q_u8, veorq_u8, twice);

    #[target_feature(enable = "neon")]
    fn twice(word: uint8x16_t) -> uint8x16_t {
        let high = vreinterpretq_u8_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u8(word)));
        veorq_u8(vshlq_n_u8::<1>(word), vandq_u8(high, vdupq_n_u8(0x1d)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::Field;
    use super::*;

    #[repr(C, align(64))]
    #[derive(Clone)]
    struct Chunk([u8; 384]);

    /// Every byte of both parities against the definition, by table.
    #[test]
    fn every_set_makes_the_parities_of_the_definition_and_writes_nothing_else() {
        let field = Field::new();
        for set in Set::here() {
            for data in [1usize, 2, 3, 8, 255] {
                // The last two are the parities; their last step is not theirs.
                let mut chunks = vec![Chunk([0; 384]); data + 2];
                for (disk, chunk) in chunks.iter_mut().enumerate() {
                    for (i, byte) in chunk.0.iter_mut().enumerate() {
                        *byte = (disk * 31 + i * 7 + i * i / 5) as u8;
                    }
                }
                let before = chunks.clone();
                let start = chunks.as_mut_ptr().cast::<u8>();
                let stripe = Stripe {
                    start,
                    stride: 384,
                    data,
                    chunk: 256,
                    p: start.wrapping_add(data * 384),
                    q: start.wrapping_add((data + 1) * 384),
                };
                // SAFETY: the chunks are ours and longer than 256 bytes.
                unsafe { make::<true>(set, stripe) };
                for i in 0..384 {
                    let bytes = before[..data].iter().map(|chunk| chunk.0[i]).enumerate();
                    let (p, q) = bytes.fold((0, 0), |(p, q), (disk, byte)| {
                        (p ^ byte, q ^ field.times(byte, field.power(disk)))
                    });
                    let wanted = if i < 256 { (p, q) } else { (before[data].0[i], before[data + 1].0[i]) };
                    assert_eq!((chunks[data].0[i], chunks[data + 1].0[i]), wanted, "{set:?} {data} {i}");
                }
                chunks[data + 1] = before[data + 1].clone();
                // SAFETY: as above.
                unsafe { make::<false>(set, stripe) };
                assert_eq!(chunks[data + 1].0, before[data + 1].0, "{set:?}: RAID 5 has no Q");
                for (chunk, before) in chunks[..data].iter().zip(&before) {
                    assert_eq!(chunk.0, before.0, "{set:?}: data were changed");
                }
            }
        }
    }
}
