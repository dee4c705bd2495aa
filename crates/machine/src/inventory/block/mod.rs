//! The block devices: `/sys/block` (`Documentation/ABI/stable/sysfs-block`),
//! with what stands on another after it.

mod ata_model;
mod attach;
mod content;
mod layer;

pub(crate) mod mount;
mod stack;
mod superblock;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use model::machine::{Absent, BlockDevice, BlockKind};

use crate::Host;
use crate::limit::datasheet;

pub(super) use attach::controllers;
pub use layer::layers;

/// What `size` counts in, whatever the device's sectors are
/// (`Documentation/ABI/stable/sysfs-block`).
const SECTOR: u64 = 512;

/// One device and how the kernel numbers it.
struct FoundDevice {
    device: BlockDevice,
    /// Its place in sysfs.
    folder: String,
    /// Major and minor number, `8:1`.
    number: Option<String>,
    /// What udev's database says of it, once that was asked for.
    udev: OnceCell<Option<String>>,
}

impl FoundDevice {
    fn new(host: &Host, device: BlockDevice, folder: String) -> Self {
        Self { number: host.text(format!("{folder}/dev")), device, folder, udev: OnceCell::new() }
    }

    /// What this machine's udev says of the device: lines `E:KEY=VALUE`. There
    /// are serial numbers in it, so it is read within probes only.
    fn udev(&self) -> Option<&str> {
        let read = || {
            let number = self.number.as_deref()?.trim();
            std::fs::read_to_string(format!("/run/udev/data/b{number}")).ok()
        };
        self.udev.get_or_init(read).as_deref()
    }
}

/// The block devices of `host`. Loop, memory and network devices that nobody
/// uses are left out, and so are the hidden ways to an NVMe namespace.
#[must_use]
pub fn describe(host: &Host, absent: &mut Vec<Absent>) -> Vec<BlockDevice> {
    let mut names = host.names("/sys/block");
    names.sort_by_cached_key(|name| (layer(name), natural(name)));
    let mut found = Vec::new();
    for name in names {
        let folder = format!("/sys/block/{name}");
        if host.text(format!("{folder}/hidden")).as_deref() == Some("1") {
            continue;
        }
        match whole(host, &name, &folder) {
            Ok(device) => {
                let partitions = partitions(host, &name, &folder, absent);
                found.push(FoundDevice::new(host, device, folder));
                found.extend(partitions);
            }
            Err(reason) => absent.push(Absent { what: format!("block device {name}"), reason }),
        }
    }
    stack::add(host, &mut found, absent);
    mount::add(host, &mut found);
    stack::hide_names(&mut found);
    ata_model::add(host, &mut found);
    content::add(host, &mut found);
    found.retain(|f| is_used(host, f));
    // By the whole name of its model, which may have come last.
    for FoundDevice { device, .. } in &mut found {
        device.cache_bytes = datasheet::of(device).and_then(|sheet| sheet.cache_bytes);
    }
    stack::ordered(found.into_iter().map(|f| f.device).collect())
}

/// Disks come first, then what is usually built of them.
fn layer(name: &str) -> usize {
    ["md", "dm-"].iter().position(|front| name.starts_with(front)).map_or(0, |at| at + 1)
}

/// A key that sorts `nvme10n1` after `nvme2n1`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, tail) = rest.split_at(digits);
        let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        key.push((text.to_owned(), tail[..end].parse().unwrap_or(0)));
        rest = &tail[end..];
    }
    key
}

/// The device's size in bytes, or why it cannot be told.
fn bytes(host: &Host, folder: &str) -> Result<u64, String> {
    let text = host.read(format!("{folder}/size")).map_err(|a| format!("size: {}", a.reason))?;
    let sectors: Option<u64> = text.trim().parse().ok();
    sectors.and_then(|s| s.checked_mul(SECTOR)).ok_or_else(|| "garbled: size".to_owned())
}

