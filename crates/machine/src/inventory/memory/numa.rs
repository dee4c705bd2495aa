//! The NUMA nodes (`Documentation/ABI/stable/sysfs-devices-node`).

use model::machine::{Absent, NumaNode};

use super::field;
use crate::Host;
use crate::inventory::{note, numbered};

const FOLDER: &str = "/sys/devices/system/node";
/// The greatest distance of ACPI's SLIT, 255, says that there is no way.
const DISTANCE_MAX: u32 = 255;

/// The nodes that have memory or CPUs.
pub(super) fn read(host: &Host, absent: &mut Vec<Absent>) -> Vec<NumaNode> {
    let mut nodes = Vec::new();
    for (id, cpus) in cpus_of_nodes(host) {
        let folder = format!("{FOLDER}/node{id}");
        let info = host.text(format!("{folder}/meminfo")).unwrap_or_default();
        let Some(total_bytes) = field(&info, "MemTotal") else {
            note(absent, format!("NUMA node {id}"), "garbled: no MemTotal");
            continue;
        };
        if total_bytes == 0 && cpus.is_empty() {
            continue;
        }
        let free_bytes = field(&info, "MemFree").filter(|free| *free <= total_bytes);
        nodes.push(NumaNode { id, total_bytes, free_bytes, cpus, distances: distances(host, &folder) });
    }
    nodes
}

/// The nodes with their CPUs.
pub(in crate::inventory) fn cpus_of_nodes(host: &Host) -> Vec<(u32, Vec<u32>)> {
    let cpus = |id: u32| host.cpu_list(format!("{FOLDER}/node{id}/cpulist")).unwrap_or_default();
    numbered(host, FOLDER, "node").into_iter().map(|(id, _)| (id, cpus(id))).collect()
}

fn distances(host: &Host, folder: &str) -> Vec<u32> {
    let text = host.text(format!("{folder}/distance")).unwrap_or_default();
    let number = |word: &str| word.parse().ok().filter(|distance| *distance <= DISTANCE_MAX);
    text.split_whitespace().map(number).collect::<Option<_>>().unwrap_or_default()
}
