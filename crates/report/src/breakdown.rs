//! The figures of a case that belong to a part of it: to its reads, its writes,
//! its syncs, to each phase of it, or to what was on the device in the end. In a
//! table they stand in rows of their own, in the columns of the whole.

use std::collections::BTreeMap;

use model::MetricName;
use model::metric;
use model::run::Estimate;

/// Kinds of operations with figures of their own, `read_iops` and so on, and the
/// words for them.
pub(crate) const CLASSES: &[(&str, &str)] =
    &[("read", "part-reads"), ("write", "part-writes"), ("trim", "part-trims"), ("sync", "part-syncs")];

/// Operations that a load does one after the other, each in a phase of its own:
/// their rates are no parts of a sum.
const PHASES: &[(&str, &str)] = &[
    ("create", "part-create"),
    ("stat", "part-stat"),
    ("open", "part-open"),
    ("rename", "part-rename"),
    ("list", "part-list"),
    ("unlink", "part-unlink"),
];

/// What a load of one kind of operation does is all that it does, beside syncs.
const WHOLE: &[MetricName] = &[metric::IOPS, metric::THROUGHPUT];

/// Figures by the names that the whole has for them.
pub(crate) type Figures = BTreeMap<MetricName, Estimate>;

/// The parts that these estimates tell of, each with the key of its words: kinds
/// of operations where there are several, phases, and what was durable.
pub(crate) fn of(estimates: &Figures) -> Vec<(&'static str, Figures)> {
    let mut parts: Vec<(&'static str, Figures)> =
        CLASSES.iter().filter(|c| is_done(estimates, c.0)).filter_map(|c| of_class(estimates, c)).collect();
    if parts.len() < 2 {
        parts.clear();
    }
    // Syncs are not counted among the operations.
    if let [(_, only), ("part-syncs", _)] = &mut parts[..] {
        for name in WHOLE {
            if let (Some(whole), false) = (estimates.get(name), only.contains_key(name)) {
                only.insert((*name).to_owned(), whole.clone());
            }
        }
    }
    parts.extend(PHASES.iter().filter_map(|class| of_class(estimates, class)));
    if let Some(durable) = estimates.get(&metric::THROUGHPUT_DURABLE) {
        parts.push(("part-durable", BTreeMap::from([(metric::THROUGHPUT, durable.clone())])));
    }
    parts
}

/// Whether a load did any operation of a class: with `read-share=100%` a mix does
/// not write.
pub(crate) fn is_done(estimates: &Figures, class: &str) -> bool {
    metric::IOPS.of(class).and_then(|name| estimates.get(&name)).is_none_or(|rate| rate.median > 0.0)
}

/// The rates of the phases, each with the key of its words.
pub(crate) fn phases(estimates: &Figures) -> Vec<(&'static str, &Estimate)> {
    let rate = |(class, key): &(&str, &'static str)| {
        Some((*key, estimates.get(&MetricName::written(&format!("{class}_per_second"))?)?))
    };
    PHASES.iter().filter_map(rate).collect()
}

fn of_class(
    estimates: &Figures,
    (class, key): &(&'static str, &'static str),
) -> Option<(&'static str, Figures)> {
    let own = |(name, estimate): (&MetricName, &Estimate)| {
        let whole = match name.as_str().strip_prefix(class)? {
            // Syncs are counted under a name of their own.
            "s_per_second" => metric::IOPS,
            "_per_second" => metric::OPERATIONS_PER_SECOND,
            name => MetricName::written(name.strip_prefix('_')?)?,
        };
        Some((whole, estimate.clone()))
    };
    let figures: Figures = estimates.iter().filter_map(own).collect();
    (!figures.is_empty()).then_some((*key, figures))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Better, Unit};

    fn estimates(names: &[&'static str]) -> Figures {
        let estimate = |median| Estimate {
            n: 5,
            median,
            low: None,
            high: None,
            confidence: None,
            method: None,
            unit: Unit::One,
            better: Better::Higher,
        };
        names.iter().enumerate().map(|(i, n)| (MetricName::new(n), estimate(i as f64))).collect()
    }

    fn told(names: &[&'static str]) -> Vec<(&'static str, Vec<MetricName>)> {
        of(&estimates(names)).into_iter().map(|(key, own)| (key, own.into_keys().collect())).collect()
    }

    #[test]
    fn parts_have_the_names_of_the_whole() {
        let all = told(&["iops", "read_iops", "read_latency_p99", "write_iops", "write_throughput"]);
        let names = |all: &[&'static str]| all.iter().map(|n| MetricName::new(n)).collect::<Vec<_>>();
        assert_eq!(all[0], ("part-reads", names(&["iops", "latency_p99"])));
        assert_eq!(all[1], ("part-writes", names(&["iops", "throughput"])));
        let synced = told(&["iops", "write_latency_p99", "sync_latency_p99", "syncs_per_second"]);
        assert_eq!(synced[1], ("part-syncs", names(&["iops", "latency_p99"])));
    }

    #[test]
    fn regression_the_rate_of_writes_that_are_synced_was_a_dash() {
        let synced =
            told(&["iops", "throughput", "write_latency_p99", "sync_latency_p99", "syncs_per_second"]);
        let names = [metric::IOPS, metric::LATENCY_P99, metric::THROUGHPUT].to_vec();
        assert_eq!(synced[0], ("part-writes", names));
        // Of two kinds neither is all.
        let mixed =
            told(&["iops", "read_latency_p99", "write_latency_p99", "sync_latency_p99", "syncs_per_second"]);
        assert_eq!(mixed[0], ("part-reads", vec![metric::LATENCY_P99]));
    }

    #[test]
    fn regression_the_rates_of_the_phases_were_nowhere() {
        let all =
            ["elapsed", "create_per_second", "create_latency_p99", "stat_per_second", "unlink_per_second"];
        let parts = told(&all);
        let names = [metric::LATENCY_P99, metric::OPERATIONS_PER_SECOND].to_vec();
        assert_eq!(parts[0], ("part-create", names));
        assert_eq!(
            parts.iter().map(|p| p.0).collect::<Vec<_>>(),
            ["part-create", "part-stat", "part-unlink"]
        );
        let rates = phases(&estimates(&all)).into_iter().map(|(key, e)| (key, e.median)).collect::<Vec<_>>();
        assert_eq!(rates, [("part-create", 1.0), ("part-stat", 3.0), ("part-unlink", 4.0)]);
    }

    #[test]
    fn what_a_mix_never_does_has_no_row() {
        let mut all = estimates(&["iops", "read_iops", "write_iops"]);
        assert_eq!(of(&all).len(), 2);
        if let Some(writes) = all.get_mut(&metric::WRITE_IOPS) {
            writes.median = 0.0;
        }
        assert!(of(&all).is_empty());
    }

    #[test]
    fn one_kind_alone_is_the_whole_and_what_is_durable_is_a_part() {
        assert!(told(&["iops", "throughput", "latency_p99"]).is_empty());
        assert!(told(&["iops", "sync_latency_p99"]).is_empty());
        let names = vec![metric::THROUGHPUT];
        assert_eq!(told(&["throughput", "throughput_durable"]), [("part-durable", names)]);
    }
}