/// A whole device.
fn whole(host: &Host, name: &str, folder: &str) -> Result<BlockDevice, String> {
    let file = |leaf: &str| format!("{folder}/{leaf}");
    let word = |leaf: &str| host.word(file(leaf));
    let number = |leaf: &str| host.number(file(leaf)).and_then(|n| u32::try_from(n).ok());
    let kind = kind(host, name, folder);
    let attached = attach::of(host, folder);
    let queues = host.names(file("mq")).iter().filter(|q| q.bytes().all(|b| b.is_ascii_digit())).count();
    Ok(BlockDevice {
        name: name.to_owned(),
        kind,
        bytes: bytes(host, folder)?,
        model: word("device/model").or_else(|| word("device/name")),
        // A disk behind ATA has no maker of its own, virtio a number.
        vendor: word("device/vendor").filter(|v| v != "ATA" && !v.starts_with("0x")),
        firmware: word("device/firmware_rev").or_else(|| word("device/rev")).or_else(|| word("device/fwrev")),
        transport: attached.transport,
        link_bits: attached.link_bits,
        link_max_bits: attached.link_max_bits,
        pci: attached.pci,
        rotational: host.flag(file("queue/rotational")),
        read_only: host.flag(file("ro")).unwrap_or(false),
        removable: host.flag(file("removable")).unwrap_or(false),
        logical_sector: number("queue/logical_block_size").filter(|n| *n > 0),
        physical_sector: number("queue/physical_block_size").filter(|n| *n > 0),
        write_cache: word("queue/write_cache"),
        fua: host.flag(file("queue/fua")),
        scheduler: word("queue/scheduler").as_deref().and_then(chosen),
        queue_requests: number("queue/nr_requests"),
        writeback_latency_us: host.number(file("queue/wbt_lat_usec")),
        hardware_queues: u32::try_from(queues).ok().filter(|n| *n > 0),
        hardware_requests: number("mq/0/nr_tags"),
        device_queue_depth: number("device/queue_depth"),
        read_ahead_bytes: host.number(file("queue/read_ahead_kb")).and_then(|n| n.checked_mul(1024)),
        request_bytes: host.number(file("queue/max_sectors_kb")).and_then(|n| n.checked_mul(1024)),
        request_segments: number("queue/max_segments").filter(|n| *n > 0),
        counts: host.flag(file("queue/iostats")),
        discards: host.number(file("queue/discard_max_bytes")).map(|most| most > 0),
        backing_file: word("loop/backing_file").filter(|_| kind == BlockKind::Loop),
        backing_direct: host.flag(file("loop/dio")).filter(|_| kind == BlockKind::Loop),
        ..BlockDevice::default()
    })
}

/// The entry in brackets: `none [mq-deadline] kyber`; the only one where none
/// is.
fn chosen(text: &str) -> Option<String> {
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(name, _)| name);
    let only = || Some(text).filter(|t| !t.contains(char::is_whitespace) && !t.contains(['[', ']']));
    inside.or_else(only).map(str::to_owned)
}

/// What a device is, by what the kernel shows of it, or else by its name.
fn kind(host: &Host, name: &str, folder: &str) -> BlockKind {
    /// SCSI's type of a CD or DVD drive (SPC-5, table 150).
    const SCSI_OPTICAL: u64 = 5;
    let numbered =
        |front: &str| name.strip_prefix(front).is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    if host.exists(format!("{folder}/md")) {
        BlockKind::Md
    } else if host.exists(format!("{folder}/dm")) || numbered("dm-") {
        BlockKind::Dm
    } else if numbered("loop") {
        BlockKind::Loop
    } else if numbered("zram") {
        BlockKind::Zram
    } else if numbered("ram") {
        BlockKind::Ram
    } else if numbered("sr") || host.number(format!("{folder}/device/type")) == Some(SCSI_OPTICAL) {
        BlockKind::Optical
    } else if ["nbd", "rbd", "drbd", "bcache", "mtdblock", "fd", "ublkb", "zd"].iter().any(|f| numbered(f)) {
        BlockKind::Other
    } else if numbered("md") {
        BlockKind::Md
    } else {
        BlockKind::Disk
    }
}

/// The partitions of a device, in order of their numbers.
fn partitions(host: &Host, disk: &str, folder: &str, absent: &mut Vec<Absent>) -> Vec<FoundDevice> {
    let mut names = host.names(folder);
    names.retain(|n| n.starts_with(disk) && host.exists(format!("{folder}/{n}/partition")));
    names.sort_by_cached_key(|name| natural(name));
    let mut found = Vec::new();
    for name in names {
        let folder = format!("{folder}/{name}");
        let bytes = match bytes(host, &folder) {
            Ok(bytes) => bytes,
            Err(reason) => {
                absent.push(Absent { what: format!("block device {name}"), reason });
                continue;
            }
        };
        let device = BlockDevice {
            name,
            kind: BlockKind::Partition,
            bytes,
            read_only: host.flag(format!("{folder}/ro")).unwrap_or(false),
            below: vec![disk.to_owned()],
            ..BlockDevice::default()
        };
        found.push(FoundDevice::new(host, device, folder));
    }
    found
}

/// Whether anybody uses the device, as far as it is one of those that the kernel
/// keeps in store.
fn is_used(host: &Host, found: &FoundDevice) -> bool {
    let device = &found.device;
    match device.kind {
        BlockKind::Loop => device.bytes > 0 && device.backing_file.is_some(),
        BlockKind::Zram | BlockKind::Other => device.bytes > 0,
        BlockKind::Ram => {
            !device.mounts.is_empty() || !host.names(format!("{}/holders", found.folder)).is_empty()
        }
        _ => true,
    }
}
