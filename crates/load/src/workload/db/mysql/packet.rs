//! Packets of MySQL's protocol: three bytes of length, the lowest first, a number that counts the packets of a request
//! and its answer, and the content (dev.mysql.com, "Client/Server Protocol: MySQL Packets").
//!
//! Of an answer only the beginning of each packet is looked at, which says what it is: rows are counted, not read.

/// Bytes before the content.
pub(super) const HEAD: usize = 4;

/// A packet whose content has so many bytes goes on in the next one.
pub(super) const FULL: usize = 0xff_ffff;

/// The requests that are made (dev.mysql.com, "Command Phase").
pub(super) const COM_QUERY: u8 = 0x03;
pub(super) const COM_STMT_PREPARE: u8 = 0x16;
pub(super) const COM_STMT_EXECUTE: u8 = 0x17;

/// What the first byte of an answer's packet says.
pub(super) const OK: u8 = 0x00;
pub(super) const MORE_DATA: u8 = 0x01;
pub(super) const LOCAL_FILE: u8 = 0xfb;
pub(super) const END: u8 = 0xfe;
pub(super) const ERROR: u8 = 0xff;

/// What the head of a packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PacketHead {
    /// Bytes of the content.
    pub(super) length: usize,
    pub(super) sequence: u8,
}

impl PacketHead {
    /// The one that `bytes` begin with, if they have all of it.
    #[inline]
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let [low, middle, high, sequence, ..] = *bytes else { return None };
        let length = usize::from(low) | usize::from(middle) << 8 | usize::from(high) << 16;
        Some(Self { length, sequence })
    }
}

/// The content of the packet that `bytes` begin with, and its number, if all of it is there.
pub(super) fn first(bytes: &[u8]) -> Option<(&[u8], u8)> {
    let head = PacketHead::of(bytes)?;
    Some((bytes.get(HEAD..HEAD + head.length)?, head.sequence))
}

/// A packet that is being written.
#[derive(Debug)]
pub(super) struct OpenPacket(usize);

impl OpenPacket {
    /// Begins one behind what is in `out`; its content is what is put there until it is closed.
    #[inline]
    pub(super) fn begin(out: &mut Vec<u8>, sequence: u8) -> Self {
        let start = out.len();
        out.extend_from_slice(&[0, 0, 0, sequence]);
        Self(start)
    }

    /// Ends it. Content that has no room in one packet is divided.
    #[inline]
    pub(super) fn end(self, out: &mut Vec<u8>) {
        let length = out.len() - self.0 - HEAD;
        if length < FULL {
            write_length(out, self.0, length);
        } else {
            self.divide(out);
        }
    }

    /// Ends it as packets that are full, and one that is not.
    #[cold]
    fn divide(self, out: &mut Vec<u8>) {
        let sequence = out[self.0 + HEAD - 1];
        let content = out.split_off(self.0 + HEAD);
        out.truncate(self.0);
        let mut pieces: Vec<&[u8]> = content.chunks(FULL).collect();
        if content.len().is_multiple_of(FULL) {
            pieces.push(&[]);
        }
        let mut number = sequence;
        for piece in pieces {
            let start = out.len();
            out.extend_from_slice(&[0, 0, 0, number]);
            out.extend_from_slice(piece);
            write_length(out, start, piece.len());
            number = number.wrapping_add(1);
        }
    }
}

/// Writes a length of at most [`FULL`] to the head at `start`.
#[inline]
fn write_length(out: &mut [u8], start: usize, length: usize) {
    let bytes = length.to_le_bytes();
    out[start..start + 3].copy_from_slice(&bytes[..3]);
}

/// Puts a packet of `content` behind what is in `out`.
pub(super) fn put(out: &mut Vec<u8>, sequence: u8, content: &[u8]) {
    let packet = OpenPacket::begin(out, sequence);
    out.extend_from_slice(content);
    packet.end(out);
}

/// Puts the request `command` with a text.
pub(super) fn put_text(out: &mut Vec<u8>, command: u8, text: &str) {
    let packet = OpenPacket::begin(out, 0);
    out.push(command);
    out.extend_from_slice(text.as_bytes());
    packet.end(out);
}

/// Puts a number before whose bytes stands how many they are, where it has no room in one.
#[inline]
pub(super) fn put_length(out: &mut Vec<u8>, number: usize) {
    let bytes = number.to_le_bytes();
    match number {
        0..=0xfa => out.push(bytes[0]),
        0xfb..=0xffff => out.extend_from_slice(&[0xfc, bytes[0], bytes[1]]),
        0x1_0000..=0xff_ffff => out.extend_from_slice(&[0xfd, bytes[0], bytes[1], bytes[2]]),
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&(number as u64).to_le_bytes());
        }
    }
}

/// What is read from the content of a packet, piece by piece. Nothing is given once it is too short.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketReader<'a>(pub(super) &'a [u8]);

impl<'a> PacketReader<'a> {
    /// The next bytes.
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number of so many bytes, at most 8.
    pub(super) fn number(&mut self, bytes: usize) -> Option<u64> {
        let taken = self.take(bytes)?;
        Some(taken.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A number as [`put_length`] writes it.
    #[inline]
    pub(super) fn length(&mut self) -> Option<u64> {
        match self.number(1)? {
            0xfc => self.number(2),
            0xfd => self.number(3),
            0xfe => self.number(8),
            0xfb | 0xff => None,
            small => Some(small),
        }
    }

    /// Bytes before which stands how many they are.
    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.length()?).ok()?;
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_have_their_length_and_their_number() {
        let mut out = b"before".to_vec();
        put_text(&mut out, COM_QUERY, "SELECT 1");
        assert_eq!(out[6..], *b"\x09\0\0\0\x03SELECT 1");
        put(&mut out, 7, b"");
        assert_eq!(out[19..], [0, 0, 0, 7]);
        assert_eq!(first(&out[6..]), Some((&b"\x03SELECT 1"[..], 0)));
        assert_eq!(first(&out[19..]), Some((&b""[..], 7)));
        assert_eq!((first(&out[6..18]), first(&out[6..8])), (None, None));
    }

    #[test]
    fn long_content_is_divided() {
        for (length, expected) in [(FULL - 1, 1), (FULL, 2), (FULL + 5, 2)] {
            let mut out = vec![1];
            put(&mut out, 3, &vec![9; length]);
            let (mut place, mut found, mut total) = (1, 0, 0);
            while let Some((content, sequence)) = first(&out[place..]) {
                assert_eq!(usize::from(sequence), 3 + found);
                assert!(content.iter().all(|byte| *byte == 9));
                total += content.len();
                place += HEAD + content.len();
                found += 1;
            }
            assert_eq!((found, total, place), (expected, length, out.len()));
        }
    }

    #[test]
    fn lengths_are_read_as_they_are_written() {
        for number in [0, 250, 251, 65_535, 65_536, 0xff_ffff, 0x100_0000] {
            let mut out = Vec::new();
            put_length(&mut out, number);
            let mut content = PacketReader(&out);
            assert_eq!((content.length(), content.0.len()), (Some(number as u64), 0));
            for cut in 0..out.len() {
                assert_eq!(PacketReader(&out[..cut]).length(), None);
            }
        }
        assert_eq!(PacketReader(&[0xfb]).length(), None);
        assert_eq!(PacketReader(&[3, b'a', b'b', b'c', b'd']).text(), Some(&b"abc"[..]));
        assert_eq!(PacketReader(&[3, b'a']).text(), None);
        assert_eq!(PacketReader(&[0x01, 0x02, 0x03]).number(3), Some(0x03_0201));
    }
}
