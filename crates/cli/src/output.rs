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
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let failed = |source| Failure::File { what: "making", path: path.to_owned(), source };
        if path.is_dir() {
            return Err(failed(std::io::ErrorKind::IsADirectory.into()));
        }
        if !folder.is_dir() {
            return Err(failed(std::io::ErrorKind::NotFound.into()));
        }
        let temporary = tempfile::Builder::new().prefix(".headroom-").tempfile_in(folder).map_err(failed)?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    /// Writes all and puts it in place; an old file stays until then.
    pub(crate) fn finish(mut self, bytes: &[u8]) -> Result<(), Failure> {
        let failed = |source| Failure::File { what: "writing", path: self.path.clone(), source };
        self.temporary.write_all(bytes).map_err(failed)?;
        let file = self.temporary.as_file();
        file.sync_all().map_err(failed)?;
        // A temporary file is private; a result is like any other file.
        let ordinary = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.set_permissions(ordinary).map_err(failed)?;
        self.temporary.persist(&self.path).map_err(|e| Failure::File {
            what: "writing",
            path: self.path.clone(),
            source: e.error,
        })?;
        Ok(())
    }
}
