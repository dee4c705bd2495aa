//! What workloads put their profiles together from.

use model::profile::{
    Arrival, Concurrency, Flow, LoadProfile, OperationClass, Peer, RateUnit, SizeShare, Transport, WaitsFor,
};
use model::{Parameters, WorkloadSpec};

/// What every load of a workload has: threads that each do one operation at a time,
/// by a rate or without.
#[must_use]
pub fn base(spec: &WorkloadSpec, parameters: &Parameters, waits_for: &[WaitsFor]) -> LoadProfile {
    let workers = at_least_one(parameters, "threads");
    let is_open = parameters.get("rate").is_some() || parameters.get("latency-target").is_some();
    LoadProfile {
        concurrency: Concurrency {
            workers,
            operations: workers,
            arrival: if is_open { Arrival::Open } else { Arrival::Closed },
            rate_per_s: parameters.number("rate").ok(),
        },
        waits_for: waits_for.iter().cloned().collect(),
        headline: spec.headline.to_owned(),
        ..LoadProfile::default()
    }
}

/// A load of one kind of operation.
#[must_use]
pub fn of_one(
    spec: &WorkloadSpec,
    parameters: &Parameters,
    waits_for: &[WaitsFor],
    flow: Flow,
) -> LoadProfile {
    LoadProfile { flows: vec![flow], ..base(spec, parameters, waits_for) }
}

/// A load between two ends, as [`base`].
#[must_use]
pub fn of_two_ends(spec: &WorkloadSpec, parameters: &Parameters, flows: Vec<Flow>) -> LoadProfile {
    let is_udp = parameters.is_word("protocol", "udp");
    LoadProfile {
        flows,
        peer: Some(if parameters.is_word("peer", "self") { Peer::SameProgram } else { Peer::AnotherProgram }),
        transport: Some(if is_udp { Transport::Udp } else { Transport::Tcp }),
        rate_unit: RateUnit::Bits,
        ..base(spec, parameters, &[WaitsFor::Peer])
    }
}

/// The ways in which the parameter `direction` lets streams go, seen from the end that
/// drives.
#[must_use]
pub fn ways(parameters: &Parameters) -> &'static [OperationClass] {
    match parameters.text("direction") {
        Ok("both") => &[OperationClass::Send, OperationClass::Receive],
        Ok("receive") => &[OperationClass::Receive],
        Ok("none") => &[],
        _ => &[OperationClass::Send],
    }
}

/// The sizes that a parameter gives, which may be a mix.
#[must_use]
pub fn sizes(parameters: &Parameters, name: &str) -> Vec<SizeShare> {
    let part = |(bytes, share): (u64, f64)| SizeShare { bytes, share };
    parameters.mix(name).map_or_else(|_| Vec::new(), |mix| mix.into_iter().map(part).collect())
}

/// A count.
#[must_use]
pub fn at_least_one(parameters: &Parameters, name: &str) -> u64 {
    parameters.integer(name).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use model::{Kind, ParameterSpec, Value};

    use super::*;
    use crate::workload::{TABLE, catalogue, common};

    /// Values of a parameter beside its default.
    fn values(spec: &ParameterSpec) -> Vec<Value> {
        let words = spec.words.iter().map(|word| Value::from(word.word));
        let typed: &[&str] = match spec.kind {
            Kind::Size => &["4k", "1m"],
            Kind::Count => &["1", "7"],
            Kind::Rate => &["100/s"],
            Kind::Duration => &["20ms"],
            Kind::Flag => &["yes", "no"],
            Kind::Share => &["30%"],
            Kind::LatencyTarget => &["1ms@99%"],
            Kind::Path | Kind::Text => &["there"],
            Kind::Choice | Kind::Number => &[],
        };
        typed.iter().filter_map(|text| spec.parse(text).ok()).chain(words).collect()
    }

    /// As long as no workload has changed, a document of version 0.1 and one of today
    /// say the same of the same load. Where one changes on purpose, its row ends here.
    #[test]
    fn the_profiles_are_those_of_version_0_1() {
        let catalogue = catalogue();
        let mut compared = 0;
        for workload in TABLE {
            let spec = workload.spec();
            let mut usual = Parameters::default();
            catalogue.fill(spec, &mut usual);
            common::resolve(&mut usual, 2).unwrap();
            let mut cases = vec![usual.clone()];
            for parameter in catalogue.parameters(spec) {
                let kind = import::v1::label::kind_of_parameter(parameter.name);
                assert_eq!(kind, Some(parameter.kind), "{}", parameter.name);
                for value in values(parameter) {
                    let mut changed = usual.clone();
                    changed.0.insert(parameter.name.to_owned(), value);
                    cases.push(changed);
                }
            }
            if spec.name == "disk" {
                let two = Value::List(vec!["a".into(), "b".into()]);
                let mut several = usual.clone();
                several.0.insert("target".to_owned(), two);
                cases.push(several);
                for pattern in ["randread", "write", "randtrim"] {
                    for sync in ["fsync", "dsync", "end"] {
                        let mut other = usual.clone();
                        other.set("pattern", pattern);
                        other.set("sync", sync);
                        cases.push(other);
                    }
                }
                let mut mix = usual.clone();
                mix.set("pattern", "randrw");
                mix.set("read-share", 0.7);
                mix.0.insert("block-size".to_owned(), Value::List(vec!["4k:70%".into(), "64k:30%".into()]));
                cases.push(mix);
            }
            for mut parameters in cases {
                catalogue.drop_idle(spec, &mut parameters);
                let then = import::v1::profile(spec.name, &parameters);
                assert_eq!(workload.profile(&parameters), then, "{} {parameters:?}", spec.name);
                compared += 1;
            }
        }
        assert!(compared > 300, "{compared}");
    }
}
