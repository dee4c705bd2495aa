//! What the control groups of the machine use that somebody has held to a limit, for who watches them all: processor time
//! (`cpu.stat`; of version 1 `cpuacct.usage`, or the sum of its processes), what passed their throttled devices (`io.stat`, and
//! `blkio.throttle.io_service_bytes` and `io_serviced` of version 1) and their memory. They come and go, so they are no
//! kind of the table.

use model::machine::IoThrottle;
use model::{Resource, ResourceKind, Unit};

use super::file::{lines, number, split_word};
use super::{Pace, Sampler, SamplerColumn, TICK_S, group_processes, keyed, of_file, single};
use crate::Host;
use crate::inventory::cgroup::LimitedGroup;

/// Seconds of processor time that a group used.
pub const GROUP_CPU: &str = "usage";
/// Periods of its quota, and those in which it was stopped.
pub const GROUP_PERIODS: [&str; 2] = ["nr_periods", "nr_throttled"];
/// Seconds for which its CPUs were stopped, added up.
pub const GROUP_STOPPED: &str = "throttled_time";
/// Bytes of its memory.
pub const GROUP_MEMORY: &str = "memory";
/// Of a throttled device: bytes read and written, reads and writes.
pub const GROUP_IO: [&str; 4] = ["read_bytes", "written_bytes", "reads", "writes"];

/// A group as a resource.
#[must_use]
pub fn group_resource(path: &str) -> Resource {
    Resource::of(ResourceKind::Cgroup, path)
}

/// What a group does to one device.
#[must_use]
pub fn group_device_resource(path: &str, device: &str) -> Resource {
    Resource::of(ResourceKind::Cgroup, format!("{path}@{device}"))
}

/// What reads the counters of these groups.
#[must_use]
pub fn open_limited(host: &Host, groups: &[LimitedGroup]) -> Vec<Box<dyn Sampler>> {
    groups.iter().flat_map(|group| of_group(host, group)).collect()
}

fn of_group(host: &Host, group: &LimitedGroup) -> Vec<Box<dyn Sampler>> {
    let mut all = Vec::new();
    let resource = group_resource(&group.path);
    let folder = |controller: &str| group.folders.iter().find(|(name, ..)| *name == controller);
    let count = |name: &'static str| SamplerColumn::counter(resource.clone(), name, Unit::One, 1.0);
    let used = |scale: f64| SamplerColumn::counter(resource.clone(), GROUP_CPU, Unit::Seconds, scale);
    if let Some((_, version, folder)) = folder("cpu").filter(|_| group.cpu_quota.is_some()) {
        let usage = (*version == 2).then(|| ("usage_usec", used(1e-6)));
        let (key, scale) = if *version == 2 { ("throttled_usec", 1e-6) } else { ("throttled_time", 1e-9) };
        let stopped = SamplerColumn::counter(resource.clone(), GROUP_STOPPED, Unit::Seconds, scale);
        let periods = GROUP_PERIODS.map(|name| (name, count(name))).into_iter();
        let columns = periods.chain(usage).chain([(key, stopped)]);
        all.extend(keyed::open(host, &format!("{folder}/cpu.stat"), "cpu.stat", Pace::Fast, columns));
    }
    if let Some((_, 1, folder)) = folder("cpu").filter(|_| group.cpu_quota.is_some()) {
        all.extend(of_uncounted(host, group, folder, &used));
    }
    if let Some((_, version, folder)) = folder("memory").filter(|_| group.memory_bytes.is_some()) {
        let leaf = if *version == 1 { "memory.usage_in_bytes" } else { "memory.current" };
        let column = SamplerColumn::gauge(resource.clone(), GROUP_MEMORY, Unit::Bytes, 1.0);
        all.extend(single::open(host, leaf, [(format!("{folder}/{leaf}"), column)]));
    }
    if let Some((_, version, folder)) = folder("blkio") {
        all.extend(group.io.iter().flat_map(|io| of_device(host, group, io, *version, folder)));
    }
    all
}

