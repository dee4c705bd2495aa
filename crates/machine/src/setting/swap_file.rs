//! The swap file of our own, of `swap=file:4GiB`: it lies in the folder of the journal, or in one that
//! is named for it, is made anew for each level, and removed after it. The journal has its whole path,
//! so that whoever finds the one finds the other.
//!
//! The kernel swaps to a file by its blocks and not through its file system, so that they must be
//! there and stay where they are (swapon(8), `iomap_swapfile_activate` in `fs/iomap/swapfile.c`,
//! `btrfs_swap_activate` in `fs/btrfs/inode.c`).

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use model::scalar::binary;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};
use rustix::fs::{FallocateFlags, IFlags, fallocate, ioctl_getflags, ioctl_setflags, statfs, statvfs};

use super::journal::{SideEffect, state_folder};
use super::swap_area::{self, Area};
use super::{Setting, SettingError};

const NAME: &str = "swap-file";
/// Names another folder for it, for its disk. The journal stays where other runs look for it.
const FOLDER_VARIABLE: &str = "HEADROOM_SWAP_FOLDER";
/// What a resource of it begins with: `file:/var/lib/headroom/swap-file`.
const PREFIX: &str = "file:";
const NONE: &str = "none";

/// `f_type` of statfs(2) (`include/uapi/linux/magic.h`) of those file systems on which the kernel
/// swaps to a file and whose blocks can be reserved; ext2 and ext3 have the same as ext4.
const EXT4: u64 = 0xef53;
const XFS: u64 = 0x5846_5342;
const BTRFS: u64 = 0x9123_683e;
/// Others that are met, for the reason.
const OTHERS: &[(u64, &str)] = &[
    (0x0102_1994, "tmpfs"),
    (0x794c_7630, "overlayfs"),
    (0x6969, "nfs"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "fuse"),
    (0x2fc1_2fc1, "zfs"),
    (0xf2f5_2010, "f2fs"),
];
/// What is left free: a tenth of the file system, and this much.
const SHARE_LEFT: u64 = 10;
const BYTES_LEFT: u64 = 1 << 30;

/// `union swap_header` of `include/linux/swap.h`: the version and the last page lie behind 1024
/// bytes for a boot sector, and the first page ends with the name of the form.
const HEADER: usize = 1024;
const FORM: &[u8] = b"SWAPSPACE2";

/// The file: no setting that is offered, but removed with `swap`.
pub(super) struct SwapFile;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        NAME,
        Kind::Size,
        "The size of the swap file that was made for the setting `swap`; none where there is none.",
    ),
    unit: Unit::Bytes,
    binds: None,
    holds: None,
    summary: "size of the swap file that was made",
};

impl Setting for SwapFile {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    // Areas are not in use any more then, but a file is there.
    fn outlives_boot(&self) -> bool {
        true
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        match fs::symlink_metadata(path(resource)) {
            Ok(metadata) => Ok(Value::Integer(metadata.len())),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(NONE.into()),
            Err(e) => Err(SettingError::unreadable(&SPEC, resource, e.to_string())),
        }
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        if *value != Value::from(NONE) {
            return Err(refused("it is only removed".to_owned()));
        }
        remove(path(resource)).map_err(refused)
    }

    // It is our own.
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

fn path(resource: &Resource) -> &Path {
    Path::new(resource.as_str().strip_prefix(PREFIX).unwrap_or(resource.as_str()))
}

/// That there is no file at `path` before one is made.
///
/// # Errors
/// If that path cannot be written down.
pub(super) fn effect(path: &Path) -> Result<SideEffect, String> {
    let Some(text) = path.to_str() else {
        return Err(format!("{} is not valid UTF-8, so that it could not be removed", path.display()));
    };
    let resource = Resource::from(format!("{PREFIX}{text}"));
    Ok(SideEffect { setting: NAME.to_owned(), resource, before: NONE.into() })
}

/// Where the file lies, as `/proc/swaps` shows it, if there is a folder for it.
pub(super) fn own() -> Option<PathBuf> {
    let folder = named_folder().unwrap_or_else(state_folder);
    Some(folder.canonicalize().ok()?.join(NAME))
}

/// The folder that the variable names.
fn named_folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER_VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from)
}

