//! The devices that a load passes, as they are now: those of a stack, with what of each shapes the devices above it.

use model::layer::{LayerArray, LayerDevice, StorageLayers};
use model::machine::{BlockDevice, BlockKind};
use model::{Resource, ResourceKind};

use super::SECTOR;
use crate::Host;

/// Words of `sync_action` for nothing (`Documentation/admin-guide/md.rst`).
const RESTING: &[&str] = &["idle", "frozen"];

/// The devices of these names, as far as `known` has them, in their order. None where all are plain disks: then one
/// does not stand on the other.
#[must_use]
pub fn layers(host: &Host, known: &[BlockDevice], names: &[String]) -> Option<StorageLayers> {
    let mut devices: Vec<LayerDevice> = Vec::new();
    for device in names.iter().filter_map(|name| known.iter().find(|device| device.name == *name)) {
        let found = LayerDevice { shares: shares(known, device), ..layer(host, device) };
        if devices.iter().all(|told| told.resource != found.resource) {
            devices.push(found);
        }
    }
    if !devices.iter().any(|device| device.is_layer() || device.kind == BlockKind::Partition) {
        return None;
    }
    let unbound = host.word("/sys/devices/virtual/workqueue/cpumask");
    Some(StorageLayers { devices, work_cpus: unbound.and_then(|text| mask(&text)).unwrap_or_default() })
}

/// How LVM calls what an origin and its snapshots stand on, and thin volumes on their pool (lvmthin(7); `dev_manager.c` of
/// LVM2): a hyphen of a volume's own name is written twice.
const SHARED: [&str; 4] = ["-real", "-cow", "-tpool", "_tdata"];

/// Whether a mapping stands on what snapshots share.
fn shares(known: &[BlockDevice], device: &BlockDevice) -> bool {
    let is_shared = |below: &&BlockDevice| {
        let name = below.mapping.as_ref().map_or("", |mapping| mapping.name.as_str());
        SHARED.iter().any(|end| name.strip_suffix(end).is_some_and(|front| !front.ends_with('-')))
    };
    let below = device.below.iter().filter_map(|name| known.iter().find(|other| other.name == *name));
    device.kind == BlockKind::Dm && below.filter(is_shared).count() > 0
}

fn layer(host: &Host, device: &BlockDevice) -> LayerDevice {
    let named = |name: &String| Resource::of(ResourceKind::Block, name);
    let disk = device.below.first().filter(|_| device.kind == BlockKind::Partition);
    let whole = disk.unwrap_or(&device.name);
    let folder = match disk {
        Some(disk) => format!("/sys/block/{disk}/{}", device.name),
        None => format!("/sys/block/{}", device.name),
    };
    let queue = |leaf: &str| host.number(format!("/sys/block/{whole}/queue/{leaf}"));
    let sector =
        |leaf: &str| queue(leaf).and_then(|bytes| u32::try_from(bytes).ok()).filter(|bytes| *bytes > 0);
    let start = host.number(format!("{folder}/start")).filter(|_| disk.is_some());
    LayerDevice {
        resource: named(&device.name),
        kind: device.kind,
        number: host.word(format!("{folder}/dev")),
        below: device.below.iter().map(named).collect(),
        mapping: device.mapping.as_ref().and_then(|mapping| mapping.kind.clone()),
        shares: false,
        array: (device.kind == BlockKind::Md).then(|| array(host, &folder)).flatten(),
        logical_sector: sector("logical_block_size"),
        physical_sector: sector("physical_block_size"),
        optimal_bytes: queue("optimal_io_size").filter(|bytes| *bytes > 0),
        start_bytes: start.and_then(|sectors| sectors.checked_mul(SECTOR)),
        discard_bytes: queue("discard_max_bytes"),
        fua: queue("fua").map(|does| does != 0),
    }
}

fn array(host: &Host, folder: &str) -> Option<LayerArray> {
    let word = |leaf: &str| host.word(format!("{folder}/md/{leaf}"));
    // While it is reshaped: `6 (4)`, the new number first.
    let members = word("raid_disks")?.split(' ').next()?.parse().ok()?;
    Some(LayerArray {
        level: word("level")?,
        members,
        group_threads: word("group_thread_cnt").and_then(|count| count.parse().ok()),
        action: word("sync_action").filter(|action| !RESTING.contains(&action.as_str())),
    })
}

