//! What is full as well as what is named. Of several limits that are reached the first by the order of the candidates has
//! the name, and raising it alone would bring hardly more: so the others are told beside it.

use model::Finding;
use model::finding::Evidence;

use super::FULL;

/// What is full by a limit that is known.
const LIMITS: [&str; 4] = ["io-quota", "link-full", "limit-reached", MEMORY];
const MEMORY: &str = "memory-bandwidth-full";

/// Cores that are full by what the load's own threads compute.
const CORES: [&str; 3] = ["own-cores-full", "one-core-full", "all-cores-full"];

/// Evidence that another is full beside what is named. What is concluded from rates says nothing here: a throttle makes
/// its device look full, too.
pub(super) fn told(named: &Finding, other: &Finding) -> Option<Evidence> {
    let is = |found: &Finding, codes: &[&str]| codes.contains(&found.code.as_str());
    let share = other.args.get("share").and_then(model::Value::number);
    // A core that waits for memory looks busy.
    let computes = is(other, &CORES) && named.code != MEMORY && share.is_some_and(|share| share >= FULL);
    let is_told = is(named, &LIMITS) && (is(other, &LIMITS) || computes);
    let evidence = other.evidence.first().filter(|_| is_told)?;
    Some(Evidence { beside: true, ..evidence.clone() })
}

#[cfg(test)]
mod tests {
    use model::limit::LimitKind;

    use super::super::tests::{disk, used, verdict};
    use super::*;

    fn beside(found: &Finding) -> Vec<&str> {
        let beside = found.evidence.iter().filter(|evidence| evidence.beside);
        beside.map(|evidence| evidence.code.as_str()).collect()
    }

    #[test]
    fn limits_of_different_kinds_that_are_full_together_are_all_told() {
        let mut case = disk(32, 100_000.0, 300.0, 2.0);
        case.utilization =
            vec![used("block:sda", LimitKind::Quota, 0.99), used("sata:sda", LimitKind::Link, 0.96)];
        let found = verdict(&[case.clone()]);
        assert_eq!((found.code.as_str(), beside(&found)), ("io-quota", vec!["link"]));
        case.utilization[1].fraction = 0.5;
        assert_eq!(beside(&verdict(&[case])), Vec::<&str>::new());
    }

    #[test]
    fn a_core_that_is_full_beside_a_link_is_told_and_beside_memory_it_waits() {
        let mut case = disk(32, 100_000.0, 300.0, 9.8);
        case.utilization = vec![used("sata:sda", LimitKind::Link, 0.97)];
        let found = verdict(&[case.clone()]);
        assert_eq!((found.code.as_str(), beside(&found)), ("link-full", vec!["worker-cpu"]));
        case.utilization = vec![used("memory", LimitKind::Measured, 0.97)];
        let found = verdict(&[case]);
        assert_eq!((found.code.as_str(), beside(&found)), ("memory-bandwidth-full", Vec::new()));
    }

    /// A throttle makes its device look full.
    #[test]
    fn what_only_seems_full_for_the_sake_of_a_quota_is_not() {
        let throttled = |depth: u64, rate: f64| {
            let mut case = disk(depth, rate, 10.0 * depth as f64, 2.0);
            case.utilization = vec![used("block:sda", LimitKind::Quota, 0.99)];
            case
        };
        let found = verdict(&[throttled(32, 100_000.0), throttled(16, 99_000.0)]);
        assert_eq!((found.code.as_str(), beside(&found)), ("io-quota", Vec::new()));
    }
}
