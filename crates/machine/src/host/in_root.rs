//! A path in a folder as if that were the root, for kernels without openat2(2) (before Linux 5.6): name by name, with each
//! link read and walked in its turn. Unlike the kernel's own walk it is no guard against somebody who changes the
//! folder meanwhile; a recording is its reader's own.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;

/// Links that are followed at most, as many as the kernel follows (path_resolution(7)).
const LINKS_MAX: usize = 40;

/// Opens what is at `path`, with all links followed inside of `root`.
///
/// # Errors
/// Those of open(2), and `LOOP` for too many links.
pub(super) fn open(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    // Names without links among them, and those that are still to be walked, the next one last.
    let mut walked: Vec<String> = Vec::new();
    let mut ahead = names(path);
    let mut links = 0;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            walked.pop();
            continue;
        }
        walked.push(name);
        match readlinkat(root, walked.join("/"), Vec::<u8>::new()) {
            Ok(target) => {
                links += 1;
                if links > LINKS_MAX {
                    return Err(Errno::LOOP);
                }
                let target = target.to_string_lossy().into_owned();
                walked.pop();
                if target.starts_with('/') {
                    walked.clear();
                }
                ahead.extend(names(&target));
            }
            // It is no link.
            Err(Errno::INVAL) => {}
            Err(error) => return Err(error),
        }
    }
    let place = if walked.is_empty() { ".".to_owned() } else { walked.join("/") };
    openat(root, place, flags | OFlags::NOFOLLOW, Mode::empty())
}

/// The names of a path, the first one last.
fn names(path: &str) -> Vec<String> {
    path.split('/').filter(|name| !name.is_empty() && *name != ".").rev().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::os::unix::fs::symlink;

    use rustix::fs::{ResolveFlags, fstat, openat2};

    use super::*;

    #[test]
    fn paths_lead_where_openat2_finds_them_and_never_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(place("a/b")).unwrap();
        std::fs::write(place("a/b/file"), "here").unwrap();
        std::fs::create_dir(place("etc")).unwrap();
        std::fs::write(place("etc/passwd"), "ours").unwrap();
        for (target, link) in [
            ("/a/b", "whole"),
            ("b/../b", "a/near"),
            ("../../../../etc/passwd", "a/b/out"),
            ("loop", "loop"),
            ("nothing", "broken"),
        ] {
            symlink(target, place(link)).unwrap();
        }
        let root = std::fs::File::open(folder.path()).unwrap();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let inode = |opened: Result<OwnedFd, Errno>| opened.and_then(|fd| Ok(fstat(fd)?.st_ino));
        for path in [
            "/",
            "/a/b/file",
            "a//b/./file",
            "/whole/file",
            "/a/near/file",
            "/a/b/out",
            "/../../etc/passwd",
            "/loop",
            "/broken",
            "/a/b/file/x",
            "/no/such",
        ] {
            let found = inode(open(root.as_fd(), path, flags));
            match openat2(&root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT) {
                Err(Errno::NOSYS | Errno::PERM) => {
                    assert_eq!(
                        found.is_ok(),
                        !["/loop", "/broken", "/a/b/file/x", "/no/such"].contains(&path)
                    );
                }
                expected => assert_eq!(found, inode(expected), "{path}"),
            }
        }
    }
}
