//! The files that a disk load drives, ready for use.
//!
//! A file of ours never has a name while it is used: it is made without one
//! (`O_TMPFILE`), or unlinked at once where the file system cannot do that. So
//! nothing stays behind however we end, by SIGKILL and power loss too, and
//! nobody else can open it. (The exception are network file systems without
//! such files, where a kill within the microseconds between making and
//! unlinking leaves a name, and an unlinked file is renamed until it is closed.)

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use engine::fault::Fault;
use model::Value;
use model::plan::{FixtureKey, Ownership, Precondition};
use model::scalar::binary;
use rustix::fs::{Mode, OFlags};

use crate::workload::DeviceProbe;
use crate::workload::disk::content::Source;
use crate::workload::disk::in_memory::is_ramfs;
use crate::workload::disk::precondition;
use crate::workload::disk::target::{RESERVE, parent_of};
use crate::workload::disk::{device, identity, occupied, pseudo};
use crate::workload::memory::buffer::Buffer;

/// Bytes written at once while a file is made.
const CHUNK: usize = 4 << 20;

/// The blocks of a file that is made: of those some are copies of others, where
/// that is asked for. The least that stores look at to find duplicates.
const CONTENT_BLOCK: usize = 4096;

/// Files that are ready.
#[derive(Debug)]
pub struct Fixture {
    key: FixtureKey,
    files: Vec<File>,
}

/// Told how far the making is: bytes done. Returns whether to go on.
pub type Progress<'a> = dyn FnMut(u64) -> bool + 'a;

impl Fixture {
    /// Makes the files, or opens the user's, and brings them into the state that
    /// is asked for.
    ///
    /// # Errors
    /// If one cannot be made, there is no room, or `progress` says to stop.
    pub fn make(key: &FixtureKey, look: DeviceProbe, progress: &mut Progress<'_>) -> Result<Self, Fault> {
        let path = Path::new(&key.target);
        let files = match key.ownership {
            _ if key.device => vec![open_device(path, key, look)?],
            Ownership::Created => make_all(path, key, progress)?,
            Ownership::Borrowed | Ownership::Surrendered => vec![open_users(path, key)?],
        };
        precondition::bring(key, &files, progress)?;
        Ok(Self { key: key.clone(), files })
    }

    /// What it was made for.
    #[must_use]
    pub fn key(&self) -> &FixtureKey {
        &self.key
    }

    /// Opens all of its files once more, with flags of their own.
    ///
    /// # Errors
    /// If the file system refuses O_DIRECT, or a file may not be written.
    pub fn open(&self, how: OpenMode) -> Result<Vec<File>, Fault> {
        self.files.iter().map(|file| reopen(file, how, &self.key.target)).collect()
    }

    /// What the files are that shapes results: their state, and how much of them
    /// really has blocks (holes are read from nowhere).
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, Value)> {
        let mut facts = precondition::facts(&self.key);
        let metadata: Vec<_> = self.files.iter().filter_map(|f| f.metadata().ok()).collect();
        let bytes: u64 = metadata.iter().map(MetadataExt::size).sum();
        if metadata.len() == self.files.len() && !self.key.device && bytes > 0 {
            let allocated = metadata.iter().map(|m| m.blocks() as f64 * 512.0).sum::<f64>() / bytes as f64;
            let rounded = (allocated.min(1.0) * 1000.0).round() / 1000.0;
            facts.push(("allocated_share", Value::Number(rounded)));
        }
        facts
    }
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenMode {
    /// Around the page cache (O_DIRECT).
    pub direct: bool,
    /// For writing too.
    pub write: bool,
    /// Each write returns when its data is durable (O_DSYNC).
    pub dsync: bool,
}

/// Opens a device, and claims it where it will be written to.
fn open_device(path: &Path, key: &FixtureKey, look: DeviceProbe) -> Result<File, Fault> {
    match key.ownership {
        Ownership::Surrendered => device::claim(path, key, look),
        _ => device::open_to_read(path, key, look),
    }
}

fn make_all(path: &Path, key: &FixtureKey, progress: &mut Progress<'_>) -> Result<Vec<File>, Fault> {
    let mut files = Vec::new();
    for index in 0..key.files.max(1) {
        let file = nameless(path)?;
        let done = index * key.file_bytes();
        let bytes = key.file_bytes();
        if key.grows {
            files.push(file);
            continue;
        }
        check_room(&file, key, bytes)?;
        if key.precondition == Precondition::Full {
            // Its passes write all of it, twice.
            file.set_len(bytes).map_err(|e| Fault::system(format!("making a file in {}", key.target), e))?;
        } else {
            write_all(&file, key, &mut |here| progress(done + here))?;
        }
        files.push(file);
    }
    Ok(files)
}

