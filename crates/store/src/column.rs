//! Columns of numbers and texts as small blobs.
//!
//! Neighbours in a series are alike: sign, exponent and first digits of two
//! `f64` agree. So each value is XORed with the one before, which is exact and
//! can be undone (a difference of `f64` cannot), the bytes are put in planes
//! (all first bytes, then all second ones), where the agreeing ones are long
//! runs of zeros, and DEFLATE does the rest. The zlib form is used because its
//! checksum shows damage.
//!
//! DEFLATE is `miniz_oxide`: pure Rust without `unsafe`, and in the program
//! already: `hdrhistogram` brings it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit};

/// zlib's own default: higher levels cost time between trials for a few
/// percent of room.
const LEVEL: u8 = 6;

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
    /// move too, which shrink to a quarter or so.
    const TIMES: usize = 256;

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
        let too_much = || "its run inflates to more than any measurement does".to_owned();
        let bytes = bytes.map_err(|e| match e.status {
            TINFLStatus::HasMoreOutput => too_much(),
            _ => e.to_string(),
        })?;
        // Another thread may have taken it meanwhile.
        let take = |left: usize| left.checked_sub(bytes.len());
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map_err(|_| too_much())?;
        Ok(bytes)
    }
}

/// Packs numbers, bit for bit.
pub(crate) fn pack_numbers(values: &[f64]) -> Vec<u8> {
    let mut planes = vec![0; values.len() * WIDTH];
    let mut before = 0;
    for (row, value) in values.iter().enumerate() {
        let bits = value.to_bits();
        for (plane, byte) in (bits ^ before).to_be_bytes().into_iter().enumerate() {
            planes[plane * values.len() + row] = byte;
        }
        before = bits;
    }
    compress_to_vec_zlib(&planes, LEVEL)
}

/// Undoes [`pack_numbers`]; the error says what is wrong with the blob.
pub(crate) fn unpack_numbers(blob: &[u8], allowance: &Allowance) -> Result<Vec<f64>, String> {
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
    fn a_counter_that_climbs_takes_less_than_a_quarter_of_its_room() {
        let values: Vec<f64> = (0..1000_u32).map(|i| 40_000.0 + f64::from(i * 37 % 256)).collect();
        let packed = pack_numbers(&values);
        assert!(packed.len() * 4 < values.len() * WIDTH, "{} bytes", packed.len());
    }

    #[test]
    fn damage_is_seen() {
        let mut blob = pack_numbers(&[1.0, 2.0, 3.0]);
        let last = blob.len() - 1;
        blob[last] ^= 1;
        numbers(&blob).unwrap_err();
        numbers(&pack_text("no numbers")).unwrap_err();
        unpack_text(&blob[..3], &Allowance::for_stored(3)).unwrap_err();
    }

    #[test]
    fn a_large_blob_is_read_as_well() {
        let values = vec![1.5; 2 * Allowance::USUAL / WIDTH];
        assert_eq!(numbers(&pack_numbers(&values)).unwrap(), values);
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
        assert_eq!(left(&mut Allowance::for_stored(10 << 20)), 2560 << 20);
    }
}
