//! Threads of one node and memory of another.

use std::collections::BTreeSet;

use model::finding::{Evidence, Place};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity, Trial, Value, fact};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "numa-remote",
    doc: "The threads ran on another NUMA node than their memory lies on: each access crosses the link between them. A \
         note where that was asked for.",
    english: r#"
finding-numa-remote =
    threads ran on node { $cpu } and their memory lies on node { $memory }{ $known ->
        [yes] {" "}(distance { $distance }, 10 is its own)
       *[no] {""}
    }: this is the other node's memory
    .advice =
        { $asked ->
            [no] give --cpu-node and --memory-node the same node for memory of its own
           *[yes] {""}
        }

evidence-memory-node = memory on node { $node }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let apart = measure::good(case).find_map(|trial| {
        let memory = nodes(trial.result.main().facts.get(&fact::MEMORY_NODE)?)?;
        let cpus = of_threads(trial, context).filter(|cpus| !cpus.is_empty())?;
        let away: Vec<u32> = cpus.into_iter().filter(|node| !memory.contains(node)).collect();
        Some((*away.first()?, *memory.first()?))
    });
    let (cpu, memory) = apart?;
    let asked = [Aspect::CpuNode, Aspect::MemoryNode].into_iter().any(|a| measure::said(case, a).is_some());
    let severity = if asked { Severity::Note } else { Severity::Warning };
    let distance = distance(context, cpu, memory);
    let evidence = Evidence::at("memory-node", Place::Fact(fact::MEMORY_NODE));
    // Numbers of nodes are names: there is no node between two of them.
    let name = |node: u32| node.to_string();
    Some(
        Finding::new(FindingKind::Validity, RULE.code, severity)
            .on(Resource::MEMORY)
            .arg("cpu", name(cpu))
            .arg("memory", name(memory))
            .arg("known", distance.is_some())
            .arg("distance", u64::from(distance.unwrap_or(0)))
            .arg("asked", asked)
            .because(evidence.arg("node", name(memory))),
    )
}

/// A number, or numbers with spaces between them.
fn nodes(value: &Value) -> Option<BTreeSet<u32>> {
    match value {
        Value::Integer(node) => Some([u32::try_from(*node).ok()?].into()),
        Value::Text(text) => text.split_whitespace().map(|node| node.parse().ok()).collect(),
        _ => None,
    }
}

/// The nodes that the threads of the main load ran on.
pub(super) fn of_threads(trial: &Trial, context: &Context<'_>) -> Option<BTreeSet<u32>> {
    if let Some(said) = trial.result.main().facts.get(&fact::CPU_NODE) {
        return nodes(said);
    }
    let topology = &context.machine?.inventory.cpu.topology;
    let placed = trial.result.placement.as_ref()?.workers.iter().filter(|w| w.load == 0);
    placed.map(|worker| topology.iter().find(|p| Some(p.cpu) == worker.cpu)?.node).collect()
}

/// How far one node is from the other, as the firmware says (SLIT).
pub(super) fn distance(context: &Context<'_>, from: u32, to: u32) -> Option<u32> {
    let nodes = &context.machine?.inventory.memory.nodes;
    let at = nodes.iter().position(|n| n.id == to)?;
    nodes.iter().find(|n| n.id == from)?.distances.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::machine::{CpuPlace, NumaNode};
    use model::study::{Controls, Pin};
    use model::trial::{Placement, WorkerPlace};

    fn machine() -> Machine {
        let mut machine = Machine::default();
        let place = |cpu| CpuPlace { cpu, core: cpu, node: Some(cpu), package: cpu, ..CpuPlace::default() };
        machine.inventory.cpu.topology = vec![place(0), place(1)];
        let node =
            |id, distances: [u32; 2]| NumaNode { id, distances: distances.to_vec(), ..NumaNode::default() };
        machine.inventory.memory.nodes = vec![node(0, [10, 21]), node(1, [21, 10])];
        machine
    }

    fn found(case: &CaseResult) -> Option<Finding> {
        let (controls, machine) = (Controls::default(), machine());
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        fixture::found(&RULE, case, &context).pop()
    }

    #[test]
    fn memory_of_another_node_is_told_and_that_it_was_asked_for() {
        let mut case = fixture::case(1);
        let mut with = |cpu: Value, memory: Value| {
            case.trials[0]
                .result
                .main_mut()
                .facts
                .extend([(fact::CPU_NODE, cpu), (fact::MEMORY_NODE, memory)]);
            found(&case)
        };
        assert!(with(1u64.into(), 1u64.into()).is_none());
        assert!(with("0 1".into(), "0 1".into()).is_none());
        assert!(with("0 1".into(), 0u64.into()).unwrap().text.starts_with("threads ran on node 1 and"));
        let remote = with(0u64.into(), 1u64.into()).unwrap();
        assert!(remote.text.contains("distance 21") && remote.severity == Severity::Warning, "{remote:?}");
        fixture::set(&mut case, "memory-node", 1u64);
        assert_eq!(found(&case).unwrap().severity, Severity::Note);
    }

    #[test]
    fn where_threads_were_pinned_says_it_too() {
        let mut case = fixture::case(1);
        case.trials[0].result.main_mut().facts.insert(fact::MEMORY_NODE, 0u64.into());
        let at = |cpu| Placement {
            asked: Pin::Auto,
            policy: Pin::Spread,
            reason: None,
            workers: vec![WorkerPlace { load: 0, cpu }],
            interrupts: vec![],
        };
        case.trials[0].result.placement = Some(at(Some(1)));
        assert!(found(&case).is_some());
        case.trials[0].result.placement = Some(at(Some(0)));
        assert!(found(&case).is_none());
        case.trials[0].result.placement = Some(at(None));
        assert!(found(&case).is_none(), "nobody knows where it ran");
    }
}
