//! Who else uses a regular file as a disk: a loop device that stands on it, or
//! the kernel, which swaps to it. Neither keeps others from writing to the file,
//! and both lose what they have if somebody does; so nothing overrides this.
//!
//! It is asked twice, like a device is: before anything is touched and once more
//! when the file is opened for writing. Other uses of a file are not looked for:
//! whoever gives up a file that a database has open loses it.

use std::fs::{File, Metadata, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use crate::workload::disk::filling::swap_files;

/// What uses the file with this metadata as a disk; `None` where nothing does.
pub(super) fn by(file: &Metadata) -> Option<String> {
    let is_it = |device: u64, inode: u64| (device, inode) == (file.dev(), file.ino());
    let at = |path: &str| std::fs::metadata(path).is_ok_and(|m| is_it(m.dev(), m.ino()));
    let swaps = std::fs::read_to_string("/proc/swaps").unwrap_or_default();
    if swap_files(&swaps).any(|path| at(&path)) {
        return Some("the kernel swaps to it (/proc/swaps)".to_owned());
    }
    let looped = std::fs::read_dir("/sys/block").ok()?.flatten().find_map(|entry| {
        let path = std::fs::read_to_string(entry.path().join("loop/backing_file")).ok()?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // The path is as its opener saw it; the kernel knows which file it is.
        let stands = match backing(&name) {
            Some((device, inode)) => is_it(device, inode),
            None => at(path.trim_end_matches('\n')),
        };
        stands.then_some(name)
    })?;
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let node = format!("/dev/{looped}");
    // Its partitions are called /dev/loop0p1.
    let is_on_it = |source: &str| {
        source.strip_prefix(&node).is_some_and(|rest| rest.is_empty() || rest.starts_with('p'))
    };
    let mount =
        mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>()).find(|fields| is_on_it(fields[0]));
    let mounted =
        mount.and_then(|fields| fields.get(1).map(|point| format!(", which is mounted at {point}")));
    Some(format!("the loop device {node} stands on it{}", mounted.unwrap_or_default()))
}

/// The device and the inode of the file that a loop device stands on, if the
/// kernel tells: `lo_device` and `lo_inode` of LOOP_GET_STATUS64.
fn backing(name: &str) -> Option<(u64, u64)> {
    /// Of `include/uapi/linux/loop.h`.
    const LOOP_GET_STATUS64: libc::c_ulong = 0x4c05;
    let node = open(name)?;
    // `struct loop_info64` of the same file: 232 bytes, of which the first two
    // numbers are these.
    let mut info = [0u64; 29];
    // SAFETY: the ioctl writes one `struct loop_info64`, which is as large and as
    // aligned as `info`, and any bits are numbers.
    let result = unsafe { libc::ioctl(node.as_raw_fd(), LOOP_GET_STATUS64 as _, info.as_mut_ptr()) };
    (result == 0).then_some((info[0], info[1]))
}

fn open(name: &str) -> Option<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(format!("/dev/{name}")).ok()
}
