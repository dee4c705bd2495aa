//! Where readers have their bytes from.

use std::fmt;
use std::io::{self, Read};

/// Something that is read. It is no parameter of the readers, so that these are compiled in this
/// crate, which is optimised for speed, and not once more in each that reads a trace: what is
/// generic is compiled where it is used (decision 0016).
pub(crate) struct ByteSource<'a>(Box<dyn Read + Send + 'a>);

impl<'a> ByteSource<'a> {
    pub(crate) fn new(reader: impl Read + Send + 'a) -> Self {
        Self(Box::new(reader))
    }
}

impl Read for ByteSource<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl fmt::Debug for ByteSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteSource").finish_non_exhaustive()
    }
}
