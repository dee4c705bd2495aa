//! What is asked of `disk.rebuild` and what comes of it, without an array: those are in the guest
//! (`crates/cli/tests/guest/rebuild.rs`).

use engine::outcome::ClassOutcome;
use model::plan::ProblemKind;

use super::*;
use crate::workload::{Load, nothing_done, survey};

fn parameters(folder: &std::path::Path, changes: &[(&'static str, Value)]) -> Parameters {
    let mut parameters = Parameters::default();
    parameters.set(named("target"), folder.to_string_lossy().into_owned());
    parameters.set(named("size"), 16u64 << 20);
    changes.iter().for_each(|(name, value)| parameters.set(named(name), value.clone()));
    parameters
}

fn host() -> HostInfo {
    HostInfo { cpus: 2, memory_available: 8 << 30, ..HostInfo::default() }
}

const STACK: (&str, &str) = ("stack", "raid5(a+b+c) > ext4");

#[test]
fn what_cannot_happen_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let refused = |changes: &[(&'static str, Value)]| {
        let problem = survey(&Rebuild, parameters(folder.path(), changes), &host()).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Invalid);
        problem.message
    };
    assert!(refused(&[]).contains("disk.rebuild takes a stack with an array"));
    for (changes, message) in [
        (&[("stack", "loop > ext4".into())][..], "keeps data"),
        (&[("stack", STACK.1.into()), ("event", "grow".into())][..], "and a spare"),
        (&[("stack", STACK.1.into()), ("until", "time".into())][..], "the event ends a trial"),
        (&[("stack", STACK.1.into()), ("requests", 5u64.into())][..], "the event ends a trial"),
        (&[("stack", STACK.1.into()), ("latency-target", "1ms@99%".into())][..], "the event ends a trial"),
        (&[("stack", STACK.1.into()), ("phase-duration", 0.0.into())][..], "no length of a phase"),
        (&[("stack", STACK.1.into()), ("engine", "null".into())][..], "drives nothing"),
    ] {
        let said = refused(changes);
        assert!(said.contains(message), "{changes:?}: {said}");
    }
}

#[test]
fn it_is_a_load_of_disk_in_phases() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let changes = [
        ("stack", STACK.1.into()),
        ("pattern", "randrw".into()),
        ("read-share", 0.75.into()),
        ("phase-duration", 2.0.into()),
    ];
    let mut load = Load::new(&Rebuild, parameters(folder.path(), &changes), 2).unwrap();
    let needs = load.survey(&host()).unwrap();
    assert_eq!(needs.effect, Effect::Dirty);
    let profile = load.profile();
    assert_eq!(profile.phases, ["before", "degraded", "during", "after"]);
    assert_eq!((profile.window_s, profile.calibration), (Some(8.0), None));
    assert_eq!(profile.flows.len(), 2);
    assert!(!load.uses_up_stack());
    // What words stand for is kept, and has a parameter.
    assert!(load.parameters.integer(named("size")).is_ok());
    assert!(needs.resolved.names().all(|name| SPEC.parameters.iter().any(|own| own.name == name)));
    let grows = [("stack", "raid5(a+b+c+d; spares=1)".into()), ("event", "grow".into())];
    let load = Load::new(&Rebuild, parameters(folder.path(), &grows), 2).unwrap();
    assert!(load.uses_up_stack());
    assert_eq!(load.profile().phases, ["before", "during", "after"]);
}

/// What a load did in which phases were told.
fn outcome(operations: [f64; 4]) -> LoadOutcome {
    let class = |(place, operations): (usize, f64)| ClassOutcome {
        class: CLASSES[place],
        operations,
        bytes: 0.0,
        latency: stats::histogram::new_latency(),
    };
    let texts = |all: &[&str]| Value::List(all.iter().map(|text| Value::from(*text)).collect());
    let numbers = |all: &[f64]| Value::List(all.iter().map(|number| Value::Number(*number)).collect());
    let facts = [
        (fact::WINDOW_PHASES, texts(&["before", "during", "after"])),
        (fact::WINDOW_PHASE_SECONDS, numbers(&[5.0, 10.0, 5.0])),
        (WHOLE_SECONDS, Value::Number(10.5)),
        (RESYNC_SECONDS, Value::Number(10.0)),
        (RESYNC_BYTES, Value::Integer(1 << 30)),
    ];
    LoadOutcome {
        operations: operations.iter().sum(),
        by_count: true,
        classes: operations.into_iter().enumerate().map(class).collect(),
        facts: facts.into_iter().collect(),
        ..nothing_done()
    }
}

#[test]
fn each_phase_has_its_rate_and_the_array_its_own() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let load = Load::new(&Rebuild, parameters(folder.path(), &[("stack", STACK.1.into())]), 2).unwrap();
    let window = Window { start_ns: 0, end_ns: 20_000_000_000 };
    let all = load.metrics(&outcome([500.0, 0.0, 400.0, 600.0]), window);
    let of = |name: &'static str| all.get(&MetricName::new(name)).map(|quantity| quantity.value);
    assert_eq!(
        (of("before_per_second"), of("during_per_second"), of("after_per_second")),
        (Some(100.0), Some(40.0), Some(120.0))
    );
    assert_eq!(of("degraded_per_second"), None, "there was no such phase");
    assert_eq!((of("time_to_whole"), of("resync_time")), (Some(10.5), Some(10.0)));
    assert_eq!(of("resync_rate"), Some((1u64 << 30) as f64 / 10.0));
    assert_eq!((of("mismatches"), of("growth_time")), (None, None));
    for (name, quantity) in &all {
        assert_eq!(SPEC.metric(*name).map(|metric| metric.unit), Some(quantity.unit), "{name}");
    }
}
