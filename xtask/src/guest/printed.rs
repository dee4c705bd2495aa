//! What a guest beside other work prints: kept until that work has said what it has
//! to say, since the lines of both would be mixed.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// What was printed so far; all copies are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    /// Keeps this, too.
    pub(super) fn add(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
    }

    /// All of it.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_copies_keep_is_kept_in_order() {
        let printed = Printed::default();
        let mut out = printed.clone();
        out.write_all(b"one\n").unwrap();
        printed.clone().write_all(b"two\n").unwrap();
        printed.add(b"three\n");
        assert_eq!(printed.text(), "one\ntwo\nthree\n");
    }
}
