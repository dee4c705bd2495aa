//! A last-level cache that the machine claims and the measurement does not find:
//! in a virtual machine it is shared with others, or not ours at all.

use model::finding::{Evidence, Place};
use model::machine::Cache;
use model::profile::{Aspect, WaitsFor};
use model::run::CaseResult;
use model::{Finding, FindingKind, MetricName, Resource, Severity, Unit, metric};
use stats::plateau::plateaus;

use crate::{Context, Rule, RuleCheck, measure};

/// One value over so many sizes on both sides of the claimed edge: below it by
/// this factor at least, so that an edge which is only rounded is none.
const BELOW: u64 = 2;

/// What of a sweep shows an edge.
const SHOWS: &[MetricName] = &[metric::LOAD_LATENCY, metric::THROUGHPUT];

pub(crate) const RULE: Rule = Rule {
    code: "cache-claim",
    doc: "Measured over sizes of the working set, there is no edge near the last-level cache that the machine claims: \
         from less than half of it on, memory answers. Said once of a sweep.",
    english: r#"
finding-cache-claim =
    the machine claims { BINARY($claimed) } of level { $level } cache, but from { BINARY($from) } on { $what } is
    memory's ({ SHORT($value, $unit) }){ $virtual ->
        [yes] ; a virtual machine shares it with others
       *[no] {""}
    }

evidence-from = { SHORT($value, $unit) }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let profile = measure::profile(case);
    // Loads that go over their working sets, with nothing else beside them.
    let sweeps = profile.waits_only_for(&[WaitsFor::Memory]) && profile.flows.len() == 1;
    let metric = SHOWS.iter().copied().find(|m| sweeps && *m == profile.headline)?;
    let members = context.siblings.same_but(case, Aspect::Span);
    let alike = || members.iter().map(|member| context.siblings.case(member));
    if alike().next().is_some_and(|first| !std::ptr::eq(first, case)) {
        return None;
    }
    let caches = context.machine.map(|m| &m.inventory.cpu.caches[..]).unwrap_or_default();
    let claimed = caches.iter().max_by_key(|c| c.level).filter(|c| c.level >= 2)?;
    let sweep = sweep(alike(), metric, claimed);
    let noises: Vec<f64> = alike().filter_map(|c| spread(c, metric)).collect();
    let noise = stats::interval::median(&noises).unwrap_or(0.0);
    let (from, value) = refuted(&sweep, claimed.bytes, noise)?;
    let is_virtual = context.machine.is_some_and(|m| m.inventory.system.virtualization.is_some());
    Some(said(RULE.code, claimed, metric, from, value, is_virtual))
}

fn said(code: &str, claimed: &Cache, metric: MetricName, from: u64, value: f64, is_virtual: bool) -> Finding {
    let unit = if metric == metric::LOAD_LATENCY { Unit::Seconds } else { Unit::BytesPerSecond };
    let what = if metric == metric::LOAD_LATENCY { "latency" } else { "bandwidth" };
    let evidence = Evidence::at("from", Place::Metric(metric)).arg("value", value).arg("unit", unit.symbol());
    Finding::new(FindingKind::Validity, code, Severity::Note)
        .general()
        .on(Resource::MEMORY)
        .arg("claimed", claimed.bytes)
        .arg("level", u64::from(claimed.level))
        .arg("from", from)
        .arg("value", value)
        .arg("unit", unit.symbol())
        .arg("what", what)
        .arg("virtual", is_virtual)
        .because(evidence)
}

/// The sizes that a cache of this kind sees, and the median at each, in order.
fn sweep<'a>(
    cases: impl Iterator<Item = &'a CaseResult>,
    metric: MetricName,
    claimed: &Cache,
) -> Vec<(u64, f64)> {
    let mut all: Vec<(u64, f64)> = cases
        .filter_map(|case| {
            let threads = measure::workers(case) as u64;
            let sharers = threads.clamp(1, claimed.shared_by.len().max(1) as u64);
            let size = measure::span(case)?.saturating_mul(sharers);
            Some((size, measure::estimated(case, metric)?))
        })
        .collect();
    all.sort_by_key(|(size, _)| *size);
    all.dedup_by_key(|(size, _)| *size);
    all
}