/// The CPUs of a mask as the kernel prints it: 32 of them a word, the highest first, `ff,ffffffff`.
fn mask(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for (place, word) in (0u32..).zip(text.trim().rsplit(',')) {
        let bits = u32::from_str_radix(word, 16).ok()?;
        let first = place.checked_mul(u32::BITS)?;
        cpus.extend((0..u32::BITS).filter(|bit| (bits >> bit) & 1 == 1).map(|bit| first + bit));
    }
    Some(cpus).filter(|cpus| !cpus.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "\
==> /sys/block/dm-0/dev
253:0
==> /sys/block/dm-0/queue/logical_block_size
4096
==> /sys/block/dm-0/queue/optimal_io_size
0
==> /sys/block/dm-0/queue/discard_max_bytes
0
==> /sys/block/md0/dev
9:0
==> /sys/block/md0/md/level
raid6
==> /sys/block/md0/md/raid_disks
4
==> /sys/block/md0/md/group_thread_cnt
0
==> /sys/block/md0/md/sync_action
resync
==> /sys/block/md0/queue/optimal_io_size
131072
==> /sys/block/sda/queue/physical_block_size
4096
==> /sys/block/sda/queue/fua
1
==> /sys/block/sda/sda1/dev
8:1
==> /sys/block/sda/sda1/start
63
==> /sys/devices/virtual/workqueue/cpumask
1,00000003
";

    fn device(name: &str, kind: BlockKind, below: &[&str]) -> BlockDevice {
        let below = below.iter().map(|name| (*name).to_owned()).collect();
        BlockDevice { name: name.to_owned(), kind, below, ..BlockDevice::default() }
    }

    fn found(names: &[&str]) -> Option<StorageLayers> {
        let known = [
            device("dm-0", BlockKind::Dm, &["md0"]),
            device("md0", BlockKind::Md, &["sda1"]),
            device("sda1", BlockKind::Partition, &["sda"]),
            device("sda", BlockKind::Disk, &[]),
        ];
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        layers(&Host::parse(HOST), &known, &names)
    }

    #[test]
    fn each_device_is_told_with_what_it_stands_on() {
        let all = found(&["dm-0", "md0", "sda1", "sda", "dm-0", "gone"]).unwrap();
        let names: Vec<&str> = all.devices.iter().map(|device| device.resource.name()).collect();
        assert_eq!(names, ["dm-0", "md0", "sda1", "sda"]);
        let [mapping, md, partition, disk] = &all.devices[..] else { panic!("{all:?}") };
        assert_eq!((mapping.number.as_deref(), mapping.optimal_bytes), (Some("253:0"), None));
        assert_eq!((mapping.logical_sector, mapping.discard_bytes), (Some(4096), Some(0)));
        assert_eq!(mapping.below, std::slice::from_ref(&md.resource));
        let array = md.array.as_ref().unwrap();
        assert_eq!((array.level.as_str(), array.members, array.group_threads), ("raid6", 4, Some(0)));
        assert_eq!((array.action.as_deref(), md.optimal_bytes), (Some("resync"), Some(131_072)));
        assert_eq!((partition.start_bytes, partition.physical_sector), (Some(63 * 512), Some(4096)));
        assert_eq!((disk.start_bytes, disk.discard_bytes), (None, None));
        assert_eq!((disk.fua, md.fua), (Some(true), None));
        assert_eq!(all.work_cpus, [0, 1, 32]);
    }

    #[test]
    fn a_volume_that_stands_on_what_snapshots_share_is_known_by_its_names() {
        let of = |below: &str| {
            let named = |device: BlockDevice, name: &str| BlockDevice {
                mapping: Some(model::machine::Mapping {
                    name: name.to_owned(),
                    kind: Some("LVM".to_owned()),
                }),
                ..device
            };
            let known = [
                named(device("dm-0", BlockKind::Dm, &["dm-1"]), "vg0-data"),
                named(device("dm-1", BlockKind::Dm, &["sda"]), below),
                device("sda", BlockKind::Disk, &[]),
            ];
            let names = ["dm-0", "dm-1", "sda"].map(str::to_owned);
            let all = layers(&Host::parse(HOST), &known, &names).unwrap();
            all.devices.iter().map(|device| device.shares).collect::<Vec<_>>()
        };
        assert_eq!(of("vg0-data-real"), [true, false, false]);
        assert_eq!(of("vg0-pool-tpool"), [true, false, false]);
        assert_eq!(of("vg0-un--real"), [false, false, false], "a volume that is called un-real");
        assert_eq!(of("vg0-data"), [false, false, false]);
    }

    #[test]
    fn a_plain_disk_has_no_layers() {
        assert_eq!(found(&["sda"]), None);
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn masks_have_the_highest_word_first() {
        assert_eq!(mask("f"), Some(vec![0, 1, 2, 3]));
        assert_eq!(mask("00000001,00000000"), Some(vec![32]));
        assert_eq!(mask("x"), None);
        assert_eq!(mask("0"), None);
    }
}
