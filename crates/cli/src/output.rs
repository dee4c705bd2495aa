//! Where results go: standard output, or a file that is made before the first
//! trial and put in place only when it is whole.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::exit::Failure;

/// Writes to standard output. A reader that went away (`| head`) is no error.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::File { what: "writing to", path: PathBuf::from("standard output"), source: e })
        }
        _ => Ok(()),
    }
}

/// Says something on standard error, beside a document on standard output.
pub(crate) fn note(text: &str) {
    // Not eprint: a closed standard error must not end the program.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// A file that will be written.
#[derive(Debug)]
pub(crate) struct Pending {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Pending {
    /// Makes an empty file beside `path`, so that a folder that does not exist
    /// or may not be written shows before anything is measured.
    pub(crate) fn at(path: &Path) -> Result<Self, Failure> {
        let folder = folder_of(path);
        if path.is_dir() || path.file_name().is_none() {
            return Err(refused(path, "that is a folder".to_owned(), "name a file in it"));
        }
        if !folder.is_dir() {
            let reason = format!("there is no folder {}", shown(folder));
            return Err(refused(path, reason, "make the folder, or correct the path"));
        }
        let temporary = tempfile::Builder::new()
            .prefix(".headroom-")
            .tempfile_in(folder)
            .map_err(|source| unwritten(path, &source))?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    /// Writes all and puts it in place; an old file stays until then.
    pub(crate) fn finish(mut self, bytes: &[u8]) -> Result<(), Failure> {
        let failed = |source| unwritten(&self.path, &source);
        self.temporary.write_all(bytes).map_err(failed)?;
        let file = self.temporary.as_file();
        file.sync_all().map_err(failed)?;
        // A temporary file is private; a result is like any other file.
        let ordinary = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.set_permissions(ordinary).map_err(failed)?;
        self.temporary.persist(&self.path).map_err(|e| unwritten(&self.path, &e.error))?;
        Ok(())
    }
}

/// The folder in which `path` stands or would stand.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn shown(path: &Path) -> String {
    report::text::printable(&path.display().to_string())
}

/// That `path` is not written, for a reason that needs no more words.
pub(crate) fn refused(path: &Path, reason: String, help: &str) -> Failure {
    let message = format!("{} cannot be written: {reason}", shown(path));
    Failure::Refused { message, help: help.to_owned() }
}

/// The same, as the kernel refused it; what it says of our temporary file would
/// tell nobody anything.
fn unwritten(path: &Path, source: &std::io::Error) -> Failure {
    use std::io::ErrorKind;
    let folder = shown(folder_of(path));
    let (reason, help) = match source.kind() {
        ErrorKind::NotFound => (format!("no file can be made in the folder {folder}"), "name another folder"),
        ErrorKind::PermissionDenied => {
            (format!("you may not write in the folder {folder}"), "name another folder, or ask who owns it")
        }
        ErrorKind::ReadOnlyFilesystem => {
            (format!("the file system of the folder {folder} is read-only"), "name another folder")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            (format!("there is no room left in the folder {folder}"), "make room, or name another folder")
        }
        other => (other.to_string(), "name another file"),
    };
    refused(path, reason, help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_refuses_is_said_in_words_of_the_person() {
        for (number, says) in
            [(2, "in the folder /proc"), (13, "may not write"), (28, "no room"), (30, "read-only")]
        {
            let failure = unwritten(Path::new("/proc/a.svg"), &std::io::Error::from_raw_os_error(number));
            let message = failure.message();
            assert!(
                message.starts_with("/proc/a.svg cannot be written: ") && message.contains(says),
                "{message}"
            );
            assert!(!message.contains("os error") && failure.help().is_some(), "{message}");
            assert_eq!(failure.code(), 3);
        }
    }
}
