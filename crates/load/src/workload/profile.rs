//! What workloads put their profiles together from.

use engine::stop::StopRule;
use model::WorkloadSpec;
use model::profile::{Arrival, Concurrency, Flow, LoadEnd, LoadProfile, WaitsFor};

use crate::workload::common::LoadSchedule;

/// What every load has: threads that each do one operation at a time, by a rate or
/// without.
#[must_use]
pub fn base(spec: &WorkloadSpec, schedule: &LoadSchedule) -> LoadProfile {
    let workers = schedule.threads.max(1);
    LoadProfile {
        concurrency: Concurrency {
            workers,
            operations: workers,
            depth: None,
            arrival: if schedule.is_open() { Arrival::Open } else { Arrival::Closed },
            rate_per_s: schedule.rate,
        },
        end: match schedule.stop() {
            StopRule::Operations(count) => LoadEnd::Operations(count),
            StopRule::Bytes(count) => LoadEnd::Bytes(count),
            StopRule::End => LoadEnd::Pass,
            StopRule::Full => LoadEnd::Full,
            StopRule::Time(_) | StopRule::FollowMain => LoadEnd::Time,
        },
        window_s: Some(schedule.duration_s),
        idle_s: schedule.idle_s,
        cool_down_s: schedule.cool_down_s,
        headline: spec.headline,
        ..LoadProfile::default()
    }
}

/// A load of one kind of operation.
#[must_use]
pub fn of_one(base: LoadProfile, waits_for: WaitsFor, flow: Flow) -> LoadProfile {
    LoadProfile { flows: vec![flow], waits_for: [waits_for].into(), ..base }
}

#[cfg(test)]
mod tests {
    use model::{Definitions, Kind, ParameterName, ParameterSpec, Parameters, Value, WorkloadName};

    use crate::workload::{Load, TABLE, catalogue, named};

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
            Kind::Choice | Kind::Number | Kind::Stack => &[],
        };
        typed.iter().filter_map(|text| spec.parse(text).ok()).chain(words).collect()
    }

    /// Parameters that came after version 0.1, or have another default since, each with the
    /// workload whose it is.
    const LATER: &[(&str, &str)] = &[
        ("cpu.crypto", "library"),
        ("disk", "keep-data"),
        ("disk", "places"),
        ("net.stream", "threads"),
        ("net.stream", "zero-copy"),
        ("net.stream", "zero-copy-by"),
    ];

    /// Those of any workload that came after version 0.1, though single ones had them.
    const LATER_OF_ALL: &[&str] = &[
        "cpu-node",
        "memory-node",
        "dscp",
        "peer-cpu-node",
        "peer-memory-node",
        "stack",
        "layer",
        "member-size",
        "present",
        "presented-by",
    ];

    fn is_later(workload: WorkloadName, parameter: ParameterName) -> bool {
        LATER.contains(&(workload.as_str(), parameter.as_str())) || LATER_OF_ALL.contains(&parameter.as_str())
    }

    /// Whether version 0.1 had this workload.
    fn was_there(name: WorkloadName) -> bool {
        import::v1::definitions([name]).workload(name).is_some()
    }

    /// But for parameters that came later, a run of version 0.1 and one of today say the same
    /// of a workload's parameters and metrics.
    #[test]
    fn the_parameters_and_metrics_are_those_of_version_0_1() {
        for spec in TABLE.iter().map(|workload| workload.spec()).filter(|spec| was_there(spec.name)) {
            let of = |definitions: Definitions| {
                let workload = definitions.workload(spec.name).unwrap().clone();
                (workload.parameters, workload.metrics)
            };
            let mut then = of(import::v1::definitions([spec.name]));
            let mut now = of(catalogue().definitions([spec.name]));
            for definitions in [&mut now, &mut then] {
                definitions.0.retain(|parameter| !is_later(spec.name, parameter.name));
            }
            assert_eq!(now, then, "{}", spec.name);
        }
    }

    /// As long as no workload has changed, a document of version 0.1 and one of today
    /// say the same of the same load. Where one changes on purpose, its row ends here.
    #[test]
    fn the_profiles_are_those_of_version_0_1() {
        let catalogue = catalogue();
        let mut compared = 0;
        for workload in TABLE.iter().filter(|workload| was_there(workload.spec().name)) {
            let spec = workload.spec();
            let mut usual = Parameters::default();
            catalogue.fill(spec, &mut usual);
            let mut cases = vec![usual.clone()];
            for parameter in catalogue.parameters(spec).filter(|p| !is_later(spec.name, p.name)) {
                for value in values(parameter) {
                    let mut changed = usual.clone();
                    changed.set(parameter.name, value);
                    cases.push(changed);
                }
            }
            if spec.name == WorkloadName::new("disk") {
                let two = Value::List(vec!["a".into(), "b".into()]);
                let mut several = usual.clone();
                several.set(named("target"), two);
                cases.push(several);
                for pattern in ["randread", "write", "randtrim"] {
                    for sync in ["fsync", "dsync", "end"] {
                        let mut other = usual.clone();
                        other.set(named("pattern"), pattern);
                        other.set(named("sync"), sync);
                        cases.push(other);
                    }
                }
                let mut mix = usual.clone();
                mix.set(named("pattern"), "randrw");
                mix.set(named("read-share"), 0.7);
                mix.set(named("block-size"), Value::List(vec!["4k:70%".into(), "64k:30%".into()]));
                cases.push(mix);
            }
            for mut parameters in cases {
                catalogue.drop_idle(spec, &mut parameters);
                let then = import::v1::profile(spec.name, &parameters);
                let load = Load::new(*workload, parameters.clone(), 1).unwrap();
                assert_eq!(load.profile(), then, "{} {parameters:?}", spec.name);
                compared += 1;
            }
        }
        assert!(compared > 300, "{compared}");
    }
}
