//! A file that the end of a load that is its server sends: the one that a person named, and only for reading.
//!
//! Who may name which file is not decided here: a node lets through those that it was started for.

use std::fs::{File, Metadata};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use engine::fault::Fault;
use model::Value;
use model::plan::Problem;
use rustix::fs::{Mode, OFlags};
use rustix::io::{self, Errno};

use crate::fixture::FixtureStore;
use crate::workload::disk::{pseudo, residency};

/// An open file, and what it was then.
#[derive(Clone, Debug)]
pub(in crate::workload) struct ServedFile {
    file: Arc<File>,
    path: String,
    bytes: u64,
    /// What tells it from another one, and from what it is after somebody wrote to it.
    identity: String,
}

/// Device and number, length and time of the last change of a file: who writes to it changes the time, who puts
/// another in its place the number.
fn identity(of: &Metadata) -> String {
    format!("{} {} {} {} {}", of.dev(), of.ino(), of.len(), of.mtime(), of.mtime_nsec())
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
        let (bytes, identity) = (metadata.len(), identity(&metadata));
        Ok(Self { file: Arc::new(file), path: path.to_owned(), bytes, identity })
    }

    /// Each trial opens it anew. Refuses one that is not what an earlier trial of the run sent under this name.
    ///
    /// # Errors
    /// If somebody replaced it or wrote to it meanwhile.
    pub(in crate::workload) fn check_same(&self, fixtures: &FixtureStore) -> Result<(), Fault> {
        let note = format!("serve-file {}", self.path);
        match fixtures.noted(&note) {
            None => fixtures.note(note, self.identity.clone()),
            Some(first) if first == self.identity => {}
            Some(_) => return Err(self.changed("since an earlier trial of this run")),
        }
        Ok(())
    }

    /// Whether it still is what was opened, once all was sent.
    ///
    /// # Errors
    /// If somebody wrote to it meanwhile.
    pub(super) fn check_unchanged(&self) -> Result<(), Fault> {
        let looking = |e: std::io::Error| Fault::system(format!("looking at {}", self.path), e);
        let now = identity(&self.file.metadata().map_err(looking)?);
        if now == self.identity { Ok(()) } else { Err(self.changed("while it was sent")) }
    }

    #[cold]
    fn changed(&self, when: &str) -> Fault {
        Fault::Other(format!(
            "the serve-file {} was replaced or written to {when}, and all trials of a run must send the same: leave it \
             as it is until the run has ended",
            self.path
        ))
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

    /// The length is the same throughout.
    #[test]
    fn a_file_that_is_another_one_in_a_later_trial_is_told() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = folder.path().join("served");
        let written = |name: &str| {
            let path = folder.path().join(name);
            let mut file = File::create(&path).unwrap();
            file.write_all(&[7; 10_000]).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
            (file, path)
        };
        let (mut file, _) = written("served");
        let open = || ServedFile::open(path.to_str().unwrap()).unwrap();
        let (first, run) = (open(), FixtureStore::default());
        first.check_same(&run).unwrap();
        open().check_same(&run).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        file.write_all(b"x").unwrap();
        let why = first.check_unchanged().unwrap_err().to_string();
        assert!(why.contains("served was replaced or written to while it was sent"), "{why}");
        let why = open().check_same(&run).unwrap_err().to_string();
        assert!(why.contains("since an earlier trial of this run"), "{why}");
        open().check_same(&FixtureStore::default()).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        open().check_same(&run).unwrap();
        first.check_unchanged().unwrap();
        std::fs::rename(written("other").1, &path).unwrap();
        first.check_unchanged().unwrap();
        assert!(open().check_same(&run).is_err(), "it has another number");
    }
}
