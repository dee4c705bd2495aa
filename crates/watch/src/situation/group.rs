//! Control groups that somebody has held to a limit: processor time, throttled devices, memory.

use machine::inventory::cgroup::LimitedGroup;
use machine::sampler::limited::{
    GROUP_CPU, GROUP_IO, GROUP_MEMORY, GROUP_PERIODS, group_device_resource, group_resource,
};
use model::Unit;
use model::machine::IoThrottle;

use super::{KnownLimit, LimitOrigin, LimitShare, ResourceActivity, ResourceRow, SituationInput, UseMeasure};

/// Periods of a quota in which a group was stopped: from this share on it wants all that it may have.
const STOPPED: f64 = 0.5;
/// A group that used so much of its quota is at it, whatever its periods say.
const ALL: f64 = 0.9;

pub(super) fn rows(input: &SituationInput<'_>, group: &LimitedGroup) -> Vec<ResourceRow> {
    let mut all = Vec::new();
    all.extend(group.cpu_quota.and_then(|quota| of_cpu(input, group, quota)));
    all.extend(group.io.iter().filter_map(|io| of_device(input, group, io)));
    all.extend(group.memory_bytes.and_then(|bytes| of_memory(input, group, bytes as f64)));
    all
}

fn quota(most: f64, source: &str) -> KnownLimit {
    KnownLimit { low: most, high: most, origin: LimitOrigin::Quota(source.to_owned()) }
}

/// What a limit is called where it was set: files of version 1 have other names.
fn source<'a>(group: &LimitedGroup, controller: &str, second: &'a str, first: &'a str) -> &'a str {
    if group.is_first_version(controller) { first } else { second }
}

fn of_cpu(input: &SituationInput<'_>, group: &LimitedGroup, most: f64) -> Option<ResourceRow> {
    let resource = group_resource(&group.path);
    let rate = |name: &str| input.readings.rate(&resource, name);
    let cpu = rate(GROUP_CPU);
    let [periods, stopped] = GROUP_PERIODS.map(rate);
    let stopped = stopped.zip(periods).filter(|(_, all)| *all > 0.0).map(|(some, all)| some / all);
    let limit = quota(most, source(group, "cpu", "cpu.max", "cpu.cfs_quota_us"));
    let (demand, limit) = match (cpu, stopped) {
        // A group that is stopped in most of its periods may be at its quota in these and idle in between; and where its time is
        // the sum of its processes, those that came and went between two looks are missing.
        (Some(cpu), Some(share)) if share >= STOPPED && cpu > 0.0 && cpu < ALL * most => {
            (cpu, Some(KnownLimit { low: cpu, ..limit }))
        }
        (Some(cpu), _) => (cpu, Some(limit)),
        // That it was stopped tells that it wants all of it.
        (None, Some(share)) if share >= STOPPED => (most, Some(KnownLimit { high: most / ALL, ..limit })),
        (None, Some(_)) => (0.0, None),
        (None, None) => return None,
    };
    let used = LimitShare { measure: UseMeasure::Cpu, demand, unit: Unit::One, limit, study: None };
    Some(ResourceRow::new(resource, ResourceActivity::Group { cpu, stopped }, vec![used]))
}

fn of_device(input: &SituationInput<'_>, group: &LimitedGroup, io: &IoThrottle) -> Option<ResourceRow> {
    let resource = group_device_resource(&group.path, &io.device);
    let [read, written, reads, writes] = GROUP_IO.map(|name| input.readings.rate(&resource, name));
    let used = |measure, demand: Option<f64>, most: Option<u64>, unit, (second, first)| {
        let limit = quota(most? as f64, source(group, "blkio", second, first));
        Some(LimitShare { measure, demand: demand?, unit, limit: Some(limit), study: None })
    };
    let uses = [
        used(
            UseMeasure::BytesIn,
            read,
            io.read_bytes,
            Unit::BytesPerSecond,
            ("io.max rbps", "blkio.throttle.read_bps_device"),
        ),
        used(
            UseMeasure::BytesOut,
            written,
            io.write_bytes,
            Unit::BytesPerSecond,
            ("io.max wbps", "blkio.throttle.write_bps_device"),
        ),
        used(
            UseMeasure::Reads,
            reads,
            io.read_operations,
            Unit::PerSecond,
            ("io.max riops", "blkio.throttle.read_iops_device"),
        ),
        used(
            UseMeasure::Writes,
            writes,
            io.write_operations,
            Unit::PerSecond,
            ("io.max wiops", "blkio.throttle.write_iops_device"),
        ),
    ];
    let some = |value: Option<f64>| value.unwrap_or_default();
    let activity = ResourceActivity::GroupDevice {
        bytes: [some(read), some(written)],
        operations: [some(reads), some(writes)],
    };
    let uses: Vec<LimitShare> = uses.into_iter().flatten().collect();
    (!uses.is_empty()).then(|| ResourceRow::new(resource, activity, uses))
}

fn of_memory(input: &SituationInput<'_>, group: &LimitedGroup, total: f64) -> Option<ResourceRow> {
    let resource = group_resource(&group.path);
    let used = input.readings.gauge(&resource, GROUP_MEMORY)?;
    let of_all = LimitShare {
        measure: UseMeasure::Memory,
        demand: used,
        unit: Unit::Bytes,
        limit: Some(quota(total, source(group, "memory", "memory.max", "memory.limit_in_bytes"))),
        study: None,
    };
    Some(ResourceRow::new(
        resource,
        ResourceActivity::Memory { used, total, swapped: 0.0, has_traffic: None },
        vec![of_all],
    ))
}