/// The bytes of the file of which an area was made, with the page that describes it.
pub(super) fn bytes(area: &Area) -> u64 {
    area.bytes.saturating_add(page())
}

fn page() -> u64 {
    rustix::param::page_size() as u64
}

/// Where a file of `bytes` will lie.
///
/// # Errors
/// Why it cannot be made.
pub(super) fn survey(bytes: u64) -> Result<PathBuf, String> {
    let path = match named_folder() {
        Some(folder) => own()
            .ok_or_else(|| format!("{}, which {FOLDER_VARIABLE} names, is not there", folder.display()))?,
        None => {
            let folder = state_folder();
            // The journal of this process makes the same folder.
            fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            own().ok_or_else(|| format!("{} cannot be looked at", folder.display()))?
        }
    };
    survey_in(&path, bytes)?;
    Ok(path)
}

fn survey_in(path: &Path, bytes: u64) -> Result<(), String> {
    let (folder, page) = (path.parent().unwrap_or(Path::new("/")), page());
    if !bytes.is_multiple_of(page) || bytes < 2 * page {
        return Err(format!("a swap file has whole pages of {page} bytes, at least two"));
    }
    if bytes / page > u64::from(u32::MAX) {
        return Err(format!("a swap file has at most {} pages", u32::MAX));
    }
    let shown = path.display();
    if fs::symlink_metadata(path).is_ok() {
        return Err(format!(
            "there is a file {shown} already, which no known run left; remove it by `swapoff {shown}`, if /proc/swaps \
             lists it, and `rm {shown}`"
        ));
    }
    let failed = |e: rustix::io::Errno| format!("{}: {e}", folder.display());
    let kind = kind(folder).map_err(failed)?;
    if ![EXT4, XFS, BTRFS].contains(&kind) {
        let name = OTHERS.iter().find(|(other, _)| *other == kind).map(|(_, name)| (*name).to_owned());
        return Err(format!(
            "the file would lie in {}, on a file system ({}) that cannot hold one: ext4, xfs and btrfs can; \
             {FOLDER_VARIABLE} names another folder",
            folder.display(),
            name.unwrap_or_else(|| format!("of type {kind:#x}"))
        ));
    }
    let space = statvfs(folder).map_err(failed)?;
    let in_bytes = |blocks: u64| blocks.saturating_mul(space.f_frsize);
    let (free, all) = (in_bytes(space.f_bavail), in_bytes(space.f_blocks));
    let left = BYTES_LEFT.max(all / SHARE_LEFT);
    if bytes.saturating_add(left) > free {
        return Err(format!(
            "of {} that are free at {}, {} must be left (a tenth of the file system, at least {})",
            binary(free),
            folder.display(),
            binary(left),
            binary(BYTES_LEFT)
        ));
    }
    Ok(())
}

/// `f_type`, which has another width and sign on every machine.
fn kind(folder: &Path) -> rustix::io::Result<u64> {
    Ok(statfs(folder)?.f_type as u64 & 0xffff_ffff)
}

/// Makes the file, with all of its blocks and what describes it as an area.
///
/// # Errors
/// Why that cannot be done. What was made is for the caller to remove, as after a change.
pub(super) fn make(path: &Path, bytes: u64) -> Result<(), String> {
    let failed = |doing: &str, why: String| format!("{doing} {}: {why}", path.display());
    // A name that is there already is somebody's.
    let created = File::options().read(true).write(true).create_new(true).mode(0o600).open(path);
    let file = created.map_err(|e| failed("making", e.to_string()))?;
    if kind(path).is_ok_and(|kind| kind == BTRFS) {
        // Its blocks must not move with each write (btrfs(5), swapfile support).
        let flags = ioctl_getflags(&file).map(|flags| flags | IFlags::NOCOW);
        let set = flags.and_then(|flags| ioctl_setflags(&file, flags));
        set.map_err(|e| failed("switching off copy on write for", e.to_string()))?;
    }
    fallocate(&file, FallocateFlags::empty(), 0, bytes)
        .map_err(|e| failed("reserving the blocks of", e.to_string()))?;
    let written = file.write_all_at(&header(bytes), 0).and_then(|()| file.sync_all());
    written.map_err(|e| failed("writing", e.to_string()))
}

