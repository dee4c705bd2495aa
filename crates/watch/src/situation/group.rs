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
/// A group that wants all of it used at least so much of it.
const AT_LEAST: f64 = 0.9;

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

fn of_cpu(input: &SituationInput<'_>, group: &LimitedGroup, most: f64) -> Option<ResourceRow> {
    let resource = group_resource(&group.path);
    let rate = |name: &str| input.readings.rate(&resource, name);
    let cpu = rate(GROUP_CPU);
    let [periods, stopped] = GROUP_PERIODS.map(rate);
    let stopped = stopped.zip(periods).filter(|(_, all)| *all > 0.0).map(|(some, all)| some / all);
    let limit = quota(most, "cpu.max");
    // Version 1 may count the time in a hierarchy in which the group is not; that it was stopped says as much.
    let (demand, limit) = match (cpu, stopped) {
        (Some(cpu), _) => (cpu, Some(limit)),
        (None, Some(share)) if share >= STOPPED => {
            (most, Some(KnownLimit { high: most / AT_LEAST, ..limit }))
        }
        (None, Some(_)) => (0.0, None),
        (None, None) => return None,
    };
    let used = LimitShare { measure: UseMeasure::Cpu, demand, unit: Unit::One, limit, study: None };
    Some(ResourceRow::new(resource, ResourceActivity::Group { cpu, stopped }, vec![used]))
}

fn of_device(input: &SituationInput<'_>, group: &LimitedGroup, io: &IoThrottle) -> Option<ResourceRow> {
    let resource = group_device_resource(&group.path, &io.device);
    let [read, written, reads, writes] = GROUP_IO.map(|name| input.readings.rate(&resource, name));
    let used = |measure, demand: Option<f64>, most: Option<u64>, unit, source| {
        let limit = quota(most? as f64, source);
        Some(LimitShare { measure, demand: demand?, unit, limit: Some(limit), study: None })
    };
    let uses = [
        used(UseMeasure::BytesIn, read, io.read_bytes, Unit::BytesPerSecond, "io.max rbps"),
        used(UseMeasure::BytesOut, written, io.write_bytes, Unit::BytesPerSecond, "io.max wbps"),
        used(UseMeasure::Reads, reads, io.read_operations, Unit::PerSecond, "io.max riops"),
        used(UseMeasure::Writes, writes, io.write_operations, Unit::PerSecond, "io.max wiops"),
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
        limit: Some(quota(total, "memory.max")),
        study: None,
    };
    Some(ResourceRow::new(resource, ResourceActivity::Memory { used, total, swapped: 0.0 }, vec![of_all]))
}
