//! The clock fell while the load ran: what the first seconds gave did not last.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, ResourceKind, Severity, series};

use crate::heat::{self, Clock};
use crate::{Context, Rule, RuleCheck, measure};

/// A clock that falls by less than this hardly moves a figure.
const FALL: f64 = 0.03;

pub(crate) const RULE: Rule = Rule {
    code: "slowed-down",
    doc: "The clock of a CPU that the load keeps busy was more than 3 % lower in the last third of the load than in the \
         first: turbo ran out, or a limit of power or heat was reached.",
    english: r#"
finding-slowed-down =
    { RESOURCE($resource) } slowed down under load, from { SHORT($first, unit: "Hz") } to { SHORT($last, unit: "Hz") }
    (by { PERCENT($fall) }): the first part of the window is not what lasts
    .advice = measure longer for what lasts, or with turbo off for what is always there

evidence-clock = { SHORT($hertz, unit: "Hz") } at last
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let busy = busy(case, context);
    let heat = heat::of_case(case);
    let fall = |clock: &Clock| 1.0 - clock.last / clock.first;
    let own = heat.clocks.iter().filter(|c| busy.contains(&c.resource) && c.first > 0.0);
    let worst = own.max_by(|a, b| fall(a).total_cmp(&fall(b))).filter(|c| fall(c) > FALL)?;
    let place = Place::Series { resource: worst.resource.clone(), name: series::FREQUENCY };
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(worst.resource.as_str())
            .arg("first", worst.first)
            .arg("last", worst.last)
            .arg("fall", fall(worst))
            .because(Evidence::at("clock", place).arg("hertz", worst.last)),
    )
}

/// The CPUs that the main load keeps busy, where that is known: an idle one has a
/// low clock for good reason.
fn busy(case: &CaseResult, context: &Context<'_>) -> Vec<Resource> {
    let placed = measure::good(case).find_map(|t| t.result.placement.as_ref());
    let pinned = placed.into_iter().flat_map(|p| &p.workers).filter_map(|w| w.cpu);
    let mut cpus: Vec<u32> = pinned.collect();
    let allowed = measure::CaseCpus::of(case, context.machine).allowed;
    if cpus.is_empty() && !allowed.is_empty() && measure::workers(case) >= allowed.len() as f64 {
        cpus = allowed;
    }
    cpus.into_iter().map(|cpu| Resource::of(ResourceKind::Cpu, cpu)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heat::tests::warmed;
    use crate::validity::fixture;
    use model::study::{Controls, Pin};
    use model::trial::{Placement, WorkerPlace};

    #[test]
    fn turbo_that_runs_out_is_told_of_the_cpu_that_works() {
        let found = |cpu: u32, factor: f64| {
            let mut case = warmed(17.0, 10.0);
            for trial in &mut case.trials {
                trial.result.placement = Some(Placement {
                    asked: Pin::Auto,
                    policy: Pin::Spread,
                    reason: None,
                    workers: vec![WorkerPlace { load: 0, cpu: Some(cpu) }],
                    interrupts: vec![],
                });
                let clock = trial
                    .result
                    .local_mut()
                    .series
                    .iter_mut()
                    .find(|s| s.resource.as_str() == "cpu:0")
                    .unwrap();
                clock.values.iter_mut().filter(|v| **v == 3.9e9).for_each(|v| *v = 4.7e9 * factor);
            }
            fixture::found(&RULE, &case, &fixture::context(&Controls::default()))
        };
        let all = found(0, 0.83);
        assert!(all[0].text.starts_with("CPU 0 slowed down under load, from 4.7 GHz to 3.9"), "{all:?}");
        assert!(found(0, 0.99).is_empty());
        assert!(found(1, 0.83).is_empty(), "an idle CPU may be slow");
    }
}
