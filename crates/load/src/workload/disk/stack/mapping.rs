//! Devices of the device mapper, by sysfs (`Documentation/ABI/testing/sysfs-block-dm`).

use std::fs;
use std::path::{Path, PathBuf};

/// A device of the device mapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MappedDevice {
    /// Its node.
    pub(super) path: PathBuf,
    /// The device mapper's own UUID of it, which whoever made it gave.
    pub(super) uuid: String,
}

/// The one that is called `name`.
pub(super) fn find(name: &str) -> Option<MappedDevice> {
    let text = |path: PathBuf| fs::read_to_string(path).ok().map(|text| text.trim_end().to_owned());
    let entries = fs::read_dir("/sys/block").ok()?;
    let mut folders = entries.flatten().map(|entry| entry.path());
    let folder = folders.find(|folder| text(folder.join("dm/name")).as_deref() == Some(name))?;
    let path = Path::new("/dev").join(folder.file_name()?);
    Some(MappedDevice { path, uuid: text(folder.join("dm/uuid")).unwrap_or_default() })
}