/// Opens `file`, called `name`, once more, with flags of its own. It works for
/// files without a name, which no path reaches.
///
/// # Errors
/// If the file system refuses O_DIRECT, or the file may not be written.
pub(super) fn reopen(file: &File, how: OpenMode, name: &str) -> Result<File, Fault> {
    let OpenMode { direct, write, dsync } = how;
    let mut options = OpenOptions::new();
    options.read(true).write(write);
    let flag = |set: bool, flag: i32| if set { flag } else { 0 };
    options.custom_flags(flag(direct, libc::O_DIRECT) | flag(dsync, libc::O_DSYNC));
    options.open(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(|error| {
        if direct && error.raw_os_error() == Some(libc::EINVAL) {
            return Fault::Other(format!("the file system of {name} refuses O_DIRECT; use direct=no"));
        }
        Fault::system(format!("opening the file under {name}"), error)
    })
}

/// Opens a file of the user's, by its real path. The name may have come to mean
/// something else since the survey: a link, anything but a regular file, or
/// another file than the one that was looked at is not opened for use.
fn open_users(path: &Path, key: &FixtureKey) -> Result<File, Fault> {
    let write = key.ownership == Ownership::Surrendered;
    let fault = |e| Fault::system(format!("opening {}", path.display()), e);
    let mut options = OpenOptions::new();
    options.read(true).write(write).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path).map_err(fault)?;
    let metadata = file.metadata().map_err(fault)?;
    if !metadata.is_file() {
        return Err(Fault::Other(format!("{} is no regular file any more", path.display())));
    }
    identity::compare_file(key, &file, &metadata)?;
    if let Some(kind) = pseudo::holds(&file) {
        let shown = path.display();
        return Err(Fault::Other(format!("{shown} lies in {kind}, whose files are switches of the kernel")));
    }
    if let Some(user) = occupied::by(&metadata).filter(|_| write) {
        let text = format!("nothing is written to {}, for since it was looked at {user}", path.display());
        return Err(Fault::Other(text));
    }
    Ok(file)
}

/// A file without a name in the folder `path`, or at the new name `path`.
fn nameless(path: &Path) -> Result<File, Fault> {
    let folder = if path.is_dir() { path } else { parent_of(path) };
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    match rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR) {
        Ok(fd) => return Ok(File::from(fd)),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR | rustix::io::Errno::INVAL) => {}
        Err(e) => return Err(Fault::system(format!("making a file in {}", folder.display()), e)),
    }
    let name = if path.is_dir() {
        path.join(format!(".headroom-{}-{}", std::process::id(), engine::clock::now_ns()))
    } else {
        path.to_owned()
    };
    let fault = |e| Fault::system(format!("making {}", name.display()), e);
    let file =
        OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&name).map_err(fault)?;
    std::fs::remove_file(&name).map_err(fault)?;
    Ok(file)
}

/// Other files may have been made since the survey, ours among them.
fn check_room(file: &File, key: &FixtureKey, bytes: u64) -> Result<(), Fault> {
    let room = rustix::fs::fstatvfs(file)
        .map_err(|e| Fault::system(format!("looking how much is free in {}", key.target), e))?;
    let folder = Path::new(&key.target);
    let on_ramfs = is_ramfs(if folder.is_dir() { folder } else { parent_of(folder) });
    let room = if on_ramfs { u64::MAX } else { room.f_bavail.saturating_mul(room.f_frsize) };
    if bytes.saturating_add(RESERVE) <= room {
        return Ok(());
    }
    let (target, free, bytes) = (&key.target, binary(room), binary(bytes));
    Err(Fault::Other(format!("{target} has {free} free, which is no room for a file of {bytes}")))
}

/// Really writes all of it, with the content that was asked for, down to the
/// device: neither holes nor a page cache will answer for it, nor compression
/// more than was asked for.
fn write_all(file: &File, key: &FixtureKey, progress: &mut Progress<'_>) -> Result<(), Fault> {
    let bytes = key.file_bytes();
    let fault = |e: std::io::Error| Fault::system(format!("writing {bytes} bytes in {}", key.target), e);
    let direct = OpenOptions::new()
        .write(true)
        .custom_flags(libc::O_DIRECT)
        .open(format!("/proc/self/fd/{}", file.as_raw_fd()))
        .ok();
    let mut buffer = Buffer::new(CHUNK)?;
    // Another content in every file, or a store that finds duplicates would
    // keep one of them.
    let source = Source::new(key.content, engine::clock::now_ns());
    let mut done = 0;
    while done < bytes {
        if !progress(done) {
            return Err(Fault::Cancelled);
        }
        let length = (bytes - done).min(CHUNK as u64) as usize;
        let chunk = &mut buffer.as_mut_slice()[..length];
        for (number, block) in (done / CONTENT_BLOCK as u64..).zip(chunk.chunks_mut(CONTENT_BLOCK)) {
            source.fill(block, number);
        }
        let whole = length.is_multiple_of(4096);
        let via = direct.as_ref().filter(|_| whole).unwrap_or(file);
        via.write_all_at(chunk, done).map_err(fault)?;
        done += length as u64;
    }
    file.sync_all().map_err(fault)?;
    forget_cached(file)?;
    progress(done);
    Ok(())
}

/// Writes back everything that the page cache holds of the file system of
/// `file`.
///
/// # Errors
/// If that fails.
pub(super) fn sync_all_of_its_file_system(file: &File) -> Result<(), Fault> {
    rustix::fs::syncfs(file).map_err(|e| Fault::system("writing back a file system's cached pages", e))
}

/// Drops what the page cache holds of `file`, after writing back what is dirty,
/// so that a buffered read finds it on the device.
///
/// # Errors
/// If writing back fails.
pub fn forget_cached(file: &File) -> Result<(), Fault> {
    file.sync_data().map_err(|e| Fault::system("writing back a file's cached pages", e))?;
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)
        .map_err(|e| Fault::system("dropping a file's cached pages", e))
}
