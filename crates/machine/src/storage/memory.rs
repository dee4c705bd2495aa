//! Whether what is written to a path ends in memory: on tmpfs and ramfs, on RAM
//! disks (brd, zram, null_blk with content), and on whatever stands on one of
//! these, through partitions, loop devices, md, the device mapper and file
//! systems. Who fills such a target fills this machine's memory, of which no
//! file system says how much is left.
//!
//! What is on another machine (NFS) or in another program (FUSE) is not seen.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::loop_device::{Backing, Loops};
use super::mounted::Mounts;
use super::node::{self, Node};
use crate::Host;
use crate::inventory::block::mount::{self, Line, unescape};

/// File systems that keep what they hold in memory and nowhere else.
const FILE_SYSTEMS: &[&str] = &["tmpfs", "ramfs", "devtmpfs", "hugetlbfs"];
/// Things stand on one another; more levels than this are a ring.
const LEVELS_MAX: u32 = 16;

/// The memory that `path` is in the end: `tmpfs at /mnt`, `/dev/zram0`; none
/// where it is none, or that cannot be told. A path at which there is nothing is
/// one in its folder.
#[must_use]
pub fn memory_beneath(path: &Path) -> Option<String> {
    let host = Host::this();
    of_path(&host, path, 0)
}

fn of_path(host: &Host, path: &Path, level: u32) -> Option<String> {
    let existing = if path.exists() { Some(path) } else { path.parent() };
    let existing = existing.filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let full = existing.canonicalize().ok()?;
    let metadata = full.metadata().ok()?;
    if metadata.file_type().is_block_device() {
        return of_device(host, &node::number(metadata.rdev()), level);
    }
    of_file(host, &node::number(metadata.dev()), &full, level)
}

/// Of a file at `path` on the file system with this device number.
fn of_file(host: &Host, number: &str, path: &Path, level: u32) -> Option<String> {
    let table = mount::table(host);
    let with_number = |table: &[Line]| table.iter().find(|line| line.number == number).cloned();
    let line = with_number(&table)
        // Parts of a btrfs have numbers of their own, which stand in no table.
        .or_else(|| mount::way(&table, path.to_str()?).pop().cloned().filter(is_part))
        .or_else(|| Mounts::of(host)?.numbered(number).cloned());
    match line {
        Some(line) => of_mount(host, &line, level),
        None => of_device(host, number, level),
    }
}

fn is_part(line: &Line) -> bool {
    matches!(line.kind.as_str(), "btrfs" | "bcachefs")
}

fn of_mount(host: &Host, line: &Line, level: u32) -> Option<String> {
    if level >= LEVELS_MAX {
        return None;
    }
    if FILE_SYSTEMS.contains(&line.kind.as_str()) {
        return Some(format!("{} at {}", line.kind, line.point));
    }
    if !line.number.starts_with("0:") {
        return of_device(host, &line.number, level);
    }
    // What is written to an overlay is written to its upper folder.
    let upper = line.options.split(',').find_map(|option| option.strip_prefix("upperdir="));
    if let Some(upper) = upper.filter(|_| line.kind == "overlay") {
        return of_path(host, Path::new(&unescape(upper)), level + 1);
    }
    let sources = line.source.split(':').filter(|source| source.starts_with("/dev/"));
    let named = sources.filter_map(|source| {
        let real = host.resolve(source)?;
        Node::named(host, &real.strip_prefix("/dev/")?.replace('/', "!"))
    });
    let mut all: Vec<Node> = named.collect();
    // The table names one device of several.
    for id in host.names("/sys/fs/btrfs") {
        let names = host.names(format!("/sys/fs/btrfs/{id}/devices"));
        if all.iter().any(|node| names.contains(&node.name)) {
            all.extend(names.iter().filter_map(|name| Node::named(host, name)));
        }
    }
    all.iter().find_map(|node| of_device(host, &node.number, level + 1))
}

fn of_device(host: &Host, number: &str, level: u32) -> Option<String> {
    if level >= LEVELS_MAX {
        return None;
    }
    let node = Node::numbered(host, number)?;
    let node = node.whole(host).unwrap_or(node);
    if is_memory(host, &node) {
        return Some(node.shown());
    }
    for slave in host.names(node.file("slaves")) {
        let below = Node::named(host, &slave).and_then(|below| of_device(host, &below.number, level + 1));
        if below.is_some() {
            return below;
        }
    }
    match Loops::of(host).backing(&node)? {
        Backing::Device(number) => of_device(host, &number, level + 1),
        Backing::File { number: Some(number), path } => of_file(host, &number, Path::new(&path), level + 1),
        Backing::File { number: None, path } => of_path(host, Path::new(&path), level + 1),
    }
}

