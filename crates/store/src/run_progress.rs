//! How far a run is that is being measured, between the trials that the store has: a small file in memory (the folder of the
//! user's session, or /run for root), named after the process that measures. It says nothing that is kept: who cannot
//! write or read it misses only what a page would have shown meanwhile. Nothing of it touches a disk that is measured.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use model::LatencyOverTime;
use model::event::IntervalFigures;
use rustix::fs::OFlags;
use serde_json::{Value, json};

use crate::error::StoreError;
use crate::sqlite::SqliteStore;

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunProgress {
    /// What a person calls the case that is measured.
    pub case: String,
    /// Which trial it is, from 1, over all cases.
    pub trial: u64,
    /// Seconds that are done, and seconds in all, as now estimated; absent before they are known.
    pub seconds: Option<(f64, f64)>,
    /// What its load did in the last interval of the trial; absent where nobody looked on when the trial began.
    pub latest: Option<IntervalFigures>,
    /// How its latency was spread in each interval of the trial until now, and when the first of them began, in seconds
    /// from the start of the window.
    pub latency: Option<(f64, LatencyOverTime)>,
}

/// Far more than such a file has.
const BYTES_MAX: u64 = 1 << 20;

/// For so long one who looked at a run is taken to look still.
const LOOKS: Duration = Duration::from_secs(5);

impl RunProgress {
    /// Says so for this process, in place of what it said before. Fails if there is no such folder, or nothing can be
    /// written there.
    pub fn write(&self) -> io::Result<()> {
        let folder = folder().ok_or(io::ErrorKind::NotFound)?;
        self.write_in(&folder, std::process::id())
    }

    /// Whether somebody looks at how far this process is.
    #[must_use]
    pub fn is_watched() -> bool {
        folder().is_some_and(|folder| Self::is_watched_in(&folder, std::process::id()))
    }

    fn is_watched_in(folder: &Path, process: u32) -> bool {
        let looked = fs::symlink_metadata(mark(folder, process)).and_then(|metadata| metadata.modified());
        // A clock that was set back is no reason to stop.
        looked.is_ok_and(|looked| looked.elapsed().is_ok_and(|since| since < LOOKS))
    }

    /// Leaves word that somebody looks.
    fn watch_in(folder: &Path, process: u32) -> io::Result<()> {
        let path = mark(folder, process);
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let mut options = OpenOptions::new();
        let marked =
            options.write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path)?;
        marked.set_modified(SystemTime::now())
    }

    /// Takes away what this process said.
    pub fn take_away() {
        if let Some(folder) = folder() {
            let _ = fs::remove_file(file(&folder, std::process::id()));
            let _ = fs::remove_file(mark(&folder, std::process::id()));
            // Others may have theirs there.
            let _ = fs::remove_dir(folder);
        }
    }

    fn write_in(&self, folder: &Path, process: u32) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
            _ => {}
        }
        let (done, total) = self.seconds.unzip();
        let text = json!({
            "case": self.case, "trial": self.trial, "done_s": done, "total_s": total,
            "latest": self.latest, "latency": self.latency,
        })
        .to_string();
        let (path, new) = (file(folder, process), folder.join(format!("run-{process}.new")));
        let _ = fs::remove_file(&new);
        let mut written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        written.write_all(text.as_bytes())?;
        fs::rename(&new, &path)
    }

    fn read_in(folder: &Path, process: u32) -> Option<Self> {
        let opened = File::open(file(folder, process)).ok()?;
        let metadata = opened.metadata().ok()?;
        let us = rustix::process::geteuid().as_raw();
        if !metadata.is_file() || metadata.uid() != us {
            return None;
        }
        let mut text = String::new();
        opened.take(BYTES_MAX).read_to_string(&mut text).ok()?;
        let said: Value = serde_json::from_str(&text).ok()?;
        let number = |name: &str| said[name].as_f64().filter(|n| n.is_finite() && *n >= 0.0);
        Some(Self {
            case: said["case"].as_str().unwrap_or_default().to_owned(),
            trial: said["trial"].as_u64().unwrap_or_default(),
            seconds: number("done_s").zip(number("total_s")),
            latest: serde_json::from_value(said["latest"].clone()).ok(),
            latency: serde_json::from_value(said["latency"].clone()).ok(),
        })
    }
}

