//! Where devices are mounted: `/proc/self/mountinfo` (proc_pid_mountinfo(5)).

use std::collections::BTreeMap;
use std::path::Path;

use model::machine::Mount;

use super::FoundDevice;
use crate::Host;

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its number, and that of the mount it is mounted on.
    id: u64,
    parent: u64,
    /// Major and minor number as the table writes them, `8:1`; the major number
    /// is 0 for file systems that have no device of their own, and for those
    /// that have several (btrfs).
    pub(crate) number: String,
    /// Which part of the file system is mounted: `/` for all of it.
    pub(crate) root: String,
    /// Where it is mounted.
    pub(crate) point: String,
    /// The options of the mount and then those of the file system.
    pub(crate) options: String,
    /// The options of the mount alone, as the table has them.
    pub(crate) own: String,
    /// Those of the file system alone, likewise.
    pub(crate) system: String,
    /// The file system.
    pub(crate) kind: String,
    /// What is mounted: `/dev/sda1`, `tmpfs`.
    pub(crate) source: String,
}

/// All mounts, in the table's order. Lines that are garbled are left out.
pub(crate) fn table(host: &Host) -> Vec<Line> {
    parse(&host.text("/proc/self/mountinfo").unwrap_or_default())
}

/// All mounts of a table, in its order. Lines that are garbled are left out.
pub(crate) fn parse(text: &str) -> Vec<Line> {
    text.lines().filter_map(line).collect()
}

/// The mounts that lead to `path`, from the root on: the last one holds it. A
/// mount that another one covers is not among them, whatever its point.
pub(crate) fn way<'a>(table: &'a [Line], path: &str) -> Vec<&'a Line> {
    // The root's own parent is not in the table, nor is it where it was cut.
    let is_root = |line: &Line| line.parent == line.id || !table.iter().any(|l| l.id == line.parent);
    let mut way: Vec<&Line> = Vec::new();
    while way.len() <= table.len() {
        let here = way.last().copied();
        let is_next = |line: &&Line| {
            let on_it =
                here.map_or_else(|| is_root(line), |here| line.parent == here.id && line.id != here.id);
            on_it && Path::new(path).starts_with(&line.point)
        };
        // The shortest is met first; of equal ones the later covers the other.
        let next = table.iter().rev().filter(is_next).min_by_key(|line| line.point.len());
        let Some(next) = next else { break };
        way.push(next);
    }
    way
}

fn line(text: &str) -> Option<Line> {
    // Fields before " - " vary in number.
    let (left, right) = text.split_once(" - ")?;
    let mut left = left.split(' ');
    let (id, parent) = (left.next()?.parse().ok()?, left.next()?.parse().ok()?);
    let (number, root, point, options) = (left.next()?, left.next()?, left.next()?, left.next()?);
    let mut right = right.split(' ');
    let (kind, source, system) = (right.next()?, right.next()?, right.next().unwrap_or_default());
    // Whether it may be written is the mount's affair.
    let more = system.split(',').filter(|o| !matches!(*o, "" | "rw" | "ro"));
    let more = more.filter(|o| !options.split(',').any(|own| own == *o));
    Some(Line {
        id,
        parent,
        number: number.to_owned(),
        root: unescape(root),
        point: unescape(point),
        own: options.to_owned(),
        system: system.to_owned(),
        options: std::iter::once(options).chain(more).collect::<Vec<_>>().join(","),
        kind: kind.to_owned(),
        source: unescape(source),
    })
}

