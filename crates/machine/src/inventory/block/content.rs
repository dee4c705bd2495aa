//! What fills a device: the probe `blkid`, types only.

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;

use model::machine::BlockKind;
use rustix::fs::{CWD, Mode, OFlags};

use super::{Found, superblock};
use crate::Host;

/// Puts to each device what fills it, where that is known.
pub(super) fn add(host: &Host, found: &mut [Found]) {
    if found.is_empty() {
        return;
    }
    let mut known: BTreeMap<String, String> =
        host.probe("blkid", || Ok(ask(host, found))).unwrap_or_default();
    for Found { device, .. } in found {
        device.content = known.remove(&device.name).filter(|kind| !kind.is_empty());
    }
}

/// Asks this machine: udev's database where it knows the device, or else the
/// device itself, where it can be opened.
fn ask(host: &Host, found: &[Found]) -> BTreeMap<String, String> {
    let mut answer = BTreeMap::new();
    for each in found {
        let kind = match each.number.as_deref().and_then(udev) {
            // It may know a device and that nothing fills it.
            Some(known) => udev_type(&known),
            None if is_worth_reading(host, each) => read(each),
            None => None,
        };
        answer.extend(kind.map(|kind| (each.device.name.clone(), kind)));
    }
    answer
}

/// What udev's database says of a device: lines `E:KEY=VALUE`.
fn udev(number: &str) -> Option<String> {
    std::fs::read_to_string(format!("/run/udev/data/b{}", number.trim())).ok()
}

fn udev_type(text: &str) -> Option<String> {
    text.lines()
        .find_map(|line| line.strip_prefix("E:ID_FS_TYPE="))
        .filter(|t| !t.is_empty())
        .map(str::to_owned)
}

/// Whether reading tells something and disturbs nobody: removable media may have
/// to start, a suspended mapping answers only when it is resumed, and a device
/// with partitions has a table of them.
fn is_worth_reading(host: &Host, each: &Found) -> bool {
    let Found { device, folder, .. } = each;
    let suspended = host.number(format!("{folder}/dm/suspended")) == Some(1);
    let is_split = || {
        host.names(folder)
            .iter()
            .any(|name| name.starts_with(&device.name) && host.exists(format!("{folder}/{name}/partition")))
    };
    let kind = !matches!(device.kind, BlockKind::Optical | BlockKind::Ram | BlockKind::Zram);
    kind && device.bytes > 0 && !device.removable && !suspended && !is_split()
}

/// Looks at the device itself, without writing or claiming it.
fn read(each: &Found) -> Option<String> {
    let path = format!("/dev/{}", each.device.name);
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = std::fs::File::from(rustix::fs::openat(CWD, path, flags, Mode::empty()).ok()?);
    let at = |offset: u64, length: usize| {
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, offset).ok().map(|()| bytes)
    };
    superblock::kind(&at, each.device.bytes).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn udev_names_the_type() {
        let text = "S:disk/by-uuid/x\nE:ID_FS_UUID=x\nE:ID_FS_TYPE=crypto_LUKS\nE:ID_FS_USAGE=crypto\n";
        assert_eq!(udev_type(text).as_deref(), Some("crypto_LUKS"));
        assert_eq!(udev_type("E:ID_FS_TYPE=\nE:DEVTYPE=disk\n"), None);
    }
}
