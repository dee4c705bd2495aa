//! Threads that add nothing: each computes all the time, and fewer of them do as much. What those that were added compute is
//! waiting for one another (a lock, a cache line that several write) or for memory, or they share a core. More CPUs would not
//! help such a load. That is said beside a verdict on cores, by trials of the same blocks.

use model::Finding;
use model::finding::{Evidence, Place};
use model::run::CaseResult;

use super::{FULL, memory};
use crate::{Context, measure};

/// Verdicts on the cores of the machine that drives.
const OF_CORES: [&str; 3] = ["one-core-full", "own-cores-full", "all-cores-full"];

/// So much more than that of fewer threads is no more.
const SAME: f64 = 1.05;

pub(super) const ENGLISH: &str = r#"
evidence-threads-add-nothing =
    { FIXED($threads) } threads do { PERCENT($share) } of what { $fewer ->
        [1] one does
       *[other] { FIXED($fewer) } do
    }: those added wait for one another or for memory, or share a core
"#;

/// That fewer threads do as much, surely.
pub(super) fn of_cores(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    // Those that are short of CPUs add nothing for that reason.
    let share = named.args.get("share").and_then(model::Value::number);
    let computes = OF_CORES.contains(&named.code.as_str()) && share.is_some_and(|share| share >= FULL);
    let fewer = memory::by_fewer(case, context).filter(|_| computes)?;
    let operations = measure::pairs(case, fewer, measure::trial_operations);
    let bytes = || measure::pairs(case, fewer, |trial| measure::measured(trial, model::metric::THROUGHPUT));
    let pairs = if operations.is_empty() { bytes() } else { operations };
    let ratio = stats::comparison::paired_ratio(&pairs, crate::CONFIDENCE)?;
    let evidence = Evidence::at("threads-add-nothing", Place::Case(fewer.label.to_string()));
    (ratio.interval.high <= SAME).then(|| {
        evidence
            .arg("threads", measure::workers(case))
            .arg("fewer", measure::workers(fewer))
            .arg("share", ratio.ratio)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    /// Threads that compute all the time and do so many operations.
    fn case(threads: u64, rate: f64) -> CaseResult {
        let mut case = disk(1, rate, 10.0, threads as f64 * 1e6 / rate);
        fixture::workload(&mut case, "cpu.primes");
        fixture::set(&mut case, "threads", threads);
        case
    }

    fn told(threads: u64, rate: f64) -> Finding {
        verdict(&[case(threads, rate), case(1, 10_000.0)])
    }

    /// Bug: of threads that only wait for one another it was said that all CPUs are busy, and no more.
    #[test]
    fn threads_that_add_nothing_are_told_beside_full_cores() {
        let found = told(2, 8_000.0);
        assert_eq!(found.code, "all-cores-full");
        let seen = found.evidence.iter().find(|one| one.code == "threads-add-nothing");
        let text = seen.and_then(|one| one.text.clone()).unwrap_or_default();
        assert!(text.starts_with("2 threads do 80 % of what one does"), "{found:?}");
        let more = told(2, 19_000.0);
        assert_eq!(more.code, "all-cores-full");
        assert!(more.evidence.iter().all(|one| one.code != "threads-add-nothing"), "{more:?}");
    }
}
