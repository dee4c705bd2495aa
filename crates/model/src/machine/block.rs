//! The block devices of a machine and how they stand on one another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One block device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockDevice {
    /// The kernel's name, without `/dev/`: `sda`, `nvme0n1p2`, `dm-0`.
    pub name: String,
    /// What it is.
    pub kind: BlockKind,
    /// Its size in bytes.
    pub bytes: u64,
    /// The model, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who made it, where the bus says that apart from the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// The firmware's revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// How it is attached: `nvme`, `sata`, `sas`, `usb`, `virtio`, `mmc`,
    /// `scsi`, `iscsi`, `xen`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Bits per second on the wire of its SATA, SAS or USB link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_bits: Option<u64>,
    /// The port's own most, bits per second, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_max_bits: Option<u64>,
    /// The PCI function that drives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
    /// Whether it has turning platters, as the kernel says (a virtual machine's
    /// disk may claim so).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// Whether it may only be read.
    #[serde(default)]
    pub read_only: bool,
    /// Whether it can be taken out.
    #[serde(default)]
    pub removable: bool,
    /// Bytes that are read or written at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_sector: Option<u32>,
    /// Bytes that the medium reads or writes at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_sector: Option<u32>,
    /// What the kernel believes of the device's cache: `write back` (it sends
    /// flushes) or `write through` (it does not).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<String>,
    /// Whether it takes forced unit access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fua: Option<bool>,
    /// The I/O scheduler in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// Requests that the kernel queues at most, each hardware queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_requests: Option<u32>,
    /// The latency of reads that throttling of writeback keeps, us; 0 where it is off, absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writeback_latency_us: Option<u64>,
    /// Hardware queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_queues: Option<u32>,
    /// Requests that the driver takes at once, each hardware queue (`mq/0/nr_tags`), however few the kernel
    /// queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_requests: Option<u32>,
    /// Commands that the device takes at once (SCSI).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_queue_depth: Option<u32>,
    /// Bytes read ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ahead_bytes: Option<u64>,
    /// The most bytes that the kernel asks for in one request
    /// (`queue/max_sectors_kb`): larger ones are split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_bytes: Option<u64>,
    /// The most pieces of memory that one request has (`queue/max_segments`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_segments: Option<u32>,
    /// Whether the kernel counts its requests (`queue/iostats`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<bool>,
    /// Memory on the drive, bytes, as its maker's datasheet says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_bytes: Option<u64>,
    /// Whether it takes discards (trim).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discards: Option<bool>,
    /// Devices that it stands on: a partition's disk, an array's members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<String>,
    /// What fills it, by blkid: `ext4`, `crypto_LUKS`, `LVM2_member`,
    /// `linux_raid_member`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Where it is mounted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<Mount>,
    /// How an array is built, for `md` devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<Array>,
    /// The device mapper's name and kind, for `dm` devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping: Option<Mapping>,
    /// The file behind a loop device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing_file: Option<String>,
    /// Whether a loop device goes around the page cache to its file
    /// (`loop/dio`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing_direct: Option<bool>,
}

/// What a block device is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BlockKind {
    /// A whole disk.
    #[default]
    Disk,
    /// A part of one.
    Partition,
    /// Linux software RAID.
    Md,
    /// Device mapper: LVM, LUKS, multipath and others.
    Dm,
    /// A file as a device.
    Loop,
    /// Compressed memory.
    Zram,
    /// Memory (brd).
    Ram,
    /// An optical drive.
    Optical,
    /// Another: network block devices, drbd, bcache.
    Other,
}

/// One mount.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mount {
    /// Where.
    pub point: String,
    /// The file system: `ext4`.
    pub kind: String,
    /// The options of the mount and of the file system.
    pub options: String,
}

/// How an array is built (`Documentation/admin-guide/md.rst`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Array {
    /// `raid0`, `raid1`, `raid4`, `raid5`, `raid6`, `raid10`, `linear`.
    pub level: String,
    /// Members that it is made for.
    pub members: u32,
    /// Members that are missing.
    #[serde(default)]
    pub degraded: u32,
    /// Bytes of a chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<u64>,
    /// `clean`, `active`, `idle` ... as the kernel says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What goes on: `resync`, `recover`, `check`, `repair`, `reshape`; absent
    /// when idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How far that is, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
}

/// What the device mapper does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mapping {
    /// Its name: `vg0-data`.
    pub name: String,
    /// `LVM`, `CRYPT-LUKS2`, `mpath`: the front of its UUID, without what
    /// identifies the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}
