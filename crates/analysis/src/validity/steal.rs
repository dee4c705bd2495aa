//! The hypervisor gave our CPUs to somebody else.

use model::finding::Evidence;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity, Trial};

use crate::{Context, Rule, RuleCheck, measure};

/// Steal below this share of CPU time is within the noise of any guest.
pub(crate) const FELT: f64 = 0.02;

pub(crate) const RULE: Rule = Rule {
    code: "cpu-stolen",
    doc: "The hypervisor gave our CPUs to somebody else.",
    english: r#"
finding-cpu-stolen =
    the hypervisor gave others { PERCENT($steal_share) } of the CPU time that this machine wanted: the figures may differ
    at another time
    .advice = measure again at another time, or on a machine with CPUs of its own

evidence-steal = { PERCENT($share) } stolen
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let share = share_of(case).filter(|share| *share >= FELT)?;
    let place = measure::place(case, &Resource::CPUS, "steal")?;
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(Resource::CPUS)
            .arg("steal_share", share)
            .because(Evidence::at("steal", place).arg("share", share)),
    )
}

/// The share that was stolen, the median over trials.
pub(crate) fn share_of(case: &CaseResult) -> Option<f64> {
    measure::median(case, share)
}

/// Stolen time as a share of the time that the CPUs were wanted.
fn share(trial: &Trial) -> Option<f64> {
    let of = |name: &str| measure::rate(trial, &Resource::CPUS, name);
    let steal = of("steal")?;
    let busy: f64 = ["user", "nice", "system", "irq", "softirq"].iter().filter_map(|n| of(n)).sum();
    // A stray tick on an idle machine is no share of anything.
    (busy + steal > 0.05).then_some(steal / (busy + steal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn only_steal_that_is_felt_is_named() {
        let count = |steal: u64| {
            let mut case = fixture::case(1);
            case.trials[0].result.local_mut().counters = vec![
                fixture::counter("cpu", "/proc/stat user", 0.01, 100),
                fixture::counter("cpu", "/proc/stat steal", 0.01, steal),
            ];
            fixture::count(&RULE, &case, &Controls::default())
        };
        assert_eq!((count(0), count(1), count(10)), (0, 0, 1));
    }
}
