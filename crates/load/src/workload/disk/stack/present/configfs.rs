//! configfs, by which the kernel's targets are set up (`Documentation/filesystems/configfs.rst`): folders that are made,
//! files that are written in one go, and links.

use std::ffi::CStr;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::symlink;
use std::path::Path;

use engine::fault::Fault;
use rustix::io::Errno;
use rustix::mount::{MountFlags, mount};

use crate::workload::disk::stack::present::namespace::{apart, enter_network, own_mounts};

/// Where it is mounted, which the kernel makes for it.
const POINT: &str = "/sys/kernel/config";

/// Does `work` where configfs is mounted, on a thread in the network namespace `network`, if one is named: there a
/// target listens. It is mounted for that thread alone where nobody has.
///
/// # Errors
/// Those of `work`, or if there is no configfs.
pub(super) fn with<T: Send>(
    network: Option<&str>,
    work: impl FnOnce(&Path) -> Result<T, Fault> + Send,
) -> Result<T, Fault> {
    apart(|| {
        own_mounts()?;
        match mount("headroom", POINT, "configfs", MountFlags::empty(), None::<&CStr>) {
            // It is there already.
            Ok(()) | Err(Errno::BUSY) => {}
            Err(e) => return Err(Fault::system(format!("mounting configfs at {POINT}"), e)),
        }
        if let Some(network) = network {
            enter_network(network)?;
        }
        work(Path::new(POINT))
    })
}

fn fault(what: &str, path: &Path, error: io::Error) -> Fault {
    Fault::system(format!("{what} {}", path.display()), error)
}

/// Makes a folder, which is not there yet.
///
/// # Errors
/// What the kernel said.
pub(super) fn make(path: &Path) -> Result<(), Fault> {
    fs::create_dir(path).map_err(|e| fault("making", path, e))
}

/// Writes a file, which is there.
///
/// # Errors
/// What the kernel said.
pub(super) fn put(path: &Path, text: &str) -> Result<(), Fault> {
    let file = OpenOptions::new().write(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|e| fault("writing", path, e))
}

/// Links `target` at `path`.
///
/// # Errors
/// What the kernel said.
pub(super) fn link(target: &Path, path: &Path) -> Result<(), Fault> {
    symlink(target, path).map_err(|e| fault("linking", path, e))
}

/// Writes a file if it is there.
///
/// # Errors
/// What the kernel said.
pub(super) fn put_if_there(path: &Path, text: &str) -> Result<(), Fault> {
    if path.exists() { put(path, text) } else { Ok(()) }
}

/// Removes a folder or a link; whether it was there.
///
/// # Errors
/// What the kernel said.
pub(super) fn remove(path: &Path) -> Result<bool, Fault> {
    let Ok(found) = path.symlink_metadata() else { return Ok(false) };
    let done = if found.file_type().is_symlink() { fs::remove_file(path) } else { fs::remove_dir(path) };
    match done {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(fault("removing", path, e)),
    }
}

/// Removes all links in a folder.
///
/// # Errors
/// What the kernel said.
pub(super) fn remove_links(folder: &Path) -> Result<(), Fault> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|m| m.file_type().is_symlink());
    let links = entries.flatten().map(|entry| entry.path()).filter(|path| is_link(path));
    links.into_iter().try_for_each(|path| remove(&path).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_removed_already() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        make(&path("a")).unwrap();
        link(&path("a"), &path("b")).unwrap();
        put(&path("c"), "x").unwrap_err();
        put_if_there(&path("c"), "x").unwrap();
        remove_links(folder.path()).unwrap();
        assert!(path("a").is_dir() && path("b").symlink_metadata().is_err());
        assert!(remove(&path("a")).unwrap() && !remove(&path("a")).unwrap());
        remove_links(&path("a")).unwrap();
    }
}
