//! The first synchronisation of an array that took as long as the kernel lets it: `sync_speed_max` is 200 MB/s of each
//! member unless somebody sets another (`sysctl_speed_limit_max` in `drivers/md/md.c`), which faster members wait for.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, fact};

use crate::{Context, Rule, RuleCheck, measure};

/// From this share of what is allowed on, that is what held it: the kernel looks at its speed over some seconds.
const NEARLY: f64 = 0.9;

pub(crate) const RULE: Rule = Rule {
    code: "initial-sync-limited",
    doc: "The array of a stack was synchronised at first with at least 90 % of what `sync_speed_max` allows for each member: \
         its members may be faster.",
    english: r#"
finding-initial-sync-limited =
    the first synchronisation of { RESOURCE($resource) } was held by sync_speed_max: { SHORT($rate, unit: "B/s") } of each member,
    of { SHORT($most, unit: "B/s") } that are allowed
    .advice = a higher one (/sys/block/mdN/md/sync_speed_max, dev.raid.speed_limit_max) lets fast members be synchronised sooner
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let of = |name| measure::median(case, |trial| measure::number(trial, name));
    let (rate, most) = (of(fact::STACK_SYNC_RATE)?, of(fact::STACK_SYNC_MAX)?);
    let layers = measure::stacked(case)?;
    let array = layers.devices.iter().find(|device| device.array.is_some())?;
    if rate < NEARLY * most {
        return None;
    }
    let evidence = Evidence::at(RULE.code, Place::Fact(fact::STACK_SYNC_RATE));
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
        .general()
        .on(array.resource.clone())
        .arg("rate", rate)
        .arg("most", most);
    Some(found.because_same(evidence))
}

#[cfg(test)]
mod tests {
    use model::Value;
    use model::study::Controls;

    use super::*;
    use crate::measure::layers::tests::{put, stack};
    use crate::validity::fixture;

    fn count(rate: f64) -> usize {
        let mut case = fixture::disk_case("write", 1e6, 1e6);
        put(&mut case, &stack("raid6"));
        for trial in &mut case.trials {
            let facts = &mut trial.result.main_mut().facts;
            facts.insert(fact::STACK_SYNC_RATE, rate.into());
            facts.insert(fact::STACK_SYNC_MAX, Value::Number(204_800_000.0));
        }
        fixture::count(&RULE, &case, &Controls::default())
    }

    #[test]
    fn members_that_were_synchronised_as_fast_as_is_allowed_are_told() {
        assert_eq!((count(199e6), count(120e6)), (1, 0));
    }
}
