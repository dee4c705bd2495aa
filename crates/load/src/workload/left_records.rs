//! Lists of what loads have made or changed elsewhere and not taken back: one file for each, in a folder of who measures,
//! written before and removed after. A run that was killed leaves its files, and so others know of it. A file is locked while
//! its run is under way. It has no key and no password.
//!
//! A file has a line of JSON, and one more for each time that something changed: the last whole one counts.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::retry_on_intr;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longer than any of them.
pub(in crate::workload) const BYTES_MAX: u64 = 64 << 10;

/// How often a record is made again that another run removed before it was locked.
const TRIES: u32 = 1_000;

/// The file of one thing.
#[derive(Debug)]
pub(in crate::workload) struct LeftRecord {
    path: PathBuf,
    /// Locked.
    file: File,
}

impl LeftRecord {
    /// Writes `left` into the list in the folder `list`, under `name`, which nothing else there has; that is on the disk
    /// when this returns.
    ///
    /// # Errors
    /// If it cannot be written: then nothing of it is there.
    pub(in crate::workload) fn write(list: &Path, name: &str, left: &impl Serialize) -> io::Result<Self> {
        fs::create_dir_all(list)?;
        let path = list.join(name);
        let text = serde_json::to_vec(left)?;
        let mut file = new_locked(&path)?;
        let written =
            file.write_all(&text).and_then(|()| file.sync_all()).and_then(|()| File::open(list)?.sync_all());
        match written {
            Ok(()) => Ok(Self { path, file }),
            Err(error) => {
                let _ = fs::remove_file(&path);
                Err(error)
            }
        }
    }

    /// Writes what is left now. Where it cannot be written, what was written before counts.
    pub(in crate::workload) fn note(&mut self, left: &impl Serialize) {
        let Ok(line) = serde_json::to_string(left) else { return };
        let added = format!("\n{line}");
        // What is behind the end of what is read would not count.
        let has_room = |bytes: u64| bytes + added.len() as u64 <= BYTES_MAX;
        if self.file.metadata().is_ok_and(|metadata| has_room(metadata.len())) {
            let _ = self.file.write_all(added.as_bytes()).and_then(|()| self.file.sync_all());
        }
    }

