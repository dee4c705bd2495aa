//! The processors: `/proc/cpuinfo` and `/sys/devices/system/cpu`
//! (`Documentation/ABI/testing/sysfs-devices-system-cpu`).

mod arm;
mod cache;
pub(super) mod cpuid;
mod flags;
mod frequency;
mod hybrid;
mod idle;
pub(super) mod info;
mod topology;

use std::collections::BTreeMap;

use model::machine::{Absent, Cpu};

use super::{distinct, line, note};
use crate::Host;
use info::CpuInfo;

/// Where the kernel shows its CPUs.
const FOLDER: &str = "/sys/devices/system/cpu";

/// The processors of `host`.
#[must_use]
pub fn describe(host: &Host, absent: &mut Vec<Absent>) -> Cpu {
    let info = CpuInfo::read(host);
    let present = topology::present(host);
    let online = topology::online(host, &info, &present);
    let caches = cache::read(host, &online, &present, absent);
    let model = info.model().or_else(|| cpuid::ask(host)?.brand);
    if model.is_none() {
        note(absent, "processor model", "not there");
    }
    let first = online.first().copied().unwrap_or(0);
    let core_kinds = Some(info.core_kinds(&online))
        .filter(|kinds| !kinds.is_empty())
        .unwrap_or_else(|| hybrid::kinds(host, &online));
    let microcode = || line(&host.text(format!("{FOLDER}/cpu{first}/microcode/version"))?);
    Cpu {
        model,
        vendor: info.vendor(),
        signature: info.signature(),
        microcode: info.value("microcode").and_then(line).or_else(microcode),
        allowed: allowed(host, &online),
        core_kinds,
        topology: topology::places(host, &online, &present, absent),
        caches: cache::seen_by(&caches, first),
        cache_kinds: cache::kinds(&caches),
        flags: flags::of(&info),
        mitigations: mitigations(host),
        frequency: frequency::read(host, &present, absent),
        idle: idle::read(host, first, absent),
        online,
    }
}

/// How many CPUs this thread may run on.
#[must_use]
pub fn allowed_count() -> u32 {
    u32::try_from(affinity().len()).unwrap_or(u32::MAX)
}

/// CPUs that this process may run on; all that are online where nobody says.
fn allowed(host: &Host, online: &[u32]) -> Vec<u32> {
    let asked = host.probe("affinity", || {
        let cpus = affinity();
        if cpus.is_empty() { Err("not supported".to_owned()) } else { Ok(cpus) }
    });
    let mut cpus = distinct(asked.unwrap_or_default());
    if !online.is_empty() {
        cpus.retain(|cpu| online.binary_search(cpu).is_ok());
    }
    if cpus.is_empty() { online.to_vec() } else { cpus }
}

/// By sched_getaffinity(2).
fn affinity() -> Vec<u32> {
    let Ok(set) = rustix::thread::sched_getaffinity(None) else { return Vec::new() };
    (0..rustix::thread::CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .filter_map(|c| u32::try_from(c).ok())
        .collect()
}

/// What the kernel does against each known flaw
/// (`Documentation/admin-guide/hw-vuln/index.rst`).
fn mitigations(host: &Host) -> BTreeMap<String, String> {
    let folder = format!("{FOLDER}/vulnerabilities");
    let state = |name: String| {
        let text = line(&host.text(format!("{folder}/{name}"))?)?;
        Some((name, text))
    };
    host.names(&folder).into_iter().filter_map(state).collect()
}

#[cfg(test)]
mod tests;
