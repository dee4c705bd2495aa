//! The block devices of recorded machines, and of this one.

use super::*;

fn read(text: &str) -> (Vec<BlockDevice>, Vec<Absent>) {
    let mut absent = Vec::new();
    let found = describe(&Host::parse(text), &mut absent);
    (found, absent)
}

fn named<'a>(all: &'a [BlockDevice], name: &str) -> &'a BlockDevice {
    all.iter().find(|d| d.name == name).unwrap()
}

fn names(all: &[BlockDevice]) -> Vec<&str> {
    all.iter().map(|d| d.name.as_str()).collect()
}

/// A SATA disk with two partitions behind the chipset (C232); `SDA` is its
/// folder.
const SATA: &str = r#"
==> /sys/block/sda -> ../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda
==> SDA/device -> ../../../0:0:0:0
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/vendor
ATA
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/model
INTEL SSDSC2BB48
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/rev
0150
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/type
0
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/queue_depth
32
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/link1/ata_link/link1/sata_spd
3.0 Gbps
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/link1/ata_link/link1/hw_sata_spd_limit
6.0 Gbps
==> SDA/size
937703088
==> SDA/dev
8:0
==> SDA/ro
0
==> SDA/removable
0
==> SDA/queue/rotational
0
==> SDA/queue/logical_block_size
512
==> SDA/queue/physical_block_size
4096
==> SDA/queue/write_cache
write back
==> SDA/queue/fua
0
==> SDA/queue/scheduler
none [mq-deadline] kyber
==> SDA/queue/nr_requests
64
==> SDA/queue/read_ahead_kb
128
==> SDA/queue/discard_max_bytes
2147450880
==> SDA/mq/0/cpu_list
0, 1
==> SDA/mq/0/nr_tags
32
==> SDA/sda2/partition
2
==> SDA/sda2/size
937699328
==> SDA/sda2/dev
8:2
==> SDA/sda1/partition
1
==> SDA/sda1/size
2048
==> SDA/sda1/ro
1
==> SDA/sda1/dev
8:1
==> /proc/self/mountinfo
22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/root rw,errors=remount-ro
23 22 8:2 /srv /srv\040x rw,relatime - ext4 /dev/root rw
24 22 0:5 / /proc rw - proc proc rw
==> /probe/blkid
{"sda2": "ext4", "sda9": "xfs"}
"#;

#[test]
fn a_sata_disk_behind_ahci_is_told_with_its_link_and_partitions() {
    let folder = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
    let text = SATA.replace("SDA/", &format!("{folder}/"));
    let (all, absent) = read(&text);
    assert_eq!(names(&all), ["sda", "sda1", "sda2"]);
    assert!(absent.is_empty(), "{absent:?}");
    let disk = &all[0];
    assert_eq!((disk.kind, disk.bytes), (BlockKind::Disk, 937_703_088 * 512));
    assert_eq!((disk.model.as_deref(), &disk.vendor), (Some("INTEL SSDSC2BB48"), &None));
    assert_eq!((disk.firmware.as_deref(), disk.transport.as_deref()), (Some("0150"), Some("sata")));
    assert_eq!((disk.link_bits, disk.link_max_bits), (Some(3_000_000_000), Some(6_000_000_000)));
    assert_eq!((disk.pci.as_deref(), disk.rotational), (Some("0000:00:17.0"), Some(false)));
    assert_eq!((disk.logical_sector, disk.physical_sector), (Some(512), Some(4096)));
    assert_eq!((disk.write_cache.as_deref(), disk.fua), (Some("write back"), Some(false)));
    assert_eq!((disk.scheduler.as_deref(), disk.queue_requests), (Some("mq-deadline"), Some(64)));
    assert_eq!((disk.hardware_queues, disk.device_queue_depth), (Some(1), Some(32)));
    assert_eq!(disk.hardware_requests, Some(32));
    assert_eq!((disk.read_ahead_bytes, disk.discards), (Some(131_072), Some(true)));
    assert_eq!((all[1].kind, all[1].read_only, all[1].bytes), (BlockKind::Partition, true, 1 << 20));
    let root = &all[2];
    assert_eq!((&root.below[..], root.content.as_deref()), (&["sda".to_owned()][..], Some("ext4")));
    let points: Vec<(&str, &str)> =
        root.mounts.iter().map(|m| (m.point.as_str(), m.options.as_str())).collect();
    assert_eq!(points, [("/", "rw,relatime,errors=remount-ro"), ("/srv x", "rw,relatime")]);
}

