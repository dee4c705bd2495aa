//! Numbers as few bytes: seven bits in each, the lowest first; signed ones folded, so that
//! small negative ones are small.

/// Puts a number behind `out`.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Puts the way from one number to another behind `out`.
pub(super) fn put_change(out: &mut Vec<u8>, from: u64, to: u64) {
    let change = to.wrapping_sub(from) as i64;
    put(out, ((change << 1) ^ (change >> 63)) as u64);
}

/// Puts bytes behind `out`, after their number.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend(bytes);
}

/// Takes numbers from bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a>(pub(super) &'a [u8]);

impl<'a> Source<'a> {
    pub(super) fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// A number of at most 64 bits.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number of a smaller type.
    pub(super) fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    /// What [`put_change`] put, from the number that it was counted from.
    pub(super) fn changed(&mut self, from: u64) -> Option<u64> {
        let folded = self.number()?;
        let change = (folded >> 1) ^ 0_u64.wrapping_sub(folded & 1);
        Some(from.wrapping_add(change))
    }

    /// What [`put_bytes`] put.
    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let bytes = self.small()?;
        self.take(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let edges = [0, 1, 127, 128, 16383, 16384, 1 << 32, u64::MAX >> 1, u64::MAX];
        for number in edges {
            let mut out = Vec::new();
            put(&mut out, number);
            let mut source = Source(&out);
            assert_eq!((source.number(), source.0.len()), (Some(number), 0));
            for from in edges {
                out.clear();
                put_change(&mut out, from, number);
                assert_eq!(Source(&out).changed(from), Some(number), "{from} to {number}");
            }
        }
        let mut out = Vec::new();
        put_change(&mut out, 100, 98);
        assert_eq!(out, [3]);
    }

    #[test]
    fn what_is_no_number_is_none() {
        for bytes in [&b""[..], b"\x80", &[0xff; 10], &[0x80; 11]] {
            assert_eq!(Source(bytes).number(), None, "{bytes:?}");
        }
        assert_eq!(Source(&[0x80, 0x02]).small::<u8>(), None);
        assert_eq!(Source(&[3, 1, 2]).bytes(), None);
        assert_eq!(Source(&[2, 1, 2, 9]).bytes(), Some(&[1, 2][..]));
    }
}