    /// Takes it out of the list: nothing is left.
    pub(in crate::workload) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for LeftRecord {
    /// Nobody has to wait until what was just forked begins its own program, and so closes the file.
    fn drop(&mut self) {
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// A new file at `path`, locked. Another run that reads the list before it is locked takes it for one that was
/// never written, and removes it.
fn new_locked(path: &Path) -> io::Result<File> {
    for _ in 0..TRIES {
        let file = OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(path)?;
        let locked = retry_on_intr(|| flock(&file, FlockOperation::LockExclusive)).map_err(io::Error::from);
        match locked.and_then(|()| is_in_list(&file)) {
            Ok(true) => return Ok(file),
            Ok(false) => {}
            Err(error) => {
                let _ = fs::remove_file(path);
                return Err(error);
            }
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

/// Whether an open file still has its name.
fn is_in_list(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.nlink() > 0)
}

/// What runs that were killed left, each locked as long as its record is there. Those that are under way are not
/// among them.
pub(in crate::workload) fn left<T: DeserializeOwned>(list: &Path) -> Vec<(T, LeftRecord)> {
    files(list).into_iter().filter_map(|path| locked(path.clone(), open(&path)?)).collect()
}

/// What stands in the list, of runs that are under way too.
pub(in crate::workload) fn listed<T: DeserializeOwned>(list: &Path) -> Vec<T> {
    files(list).iter().filter_map(|path| last(&text(&mut open(path)?)?)).collect()
}

/// The list in the folder `list` for this process alone, until what is returned is dropped: what is looked at and what is
/// written then belong together.
///
/// # Errors
/// If there is no such folder and none can be made.
pub(in crate::workload) fn lock_list(list: &Path) -> io::Result<File> {
    fs::create_dir_all(list)?;
    let folder = File::open(list)?;
    retry_on_intr(|| flock(&folder, FlockOperation::LockExclusive))?;
    Ok(folder)
}

/// The files of a list, in order.
fn files(list: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(list) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

fn open(path: &Path) -> Option<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).ok()?;
    let file = OpenOptions::new().read(true).append(true).custom_flags(flags).open(path).ok()?;
    file.metadata().ok()?.is_file().then_some(file)
}

fn text(file: &mut File) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    Read::by_ref(file).take(BYTES_MAX).read_to_end(&mut text).ok()?;
    Some(text)
}

/// What the last whole line says.
fn last<T: DeserializeOwned>(text: &[u8]) -> Option<T> {
    text.split(|byte| *byte == b'\n').rev().find_map(|line| serde_json::from_slice(line).ok())
}

/// What an open file of the list says, once it is locked.
fn locked<T: DeserializeOwned>(path: PathBuf, mut file: File) -> Option<(T, LeftRecord)> {
    // Otherwise its run is under way.
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    // Otherwise its run ended well since the list was read.
    if !is_in_list(&file).ok()? {
        return None;
    }
    let text = text(&mut file)?;
    let record = LeftRecord { path, file };
    if text.is_empty() {
        // Killed while it wrote: nothing was made yet.
        record.remove();
        return None;
    }
    last(&text).map(|left| (left, record))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn list() -> tempfile::TempDir {
        tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()
    }

    #[test]
    fn what_is_under_way_is_listed_and_not_left() {
        let list = list();
        let record = LeftRecord::write(list.path(), "a", &"one").unwrap();
        assert!(left::<String>(list.path()).is_empty());
        assert_eq!(listed::<String>(list.path()), ["one"]);
        assert!(LeftRecord::write(list.path(), "a", &"two").is_err(), "the name is taken");
        drop(record);
        let mut found = left::<String>(list.path());
        let (text, mut record) = found.pop().unwrap();
        assert_eq!((text.as_str(), found.len()), ("one", 0));
        record.note(&"three");
        assert_eq!(listed::<String>(list.path()), ["three"]);
        record.remove();
        assert!(listed::<String>(list.path()).is_empty());
    }

    #[test]
    fn regression_a_record_that_was_dropped_stayed_locked_by_what_another_thread_had_just_forked() {
        let list = list();
        let record = LeftRecord::write(list.path(), "a", &"one").unwrap();
        // As what was forked and has not begun its own program has it.
        let forked = record.file.try_clone().unwrap();
        assert!(left::<String>(list.path()).is_empty());
        drop(record);
        assert_eq!(left::<String>(list.path()).len(), 1);
        drop(forked);
    }

    #[test]
    fn regression_what_ended_just_now_was_taken_for_what_a_killed_run_left() {
        let list = list();
        let record = LeftRecord::write(list.path(), "a", &"one").unwrap();
        let path = record.path.clone();
        let file = File::open(&path).unwrap();
        record.remove();
        assert!(locked::<String>(path, file).is_none());
    }

    /// One run makes its records while another reads the list again and again.
    #[test]
    fn regression_a_record_was_removed_by_a_run_that_read_the_list_before_it_was_locked() {
        let list = list();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    assert!(left::<String>(list.path()).is_empty());
                }
            });
            let made = (0..2_000).try_for_each(|number: u32| {
                let path = list.path().join(number.to_string());
                let file = new_locked(&path)?;
                let is_listed = is_in_list(&file)? && path.exists();
                // The other one may have removed it once it is not locked any more.
                drop(file);
                let _ = fs::remove_file(&path);
                if is_listed { Ok(()) } else { Err(io::Error::other("it is not in the list")) }
            });
            is_over.store(true, Ordering::Relaxed);
            made.unwrap();
        });
    }

    #[test]
    fn what_is_no_record_is_passed_over() {
        let list = list();
        fs::write(list.path().join("x"), "{").unwrap();
        std::os::unix::fs::symlink("x", list.path().join("y")).unwrap();
        fs::create_dir(list.path().join("z")).unwrap();
        fs::write(list.path().join("empty"), "").unwrap();
        assert!(left::<String>(list.path()).is_empty() && listed::<String>(list.path()).is_empty());
        assert!(!list.path().join("empty").exists() && list.path().join("x").exists());
    }
}
