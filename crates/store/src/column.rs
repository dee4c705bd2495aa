//! Columns of numbers and texts as small blobs.
//!
//! Neighbours in a series are alike: sign, exponent and first digits of two
//! `f64` agree. So each value is XORed with the one before, which is exact and
//! can be undone (a difference of `f64` cannot), the bytes are put in planes
//! (all first bytes, then all second ones), where the agreeing ones are long
//! runs of zeros, and DEFLATE does the rest. The zlib form is used because its
//! checksum shows damage.
//!
//! Most numbers are decimals of a few digits, whose binary form has no run of
//! zeros. They are kept as whole numbers ([`crate::decimal`]), which takes less than
//! a third of the room and of the time to read.
//!
//! DEFLATE is `miniz_oxide`: pure Rust without `unsafe`, and in the program
//! already: `hdrhistogram` brings it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit};

use crate::decimal;

/// zlib's own default: higher levels cost time between trials for a few
/// percent of room.
const LEVEL: u8 = 6;

/// DEFLATE without compression.
const LEVEL_STORED: u8 = 0;

/// Compression has to save so many bytes, and this part of all. To make the tables of its codes takes
/// 3 us, as long as to read a kilobyte.
const SAVED_LEAST: usize = 64;
const SAVED_LEAST_PART: usize = 8;

/// What stands before the zlib form of decimals. No zlib stream begins so: the lower half of its
/// first byte is 8 (RFC 1950, section 2.2).
const DECIMALS: u8 = 1;

const WIDTH: usize = size_of::<f64>();

/// How many bytes blobs may still inflate to, all of one run together. DEFLATE
/// makes up to 1032 bytes of one, so a small file from somebody else could ask
/// for any amount of memory.
#[derive(Debug)]
pub(crate) struct Allowance {
    left: AtomicUsize,
    /// Held while a large one inflates.
    large: Mutex<()>,
}

impl Allowance {
    /// Granted to every run.
    const LEAST: usize = 256 << 20;

    /// Granted for each stored byte. Series of one value throughout reach this if
    /// they have 10,000 values and more; a run has histograms and series that
    /// move too, which shrink to a third or so.
    const TIMES: usize = 512;

    /// Most blobs inflate to less: 1,200 numbers are 10 KB.
    const USUAL: usize = 4 << 20;

    /// What a run may inflate to whose store has so many bytes: trials are unpacked while others are
    /// still read, so how many are its own nobody knows yet.
    pub(crate) fn for_stored(bytes: usize) -> Self {
        let left = bytes.saturating_mul(Self::TIMES).max(Self::LEAST);
        Self { left: AtomicUsize::new(left), large: Mutex::new(()) }
    }

    fn inflate(&self, blob: &[u8]) -> Result<Vec<u8>, String> {
        let inflated = |limit: usize| decompress_to_vec_zlib_with_limit(blob, limit);
        let left = || self.left.load(Ordering::Relaxed);
        let bytes = match inflated(left().min(Self::USUAL)) {
            // Several threads inflate: large ones one after the other, or each could take all that is left.
            Err(e) if e.status == TINFLStatus::HasMoreOutput => {
                let _one = self.large.lock().unwrap_or_else(PoisonError::into_inner);
                inflated(left())
            }
            result => result,
        };
        let bytes = bytes.map_err(|e| match e.status {
            TINFLStatus::HasMoreOutput => too_much(),
            _ => e.to_string(),
        })?;
        // Another thread may have taken it meanwhile.
        self.take(bytes.len())?;
        Ok(bytes)
    }

    fn take(&self, bytes: usize) -> Result<(), String> {
        let less = |left: usize| left.checked_sub(bytes);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.map(drop).map_err(|_| too_much())
    }
}

fn too_much() -> String {
    "its run inflates to more than any measurement does".to_owned()
}

/// Packs numbers, bit for bit.
pub(crate) fn pack_numbers(values: &[f64]) -> Vec<u8> {
    match decimal::to_bytes(values) {
        Some(decimals) => [[DECIMALS].as_slice(), &deflated(&decimals)].concat(),
        None => pack_any(values),
    }
}

/// Packs numbers whatever they are.
fn pack_any(values: &[f64]) -> Vec<u8> {
    let mut planes = vec![0; values.len() * WIDTH];
    let mut before = 0;
    for (row, value) in values.iter().enumerate() {
        let bits = value.to_bits();
        for (plane, byte) in (bits ^ before).to_be_bytes().into_iter().enumerate() {
            planes[plane * values.len() + row] = byte;
        }
        before = bits;
    }
    deflated(&planes)
}

/// The zlib form, compressed if that is worth its time.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let small = compress_to_vec_zlib(bytes, LEVEL);
    let saved = bytes.len().saturating_sub(small.len());
    match saved >= SAVED_LEAST && saved >= bytes.len() / SAVED_LEAST_PART {
        true => small,
        false => compress_to_vec_zlib(bytes, LEVEL_STORED),
    }
}

