//! The journal of what was changed: one JSON line for each setting of a resource
//! that is not as it was found, written and flushed to the disk before the
//! change, taken out after it was put back.
//!
//! The file is written anew beside itself and then given its name, so that it is
//! whole at any moment; where a file system breaks that promise, a last line
//! without an end is one whose change was never made. Writers take turns by a
//! lock on the folder, which also holds while one looks before it writes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use model::{Resource, Value};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::namespace::NamespaceScope;
use super::process::Process;

/// Names another folder, for tests: what stands there other runs do not see.
const FOLDER_VARIABLE: &str = "HEADROOM_STATE";
/// The folder of who may change settings.
const FOLDER: &str = "/var/lib/headroom";
const NAME: &str = "settings.journal";
/// A journal has a line or two; this is something else.
const BYTES_MAX: u64 = 1 << 20;

/// Why the journal cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("the journal of settings {} cannot be {doing}: {reason}; without it nothing is changed", path.display())]
    File {
        /// The journal.
        path: PathBuf,
        /// `read`, `written`.
        doing: &'static str,
        /// What the kernel said.
        reason: String,
    },
    /// A line in it is none of ours.
    #[error(
        "line {line} of the journal of settings {} cannot be read: {reason}; see what it says was changed, put that \
         back by hand, and remove the file", path.display()
    )]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// One setting of one resource that is not as it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Where the change took effect.
    #[serde(flatten)]
    pub place: NamespaceScope,
    /// The process that changed it and will put it back.
    pub owner: Process,
    /// The process for which it did.
    pub controller: Option<Process>,
    /// The setting.
    pub setting: String,
    /// Its resource.
    pub resource: Resource,
    /// What it was.
    pub before: Value,
    /// What it was to become first.
    pub asked: Value,
    /// What the kernel changes with it, in the order in which it is put back
    /// after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub side_effects: Vec<SideEffect>,
    /// What the kernel made of those of the side effects that it sets anew on the way back, too
    /// ([`Setting::resets`](super::Setting::resets)), by the setting: what is another value then, and not the one
    /// before either, was made so by somebody else.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub made: BTreeMap<String, Value>,
    /// The number of the folder that the kernel has for it, where it is a block device: one that has its name later, and
    /// another folder, is another device, which was not changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u64>,
}

/// A state that the kernel changes along with a setting, as it was before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideEffect {
    /// What it is: a setting, or a state that is changed in no other way.
    pub setting: String,
    /// Its resource.
    pub resource: Resource,
    /// What it was.
    pub before: Value,
}

/// Where this process writes down what has to be put back or removed if it is
/// killed: in `$HEADROOM_STATE`, or in `/var/lib/headroom` for root, or in
/// `$XDG_STATE_HOME/headroom` (`~/.local/state/headroom`) for others.
#[must_use]
pub fn state_folder() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(folder) = variable(FOLDER_VARIABLE) {
        return folder;
    }
    if rustix::process::geteuid().is_root() {
        return PathBuf::from(FOLDER);
    }
    let home = || Some(variable("HOME")?.join(".local/state"));
    let state = variable("XDG_STATE_HOME").or_else(home);
    state.map_or_else(|| PathBuf::from(FOLDER), |s| s.join("headroom"))
}

/// The journal at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    path: PathBuf,
}