/// Octal escapes of mountinfo: `\040` is a space.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 4).filter(|d| byte == b'\\' && d.iter().all(u8::is_ascii_digit));
        let code = digits.and_then(|d| std::str::from_utf8(d).ok());
        match code.and_then(|d| u8::from_str_radix(d, 8).ok()) {
            Some(escaped) => {
                out.push(escaped);
                at += 4;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Puts its mounts to each device.
pub(super) fn add(host: &Host, found: &mut [FoundDevice]) {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for (index, FoundDevice { device, number, .. }) in found.iter().enumerate() {
        numbers.extend(number.as_ref().map(|n| (n.trim().to_owned(), index)));
        names.insert(device.name.clone(), index);
        names.extend(device.mapping.as_ref().map(|m| (format!("mapper/{}", m.name), index)));
    }
    for line in table(host) {
        let by_number = numbers.get(&line.number).copied();
        let Some(index) = by_number.or_else(|| by_source(host, &names, &line)) else { continue };
        let mount = Mount { point: line.point, kind: line.kind, options: line.options };
        let mounts = &mut found[index].device.mounts;
        if !mounts.contains(&mount) {
            mounts.push(mount);
        }
    }
}

/// The device that a mount without a number of its own names as its source.
fn by_source(host: &Host, names: &BTreeMap<String, usize>, line: &Line) -> Option<usize> {
    let node = line.source.strip_prefix("/dev/").filter(|_| line.number.starts_with("0:"))?;
    if let Some(index) = names.get(node) {
        return Some(*index);
    }
    if let Some(index) =
        host.resolve(&line.source).and_then(|real| names.get(real.strip_prefix("/dev/")?).copied())
    {
        return Some(index);
    }
    // LVM joins group and volume with a dash and doubles those inside (lvm(8)).
    let (group, volume) = node.split_once('/')?;
    let mapper = format!("mapper/{}-{}", group.replace('-', "--"), volume.replace('-', "--"));
    names.get(&mapper).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_with_its_escapes_and_options() {
        let text = "36 35 98:0 /sub /mnt\\040with\\134slash rw,noatime shared:1 - ext3 /dev/disk\\0111 rw,errors=continue,noatime";
        let line = line(text).unwrap();
        assert_eq!(line.point, "/mnt with\\slash");
        assert_eq!(line.options, "rw,noatime,errors=continue");
        assert_eq!((line.own.as_str(), line.system.as_str()), ("rw,noatime", "rw,errors=continue,noatime"));
        assert_eq!(line.root, "/sub");
        assert_eq!((line.number.as_str(), line.source.as_str()), ("98:0", "/dev/disk\t1"));
        for text in ["\\", "\\0", "\\999", "\\+12", "a\\04"] {
            assert_eq!(unescape(text), text);
        }
        assert_eq!(super::line("garbled"), None);
        assert_eq!(super::line("1 2 - ext4"), None);
    }

    #[test]
    fn the_way_to_a_path_leaves_out_what_is_covered() {
        let table: Vec<Line> = [
            // What the early root moves is older than the root it is moved to.
            "22 28 0:20 / /dev rw - devtmpfs udev rw",
            "28 1 8:1 / / rw - ext4 /dev/sda1 rw",
            "30 28 8:2 / /data rw - xfs /dev/sda2 rw",
            "31 30 8:3 / /data/a rw - ext4 /dev/sda3 rw",
            "32 30 0:50 / /data rw - nfs4 far:/data rw",
            "33 28 8:4 / /database rw - ext4 /dev/sda4 rw",
        ]
        .iter()
        .map(|text| line(text).unwrap())
        .collect();
        let ids = |path: &str| way(&table, path).iter().map(|l| l.id).collect::<Vec<_>>();
        assert_eq!(ids("/"), [28]);
        assert_eq!(ids("/dev"), [28, 22]);
        assert_eq!(ids("/data/a"), [28, 30, 32]);
        assert_eq!(ids("/database"), [28, 33]);
        let ring =
            [line("5 6 8:1 / /a rw - ext4 x rw").unwrap(), line("6 5 8:1 / /a rw - ext4 x rw").unwrap()];
        assert!(way(&ring, "/a").is_empty());
        let cut =
            [line("5 4 8:1 / /a rw - ext4 x rw").unwrap(), line("7 5 8:1 / /a rw - ext4 x rw").unwrap()];
        assert_eq!(way(&cut, "/a").len(), 2);
    }
}