impl SqliteStore {
    /// How far the run with this id is, where its process lives and says so; that process learns that somebody looks.
    /// Fails if reading the store fails.
    pub fn progress(&self, id: &str) -> Result<Option<RunProgress>, StoreError> {
        let writer = self.living_writer(id)?;
        Ok(writer.zip(folder()).and_then(|(writer, folder)| {
            let progress = RunProgress::read_in(&folder, writer.pid)?;
            // Where that cannot be said, no more is told than it tells everybody.
            let _ = RunProgress::watch_in(&folder, writer.pid);
            Some(progress)
        }))
    }
}

/// Where such files are; none where there is no folder in memory for this user.
fn folder() -> Option<PathBuf> {
    let session = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let usual = || rustix::process::geteuid().is_root().then(|| PathBuf::from("/run"));
    session.or_else(usual).map(|folder| folder.join("headroom"))
}

fn file(folder: &Path, process: u32) -> PathBuf {
    folder.join(format!("run-{process}.json"))
}

/// The file whose time is that of the last look.
fn mark(folder: &Path, process: u32) -> PathBuf {
    folder.join(format!("run-{process}.watched"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_said_is_read_and_the_last_word_counts() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("headroom");
        assert_eq!(RunProgress::read_in(&folder, 7), None);
        let mut said = RunProgress { case: "a \"b\"".to_owned(), trial: 3, ..RunProgress::default() };
        said.write_in(&folder, 7).unwrap();
        assert_eq!(RunProgress::read_in(&folder, 7).as_ref(), Some(&said));
        said.seconds = Some((1.5, 20.0));
        let counts = [[(50, 7), (52, 1)].into()];
        said.latency = LatencyOverTime::of(0, 1_000_000_000, &counts).map(|latency| (-0.5, latency));
        said.latest = Some(IntervalFigures {
            operations: 8,
            latency_steps: vec![(50, 7)],
            ..IntervalFigures::default()
        });
        said.write_in(&folder, 7).unwrap();
        assert_eq!(RunProgress::read_in(&folder, 7), Some(said));
        assert_eq!(RunProgress::read_in(&folder, 8), None);
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn a_run_knows_whether_somebody_looks() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!RunProgress::is_watched_in(folder.path(), 7));
        RunProgress::watch_in(folder.path(), 7).unwrap();
        assert!(
            RunProgress::is_watched_in(folder.path(), 7) && !RunProgress::is_watched_in(folder.path(), 8)
        );
        let long_ago = SystemTime::now() - 10 * LOOKS;
        File::options().write(true).open(mark(folder.path(), 7)).unwrap().set_modified(long_ago).unwrap();
        assert!(!RunProgress::is_watched_in(folder.path(), 7));
        // Who looks again is seen again.
        RunProgress::watch_in(folder.path(), 7).unwrap();
        assert!(RunProgress::is_watched_in(folder.path(), 7));
        // A link that leads elsewhere is not followed.
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), mark(folder.path(), 9)).unwrap();
        assert!(RunProgress::watch_in(folder.path(), 9).is_err());
        assert!(!folder.path().join("elsewhere").exists());
    }

    #[test]
    fn what_is_no_progress_is_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(file(folder.path(), 7), "no").unwrap();
        assert_eq!(RunProgress::read_in(folder.path(), 7), None);
        fs::write(file(folder.path(), 7), r#"{"case": 5, "done_s": -1, "total_s": 2}"#).unwrap();
        assert_eq!(RunProgress::read_in(folder.path(), 7), Some(RunProgress::default()));
        fs::write(file(folder.path(), 7), " ".repeat(2 << 20)).unwrap();
        assert_eq!(RunProgress::read_in(folder.path(), 7), None);
    }
}
