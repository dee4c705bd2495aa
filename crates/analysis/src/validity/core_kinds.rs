//! Threads of the load on fast and on slow cores: what each gives is that of neither.

use model::finding::{Evidence, Place};
use model::machine::CoreKind;
use model::profile::WaitsFor;
use model::resource::cpu_list;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "cores-differ",
    doc: "The load's pinned threads ran on cores of different kinds, such as the fast and the slow ones of a hybrid \
          processor: its rate and its latencies are those of a mixture.",
    english: r#"
finding-cores-differ = the load's threads ran on cores of different kinds ({ $cores }), which are not equally fast
    .advice = for a figure of one kind of core, name its CPUs: { $pin }

evidence-core-kinds = kinds of cores: { $kinds }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let cpu = &context.machine?.inventory.cpu;
    // Between which cores a hand-off goes is what was asked.
    if measure::profile(case).waits_only_for(&[WaitsFor::Thread]) {
        return None;
    }
    let placement = measure::good(case).find_map(|trial| trial.result.placement.as_ref())?;
    let pinned: Vec<u32> = placement.workers.iter().filter(|w| w.load == 0).filter_map(|w| w.cpu).collect();
    let of_kind = |kind: &CoreKind| pinned.iter().filter(|cpu| kind.cpus.contains(*cpu)).count();
    let used: Vec<(&CoreKind, usize)> =
        cpu.core_kinds.iter().map(|kind| (kind, of_kind(kind))).filter(|(_, threads)| *threads > 0).collect();
    let [(first, _), _, ..] = used.as_slice() else { return None };
    let threads: Vec<String> =
        used.iter().map(|(kind, threads)| format!("{}: {threads}", kind.model)).collect();
    let kinds: Vec<String> =
        cpu.core_kinds.iter().map(|kind| format!("{} {}", kind.model, cpu_list(&kind.cpus))).collect();
    let allowed: Vec<u32> = first.cpus.iter().copied().filter(|own| cpu.allowed.contains(own)).collect();
    let evidence = Evidence::at("core-kinds", Place::Inventory(Resource::CPUS));
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
            .general()
            .on(Resource::CPUS)
            .arg("cores", threads.join(", "))
            .arg("pin", format!("--pin cpus:{}", cpu_list(&allowed)))
            .because(evidence.arg("kinds", kinds.join(", "))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::study::Controls;

    #[test]
    fn a_load_on_fast_and_slow_cores_is_told_and_one_on_either_is_not() {
        let found = |cpus: &[u32]| {
            let mut machine = Machine::default();
            let cpu = &mut machine.inventory.cpu;
            // CPU 3 is not ours.
            cpu.allowed = vec![0, 1, 2, 4, 5];
            let kind = |model: &str, cpus: &[u32]| CoreKind { model: model.to_owned(), cpus: cpus.to_vec() };
            cpu.core_kinds = vec![kind("P-core", &[0, 1, 2, 3]), kind("E-core", &[4, 5])];
            let mut case = fixture::case(1);
            fixture::placed(&mut case, cpus);
            let controls = Controls::default();
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            fixture::found(&RULE, &case, &context).into_iter().next()
        };
        assert!(found(&[0, 1, 2]).is_none());
        assert!(found(&[4, 5]).is_none());
        let told = found(&[0, 1, 2, 4]).unwrap();
        assert!(told.text.contains("(P-core: 3, E-core: 1)"), "{told:?}");
        assert!(told.args["pin"].to_string().contains("cpus:0-2"), "{told:?}");
        assert!(told.evidence[0].args["kinds"].to_string().contains("P-core 0-3, E-core 4-5"), "{told:?}");
    }
}
