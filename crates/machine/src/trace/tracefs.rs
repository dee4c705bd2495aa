//! Where tracefs is. It is mounted on most machines; where it is not, it is mounted for us
//! alone, at no place at all (`fsmount` in `Documentation/filesystems/mount_api.rst`): nobody
//! else sees that mount, and it goes with its descriptor, however this process ends.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use super::error::TraceError;
use crate::Host;
use crate::inventory::block::mount;

/// A tracefs that can be used.
#[derive(Debug)]
pub(super) struct Tracefs {
    root: PathBuf,
    /// What keeps a mount of our own.
    _mount: Option<OwnedFd>,
}

impl Tracefs {
    /// Finds it, or mounts it.
    ///
    /// # Errors
    /// If there is none, or this process may not use it.
    pub(super) fn open() -> Result<Self, TraceError> {
        let mounted = mount::table(&Host::this());
        let mut places = mounted.iter().filter(|line| line.kind == "tracefs" && line.root == "/");
        // Another mount may cover it.
        let place = places.find(|line| is_tracefs(Path::new(&line.point)));
        match place {
            Some(line) => {
                let root = PathBuf::from(&line.point);
                std::fs::read_dir(&root).map_err(|e| TraceError::at(&root, &e))?;
                Ok(Self { root, _mount: None })
            }
            None => Self::mount(),
        }
    }

    fn mount() -> Result<Self, TraceError> {
        let mount = mount_nowhere().map_err(|error| match error {
            Errno::PERM | Errno::ACCESS => TraceError::Permission { path: "tracefs".to_owned() },
            Errno::NODEV => {
                TraceError::NoTracefs { reason: "the kernel was built without tracefs".to_owned() }
            }
            error => TraceError::NoTracefs {
                reason: format!(
                    "tracefs is not mounted and cannot be mounted ({error}): type \
                     `mount -t tracefs nodev /sys/kernel/tracing`"
                ),
            },
        })?;
        let root = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
        std::fs::read_dir(&root).map_err(|e| TraceError::at(&root, &e))?;
        Ok(Self { root, _mount: Some(mount) })
    }

    /// The place of a file or folder in it.
    pub(super) fn path(&self, place: &str) -> PathBuf {
        self.root.join(place)
    }
}

/// A tracefs that is mounted at no place.
fn mount_nowhere() -> rustix::io::Result<OwnedFd> {
    let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&context)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}

/// Whether a tracefs is what lies at `path`.
fn is_tracefs(path: &Path) -> bool {
    /// `TRACEFS_MAGIC` in `include/uapi/linux/magic.h`.
    const MAGIC: u64 = 0x7472_6163;
    rustix::fs::statfs(path).is_ok_and(|found| found.f_type as u64 & 0xffff_ffff == MAGIC)
}
