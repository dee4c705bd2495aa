//! What every sector of a verified block carries, so that each tells on its own
//! what it is: a block of which only some sectors arrived is seen as such.
//!
//! A sector of 512 bytes begins with 48 bytes, numbers in little endian:
//!
//! | byte | what |
//! |---|---|
//! | 0 | `HRv` and the version of this format, 1 |
//! | 4 | CRC-32C (Castagnoli; RFC 3720, B.4) of bytes 8 to 511 |
//! | 8 | the trial that wrote it, a random number |
//! | 16 | where it belongs: its own byte in its file |
//! | 24 | which of the load's files |
//! | 28 | bytes of the block that it is part of |
//! | 32 | which sector of that block |
//! | 36 | zeros |
//! | 40 | its generation: which of the worker's writes |
//! | 48 | content |

/// Bytes that a device writes whole or not at all, if it keeps its promise: the
/// smallest logical block.
pub(super) const SECTOR: usize = 512;

const MAGIC: [u8; 4] = *b"HRv\x01";

/// Whose write it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WriteStamp {
    pub(super) run: u64,
    pub(super) file: u32,
    pub(super) generation: u64,
}

/// Stamps every sector of `block`, which goes to byte `offset` of its file. The
/// first bytes of their content are overwritten.
pub(super) fn put(block: &mut [u8], mark: WriteStamp, offset: u64) {
    let bytes = block.len() as u32;
    for (number, sector) in (0u32..).zip(block.chunks_exact_mut(SECTOR)) {
        let position = offset + u64::from(number) * SECTOR as u64;
        sector[..4].copy_from_slice(&MAGIC);
        sector[8..16].copy_from_slice(&mark.run.to_le_bytes());
        sector[16..24].copy_from_slice(&position.to_le_bytes());
        sector[24..28].copy_from_slice(&mark.file.to_le_bytes());
        sector[28..32].copy_from_slice(&bytes.to_le_bytes());
        sector[32..36].copy_from_slice(&number.to_le_bytes());
        sector[36..40].fill(0);
        sector[40..48].copy_from_slice(&mark.generation.to_le_bytes());
        let sum = crc32c::crc32c(&sector[8..]);
        sector[4..8].copy_from_slice(&sum.to_le_bytes());
    }
}

/// What a sector turns out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SectorContent {
    /// What was written here by us, in this generation.
    Ours(u64),
    /// What we wrote for another place.
    Elsewhere,
    /// Something that this trial did not write.
    Foreign,
    /// Something that we wrote, with bytes changed since.
    Corrupted,
}

/// What `sector` is, which was read at byte `offset` of `file`.
pub(super) fn look(sector: &[u8], run: u64, file: u32, offset: u64) -> SectorContent {
    let word =
        |at: usize| sector.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
    let half =
        |at: usize| sector.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
    let magic = sector.starts_with(&MAGIC);
    let here = word(16) == offset && half(24) == file;
    let ours = word(8) == run;
    if !(magic && half(4) == crc32c::crc32c(sector.get(8..).unwrap_or_default())) {
        // A changed byte leaves most of the stamp as it was.
        return if ours || magic && here { SectorContent::Corrupted } else { SectorContent::Foreign };
    }
    match (ours, here) {
        (false, _) => SectorContent::Foreign,
        (true, true) => SectorContent::Ours(word(40)),
        (true, false) => SectorContent::Elsewhere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: WriteStamp = WriteStamp { run: 77, file: 3, generation: 5 };

    fn block() -> Vec<u8> {
        let mut block: Vec<u8> = (0..4096u32).map(|i| (i % 251) as u8).collect();
        put(&mut block, MARK, 1 << 20);
        block
    }

    fn look_at(block: &[u8], number: usize) -> SectorContent {
        look(&block[number * SECTOR..(number + 1) * SECTOR], 77, 3, (1 << 20) + (number * SECTOR) as u64)
    }

    #[test]
    fn the_sum_is_castagnolis() {
        // RFC 3720, B.4: 32 bytes of zeros, and the usual check value.
        assert_eq!(crc32c::crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn every_sector_is_known_on_its_own() {
        let block = block();
        assert!((0..8).all(|number| look_at(&block, number) == SectorContent::Ours(5)));
        assert_eq!(look(&block[..SECTOR], 78, 3, 1 << 20), SectorContent::Foreign, "another trial's");
        assert_eq!(look(&block[..SECTOR], 77, 4, 1 << 20), SectorContent::Elsewhere, "another file's");
        assert_eq!(look(&block[SECTOR..2 * SECTOR], 77, 3, 1 << 20), SectorContent::Elsewhere);
        assert_eq!(look(&[0; SECTOR], 77, 0, 0), SectorContent::Foreign, "zeros at the beginning");
        assert_eq!(look(&[], 77, 0, 0), SectorContent::Foreign);
    }

    #[test]
    fn one_flipped_bit_anywhere_is_a_corruption() {
        for byte in 0..SECTOR {
            for bit in [0, 7] {
                let mut block = block();
                block[byte] ^= 1 << bit;
                assert_eq!(look_at(&block, 0), SectorContent::Corrupted, "byte {byte}, bit {bit}");
                assert_eq!(look_at(&block, 1), SectorContent::Ours(5));
            }
        }
    }
}
