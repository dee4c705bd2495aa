//! One block device as sysfs shows it: its name, number, folder, and what it is
//! divided into or is a part of. Who uses it is not its matter.

use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, statx};

use crate::Host;

/// A block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The kernel's name of it: `sdb1`, `dm-3`.
    pub(super) name: String,
    /// Its major and minor number: `8:17`.
    pub(super) number: String,
    /// Its real folder in sysfs.
    pub(super) folder: String,
    /// The device mapper's name of it.
    mapped: Option<String>,
}

impl Node {
    /// The device with this number.
    pub(super) fn numbered(host: &Host, number: &str) -> Option<Self> {
        Self::at(host, &format!("/sys/dev/block/{number}"))
    }

    /// The device that the kernel calls `name`.
    pub(super) fn named(host: &Host, name: &str) -> Option<Self> {
        Self::at(host, &format!("/sys/class/block/{name}"))
            .or_else(|| Self::at(host, &format!("/sys/block/{name}")))
    }

    /// The device whose folder, or a link to it, is at `place`.
    fn at(host: &Host, place: &str) -> Option<Self> {
        let folder = host.resolve(place)?;
        let name = folder.rsplit('/').next()?.to_owned();
        let number = host.text(format!("{folder}/dev"))?.trim().to_owned();
        let mapped = host.word(format!("{folder}/dm/name"));
        Some(Self { name, number, folder, mapped })
    }

    /// Every whole device of the machine.
    pub(super) fn all_whole(host: &Host) -> Vec<Self> {
        host.names("/sys/block").iter().filter_map(|n| Self::at(host, &format!("/sys/block/{n}"))).collect()
    }

    /// Its place in `/dev`; names with a slash in them have an exclamation mark
    /// in sysfs.
    pub(super) fn path(&self) -> String {
        format!("/dev/{}", self.name.replace('!', "/"))
    }

    /// What people call it.
    pub(super) fn shown(&self) -> String {
        self.mapped.as_ref().map_or_else(|| self.path(), |name| format!("/dev/mapper/{name}"))
    }

    /// Its number among the partitions of the device it is a part of.
    pub(super) fn partition(&self, host: &Host) -> Option<u64> {
        host.number(format!("{}/partition", self.folder))
    }

    /// The whole device that it is a partition of.
    pub(super) fn whole(&self, host: &Host) -> Option<Self> {
        self.partition(host)?;
        let (above, _) = self.folder.rsplit_once('/')?;
        Self::at(host, above)
    }

    /// Its partitions, those that the kernel knows.
    pub(super) fn partitions(&self, host: &Host) -> Vec<Self> {
        let is_part = |name: &String| {
            name.starts_with(&self.name) && host.exists(self.file(&format!("{name}/partition")))
        };
        let names = host.names(&self.folder).into_iter().filter(is_part);
        names.filter_map(|name| Self::at(host, &self.file(&name))).collect()
    }

    /// A file in its folder.
    pub(super) fn file(&self, leaf: &str) -> String {
        format!("{}/{leaf}", self.folder)
    }

    /// Whether `text`, a path as some file of the kernel gives it, means this
    /// device.
    pub(super) fn is_called(&self, host: &Host, text: &str) -> bool {
        if !text.starts_with('/') {
            return false;
        }
        let same_name = |path: &str| path == self.path() || path == self.shown();
        same_name(text)
            || host.resolve(text).is_some_and(|real| same_name(&real))
            || host.is_this() && number_of(text).is_some_and(|number| number == self.number)
    }
}

/// The number of the block device at `path` on this machine; servers of network
/// file systems are not asked, for they may not answer.
pub(super) fn number_of(path: &str) -> Option<String> {
    let stat = statx(CWD, path, AtFlags::STATX_DONT_SYNC, StatxFlags::TYPE).ok()?;
    let is_block = FileType::from_raw_mode(u32::from(stat.stx_mode)) == FileType::BlockDevice;
    is_block.then(|| format!("{}:{}", stat.stx_rdev_major, stat.stx_rdev_minor))
}

/// A device number as sysfs writes it.
pub(super) fn number(device: u64) -> String {
    format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device))
}