/// The first page of an area of so many bytes.
fn header(bytes: u64) -> Vec<u8> {
    const VERSION: u32 = 1;
    let mut header = vec![0; rustix::param::page_size()];
    let last = u32::try_from((bytes / page()).saturating_sub(1)).unwrap_or(u32::MAX);
    header[HEADER..HEADER + 4].copy_from_slice(&VERSION.to_ne_bytes());
    header[HEADER + 4..HEADER + 8].copy_from_slice(&last.to_ne_bytes());
    let end = header.len() - FORM.len();
    header[end..].copy_from_slice(FORM);
    header
}

/// Takes the file out of use, and away.
///
/// # Errors
/// Why it is still there.
fn remove(path: &Path) -> Result<(), String> {
    if !path.ends_with(NAME) {
        return Err(format!("{} is no file that was made for this", path.display()));
    }
    // A kernel without swap has none in use.
    if swap_area::areas().unwrap_or_default().iter().any(|area| area.path == path) {
        swap_area::leave(path)?;
    }
    match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(format!("{} is no regular file any more", path.display()));
        }
        _ => {}
    }
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(format!("removing {}: {e}", path.display())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_describes_an_area_is_where_the_kernel_looks_for_it() {
        let page = rustix::param::page_size();
        let header = header(64 << 20);
        assert_eq!(header.len(), page);
        assert_eq!(header[page - 10..], *b"SWAPSPACE2");
        let number = |at: usize| u32::from_ne_bytes(header[at..at + 4].try_into().unwrap());
        assert_eq!((number(1024), number(1028) as usize), (1, (64 << 20) / page - 1));
        // No bad pages, and nothing else.
        assert!(header[1032..page - 10].iter().chain(&header[..1024]).all(|byte| *byte == 0));
    }

    #[test]
    fn a_file_is_made_once_without_holes_and_removed() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = folder.path().join(NAME);
        if ![EXT4, XFS, BTRFS].contains(&kind(folder.path()).unwrap()) {
            assert!(survey_in(&path, 1 << 20).unwrap_err().contains("cannot hold one"));
            println!("skipped: /var/tmp is on a file system that cannot hold a swap file");
            return;
        }
        make(&path, 1 << 20).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.len(), metadata.mode() & 0o7777), (1 << 20, 0o600));
        assert!(metadata.blocks() * 512 >= 1 << 20, "{} blocks", metadata.blocks());
        assert!(make(&path, 1 << 20).unwrap_err().contains("making"), "it is somebody's");
        assert!(survey_in(&path, 1 << 20).unwrap_err().contains("a file"), "it is there");
        let resource = effect(&path).unwrap().resource;
        assert_eq!(SwapFile.read(&resource), Ok(Value::Integer(1 << 20)));
        assert!(SwapFile.write(&resource, &Value::Integer(1)).is_err());
        SwapFile.write(&resource, &NONE.into()).unwrap();
        assert_eq!(SwapFile.read(&resource), Ok(NONE.into()));
        assert_eq!(SwapFile.write(&resource, &NONE.into()), Ok(()), "there is nothing to remove");
    }

    #[test]
    fn nothing_but_our_own_file_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("precious");
        fs::write(&other, "precious").unwrap();
        assert!(remove(&other).unwrap_err().contains("no file that was made"));
        let link = folder.path().join(NAME);
        std::os::unix::fs::symlink(&other, &link).unwrap();
        assert!(remove(&link).unwrap_err().contains("no regular file"));
        assert_eq!(fs::read(&other).unwrap(), b"precious");
    }

    #[test]
    fn what_cannot_be_a_swap_file_is_refused() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = folder.path().join(NAME);
        for (bytes, says) in [(1, "whole pages"), (page(), "at least two"), (!(page() - 1), "at most")] {
            assert!(survey_in(&path, bytes).unwrap_err().contains(says), "{bytes}");
        }
        let huge = survey_in(&path, 8 << 40).unwrap_err();
        assert!(huge.contains("must be left") || huge.contains("cannot hold one"), "{huge}");
        if kind(Path::new("/dev/shm")).is_ok_and(|kind| kind == 0x0102_1994) {
            let memory = survey_in(&Path::new("/dev/shm").join(NAME), 1 << 20).unwrap_err();
            assert!(memory.contains("tmpfs") && memory.contains("HEADROOM_SWAP_FOLDER"), "{memory}");
        }
    }
}
