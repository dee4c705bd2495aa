//! Threads of one NUMA node, and a network interface or a disk that is attached to another: what it sends into memory, its
//! interrupts and its registers lie beyond the link between the processors.

use std::collections::BTreeSet;

use model::finding::{Evidence, Place};
use model::machine::Machine;
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity, fact, metric};

use super::numa_remote::{distance, of_threads};
use crate::measure::End;
use crate::{Context, Rule, RuleCheck, measure};

/// From so many bytes a second on the link between processors is felt.
const MUCH: f64 = 1e9;

/// The deepest that interfaces stand on one another: a VLAN on a bond on adapters.
const DEPTH_MAX: u32 = 4;

pub(crate) const RULE: Rule = Rule {
    code: "device-node-remote",
    doc: "All threads of a trial ran on other NUMA nodes than the one that the network interface, or the disks, of the load are \
         attached to: its data crosses the link between the processors. A warning from 1 GB/s on, where no node was asked for; \
         a note otherwise.",
    english: r#"
finding-device-node-remote =
    threads ran on node { $cpu }, and { RESOURCE($resource) } is attached to node { $node }{ $known ->
        [yes] {" "}(distance { $distance }, 10 is its own)
       *[no] {""}
    }: what it moves crosses the link between the processors
    .advice =
        { $asked ->
            [no] --cpu-node { $node } runs the threads beside it
           *[yes] {""}
        }

evidence-device-node = { RESOURCE($resource) } is attached to node { $node }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let (resource, node) = attached(case, context.machine?)?;
    let away = measure::good(case).find_map(|trial| {
        let cpus = of_threads(trial, context)?;
        cpus.first().copied().filter(|_| !cpus.contains(&node))
    })?;
    let asked = measure::said(case, Aspect::CpuNode).is_some();
    let is_much = measure::estimated(case, metric::THROUGHPUT).is_some_and(|rate| rate >= MUCH);
    let severity = if is_much && !asked { Severity::Warning } else { Severity::Note };
    let distance = distance(context, away, node);
    // Numbers of nodes are names: there is no node between two of them.
    let name = node.to_string();
    let evidence = Evidence::at("device-node", Place::Inventory(resource.clone()));
    Some(
        Finding::new(FindingKind::Validity, RULE.code, severity)
            .on(resource.clone())
            .arg("cpu", away.to_string())
            .arg("node", name.clone())
            .arg("known", distance.is_some())
            .arg("distance", u64::from(distance.unwrap_or(0)))
            .arg("asked", asked)
            .because(evidence.arg("resource", resource.as_str()).arg("node", name)),
    )
}

/// What the load's data passes of this machine, and the node that all of it is attached to.
fn attached(case: &CaseResult, machine: &Machine) -> Option<(Resource, u32)> {
    if measure::is_net(case) {
        let interface = measure::good(case).find_map(|trial| End::Drives.fact(trial, fact::INTERFACE));
        let name = interface.filter(|_| !measure::is_loopback(case))?.to_string();
        let node = only(of_interface(machine, &name, 0))?;
        return Some((Resource::of(ResourceKind::Nic, name), node));
    }
    let function = |address: &str| machine.inventory.pci_device(address)?.node;
    let disks = measure::wholes(case, Some(machine));
    let nodes: Option<BTreeSet<u32>> = disks.iter().map(|disk| function(disk.pci.as_deref()?)).collect();
    Some((Resource::of(ResourceKind::Block, &disks.first()?.name), only(nodes?)?))
}

/// The node of an interface, or those of what it stands on, as far as they are known: a virtual interface has none.
fn of_interface(machine: &Machine, name: &str, depth: u32) -> BTreeSet<u32> {
    let Some(interface) = machine.inventory.network.iter().find(|one| one.name == name) else {
        return BTreeSet::new();
    };
    if let Some(node) = interface.node {
        return [node].into();
    }
    if depth >= DEPTH_MAX {
        return BTreeSet::new();
    }
    interface.below.iter().flat_map(|below| of_interface(machine, below, depth + 1)).collect()
}

/// The only one, if there is one alone.
fn only(nodes: BTreeSet<u32>) -> Option<u32> {
    let mut all = nodes.into_iter();
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use model::machine::{BlockDevice, NetworkInterface, NumaNode, PciDevice};
    use model::study::Controls;
    use model::{Better, Unit};

    use super::*;
    use crate::validity::fixture;

    /// Two nodes; `eth0`, and the disk `sda`, at the second, and a bond over `eth0`.
    fn machine() -> Machine {
        let mut machine = Machine::default();
        let node =
            |id, distances: [u32; 2]| NumaNode { id, distances: distances.to_vec(), ..NumaNode::default() };
        machine.inventory.memory.nodes = vec![node(0, [10, 21]), node(1, [21, 10])];
        let interface =
            |name: &str| NetworkInterface { name: name.to_owned(), ..NetworkInterface::default() };
        machine.inventory.network = vec![
            NetworkInterface { node: Some(1), ..interface("eth0") },
            NetworkInterface { below: vec!["eth0".to_owned()], ..interface("bond0") },
        ];
        let address = "0000:81:00.0".to_owned();
        machine.inventory.pci =
            vec![PciDevice { address: address.clone(), node: Some(1), ..PciDevice::default() }];
        let (name, pci) = ("sda".to_owned(), Some(address));
        machine.inventory.block = vec![BlockDevice { name, pci, ..BlockDevice::default() }];
        machine
    }

    fn found(case: &mut CaseResult, node: u64, rate: f64) -> Option<Finding> {
        let estimate = fixture::estimate(rate, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        for trial in &mut case.trials {
            trial.result.main_mut().facts.insert(fact::CPU_NODE, node.into());
        }
        let (controls, machine) = (Controls::default(), machine());
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        fixture::found(&RULE, case, &context).pop()
    }

    #[test]
    fn an_interface_of_another_node_is_told_and_matters_where_much_passes_it() {
        for name in ["eth0", "bond0"] {
            let mut case = fixture::case(1);
            fixture::workload(&mut case, "net.stream");
            fixture::set(&mut case, "peer", "10.0.0.2:7117");
            case.trials[0].result.main_mut().facts.insert(fact::INTERFACE, name.into());
            let remote = found(&mut case, 0, 2e9).unwrap();
            assert_eq!(remote.severity, Severity::Warning);
            let expected = format!(
                "threads ran on node 0, and network interface {name} is attached to node 1 (distance 21"
            );
            assert!(remote.text.starts_with(&expected), "{}", remote.text);
            assert_eq!(remote.advice.as_deref(), Some("--cpu-node 1 runs the threads beside it"));
            assert_eq!(found(&mut case, 0, 1e8).unwrap().severity, Severity::Note, "little passes it");
            assert!(found(&mut case, 1, 2e9).is_none());
        }
    }

    #[test]
    fn a_disk_of_another_node_is_told_and_where_a_node_was_asked_for_it_is_a_note() {
        let mut case = fixture::disk_case("read", 2e9, 2e9);
        assert_eq!(found(&mut case, 0, 2e9).unwrap().resource, Some(Resource::from("block:sda")));
        assert!(found(&mut case, 1, 2e9).is_none());
        fixture::set(&mut case, "cpu-node", 0u64);
        let asked = found(&mut case, 0, 2e9).unwrap();
        assert_eq!((asked.severity, asked.advice), (Severity::Note, None));
    }
}
