//! The figures of a case that belong to a part of it: to its reads, its writes,
//! its syncs, to each phase of it, or to what was on the device in the end. In a
//! table they stand in rows of their own, in the columns of the whole.

use std::collections::{BTreeMap, BTreeSet};

use language::Words;
use model::profile::{Durability, OperationClass};
use model::run::{CaseLoad, Estimate};
use model::{LoadProfile, MetricName, metric};

/// What a load of one kind of operation does is all that it does, beside syncs.
const WHOLE: &[MetricName] = &[metric::IOPS, metric::THROUGHPUT];

/// Figures by the names that the whole has for them.
pub(crate) type Figures = BTreeMap<MetricName, Estimate>;

/// Kinds of operations that may have figures of their own in some of these loads,
/// `read_iops` and so on. The two ways of a stream are no parts of it: both are the whole.
pub(crate) fn classes(loads: &[&LoadProfile]) -> Vec<&'static str> {
    let kinds = loads.iter().copied().flat_map(|load| &load.flows).map(|flow| flow.class);
    let kinds: BTreeSet<OperationClass> =
        kinds.filter(|class| !matches!(class, OperationClass::Send | OperationClass::Receive)).collect();
    let syncs = loads.iter().find_map(|load| load.durability.class());
    kinds.into_iter().map(OperationClass::name).chain(syncs).collect()
}

/// What a kind of operations is called; one that nobody has words for, by its name.
pub(crate) fn called(words: &Words, class: &str) -> String {
    words.or(&format!("class-{class}"), class)
}

/// The parts that these estimates of a load tell of, each with what it is called: kinds
/// of operations where there are several, phases, and what was durable.
pub(crate) fn of(words: &Words, load: &LoadProfile, estimates: &Figures) -> Vec<(String, Figures)> {
    let syncs = load.durability.class();
    let kinds = classes(&[load]);
    let all: Vec<&str> = kinds.iter().copied().chain(load.phases.iter().map(String::as_str)).collect();
    let part = |class| Some((class, of_class(estimates, class, &all)?));
    let done = kinds.iter().copied().filter(|class| is_done(load, estimates, class));
    let mut kinds: Vec<(&str, Figures)> = done.filter_map(part).collect();
    if kinds.len() < 2 {
        kinds.clear();
    }
    // Syncs are not counted among the operations.
    if let [(_, only), (last, _)] = &mut kinds[..]
        && syncs == Some(*last)
    {
        for name in WHOLE {
            if let (Some(whole), false) = (estimates.get(name), only.contains_key(name)) {
                only.insert(*name, whole.clone());
            }
        }
    }
    let kinds = kinds.into_iter().map(|(class, own)| (called(words, class), own));
    let phase = |name: &String| Some((phase_called(words, name), of_class(estimates, name, &all)?));
    let phases = load.phases.iter().filter_map(phase);
    let durable = estimates.get(&metric::THROUGHPUT_DURABLE);
    let durable =
        durable.map(|own| (words.say("part-durable"), BTreeMap::from([(metric::THROUGHPUT, own.clone())])));
    kinds.chain(phases).chain(durable).collect()
}

/// Whether a load did any operation of a class: with `read-share=100%` a mix does
/// not write.
pub(crate) fn is_done(load: &LoadProfile, estimates: &Figures, class: &str) -> bool {
    let rates = [metric::IOPS, load.headline].into_iter().filter_map(|rate| rate.of(class));
    rates.filter_map(|name| estimates.get(&name)).all(|rate| rate.median > 0.0)
}

/// The rates of the phases of a load, each with what it is called.
pub(crate) fn phases<'a>(words: &Words, load: &'a CaseLoad) -> Vec<(String, &'a Estimate)> {
    let rate = |phase: &String| {
        Some((phase_called(words, phase), load.estimates.get(&metric::PER_SECOND.of(phase)?)?))
    };
    load.profile.phases.iter().filter_map(rate).collect()
}

/// What a phase is called; one that nobody has words for, by its name.
pub(crate) fn phase_called(words: &Words, phase: &str) -> String {
    words.or(&format!("phase-{phase}"), phase)
}

