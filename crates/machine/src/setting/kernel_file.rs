//! Writing to a file of the kernel's: an attribute of sysfs, a number of sysctl, a list of a control
//! group. One that is not there is never made: where a folder of such a name is no file system of the
//! kernel's, a file would stay.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Opens one to be written from its beginning, in place of what it held.
///
/// # Errors
/// If it is not there, or may not be written.
pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).truncate(true).open(path)
}

/// Writes a text there, in one call, as the kernel takes it.
///
/// # Errors
/// As [`open`], and if the kernel does not take the text.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_file_that_was_not_there_was_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scaling_governor");
        assert_eq!(write(&path, "performance\n").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(!path.exists());
        std::fs::write(&path, "a longer text than that\n").unwrap();
        write(&path, "performance\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "performance\n");
    }
}
