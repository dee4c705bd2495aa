//! What a target really is. A name says where to look, and may come to mean
//! something else at any moment: a loop device is attached to another file, a
//! drive is pulled and another one gets its letter, a file is renamed onto the
//! name. So what was looked at is kept by what stays with it, and compared on
//! the open file before the first write.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an existing target is, whatever its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Identity {
    /// A regular file.
    File(FileIdentity),
    /// A block device.
    Device(DeviceIdentity),
}

/// Which file it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct FileIdentity {
    /// The number of the device that its file system is on (`st_dev`).
    pub device: u64,
    /// Its own number there (`st_ino`), which another file gets when it is gone.
    pub inode: u64,
    /// When it was made, in nanoseconds since 1970; absent where the file system
    /// does not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_ns: Option<u64>,
    /// How many names it has: its hard links.
    pub names: u64,
}

/// Which block device it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct DeviceIdentity {
    /// Its number (`st_rdev`).
    pub number: u64,
    /// The kernel's count of attached devices and changed media, which comes once
    /// in its life (BLKGETDISKSEQ); absent before Linux 5.15.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// Its size in bytes.
    pub bytes: u64,
    /// Where a partition begins on its disk, in sectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    /// A hash of what the device calls itself (its WWID, serial number or UUID),
    /// so that a plan does not tell that to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<u64>,
    /// Of a loop device: the device and the inode of the file that it stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing: Option<(u64, u64)>,
}
