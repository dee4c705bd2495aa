//! The letters by which events say what a request does (`blk_fill_rwbs` in
//! `kernel/trace/blktrace.c`): F where the device's cache is flushed before it, the
//! operation, then F (FUA), A (read-ahead), S (synchronous), M (metadata), U (atomic).
//!
//! Operations on zones have letters since Linux 6.17 (Z and one more), and zeros that are not
//! sent WZ in newer kernels; before, both are N, and only zeros have sectors. Old kernels also
//! had B, for barriers.

use crate::event::{BlockOperation, Flags, IoDirection};

/// With what an operation begins.
const OPERATIONS: &[u8] = b"WDFRZN";

/// What the letters say; they end at the first zero.
#[must_use]
pub fn operation_of(rwbs: &[u8]) -> BlockOperation {
    let end = rwbs.iter().position(|byte| *byte == 0).unwrap_or(rwbs.len());
    let mut flags = Flags::default();
    let text = match &rwbs[..end] {
        [b'F', rest @ ..] if rest.first().is_some_and(|byte| OPERATIONS.contains(byte)) => {
            flags.preflush = true;
            rest
        }
        text => text,
    };
    let (direction, rest) = direction(text);
    for byte in rest {
        match byte {
            b'F' => flags.fua = true,
            b'A' => flags.ahead = true,
            b'S' => flags.sync = true,
            b'M' => flags.meta = true,
            b'U' => flags.atomic = true,
            _ => {}
        }
    }
    BlockOperation { direction, flags }
}

/// The operation, and what follows its letters.
fn direction(text: &[u8]) -> (IoDirection, &[u8]) {
    match text {
        [b'W', b'Z', rest @ ..] => (IoDirection::WriteZeroes, rest),
        [b'D', b'E', rest @ ..] => (IoDirection::SecureErase, rest),
        // Appending to a zone is a write whose place the device chooses.
        [b'W', rest @ ..] | [b'Z', b'A', rest @ ..] => (IoDirection::Write, rest),
        // All zones are reset at once.
        [b'Z', b'R', b'A', rest @ ..] | [b'Z', _, rest @ ..] => (IoDirection::Zone, rest),
        [b'D', rest @ ..] => (IoDirection::Discard, rest),
        [b'R', rest @ ..] => (IoDirection::Read, rest),
        [b'F', rest @ ..] => (IoDirection::Flush, rest),
        [b'N', rest @ ..] => (IoDirection::None, rest),
        other => (IoDirection::None, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The flags by their letters, P for the flush before.
    fn shown(text: &[u8]) -> (IoDirection, String) {
        let BlockOperation { direction, flags } = operation_of(text);
        let Flags { preflush, fua, ahead, sync, meta, atomic } = flags;
        let letters = [(preflush, 'P'), (fua, 'F'), (ahead, 'A'), (sync, 'S'), (meta, 'M'), (atomic, 'U')];
        (direction, letters.iter().filter(|(is_set, _)| *is_set).map(|(_, letter)| *letter).collect())
    }

    #[test]
    fn letters_are_read_as_the_kernel_writes_them() {
        use IoDirection as D;
        let cases: [(&[u8], IoDirection, &str); 22] = [
            (b"R\0\0\0", D::Read, ""),
            (b"RA\0FFF", D::Read, "A"),
            (b"RSM", D::Read, "SM"),
            (b"W", D::Write, ""),
            (b"WS", D::Write, "S"),
            (b"WFS", D::Write, "FS"),
            (b"FWFSM", D::Write, "PFSM"),
            (b"FWS", D::Write, "PS"),
            (b"WSU", D::Write, "SU"),
            (b"WZS", D::WriteZeroes, "S"),
            (b"D", D::Discard, ""),
            (b"DS", D::Discard, "S"),
            (b"DES", D::SecureErase, "S"),
            (b"F", D::Flush, ""),
            (b"FF", D::Flush, "P"),
            (b"FFS", D::Flush, "PS"),
            (b"ZAS", D::Write, "S"),
            (b"ZRA", D::Zone, ""),
            (b"ZRS", D::Zone, "S"),
            (b"ZFS", D::Zone, "S"),
            (b"N", D::None, ""),
            (b"", D::None, ""),
        ];
        for (text, direction, flags) in cases {
            assert_eq!(shown(text), (direction, flags.to_owned()), "{}", String::from_utf8_lossy(text));
        }
    }
}
