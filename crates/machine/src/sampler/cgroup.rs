//! How often and how long our control groups were kept from running by their
//! CPU quota: `cpu.stat` of our own group and of every group above it.

use model::{Resource, Unit};

use crate::Host;
use crate::sampler::{Pace, Sampler, SamplerColumn, SamplerKind, keyed};

/// Groups can be nested deeper, but nobody does.
const LEVELS_MAX: usize = 32;

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "cgroup",
    doc: "how often and how long a CPU quota kept our control groups from running",
    open: |host, _| {
        let membership = host.text("/proc/self/cgroup").unwrap_or_default();
        membership.lines().flat_map(|line| levels(host, line)).collect()
    },
};

/// The levels of one line of cgroup(7)'s membership, our own first.
fn levels(host: &Host, line: &str) -> Vec<Box<dyn Sampler>> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { return Vec::new() };
    // A path that leads out of what is mounted cannot be followed.
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    if names.len() > LEVELS_MAX || names.contains(&"..") {
        return Vec::new();
    }
    // Version 2: `Documentation/admin-guide/cgroup-v2.rst`, in microseconds.
    // Version 1: `Documentation/scheduler/sched-bwc.rst`, in nanoseconds.
    let (root, key, scale) = if controllers.is_empty() {
        ("/sys/fs/cgroup", "throttled_usec", 1e-6)
    } else if controllers.split(',').any(|name| name == "cpu") {
        ("/sys/fs/cgroup/cpu", "throttled_time", 1e-9)
    } else {
        return Vec::new();
    };
    let level = |up: usize| {
        let folder: String = names[..names.len() - up].iter().map(|name| format!("/{name}")).collect();
        let path = format!("{root}{folder}/cpu.stat");
        // Only where the quota is accounted; version 2's root has other lines.
        host.text(&path).filter(|text| text.contains("nr_periods"))?;
        let count = |name| (name, SamplerColumn::counter(Resource::CGROUP_CPU, name, Unit::One, 1.0));
        let time = SamplerColumn::counter(Resource::CGROUP_CPU, "throttled_time", Unit::Seconds, scale);
        let columns = [count("nr_periods"), count("nr_throttled"), (key, time)];
        // A container's group is named by what identifies it, so the level is
        // told from our own.
        let source = format!("{}cpu.stat", "../".repeat(up));
        Some(keyed::open(host, &path, &source, Pace::Fast, columns))
    };
    (0..=names.len()).filter_map(level).flatten().collect()
}
