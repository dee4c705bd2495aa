//! Making the files that a disk load drives, and opening its devices.
//!
//! A file of ours never has a name while it is used: it is made without one
//! (`O_TMPFILE`), or unlinked at once where the file system cannot do that. So
//! nothing stays behind however we end, by SIGKILL and power loss too, and
//! nobody else can open it. (The exception are network file systems without
//! such files, where a kill within the microseconds between making and
//! unlinking leaves a name, and an unlinked file is renamed until it is closed.)

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership};
use model::profile::TargetState;
use model::scalar::binary;
use rustix::fs::{Mode, OFlags};

use crate::fixture::{FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::in_memory::is_ramfs;
use crate::workload::disk::content::Source;
use crate::workload::disk::files::{DEVICE, Details, FILE, Files};
use crate::workload::disk::nodes::parent_of;
use crate::workload::disk::reopen::{OpenMode, forget_cached, reopen};
use crate::workload::disk::target::RESERVE;
use crate::workload::disk::{device, identity, kept, occupied, precondition, pseudo};
use crate::workload::memory::buffer::Buffer;

/// Bytes written at once while a file is made.
const CHUNK: usize = 4 << 20;

/// The blocks of a file that is made: of those some are copies of others, where
/// that is asked for. The least that stores look at to find duplicates.
pub(super) const CONTENT_BLOCK: usize = 4096;

/// The kind of files.
pub const FILES: FixtureKind = FixtureKind { name: FILE, make: make_files };
/// The kind of block devices.
pub const DEVICES: FixtureKind = FixtureKind { name: DEVICE, make: open_device };

/// Makes files of ours, or opens the user's.
fn make_files(key: &FixtureKey, host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    let details = Details::of(key)?;
    let mut made = Files { key: key.clone(), details, files: Vec::new(), look: None, kept: None };
    if details.kept && key.ownership == Ownership::Created {
        let (file, kept) = kept::make(&made, host, progress)?;
        made.files.push(file);
        made.kept = Some(kept);
        return Ok(Box::new(made));
    }
    made.files = match key.ownership {
        Ownership::Created => make_all(&made, progress)?,
        Ownership::Borrowed | Ownership::Surrendered => vec![open_users(Path::new(&key.target), key)?],
    };
    precondition::bring(&made, progress)?;
    Ok(Box::new(made))
}

/// Opens a device, and claims it where it will be written to.
fn open_device(key: &FixtureKey, host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    let path = Path::new(&key.target);
    let file = match key.ownership {
        Ownership::Surrendered => device::claim(path, key, host.look)?,
        _ => device::open_to_read(path, key, host.look)?,
    };
    let (details, look) = (Details::of(key)?, Some(host.look));
    let made = Files { key: key.clone(), details, files: vec![file], look, kept: None };
    precondition::bring(&made, progress)?;
    Ok(Box::new(made))
}

fn make_all(asked: &Files, progress: &mut Progress<'_>) -> Result<Vec<File>, Fault> {
    let (key, bytes) = (&asked.key, asked.file_bytes());
    let mut files = Vec::new();
    for index in 0..asked.details.files.max(1) {
        let file = nameless(Path::new(&key.target))?;
        if key.used_up {
            files.push(file);
            continue;
        }
        check_room(&file, key, bytes)?;
        if key.state == TargetState::Steady {
            // Its passes write all of it, twice.
            file.set_len(bytes).map_err(|e| Fault::system(format!("making a file in {}", key.target), e))?;
        } else {
            write_all(&file, asked, engine::clock::now_ns(), &mut |here| progress(index * bytes + here))?;
        }
        files.push(file);
    }
    Ok(files)
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
pub(in crate::workload) fn nameless(path: &Path) -> Result<File, Fault> {
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
pub(super) fn check_room(file: &File, key: &FixtureKey, bytes: u64) -> Result<(), Fault> {
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

/// Really writes all of it, with the content that was asked for, made of `seed`,
/// down to the device: neither holes nor a page cache will answer for it, nor
/// compression more than was asked for.
pub(super) fn write_all(
    file: &File,
    asked: &Files,
    seed: u64,
    progress: &mut Progress<'_>,
) -> Result<(), Fault> {
    let (key, bytes) = (&asked.key, asked.file_bytes());
    let fault = |e: std::io::Error| Fault::system(format!("writing {bytes} bytes in {}", key.target), e);
    let direct = reopen(file, OpenMode { direct: true, write: true, dsync: false }, &key.target).ok();
    let mut buffer = Buffer::new(CHUNK)?;
    // A seed of its own for every file, or a store that finds duplicates would
    // keep one of them.
    let source = Source::new(asked.details.content, seed);
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
