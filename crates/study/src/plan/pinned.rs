//! CPUs that a person names for workers: they must be there, and none may lie outside the NUMA
//! node that a load asks for.

use agent::{Agent, CallContext};
use model::Study;
use model::machine::{Cpu, Inventory};
use model::plan::{LoadSpec, Problem};
use model::profile::Aspect;
use model::resource::cpu_list;
use model::study::{Pin, PinnedCpus};
use model::workload::Catalogue;

use super::PlanError;

/// The CPUs that were named, and the machine that has them.
pub(super) struct Pinned {
    cpus: PinnedCpus,
    inventory: Inventory,
}

impl Pinned {
    /// None where no CPUs are named.
    pub(super) fn of(
        study: &Study,
        agent: &mut dyn Agent,
        watch: &mut CallContext<'_>,
    ) -> Result<Option<Self>, PlanError> {
        let Pin::Cpus(cpus) = &study.controls.pin else { return Ok(None) };
        let pinned = Self { cpus: cpus.clone(), inventory: agent.describe(watch)?.inventory };
        match missing(cpus, &pinned.inventory.cpu) {
            Some(problem) => Err(PlanError::Impossible { label: study.name.clone(), problem }),
            None => Ok(Some(pinned)),
        }
    }

    /// Why these loads cannot run on them.
    pub(super) fn problem(&self, loads: &[LoadSpec], catalogue: &Catalogue) -> Option<Problem> {
        let node_of = |load: &LoadSpec| {
            let name = catalogue.parameter_for(catalogue.workload(load.workload)?, Aspect::CpuNode)?;
            load.parameters.integer(name).ok()
        };
        loads.iter().filter_map(node_of).find_map(|asked| {
            // Whether there is such a node was told by the agent.
            let node = self.inventory.memory.nodes.iter().find(|node| u64::from(node.id) == asked)?;
            let outside = self.cpus.outside(&node.cpus);
            (!outside.is_empty()).then(|| {
                let (cpus, outside, all) = (&self.cpus, cpu_list(&outside), cpu_list(&node.cpus));
                Problem::invalid(
                    format!("{cpus} names CPU {outside}, which is not of NUMA node {asked} (CPU {all})"),
                    "leave out one of both, or name CPUs of that node",
                )
            })
        })
    }
}

/// Refuses CPUs for workers that are not there, or that this process may not run on.
fn missing(cpus: &PinnedCpus, cpu: &Cpu) -> Option<Problem> {
    let outside = cpus.outside(&cpu.allowed).into_iter();
    let (offline, barred): (Vec<u32>, Vec<u32>) = outside.partition(|number| !cpu.online.contains(number));
    let (which, why) = match (&offline[..], &barred[..]) {
        ([], []) => return None,
        ([], barred) => (barred, "this process may not run there (its affinity, or its control group)"),
        (offline, _) => (offline, "that is not online here"),
    };
    Some(Problem::invalid(
        format!("{cpus} names CPU {}: {why}", cpu_list(which)),
        format!("workers may run on CPU {}", cpu_list(&cpu.allowed)),
    ))
}

#[cfg(test)]
mod tests {
    use model::machine::NumaNode;
    use model::{ParameterName, Parameters, WorkloadName};

    use super::*;

    fn problem(cpus: &str, node: Option<u64>) -> Option<Problem> {
        let node_of = |id, cpus: &[u32]| NumaNode { id, cpus: cpus.to_vec(), ..NumaNode::default() };
        let mut inventory = Inventory::default();
        inventory.memory.nodes = vec![node_of(0, &[0, 1]), node_of(1, &[2, 3])];
        let pinned = Pinned { cpus: cpus.parse().unwrap(), inventory };
        let mut parameters = Parameters::default();
        if let Some(node) = node {
            parameters.set(ParameterName::intern("cpu-node").unwrap(), node);
        }
        let loads = [LoadSpec::new(WorkloadName::new("cpu.primes"), parameters)];
        pinned.problem(&loads, &agent::catalogue())
    }

    #[test]
    fn cpus_outside_the_node_that_is_asked_for_contradict_it() {
        assert_eq!(problem("cpus:0-3", None), None);
        assert_eq!(problem("cpus:3,2", Some(1)), None);
        let found = problem("cpus:1-2", Some(1)).unwrap();
        assert!(found.message.contains("names CPU 1, which is not of NUMA node 1 (CPU 2-3)"), "{found:?}");
    }

    #[test]
    fn cpus_that_are_not_there_or_not_allowed_are_refused() {
        let cpu = Cpu { online: vec![0, 1], allowed: vec![1], ..Cpu::default() };
        let why = |cpus: &str| missing(&cpus.parse().unwrap(), &cpu).map(|problem| problem.message);
        assert_eq!(why("cpus:1"), None);
        assert!(why("cpus:0-1").unwrap().contains("names CPU 0: this process may not run there"));
        assert!(why("cpus:0,7").unwrap().contains("names CPU 7: that is not online here"));
    }
}
