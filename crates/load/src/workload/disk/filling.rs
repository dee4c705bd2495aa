//! Filling a target until no space is left (`until=full`), which is asked for
//! and safe only where nobody else needs the space: not on a file system that
//! programs of this machine must write to, and not in memory that they need.
//!
//! What holds a result or a swap file of others besides is not known here; who
//! keeps runs looks after the store.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use model::plan::Problem;
use model::scalar::binary;

use crate::workload::disk::plan::DiskPlan;

/// What a machine stops working without, when the file system is full.
const VITAL: &[&str] = &["/", "/var", "/tmp"];

/// `f_type` of statfs(2) for memory (`include/uapi/linux/magic.h`).
const TMPFS: i64 = 0x0102_1994;
const RAMFS: i64 = 0x8584_58f6;

/// What cannot be had together with filling a target.
pub(super) fn check(plan: &DiskPlan) -> Result<(), Problem> {
    let no = |message: &str, help: &str| Err(Problem::invalid(format!("until=full {message}"), help));
    if plan.blocks.len() > 1 {
        return no("writes blocks of one size, one after the other", "give one block-size");
    }
    if plan.files > 1 {
        return no("makes one file grow, not several", "use files=1; or several targets, joined with +");
    }
    if plan.offset > 0 {
        return no("begins at the first byte", "leave out offset");
    }
    Ok(())
}

/// How large a file may become that fills the file system of `folder`: as large
/// as that whole file system, which it never is. `memory` is what is free of it,
/// in bytes, and `beneath` what memory the file system is, if it is known to be
/// some. Refused with why it must not be filled.
pub(super) fn survey(folder: &Path, memory: u64, beneath: Option<&str>) -> Result<u64, Problem> {
    let refused = |why: String| {
        Problem::refused(
            format!("the file system of {} must not be filled: {why}", folder.display()),
            "give a folder on a file system of its own, or a size at which to end",
        )
    };
    let unknown = |e: std::io::Error| refused(format!("it cannot be looked at: {e}"));
    let mountinfo = fs::read_to_string("/proc/self/mountinfo").map_err(unknown)?;
    let swaps = fs::read_to_string("/proc/swaps").unwrap_or_default();
    let own = SpaceSource::of(folder, &mountinfo).map_err(unknown)?;
    for path in VITAL.iter().map(ToString::to_string).chain(swap_files(&swaps)) {
        let other = SpaceSource::of(Path::new(&path), &mountinfo);
        if other.is_ok_and(|other| own.shares(&other)) {
            return Err(refused(format!("it holds {path}, without which this machine does not work")));
        }
    }
    let stat = rustix::fs::statfs(folder).map_err(|e| unknown(e.into()))?;
    let bytes = (stat.f_blocks as u64).saturating_mul(stat.f_bsize as u64);
    match stat.f_type as i64 {
        RAMFS => Err(refused("it is memory without a bound".to_owned())),
        kind if (kind == TMPFS || beneath.is_some()) && bytes > memory / 2 => {
            let name = beneath.map_or_else(String::new, |beneath| format!(" ({beneath})"));
            let (bytes, memory) = (binary(bytes), binary(memory));
            Err(refused(format!("it is memory{name}, {bytes} of it, and {memory} are free")))
        }
        _ if stat.f_bavail == 0 => Err(refused("it has no space left already".to_owned())),
        _ => Ok(bytes),
    }
}

/// Where a path takes its space from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SpaceSource {
    device: u64,
    /// Of file systems that are parts of one pool: the pool.
    pool: Option<String>,
}

impl SpaceSource {
    fn of(path: &Path, mountinfo: &str) -> std::io::Result<Self> {
        let path = path.canonicalize()?;
        Ok(Self { device: path.metadata()?.dev(), pool: pool_of(&path, mountinfo) })
    }

    fn shares(&self, other: &SpaceSource) -> bool {
        self.device == other.device || self.pool.is_some() && self.pool == other.pool
    }
}

/// The pool of the file system at `path`, whose parts have devices of their own
/// but share their space.
fn pool_of(path: &Path, mountinfo: &str) -> Option<String> {
    let mounts = mountinfo.lines().filter_map(mount);
    // A later mount covers an earlier one at the same place: of equals it is the last.
    let mount = mounts.filter(|m| path.starts_with(&m.point)).max_by_key(|m| m.point.len())?;
    let pool = match mount.kind {
        "btrfs" | "bcachefs" => mount.source,
        "zfs" => mount.source.split('/').next()?,
        _ => return None,
    };
    Some(format!("{} {pool}", mount.kind))
}

