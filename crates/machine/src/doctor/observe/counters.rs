//! The kernel's counters at one moment.

use std::collections::{BTreeMap, BTreeSet};

use crate::Host;
use crate::doctor::activity::Traffic;

/// Counters of the whole machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters {
    pub(super) cpus: u32,
    /// Ticks that CPUs worked.
    pub(super) busy: Option<u64>,
    /// Ticks that were stolen.
    pub(super) steal: Option<u64>,
    /// Pages from swap.
    pub(super) swapped_in: Option<u64>,
    /// Pages to swap.
    pub(super) swapped_out: Option<u64>,
    /// Throttlings: of each CPU its own count and that of its package.
    pub(super) throttles: Vec<u64>,
    pub(super) disks: Vec<Traffic>,
    pub(super) networks: Vec<Traffic>,
}

impl Counters {
    /// The counters now; none without `/proc/stat`.
    pub(super) fn read(host: &Host) -> Option<Self> {
        let mut counters = Self::default();
        counters.take_cpu_times(&host.text("/proc/stat")?)?;
        let memory = host.text("/proc/vmstat").unwrap_or_default();
        let page = |name: &str| memory.lines().find_map(|l| l.strip_prefix(name)?.trim().parse().ok());
        counters.swapped_in = page("pswpin ");
        counters.swapped_out = page("pswpout ");
        counters.take_throttles(host);
        counters.disks = disks(&host.text("/proc/diskstats").unwrap_or_default());
        counters.networks = networks(&host.text("/proc/net/dev").unwrap_or_default());
        Some(counters)
    }

    /// proc_stat(5): user nice system idle iowait irq softirq steal guest
    /// guest_nice; the times of guests are in user and nice already.
    fn take_cpu_times(&mut self, text: &str) -> Option<()> {
        let all = text.lines().find_map(|l| l.strip_prefix("cpu "))?;
        let fields: Vec<u64> = all.split_whitespace().map_while(|f| f.parse().ok()).collect();
        let at = |index: usize| fields.get(index).copied();
        self.busy = [0, 1, 2, 5, 6].into_iter().map(at).try_fold(0u64, |sum, v| sum.checked_add(v?));
        self.steal = at(7);
        let cpu =
            |l: &&str| l.strip_prefix("cpu").is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
        self.cpus = u32::try_from(text.lines().filter(cpu).count()).ok()?;
        Some(())
    }

    /// `Documentation/ABI/testing/sysfs-devices-system-cpu`, thermal_throttle.
    fn take_throttles(&mut self, host: &Host) {
        const CPUS: &str = "/sys/devices/system/cpu";
        for cpu in host.cpu_list(format!("{CPUS}/online")).unwrap_or_default() {
            let folder = format!("{CPUS}/cpu{cpu}/thermal_throttle");
            for file in ["core_throttle_count", "package_throttle_count"] {
                // One CPU without it is a machine without it.
                let Some(count) = host.number(format!("{folder}/{file}")) else { return };
                self.throttles.push(count);
            }
        }
    }
}

/// Devices that stand on others or on memory: their traffic is counted below.
const NOT_DISKS: &[&str] = &["loop", "ram", "zram", "dm-", "md", "sr", "fd"];

/// Sectors of `/proc/diskstats` have this many bytes, whatever the disk's own have.
const SECTOR_BYTES: u64 = 512;

/// The fields of each whole disk in `/proc/diskstats` (`Documentation/admin-guide/iostats.rst`), by its name.
fn whole_disks(text: &str) -> Vec<(&str, Vec<u64>)> {
    let names: BTreeSet<&str> = text.lines().filter_map(|l| l.split_whitespace().nth(2)).collect();
    let is_whole = |name: &str| {
        !NOT_DISKS.iter().any(|p| name.starts_with(p)) && !is_partition(name, &names) && !is_hidden(name)
    };
    let mut all = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace().skip(2);
        if let Some(name) = words.next().filter(|name| is_whole(name)) {
            all.push((name, words.map_while(|word| word.parse().ok()).collect()));
        }
    }
    all
}

