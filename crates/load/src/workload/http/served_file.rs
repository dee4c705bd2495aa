//! A file that the end of a load that is its server sends: the one that a person named, and only for reading.
//!
//! Who may name which file is not decided here: a node lets through those that it was started for.

use std::fs::File;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use engine::fault::Fault;
use model::Value;
use model::plan::Problem;
use rustix::fs::{Mode, OFlags};
use rustix::io::{self, Errno};

use crate::workload::disk::{pseudo, residency};

/// An open file, and how long it was then.
#[derive(Clone, Debug)]
pub(in crate::workload) struct ServedFile {
    file: Arc<File>,
    path: String,
    bytes: u64,
}

impl ServedFile {
    /// Whether `path` may name one, wherever it lies.
    ///
    /// # Errors
    /// If it is not an absolute path: the other end has a working folder of its own.
    pub(in crate::workload) fn check(path: &str) -> Result<(), Problem> {
        if Path::new(path).is_absolute() {
            return Ok(());
        }
        Err(Problem::invalid(
            format!(
                "the serve-file {path} is not an absolute path, and the machine that sends it has folders of its own"
            ),
            "begin it with a slash",
        ))
    }

    /// Opens the one at `path`.
    ///
    /// # Errors
    /// If it is no regular file with content that can be read.
    pub(in crate::workload) fn open(path: &str) -> Result<Self, Problem> {
        Self::check(path)?;
        let help = "name a regular file there that can be read and has something in it";
        let unread =
            |e: std::io::Error| Problem::invalid(format!("the serve-file {path} cannot be read: {e}"), help);
        let other = || Problem::invalid(format!("the serve-file {path} is no file with content"), help);
        // To open a pipe or a device may wait, or do something to it.
        if !std::fs::metadata(path).map_err(unread)?.is_file() {
            return Err(other());
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| unread(e.into()))?;
        let file = File::from(opened);
        // Another may have its name by now.
        let metadata = file.metadata().map_err(unread)?;
        if !metadata.is_file() || metadata.len() == 0 {
            return Err(other());
        }
        if let Some(kind) = pseudo::holds(&file) {
            return Err(Problem::refused(
                format!("the serve-file {path} lies in {kind}, where files are views of the kernel"),
                help,
            ));
        }
        Ok(Self { file: Arc::new(file), path: path.to_owned(), bytes: metadata.len() })
    }

    /// How long it was when it was opened.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The share of it that the page cache holds now, as it is told; absent where the kernel does not say.
    pub(super) fn cached_share(&self) -> Option<Value> {
        let share = residency::cached_share(&self.file, self.bytes)?;
        Some(Value::Number((share * 1000.0).round() / 1000.0))
    }

    /// Has the kernel send at most `most` bytes from `from` on; what the socket says.
    ///
    /// # Errors
    /// If the file cannot be read, or is shorter by now.
    #[inline]
    pub(super) fn send(
        &self,
        stream: &TcpStream,
        from: u64,
        most: usize,
    ) -> Result<io::Result<usize>, Fault> {
        let mut offset = from;
        match rustix::fs::sendfile(stream, &*self.file, Some(&mut offset), most) {
            Ok(0) if most > 0 => Err(Fault::Short {
                what: format!("{} became shorter while it was sent: an answer", self.path),
                got: from,
                wanted: self.bytes,
            }),
            Err(e @ (Errno::IO | Errno::INVAL | Errno::NOMEM | Errno::OVERFLOW)) => {
                Err(Fault::system(format!("sending {} by sendfile", self.path), e))
            }
            sent => Ok(sent),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn only_a_regular_file_with_content_is_served() {
        let why = |path: &str| ServedFile::open(path).map(drop).unwrap_err().message;
        assert!(why("some/file").contains("not an absolute path"));
        assert!(why("/no/such/file").contains("cannot be read"));
        for path in ["/", "/dev/zero", "/dev/null"] {
            assert!(why(path).contains("no file with content"), "{path}");
        }
        // The kernel says that it has bytes.
        assert!(why("/sys/devices/system/cpu/online").contains("sysfs"));
        let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        assert!(why(&path).contains("no file with content"), "it is empty");
        let pipe = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let pipe = pipe.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, pipe.as_path(), rustix::fs::FileType::Fifo, Mode::RUSR, 0)
            .unwrap();
        assert!(why(pipe.to_str().unwrap()).contains("no file with content"), "nobody writes to it");
        file.write_all(&[7; 10_000]).unwrap();
        let served = ServedFile::open(&path).unwrap();
        assert_eq!(served.bytes(), 10_000);
        assert!((&*served.file).write_all(b"x").is_err(), "it is open for reading only");
    }
}