#[test]
fn an_nvme_drive_is_told_with_its_function() {
    let place = "/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0";
    let (all, _) = read(&format!(
        "==> /sys/block/nvme0n1 -> ..{}/nvme0n1\n==> {place}/nvme0n1/device -> ../../nvme0\n\
         ==> {place}/model\nSamsung SSD 970 EVO Plus 1TB            \n==> {place}/firmware_rev\n2B2QEXM7\n\
         ==> {place}/transport\npcie\n==> {place}/nvme0n1/size\n1953525168\n\
         ==> {place}/nvme0n1/queue/scheduler\n[none] mq-deadline\n\
         ==> {place}/nvme0n1/mq/0/\n==> {place}/nvme0n1/mq/1/\n==> {place}/nvme0n1/mq/10/\n\
         ==> /sys/block/nvme0c0n1 -> ..{}/nvme0c0n1\n==> {place}/nvme0c0n1/hidden\n1\n",
        &place[4..],
        &place[4..],
    ));
    assert_eq!(names(&all), ["nvme0n1"], "hidden ways to it are left out");
    let disk = &all[0];
    assert_eq!((disk.transport.as_deref(), disk.pci.as_deref()), (Some("nvme"), Some("0000:03:00.0")));
    assert_eq!(disk.model.as_deref(), Some("Samsung SSD 970 EVO Plus 1TB"));
    assert_eq!((disk.firmware.as_deref(), disk.scheduler.as_deref()), (Some("2B2QEXM7"), Some("none")));
    assert_eq!((disk.hardware_queues, disk.rotational, disk.fua), (Some(3), None, None));
}

/// RAID 6 of four SAS disks, LUKS on it, LVM on that, XFS on a volume.
fn stack() -> String {
    let mut text = String::new();
    for (index, name) in ["sdb", "sdc", "sdd", "sde"].iter().enumerate() {
        let host = "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/host1";
        let port = format!("{host}/port-1:{index}");
        let place = format!("{port}/end_device-1:{index}/target1:0:{index}/1:0:{index}:0/block/{name}");
        text += &format!(
            "==> /sys/block/{name} -> ..{}\n==> {place}/size\n7814037168\n==> {place}/dev\n8:{}\n\
             ==> {place}/queue/rotational\n1\n\
             ==> {port}/phy-1:{index} -> ../phy-1:{index}\n\
             ==> {host}/phy-1:{index}/sas_phy/phy-1:{index}/negotiated_linkrate\n12.0 Gbit\n\
             ==> {host}/phy-1:{index}/sas_phy/phy-1:{index}/maximum_linkrate_hw\n12.0 Gbit\n\
             ==> /sys/devices/virtual/block/md127/slaves/{name} -> {place}\n",
            &place[4..],
            16 * (index + 1),
        );
    }
    let virtual_device = |name: &str, number: &str, sectors: u64, below: &[&str]| {
        let place = format!("/sys/devices/virtual/block/{name}");
        let mut text = format!(
            "==> /sys/block/{name} -> ..{}\n==> {place}/size\n{sectors}\n==> {place}/dev\n{number}\n",
            &place[4..]
        );
        for below in below {
            text += &format!("==> {place}/slaves/{below} -> ../../{below}\n");
        }
        text
    };
    text += &virtual_device("md127", "9:127", 15_627_548_672, &[]);
    text += &virtual_device("dm-0", "254:0", 15_627_515_904, &["md127"]);
    text += &virtual_device("dm-1", "254:1", 1_048_576_000, &["dm-0"]);
    text + r#"==> /sys/devices/virtual/block/md127/md/level
raid6
==> /sys/devices/virtual/block/md127/md/raid_disks
6 (4)
==> /sys/devices/virtual/block/md127/md/degraded
1
==> /sys/devices/virtual/block/md127/md/chunk_size
524288
==> /sys/devices/virtual/block/md127/md/array_state
clean
==> /sys/devices/virtual/block/md127/md/sync_action
recover
==> /sys/devices/virtual/block/md127/md/sync_completed
1000 / 4000
==> /sys/devices/virtual/block/dm-0/dm/name
cryptmd
==> /sys/devices/virtual/block/dm-0/dm/uuid
CRYPT-LUKS2-00000000000000000000000000000000-cryptmd
==> /sys/devices/virtual/block/dm-1/dm/name
vg0-my--data
==> /sys/devices/virtual/block/dm-1/dm/uuid
LVM-abcdefghijklmnopqrstuvwxyz012345ABCDEFGHIJKLMNOPQRSTUVWXYZ012345
==> /proc/self/mountinfo
30 1 254:1 / /data rw,noatime - xfs /dev/mapper/vg0-my--data rw,attr2
31 1 0:50 / /pool rw - btrfs /dev/vg0/my-data rw,ssd
32 1 0:51 / /merged rw - overlay overlay rw,lowerdir=/data
==> /probe/blkid
{"sdb": "linux_raid_member", "md127": "crypto_LUKS", "dm-0": "LVM2_member", "dm-1": "xfs"}
"#
}

