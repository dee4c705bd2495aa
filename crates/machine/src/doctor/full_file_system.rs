//! A local file system is nearly full.

use std::collections::BTreeMap;

use model::machine::{BlockDevice, BlockKind, Mount};
use model::{Finding, Resource, ResourceKind, Severity};
use serde::{Deserialize, Serialize};

use super::{Check, CheckContext, clip, condition, seen};
use crate::inventory::block::mount::{self, Line};

const CODE: &str = "full-file-system";
/// Above this share allocators search longer and find smaller extents; df and
/// the guides of ext4, xfs and btrfs agree on keeping a tenth free.
const NOTE: f64 = 0.90;
/// Above this one btrfs may refuse for want of metadata, and files of a load
/// hardly fit.
const WARNING: f64 = 0.97;
/// File systems of disks; others have no such edge or are not local.
const KINDS: &[&str] = &["ext4", "xfs", "btrfs"];
/// File systems that ask a server for every part of a path; so does FUSE.
const SERVED: &[&str] = &["nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "afs", "lustre", "gfs2", "ocfs2"];
/// How many are asked.
const MOUNTS_MAX: usize = 256;

/// What statvfs(3) says of one file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Space {
    total_bytes: u64,
    free_bytes: u64,
    /// Free for those who are not root.
    available_bytes: u64,
}

impl Space {
    fn of(mount: &str) -> Option<Self> {
        let answer = rustix::fs::statvfs(mount).ok()?;
        let bytes = |blocks: u64| blocks.checked_mul(answer.f_frsize);
        Some(Self {
            total_bytes: bytes(answer.f_blocks)?,
            free_bytes: bytes(answer.f_bfree)?,
            available_bytes: bytes(answer.f_bavail)?,
        })
    }

    /// As df(1) counts: what is used, of that and what may be used.
    fn used(self) -> Option<f64> {
        let used = self.total_bytes.checked_sub(self.free_bytes)?;
        let all = used.checked_add(self.available_bytes).filter(|a| *a > 0)?;
        Some(used as f64 / all as f64)
    }
}

/// The check. All mounts are one answer, `statvfs`, for the root's own path
/// could not be a file's name in a recording.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a local file system is more than 90 % full (note) or 97 % (warning)",
    english: r#"
condition-full-file-system =
    the file system at { $mount } ({ $kind }) is { PERCENT($used) } full, with { BINARY($available_bytes) } left
    .advice = delete what is not needed, or measure on another file system

evidence-statvfs = { BINARY($free_bytes) } of { BINARY($total_bytes) } free
"#,
    look: |context| {
        let mounts = mounts(context);
        let ask = || {
            let space = mounts.iter().filter_map(|m| Some((m.point.clone(), Space::of(&m.point)?)));
            Ok(space.collect::<BTreeMap<String, Space>>())
        };
        let Ok(spaces) = context.host.probe("statvfs", ask) else { return Vec::new() };
        mounts.iter().filter_map(|m| judge(m, *spaces.get(&m.point)?)).collect()
    },
};

/// One mount of each device, those that can be written.
fn mounts<'a>(context: &CheckContext<'a>) -> Vec<&'a Mount> {
    let table = mount::table(context.host);
    let is_full_on_purpose = |m: &Mount| m.options.split(',').any(|o| o == "ro");
    let first = |device: &'a BlockDevice| {
        let is_one =
            |m: &&Mount| KINDS.contains(&m.kind.as_str()) && !is_full_on_purpose(m) && is_reached(&table, m);
        device.mounts.iter().find(is_one)
    };
    let devices = context.inventory.block.iter().filter(|d| d.kind != BlockKind::Loop);
    devices.filter_map(first).take(MOUNTS_MAX).collect()
}

/// Whether asking at its point asks this mount, and no server on the way: where
/// another is mounted over it, or over a folder above it, that one would answer,
/// or never if its server is gone.
fn is_reached(table: &[Line], mount: &Mount) -> bool {
    let way = mount::way(table, &mount.point);
    let Some((last, before)) = way.split_last() else { return table.is_empty() };
    let is_it = last.point == mount.point && last.kind == mount.kind && last.options == mount.options;
    let waits = |line: &&Line| SERVED.contains(&line.kind.as_str()) || line.kind.starts_with("fuse");
    is_it && !before.iter().any(waits)
}

