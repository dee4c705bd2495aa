//! The rolling recorder: all samples of the last so many hours in a folder, in segments of some minutes, of which the oldest
//! are removed. Every row is written as soon as it is read, so that a kill loses nothing that the kernel has; a power cut
//! loses what was not yet on the disk.

mod read;
mod segment;
#[cfg(test)]
mod tests;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agent::SampleBuffer;
use model::trial::ProcessUse;
use rustix::fs::FlockOperation;

use crate::session::WatchSession;
pub use read::{KeptTime, read_at};
use segment::{Encoder, SegmentHeader};

/// How long a segment is.
const SEGMENT: Duration = Duration::from_secs(600);
/// How a segment's name ends.
const ENDING: &str = "watch";
/// The file by whose lock one recorder keeps others out of its folder.
const LOCK: &str = "lock";

/// Why nothing can be kept or read back.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError {
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// Another recorder writes there.
    #[error("another `headroom watch --keep` records to {}", .0.display())]
    Busy(PathBuf),
    /// Nothing was kept of that time.
    #[error("nothing is kept of that time: {0}")]
    Nothing(String),
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> KeeperError {
    let path = path.to_owned();
    move |source| KeeperError::Io { path, source }
}

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub struct KeepBounds {
    /// For how long.
    pub age: Duration,
    /// Bytes at most; the oldest segments go first.
    pub bytes: u64,
}

/// Writes what a session samples.
#[derive(Debug)]
pub struct SampleKeeper {
    folder: PathBuf,
    bounds: KeepBounds,
    /// Held as long as this lives.
    _lock: File,
    segment: Option<OpenSegment>,
}

#[derive(Debug)]
struct OpenSegment {
    file: File,
    path: PathBuf,
    began: SystemTime,
    encoder: Encoder,
}

impl SampleKeeper {
    /// Records to a folder, which is made if it is not there, for this user alone.
    ///
    /// # Errors
    /// If it cannot be made or written, or another one records there.
    pub fn open(folder: &Path, bounds: KeepBounds) -> Result<Self, KeeperError> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(io_error(folder))?;
        let path = folder.join(LOCK);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let lock = lock.map_err(io_error(&path))?;
        if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Err(KeeperError::Busy(folder.to_owned()));
        }
        let keeper = Self { folder: folder.to_owned(), bounds, _lock: lock, segment: None };
        keeper.prune(SystemTime::now())?;
        Ok(keeper)
    }

    /// Writes the latest samples of a session; of what is read once a second only where `has_all`.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn take(&mut self, session: &WatchSession, has_all: bool) -> Result<(), KeeperError> {
        let [fast, slow] = session.observer().buffers();
        let (groups, group_samples) = session.groups();
        let buffers = [fast, slow, group_samples];
        let now = SystemTime::now();
        let is_over = self.segment.as_ref().is_none_or(|segment| {
            let age = now.duration_since(segment.began).unwrap_or(SEGMENT);
            age >= SEGMENT || !segment.encoder.fits(&buffers)
        });
        if is_over {
            let header = SegmentHeader::of(session.machine(), groups, &buffers, now);
            self.begin(&header, now)?;
        }
        let processes = if has_all { session.observer().latest_processes() } else { &[] };
        let count = if has_all { buffers.len() } else { 1 };
        self.write(&buffers[..count], processes)
    }

    fn write(&mut self, buffers: &[&SampleBuffer], processes: &[ProcessUse]) -> Result<(), KeeperError> {
        let Some(segment) = &mut self.segment else { return Ok(()) };
        let bytes = segment.encoder.encode(buffers, processes);
        // One call: what is killed has written all of it or nothing.
        segment.file.write_all(&bytes).map_err(io_error(&segment.path))
    }

    fn begin(&mut self, header: &SegmentHeader, now: SystemTime) -> Result<(), KeeperError> {
        self.prune(now)?;
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let path = self.folder.join(format!("{:020}.{ENDING}", since.as_nanos()));
        let file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path);
        let mut file = file.map_err(io_error(&path))?;
        file.write_all(&header.written()).map_err(io_error(&path))?;
        self.segment = Some(OpenSegment { file, path, began: now, encoder: header.encoder() });
        Ok(())
    }

    /// Removes the segments that are too old, and the oldest of those that are too many.
    fn prune(&self, now: SystemTime) -> Result<(), KeeperError> {
        let oldest = now.checked_sub(self.bounds.age + SEGMENT).unwrap_or(UNIX_EPOCH);
        let mut bytes = 0;
        for (path, began, size) in segments(&self.folder)?.into_iter().rev() {
            bytes += size;
            if began < oldest || bytes > self.bounds.bytes {
                fs::remove_file(&path).map_err(io_error(&path))?;
            }
        }
        Ok(())
    }
}

/// The segments of a folder, the oldest first: where each is, when it began, and its bytes.
fn segments(folder: &Path) -> Result<Vec<(PathBuf, SystemTime, u64)>, KeeperError> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(io_error(folder))? {
        let entry = entry.map_err(io_error(folder))?;
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<u64>().ok());
        let is_ours = path.extension().is_some_and(|ending| ending == ENDING);
        if let Some(ns) = stem.filter(|_| is_ours) {
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            all.push((path, UNIX_EPOCH + Duration::from_nanos(ns), size));
        }
    }
    all.sort();
    Ok(all)
}
