//! Block devices that settings belong to.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use model::setting::SettingSpec;
use model::{Resource, ResourceKind};

use super::SettingError;
use crate::Host;

/// The whole disk that `bound` names.
///
/// # Errors
/// If there is no such device, or it is a partition: what it shares with its disk cannot be its own.
pub(super) fn disk(
    host: &Host,
    spec: &'static SettingSpec,
    bound: Resource,
) -> Result<Resource, SettingError> {
    let name = bound.named(ResourceKind::Block).unwrap_or(bound.as_str());
    if let Some(disk) = whole(host, name) {
        let reason =
            format!("it is a partition, and this belongs to whole disks; name that: {}@{disk}", spec.name());
        return Err(SettingError::unreadable(spec, &bound, reason));
    }
    device(host, spec, &bound)?;
    Ok(bound)
}

/// The name of the device that `bound` names.
///
/// # Errors
/// If there is no such device.
pub(super) fn device<'a>(
    host: &Host,
    spec: &'static SettingSpec,
    bound: &'a Resource,
) -> Result<&'a str, SettingError> {
    let name = bound.named(ResourceKind::Block).unwrap_or(bound.as_str());
    let is_there = is_name(name) && host.exists(format!("/sys/class/block/{name}"));
    if is_there { Ok(name) } else { Err(SettingError::gone(spec, bound)) }
}

/// A file of the queue of a disk's requests.
pub(super) fn queue(resource: &Resource, leaf: &str) -> PathBuf {
    let name = resource.named(ResourceKind::Block).filter(|name| is_name(name)).unwrap_or("-");
    PathBuf::from(format!("/sys/class/block/{name}/queue/{leaf}"))
}

/// The number of the folder that the kernel has for a device: the same as long as the device is there, and no other's
/// before 2^32 more were given (`__kernfs_new_node` in `fs/kernfs/dir.c`). A loop device keeps it, with its queue, when
/// another file is attached. None of what is no device, or is not there.
pub(super) fn identity(resource: &Resource) -> Option<u64> {
    let name = resource.named(ResourceKind::Block).filter(|name| is_name(name))?;
    Some(std::fs::metadata(format!("/sys/class/block/{name}")).ok()?.ino())
}

/// Whether the kernel knows a device of this name.
pub(super) fn is_there(name: &str) -> bool {
    is_name(name) && PathBuf::from(format!("/sys/class/block/{name}")).exists()
}

/// The disk of a partition; none of a whole disk.
pub(super) fn whole(host: &Host, name: &str) -> Option<String> {
    let folder = PathBuf::from(host.resolve(format!("/sys/class/block/{name}")).filter(|_| is_name(name))?);
    let is_partition = host.exists(folder.join("partition"));
    if is_partition { Some(folder.parent()?.file_name()?.to_str()?.to_owned()) } else { None }
}

/// The number of a device, `254:0`.
pub(super) fn number(name: &str) -> Option<String> {
    if !is_name(name) {
        return None;
    }
    let text = std::fs::read_to_string(format!("/sys/class/block/{name}/dev")).ok()?;
    Some(text.trim().to_owned())
}

/// Whether it can be a device's name, and leads nowhere else.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains('/') && name != "." && name != ".."
}