#[test]
fn an_array_with_encryption_volumes_and_a_file_system_is_told_from_below() {
    let (all, absent) = read(&stack());
    assert_eq!(names(&all), ["sdb", "sdc", "sdd", "sde", "md127", "dm-0", "dm-1"]);
    assert!(absent.is_empty(), "{absent:?}");
    assert_eq!((all[0].transport.as_deref(), all[0].link_bits), (Some("sas"), Some(12_000_000_000)));
    assert_eq!((all[0].pci.as_deref(), all[0].rotational), (Some("0000:01:00.0"), Some(true)));
    let md = named(&all, "md127");
    assert_eq!(
        (md.kind, &md.below[..], &md.pci),
        (BlockKind::Md, &["sdb", "sdc", "sdd", "sde"].map(str::to_owned)[..], &None)
    );
    let array = md.array.as_ref().unwrap();
    assert_eq!((array.level.as_str(), array.members, array.degraded), ("raid6", 6, 1));
    assert_eq!((array.chunk_bytes, array.state.as_deref()), (Some(512 << 10), Some("clean")));
    assert_eq!((array.action.as_deref(), array.progress), (Some("recover"), Some(0.25)));
    let luks = named(&all, "dm-0").mapping.as_ref().unwrap();
    assert_eq!((luks.name.as_str(), luks.kind.as_deref()), ("cryptmd", Some("CRYPT-LUKS2")));
    let volume = named(&all, "dm-1");
    assert_eq!(volume.mapping.as_ref().unwrap().kind.as_deref(), Some("LVM"));
    assert_eq!((volume.kind, volume.content.as_deref()), (BlockKind::Dm, Some("xfs")));
    let points: Vec<&str> = volume.mounts.iter().map(|m| m.point.as_str()).collect();
    assert_eq!(points, ["/data", "/pool"], "by its number, and by the source where there is none");
}

#[test]
fn disks_come_first_then_what_is_built_of_them() {
    let virtual_device = |name: &str, below: &str| {
        let place = format!("/sys/devices/virtual/block/{name}");
        let link =
            if below.is_empty() { String::new() } else { format!("==> {place}/slaves/{below} -> x\n") };
        format!("==> /sys/block/{name} -> ..{}\n==> {place}/size\n8\n{link}", &place[4..])
    };
    let text = [("dm-0", "sdb"), ("sdb", ""), ("sda", ""), ("sda10", ""), ("md1", "dm-0"), ("sda2", "")];
    let text: String = text.iter().map(|(name, below)| virtual_device(name, below)).collect();
    assert_eq!(names(&read(&text).0), ["sda", "sda2", "sda10", "sdb", "dm-0", "md1"]);
}

#[test]
fn a_garbled_array_is_absent_but_its_device_is_not() {
    let text = stack().replace("6 (4)", "many").replace("7814037168", "99999999999999999999");
    let (all, absent) = read(&text);
    assert_eq!(names(&all), ["md127", "dm-0", "dm-1"]);
    assert_eq!(all[0].array, None);
    let what: Vec<&str> = absent.iter().map(|a| a.what.as_str()).collect();
    assert_eq!(what[0], "block device sdb");
    assert_eq!(absent[4], Absent { what: "md127: array".into(), reason: "garbled: raid_disks".into() });
}

