//! Writes through the page cache: what was still only in memory when the last
//! write returned, and the rate until all of it was on the device.

use model::finding::{Evidence, Place};
use model::profile::OperationClass;
use model::run::CaseResult;
use model::{Finding, FindingKind, MetricName, Severity, fact, metric};

use crate::measure;
use crate::{Context, Rule, RuleCheck};

/// Less than this share in memory is not felt.
const FELT: f64 = 0.05;

pub(crate) const RULE: Rule = Rule {
    code: "cache-speed",
    doc: "Writes through the page cache of which a part was still only in memory when the last one returned: the rate until \
         that is the cache's, and the disk's is the one until all of it was on the device.",
    english: r#"
finding-cache-speed =
    { PERCENT($share) } of what was written was still only in memory when the last write returned: until it was on
    the device the rate is { SHORT($durable, unit: "B/s") }, not { SHORT($returned, unit: "B/s") }
    .advice = quote throughput_durable, or use direct=yes or sync=end

evidence-returned = { SHORT($rate, unit: "B/s") }
evidence-durable = { SHORT($rate, unit: "B/s") }
evidence-dirty = { PERCENT($share) } in memory
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let Figures { dirty, returned, durable } = figures(case)?;
    // The bytes of the window and of a whole load are not the same, so the
    // share is counted where it is told, and follows from the rates where not.
    let share = dirty.unwrap_or(1.0 - durable / returned);
    if share < FELT {
        return None;
    }
    let metric =
        |code: &str, name: MetricName, value: f64| Evidence::at(code, Place::Metric(name)).arg("rate", value);
    let mut found = Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .arg("share", share)
        .arg("durable", durable)
        .arg("returned", returned)
        .because(metric("returned", metric::THROUGHPUT, returned))
        .because(metric("durable", metric::THROUGHPUT_DURABLE, durable));
    if let Some(dirty) = dirty {
        found = found.because(Evidence::at("dirty", Place::Fact(fact::DIRTY_SHARE)).arg("share", dirty));
    }
    Some(found)
}

/// What is known of writes through the page cache, as medians over trials.
struct Figures {
    /// The share that was only in memory.
    dirty: Option<f64>,
    /// Bytes per second until the last write returned.
    returned: f64,
    /// Bytes per second until all was on the device.
    durable: f64,
}

/// Whether both rates of a buffered load that writes are known.
pub(super) fn has_both(case: &CaseResult) -> bool {
    figures(case).is_some()
}

fn figures(case: &CaseResult) -> Option<Figures> {
    if measure::is_direct(case) || measure::is_null(case) || !measure::does(case, OperationClass::Write) {
        return None;
    }
    let dirty = measure::median(case, |t| measure::number(t, fact::DIRTY_SHARE));
    let returned = measure::median(case, |t| measure::moved_in(case, t, OperationClass::Write))?;
    let durable = measure::median(case, |t| measure::measured(t, metric::THROUGHPUT_DURABLE))?;
    (returned > 0.0).then_some(Figures { dirty, returned, durable })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use crate::validity::page_cache;
    use model::study::Controls;
    use model::{Quantity, Unit};

    fn case(dirty: Option<f64>, durable: f64) -> CaseResult {
        let mut case = fixture::disk_case("write", 897e6, 100e6);
        fixture::set(&mut case, "direct", false);
        for trial in &mut case.trials {
            let quantity = Quantity { value: durable, unit: Unit::BytesPerSecond };
            trial.result.main_mut().metrics.insert(metric::THROUGHPUT_DURABLE, quantity);
            if let Some(share) = dirty {
                trial.result.main_mut().facts.insert(fact::DIRTY_SHARE, share.into());
            }
        }
        case
    }

    /// Study A: 897 MB/s, of which the disk saw 500.
    #[test]
    fn what_is_only_in_memory_is_no_speed_of_the_disk() {
        let controls = Controls::default();
        let found = |case: &CaseResult| fixture::found(&RULE, case, &fixture::context(&controls));
        let text = &found(&case(Some(0.44), 500e6))[0].text;
        assert!(
            text.starts_with("44 % of what was written") && text.contains("500 MB/s, not 897 MB/s"),
            "{text}"
        );
        assert!(found(&case(None, 500e6))[0].text.starts_with("44 %"), "by the rates");
        assert!(found(&case(Some(0.01), 890e6)).is_empty());
        let mut direct = case(Some(0.44), 500e6);
        fixture::set(&mut direct, "direct", true);
        assert!(found(&direct).is_empty());
    }

    #[test]
    fn one_finding_says_it() {
        let count = |case: &CaseResult| fixture::count(&page_cache::RULE, case, &Controls::default());
        assert_eq!(count(&case(Some(0.44), 500e6)), 0);
        let mut alone = case(None, 1.0);
        alone.trials.iter_mut().for_each(|t| {
            t.result.main_mut().metrics.remove(&metric::THROUGHPUT_DURABLE);
        });
        assert_eq!(count(&alone), 1);
    }
}