fn disks(text: &str) -> Vec<Traffic> {
    let one = |(name, fields): (&str, Vec<u64>)| {
        let sum = |at: [usize; 2]| fields.get(at[0])?.checked_add(*fields.get(at[1])?);
        let (operations, bytes) = (sum([0, 4])?, sum([2, 6])?.checked_mul(SECTOR_BYTES)?);
        // The tenth field: milliseconds with requests on their way.
        let busy_s = fields.get(9).map(|ms| *ms as f64 / 1e3);
        Some(Traffic { name: name.to_owned(), operations, bytes, busy_s })
    };
    whole_disks(text).into_iter().filter_map(one).collect()
}

/// Bytes that were written to each whole disk since the machine was started, by its name. The seventh field counts their
/// sectors; where it is garbled or the disk keeps no counts, it is left out.
pub(in crate::doctor) fn written_bytes(host: &Host) -> BTreeMap<String, u64> {
    let text = host.text("/proc/diskstats").unwrap_or_default();
    let one = |(name, fields): (&str, Vec<u64>)| {
        let bytes = fields.get(6)?.checked_mul(SECTOR_BYTES)?;
        Some((name.to_owned(), bytes))
    };
    whole_disks(&text).into_iter().filter_map(one).collect()
}

/// Whether another name of the table is the disk of this one: `sda` of `sda1`,
/// `nvme0n1` of `nvme0n1p1`.
fn is_partition(name: &str, names: &BTreeSet<&str>) -> bool {
    let disk = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if disk == name {
        return false;
    }
    // A disk whose name ends in a digit has a `p` before the partition's.
    match disk.strip_suffix('p').filter(|d| d.ends_with(|c: char| c.is_ascii_digit())) {
        Some(numbered) => names.contains(numbered),
        None => names.contains(disk),
    }
}

/// Whether it is one of several ways to an NVMe namespace, `nvme0c1n1`, whose
/// traffic is that of `nvme0n1` (`drivers/nvme/host/multipath.c`).
fn is_hidden(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parts = || {
        let (subsystem, rest) = name.strip_prefix("nvme")?.split_once('c')?;
        let (controller, namespace) = rest.split_once('n')?;
        Some([subsystem, controller, namespace])
    };
    parts().is_some_and(|parts| parts.into_iter().all(is_number))
}

/// `/proc/net/dev` (proc_pid_net(5)): received bytes and packets are fields 0
/// and 1, sent ones 8 and 9.
fn networks(text: &str) -> Vec<Traffic> {
    let line = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let fields: Vec<u64> = rest.split_whitespace().map_while(|w| w.parse().ok()).collect();
        let sum = |a: usize, b: usize| fields.get(a)?.checked_add(*fields.get(b)?);
        Some(Traffic {
            name: name.trim().to_owned(),
            operations: sum(1, 9)?,
            bytes: sum(0, 8)?,
            busy_s: None,
        })
    };
    text.lines().filter_map(line).collect()
}

/// What passed between two moments, of devices that were there at both.
pub(super) fn traffic(before: &[Traffic], after: &[Traffic]) -> Vec<Traffic> {
    let change = |later: &Traffic| {
        let earlier = before.iter().find(|t| t.name == later.name)?;
        Some(Traffic {
            name: later.name.clone(),
            operations: later.operations.checked_sub(earlier.operations)?,
            bytes: later.bytes.checked_sub(earlier.bytes)?,
            busy_s: later.busy_s.zip(earlier.busy_s).map(|(l, e)| l - e).filter(|s| *s >= 0.0),
        })
    };
    after.iter().filter_map(change).filter(|t| t.operations > 0).collect()
}

