//! Opening and removing what is ours by its name, in a folder in which others
//! may have put something else under that name. Everything is reached from an
//! open folder, one name at a time: through no link, over no mount (a bind mount
//! of the same file system is one), and only if it belongs to who asks. Nothing
//! is opened that could wait or act by being opened (a FIFO, a device). What is
//! not as we make it stays.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Error, ErrorKind};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::fs::{fstat, openat, openat2, statat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

/// How a folder is opened. One that is none is refused, not waited for.
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// How a regular file is opened. To lock it is to write, over NFS.
const REGULAR: OFlags =
    OFlags::RDWR.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

fn refused(text: String) -> Error {
    Error::new(ErrorKind::PermissionDenied, text)
}

/// Who we are to the kernel.
pub(super) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Opens the folder `name` in `parent`, which must belong to `owner` and lie on
/// the same mount.
///
/// # Errors
/// `NotFound` if there is nothing; else why it is none of ours.
pub(super) fn folder<P: Arg + Copy>(parent: BorrowedFd<'_>, name: P, owner: u32) -> io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    let opened = match openat2(parent, name, FOLDER, Mode::empty(), resolve) {
        // Before Linux 5.6, and where a sandbox does not know it.
        Err(Errno::NOSYS | Errno::PERM) => folder_by_mount(parent, name)?,
        Err(Errno::XDEV) => return Err(mounted()),
        other => other?,
    };
    let (above, here) = (fstat(parent)?, fstat(&opened)?);
    if here.st_dev != above.st_dev {
        return Err(mounted());
    }
    if here.st_uid != owner {
        return Err(refused(format!("it belongs to the user {}", here.st_uid)));
    }
    Ok(opened)
}

fn mounted() -> Error {
    Error::new(ErrorKind::CrossesDevices, "something else is mounted there")
}

/// The same for kernels that cannot be told to stay on a mount: by the mount of
/// what was opened.
fn folder_by_mount<P: Arg + Copy>(parent: BorrowedFd<'_>, name: P) -> io::Result<OwnedFd> {
    let opened = openat(parent, name, FOLDER, Mode::empty())?;
    if mount_of(parent)? == mount_of(opened.as_fd())? { Ok(opened) } else { Err(mounted()) }
}

/// The number of the mount of an open file (proc(5), `fdinfo`).
fn mount_of(file: BorrowedFd<'_>) -> io::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd()))?;
    let number = text.lines().find_map(|line| line.strip_prefix("mnt_id:")?.trim().parse().ok());
    number.ok_or_else(|| Error::other("the kernel does not say which mount a folder is on"))
}

/// Opens the regular file `name` in `parent`, which must belong to `owner`.
///
/// # Errors
/// `NotFound` if there is nothing; else why it is none of ours.
pub(super) fn regular<P: Arg + Copy>(parent: BorrowedFd<'_>, name: P, owner: u32) -> io::Result<File> {
    // Looked at before it is opened: opening a device may do something.
    let looked = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    match FileType::from_raw_mode(looked.st_mode) {
        FileType::RegularFile if looked.st_uid == owner => {}
        FileType::RegularFile => return Err(refused(format!("it belongs to the user {}", looked.st_uid))),
        _ => return Err(refused("it is no regular file".to_owned())),
    }
    let file = openat(parent, name, REGULAR, Mode::empty())?;
    let stat = fstat(&file)?;
    if (stat.st_dev, stat.st_ino) != (looked.st_dev, looked.st_ino) {
        return Err(refused("it was replaced while it was looked at".to_owned()));
    }
    Ok(File::from(file))
}

/// Which names in a folder are ours, by what they name.
pub(super) struct Names {
    /// Folders, emptied by [`Removal::below`] and removed.
    pub(super) folder: fn(&[u8]) -> bool,
    /// Regular files, removed.
    pub(super) file: fn(&[u8]) -> bool,
    /// Passed over: removed by the caller at last.
    pub(super) last: &'static CStr,
}

/// Whether `name` is one of `fronts` and a number.
pub(super) fn is_numbered(name: &[u8], fronts: &[&str]) -> bool {
    fronts.iter().any(|front| {
        let number = name.strip_prefix(front.as_bytes());
        number.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
    })
}

/// How a folder of ours is emptied.
pub(super) struct Removal {
    /// Whose all of it is.
    pub(super) owner: u32,
    /// When to give up.
    pub(super) until: Option<Instant>,
    /// The names below the first level.
    pub(super) below: Names,
}

