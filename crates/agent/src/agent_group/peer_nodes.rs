//! The NUMA nodes of a far end. A load names them beside those of its near end; the far end is
//! told them as its own.

use std::collections::BTreeMap;

use engine::numa::RequestedNodes;
use load::workload::{catalogue, common, has_far_end};
use model::plan::{LoadSpec, Problem, Survey};
use model::profile::Aspect;
use model::{Machine, Parameters};

use super::{FarEnd, of_far, peer_of};
use crate::{AgentError, CallContext};

/// What says the nodes of either end.
const NODES: [(Aspect, Aspect); 2] =
    [(Aspect::CpuNode, Aspect::PeerCpuNode), (Aspect::MemoryNode, Aspect::PeerMemoryNode)];

/// The parameters of `load` with which its far end has its own nodes in place of the near end's.
pub(super) fn of_far_end(load: &LoadSpec, mut parameters: Parameters) -> Parameters {
    let catalogue = catalogue();
    let Some(spec) = catalogue.workload(load.workload) else { return parameters };
    for (near, far) in NODES {
        let far = catalogue.parameter_for(spec, far).and_then(|name| parameters.remove(name));
        let Some(name) = catalogue.parameter_for(spec, near) else { continue };
        match far {
            Some(node) => parameters.set(name, node),
            None => drop(parameters.remove(name)),
        }
    }
    parameters
}

/// Refuses nodes that far ends do not have, with those that they have.
pub(super) fn check(
    far: &mut BTreeMap<String, FarEnd>,
    surveys: &mut [Survey],
    watch: &mut CallContext<'_>,
) -> Result<(), AgentError> {
    let mut machines: BTreeMap<String, Machine> = BTreeMap::new();
    for survey in surveys.iter_mut().filter(|survey| survey.problem.is_none()) {
        let mut problem = None;
        for load in survey.loads.iter().filter(|load| has_far_end(load)) {
            let peer = peer_of(load);
            let asked =
                common::requested_nodes(&of_far_end(load, load.parameters.clone())).unwrap_or_default();
            let Some(end) = far.get_mut(peer).filter(|_| asked != RequestedNodes::default()) else {
                continue;
            };
            if !end.is_ours() {
                problem = Some(Problem::invalid(
                    format!("{peer} is another tool's server, which takes no NUMA node from us"),
                    "leave out the nodes of the other end",
                ));
                continue;
            }
            if !machines.contains_key(peer) {
                machines.insert(peer.to_owned(), end.agent.describe(watch).map_err(of_far)?);
            }
            let Some(machine) = machines.get(peer) else { continue };
            if let Err(found) = asked.check(&machine.inventory.cpu, &machine.inventory.memory) {
                problem = Some(Problem { message: format!("the other end: {}", found.message), ..found });
            }
        }
        survey.problem = problem;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::{ParameterName, WorkloadName};

    use super::*;

    #[test]
    fn a_far_end_has_its_own_nodes_and_not_those_of_the_near_one() {
        let told = |given: &[(&str, u64)]| {
            let mut parameters = Parameters::default();
            for (name, node) in given {
                parameters.set(ParameterName::intern(name).unwrap(), *node);
            }
            let load = LoadSpec::new(WorkloadName::new("net.stream"), parameters.clone());
            let parameters = of_far_end(&load, parameters);
            assert!(parameters.iter().all(|(name, _)| !name.as_str().starts_with("peer-")), "{parameters:?}");
            common::requested_nodes(&parameters).unwrap()
        };
        let nodes = |cpu, memory| RequestedNodes { cpu, memory };
        assert_eq!(told(&[]), nodes(None, None));
        assert_eq!(told(&[("cpu-node", 1), ("memory-node", 1)]), nodes(None, None));
        let both = [("cpu-node", 1), ("peer-cpu-node", 0), ("peer-memory-node", 2)];
        assert_eq!(told(&both), nodes(Some(0), Some(2)));
    }
}
