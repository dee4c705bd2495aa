//! Threads of one node and memory of another.

use std::collections::BTreeSet;

use model::finding::{Evidence, Place};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity, Trial, Value, fact};

use crate::{Context, Rule, RuleCheck, measure};

/// From this share of memory on another node on it is felt.
const FELT: f64 = 0.02;
/// And from this one on the figures are of both nodes.
const MUCH: f64 = 0.1;

pub(crate) const RULE: Rule = Rule {
    code: "numa-remote",
    doc: "The threads ran on another NUMA node than their memory lies on: each access crosses the link between them. A \
         note where that was asked for. Or a part of their memory, 2 % or more, lies on another node than the thread that uses it; \
         a note below a tenth.",
    english: r#"
finding-numa-remote =
    { $part ->
        [yes] { PERCENT($share) } of the memory lies on another node than the threads that use it: each access there crosses the link
            between the nodes
       *[no] threads ran on node { $cpu } and their memory lies on node { $memory }{ $known ->
            [yes] {" "}(distance { $distance }, 10 is its own)
           *[no] {""}
        }: this is the other node's memory
    }
    .advice =
        { $asked ->
            [no] give --cpu-node and --memory-node the same node for memory of its own
           *[yes] {""}
        }

evidence-memory-node = memory on node { $node }
evidence-memory-away = { PERCENT($share) } on another node
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
    let asked = [Aspect::CpuNode, Aspect::MemoryNode].into_iter().any(|a| measure::said(case, a).is_some());
    let Some((cpu, memory)) = apart else { return in_part(case, asked) };
    let severity = if asked { Severity::Note } else { Severity::Warning };
    let distance = distance(context, cpu, memory);
    let evidence = Evidence::at("memory-node", Place::Fact(fact::MEMORY_NODE));
    // Numbers of nodes are names: there is no node between two of them.
    let name = |node: u32| node.to_string();
    Some(
        Finding::new(FindingKind::Validity, RULE.code, severity)
            .on(Resource::MEMORY)
            .arg("part", false)
            .arg("cpu", name(cpu))
            .arg("memory", name(memory))
            .arg("known", distance.is_some())
            .arg("distance", u64::from(distance.unwrap_or(0)))
            .arg("asked", asked)
            .because(evidence.arg("node", name(memory))),
    )
}

/// Memory of which a part lies on another node: what did not fit, or was touched by a thread that ran elsewhere.
fn in_part(case: &CaseResult, asked: bool) -> Option<Finding> {
    let share = measure::median(case, |trial| measure::number(trial, fact::MEMORY_AWAY_SHARE))?;
    let severity = if asked || share < MUCH { Severity::Note } else { Severity::Warning };
    let evidence = Evidence::at("memory-away", Place::Fact(fact::MEMORY_AWAY_SHARE)).arg("share", share);
    let found = Finding::new(FindingKind::Validity, RULE.code, severity).on(Resource::MEMORY);
    let found = found.arg("part", true).arg("share", share).arg("asked", asked);
    (share >= FELT).then(|| found.because(evidence))
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

    /// Bug: of memory of which a third lies on the other node nothing was told.
    #[test]
    fn memory_that_lies_on_another_node_for_a_part_is_told() {
        let with = |share: f64| {
            let mut case = fixture::case(1);
            case.trials[0].result.main_mut().facts.extend([
                (fact::CPU_NODE, 0u64.into()),
                (fact::MEMORY_NODE, "0 1".into()),
                (fact::MEMORY_AWAY_SHARE, share.into()),
            ]);
            found(&case)
        };
        let third = with(0.3).unwrap();
        assert!(third.text.starts_with("30 % of the memory lies on another node"), "{}", third.text);
        assert_eq!((third.severity, with(0.05).unwrap().severity), (Severity::Warning, Severity::Note));
        assert_eq!(with(0.01), None);
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
