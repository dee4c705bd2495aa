//! The figures of a case that belong to a part of it: to its reads, its writes,
//! its syncs, or to what was on the device in the end. In a table they stand in
//! rows of their own, in the columns of the whole.

use std::collections::BTreeMap;

use model::run::Estimate;

/// Kinds of operations with figures of their own, `read_iops` and so on, and the
/// words for them.
const CLASSES: &[(&str, &str)] =
    &[("read", "part-reads"), ("write", "part-writes"), ("trim", "part-trims"), ("sync", "part-syncs")];

/// Figures by the names that the whole has for them.
pub(crate) type Figures = BTreeMap<String, Estimate>;

/// The parts that these estimates tell of, each with the key of its words: kinds
/// of operations where there are several, and what was durable.
pub(crate) fn of(estimates: &Figures) -> Vec<(&'static str, Figures)> {
    let of_class = |(class, key): &(&str, &'static str)| {
        let own = |(name, estimate): (&String, &Estimate)| {
            let name = name.strip_prefix(class)?;
            // Syncs are counted under a name of their own.
            let whole = if name == "s_per_second" { "iops" } else { name.strip_prefix('_')? };
            Some((whole.to_owned(), estimate.clone()))
        };
        let figures: Figures = estimates.iter().filter_map(own).collect();
        (!figures.is_empty()).then_some((*key, figures))
    };
    let mut parts: Vec<(&'static str, Figures)> = CLASSES.iter().filter_map(of_class).collect();
    if parts.len() < 2 {
        parts.clear();
    }
    if let Some(durable) = estimates.get("throughput_durable") {
        parts.push(("part-durable", BTreeMap::from([("throughput".to_owned(), durable.clone())])));
    }
    parts
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
    fn one_kind_alone_is_the_whole_and_what_is_durable_is_a_part() {
        assert!(told(&["iops", "throughput", "latency_p99"]).is_empty());
        assert!(told(&["iops", "sync_latency_p99"]).is_empty());
        let names = vec!["throughput".to_owned()];
        assert_eq!(told(&["throughput", "throughput_durable"]), [("part-durable", names)]);
    }
}
