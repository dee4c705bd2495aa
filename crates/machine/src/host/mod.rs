//! A machine as readers see it: its file tree and the answers to what files do
//! not tell (ethtool, netlink, CPUID, ioctls on block devices, blkid). Both
//! come from this machine or from a recording of another, so that any machine
//! can be a fixture.

pub(crate) mod anonymize;
mod in_root;
pub(crate) mod mapping;
mod save;
mod tree;

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use model::machine::Absent;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::file::{self, Bounds};
use tree::{Entry, Tree};

/// The largest file that is read; what sysfs and procfs hold is far smaller.
const BYTES_MAX: u64 = 16 << 20;
/// Where a recording keeps answers to probes.
const PROBES: &str = "/probe";

/// A machine: its files and its answers.
#[derive(Clone, Debug)]
pub struct Host {
    source: Source,
    recorder: Option<Arc<Mutex<Tree>>>,
}

#[derive(Clone, Debug)]
enum Source {
    /// This machine.
    This,
    /// A tree of files; no link in it leads out of it.
    Folder(Arc<OwnedFd>, PathBuf),
    /// One file that holds a tree.
    Archive(Arc<Tree>),
    /// A folder that is not there: a machine without files.
    Nothing,
}

impl Host {
    /// This machine.
    #[must_use]
    pub fn this() -> Self {
        Self { source: Source::This, recorder: None }
    }

    /// A recorded machine: a folder that holds its tree. One that is not there
    /// is a machine without files; [`Host::open`] says so.
    #[must_use]
    pub fn recorded(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let source = match rustix::fs::openat(CWD, &root, flags, Mode::empty()) {
            Ok(fd) => Source::Folder(Arc::new(fd), root.canonicalize().unwrap_or(root)),
            Err(_) => Source::Nothing,
        };
        Self { source, recorder: None }
    }

