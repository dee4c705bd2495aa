//! Which CPUs there are and where each sits
//! (`Documentation/admin-guide/cputopology.rst`).

use std::collections::BTreeMap;

use model::machine::{Absent, CpuPlace};

use super::FOLDER;
use super::info::CpuInfo;
use crate::Host;
use crate::inventory::{memory, note, numbered};

/// CPUs that have a folder, in order.
pub(super) fn present(host: &Host) -> Vec<u32> {
    numbered(host, FOLDER, "cpu").into_iter().map(|(cpu, _)| cpu).collect()
}

/// CPUs that are online, in order. One without a folder is none.
pub(super) fn online(host: &Host, info: &CpuInfo, present: &[u32]) -> Vec<u32> {
    let listed = host.cpu_list(format!("{FOLDER}/online")).filter(|cpus| !cpus.is_empty());
    let mut cpus = listed.unwrap_or_else(|| info.cpus());
    cpus.sort_unstable();
    cpus.dedup();
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
    let places: Vec<CpuPlace> = cpus.filter_map(|cpu| place(*cpu)).collect();
    if places.is_empty() {
        note(absent, "processor topology", "the kernel does not say");
    }
    places
}