/// Undoes [`pack_numbers`]; the error says what is wrong with the blob.
pub(crate) fn unpack_numbers(blob: &[u8], allowance: &Allowance) -> Result<Vec<f64>, String> {
    if let Some((&DECIMALS, decimals)) = blob.split_first() {
        let bytes = allowance.inflate(decimals)?;
        let numbers = decimal::count(&bytes)?.saturating_mul(WIDTH);
        allowance.take(numbers.saturating_sub(bytes.len()))?;
        return decimal::from_bytes(&bytes);
    }
    let planes = allowance.inflate(blob)?;
    if !planes.len().is_multiple_of(WIDTH) {
        return Err(format!("{} bytes are no whole count of numbers", planes.len()));
    }
    let rows = planes.len() / WIDTH;
    let mut before = 0;
    let mut values = Vec::with_capacity(rows);
    for row in 0..rows {
        let bytes = std::array::from_fn(|plane| planes[plane * rows + row]);
        before ^= u64::from_be_bytes(bytes);
        values.push(f64::from_bits(before));
    }
    Ok(values)
}

pub(crate) fn pack_text(text: &str) -> Vec<u8> {
    compress_to_vec_zlib(text.as_bytes(), LEVEL)
}

/// Undoes [`pack_text`]; the error says what is wrong with the blob.
pub(crate) fn unpack_text(blob: &[u8], allowance: &Allowance) -> Result<String, String> {
    String::from_utf8(allowance.inflate(blob)?).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(blob: &[u8]) -> Result<Vec<f64>, String> {
        unpack_numbers(blob, &Allowance::for_stored(blob.len()))
    }

    #[test]
    fn numbers_come_back_bit_for_bit() {
        let odd = [0.1 + 0.2, -0.0, 0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE / 2.0, f64::MAX, -1e-300];
        for values in [&odd[..], &odd[..1], &[]] {
            let back = numbers(&pack_numbers(values)).unwrap();
            let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&back), bits(values));
        }
    }

    #[test]
    fn numbers_that_older_programs_packed_are_read() {
        // By the zlib library.
        let blob = [
            0x78, 0x9c, 0x73, 0x60, 0x60, 0x60, 0x70, 0x01, 0x62, 0x06, 0x01, 0x03, 0x01, 0x06, 0x2c, 0x00,
            0x00, 0x16, 0x70, 0x00, 0xd5,
        ];
        assert_eq!(numbers(&blob).unwrap(), [40.0, 40.125, 40.25, 40.375]);
    }

    #[test]
    fn what_does_not_shrink_is_stored_as_it_is() {
        for length in [0, 1, 7, 100, 70_000] {
            let bytes: Vec<u8> =
                (0..length).map(|i: u32| i.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
            let stored = compress_to_vec_zlib(&bytes, LEVEL_STORED);
            let allowance = Allowance::for_stored(stored.len());
            assert_eq!(allowance.inflate(&stored).unwrap(), bytes);
            assert_eq!(allowance.inflate(&deflated(&bytes)).unwrap(), bytes);
        }
        assert_eq!(deflated(b"a few"), compress_to_vec_zlib(b"a few", LEVEL_STORED));
        assert!(deflated(&[7; 1000]).len() < 100);
    }

    #[test]
    fn decimals_take_less_than_a_third_of_their_room() {
        let climbs: Vec<f64> = (0..1000_u32).map(|i| 40_000.0 + f64::from(i * 37 % 256)).collect();
        // Four digits, in no order.
        let noise: Vec<f64> = (0..1000_u32).map(|i| f64::from(i * i % 9973 * 7919 % 9973) / 1e4).collect();
        for values in [climbs, noise] {
            let packed = pack_numbers(&values);
            assert_eq!(packed[0], DECIMALS);
            assert!(packed.len() * 3 < values.len() * WIDTH, "{} bytes", packed.len());
            assert_eq!(numbers(&packed).unwrap(), values);
        }
    }

    #[test]
    fn damage_is_seen() {
        for values in [[1.0, 2.0, 3.0], [1.0 / 3.0, 2.0 / 3.0, 1.0]] {
            let blob = pack_numbers(&values);
            for place in 0..blob.len() {
                let mut damaged = blob.clone();
                damaged[place] ^= 0x11;
                // Two bytes of a zlib stream say how it was made.
                assert!(numbers(&damaged).is_err() || place < 3, "{place} of {blob:?}");
            }
        }
        numbers(&pack_text("no numbers")).unwrap_err();
        unpack_text(&pack_text("no numbers")[..3], &Allowance::for_stored(3)).unwrap_err();
    }

    #[test]
    fn a_large_blob_is_read_as_well() {
        let values = vec![1.5; 2 * Allowance::USUAL / WIDTH];
        for blob in [pack_any(&values), pack_numbers(&values)] {
            assert_eq!(numbers(&blob).unwrap(), values);
        }
    }

    #[test]
    fn a_small_blob_does_not_inflate_to_any_amount_of_memory() {
        let zeros = compress_to_vec_zlib(&vec![0; 1 << 20], LEVEL);
        assert!(zeros.len() < 2000, "{}", zeros.len());
        // Small ones are granted whatever they are, but not any number of them.
        let mut allowance = Allowance::for_stored(zeros.len());
        let left = |allowance: &mut Allowance| *allowance.left.get_mut();
        assert_eq!(left(&mut allowance), 256 << 20);
        for _ in 0..2 {
            assert_eq!(unpack_numbers(&zeros, &allowance).unwrap().len(), 1 << 17);
        }
        assert_eq!(left(&mut allowance), 254 << 20);
        *allowance.left.get_mut() = (1 << 20) - 1;
        let error = unpack_numbers(&zeros, &allowance).unwrap_err();
        assert!(error.contains("more than any measurement"), "{error}");
        unpack_text(&zeros, &allowance).unwrap_err();
        // A large run is granted what its stored bytes are worth.
        assert_eq!(left(&mut Allowance::for_stored(10 << 20)), 5120 << 20);
    }
}
