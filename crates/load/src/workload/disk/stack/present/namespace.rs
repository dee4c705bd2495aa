//! Work in other namespaces, on a thread that ends with it: what it enters, and what it mounts, is nobody else's.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;

use engine::fault::Fault;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

/// Where ip-netns(8) keeps network namespaces by their names.
pub(super) const NETWORKS: &str = "/run/netns";

/// Does `work` on a thread of its own.
///
/// # Errors
/// Its own, or if no thread can be started.
pub(super) fn apart<T: Send>(work: impl FnOnce() -> Result<T, Fault> + Send) -> Result<T, Fault> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .spawn_scoped(scope, work)
            .map_err(|e| Fault::system("starting a thread", e))?;
        thread.join().unwrap_or_else(|_| Err(Fault::Panic("in a namespace".to_owned())))
    })
}

/// Moves the calling thread into the network namespace of this name.
///
/// # Errors
/// If there is none, or it may not.
pub(super) fn enter_network(name: &str) -> Result<(), Fault> {
    let path = Path::new(NETWORKS).join(name);
    let file = File::open(&path).map_err(|e| Fault::system(format!("opening {}", path.display()), e))?;
    move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))
        .map_err(|e| Fault::system(format!("entering {}", path.display()), e))
}

/// Gives the calling thread mounts of its own, a copy of ours: what it mounts from now on nobody else sees.
///
/// # Errors
/// If it may not.
pub(super) fn own_mounts() -> Result<(), Fault> {
    // SAFETY: the thread keeps the table of open files that it shares with the others. It gets a root and a folder of its
    // own, which nobody else relies on.
    let apart = unsafe { unshare_unsafe(UnshareFlags::NEWNS) };
    apart
        .and_then(|()| mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC))
        .map_err(|e| Fault::system("making mounts of our own", e))
}

/// Lays an empty folder in memory over `folder`; only for a thread with mounts of its own.
///
/// # Errors
/// If it may not.
pub(super) fn cover(folder: &str) -> Result<(), Fault> {
    mount("headroom", folder, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, c"mode=0700")
        .map_err(|e| Fault::system(format!("covering {folder}"), e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_covered_apart_is_covered_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "x").unwrap();
        let path = folder.path().to_str().unwrap();
        let seen = apart(|| {
            own_mounts()?;
            cover(path)?;
            Ok(std::fs::read_dir(path).map_or(9, Iterator::count))
        });
        match seen {
            Ok(count) => assert_eq!(count, 0),
            Err(fault) => {
                assert!(!rustix::process::geteuid().is_root(), "{fault}");
                println!("skipped: {fault}");
            }
        }
        assert_eq!(std::fs::read_dir(path).unwrap().count(), 1);
        let none = apart(|| enter_network("headroom_no_such_network"));
        assert!(none.unwrap_err().to_string().contains("headroom_no_such_network"));
    }
}
