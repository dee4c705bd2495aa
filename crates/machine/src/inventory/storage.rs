//! Which file system and which block device lie under a path.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::block::mount::{self, Line};
use super::server::{self, StorageServer};
use crate::Host;

/// What lies under a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageStack {
    /// The file system that holds it; absent for a block device, which is what
    /// it is itself.
    pub filesystem: Option<Mounted>,
    /// The whole block device below, without `/dev/`: `vda`, not `vda1`. Absent
    /// for file systems without one, such as tmpfs.
    pub device: Option<String>,
    /// The very block device of the file system: `vda1`, `md0p1`, `dm-0`.
    pub block: Option<String>,
    /// Whose file system it is, where it is had through a network.
    pub server: Option<StorageServer>,
}

/// A file system where it is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mounted {
    /// Where.
    pub point: String,
    /// Its kind: `ext4`.
    pub kind: String,
}

impl Mounted {
    /// As a path calls it: `/data (ext4)`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} ({})", self.point, self.kind)
    }
}

/// What lies under `path`, which need not exist as long as its folder does.
#[must_use]
pub fn under(host: &Host, path: &Path) -> Option<StorageStack> {
    let existing = if path.exists() { path } else { path.parent()? };
    let full = existing.canonicalize().ok()?;
    let metadata = full.metadata().ok()?;
    if metadata.file_type().is_block_device() {
        let (device, block) = devices(host, metadata.rdev()).unzip();
        return Some(StorageStack { filesystem: None, device, block, server: None });
    }
    let line = mount_of(host, &full)?;
    let (device, block) = devices(host, metadata.dev())
        .or_else(|| {
            // Some file systems (btrfs, overlay) have a device number of their
            // own: the mount's source may still be a block device.
            // Others, such as `overlay`, are no paths.
            let source = Some(&line.source).filter(|source| source.starts_with('/'))?;
            let source = std::fs::metadata(source).ok()?;
            devices(host, source.rdev())
        })
        .unzip();
    let server = server::of_mount(&line);
    let filesystem = Some(Mounted { point: line.point, kind: line.kind });
    Some(StorageStack { filesystem, device, block, server })
}

/// The mount that holds `path`: the longest mount point above it, the last one
/// made where several are stacked.
fn mount_of(host: &Host, path: &Path) -> Option<Line> {
    let mounts = mount::table(host).into_iter().filter(|line| path.starts_with(&line.point));
    mounts.max_by_key(|line| line.point.len())
}

/// The whole device of a device number, a partition's parent, and the device
/// itself.
fn devices(host: &Host, number: u64) -> Option<(String, String)> {
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let folder = PathBuf::from(host.resolve(format!("/sys/dev/block/{major}:{minor}"))?);
    let name = |folder: &Path| Some(folder.file_name()?.to_string_lossy().into_owned());
    let whole = if host.exists(folder.join("partition")) { folder.parent()? } else { &folder };
    Some((name(whole)?, name(&folder)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_mount_holds_a_path() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(tree.path().join("proc/self")).unwrap();
        std::fs::write(
            tree.path().join("proc/self/mountinfo"),
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
             2 1 8:2 / /data\\040disk rw shared:1 - xfs /dev/sdb rw\n\
             garbled\n\
             3 1 0:5 / /proc rw - proc proc rw\n",
        )
        .unwrap();
        let host = Host::recorded(tree.path());
        let kind = |path: &str| mount_of(&host, Path::new(path)).unwrap().kind;
        assert_eq!(kind("/data disk/x"), "xfs");
        assert_eq!(kind("/data"), "ext4");
        assert_eq!(kind("/proc/1"), "proc");
    }

    #[test]
    fn a_partition_and_a_mapping_are_told_beside_the_whole_device() {
        let host = Host::parse(
            "==> /sys/dev/block/8:1 -> ../../devices/pci0/block/sda/sda1\n\
             ==> /sys/devices/pci0/block/sda/sda1/partition\n1\n\
             ==> /sys/dev/block/254:0 -> ../../devices/virtual/block/dm-0\n\
             ==> /sys/devices/virtual/block/dm-0/size\n1000\n",
        );
        let found = |major, minor| devices(&host, rustix::fs::makedev(major, minor));
        assert_eq!(found(8, 1), Some(("sda".to_owned(), "sda1".to_owned())));
        assert_eq!(found(254, 0), Some(("dm-0".to_owned(), "dm-0".to_owned())));
        assert_eq!(found(0, 42), None);
    }

    /// Its node lies on devtmpfs, which is not what is driven.
    #[test]
    fn a_block_device_is_what_lies_under_itself() {
        let Some(name) = std::fs::read_dir("/sys/block").ok().and_then(|all| {
            let names = all.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
            names.into_iter().find(|name| Path::new("/dev").join(name).exists())
        }) else {
            eprintln!("skipped: this machine has no block device");
            return;
        };
        let under = under(&Host::this(), &Path::new("/dev").join(&name)).unwrap();
        assert_eq!((under.filesystem, under.device, under.block), (None, Some(name.clone()), Some(name)));
    }

    #[test]
    fn this_folder_lies_on_some_file_system() {
        let under = under(&Host::this(), Path::new(".")).unwrap();
        let mounted = under.filesystem.unwrap();
        assert!(!mounted.kind.is_empty() && Path::new(&mounted.point).is_dir(), "{mounted:?}");
    }
}
