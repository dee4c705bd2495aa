//! Full CPUs of which a load gets less than others, for its control group has a lower weight: what it lacks is not that there are
//! too few, but that others come first.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, Resource, fact};

use crate::{Context, measure};

/// Verdicts on CPUs that others have, too.
const OF_CPUS: [&str; 5] =
    ["all-cores-full", "own-cores-full", "one-core-full", "sender-cpu", "receiver-cpu"];

/// From this share of the time on a worker that stands ready without a CPU feels that others have these.
const FELT: f64 = 0.1;

pub(super) const ENGLISH: &str = "
evidence-cpu-weight =
    its control group gets { PERCENT($weight, decimals: 1) } of the CPU time that others get by default (cpu.weight, cpu.shares), and
    its threads stand ready without a CPU { PERCENT($ready) } of the time
";

/// That the load's control group has a lower weight than others by default, where its threads wait for a CPU.
pub(super) fn told(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let weight = context.machine?.inventory.cgroup.cpu_weight?;
    let all = measure::median(case, |trial| measure::number(trial, fact::RUN_DELAY))?;
    let ready = (all / measure::workers(case).max(1.0)).min(1.0);
    let is_felt = OF_CPUS.contains(&named.code.as_str()) && ready >= FELT;
    let evidence = Evidence::at("cpu-weight", Place::Inventory(Resource::CGROUP));
    is_felt.then(|| evidence.arg("weight", weight).arg("ready", ready))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, machine, verdict_on};
    use super::*;
    use crate::validity::fixture;

    fn beside(weight: Option<f64>, ready_s: f64) -> Option<String> {
        let mut case = disk(1, 9_000.0, 110.0, 22.0);
        for trial in &mut case.trials {
            trial.result.main_mut().facts.insert(fact::RUN_DELAY, ready_s.into());
            for (name, ticks) in [("user", 150), ("system", 48), ("idle", 2)] {
                let counter = fixture::counter("cpu", &format!("/proc/stat {name}"), 0.01, ticks);
                trial.result.local_mut().counters.push(counter);
            }
        }
        let mut machine = machine();
        machine.inventory.cgroup.cpu_weight = weight;
        let found = verdict_on(&machine, &[case]);
        found.evidence.into_iter().find(|one| one.code == "cpu-weight")?.text
    }

    #[test]
    fn a_group_that_others_come_before_is_told_beside_full_cpus() {
        let text = beside(Some(0.1), 0.7);
        assert!(text.is_some_and(|text| text.starts_with("its control group gets 10 % of the CPU time")));
        assert_eq!(beside(None, 0.7), None, "it has what others have");
        assert_eq!(beside(Some(0.1), 0.01), None, "it has a CPU when it wants one");
    }
}
