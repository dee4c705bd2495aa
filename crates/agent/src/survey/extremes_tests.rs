//! Every parameter of every workload at the ends of what may be typed: a sum or a
//! product of such values must not overflow, which panics in a build for tests and
//! gives a wrong number in others.

use load::fixture::FixtureStore;
use load::workload::{self, Load};
use machine::Host;
use model::parameter::{Kind, ParameterSpec, Parts};
use model::plan::LoadSpec;
use model::{ParameterName, Parameters, Value};

use super::{host_info, survey};

/// The least, something usual and the most that is read.
fn ends(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Size => &["1", "4096", "8185TiB"],
        Kind::Count => &["1", "1024", "9000000000m"],
        Kind::Rate => &["0.000001/s", "1000000g/s"],
        Kind::Duration => &["0.001us", "1s", "3650d"],
        Kind::Share => &["0%", "0.000001%", "100%"],
        Kind::Number => &["0.000001", "1000000"],
        Kind::LatencyTarget => &["0.001us@0.000001%", "3650d@99.999999%"],
        Kind::Flag | Kind::Choice | Kind::Path | Kind::Text | Kind::Stack => &[],
    }
}

fn value(spec: &ParameterSpec, text: &str) -> Value {
    let one = spec.parse(text).unwrap_or_else(|e| panic!("{}={text}: {e}", spec.name));
    // Of several targets the second is another name of the first.
    if spec.parts == Parts::Joined { Value::List(vec![one.clone(), one]) } else { one }
}

#[test]
fn nothing_that_may_be_typed_overflows_when_a_case_is_planned() {
    let host = Host::this();
    let inventory = crate::describe::machine(&host).inventory;
    let host_info = host_info(&inventory, &[], &[]);
    let fixtures = FixtureStore::default();
    let catalogue = workload::catalogue();
    let folder = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for spec in &catalogue.workloads {
        let ordered: Vec<_> = catalogue.parameters(spec).filter(|p| !ends(p.kind).is_empty()).collect();
        let mut sets: Vec<Parameters> = Vec::new();
        // One at an end, with few and with many threads; then two at their most.
        for (index, one) in ordered.iter().enumerate() {
            for end in ends(one.kind) {
                for threads in [1u64, 1024] {
                    let mut set = Parameters::default();
                    set.set(ParameterName::new("threads"), threads);
                    set.set(one.name, value(one, end));
                    sets.push(set);
                }
            }
            for other in &ordered[..index] {
                let mut set = Parameters::default();
                for parameter in [one, other] {
                    let most = ends(parameter.kind).last().copied().unwrap_or_default();
                    set.set(parameter.name, value(parameter, most));
                }
                sets.push(set);
            }
        }
        for mut parameters in sets {
            if catalogue.parameters(spec).any(|p| p.name == ParameterName::new("target")) {
                parameters.set(ParameterName::new("target"), folder.path().to_str().unwrap());
            }
            tried += 1;
            // What it refuses it does not plan.
            let Ok(load) = Load::named(spec.name, parameters.clone(), 2) else { continue };
            let _ = (load.schedule.stop(), load.schedule.check());
            let load = LoadSpec::new(spec.name, parameters);
            survey(vec![load.clone(), load], &inventory, (&host_info, &fixtures), &host);
        }
    }
    assert!(tried > 1000, "{tried}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