/// What these estimates say of one class or phase, of `all` that the load has: what a
/// longer name of them begins is of that one, `get_all_iops` not of `get`.
fn of_class(estimates: &Figures, class: &str, all: &[&str]) -> Option<Figures> {
    let longer = || all.iter().filter(|other| other.len() > class.len());
    let own = |(name, estimate): (&MetricName, &Estimate)| {
        // Syncs are counted under a name of their own.
        let is_syncs = *name == metric::SYNCS_PER_SECOND && Durability::Syncs.class() == Some(class);
        let whole = match name.of_whole(class) {
            None if is_syncs => metric::IOPS,
            Some(_) if longer().any(|other| name.of_whole(other).is_some()) => return None,
            Some(metric::PER_SECOND) => metric::OPERATIONS_PER_SECOND,
            whole => whole?,
        };
        Some((whole, estimate.clone()))
    };
    let figures: Figures = estimates.iter().filter_map(own).collect();
    (!figures.is_empty()).then_some(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use language::Language;
    use model::profile::ClassName;
    use model::profile::{Flow, FlowUnit};
    use model::{Better, Unit};

    /// One that reads, writes and syncs, and has phases.
    fn load() -> LoadProfile {
        let flow = |class| Flow::only(class, FlowUnit::Bytes);
        LoadProfile {
            flows: vec![flow(OperationClass::Read), flow(OperationClass::Write)],
            phases: ["create", "stat", "open", "unlink"].map(str::to_owned).to_vec(),
            durability: Durability::Syncs,
            ..LoadProfile::default()
        }
    }

    fn parts(estimates: &Figures) -> Vec<(String, Figures)> {
        of(Language::English.words(), &load(), estimates)
    }

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

    fn told(names: &[&'static str]) -> Vec<(String, Vec<MetricName>)> {
        let parts = parts(&estimates(names)).into_iter();
        parts.map(|(called, own)| (called, own.into_keys().collect())).collect()
    }

    #[test]
    fn parts_have_the_names_of_the_whole() {
        let all = told(&["iops", "read_iops", "read_latency_p99", "write_iops", "write_throughput"]);
        let names = |all: &[&'static str]| all.iter().map(|n| MetricName::new(n)).collect::<Vec<_>>();
        assert_eq!(all[0], ("reads".to_owned(), names(&["iops", "latency_p99"])));
        assert_eq!(all[1], ("writes".to_owned(), names(&["iops", "throughput"])));
        let synced = told(&["iops", "write_latency_p99", "sync_latency_p99", "syncs_per_second"]);
        assert_eq!(synced[1], ("syncs".to_owned(), names(&["iops", "latency_p99"])));
    }

    #[test]
    fn regression_the_rate_of_writes_that_are_synced_was_a_dash() {
        let synced =
            told(&["iops", "throughput", "write_latency_p99", "sync_latency_p99", "syncs_per_second"]);
        let names = [metric::IOPS, metric::LATENCY_P99, metric::THROUGHPUT].to_vec();
        assert_eq!(synced[0], ("writes".to_owned(), names));
        // Of two kinds neither is all.
        let mixed =
            told(&["iops", "read_latency_p99", "write_latency_p99", "sync_latency_p99", "syncs_per_second"]);
        assert_eq!(mixed[0], ("reads".to_owned(), vec![metric::LATENCY_P99]));
    }

    #[test]
    fn regression_the_rates_of_the_phases_were_nowhere() {
        let all =
            ["elapsed", "create_per_second", "create_latency_p99", "stat_per_second", "unlink_per_second"];
        let parts = told(&all);
        let names = [metric::LATENCY_P99, metric::OPERATIONS_PER_SECOND].to_vec();
        assert_eq!(parts[0], ("create".to_owned(), names));
        assert_eq!(parts.iter().map(|p| p.0.as_str()).collect::<Vec<_>>(), ["create", "stat", "unlink"]);
        let load = CaseLoad { profile: load(), estimates: estimates(&all), ..CaseLoad::default() };
        let rates = phases(Language::English.words(), &load);
        let rates: Vec<(&str, f64)> = rates.iter().map(|(called, e)| (called.as_str(), e.median)).collect();
        assert_eq!(rates, [("create", 1.0), ("stat", 3.0), ("unlink", 4.0)]);
    }

    #[test]
    fn what_a_mix_never_does_has_no_row() {
        let mut all = estimates(&["iops", "read_iops", "write_iops"]);
        assert_eq!(parts(&all).len(), 2);
        if let Some(writes) = all.get_mut(&metric::WRITE_IOPS) {
            writes.median = 0.0;
        }
        assert!(parts(&all).is_empty());
    }

    #[test]
    fn one_kind_alone_is_the_whole_and_what_is_durable_is_a_part() {
        assert!(told(&["iops", "throughput", "latency_p99"]).is_empty());
        assert!(told(&["iops", "sync_latency_p99"]).is_empty());
        let names = vec![metric::THROUGHPUT];
        assert_eq!(told(&["throughput", "throughput_durable"]), [("until on the device".to_owned(), names)]);
    }

    #[test]
    fn a_kind_that_nobody_has_words_for_has_a_row_with_its_name() {
        let flow = |class: &str| {
            let class = OperationClass::Other(ClassName::intern(class).unwrap());
            Flow::only(class, FlowUnit::Operations)
        };
        let flows = ["put", "get", "get", "get_all"].map(flow).to_vec();
        // Pages have words for a `rate`, but of something else.
        let phases = vec!["rate".to_owned()];
        let load =
            LoadProfile { flows, phases, headline: metric::EVENTS_PER_SECOND, ..LoadProfile::default() };
        let mut all = estimates(&["iops", "get_all_iops", "get_iops", "put_iops", "rate_per_second"]);
        let parts = of(Language::English.words(), &load, &all);
        assert_eq!(parts.iter().map(|p| p.0.as_str()).collect::<Vec<_>>(), ["get", "get_all", "put", "rate"]);
        let names = |part: &(String, Figures)| part.1.keys().copied().collect::<Vec<_>>();
        assert_eq!([&parts[0], &parts[1]].map(names), [[metric::IOPS], [metric::IOPS]].map(|n| n.to_vec()));
        // What it counts otherwise, and never did.
        let never = metric::EVENTS_PER_SECOND.of("put").unwrap();
        all.insert(never, Estimate { median: 0.0, ..all[&metric::IOPS].clone() });
        let parts = of(Language::English.words(), &load, &all);
        assert_eq!(parts.iter().map(|p| p.0.as_str()).collect::<Vec<_>>(), ["get", "get_all", "rate"]);
    }
}
