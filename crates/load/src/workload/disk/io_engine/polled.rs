//! Whether what lies under a target can be polled (`iopoll`). A kernel that
//! cannot poll a device refuses some operations and does others the usual way,
//! with an interrupt: a result that names polling would then tell of something
//! else. So it is looked up, in `queue/io_poll` of the device
//! (`Documentation/ABI/stable/sysfs-block`), before anything runs.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use model::plan::Problem;

use crate::workload::disk::nodes::parent_of;

/// Refuses targets on devices that cannot be polled. Where no device is known
/// (a file system without one, or with several) the kernel has the last word.
pub(in crate::workload::disk) fn check(targets: &[String]) -> Result<(), Problem> {
    for target in targets {
        if let Some((device, false)) = under(Path::new(target)) {
            return Err(Problem::refused(
                format!("iopoll=yes cannot be had: {device} under {target} has no queues that can be polled"),
                "leave out iopoll; an NVMe drive has such queues if the module nvme is loaded with poll_queues=N",
            ));
        }
    }
    Ok(())
}

/// The device under a path, or under the folder that it would be in, and whether
/// it can be polled.
fn under(path: &Path) -> Option<(String, bool)> {
    let metadata = std::fs::metadata(path).or_else(|_| std::fs::metadata(parent_of(path))).ok()?;
    let number = if metadata.file_type().is_block_device() { metadata.rdev() } else { metadata.dev() };
    let name = format!("/sys/dev/block/{}:{}", libc::major(number), libc::minor(number));
    let mut device = Path::new(&name).canonicalize().ok()?;
    if device.join("partition").exists() {
        device.pop();
    }
    let word = std::fs::read_to_string(device.join("queue/io_poll")).ok()?;
    Some((device.file_name()?.to_string_lossy().into_owned(), word.trim() == "1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_cannot_be_polled_is_named_and_no_device_is_none() {
        assert_eq!(under(Path::new("/proc")), None);
        assert!(check(&["/proc".to_owned()]).is_ok());
        let Some((device, polled)) = under(Path::new(env!("CARGO_MANIFEST_DIR"))) else { return };
        match check(&[env!("CARGO_MANIFEST_DIR").to_owned()]) {
            Ok(()) => assert!(polled),
            Err(problem) => assert!(!polled && problem.message.contains(&device), "{problem:?}"),
        }
    }
}
