//! What stands before the bytes of a block or of the footer: 48 bytes, with a checksum of
//! themselves, so that the lengths can be trusted.

use crate::format::blktrace::raw::part;

/// The size of it.
pub(super) const FRAME_BYTES: usize = 48;
/// How long what follows may be, packed or not. A writer begins a new block long before.
pub(super) const PAYLOAD_BYTES_MAX: usize = 1 << 20;
/// By which a reader finds the next block after a damaged one.
const MARK: &[u8; 4] = b"\xf5HRb";

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Block,
    Footer,
}

/// How it is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Lz4,
}

/// What stands before a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    pub(super) packing: Packing,
    pub(super) records: u32,
    /// How long it is when it is unpacked.
    pub(super) bytes: u32,
    /// How long it is in the file.
    pub(super) packed_bytes: u32,
    /// The earliest record.
    pub(super) first_ns: u64,
    /// The latest record.
    pub(super) last_ns: u64,
    /// CRC-32C of it as it is in the file.
    pub(super) checksum: u32,
}

impl Frame {
    pub(super) fn to_bytes(self) -> [u8; FRAME_BYTES] {
        let kind = match self.kind {
            FrameKind::Block => b'B',
            FrameKind::Footer => b'F',
        };
        let packing = match self.packing {
            Packing::Plain => 0,
            Packing::Lz4 => 1,
        };
        let mut out = [0; FRAME_BYTES];
        out[..4].copy_from_slice(MARK);
        out[4] = kind;
        out[5] = packing;
        out[8..12].copy_from_slice(&self.records.to_le_bytes());
        out[12..16].copy_from_slice(&self.bytes.to_le_bytes());
        out[16..20].copy_from_slice(&self.packed_bytes.to_le_bytes());
        out[20..28].copy_from_slice(&self.first_ns.to_le_bytes());
        out[28..36].copy_from_slice(&self.last_ns.to_le_bytes());
        out[36..40].copy_from_slice(&self.checksum.to_le_bytes());
        let own = crc32c::crc32c(&out[..44]);
        out[44..].copy_from_slice(&own.to_le_bytes());
        out
    }

    /// What these bytes say, if they are whole and in bounds.
    pub(super) fn from_bytes(bytes: &[u8; FRAME_BYTES]) -> Option<Self> {
        let number = |at: usize| u32::from_le_bytes(part(bytes, at));
        if !bytes.starts_with(MARK) || number(44) != crc32c::crc32c(&bytes[..44]) {
            return None;
        }
        let frame = Self {
            kind: match bytes[4] {
                b'B' => FrameKind::Block,
                b'F' => FrameKind::Footer,
                _ => return None,
            },
            packing: match bytes[5] {
                0 => Packing::Plain,
                1 => Packing::Lz4,
                _ => return None,
            },
            records: number(8),
            bytes: number(12),
            packed_bytes: number(16),
            first_ns: u64::from_le_bytes(part(bytes, 20)),
            last_ns: u64::from_le_bytes(part(bytes, 28)),
            checksum: number(36),
        };
        let lengths = [frame.bytes, frame.packed_bytes];
        lengths.iter().all(|length| *length as usize <= PAYLOAD_BYTES_MAX).then_some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back_and_any_changed_bit_is_noticed() {
        let frame = Frame {
            kind: FrameKind::Block,
            packing: Packing::Lz4,
            records: 3,
            bytes: 1000,
            packed_bytes: 500,
            first_ns: 7,
            last_ns: u64::MAX,
            checksum: 0xdead_beef,
        };
        let bytes = frame.to_bytes();
        assert_eq!(Frame::from_bytes(&bytes), Some(frame));
        for bit in 0..FRAME_BYTES * 8 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Frame::from_bytes(&changed), None, "bit {bit}");
        }
        let long = Frame { bytes: PAYLOAD_BYTES_MAX as u32 + 1, ..frame };
        assert_eq!(Frame::from_bytes(&long.to_bytes()), None);
    }
}