/// Whether a device is memory itself.
fn is_memory(host: &Host, node: &Node) -> bool {
    let numbered = |front: &str| {
        let number = node.name.strip_prefix(front);
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let says = |path: String| host.text(path).is_some_and(|text| matches!(text.trim(), "1" | "Y"));
    numbered("ram")
        || numbered("zram")
        || says(format!("/sys/kernel/config/nullb/{}/memory_backed", node.name))
        || numbered("nullb") && says("/sys/module/null_blk/parameters/memory_backed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::machine;
    use super::*;

    #[test]
    fn whatever_stands_on_memory_is_memory() {
        let mounts = "==> /proc/self/mountinfo\n\
             28 1 259:1 / / rw - ext4 /dev/nvme0n1p1 rw\n\
             29 28 0:44 / /mnt/shm rw - tmpfs none rw\n\
             30 28 7:1 / /mnt/on-loop rw - ext4 /dev/loop1 rw\n\
             31 28 254:0 / /mnt/on-dm rw - xfs /dev/mapper/a rw\n\
             32 28 0:50 / /mnt/btrfs rw - btrfs /dev/sda rw\n\
             33 28 8:0 / /mnt/disk rw - ext4 /dev/sda rw\n\
             34 28 0:51 / /mnt/nfs rw - nfs4 far:/x rw\n\
             ==> /sys/fs/btrfs/1234/devices/sda -> /sys/devices/sda\n\
             ==> /sys/fs/btrfs/1234/devices/zram0 -> /sys/devices/zram0\n\
             ==> /dev/sda\nx\n\
             ==> /sys/kernel/config/nullb/nullb1/memory_backed\n1\n\
             ==> /probe/loop/loop1\n{\"device\":\"0:44\",\"inode\":5}\n\
             ==> /probe/loop/loop2\n{\"device\":\"0:6\",\"inode\":5,\"itself\":\"1:0\"}\n\
             ==> /probe/loop/loop3\n{\"device\":\"8:0\",\"inode\":5}\n\
             ==> /probe/loop/loop4\n{\"device\":\"7:4\",\"inode\":5}\n";
        let looped = |file| [("loop/backing_file", file)];
        let (a, b, c, d) = (looped("/image"), looped("/dev/ram0"), looped("/mnt/disk/i"), looped("/mnt/x"));
        let host = machine(
            &[
                ("259:1", "nvme0n1", &[]),
                ("8:0", "sda", &[]),
                ("1:0", "ram0", &[]),
                ("252:0", "zram0", &[]),
                ("252:1", "zram0/zram0p1", &[("partition", "1")]),
                ("253:0", "nullb0", &[]),
                ("253:1", "nullb1", &[]),
                ("7:1", "loop1", &a),
                ("7:2", "loop2", &b),
                ("7:3", "loop3", &c),
                ("7:4", "loop4", &d),
                ("254:0", "dm-0", &[("dm/name", "a"), ("slaves/md0", "-> ../../md0")]),
                ("9:0", "md0", &[("slaves/sda", "-> ../../sda"), ("slaves/loop1", "-> ../../loop1")]),
                ("9:1", "md1", &[("slaves/sda", "-> ../../sda")]),
            ],
            mounts,
        );
        let device = |number: &str| of_device(&host, number, 0);
        let tmpfs = Some("tmpfs at /mnt/shm".to_owned());
        assert_eq!(device("1:0").as_deref(), Some("/dev/ram0"));
        assert_eq!(device("252:0").as_deref(), Some("/dev/zram0"));
        assert_eq!(device("252:1").as_deref(), Some("/dev/zram0"), "a partition");
        assert_eq!((device("253:0"), device("253:1").as_deref()), (None, Some("/dev/nullb1")));
        assert_eq!(device("7:1"), tmpfs, "a loop device on a file");
        assert_eq!(device("7:2").as_deref(), Some("/dev/ram0"), "a loop device on a device");
        assert_eq!((device("7:3"), device("8:0"), device("259:1"), device("9:1")), (None, None, None, None));
        assert_eq!(device("7:4"), None, "a ring has an end");
        assert_eq!((device("9:0"), device("254:0")), (tmpfs.clone(), tmpfs.clone()), "md and dm");
        let file = |number: &str, path: &str| of_file(&host, number, Path::new(path), 0);
        assert_eq!(file("0:44", "/mnt/shm/x"), tmpfs);
        assert_eq!((file("7:1", "/mnt/on-loop/x"), file("254:0", "/mnt/on-dm")), (tmpfs.clone(), tmpfs));
        assert_eq!(file("0:50", "/mnt/btrfs").as_deref(), Some("/dev/zram0"));
        assert_eq!(file("0:60", "/mnt/btrfs/part").as_deref(), Some("/dev/zram0"), "a subvolume");
        assert_eq!(
            (file("259:1", "/x"), file("8:0", "/mnt/disk/x"), file("0:51", "/mnt/nfs")),
            (None, None, None)
        );
    }

    #[test]
    fn this_machines_shm_is_memory_and_the_build_says_what_it_is_on() {
        if mount::table(&Host::this()).iter().any(|l| l.point == "/dev/shm" && l.kind == "tmpfs") {
            let found = memory_beneath(Path::new("/dev/shm/not there")).unwrap();
            assert_eq!(found, "tmpfs at /dev/shm");
        } else {
            println!("skipped: /dev/shm is no tmpfs here");
        }
        assert_eq!(memory_beneath(Path::new("/proc")), None);
    }
}
