//! What the processor counted while the workers ran, where it counts: whether a core that is
//! busy computes or waits for memory.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{fact, metric};

use super::{estimated, good};

/// Below so many instructions in a cycle a core of today, which can end four or more, waits
/// for something most of the time (B. Gregg, "CPU Utilization is Wrong", 2017, takes the same
/// figure).
const FEW: f64 = 1.0;
/// What it waits for is memory where so many misses of the last cache come with 1,000
/// instructions: of some 80 ns each, 240 cycles at 3 GHz, and four at once, they take 600 of
/// the more than 1,000 cycles.
const MANY_MISSES: f64 = 10.0;
/// So few take less than a tenth of that.
const FEW_MISSES: f64 = 1.0;

/// How many instructions a cycle has, and how often an operation missed the caches.
pub(crate) fn counted(case: &CaseResult) -> Option<Evidence> {
    let in_cycle = estimated(case, metric::INSTRUCTIONS_PER_CYCLE)?;
    let misses = estimated(case, metric::CACHE_MISSES_PER_OPERATION);
    let each = estimated(case, metric::INSTRUCTIONS_PER_OPERATION).filter(|each| *each > 0.0);
    let per_thousand = misses.zip(each).map(|(misses, each)| misses / each * 1000.0);
    let what = match per_thousand {
        Some(misses) if in_cycle < FEW && misses >= MANY_MISSES => "memory",
        Some(misses) if in_cycle >= FEW && misses < FEW_MISSES => "computes",
        _ => "unclear",
    };
    let is_user = |value: &model::Value| model::fact::is(value, fact::USER);
    let user = good(case).filter_map(|t| t.result.main().facts.get(&fact::HARDWARE_COUNTERS)).any(is_user);
    let evidence = Evidence::at("counted-cycles", Place::Metric(metric::INSTRUCTIONS_PER_CYCLE));
    let evidence = evidence.arg("in_cycle", in_cycle).arg("what", what).arg("user", user);
    Some(evidence.arg("known", misses.is_some()).arg("misses", misses.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use model::{Better, Unit};

    use super::*;
    use crate::validity::fixture;

    fn said(in_cycle: f64, instructions: f64, misses: Option<f64>) -> String {
        let mut case = fixture::case(1);
        let all = [
            (metric::INSTRUCTIONS_PER_CYCLE, Some(in_cycle)),
            (metric::INSTRUCTIONS_PER_OPERATION, Some(instructions)),
            (metric::CACHE_MISSES_PER_OPERATION, misses),
        ];
        for (name, value) in all {
            let estimate = value.map(|value| fixture::estimate(value, Unit::One, Better::Lower));
            case.loads.main.estimates.extend(estimate.map(|estimate| (name, estimate)));
        }
        counted(&case).unwrap().args["what"].to_string()
    }

    #[test]
    fn few_instructions_and_many_misses_are_memory_and_the_reverse_is_computing() {
        assert_eq!(said(0.4, 1000.0, Some(31.0)), "memory");
        assert_eq!(said(2.4, 1000.0, Some(0.2)), "computes");
        assert_eq!(said(0.4, 1000.0, Some(0.2)), "unclear", "it waits for something else");
        assert_eq!(said(2.4, 1000.0, Some(31.0)), "unclear", "they are fetched ahead");
        assert_eq!(said(0.4, 1000.0, None), "unclear");
        assert!(counted(&fixture::case(1)).is_none(), "nobody counted");
    }
}