/// How far the trials of a case are apart: their relative standard deviation.
fn spread(case: &CaseResult, metric: MetricName) -> Option<f64> {
    let values: Vec<f64> = measure::good(case).filter_map(|t| measure::measured(t, metric)).collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v / mean - 1.0).powi(2)).sum();
    (values.len() > 1 && mean > 0.0).then(|| (squares / (count - 1.0)).sqrt())
}

/// From where on one plateau reaches over the claimed size, and its value; none
/// where there is an edge near it, or too little was measured beyond it.
fn refuted(sweep: &[(u64, f64)], claimed: u64, noise: f64) -> Option<(u64, f64)> {
    let values: Vec<f64> = sweep.iter().map(|(_, value)| *value).collect();
    let over = plateaus(&[&values], noise).into_iter().find(|p| {
        let (first, last) = (sweep[p.first].0, sweep[p.last].0);
        first.saturating_mul(BELOW) <= claimed && last > claimed
    })?;
    // One value over everything tells of no cache at all.
    (over.first > 0).then(|| (sweep[over.first].0, over.values[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::{Better, Machine};

    /// Latencies in ns of sizes in MiB.
    fn found(claimed_mib: u64, levels: &[(u64, f64)], is_virtual: bool) -> Vec<String> {
        let mut machine = Machine::default();
        machine.inventory.cpu.caches =
            vec![Cache { level: 3, bytes: claimed_mib << 20, shared_by: vec![0, 1] }];
        machine.inventory.system.virtualization = is_virtual.then(|| "kvm".to_owned());
        let of = |(mib, ns): &(u64, f64)| {
            let mut case = fixture::case(3);
            fixture::workload(&mut case, "memory.latency");
            fixture::set(&mut case, "size", mib << 20);
            fixture::named(&mut case, &format!("memory.latency size={mib}MiB"));
            let estimate = fixture::estimate(ns / 1e9, Unit::Seconds, Better::Lower);
            case.loads.main.estimates.insert(metric::LOAD_LATENCY, estimate);
            case
        };
        let cases: Vec<CaseResult> = levels.iter().map(of).collect();
        let controls = Controls::default();
        let context = Context {
            machine: Some(&machine),
            siblings: &crate::Siblings::of(&cases),
            ..fixture::context(&controls)
        };
        cases.iter().flat_map(|case| fixture::found(&RULE, case, &context)).map(|f| f.text).collect()
    }

    #[test]
    fn the_spread_of_trials_is_relative() {
        let mut case = fixture::case(2);
        for (trial, value) in case.trials.iter_mut().zip([9.0, 11.0]) {
            let value = model::Quantity { value, unit: Unit::Seconds };
            trial.result.main_mut().metrics.insert(metric::LOAD_LATENCY, value);
        }
        assert!((spread(&case, metric::LOAD_LATENCY).unwrap() - 0.02f64.sqrt()).abs() < 1e-12);
        assert_eq!(spread(&case, metric::THROUGHPUT), None);
    }

    const SEEN: &[(u64, f64)] = &[
        (1, 5.0),
        (2, 5.1),
        (4, 22.0),
        (8, 23.0),
        (16, 23.5),
        (64, 118.0),
        (128, 121.0),
        (256, 122.0),
        (512, 123.0),
        (1024, 124.0),
    ];

    #[test]
    fn a_claim_that_the_sweep_does_not_find_is_told_once() {
        let all = found(480, SEEN, true);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(
            all[0].starts_with("the machine claims 480 MiB of level 3 cache, but from 64 MiB on latency"),
            "{all:?}"
        );
        assert!(all[0].ends_with("shares it with others"), "{all:?}");
    }

    #[test]
    fn a_cache_that_is_where_it_should_be_is_not() {
        assert!(found(32, SEEN, false).is_empty(), "the edge is at 32 MiB");
        assert!(found(4096, SEEN, false).is_empty(), "nothing was measured beyond it");
        assert!(found(480, &SEEN[5..], false).is_empty(), "one value tells of no cache");
    }
}