#[test]
fn a_virtio_disk_and_an_emmc_are_told_and_idle_devices_are_not() {
    let virtio = "/sys/devices/pci0000:00/0000:00:02.0/virtio1";
    let mmc = "/sys/devices/platform/soc/fe340000.mmc/mmc_host/mmc0/mmc0:0001";
    let simple = |name: &str, size: u64| {
        let place = format!("/sys/devices/virtual/block/{name}");
        format!("==> /sys/block/{name} -> ..{}\n==> {place}/size\n{size}\n", &place[4..])
    };
    let mut text = format!(
        "==> /sys/block/vda -> ..{}/block/vda\n==> {virtio}/block/vda/size\n536870912\n\
         ==> {virtio}/vendor\n0x1af4\n==> {virtio}/block/vda/device -> ../../../virtio1\n\
         ==> {virtio}/block/vda/queue/rotational\n1\n\
         ==> /sys/block/mmcblk0 -> ..{}/block/mmcblk0\n==> {mmc}/block/mmcblk0/size\n61071360\n\
         ==> {mmc}/name\nDG4032\n==> {mmc}/block/mmcblk0/device -> ../../../mmc0:0001\n\
         ==> {mmc}/block/mmcblk0/mmcblk0p2/partition\n2\n==> {mmc}/block/mmcblk0/mmcblk0p2/size\n60546048\n\
         ==> {mmc}/block/mmcblk0/mmcblk0p10/partition\n10\n==> {mmc}/block/mmcblk0/mmcblk0p10/size\n8\n",
        &virtio[4..],
        &mmc[4..],
    );
    for (name, size) in [
        ("loop0", 0),
        ("loop1", 2048),
        ("loop10", 2048),
        ("zram0", 0),
        ("zram1", 8),
        ("nbd0", 0),
        ("ram0", 8192),
        ("ram1", 8192),
    ] {
        text += &simple(name, size);
    }
    text += "==> /sys/devices/virtual/block/loop10/loop/backing_file\n/srv/disk.img\n\
             ==> /sys/devices/virtual/block/ram1/dev\n1:1\n\
             ==> /proc/self/mountinfo\n30 1 1:1 / /fast rw - ext2 /dev/ram1 rw\n";
    let (all, absent) = read(&text);
    assert!(absent.is_empty(), "{absent:?}");
    let expected = ["loop10", "mmcblk0", "mmcblk0p2", "mmcblk0p10", "ram1", "vda", "zram1"];
    assert_eq!(names(&all), expected);
    let disk = named(&all, "vda");
    assert_eq!((disk.transport.as_deref(), disk.pci.as_deref()), (Some("virtio"), Some("0000:00:02.0")));
    assert_eq!((&disk.vendor, &disk.model, disk.rotational), (&None, &None, Some(true)));
    let card = named(&all, "mmcblk0");
    assert_eq!((card.transport.as_deref(), &card.pci), (Some("mmc"), &None));
    assert_eq!(card.model.as_deref(), Some("DG4032"));
    assert_eq!(named(&all, "loop10").backing_file.as_deref(), Some("/srv/disk.img"));
    assert_eq!((named(&all, "zram1").kind, named(&all, "ram1").kind), (BlockKind::Zram, BlockKind::Ram));
}

#[test]
fn this_machine_has_the_devices_that_the_kernel_lists() {
    // /proc/partitions has sizes in KiB, and leaves out what has no medium.
    let theirs = procfs::partitions().unwrap();
    let ours = describe(&Host::this(), &mut Vec::new());
    assert!(!ours.is_empty());
    for device in ours.iter().filter(|d| d.bytes > 0) {
        let listed = theirs.iter().find(|p| p.name == device.name);
        assert_eq!(listed.map(|p| p.blocks), Some(device.bytes / 1024), "{}", device.name);
    }
    let has_media = |name: &str| !["loop", "ram", "zram", "nbd"].iter().any(|front| name.starts_with(front));
    for partition in theirs.iter().filter(|p| has_media(&p.name)) {
        assert!(ours.iter().any(|d| d.name == partition.name), "{}", partition.name);
    }
}
