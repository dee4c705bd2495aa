//! Two threads of the load on one core: the second is no second core.

use std::collections::{BTreeMap, BTreeSet};

use model::finding::{Evidence, Place};
use model::machine::Cpu;
use model::profile::WaitsFor;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "smt-shared",
    doc: "Two pinned threads of the load shared one core (SMT): the second thread of a core does not give what a second \
         core does. A warning where other cores had none.",
    english: r#"
finding-smt-shared =
    { $shared ->
        [1] 1 core ran
       *[other] { $shared } cores each ran
    } two threads of the load, such as CPUs { $first } and { $second }: { $free ->
        [0] the second thread of a core does not add a core
        [1] while 1 core had none
       *[other] while { $free } cores had none
    }
    .advice =
        { $free ->
            [0] {""}
           *[other] choose CPUs of different cores, or leave the choice to --pin spread
        }

evidence-siblings = CPUs { $first } and { $second } are one core
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let machine = context.machine?;
    // A hand-off between siblings is what was asked for.
    if measure::profile(case).waits_only_for(&[WaitsFor::Thread]) {
        return None;
    }
    let placement = measure::good(case).find_map(|t| t.result.placement.as_ref())?;
    let pinned: BTreeSet<u32> = placement.workers.iter().filter_map(|w| w.cpu).collect();
    let cpu = &machine.inventory.cpu;
    let mut by_core: BTreeMap<Core, Vec<u32>> = BTreeMap::new();
    for number in &pinned {
        let core = core_of(cpu, *number)?;
        by_core.entry(core).or_default().push(*number);
    }
    let (first, second) = by_core.values().find_map(|all| Some((*all.first()?, *all.get(1)?)))?;
    // Those that it could have had, whatever was named.
    let usable = measure::CaseCpus::of(case, Some(machine)).usable;
    let all: BTreeSet<Core> = usable.iter().filter_map(|number| core_of(cpu, *number)).collect();
    let free = all.len().saturating_sub(by_core.len());
    let shared = by_core.values().filter(|all| all.len() > 1).count();
    let severity = if free > 0 { Severity::Warning } else { Severity::Note };
    let evidence = Evidence::at("siblings", Place::Inventory(Resource::CPUS));
    // Numbers of CPUs are names: there is no CPU between two of them.
    let (first, second) = (first.to_string(), second.to_string());
    Some(
        Finding::new(FindingKind::Validity, RULE.code, severity)
            .general()
            .on(Resource::CPUS)
            .arg("shared", shared as u64)
            .arg("first", first.as_str())
            .arg("second", second.as_str())
            .arg("free", free as u64)
            .because(evidence.arg("first", first).arg("second", second)),
    )
}

/// Package, die and core.
type Core = (u32, u32, u32);

fn core_of(cpu: &Cpu, number: u32) -> Option<Core> {
    let place = cpu.topology.iter().find(|p| p.cpu == number)?;
    Some((place.package, place.die, place.core))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::machine::CpuPlace;
    use model::study::Controls;

    #[test]
    fn siblings_are_told_and_a_mistake_where_cores_are_free() {
        let found = |cpus: &[u32]| {
            let mut machine = Machine::default();
            let cpu = &mut machine.inventory.cpu;
            // 0 and 2 are one core, 1 and 3 the other.
            cpu.allowed = vec![0, 1, 2, 3];
            cpu.topology = (0..4).map(|cpu| CpuPlace { cpu, core: cpu % 2, ..CpuPlace::default() }).collect();
            let mut case = fixture::case(1);
            fixture::placed(&mut case, cpus);
            let controls = Controls::default();
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            let all = fixture::found(&RULE, &case, &context);
            all.into_iter().map(|f| (f.severity, f.text)).next()
        };
        assert_eq!(found(&[0, 1]), None);
        assert_eq!(found(&[1, 1]), None, "one CPU is no pair of siblings");
        let (severity, text) = found(&[0, 2]).unwrap();
        assert!(severity == Severity::Warning && text.contains("CPUs 0 and 2: while 1 core had"), "{text}");
        let (severity, text) = found(&[0, 1, 2, 3]).unwrap();
        assert!(severity == Severity::Note && text.starts_with("2 cores each ran two threads"), "{text}");
    }
}