fn judge(mount: &Mount, space: Space) -> Option<Finding> {
    let used = space.used()?;
    let severity = match used {
        u if u > WARNING => Severity::Warning,
        u if u > NOTE => Severity::Note,
        _ => return None,
    };
    let evidence = seen("statvfs").arg("free_bytes", space.free_bytes).arg("total_bytes", space.total_bytes);
    Some(
        condition(CODE, severity)
            .on(Resource::of(ResourceKind::FileSystem, &mount.point))
            .arg("mount", clip(&mount.point))
            .arg("kind", clip(&mount.kind))
            .arg("used", used)
            .arg("available_bytes", space.available_bytes)
            .because(evidence),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with};
    use model::machine::Inventory;

    fn inventory(point: &str, kind: &str, options: &str) -> Inventory {
        let mount = Mount { point: point.to_owned(), kind: kind.to_owned(), options: options.to_owned() };
        let device = BlockDevice { mounts: vec![mount], ..BlockDevice::default() };
        Inventory { block: vec![device], ..Inventory::default() }
    }

    fn look(used: u64, inventory: Inventory) -> CheckResult {
        let free = 1000 - used;
        let tree = format!(
            "==> /probe/statvfs\n{{\"/\": {{\"total_bytes\": 1000, \"free_bytes\": {free}, \"available_bytes\": {free}}}}}\n"
        );
        diagnose_with(&CHECK, &tree, inventory)
    }

    #[test]
    fn two_thresholds_part_note_from_warning() {
        look(985, inventory("/", "ext4", "rw"))
            .one(Severity::Warning, "at / (ext4) is 98 % full, with 15 bytes left");
        look(930, inventory("/", "xfs", "rw")).one(Severity::Note, "at / (xfs) is 93 % full");
        assert_eq!(look(800, inventory("/", "ext4", "rw")), CheckResult::nothing());
    }

    #[test]
    fn what_is_not_written_or_not_local_is_left_out() {
        assert_eq!(look(999, inventory("/", "squashfs", "ro")), CheckResult::nothing());
        assert_eq!(look(999, inventory("/", "ext4", "relatime,ro")), CheckResult::nothing());
        assert_eq!(look(999, inventory("/other", "ext4", "rw")), CheckResult::nothing());
    }

    #[test]
    fn space_is_counted_as_df_does() {
        let output =
            std::process::Command::new("df").args(["-B1", "--output=used,avail", "/"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let numbers: Vec<f64> =
            text.lines().nth(1).unwrap().split_whitespace().map(|w| w.parse().unwrap()).collect();
        let theirs = numbers[0] / (numbers[0] + numbers[1]);
        let ours = Space::of("/").unwrap().used().unwrap();
        assert!((ours - theirs).abs() < 0.01, "{ours} {theirs}");
        assert_eq!(Space { total_bytes: 1, free_bytes: 2, available_bytes: 0 }.used(), None);
    }

    #[test]
    fn a_mount_that_another_covers_is_not_asked() {
        let look = |more: &str| {
            let tree = format!(
                "==> /proc/self/mountinfo\n20 1 8:1 / / rw - ext4 /dev/sda1 rw\n{more}\
                 ==> /probe/statvfs\n{{\"/a/b\": {{\"total_bytes\": 1000, \"free_bytes\": 1, \"available_bytes\": 1}}}}\n"
            );
            diagnose_with(&CHECK, &tree, inventory("/a/b", "ext4", "rw"))
        };
        let own = "21 20 8:2 / /a/b rw - ext4 /dev/sda2 rw\n";
        look(own).one(Severity::Warning, "at /a/b");
        for covered in [
            format!("{own}22 21 0:40 / /a/b rw - nfs4 far:/b rw\n"),
            format!("{own}22 20 0:40 / /a rw - nfs4 far:/a rw\n"),
            format!("22 20 0:40 / /a rw - nfs4 far:/a rw\n{}", own.replace("21 20", "21 22")),
        ] {
            assert_eq!(look(&covered), CheckResult::nothing(), "{covered}");
        }
    }
}
