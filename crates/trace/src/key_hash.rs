//! A hash of keys that are a few machine words: numbers of threads, devices, files.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by such keys.
pub(crate) type KeyMap<K, V> = HashMap<K, V, BuildHasherDefault<KeyHasher>>;

/// A hash of a few machine words. The standard one resists keys that somebody chose to
/// collide, for several times the cost; nobody gains by choosing thread numbers here, and the
/// size of every table is bounded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyHasher(u64);

impl KeyHasher {
    const fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn finish(&self) -> u64 {
        // The table uses the lowest bits, and the multiplication mixes into the highest.
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_neighbours_differ_in_the_lowest_bits() {
        let low = |word: u32| {
            let mut hasher = KeyHasher::default();
            hasher.write_u32(word);
            hasher.finish() & 0xff
        };
        let different: std::collections::BTreeSet<u64> = (0..256).map(|word| low(word * 4096)).collect();
        assert!(different.len() > 100, "{}", different.len());
    }
}
