//! Operations that the kernel joined: a device saw fewer and larger requests
//! than the load made.

use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use super::counted;
use super::requests::{self, Requests};
use crate::{Context, Rule, RuleCheck, measure};

/// More for each operation than this are within what counting allows.
const FEWER: f64 = 0.95;
/// This share of what is missing must have been counted as joined.
const EXPLAINED: f64 = 0.8;

pub(crate) const RULE: Rule = Rule {
    code: "requests-merged",
    doc: "The device saw fewer requests than the load has operations: the kernel joins neighbours that wait together, so \
         the device worked with larger requests than the load asked for. Without merges in its counters, something on \
         the way joined or answered them.",
    english: r#"
finding-requests-merged =
    { $how ->
        [merged] the kernel joined { PERCENT($share) } of the operations with their neighbours: { RESOURCE($resource) }
            saw requests of { BINARY($bytes) } on average, not { BINARY($block) }
       *[unexplained] { RESOURCE($resource) } saw { PERCENT($share) } fewer requests than the load has operations, and
            not for merges: something on the way joined or answered them
    }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if counted::uncounted(case, context.machine) {
        return None;
    }
    let all = Requests::of(case).into_iter().filter(|r| r.each() < FEWER);
    let worst = all.min_by(|a, b| a.each().total_cmp(&b.each()))?;
    let missing = worst.operations - worst.requests;
    let share = missing / worst.operations;
    let (bytes, block) = (worst.bytes as u64, measure::block(case).unwrap_or(0.0) as u64);
    let is_explained = worst.merged >= missing * EXPLAINED;
    let (severity, how) =
        if is_explained { (Severity::Note, "merged") } else { (Severity::Warning, "unexplained") };
    Some(
        Finding::new(FindingKind::Validity, RULE.code, severity)
            .on(worst.resource.clone())
            .arg("how", how)
            .arg("share", share)
            .arg("bytes", bytes)
            .arg("block", block)
            .because(requests::evidence(&worst)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture::{self, counter};
    use model::metric;
    use model::study::Controls;
    use model::{Quantity, Unit};

    fn hows(requests: u64, merged: u64) -> Vec<String> {
        let mut case = fixture::disk_case("read", 4096e4, 4096e4);
        fixture::set(&mut case, "direct", true);
        for trial in &mut case.trials {
            let rate = Quantity { value: 10e3, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::IOPS, rate);
            trial.result.local_mut().counters.retain(|c| c.source.ends_with("_sectors"));
            for (name, steps) in [("reads", requests), ("reads_merged", merged)] {
                let source = format!("/proc/diskstats {name}");
                trial.result.local_mut().counters.push(counter("block:sda", &source, 1.0, steps));
            }
        }
        let controls = Controls::default();
        let found = fixture::found(&RULE, &case, &fixture::context(&controls));
        found.iter().map(|f| format!("{} {:?}", f.args["how"], f.severity)).collect()
    }

    /// Bug: the requests of one trial were held against the merges of another.
    #[test]
    fn what_is_held_against_each_other_is_of_one_trial() {
        let mut case = fixture::disk_case("read", 4096e4, 4096e4);
        fixture::set(&mut case, "direct", true);
        let one = case.trials.remove(0);
        case.trials.clear();
        for (requests, operations) in [(8_000, 10_000), (5_000, 10_000), (4_000, 5_000)] {
            let mut trial = one.clone();
            let rate = Quantity { value: operations as f64, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::IOPS, rate);
            let bytes = Quantity { value: operations as f64 * 4096.0, unit: Unit::BytesPerSecond };
            trial.result.main_mut().metrics.insert(metric::THROUGHPUT, bytes);
            trial.result.local_mut().counters.clear();
            for (name, unit, steps) in [
                ("reads", 1.0, requests),
                ("reads_merged", 1.0, operations - requests),
                ("read_sectors", 512.0, operations * 8),
            ] {
                let source = format!("/proc/diskstats {name}");
                trial.result.local_mut().counters.push(counter("block:sda", &source, unit, steps));
            }
            case.trials.push(trial);
        }
        let controls = Controls::default();
        let found = fixture::found(&RULE, &case, &fixture::context(&controls));
        assert!(found.iter().all(|f| f.args["how"] == "merged".into()), "{found:?}");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn what_the_kernel_joined_is_told_and_the_rest_is_not_explained() {
        assert_eq!(hows(10_000, 0), Vec::<String>::new());
        assert_eq!(hows(2_000, 8_000), ["merged Note"]);
        assert_eq!(hows(2_000, 100), ["unexplained Warning"]);
    }
}
