//! The bytes of a file that come next, read many at a time and looked at where they are.

use std::io::{ErrorKind, Read};

use crate::format::FormatError;
use crate::format::source::ByteSource;

/// So many bytes are read at once.
const AHEAD_BYTES: usize = 1 << 16;

/// A file, and what was read of it ahead.
#[derive(Debug)]
pub(super) struct ReadAhead<'a> {
    source: ByteSource<'a>,
    bytes: Vec<u8>,
    /// Where those begin that were not passed, and end.
    at: usize,
    end: usize,
}

impl<'a> ReadAhead<'a> {
    pub(super) fn new(source: ByteSource<'a>) -> Self {
        Self { source, bytes: vec![0; AHEAD_BYTES], at: 0, end: 0 }
    }

    /// The next `wanted` bytes; fewer only where the file ends.
    pub(super) fn next(&mut self, wanted: usize) -> Result<&[u8], FormatError> {
        if self.end - self.at < wanted {
            self.read(wanted)?;
        }
        Ok(&self.bytes[self.at..self.end.min(self.at + wanted)])
    }

    /// Goes on behind so many of the bytes that [`Self::next`] gave.
    pub(super) fn pass(&mut self, bytes: usize) {
        self.at = self.end.min(self.at + bytes);
    }

    #[cold]
    fn read(&mut self, wanted: usize) -> Result<(), FormatError> {
        self.bytes.copy_within(self.at..self.end, 0);
        self.end -= self.at;
        self.at = 0;
        if self.bytes.len() < wanted {
            self.bytes.resize(wanted, 0);
        }
        while self.end < wanted {
            match self.source.read(&mut self.bytes[self.end..]) {
                Ok(0) => break,
                Ok(bytes) => self.end += bytes,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(FormatError::Read(e)),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn what_is_wanted_is_given_until_the_file_ends() {
        let file: Vec<u8> = (0..=255).cycle().take(3 * AHEAD_BYTES).collect();
        let sources = [ByteSource::new(file.as_slice()), ByteSource::new(Slow(&file))];
        for source in sources {
            let mut ahead = ReadAhead::new(source);
            let mut passed = 0;
            for wanted in [48, 0, 7, AHEAD_BYTES + 100, 48, AHEAD_BYTES] {
                assert_eq!(ahead.next(wanted).unwrap(), &file[passed..passed + wanted]);
                // Again, for nothing was passed.
                assert_eq!(ahead.next(wanted).unwrap().len(), wanted);
                ahead.pass(wanted);
                passed += wanted;
            }
            assert_eq!(ahead.next(file.len()).unwrap(), &file[passed..]);
            ahead.pass(file.len());
            assert_eq!(ahead.next(1).unwrap(), b"");
        }
    }
}
