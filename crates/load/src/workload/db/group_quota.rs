//! The CPU time that control groups let a process of a server have. Its own group is not ours, so that nothing that is counted
//! of ours tells of it.

use std::fs;
use std::path::Path;

/// Where hierarchies are mounted: that of version 2, and of version 1 the one that has CPU quotas.
const SECOND: &str = "/sys/fs/cgroup";
const FIRST: &str = "/sys/fs/cgroup/cpu";

/// CPU time in each second that the groups of a process let it have, microseconds: the least of all levels; none where none
/// of them has a quota, or nothing of them is seen.
pub(super) fn of_process(id: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{id}/cgroup")).ok()?;
    let of_group = |(root, group): (&str, &str)| {
        let folder = Path::new(root).join(group.trim_start_matches('/'));
        folder.ancestors().take_while(|level| level.starts_with(root)).filter_map(at_level).min()
    };
    text.lines().filter_map(group_of).filter_map(of_group).min()
}

/// Where the hierarchy of a line of `/proc/PID/cgroup` (cgroups(7)) is mounted, and the group in it, if it has quotas of CPU
/// time.
fn group_of(line: &str) -> Option<(&'static str, &str)> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
    if number == "0" && controllers.is_empty() {
        return Some((SECOND, group));
    }
    controllers.split(',').any(|controller| controller == "cpu").then_some((FIRST, group))
}

/// The quota of one group.
fn at_level(folder: &Path) -> Option<u64> {
    let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
    let of_first =
        || Some(format!("{} {}", read("cpu.cfs_quota_us")?.trim(), read("cpu.cfs_period_us")?.trim()));
    in_second(&read("cpu.max").or_else(of_first)?)
}

/// Of a quota and its period, microseconds, what is left in each second; none where there is no quota (`max`, -1).
fn in_second(text: &str) -> Option<u64> {
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period): (u64, u64) = (quota.parse().ok()?, period.parse().ok()?);
    quota.checked_mul(1_000_000)?.checked_div(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_may_have_a_quota_are_found_in_both_versions() {
        assert_eq!(
            group_of("0::/system.slice/mariadb.service"),
            Some((SECOND, "/system.slice/mariadb.service"))
        );
        assert_eq!(group_of("4:cpu,cpuacct:/db:1"), Some((FIRST, "/db:1")));
        assert_eq!([group_of("7:cpuset:/"), group_of("1:name=systemd:/"), group_of("x")], [None; 3]);
    }

    #[test]
    fn a_quota_is_what_is_left_in_each_second() {
        assert_eq!(
            [in_second("20000 100000\n"), in_second("150000 50000")],
            [Some(200_000), Some(3_000_000)]
        );
        assert_eq!(
            [in_second("max 100000"), in_second("-1 100000"), in_second("1 0"), in_second("")],
            [None; 4]
        );
    }

    #[test]
    fn the_quota_of_a_group_is_read_in_both_versions() {
        let folder = tempfile::tempdir_in(".").unwrap();
        assert_eq!(at_level(folder.path()), None);
        fs::write(folder.path().join("cpu.cfs_quota_us"), "50000\n").unwrap();
        fs::write(folder.path().join("cpu.cfs_period_us"), "100000\n").unwrap();
        assert_eq!(at_level(folder.path()), Some(500_000));
        fs::write(folder.path().join("cpu.max"), "max 100000\n").unwrap();
        assert_eq!(at_level(folder.path()), None);
    }
}