    /// A recorded machine from the text of a `.host` file.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self { source: Source::Archive(Arc::new(Tree::parse(text))), recorder: None }
    }

    /// A recorded machine: a folder, or a `.host` file.
    ///
    /// # Errors
    /// If there is none (`InvalidInput`), it is too large (`FileTooLarge`), or a
    /// file without its end (`UnexpectedEof`).
    pub fn open(path: &Path) -> std::io::Result<Self> {
        use std::io::{Error, ErrorKind};
        if path.is_dir() {
            return Ok(Self::recorded(path));
        }
        let metadata = std::fs::metadata(path)?;
        let no_recording = || Error::new(ErrorKind::InvalidInput, "no recording of a machine");
        if !metadata.is_file() {
            return Err(no_recording());
        }
        if metadata.len() > BYTES_MAX {
            let text =
                format!("{} MiB; {} MiB are the most", metadata.len().div_ceil(1 << 20), BYTES_MAX >> 20);
            return Err(Error::new(ErrorKind::FileTooLarge, text));
        }
        let text = String::from_utf8_lossy(&file::read(path, Bounds::of_file(BYTES_MAX))?).into_owned();
        if !Tree::is_text_form(&text) {
            return Err(no_recording());
        }
        if !Tree::is_whole(&text) {
            return Err(Error::new(ErrorKind::UnexpectedEof, "the end is missing"));
        }
        Ok(Self::parse(&text))
    }

    /// Whether this is the running machine.
    #[must_use]
    pub fn is_this(&self) -> bool {
        matches!(self.source, Source::This)
    }

    /// Whether it is the machine that this runs on, and nothing of what is read is kept for a recording.
    #[must_use]
    pub fn is_unrecorded(&self) -> bool {
        self.is_this() && self.recorder.is_none()
    }

    /// The same machine, with all that is read from now on kept; it is masked
    /// when it is written.
    #[must_use]
    pub fn recording(&self) -> Self {
        Self { source: self.source.clone(), recorder: Some(Arc::default()) }
    }

    /// Writes what was recorded: to a `.host` file, or as a tree below a folder
    /// that is new or empty. Nothing is left of what could not be written whole.
    ///
    /// # Errors
    /// If it cannot be written, or something is there already.
    pub fn save_recording(&self, path: &Path) -> std::io::Result<()> {
        let Some(recorder) = &self.recorder else { return Ok(()) };
        let tree = anonymize::tree(&recorder.lock().unwrap_or_else(PoisonError::into_inner));
        if path.extension().is_some_and(|e| e == "host") {
            save::file(path, tree.show().as_bytes())
        } else {
            save::folder(path, |place| tree.save(place))
        }
    }

    /// How many files and answers were recorded.
    #[must_use]
    pub fn files_recorded(&self) -> usize {
        self.recorder.as_ref().map_or(0, |r| r.lock().unwrap_or_else(PoisonError::into_inner).files())
    }

    /// The text of a file without its last line break; absent where there is
    /// none or it cannot be read.
    #[must_use]
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        self.read(path).ok()
    }

    /// The text of a file without its last line break.
    ///
    /// # Errors
    /// The path, and why it cannot be read.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<String, Absent> {
        let path = absolute(path.as_ref());
        let answer = match &self.source {
            Source::Archive(tree) => tree.read(&path),
            _ => self.read_file(&path),
        };
        if let Some(recorder) = &self.recorder {
            let entry = match &answer {
                Ok(text) => Some(Entry::Text(text.clone())),
                Err(reason) if reason == "not there" => None,
                Err(reason) => Some(Entry::Denied(reason.clone())),
            };
            if let Some(entry) = entry {
                let key = self.real_parent(&path);
                recorder.lock().unwrap_or_else(PoisonError::into_inner).insert(&key, entry);
            }
        }
        match answer {
            Ok(mut text) => {
                text.truncate(text.trim_end_matches('\n').len());
                Ok(text)
            }
            Err(reason) => Err(Absent { what: path, reason }),
        }
    }

    /// A file that holds one number.
    #[must_use]
    pub fn number(&self, path: impl AsRef<Path>) -> Option<u64> {
        self.text(path)?.trim().parse().ok()
    }

    /// A file that holds 0 or 1.
    pub(crate) fn flag(&self, path: impl AsRef<Path>) -> Option<bool> {
        match self.text(path)?.trim() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }

    /// The text of a file without blanks around it; absent where nothing is left.
    pub(crate) fn word(&self, path: impl AsRef<Path>) -> Option<String> {
        Some(self.text(path)?.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A file that holds a CPU list such as `0-3,8`.
    #[must_use]
    pub fn cpu_list(&self, path: impl AsRef<Path>) -> Option<Vec<u32>> {
        parse_cpu_list(&self.text(path)?)
    }

    /// Whether anything is at `path`.
    #[must_use]
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        let real = self.resolve(path);
        if let (Some(recorder), Some(real), true) = (&self.recorder, &real, self.is_this()) {
            let mut tree = recorder.lock().unwrap_or_else(PoisonError::into_inner);
            if Path::new(real).is_dir() { tree.insert(real, Entry::Folder) } else { tree.mention(real) }
        }
        real.is_some()
    }

    /// Names in a folder, sorted; empty where there is none.
    #[must_use]
    pub fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let path = absolute(path.as_ref());
        let mut names = match &self.source {
            Source::Archive(tree) => tree.names(&path),
            _ => self.list(&path).unwrap_or_default(),
        };
        names.sort();
        self.record_names(&path, &names);
        names
    }

    /// The place of `path` with all links followed, as the machine itself
    /// would name it: `/sys/devices/pci0000:00/.../block/sda`.
    #[must_use]
    pub fn resolve(&self, path: impl AsRef<Path>) -> Option<String> {
        let path = absolute(path.as_ref());
        let real = match &self.source {
            Source::This => Path::new(&path).canonicalize().ok()?.to_str()?.to_owned(),
            Source::Archive(tree) => tree.resolve(&path)?,
            Source::Nothing => return None,
            Source::Folder(_, root) => {
                let fd = self.open_file(&path, OFlags::PATH).ok()?;
                let real = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).ok()?;
                format!("/{}", real.strip_prefix(root).ok()?.to_str()?)
            }
        };
        self.record_link(&path, &real);
        Some(real)
    }

    /// What this machine answers to the question `name`
    /// (`ethtool/eth0`): asked of this machine by `ask`, looked up in a
    /// recording. Answers are recorded as JSON; whole values that identify a
    /// machine must not be in them, for only what can be told by its form is
    /// masked.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn probe<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        ask: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, Absent> {
        let path = format!("{PROBES}/{name}");
        let absent = |reason: String| Absent { what: name.to_owned(), reason };
        if !self.is_this() {
            let text = self.read(&path).map_err(|a| absent(a.reason))?;
            return serde_json::from_str(&text).map_err(|e| absent(format!("garbled: {e}")));
        }
        let answer = ask();
        if let Some(recorder) = &self.recorder {
            let entry = match &answer {
                Ok(value) => Entry::Text(serde_json::to_string_pretty(value).unwrap_or_default() + "\n"),
                Err(reason) => Entry::Denied(reason.clone()),
            };
            recorder.lock().unwrap_or_else(PoisonError::into_inner).insert(&path, entry);
        }
        answer.map_err(absent)
    }

    /// Opens a file to be read again and again; absent where it is not a file
    /// of a real tree.
    pub(crate) fn file(&self, path: &str) -> Option<std::fs::File> {
        if self.recorder.is_some() {
            // What is read of it later cannot be seen.
            let _ = self.read(path);
        }
        // A recording may have a pipe there.
        let fd = self.open_file(&absolute(Path::new(path)), OFlags::RDONLY | OFlags::NONBLOCK).ok()?;
        let file = std::fs::File::from(fd);
        file.metadata().is_ok_and(|metadata| metadata.is_file() || metadata.is_dir()).then_some(file)
    }

    fn read_file(&self, path: &str) -> Result<String, String> {
        use std::io::Read;
        let fd = self.open_file(path, OFlags::RDONLY | OFlags::NONBLOCK).map_err(reason_of)?;
        let file = std::fs::File::from(fd);
        let metadata = file.metadata().map_err(|e| e.to_string())?;
        if metadata.is_dir() {
            return Err("is a directory".to_owned());
        }
        if !metadata.is_file() {
            return Err("no file".to_owned());
        }
        let mut bytes = Vec::new();
        file.take(BYTES_MAX)
            .read_to_end(&mut bytes)
            .map_err(|e| Errno::from_io_error(&e).map_or_else(|| e.to_string(), reason_of))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn open_file(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::CLOEXEC;
        match &self.source {
            Source::This => rustix::fs::openat(CWD, path, flags, Mode::empty()),
            Source::Folder(root, _) => {
                match rustix::fs::openat2(root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT) {
                    // Before Linux 5.6, and where a sandbox does not know it.
                    Err(Errno::NOSYS | Errno::PERM) => in_root::open(root.as_fd(), path, flags),
                    opened => opened,
                }
            }
            Source::Archive(_) | Source::Nothing => Err(Errno::NOENT),
        }
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let fd = self.open_file(path, OFlags::RDONLY | OFlags::DIRECTORY).ok()?;
        let entries = rustix::fs::Dir::new(fd).ok()?;
        let names = entries.filter_map(|e| e.ok()?.file_name().to_str().ok().map(str::to_owned));
        Some(names.filter(|n| n != "." && n != "..").collect())
    }

    /// `path` with the links of its folder followed, but not its own.
    fn real_parent(&self, path: &str) -> String {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        match self.resolve(if folder.is_empty() { "/" } else { folder }) {
            Some(real) => format!("{}/{name}", real.trim_end_matches('/')),
            None => path.to_owned(),
        }
    }

    /// Keeps what a folder holds. Processes are nobody's business.
    fn record_names(&self, path: &str, names: &[String]) {
        let (Some(recorder), false) = (&self.recorder, names.is_empty()) else { return };
        if path == "/proc" || !self.is_this() {
            return;
        }
        let Some(folder) = self.resolve(path) else { return };
        let mut tree = recorder.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            let place = format!("{}/{name}", folder.trim_end_matches('/'));
            match std::fs::symlink_metadata(&place) {
                Ok(m) if m.is_symlink() => {
                    if let Some(target) =
                        std::fs::read_link(&place).ok().and_then(|t| t.to_str().map(str::to_owned))
                    {
                        tree.insert(&place, Entry::Link(target));
                    }
                }
                Ok(m) if m.is_dir() => tree.insert(&place, Entry::Folder),
                Ok(_) => tree.mention(&place),
                Err(_) => {}
            }
        }
    }

    /// Keeps where a link leads, and every link on the way.
    fn record_link(&self, path: &str, real: &str) {
        let (Some(recorder), true, true) = (&self.recorder, self.is_this(), path != real) else { return };
        let mut tree = recorder.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = PathBuf::from("/");
        for part in Path::new(path).components().skip(1) {
            let folder = at.canonicalize().unwrap_or_else(|_| at.clone());
            let place = folder.join(part);
            if let (Ok(target), Some(place)) = (std::fs::read_link(&place), place.to_str()) {
                tree.insert(place, Entry::Link(target.to_string_lossy().into_owned()));
            }
            at.push(part);
        }
        if Path::new(real).is_dir() {
            tree.insert(real, Entry::Folder);
        }
    }
}

