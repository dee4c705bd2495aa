//! The figures of a case that belong to a part of it: to its reads, its writes,
//! its syncs, to each phase of it, or to what was on the device in the end. In a
//! table they stand in rows of their own, in the columns of the whole.

use std::collections::BTreeMap;

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
const WHOLE: &[&str] = &["iops", "throughput"];

/// Figures by the names that the whole has for them.
pub(crate) type Figures = BTreeMap<String, Estimate>;

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
            if let (Some(whole), false) = (estimates.get(*name), only.contains_key(*name)) {
                only.insert((*name).to_owned(), whole.clone());
            }
        }
    }
    parts.extend(PHASES.iter().filter_map(|class| of_class(estimates, class)));
    if let Some(durable) = estimates.get("throughput_durable") {
        parts.push(("part-durable", BTreeMap::from([("throughput".to_owned(), durable.clone())])));
    }
    parts
}

/// Whether a load did any operation of a class: with `read-share=100%` a mix does
/// not write.
pub(crate) fn is_done(estimates: &Figures, class: &str) -> bool {
    estimates.get(&format!("{class}_iops")).is_none_or(|rate| rate.median > 0.0)
}

/// The rates of the phases, each with the key of its words.
pub(crate) fn phases(estimates: &Figures) -> Vec<(&'static str, &Estimate)> {
    let rate =
        |(class, key): &(&str, &'static str)| Some((*key, estimates.get(&format!("{class}_per_second"))?));
    PHASES.iter().filter_map(rate).collect()
}

fn of_class(
    estimates: &Figures,
    (class, key): &(&'static str, &'static str),
) -> Option<(&'static str, Figures)> {
    let own = |(name, estimate): (&String, &Estimate)| {
        let whole = match name.strip_prefix(class)? {
            // Syncs are counted under a name of their own.
            "s_per_second" => "iops",
            "_per_second" => "operations_per_second",
            name => name.strip_prefix('_')?,
        };
        Some((whole.to_owned(), estimate.clone()))
    };
    let figures: Figures = estimates.iter().filter_map(own).collect();
    (!figures.is_empty()).then_some((*key, figures))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Better, Unit};

    fn estimates(names: &[&str]) -> Figures {
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
        names.iter().enumerate().map(|(i, n)| ((*n).to_owned(), estimate(i as f64))).collect()
    }

    fn told(names: &[&str]) -> Vec<(&'static str, Vec<String>)> {
        of(&estimates(names)).into_iter().map(|(key, own)| (key, own.into_keys().collect())).collect()
    }

    #[test]
    fn parts_have_the_names_of_the_whole() {
        let all = told(&["iops", "read_iops", "read_latency_p99", "write_iops", "write_throughput"]);
        let names = |all: &[&str]| all.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(all[0], ("part-reads", names(&["iops", "latency_p99"])));
        assert_eq!(all[1], ("part-writes", names(&["iops", "throughput"])));
        let synced = told(&["iops", "write_latency_p99", "sync_latency_p99", "syncs_per_second"]);
        assert_eq!(synced[1], ("part-syncs", names(&["iops", "latency_p99"])));
    }

    #[test]
    fn regression_the_rate_of_writes_that_are_synced_was_a_dash() {
        let synced =
            told(&["iops", "throughput", "write_latency_p99", "sync_latency_p99", "syncs_per_second"]);
        let names = ["iops", "latency_p99", "throughput"].map(str::to_owned).to_vec();
        assert_eq!(synced[0], ("part-writes", names));
        // Of two kinds neither is all.
        let mixed =
            told(&["iops", "read_latency_p99", "write_latency_p99", "sync_latency_p99", "syncs_per_second"]);
        assert_eq!(mixed[0], ("part-reads", vec!["latency_p99".to_owned()]));
    }

    #[test]
    fn regression_the_rates_of_the_phases_were_nowhere() {
        let all =
            ["elapsed", "create_per_second", "create_latency_p99", "stat_per_second", "unlink_per_second"];
        let parts = told(&all);
        let names = ["latency_p99", "operations_per_second"].map(str::to_owned).to_vec();
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
        if let Some(writes) = all.get_mut("write_iops") {
            writes.median = 0.0;
        }
        assert!(of(&all).is_empty());
    }

    #[test]
    fn one_kind_alone_is_the_whole_and_what_is_durable_is_a_part() {
        assert!(told(&["iops", "throughput", "latency_p99"]).is_empty());
        assert!(told(&["iops", "sync_latency_p99"]).is_empty());
        let names = vec!["throughput".to_owned()];
        assert_eq!(told(&["throughput", "throughput_durable"]), [("part-durable", names)]);
    }
}