impl Journal {
    /// The journal in a folder.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { path: folder.join(NAME) }
    }

    /// The journal that this process writes.
    #[must_use]
    pub fn own() -> Self {
        Self::at(&state_folder())
    }

    /// All journals that may speak of this machine: ours, and root's.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::own()];
        let system = Self::at(Path::new(FOLDER));
        if std::env::var_os(FOLDER_VARIABLE).is_none() && all[0] != system {
            all.push(system);
        }
        all
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn failed(&self, doing: &'static str) -> impl Fn(io::Error) -> JournalError + use<> {
        let path = self.path.clone();
        move |error| JournalError::File { path: path.clone(), doing, reason: error.to_string() }
    }

    /// What stands in it, the oldest first; nothing where there is none.
    ///
    /// # Errors
    /// If it cannot be read, or a line in it is none of ours.
    pub fn entries(&self) -> Result<Vec<JournalEntry>, JournalError> {
        let failed = self.failed("read");
        // A pipe in its place must not stop who looks.
        let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(&self.path);
        let file = match opened {
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Vec::new());
            }
            other => other.map_err(&failed)?,
        };
        match file.metadata().map_err(&failed)? {
            m if !m.is_file() => return Err(failed(io::Error::other("it is no regular file"))),
            m if m.len() > BYTES_MAX => return Err(failed(io::Error::other("it is too large"))),
            _ => {}
        }
        let mut bytes = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
        // What follows the last end of line was not finished, so that its change
        // was not begun.
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let lines = bytes[..whole].split(|b| *b == b'\n').enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty());
        lines
            .map(|(at, line)| {
                serde_json::from_slice(line).map_err(|e| JournalError::Damaged {
                    path: self.path.clone(),
                    line: at + 1,
                    reason: e.to_string(),
                })
            })
            .collect()
    }

    /// Adds an entry; it is on the disk when this returns.
    ///
    /// # Errors
    /// If that cannot be done: then nothing may be changed.
    pub fn add(&self, entry: &JournalEntry) -> Result<(), JournalError> {
        self.lock()?.add(entry)
    }

    /// The journal for this process alone, until what is returned is dropped.
    pub(super) fn lock(&self) -> Result<Locked, JournalError> {
        let failed = self.failed("written");
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        make_folder(folder).map_err(&failed)?;
        let folder = File::open(folder).map_err(&failed)?;
        flock(&folder, FlockOperation::LockExclusive).map_err(|e| failed(e.into()))?;
        Ok(Locked { entries: self.entries()?, journal: self.clone(), folder })
    }
}

/// A journal that no other process can change meanwhile: what is looked at and
/// what is written then belong together.
pub(super) struct Locked {
    journal: Journal,
    /// The lock lasts as long as this is open.
    folder: File,
    entries: Vec<JournalEntry>,
}

impl Locked {
    /// What stands in it, the oldest first.
    pub(super) fn entries(&self) -> &[JournalEntry] {
        &self.entries
    }

    /// As [`Journal::add`].
    pub(super) fn add(&mut self, entry: &JournalEntry) -> Result<(), JournalError> {
        let mut entries = self.entries.clone();
        entries.push(entry.clone());
        self.write(entries)
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, entry: &JournalEntry) -> Result<(), JournalError> {
        let entries = self.entries.iter().filter(|e| *e != entry).cloned().collect();
        self.write(entries)
    }

    /// Puts an entry in the place of another.
    pub(super) fn replace(&mut self, old: &JournalEntry, new: &JournalEntry) -> Result<(), JournalError> {
        let one = |e: &JournalEntry| if e == old { new.clone() } else { e.clone() };
        let entries = self.entries.iter().map(one).collect();
        self.write(entries)
    }

    /// Writes these entries in the place of those that are there, which stay after an error.
    fn write(&mut self, entries: Vec<JournalEntry>) -> Result<(), JournalError> {
        self.write_file(&entries)?;
        self.entries = entries;
        Ok(())
    }

    fn write_file(&self, entries: &[JournalEntry]) -> Result<(), JournalError> {
        let failed = self.journal.failed("written");
        let path = &self.journal.path;
        if entries.is_empty() {
            match fs::remove_file(path) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(failed(e)),
                _ => return self.folder.sync_all().map_err(failed),
            }
        }
        let mut text = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut text, entry).map_err(|e| failed(e.into()))?;
            text.push(b'\n');
        }
        // What is larger could not be read again.
        if text.len() as u64 > BYTES_MAX {
            return Err(failed(io::Error::other(format!("it would have more than {BYTES_MAX} bytes"))));
        }
        let beside = path.with_extension("journal.new");
        let write = || {
            // What a killed process left, or a link that somebody put there: what
            // it leads to is not written to.
            match fs::remove_file(&beside) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
                _ => {}
            }
            let mut file = File::create_new(&beside)?;
            // Who may not change settings may see that they are changed.
            file.set_permissions(fs::Permissions::from_mode(0o644))?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&beside, path)?;
            self.folder.sync_all()
        };
        write().map_err(failed)
    }
}

