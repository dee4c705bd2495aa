//! Huge pages beside a verdict on memory. A processor keeps the addresses of some pages at hand (its TLB): what lies in small ones
//! beyond these costs a walk of the page tables at each access (`Documentation/admin-guide/mm/transhuge.rst`).

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, fact};

use crate::{Context, measure};

/// Verdicts on memory that random accesses feel.
const OF_MEMORY: [&str; 2] = ["memory-latency", "memory-bandwidth-full"];

/// All of it, but for the edges of buffers.
const ALL: f64 = 0.98;

pub(super) const ENGLISH: &str = r#"
evidence-huge-pages =
    { $some ->
        [yes] { PERCENT($share) } of the memory lies in huge pages: accesses to the rest look up the addresses of many more pages,
            beyond what the TLB holds
       *[no] none of the memory lies in huge pages: accesses look up the addresses of many small pages, beyond what the TLB holds
    }
"#;

/// How much of the memory lies in huge pages, where that is not all of it.
pub(super) fn told(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let is_felt =
        OF_MEMORY.contains(&named.code.as_str()) && measure::is_of_memory(case) && measure::is_random(case);
    let is_chase = named.code == "memory-latency";
    let is_beyond = context.machine.is_some_and(|machine| measure::beyond_caches(case, machine));
    let name = fact::HUGE_PAGE_SHARE;
    let share = measure::median(case, |trial| measure::number(trial, name)).filter(|share| *share < ALL)?;
    let some = share > 1.0 - ALL;
    let evidence = Evidence::at("huge-pages", Place::Fact(name)).arg("share", share).arg("some", some);
    ((is_felt || is_chase) && is_beyond).then_some(evidence)
}

#[cfg(test)]
mod tests {
    use model::machine::CacheKind;
    use model::{Better, Unit, metric};

    use super::super::tests::{disk, machine, verdict_on};
    use super::*;
    use crate::validity::fixture;

    /// Bug: of a chase through memory of which a part lies in huge pages nothing was told of that.
    #[test]
    fn memory_that_lies_in_huge_pages_for_a_part_is_told() {
        let mut machine = machine();
        let kind = CacheKind { level: 3, kind: "Unified".to_owned(), bytes: 32 << 20, instances: 1 };
        machine.inventory.cpu.cache_kinds = vec![kind];
        let told = |share: f64, size: u64| {
            let mut case = disk(1, 9_000.0, 110.0, 55.0);
            fixture::workload(&mut case, "memory.latency");
            fixture::set(&mut case, "size", size);
            let each = fixture::estimate(118e-9, Unit::Seconds, Better::Lower);
            case.loads.main.estimates.insert(metric::LOAD_LATENCY, each);
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(fact::HUGE_PAGE_SHARE, share.into());
            }
            let found = verdict_on(&machine, &[case]);
            assert_eq!(found.code, "memory-latency");
            found.evidence.into_iter().find(|evidence| evidence.code == "huge-pages")?.text
        };
        assert!(
            told(0.4, 1 << 30).is_some_and(|text| text.starts_with("40 % of the memory lies in huge pages"))
        );
        assert!(told(0.0, 1 << 30).is_some_and(|text| text.starts_with("none of the memory")));
        assert_eq!(told(1.0, 1 << 30), None);
        assert_eq!(told(0.4, 1 << 20), None, "a cache holds it");
    }
}
