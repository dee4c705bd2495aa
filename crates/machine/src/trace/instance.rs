//! An instance of our own in tracefs (`Documentation/trace/ftrace.rst`, "Instances"): buffers
//! and switches that no other tracer shares. Its name says whose it is, so that the instance
//! of a process that was killed can be told from that of one that lives.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::error::TraceError;
use super::tracefs::Tracefs;
use crate::setting::Process;

/// Texts of a page or less are read by one call.
const TEXT_ROOM: usize = 16 << 10;

/// The folder of instances in tracefs.
pub(super) const INSTANCES: &str = "instances";

/// With what the names of our instances begin.
const PREFIX: &str = "headroom-";

/// Whose an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InstanceOwner {
    /// The process, as its own namespace numbers it.
    pub(super) process: Process,
    /// The inode of its namespace of process numbers; 0 where that is not known.
    pub(super) namespace: u64,
}

impl InstanceOwner {
    /// This process.
    pub(super) fn this() -> Self {
        let namespace = std::fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino());
        Self { process: Process::this(), namespace }
    }

    /// The name of its instance number `number`.
    fn name(&self, number: u32) -> String {
        let Process { pid, start_ticks } = self.process;
        format!("{PREFIX}{pid}-{start_ticks}-{}-{number}", self.namespace)
    }

    /// Whose the instance `name` is; none where it is none of ours.
    pub(super) fn of(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(PREFIX)?.split('-');
        let pid = parts.next()?.parse().ok()?;
        let start_ticks = parts.next()?.parse().ok()?;
        let namespace = parts.next()?.parse().ok()?;
        parts.next()?.parse::<u32>().ok()?;
        parts.next().is_none().then_some(Self { process: Process { pid, start_ticks }, namespace })
    }
}

/// An instance, removed when it is dropped.
#[derive(Debug)]
pub(super) struct Instance {
    folder: PathBuf,
    is_there: bool,
    // Last, for a mount of our own must outlive what is in it.
    _tracefs: Tracefs,
}

impl Instance {
    /// Makes one, in which nothing is traced yet.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn create(tracefs: Tracefs) -> Result<Self, TraceError> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = InstanceOwner::this().name(NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = tracefs.path(INSTANCES).join(name);
        std::fs::create_dir(&folder).map_err(|e| match e.kind() {
            ErrorKind::NotFound => {
                TraceError::NoTracefs { reason: "this kernel's tracefs has no instances".to_owned() }
            }
            _ => TraceError::at(&folder, &e),
        })?;
        let instance = Self { folder, is_there: true, _tracefs: tracefs };
        instance.write("tracing_on", "0")?;
        Ok(instance)
    }

    /// The place of a file in it.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// Whether it has the file.
    pub(super) fn has(&self, file: &str) -> bool {
        self.path(file).exists()
    }

    /// The text of a file. It is asked for at once: of the heads' formats the kernel gives nothing to a second
    /// call (`show_header` in `kernel/trace/trace_events.c`).
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn read(&self, file: &str) -> Result<String, TraceError> {
        let path = self.path(file);
        let read = || {
            let (mut bytes, mut file) = (vec![0; TEXT_ROOM], File::open(&path)?);
            let first = file.read(&mut bytes)?;
            bytes.truncate(first);
            // Longer ones go on where they were.
            file.read_to_end(&mut bytes)?;
            String::from_utf8(bytes).map_err(|e| io::Error::new(ErrorKind::InvalidData, e))
        };
        read().map_err(|e| TraceError::at(&path, &e))
    }

    /// Writes a value to a file.
    ///
    /// # Errors
    /// If the kernel does not take it.
    pub(super) fn write(&self, file: &str, value: &str) -> Result<(), TraceError> {
        self.try_write(file, value).map_err(|e| TraceError::at(&self.path(file), &e))
    }

    /// The same, where the caller knows what a refusal means.
    ///
    /// # Errors
    /// The kernel's own.
    pub(super) fn try_write(&self, file: &str, value: &str) -> io::Result<()> {
        write(&self.path(file), value)
    }

    /// Ends all tracing and removes it.
    ///
    /// # Errors
    /// If it is still there: somebody else reads it.
    pub(super) fn remove(&mut self) -> Result<(), TraceError> {
        if !std::mem::replace(&mut self.is_there, false) {
            return Ok(());
        }
        remove(&self.folder).map_err(|e| TraceError::at(&self.folder, &e))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.remove();
    }
}

fn write(path: &Path, value: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(value.as_bytes())
}

/// Whether removing an instance failed because it is no longer there. Where another process removes it in the same
/// moment, the name is still there and the instance is not: `ENODEV` (`instance_rmdir` in `kernel/trace/trace.c`).
pub(super) fn is_gone(error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(libc::ENODEV)
}

/// Removes the instance in `folder`, of this process or of a dead one. The kernel takes its events
/// with it, so they are switched off only where somebody who reads it keeps it from being removed.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    // 10 s: on a machine that is full of work, even a reader that is about to end takes its time.
    const TRIES: u32 = 1_000;
    let mut tries = 0;
    loop {
        match std::fs::remove_dir(folder) {
            Err(e) if is_gone(&e) => return Ok(()),
            Err(e) if e.kind() == ErrorKind::ResourceBusy && tries < TRIES => tries += 1,
            Err(e) if e.kind() == ErrorKind::ResourceBusy => {
                let _ = write(&folder.join("tracing_on"), "0");
                let _ = write(&folder.join("events/enable"), "0");
                return Err(e);
            }
            other => return other,
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whose_an_instance_is() {
        let this = InstanceOwner::this();
        assert!(this.namespace > 0 && this.process.lives());
        assert_eq!(InstanceOwner::of(&this.name(3)), Some(this));
        for other in
            ["headroom-1-2-3", "headroom-1-2-3-x", "headroom-1-2-3-4-5", "other-1-2-3-4", "headroom-"]
        {
            assert_eq!(InstanceOwner::of(other), None, "{other}");
        }
    }
}
