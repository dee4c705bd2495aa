//! The folder of a server of ours in a tree of ours. What is in it only the server knows: files of any name, sockets,
//! links, as another user where it does not run as root. So it is removed by where it lies: the tree's own folder
//! belongs to who asks and nobody else may write to it, so that what has the folder's name there is the folder.

use std::ffi::CStr;
use std::fs;
use std::io::{self, Error, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{AtFlags, Dir, FileType, statat, unlinkat};
use rustix::io::Errno;

use crate::workload::file::owned_folder;

/// What it is called.
const FOLDER: &CStr = c"server";
const NAME: &str = "server";

/// So deep are folders of servers at most; MariaDB's are 1 deep, PostgreSQL's 4.
const DEEPEST: u32 = 32;

/// Makes it in the tree `root`, for the user and group `owner` where that is not who asks.
pub(super) fn make(root: &Path, owner: Option<(u32, u32)>) -> io::Result<PathBuf> {
    let folder = root.join(NAME);
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    if let Some((user, group)) = owner {
        chown(&folder, Some(user), Some(group))?;
        // To go through, and neither to look into nor to write.
        fs::set_permissions(root, fs::Permissions::from_mode(0o711))?;
    }
    Ok(folder)
}

/// Removes it from the tree that is open as `top`, with all that is in it.
pub(super) fn remove(top: BorrowedFd<'_>, until: Option<Instant>) -> io::Result<()> {
    let stat = match statat(top, FOLDER, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(()),
        other => other?,
    };
    let folder = owned_folder::folder(top, FOLDER, stat.st_uid)?;
    Emptying { owner: stat.st_uid, until }.empty(folder.as_fd(), 0)?;
    drop(folder);
    unlinkat(top, FOLDER, AtFlags::REMOVEDIR).map_err(Error::from)
}

#[derive(Clone, Copy)]
struct Emptying {
    /// Whose folders are entered.
    owner: u32,
    until: Option<Instant>,
}

impl Emptying {
    /// Removes everything in `folder`, following no link and entering no mount.
    fn empty(self, folder: BorrowedFd<'_>, depth: u32) -> io::Result<()> {
        if depth > DEEPEST {
            return Err(Error::other("folders lie in each other too deep for those of a server"));
        }
        // Some file systems pass over names while others are removed.
        loop {
            let mut is_empty = true;
            for entry in Dir::read_from(folder)? {
                let entry = entry?;
                let name = entry.file_name();
                if name == c"." || name == c".." {
                    continue;
                }
                if self.until.is_some_and(|end| Instant::now() >= end) {
                    return Err(Error::new(ErrorKind::TimedOut, "there was no time to remove all of it"));
                }
                is_empty = false;
                self.remove(folder, name, depth)
                    .map_err(|e| Error::new(e.kind(), format!("{}: {e}", name.to_string_lossy())))?;
            }
            if is_empty {
                return Ok(());
            }
        }
    }

    fn remove(self, parent: BorrowedFd<'_>, name: &CStr, depth: u32) -> io::Result<()> {
        let stat = match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(()),
            other => other?,
        };
        let how = if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            let inner = owned_folder::folder(parent, name, self.owner)?;
            self.empty(inner.as_fd(), depth + 1)?;
            AtFlags::REMOVEDIR
        } else {
            AtFlags::empty()
        };
        match unlinkat(parent, name, how) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{Mode, OFlags};

    #[test]
    fn all_of_it_is_removed_and_nothing_beside_it() {
        let place = tempfile::tempdir_in(".").unwrap();
        let outside = place.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "x").unwrap();
        let tree = place.path().join("tree");
        fs::create_dir(&tree).unwrap();
        let folder = make(&tree, None).unwrap();
        fs::create_dir_all(folder.join("base/1/pg")).unwrap();
        fs::write(folder.join("base/1/any name"), "x").unwrap();
        symlink(&outside, folder.join("base/link")).unwrap();
        let socket = UnixListener::bind(folder.join("s")).unwrap();
        drop(socket);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let top = rustix::fs::open(&tree, flags, Mode::empty()).unwrap();
        let too_late = remove(top.as_fd(), Some(Instant::now())).unwrap_err();
        assert_eq!(too_late.kind(), ErrorKind::TimedOut);
        remove(top.as_fd(), None).unwrap();
        assert!(!folder.exists() && outside.join("kept").exists());
        assert!(remove(top.as_fd(), None).is_ok(), "it is gone already");
    }

    #[test]
    fn a_link_of_its_name_is_no_such_folder() {
        let place = tempfile::tempdir_in(".").unwrap();
        let outside = place.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "x").unwrap();
        let tree = place.path().join("tree");
        fs::create_dir(&tree).unwrap();
        symlink(&outside, tree.join(NAME)).unwrap();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let top = rustix::fs::open(&tree, flags, Mode::empty()).unwrap();
        assert!(remove(top.as_fd(), None).is_err());
        assert!(outside.join("kept").exists());
    }
}