impl Removal {
    /// Removes what is ours in `folder` by `names`. The rest stays, and so does
    /// what it lies in.
    ///
    /// # Errors
    /// The first thing that stays, and why.
    pub(super) fn empty(&self, folder: BorrowedFd<'_>, names: &Names) -> io::Result<()> {
        // Some file systems pass over names while others are removed.
        loop {
            let (mut removed, mut stays) = (false, None);
            for entry in Dir::read_from(folder)? {
                let entry = entry?;
                let name = entry.file_name();
                if name == c"." || name == c".." || name == names.last {
                    continue;
                }
                if self.until.is_some_and(|end| Instant::now() >= end) {
                    return Err(Error::new(ErrorKind::TimedOut, "there was no time to remove all of it"));
                }
                match self.remove(folder, name, entry.file_type(), names) {
                    Ok(()) => removed = true,
                    Err(e) if e.kind() == ErrorKind::NotFound => {}
                    Err(e) if e.kind() == ErrorKind::TimedOut => return Err(e),
                    Err(e) => stays = stays.or(Some(e)),
                }
            }
            match stays {
                Some(error) => return Err(error),
                None if removed => {}
                None => return Ok(()),
            }
        }
    }

    fn remove(&self, parent: BorrowedFd<'_>, name: &CStr, kind: FileType, names: &Names) -> io::Result<()> {
        let at = |error: Error| told(name, ": ", &error);
        let kind = match kind {
            FileType::Unknown => {
                let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|e| at(e.into()))?;
                FileType::from_raw_mode(stat.st_mode)
            }
            known => known,
        };
        match kind {
            FileType::Directory if (names.folder)(name.to_bytes()) => {
                let inner = folder(parent, name, self.owner).map_err(at)?;
                self.empty(inner.as_fd(), &self.below).map_err(|e| told(name, "/", &e))?;
                drop(inner);
                unlinkat(parent, name, AtFlags::REMOVEDIR).map_err(|e| at(e.into()))
            }
            FileType::RegularFile if (names.file)(name.to_bytes()) => {
                unlinkat(parent, name, AtFlags::empty()).map_err(|e| at(e.into()))
            }
            _ => Err(at(refused("Headroom makes nothing of that name and kind".to_owned()))),
        }
    }
}

/// Of a name in a folder, without Rust's `(os error N)`.
fn told(name: &CStr, between: &str, error: &Error) -> Error {
    let text = error.to_string();
    let text = text.find(" (os error").map_or(&text[..], |end| &text[..end]);
    Error::new(error.kind(), format!("{}{between}{text}", name.to_string_lossy()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Does what must not wait at a pipe: a test that waits for ever fails nowhere.
    pub(in crate::workload::file) fn in_time<T: Send + 'static>(
        what: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let (send, done) = std::sync::mpsc::channel();
        std::thread::spawn(move || send.send(what()));
        done.recv_timeout(std::time::Duration::from_secs(20)).expect("it waits at a pipe")
    }

    fn open(path: &std::path::Path) -> OwnedFd {
        rustix::fs::open(path, FOLDER, Mode::empty()).unwrap()
    }

    #[test]
    fn what_has_our_name_and_is_something_else_is_not_opened() {
        let place = tempfile::tempdir_in(".").unwrap();
        let at = |name: &str| place.path().join(name);
        std::fs::write(at("file"), "x").unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("folder", at("link-to-folder")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let parent = open(place.path());
        // A pipe that is opened to write waits for who reads.
        let same = parent.try_clone().unwrap();
        assert!(in_time(move || regular(same.as_fd(), "pipe", user()).is_err()));
        let (parent, us) = (parent.as_fd(), user());
        assert!(regular(parent, "file", us).is_ok());
        for other in ["link", "link-to-folder", "folder", "nothing"] {
            assert!(regular(parent, other, us).is_err(), "{other}");
        }
        assert!(folder(parent, "folder", us).is_ok() && folder_by_mount(parent, "folder").is_ok());
        for other in ["pipe", "link", "link-to-folder", "file", "nothing", ".."] {
            assert!(folder(parent, other, us).is_err(), "{other}");
        }
        assert!(folder_by_mount(parent, "link-to-folder").is_err());
        let somebody = us + 1;
        assert!(regular(parent, "file", somebody).unwrap_err().to_string().contains("belongs to"));
        assert!(folder(parent, "folder", somebody).unwrap_err().to_string().contains("belongs to"));
    }

    #[test]
    fn another_mount_is_not_entered_without_openat2_either() {
        // Of every machine: /proc is a mount in /.
        let root = open("/".as_ref());
        assert_eq!(folder_by_mount(root.as_fd(), "proc").unwrap_err().kind(), ErrorKind::CrossesDevices);
        assert_eq!(folder(root.as_fd(), "proc", 0).unwrap_err().kind(), ErrorKind::CrossesDevices);
    }

    #[test]
    fn names_with_a_number_are_whole() {
        assert!(is_numbered(b"f12", &["f", "r"]) && is_numbered(b"r0", &["f", "r"]));
        for other in [&b"f"[..], b"f1x", b"f-1", b"g1", b"", b"xf1", b"f1 "] {
            assert!(!is_numbered(other, &["f", "r"]), "{}", String::from_utf8_lossy(other));
        }
    }
}