/// One line of mountinfo.
struct Mount<'a> {
    point: String,
    kind: &'a str,
    source: &'a str,
}

/// Reads a line of /proc/self/mountinfo (proc(5)): the mount point is its fifth
/// field; behind a field that is `-` come type and source.
fn mount(line: &str) -> Option<Mount<'_>> {
    let (front, back) = line.split_once(" - ")?;
    let mut back = back.split(' ');
    Some(Mount { point: unescape(front.split(' ').nth(4)?), kind: back.next()?, source: back.next()? })
}

/// The files that are in use as swap, by /proc/swaps (proc(5)).
pub(super) fn swap_files(swaps: &str) -> impl Iterator<Item = String> + '_ {
    swaps.lines().skip(1).filter_map(|line| {
        let mut fields = line.split_whitespace();
        let name = fields.next()?;
        (fields.next()? == "file").then(|| unescape(name))
    })
}

/// Blanks and their like stand as three octal digits.
fn unescape(text: &str) -> String {
    let mut plain = text.to_owned();
    for (code, character) in [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")] {
        plain = plain.replace(code, character);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLENTY: u64 = 1 << 50;

    #[test]
    fn what_the_machine_needs_is_not_filled() {
        for folder in ["/", "/var", "/tmp", "."] {
            let problem = survey(Path::new(folder), PLENTY, None);
            // The build may lie on a disk of its own.
            if let Err(problem) = problem {
                assert!(problem.message.contains("must not be filled: it holds /"), "{problem:?}");
                assert!(problem.help.contains("size"), "{problem:?}");
            } else {
                assert_eq!(folder, ".");
            }
        }
    }

    #[test]
    fn memory_that_others_need_is_not_filled() {
        let Ok(bytes) = survey(Path::new("/dev/shm"), PLENTY, None) else {
            println!("skipped: /dev/shm is not a file system of its own here");
            return;
        };
        let problem = survey(Path::new("/dev/shm"), bytes, None).unwrap_err();
        assert!(problem.message.contains("it is memory"), "{problem:?}");
    }

    #[test]
    fn a_file_system_on_a_ram_disk_is_memory_too() {
        let Ok(bytes) = survey(Path::new("."), PLENTY, Some("/dev/zram0")) else {
            println!("skipped: the build lies where the system does");
            return;
        };
        let problem = survey(Path::new("."), bytes, Some("/dev/zram0")).unwrap_err();
        assert!(problem.message.contains("it is memory (/dev/zram0)"), "{problem:?}");
    }

    #[test]
    fn parts_of_one_pool_share_its_space() {
        let mountinfo = "\
            22 1 0:20 /root / rw - btrfs /dev/sda2 rw,subvol=/root\n\
            23 22 0:41 /data /srv/a\\040disk rw shared:2 - btrfs /dev/sda2 rw\n\
            24 22 0:42 / /srv/tank rw - zfs tank/data rw\n\
            25 22 0:43 / /srv/tank/more rw - zfs tank/more rw\n\
            26 22 8:17 / /mnt rw - ext4 /dev/sdb1 rw\n\
            27 22 0:44 / /srv/tank rw - tmpfs none rw\n";
        let pool = |path: &str| pool_of(Path::new(path), mountinfo);
        assert_eq!(pool("/var/tmp"), Some("btrfs /dev/sda2".to_owned()));
        assert_eq!(pool("/srv/a disk/x"), pool("/"));
        assert_eq!(pool("/srv/tank/more"), Some("zfs tank".to_owned()));
        assert_eq!(pool("/srv/tank"), None, "covered by another mount");
        assert_eq!((pool("/mnt"), pool("/mntx")), (None, pool("/")));
        let place = |device, path: &str| SpaceSource { device, pool: pool(path) };
        assert!(place(41, "/srv/a disk").shares(&place(20, "/")));
        assert!(!place(817, "/mnt").shares(&place(20, "/")));
        assert!(
            !place(817, "/mnt").shares(&SpaceSource { device: 8, pool: None }),
            "no pool is no common pool"
        );
    }

    #[test]
    fn swap_files_are_found_and_swap_devices_are_no_files() {
        let swaps = "Filename\t\t\tType\t\tSize\tUsed\tPriority\n\
                     /dev/sda3                               partition\t4194300\t0\t-2\n\
                     /srv/swap\\040file                       file\t\t1048572\t0\t-3\n";
        assert_eq!(swap_files(swaps).collect::<Vec<_>>(), ["/srv/swap file"]);
    }
}
