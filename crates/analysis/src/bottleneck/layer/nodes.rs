//! The NUMA nodes that work of the kernel's unbound queues stays on: before Linux 6.6 it runs on CPUs of the node that
//! it was queued on, later on those of any (`Documentation/core-api/workqueue.rst`, affinity scopes).

use std::collections::BTreeMap;

use model::machine::CpuPlace;
use model::{Machine, Resource, ResourceKind};

/// These CPUs by node; none where work does not stay on one, or where a CPU's node is not known.
pub(super) fn of(cpus: &[Resource], machine: Option<&Machine>) -> Vec<Vec<Resource>> {
    let inventory = machine.map(|machine| &machine.inventory);
    let Some(inventory) = inventory.filter(|inventory| is_bound(&inventory.kernel)) else {
        return Vec::new();
    };
    let mut nodes: BTreeMap<u32, Vec<Resource>> = BTreeMap::new();
    for cpu in cpus {
        let Some(node) = node(cpu, &inventory.cpu.topology) else { return Vec::new() };
        nodes.entry(node).or_default().push(cpu.clone());
    }
    nodes.into_values().collect()
}

fn node(cpu: &Resource, topology: &[CpuPlace]) -> Option<u32> {
    let number = cpu.named(ResourceKind::Cpu)?.parse::<u32>().ok()?;
    topology.iter().find(|place| place.cpu == number)?.node
}

/// Whether a kernel of this release lets work stay on its node.
fn is_bound(release: &str) -> bool {
    let mut parts = release.split(['.', '-']).map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) < (6, 6),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_told_apart_by_number() {
        assert!(is_bound("5.15.0-91-generic") && is_bound("6.5.13") && is_bound("6.1-rc1"));
        assert!(!is_bound("6.6.1") && !is_bound("6.12.9-amd64") && !is_bound("7.0") && !is_bound(""));
    }
}