/// The processor time of a group whose hierarchy counts none: by a hierarchy that does, where the group is there under the same
/// path with the same processes, and else by its processes.
fn of_uncounted(
    host: &Host,
    group: &LimitedGroup,
    folder: &str,
    used: &dyn Fn(f64) -> SamplerColumn,
) -> Vec<Box<dyn Sampler>> {
    let counted = group.folders.iter().find(|(name, ..)| *name == "cpuacct");
    if let Some((.., counted)) = counted {
        let is_there = host.number(format!("{counted}/cpuacct.usage")).is_some();
        let members = |folder: &str| host.text(format!("{folder}/cgroup.procs"));
        let is_one = host.resolve(counted).is_some_and(|place| host.resolve(folder) == Some(place));
        let is_same = is_one || members(counted) == members(folder);
        if is_there && is_same {
            return single::open(host, "cpuacct.usage", [(format!("{counted}/cpuacct.usage"), used(1e-9))]);
        }
    }
    group_processes::open(host, folder, used(TICK_S))
}

/// What passed a device: a file of version 2, or two of version 1.
fn of_device(
    host: &Host,
    group: &LimitedGroup,
    io: &IoThrottle,
    version: u32,
    folder: &str,
) -> Vec<Box<dyn Sampler>> {
    let Some(device) = host.text(format!("/sys/class/block/{}/dev", io.device)) else { return Vec::new() };
    let resource = group_device_resource(&group.path, &io.device);
    let column = |name: &'static str| {
        let unit = if name.ends_with("_bytes") { Unit::Bytes } else { Unit::One };
        SamplerColumn::counter(resource.clone(), name, unit, 1.0)
    };
    if version == 2 {
        let columns = GROUP_IO.map(column).to_vec();
        let line = device.trim().to_owned() + " ";
        return of_file(host, &format!("{folder}/io.stat"), columns, move |bytes, values| {
            // A group that has not used the device yet has no line of it.
            values.fill(0);
            let Some(own) = lines(bytes).find_map(|l| l.strip_prefix(line.as_bytes())) else { return };
            for word in own.split(|byte| *byte == b' ') {
                for (value, name) in values.iter_mut().zip([&b"rbytes="[..], b"wbytes=", b"rios=", b"wios="])
                {
                    if let Some(digits) = word.strip_prefix(name) {
                        *value = number(digits);
                    }
                }
            }
        });
    }
    let of = |leaf: &str, names: [&'static str; 2]| {
        let line = device.trim().to_owned() + " ";
        of_file(
            host,
            &format!("{folder}/blkio.throttle.{leaf}"),
            names.map(column).to_vec(),
            move |bytes, values| {
                values.fill(0);
                for rest in lines(bytes).filter_map(|l| l.strip_prefix(line.as_bytes())) {
                    let (word, digits) = split_word(rest);
                    let place = [&b"Read"[..], b"Write"].iter().position(|known| *known == word);
                    if let Some(place) = place {
                        values[place] = number(split_word(digits).0);
                    }
                }
            },
        )
    };
    let [read, written, reads, writes] = GROUP_IO;
    let mut all = of("io_service_bytes", [read, written]);
    all.extend(of("io_serviced", [reads, writes]));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::cgroup::limited_groups;

    fn values(host: &Host) -> Vec<(String, &'static str, u64)> {
        let mut all = Vec::new();
        for mut sampler in open_limited(host, &limited_groups(host)) {
            let mut values = vec![super::super::ABSENT; sampler.columns().len()];
            sampler.read(&mut values);
            let columns = sampler.columns().iter();
            all.extend(columns.zip(values).map(|(c, value)| (c.resource.to_string(), c.name, value)));
        }
        all
    }

    #[test]
    fn a_group_of_version_2_tells_what_it_used_of_each_limit() {
        let host = Host::parse(
            "==> /proc/self/cgroup\n0::/\n==> /sys/fs/cgroup/cgroup.procs\n1\n\
             ==> /sys/fs/cgroup/db/cgroup.procs\n7\n==> /sys/fs/cgroup/db/cpu.max\n50000 100000\n\
             ==> /sys/fs/cgroup/db/cpu.stat\nusage_usec 1500\nnr_periods 10\nnr_throttled 4\n\
             ==> /sys/fs/cgroup/db/memory.max\n4096\n==> /sys/fs/cgroup/db/memory.current\n1024\n\
             ==> /sys/fs/cgroup/db/io.max\n8:0 rbps=1000 wbps=max riops=max wiops=max\n\
             ==> /sys/fs/cgroup/db/io.stat\n8:16 rbytes=9 wbytes=9\n8:0 rbytes=100 wbytes=20 rios=3 wios=4 dbytes=0\n\
             ==> /sys/dev/block/8:0 -> ../../devices/block/sda\n\
             ==> /sys/devices/block/sda/size\n100\n==> /sys/class/block/sda/dev\n8:0\n",
        );
        let found = values(&host);
        let of =
            |resource: &str, name: &str| found.iter().find(|v| v.0 == resource && v.1 == name).map(|v| v.2);
        assert_eq!(of("cgroup:/db", GROUP_CPU), Some(1500), "{found:?}");
        assert_eq!(of("cgroup:/db", GROUP_MEMORY), Some(1024));
        assert_eq!(GROUP_IO.map(|name| of("cgroup:/db@sda", name)), [100, 20, 3, 4].map(Some), "{found:?}");
    }

    /// Version 1 has a quota in one hierarchy and the time in another, in which the group need not be.
    #[test]
    fn a_quota_of_version_1_tells_what_its_processes_used_where_nothing_counts_it() {
        let stat = "71 (job) R 1 1 1 0 -1 64 0 0 0 0 30 12 0 0 20 0 1 0 99 0\n";
        let text = format!(
            "==> /proc/self/cgroup\n3:cpu:/\n4:cpuacct:/\n==> /sys/fs/cgroup/cpu/cgroup.procs\n1\n\
             ==> /sys/fs/cgroup/cpu/job/cgroup.procs\n71\n==> /sys/fs/cgroup/cpu/job/cpu.cfs_quota_us\n50000\n\
             ==> /sys/fs/cgroup/cpu/job/cpu.cfs_period_us\n100000\n\
             ==> /sys/fs/cgroup/cpu/job/cpu.stat\nnr_periods 5\nnr_throttled 4\n==> /proc/71/stat\n{stat}"
        );
        let used =
            |host: &Host| values(host).into_iter().find(|value| value.1 == GROUP_CPU).map(|value| value.2);
        assert_eq!(used(&Host::parse(&text)), Some(0), "what came before the first look does not count");
        let there = |member: u32| {
            Host::parse(&format!(
                "{text}==> /sys/fs/cgroup/cpuacct/job/cgroup.procs\n{member}\n\
                 ==> /sys/fs/cgroup/cpuacct/job/cpuacct.usage\n4567\n"
            ))
        };
        assert_eq!(used(&there(71)), Some(4567));
        assert_eq!(used(&there(72)), Some(0), "a group of that name with other processes is another one");
    }

    #[test]
    fn a_throttle_of_version_1_tells_what_passed_it() {
        let host = Host::parse(
            "==> /proc/self/cgroup\n3:blkio:/\n==> /sys/fs/cgroup/blkio/cgroup.procs\n1\n\
             ==> /sys/fs/cgroup/blkio/job/cgroup.procs\n7\n\
             ==> /sys/fs/cgroup/blkio/job/blkio.throttle.read_bps_device\n8:0 1000\n\
             ==> /sys/fs/cgroup/blkio/job/blkio.throttle.io_service_bytes\n8:0 Read 77\n8:0 Write 8\n8:0 Total 85\nTotal 85\n\
             ==> /sys/fs/cgroup/blkio/job/blkio.throttle.io_serviced\n8:0 Read 2\n8:0 Write 1\n\
             ==> /sys/dev/block/8:0 -> ../../devices/block/sda\n\
             ==> /sys/devices/block/sda/size\n100\n==> /sys/class/block/sda/dev\n8:0\n",
        );
        let found: Vec<u64> = values(&host).into_iter().map(|v| v.2).collect();
        assert_eq!(found, [77, 8, 2, 1]);
    }
}
