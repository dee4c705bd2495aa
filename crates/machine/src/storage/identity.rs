//! Which block device an open file is, by everything that a device keeps while
//! its name changes hands. No one of these is enough: a number is used again, a
//! sequence number is missing in old kernels, many devices have no serial number.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use model::identity::DeviceIdentity;

use super::node::{self, Node};
use super::{loop_device, sizes};
use crate::Host;

/// BLKGETDISKSEQ (`include/uapi/linux/fs.h`).
const SEQUENCE: rustix::ioctl::Opcode = rustix::ioctl::opcode::read::<u64>(0x12, 128);

/// Where a device says who it is, below its folder: NVMe and SCSI, virtio, MMC,
/// the device mapper, md.
const CALLED: &[&str] =
    &["wwid", "device/wwid", "serial", "device/serial", "device/cid", "dm/uuid", "md/uuid"];

/// Which device `file` is open on.
///
/// # Errors
/// If it is no block device, or does not say how large it is.
pub(super) fn of(host: &Host, file: &File) -> io::Result<DeviceIdentity> {
    let metadata = file.metadata()?;
    if !metadata.file_type().is_block_device() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no block device"));
    }
    // SAFETY: BLKGETDISKSEQ writes a u64, whatever it is.
    let sequence = unsafe { rustix::ioctl::ioctl(file, rustix::ioctl::Getter::<SEQUENCE, u64>::new()) };
    let number = metadata.rdev();
    let node = Node::numbered(host, &node::number(number));
    let whole = node.as_ref().map(|node| node.whole(host).unwrap_or_else(|| node.clone()));
    Ok(DeviceIdentity {
        number,
        sequence: sequence.ok(),
        bytes: sizes(file)?.bytes,
        start: node.as_ref().and_then(|node| host.number(node.file("start"))),
        called: whole.as_ref().and_then(|whole| called(host, whole)),
        backing: if is_loop(number, whole.as_ref()) { loop_device::backing(file) } else { None },
    })
}

/// Whether the question what it stands on means something to the device: other
/// drivers may take it for another question.
fn is_loop(number: u64, whole: Option<&Node>) -> bool {
    /// LOOP_MAJOR (`include/uapi/linux/major.h`); partitions may have others.
    const LOOP_MAJOR: u32 = 7;
    rustix::fs::major(number) == LOOP_MAJOR || whole.is_some_and(|w| w.number.starts_with("7:"))
}

/// What `whole` calls itself, hashed. A mapping without a name of its own is
/// what it is mapped to.
fn called(host: &Host, whole: &Node) -> Option<u64> {
    let texts = CALLED.iter().filter_map(|leaf| host.text(whole.file(leaf)));
    let name = texts.map(|text| text.trim().to_owned()).find(|text| !text.is_empty()).or_else(|| {
        let below = host.exists(whole.file("dm")).then(|| host.names(whole.file("slaves")))?;
        let numbers = below.iter().filter_map(|name| Some(Node::named(host, name)?.number));
        Some(numbers.collect::<Vec<_>>().join(" "))
    })?;
    let mut hash = DefaultHasher::new();
    name.hash(&mut hash);
    Some(hash.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with one device `name` of these files.
    fn machine(name: &str, files: &[(&str, &str)]) -> Host {
        let folder = format!("/sys/devices/{name}");
        let mut text = format!("==> /sys/class/block/{name} -> {folder}\n==> {folder}/dev\n8:16\n");
        for (file, content) in files {
            text += &match content.strip_prefix("-> ") {
                Some(target) => format!("==> {folder}/{file} -> {target}\n"),
                None => format!("==> {folder}/{file}\n{content}\n"),
            };
        }
        let below = |n| {
            format!("==> /sys/class/block/sd{n} -> /sys/devices/sd{n}\n==> /sys/devices/sd{n}/dev\n8:{n}\n")
        };
        Host::parse(&(text + &below(1) + &below(2)))
    }

    fn hashed(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        let host = machine(name, files);
        called(&host, &Node::named(&host, name).unwrap())
    }

    #[test]
    fn drives_with_other_names_of_their_own_are_other_drives() {
        let wwid = |text| hashed("sda", &[("device/wwid", text)]);
        assert!(wwid("naa.5001").is_some());
        assert_eq!(wwid("naa.5001"), wwid("naa.5001 "));
        assert_ne!(wwid("naa.5001"), wwid("naa.5002"));
        assert_eq!(hashed("sda", &[("device/model", "x")]), None);
        assert_eq!(hashed("vda", &[("serial", "")]), None);
        assert_ne!(hashed("vda", &[("serial", "a")]), hashed("vda", &[("serial", "b")]));
        assert_ne!(hashed("nvme0n1", &[("wwid", "eui.1")]), hashed("nvme0n1", &[("wwid", "eui.2")]));
    }

    #[test]
    fn a_mapping_that_was_pointed_elsewhere_is_another_device() {
        let on =
            |disk, uuid| hashed("dm-0", &[("dm/uuid", uuid), (&*format!("slaves/{disk}"), "-> ../../sd")]);
        assert_ne!(on("sd1", ""), on("sd2", ""));
        // What has an identifier of its own may move: pvmove, a path that failed.
        assert_eq!(on("sd1", "LVM-x"), on("sd2", "LVM-x"));
        assert_ne!(on("sd1", "LVM-x"), on("sd1", "LVM-y"));
    }
}