fn absolute(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.starts_with('/') { text.into_owned() } else { format!("/{text}") }
}

/// Why a file cannot be read, in words that are the same everywhere.
fn reason_of(error: Errno) -> String {
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => "not there".to_owned(),
        Errno::ACCESS | Errno::PERM => "permission denied".to_owned(),
        Errno::OPNOTSUPP | Errno::INVAL => "not supported".to_owned(),
        other => std::io::Error::from(other).to_string(),
    }
}
/// The kernel's list format (`Documentation/admin-guide/kernel-parameters.rst`,
/// "CPU lists"): `0-3,8`. `None` if it is garbled or absurdly long.
#[must_use]
pub(crate) fn parse_cpu_list(text: &str) -> Option<Vec<u32>> {
    const CPUS_MAX: u32 = 1 << 16;
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|p| !p.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last >= CPUS_MAX {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_lists_are_read() {
        assert_eq!(parse_cpu_list("0-3,8"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(parse_cpu_list(""), Some(vec![]));
        for garbled in ["x", "3-1", "0-99999999", "1-", "-"] {
            assert_eq!(parse_cpu_list(garbled), None, "{garbled}");
        }
    }

    #[test]
    fn that_something_is_there_is_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let (file, empty) = (folder.path().join("mark"), folder.path().join("empty"));
        std::fs::write(&file, "never read").unwrap();
        std::fs::create_dir(&empty).unwrap();
        let host = Host::this().recording();
        assert!(host.exists(&file) && host.exists(&empty) && !host.exists("/no/such/thing"));
        let saved = folder.path().join("x.host");
        host.save_recording(&saved).unwrap();
        let read_back = Host::open(&saved).unwrap();
        assert!(read_back.exists(&file) && read_back.exists(&empty) && !read_back.exists("/no/such/thing"));
        assert!(!std::fs::read_to_string(&saved).unwrap().contains("never read"));
    }
}
