//! Which CPUs there are and where each sits
//! (`Documentation/admin-guide/cputopology.rst`).

use std::collections::{BTreeMap, BTreeSet};

use model::machine::{Absent, CpuPlace};

use super::FOLDER;
use super::info::CpuInfo;
use crate::Host;
use crate::inventory::{distinct, memory, note, numbered, unless_left_out};

/// CPUs that have a folder, in order.
pub(super) fn present(host: &Host) -> Vec<u32> {
    numbered(host, FOLDER, "cpu").into_iter().map(|(cpu, _)| cpu).collect()
}

/// CPUs that are online, in order. One without a folder is none.
pub(super) fn online(host: &Host, info: &CpuInfo, present: &[u32]) -> Vec<u32> {
    let listed = host.cpu_list(format!("{FOLDER}/online")).filter(|cpus| !cpus.is_empty());
    let mut cpus = distinct(listed.unwrap_or_else(|| info.cpus()));
    if !present.is_empty() {
        cpus.retain(|cpu| present.binary_search(cpu).is_ok());
    }
    if cpus.is_empty() { present.to_vec() } else { cpus }
}

/// Where each CPU sits. A CPU of which the kernel does not know the core or
/// the package (it writes -1) is left out.
pub(super) fn places(
    host: &Host,
    online: &[u32],
    present: &[u32],
    absent: &mut Vec<Absent>,
) -> Vec<CpuPlace> {
    let nodes: BTreeMap<u32, u32> = memory::numa::cpus_of_nodes(host)
        .into_iter()
        .flat_map(|(node, cpus)| cpus.into_iter().map(move |cpu| (cpu, node)))
        .collect();
    let place = |cpu: u32| {
        let number =
            |leaf: &str| u32::try_from(host.number(format!("{FOLDER}/cpu{cpu}/topology/{leaf}"))?).ok();
        Some(CpuPlace {
            cpu,
            core: number("core_id")?,
            die: number("die_id").unwrap_or(0),
            package: number("physical_package_id")?,
            node: nodes.get(&cpu).copied(),
        })
    };
    // Without folders there is nothing to read, however many are online.
    let cpus = online.iter().filter(|cpu| present.binary_search(cpu).is_ok());
    let mut places: Vec<CpuPlace> = cpus.filter_map(|cpu| place(*cpu)).collect();
    tell_cores_apart(host, &mut places);
    if places.is_empty() {
        note(absent, "processor topology", unless_left_out(host, FOLDER, "the kernel does not say"));
    }
    places
}

/// Where a device tree has clusters the kernel numbers the cores of each anew
/// (`parse_cluster` in `drivers/base/arch_topology.c`), so that CPUs of two cores
/// have one number. There each core is called by its first CPU
/// (`core_cpus_list`; `thread_siblings_list` before Linux 5.3).
fn tell_cores_apart(host: &Host, places: &mut [CpuPlace]) {
    let first = |place: &CpuPlace| {
        let list = |leaf: &str| host.cpu_list(format!("{FOLDER}/cpu{}/topology/{leaf}", place.cpu));
        let same_core = list("core_cpus_list").or_else(|| list("thread_siblings_list"))?;
        same_core.contains(&place.cpu).then(|| same_core.into_iter().min())?
    };
    let mut numbers = BTreeSet::new();
    if places.iter().all(|p| numbers.insert((p.package, p.die, p.core))) {
        return;
    }
    let Some(firsts) = places.iter().map(first).collect::<Option<Vec<u32>>>() else { return };
    let mut known = BTreeMap::new();
    let clash = places
        .iter()
        .zip(&firsts)
        .any(|(p, first)| *known.entry((p.package, p.die, p.core)).or_insert(*first) != *first);
    if clash {
        for (place, first) in places.iter_mut().zip(firsts) {
            place.core = first;
        }
    }
}
