//! Frames out of bytes as they come: a length of four bytes, little endian, then
//! so many bytes. What a stranger claims costs nothing: a length beyond the
//! limit is an error before a byte of it is kept, and memory grows only with
//! what really came.
//!
//! A frame of no bytes is a sign of life and says nothing else.

/// A frame that is longer than it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame claims {claimed} bytes, and {longest} are the most")]
pub struct TooLong {
    /// What it claims.
    pub claimed: usize,
    /// What is allowed.
    pub longest: usize,
}

/// Takes frames out of a stream.
#[derive(Debug)]
pub struct Frames {
    longest: usize,
    held: Vec<u8>,
    /// Where in `held` the next frame begins.
    start: usize,
}

/// How long the length of a frame is.
const HEAD: usize = 4;

/// What is given back to the system when it is no longer needed.
const SPARE: usize = 1 << 20;

impl Frames {
    /// For frames of at most `longest` bytes.
    #[must_use]
    pub fn new(longest: usize) -> Self {
        Self { longest, held: Vec::new(), start: 0 }
    }

    /// Allows longer frames from now on.
    pub fn allow(&mut self, longest: usize) {
        self.longest = longest;
    }

    /// Adds bytes that came.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.drain(..self.start);
        self.start = 0;
        if self.held.is_empty() && self.held.capacity() > SPARE {
            self.held = Vec::new();
        }
        self.held.extend_from_slice(bytes);
    }

    /// The next frame's bytes, if it is whole.
    ///
    /// # Errors
    /// If it is too long; there is nothing to be had after that.
    pub fn take(&mut self) -> Result<Option<&[u8]>, TooLong> {
        let rest = &self.held[self.start..];
        let Some((head, body)) = rest.split_first_chunk::<HEAD>() else { return Ok(None) };
        let claimed = u32::from_le_bytes(*head) as usize;
        if claimed > self.longest {
            return Err(TooLong { claimed, longest: self.longest });
        }
        if body.len() < claimed {
            return Ok(None);
        }
        let from = self.start + HEAD;
        self.start = from + claimed;
        Ok(Some(&self.held[from..self.start]))
    }

    /// Whether a frame has begun that is not whole.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.start < self.held.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn framed(body: &[u8]) -> Vec<u8> {
        [&u32::try_from(body.len()).unwrap().to_le_bytes()[..], body].concat()
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_when_its_four_bytes_are_there() {
        let mut frames = Frames::new(100);
        frames.push(&[101, 0, 0]);
        assert_eq!(frames.take(), Ok(None));
        frames.push(&[0]);
        assert_eq!(frames.take(), Err(TooLong { claimed: 101, longest: 100 }));
        frames.allow(101);
        assert_eq!(frames.take(), Ok(None));
        assert!(frames.held.capacity() < 100, "memory was taken for what only was claimed");
    }

    #[test]
    fn half_a_frame_is_none_and_an_empty_one_is_a_sign_of_life() {
        let mut frames = Frames::new(100);
        frames.push(&framed(b"")[..]);
        assert_eq!(frames.take(), Ok(Some(&b""[..])));
        assert!(!frames.is_inside());
        frames.push(&framed(b"abc")[..6]);
        assert_eq!(frames.take(), Ok(None));
        assert!(frames.is_inside());
        frames.push(b"c");
        assert_eq!(frames.take(), Ok(Some(&b"abc"[..])));
        assert!(!frames.is_inside());
    }

    proptest! {
        #[test]
        fn frames_come_out_as_they_went_in_however_the_bytes_are_cut(
            bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..20),
            cut in 1_usize..40,
        ) {
            let bytes: Vec<u8> = bodies.iter().flat_map(|b| framed(b)).collect();
            let mut frames = Frames::new(60);
            let mut found = Vec::new();
            for piece in bytes.chunks(cut) {
                frames.push(piece);
                while let Some(body) = frames.take().unwrap() {
                    found.push(body.to_vec());
                }
            }
            prop_assert_eq!(found, bodies);
            prop_assert!(!frames.is_inside());
        }

        /// The same as the fuzz target, `fuzz/fuzz_targets/frames.rs`.
        #[test]
        fn whatever_comes_is_a_frame_a_refusal_or_not_whole(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20),
        ) {
            prop_assert!(crate::heard(&pieces.concat(), 7) <= pieces.len() * 50);
        }
    }
}