/// The largest change of one counter. One event of a package counts at each of
/// its CPUs, so that a sum would say more than happened; absent where CPUs came
/// or went.
pub(super) fn most_throttled(before: &[u64], after: &[u64]) -> Option<u64> {
    let changes = before.iter().zip(after).map(|(earlier, later)| later.saturating_sub(*earlier));
    changes.max().filter(|_| before.len() == after.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "==> /proc/stat\n\
        cpu  100 10 50 1000 7 3 2 40 60 0\n\
        cpu0 50 5 25 500 3 1 1 20 30 0\n\
        cpu1 50 5 25 500 4 2 1 20 30 0\n\
        intr 5\n\
        ==> /proc/vmstat\nnr_free_pages 1\npswpin 12\npswpout 30\n\
        ==> /sys/devices/system/cpu/online\n0-1\n\
        ==> /sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count\n3\n\
        ==> /sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count\n9\n\
        ==> /sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count\n0\n\
        ==> /sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_count\n9\n\
        ==> /proc/diskstats\n\
        \x20  8       0 sda 100 0 800 5 50 0 400 5 0 250 1\n\
        \x20  8       1 sda1 90 0 800 5 50 0 400 5 0 1 1\n\
        \x20259       0 nvme0n1 1 0 8 5 1 0 8 5 0 1 1\n\
        \x20259       1 nvme0n1p1 1 0 8 5 1 0 8 5 0 1 1\n\
        \x20259       2 nvme0c0n1 1 0 8 5 1 0 8 5 0 1 1\n\
        \x20  7       0 loop0 1 0 8 5 1 0 8 5 0 1 1\n\
        garbled\n\
        ==> /proc/net/dev\nInter-| Receive | Transmit\n face |bytes packets\n\
        \x20 eth0: 1000 10 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n";

    #[test]
    fn counters_are_read_field_by_field() {
        let now = Counters::read(&Host::parse(TREE)).unwrap();
        assert_eq!((now.cpus, now.busy, now.steal), (2, Some(165), Some(40)));
        assert_eq!((now.swapped_in, now.swapped_out), (Some(12), Some(30)));
        assert_eq!(now.throttles, [3, 9, 0, 9]);
        let names: Vec<_> = now.disks.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["sda", "nvme0n1"]);
        assert_eq!((now.disks[0].operations, now.disks[0].bytes), (150, 1200 * 512));
        assert_eq!(now.disks[0].busy_s, Some(0.25));
        let written = written_bytes(&Host::parse(TREE));
        assert_eq!(
            written,
            [("nvme0n1", 8), ("sda", 400)].map(|(name, n)| (name.to_owned(), n * 512)).into()
        );
        assert_eq!((now.networks[0].operations, now.networks[0].bytes), (15, 1500));
    }

    #[test]
    fn what_is_missing_or_absurd_is_absent() {
        assert!(Counters::read(&Host::parse("")).is_none());
        let garbled = "==> /proc/stat\ncpu  -1 x 99999999999999999999999\n==> /proc/vmstat\npswpin x\n";
        let now = Counters::read(&Host::parse(garbled)).unwrap();
        assert_eq!((now.busy, now.steal, now.swapped_in, now.throttles.len()), (None, None, None, 0));
        let huge = format!("==> /proc/stat\ncpu  {0} {0} {0} {0} {0} {0} {0} {0}\n", u64::MAX);
        assert_eq!(Counters::read(&Host::parse(&huge)).unwrap().busy, None);
    }

    #[test]
    fn a_device_that_came_or_was_reset_has_no_traffic() {
        let one =
            |name: &str, n: u64| Traffic { name: name.to_owned(), operations: n, bytes: n, busy_s: None };
        let before = [one("sda", 5), one("sdb", 5), one("sdc", 5)];
        let after = [one("sda", 8), one("sdb", 1), one("sdc", 5), one("sdd", 9)];
        assert_eq!(traffic(&before, &after), [one("sda", 3)]);
    }

    #[test]
    fn one_event_of_a_package_is_one_throttling() {
        assert_eq!(most_throttled(&[3, 9, 0, 9], &[3, 10, 0, 10]), Some(1));
        assert_eq!(most_throttled(&[3, 9], &[3, 9]), Some(0));
        assert_eq!(most_throttled(&[3, 9], &[3]), None);
        assert_eq!(most_throttled(&[], &[]), None);
    }
}
