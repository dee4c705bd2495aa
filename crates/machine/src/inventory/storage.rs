//! Which file system and which block device lie under a path.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::Host;

/// What lies under a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Under {
    /// Where its file system is mounted.
    pub mount: String,
    /// The kind of file system: `ext4`.
    pub kind: String,
    /// The whole block device below, without `/dev/`: `vda`, not `vda1`. Absent
    /// for file systems without one, such as tmpfs.
    pub device: Option<String>,
}

/// What lies under `path`, which need not exist as long as its folder does.
#[must_use]
pub fn under(host: &Host, path: &Path) -> Option<Under> {
    let existing = if path.exists() { path } else { path.parent()? };
    let full = existing.canonicalize().ok()?;
    let device_number = full.metadata().ok()?.dev();
    let (mount, kind, source) = mount_of(host, &full)?;
    let device = whole_device(host, device_number).or_else(|| {
        // Some file systems (btrfs, overlay) have a device number of their own:
        // the mount's source may still be a block device.
        let source = std::fs::metadata(source).ok()?;
        whole_device(host, source.rdev())
    });
    Some(Under { mount, kind, device })
}

/// The mount that holds `path`: the longest mount point above it, the last one
/// made where several are stacked.
fn mount_of(host: &Host, path: &Path) -> Option<(String, String, String)> {
    let table = host.text("/proc/self/mountinfo")?;
    let mut best: Option<(usize, (String, String, String))> = None;
    for line in table.lines() {
        // proc_pid_mountinfo(5): fields before " - " vary in number.
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let Some(point) = left.split(' ').nth(4).map(unescape) else { continue };
        let mut right = right.split(' ');
        let (Some(kind), Some(source)) = (right.next(), right.next()) else { continue };
        if path.starts_with(&point) && best.as_ref().is_none_or(|(length, _)| point.len() >= *length) {
            best = Some((point.len(), (point, kind.to_owned(), unescape(source))));
        }
    }
    best.map(|(_, found)| found)
}

/// Octal escapes of mountinfo: `\040` is a space.
pub(super) fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 4).and_then(|d| std::str::from_utf8(d).ok());
        match code.and_then(|d| u8::from_str_radix(d, 8).ok()) {
            Some(byte) if bytes[at] == b'\\' => {
                out.push(byte);
                at += 4;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The whole device of a device number: a partition's parent.
fn whole_device(host: &Host, number: u64) -> Option<String> {
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let folder = PathBuf::from(host.resolve(format!("/sys/dev/block/{major}:{minor}"))?);
    let whole = if host.exists(folder.join("partition")) { folder.parent()? } else { &folder };
    Some(whole.file_name()?.to_string_lossy().into_owned())
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
        let kind = |path: &str| mount_of(&host, Path::new(path)).unwrap().1;
        assert_eq!(kind("/data disk/x"), "xfs");
        assert_eq!(kind("/data"), "ext4");
        assert_eq!(kind("/proc/1"), "proc");
    }

    #[test]
    fn this_folder_lies_on_some_file_system() {
        let under = under(&Host::this(), Path::new(".")).unwrap();
        assert!(!under.kind.is_empty() && Path::new(&under.mount).is_dir(), "{under:?}");
    }
}
