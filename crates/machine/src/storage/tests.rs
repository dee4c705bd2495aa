//! Uses that this machine's kernel does not have (md, device mapper, multipath,
//! bcache, storage targets), on recorded machines.

use super::*;

/// A device: its number, its folder below `/sys/devices/`, and files in it.
pub(super) type Device<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// A machine of devices, a file that begins with an arrow being a link. What
/// follows is added as it is.
pub(super) fn machine(devices: &[Device<'_>], more: &str) -> Host {
    let mut text = String::new();
    for (number, place, files) in devices {
        let folder = format!("/sys/devices/{place}");
        let name = place.rsplit('/').next().unwrap();
        text +=
            &format!("==> /sys/dev/block/{number} -> {folder}\n==> /sys/class/block/{name} -> {folder}\n");
        if !files.iter().any(|(file, _)| *file == "partition") {
            text += &format!("==> /sys/block/{name} -> {folder}\n");
        }
        text += &format!("==> {folder}/dev\n{number}\n");
        for (file, content) in *files {
            text += &match content.strip_prefix("-> ") {
                Some(target) => format!("==> {folder}/{file} -> {target}\n"),
                None => format!("==> {folder}/{file}\n{content}\n"),
            };
        }
    }
    if !more.contains("/proc/self/mountinfo") {
        text += "==> /proc/self/mountinfo\n28 1 259:1 / / rw - ext4 /dev/nvme0n1p1 rw\n";
    }
    Host::parse(&(text + more))
}

/// How the device that the kernel calls `name` is used.
fn used(host: &Host, name: &str) -> Vec<String> {
    uses(host, &Node::named(host, name).unwrap()).unwrap().uses
}

const HELD_BY: &str = "-> ../../";

#[test]
fn a_member_of_an_array_is_in_use_by_all_that_stands_on_it() {
    // sda1 and sdb1 -> md0 -> LUKS -> LVM -> mounted; sda2 is swap.
    let host = machine(
        &[
            ("8:0", "sda", &[]),
            ("8:1", "sda/sda1", &[("partition", "1"), ("holders/md0", "-> ../../md0")]),
            ("8:2", "sda/sda2", &[("partition", "2")]),
            ("8:16", "sdb", &[]),
            ("8:17", "sdb/sdb1", &[("partition", "1"), ("holders/md0", "-> ../../md0")]),
            ("8:18", "sdb/sdb2", &[("partition", "2")]),
            ("9:0", "md0", &[("md/level", "raid1"), ("holders/dm-0", "-> ../../dm-0")]),
            (
                "254:0",
                "dm-0",
                &[
                    ("dm/name", "secret"),
                    ("dm/uuid", "CRYPT-LUKS2-4d9a8c1f0b2e4f6a8c0d2e4f6a8b0c1d-secret"),
                    ("holders/dm-1", "-> ../../dm-1"),
                    ("holders/dm-2", "-> ../../dm-2"),
                ],
            ),
            ("254:1", "dm-1", &[("dm/name", "vg0-data"), ("dm/uuid", "LVM-0Oq3VxYyVbZ1")]),
            ("254:2", "dm-2", &[("dm/name", "vg0-spare"), ("dm/uuid", "LVM-0Oq3VxYyVbZ2")]),
        ],
        "==> /proc/self/mountinfo\n31 28 254:1 / /srv rw - xfs /dev/mapper/vg0-data rw\n\
         ==> /proc/swaps\nFilename Type Size Used Priority\n/dev/sda2 partition 8 0 -2\n",
    );
    let stack = [
        "/dev/md0 is opened with LUKS as /dev/mapper/secret",
        "/dev/mapper/secret is part of the LVM volume /dev/mapper/vg0-data",
        "/dev/mapper/secret is part of the LVM volume /dev/mapper/vg0-spare",
    ];
    let mounted = "/dev/mapper/vg0-data is mounted at /srv";
    let with = |below: &[&str], last: &[&str]| -> Vec<String> {
        [below, &stack, last].concat().into_iter().map(str::to_owned).collect()
    };
    let member = |name: &str| format!("/dev/{name} is a member of the array /dev/md0");
    let swap = "/dev/sda2 is in use as swap";
    assert_eq!(used(&host, "sda"), with(&[&member("sda1")], &[mounted, swap]));
    assert_eq!(used(&host, "sda1"), with(&[&member("sda1")], &[mounted]));
    assert_eq!(used(&host, "sda2"), [swap]);
    assert_eq!(used(&host, "sdb"), with(&[&member("sdb1")], &[mounted]));
    assert_eq!(used(&host, "sdb2"), [""; 0]);
    assert_eq!(used(&host, "md0"), with(&[], &[mounted]));
    assert_eq!(used(&host, "dm-1"), [mounted]);
    assert_eq!(used(&host, "dm-2"), [""; 0]);
}

#[test]
fn a_whole_disk_in_an_array_is_a_use_of_its_partitions() {
    let host = machine(
        &[
            ("8:0", "sda", &[("holders/md127", "-> ../../md127")]),
            ("8:1", "sda/sda1", &[("partition", "1")]),
            ("9:127", "md127", &[("md/array_state", "inactive")]),
        ],
        "",
    );
    assert_eq!(used(&host, "sda1"), ["/dev/sda is a member of the array /dev/md127"]);
}

#[test]
fn the_list_of_arrays_is_read_too() {
    let mdstat = "==> /proc/mdstat\nPersonalities : [raid6]\nmd5 : inactive sdc[2](S) sdb[1](F)\n      8 blocks\n\nunused devices: <none>\n";
    let host = machine(&[("8:16", "sdb", &[]), ("8:0", "sda", &[])], mdstat);
    assert_eq!(used(&host, "sdb"), ["/dev/sdb is a member of the array /dev/md5"]);
    assert_eq!(used(&host, "sda"), [""; 0]);
}

#[test]
fn paths_of_one_disk_are_one_disk() {
    let wwid = ("device/wwid", "naa.600508b400105e210000900000490000");
    let disks: [Device<'_>; 5] = [
        ("8:16", "sdb", &[wwid]),
        ("8:17", "sdb/sdb1", &[("partition", "1")]),
        ("8:18", "sdb/sdb2", &[("partition", "2")]),
        ("8:32", "sdc", &[wwid, ("device/model", "x")]),
        ("8:33", "sdc/sdc1", &[("partition", "1")]),
    ];
    let mounts = "==> /proc/self/mountinfo\n31 28 8:33 / /srv rw - xfs /dev/sdc1 rw\n";
    let host = machine(&disks, mounts);
    // Without multipath software: two names of the same bytes.
    for name in ["sdb", "sdb1", "sdc", "sdc1"] {
        assert_eq!(used(&host, name), ["/dev/sdc1 is mounted at /srv"], "{name}");
    }
    assert_eq!(used(&host, "sdb2"), [""; 0]);
    // Disks without an identifier are not all the same one.
    let host = machine(
        &[("8:16", "sdb", &[("device/wwid", "")]), ("8:32", "sdc", &[("device/wwid", "")])],
        &mounts.replace("8:33", "8:32"),
    );
    assert_eq!(used(&host, "sdb"), [""; 0]);
}

#[test]
fn holders_of_the_device_mapper_are_told_by_what_they_are() {
    for (name, uuid, sentence) in [
        ("mpatha", "mpath-36001405b2f0c0d8", "/dev/sdb is a path of the multipath device /dev/mapper/mpatha"),
        ("plain", "CRYPT-PLAIN-plain", "/dev/sdb is opened by cryptsetup as /dev/mapper/plain"),
        ("isw", "DMRAID-isw_x", "/dev/sdb is part of /dev/mapper/isw (DMRAID)"),
        ("mine", "", "/dev/sdb is part of /dev/mapper/mine"),
        ("vg-lv", "LVM-x", "/dev/sdb is part of the LVM volume /dev/mapper/vg-lv"),
        ("root", "CRYPT-LUKS1-x-root", "/dev/sdb is opened with LUKS as /dev/mapper/root"),
    ] {
        let mapped: &[(&str, &str)] = &[("dm/name", name), ("dm/uuid", uuid)];
        let disk: &[(&str, &str)] = &[("holders/dm-7", &format!("{HELD_BY}dm-7"))];
        let host = machine(&[("8:16", "sdb", disk), ("254:7", "dm-7", mapped)], "");
        assert_eq!(used(&host, "sdb"), [sentence]);
    }
}

#[test]
fn bcache_is_a_use_of_backing_and_cache() {
    let host = machine(
        &[
            ("8:16", "sdb", &[("holders/bcache0", "-> ../../bcache0"), ("bcache/state", "clean")]),
            ("8:32", "sdc", &[("bcache/set", "x")]),
            ("252:0", "bcache0", &[]),
        ],
        "==> /proc/self/mountinfo\n31 28 252:0 / /srv rw - xfs /dev/bcache0 rw\n",
    );
    let part = "/dev/sdb is part of the bcache device /dev/bcache0";
    let mounted = "/dev/bcache0 is mounted at /srv";
    assert_eq!(used(&host, "sdb"), [part, "/dev/sdb is registered with bcache", mounted]);
    assert_eq!(used(&host, "sdc"), ["/dev/sdc is registered with bcache"]);
}

#[test]
fn what_a_storage_network_serves_is_in_use() {
    const LIO: &str = "/sys/kernel/config/target/core";
    let namespace = "/sys/kernel/config/nvmet/subsystems/nqn.2024-01.x:a/namespaces/1";
    let more = format!(
        "==> {LIO}/iblock_0/one/info\nStatus: ACTIVATED  Max Queue Depth: 128\n        \
         iBlock device: sdb  UDEV PATH: /dev/disk/by-id/x  readonly: 0\n        Major: 8 Minor: 16  CLAIMED: IBLOCK\n\
         ==> {LIO}/fileio_1/two/info\nStatus: ACTIVATED\n        TCM FILEIO ID: 0        File: /dev/sdc  Size: 64  Mode: O_DSYNC Async: 0\n\
         ==> {LIO}/pscsi_2/three/udev_path\n/dev/sdd\n\
         ==> {LIO}/alua/lu_gps/default_lu_gp/lu_gp_id\n0\n\
         ==> {namespace}/device_path\n/dev/sde\n"
    );
    let names = [("8:16", "sdb"), ("8:32", "sdc"), ("8:48", "sdd"), ("8:64", "sde"), ("8:80", "sdf")];
    let host = machine(&names.map(|(number, name)| (number, name, &[][..])), &more);
    for (name, store) in [("sdb", "iblock_0/one"), ("sdc", "fileio_1/two"), ("sdd", "pscsi_2/three")] {
        assert_eq!(used(&host, name), [format!("/dev/{name} is given out as a SCSI target (LIO's {store})")]);
    }
    assert_eq!(used(&host, "sde"), ["/dev/sde is given out as namespace 1 of nqn.2024-01.x:a over NVMe"]);
    assert_eq!(used(&host, "sdf"), [""; 0]);
}

#[test]
fn file_systems_with_several_devices_use_them_all() {
    let names = [
        ("8:16", "sdb"),
        ("8:32", "sdc"),
        ("8:48", "sdd"),
        ("8:64", "sde"),
        ("8:80", "sdf"),
        ("8:96", "sdg"),
    ];
    let more = "==> /proc/self/mountinfo\n\
        31 28 8:16 / /srv rw - xfs /dev/sdb rw,logdev=/dev/sdc,noquota\n\
        32 28 0:44 / /many rw - bcachefs /dev/sdd:/dev/sde rw\n\
        33 28 0:45 / /pool rw - zfs sdg rw\n\
        ==> /sys/fs/btrfs/0a1b/devices/sdf -> ../../../../devices/sdf\n";
    let host = machine(&names.map(|(number, name)| (number, name, &[][..])), more);
    for (name, point) in [("sdb", "/srv"), ("sdc", "/srv"), ("sdd", "/many"), ("sde", "/many")] {
        assert_eq!(used(&host, name), [format!("/dev/{name} is mounted at {point}")]);
    }
    assert_eq!(used(&host, "sdf"), ["/dev/sdf is a device of a btrfs in use"]);
    assert_eq!(used(&host, "sdg"), [""; 0]);
}

#[test]
fn mounts_are_told_once_with_how_many_more_there_are() {
    let more = "==> /proc/self/mountinfo\n31 28 8:16 / /a rw - xfs /dev/sdb rw\n32 28 8:16 / /b rw - xfs /dev/sdb rw\n\
        33 28 8:16 / /c rw - xfs /dev/sdb rw\n34 28 8:32 / /d\\040e rw - xfs /dev/sdc rw\n\
        ==> /probe/mounts-elsewhere\n[\"31 28 8:16 / /z rw - xfs /dev/sdb rw\\n40 28 8:48 / /far rw - xfs /dev/sdd rw\"]\n";
    let names = [("8:16", "sdb"), ("8:32", "sdc"), ("8:48", "sdd")];
    let host = machine(&names.map(|(number, name)| (number, name, &[][..])), more);
    assert_eq!(used(&host, "sdb"), ["/dev/sdb is mounted at /a and 2 more places"]);
    assert_eq!(used(&host, "sdc"), ["/dev/sdc is mounted at /d e"]);
    assert_eq!(used(&host, "sdd"), ["/dev/sdd is mounted at /far, in another mount namespace"]);
}

#[test]
fn loop_devices_of_which_only_the_path_is_known_are_told_by_it() {
    let backing = |path: &'static str| [("loop/backing_file", path)];
    let (one, two, three) = (backing("/dev/sdb"), backing("/img"), backing("/img"));
    let host = machine(
        &[("8:16", "sdb", &[]), ("7:0", "loop0", &one), ("7:1", "loop1", &two), ("7:2", "loop2", &three)],
        "==> /proc/swaps\nFilename Type Size Used Priority\n/dev/sdb partition 8 0 -2\n",
    );
    let swap = "/dev/sdb is in use as swap";
    assert_eq!(used(&host, "sdb"), ["the loop device /dev/loop0 stands on /dev/sdb", swap]);
    assert_eq!(used(&host, "loop0"), [swap]);
    assert_eq!(used(&host, "loop1"), ["/dev/loop2 has the same backing file as /dev/loop1"]);
}

#[test]
fn where_mounts_cannot_be_seen_nothing_is_known() {
    let host = Host::parse("==> /sys/dev/block/8:16 -> /sys/devices/sdb\n==> /sys/devices/sdb/dev\n8:16\n");
    let reason = uses(&host, &Node::numbered(&host, "8:16").unwrap()).unwrap_err();
    assert!(reason.contains("mountinfo cannot be read"), "{reason}");
}

#[test]
fn rings_of_holders_end() {
    let host = machine(
        &[
            ("254:0", "dm-0", &[("dm/name", "a"), ("holders/dm-1", "-> ../../dm-1")]),
            ("254:1", "dm-1", &[("dm/name", "b"), ("holders/dm-0", "-> ../../dm-0")]),
        ],
        "",
    );
    assert_eq!(used(&host, "dm-0").len(), 2);
}