/// Makes the folder, and its name last.
fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    match folder.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn entry(setting: &str) -> JournalEntry {
        JournalEntry {
            place: NamespaceScope::here(),
            owner: Process::this(),
            controller: Process::parent(),
            setting: setting.to_owned(),
            resource: Resource::MACHINE,
            before: Value::from(1_u64),
            asked: Value::from(2_u64),
            side_effects: Vec::new(),
            made: BTreeMap::new(),
            device: None,
        }
    }

    #[test]
    fn what_was_added_is_there_until_it_is_taken_out() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(&folder.path().join("new/state"));
        assert_eq!(journal.entries(), Ok(vec![]));
        let (a, b) = (entry("a"), entry("b"));
        journal.add(&a).unwrap();
        journal.add(&b).unwrap();
        assert_eq!(journal.entries(), Ok(vec![a.clone(), b.clone()]));
        assert_eq!(fs::read_to_string(journal.path()).unwrap().lines().count(), 2);
        let other = JournalEntry { before: Value::from(7_u64), ..b.clone() };
        journal.lock().unwrap().replace(&b, &other).unwrap();
        journal.lock().unwrap().remove(&a).unwrap();
        assert_eq!(journal.entries(), Ok(vec![other.clone()]));
        journal.lock().unwrap().remove(&other).unwrap();
        assert!(!journal.path().exists(), "nothing is left of a journal without entries");
    }

    #[test]
    fn regression_a_pipe_or_a_link_in_the_place_of_the_journal_was_opened() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path());
        let (other, beside) = (folder.path().join("other"), journal.path().with_extension("journal.new"));
        fs::write(&other, "precious").unwrap();
        std::os::unix::fs::symlink(&other, &beside).unwrap();
        journal.add(&entry("a")).unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"precious");
        assert_eq!(journal.entries().unwrap().len(), 1);
        for at in [&beside, &journal.path().to_owned()] {
            let _ = fs::remove_file(at);
            assert!(std::process::Command::new("mkfifo").arg(at).status().unwrap().success());
        }
        // In a thread: a test that waits for ever fails nowhere.
        let (send, done) = std::sync::mpsc::channel();
        std::thread::spawn(move || send.send(journal.entries()));
        let found = done.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
        assert!(matches!(found, Err(JournalError::File { doing: "read", .. })), "{found:?}");
    }

    #[test]
    fn regression_a_journal_was_written_that_is_too_large_to_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path());
        let (a, b) = (entry("a"), entry("b"));
        journal.add(&a).unwrap();
        let effect =
            SideEffect { setting: "c".repeat(1000), resource: Resource::MACHINE, before: 1_u64.into() };
        let large = JournalEntry { side_effects: vec![effect; 1 << 10], ..b.clone() };
        let mut locked = journal.lock().unwrap();
        for refused in [locked.add(&large), locked.replace(&a, &large)] {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains("more than 1048576 bytes"), "{error}");
        }
        assert_eq!(locked.entries(), std::slice::from_ref(&a), "what is not written is not there");
        locked.add(&b).unwrap();
        assert_eq!(journal.entries(), Ok(vec![a, b]));
        assert!(!journal.path().with_extension("journal.new").exists());
    }

    #[test]
    fn a_last_line_without_an_end_was_never_carried_out() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path());
        journal.add(&entry("a")).unwrap();
        let whole = fs::read(journal.path()).unwrap();
        for cut in ["{\"machine\":\"x\"", "\0\0\0\0", "{"] {
            fs::write(journal.path(), [&whole[..], cut.as_bytes()].concat()).unwrap();
            assert_eq!(journal.entries().unwrap().len(), 1, "{cut}");
        }
        // The next entry takes its place.
        journal.add(&entry("b")).unwrap();
        assert_eq!(journal.entries().unwrap().len(), 2);
        fs::write(journal.path(), &whole[..whole.len() / 2]).unwrap();
        assert_eq!(journal.entries(), Ok(vec![]));
    }

    #[test]
    fn a_line_that_is_none_of_ours_is_not_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path());
        journal.add(&entry("a")).unwrap();
        let whole = fs::read_to_string(journal.path()).unwrap();
        fs::write(journal.path(), format!("{whole}garbage\n{whole}")).unwrap();
        assert!(matches!(journal.entries(), Err(JournalError::Damaged { line: 2, .. })));
        let refused = journal.add(&entry("b"));
        assert!(matches!(refused, Err(JournalError::Damaged { .. })), "nothing is changed then");
    }

    #[test]
    fn without_a_folder_that_can_be_written_there_is_no_entry() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let journal = Journal::at(&file.path().join("below a file"));
        assert_eq!(journal.entries(), Ok(vec![]));
        assert!(matches!(journal.add(&entry("a")), Err(JournalError::File { doing: "written", .. })));
    }
}
