//! What is compressed. How fast a compressor is and how much it saves depends on
//! this more than on anything else, so the kind is stated with every result.
//!
//! `text` is made, not taken from anybody: words of a vocabulary of 3,000,
//! themselves made from letters with about the frequencies of English, drawn so
//! that the n-th is drawn n times less often than the first (Zipf's law), in
//! sentences and lines. It compresses about as logs and prose do, but no
//! figure for it is one for a corpus.

use model::parameter::Word;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workload::disk::content::{Content, Source};

/// The words of the parameter; those that disk has too mean what they mean
/// there.
pub(super) const WORDS: &[Word] = &[
    Word { word: "text", doc: "made text: words drawn by Zipf's law, in sentences and lines" },
    Word { word: "random", doc: "random bytes: nothing compresses them" },
    Word { word: "zeros", doc: "zeros" },
    Word { word: "compressible", doc: "of every 4 KiB, half is zeros and the rest random" },
];

/// Thousandths of `compressible` that are zeros: what disk's `content-share`
/// is when nobody gives it.
const ZEROS: u16 = 500;
const VOCABULARY: usize = 3000;
/// The letters, those first that stand most often in English text.
const LETTERS: &[u8; 26] = b"etaoinshrdlcumwfgypbvkjxqz";
/// About how often each of them stands there, of 1000 (Lewand, "Cryptological Mathematics").
const OFTEN: [u16; 26] =
    [127, 91, 82, 75, 70, 67, 63, 61, 60, 43, 40, 28, 28, 24, 24, 22, 20, 20, 19, 15, 10, 8, 2, 2, 1, 1];

/// So many bytes of this kind; the same for the same seed.
pub(super) fn make(kind: &str, bytes: usize, seed: u64) -> Vec<u8> {
    let content = match kind {
        "random" => Content::Random,
        "zeros" => Content::Zeros,
        "compressible" => Content::Compressible(ZEROS),
        _ => return text(bytes, seed),
    };
    let mut all = vec![0; bytes];
    let source = Source::new(content, seed);
    // Content differs from one number to the next, so that nothing repeats.
    for (piece, index) in all.chunks_mut(4096).zip(0..) {
        source.fill(piece, index);
    }
    all
}

fn text(bytes: usize, seed: u64) -> Vec<u8> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let vocabulary: Vec<Vec<u8>> = (0..VOCABULARY).map(|_| word(&mut random)).collect();
    let mut all: Vec<u8> = Vec::with_capacity(bytes + 64);
    let mut line = 0;
    while all.len() < bytes {
        let words = 4 + random.next_u64() % 16;
        let begin = all.len();
        for at in 0..words {
            if at > 0 {
                all.extend(if random.next_u64() % 12 == 0 { b", ".as_slice() } else { b" " });
            }
            // Evenly spread logarithms of the rank are Zipf's law.
            let rank = (share(&mut random) * (VOCABULARY as f64).ln()).exp() as usize;
            all.extend(&vocabulary[rank.min(VOCABULARY) - 1]);
        }
        all[begin].make_ascii_uppercase();
        line += words;
        all.extend(if line > 60 { b".\n".as_slice() } else { b". " });
        if line > 60 {
            line = 0;
        }
    }
    all.truncate(bytes);
    all
}

/// A word of 2 to 11 letters, short ones more often.
fn word(random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let length = 2 + random.next_u64() % 6 + random.next_u64() % 5;
    let all: u16 = OFTEN.iter().sum();
    let letter = |at: u64| {
        let mut left = (at % u64::from(all)) as u16;
        for (letter, often) in LETTERS.iter().zip(OFTEN) {
            if left < often {
                return *letter;
            }
            left -= often;
        }
        b'e'
    };
    (0..length).map(|_| letter(random.next_u64())).collect()
}

/// Evenly between 0 and 1.
fn share(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_length_and_compresses_as_it_should() {
        for (kind, least, most) in [
            ("text", 2.0, 5.0),
            ("random", 0.99, 1.01),
            ("zeros", 1000.0, f64::INFINITY),
            ("compressible", 1.9, 2.1),
        ] {
            assert!(WORDS.iter().any(|word| word.word == kind));
            let made = make(kind, 1 << 20, 7);
            assert_eq!(made.len(), 1 << 20);
            assert_eq!(made, make(kind, 1 << 20, 7));
            let ratio = made.len() as f64 / zstd::bulk::compress(&made, 3).unwrap().len() as f64;
            assert!((least..=most).contains(&ratio), "{kind}: {ratio}");
        }
        assert!(make("text", 100_000, 1).is_ascii());
        assert_ne!(make("text", 4096, 1), make("text", 4096, 2));
    }
}
