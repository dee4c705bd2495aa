//! What every workload owes: unique names, documentation, defaults that read,
//! metrics it really gives, and a short run without errors that leaves nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::atomic::AtomicBool;

use engine::numa::Confinement;
use engine::{LoadPlan, Observer, Session};
use language::{LANGUAGES, Language};
use load::fixture::FixtureStore;
use load::workload::{FIXTURES, HostInfo, Load, LoadContext, TABLE, Workload, catalogue};
use model::trial::Timeline;
use model::{Kind, MetricName, ParameterName, Parameters, Phase, Quantity};

use crate::two_ends;

struct Silent;

impl Observer for Silent {
    fn starts(&self, _timeline: Timeline) {}
    fn phase(&self, _phase: Phase, _at_ns: u64) {}
}

fn host() -> HostInfo {
    HostInfo {
        cpus: 2,
        caches: vec![(1, 32 << 10, 1), (2, 1 << 20, 1), (3, 32 << 20, 2)],
        memory_available: 2 << 30,
        ..HostInfo::default()
    }
}

fn defaults(workload: &dyn Workload) -> Parameters {
    let catalogue = catalogue();
    let mut parameters = Parameters::default();
    for spec in catalogue.parameters(workload.spec()) {
        if let Some(text) = spec.default {
            let value =
                spec.parse(text).unwrap_or_else(|e| panic!("{} {}: {e}", workload.spec().name, spec.name));
            parameters.set(spec.name, value);
        }
    }
    parameters
}

/// Whether it has another end where nobody asks for anything.
fn has_two_ends(workload: &dyn Workload) -> bool {
    catalogue().has_far_end(workload.spec(), &defaults(workload))
}

#[test]
fn workloads_and_metrics_have_words_in_every_language() {
    for words in LANGUAGES.iter().map(|l| l.words()).filter(|w| w.language() != Language::English) {
        for spec in &catalogue().workloads {
            let metrics = spec.metrics.iter().map(|m| m.name);
            let of_metrics = metrics.flat_map(|m| [format!("metric-{m}"), format!("metric-title-{m}")]);
            for key in of_metrics.chain([format!("workload-{}", spec.name)]) {
                assert!(words.has(&key), "{:?} lacks {key}", words.language());
                assert_ne!(words.or(&key, "English"), "English", "{:?}: {key}", words.language());
            }
        }
    }
}

#[test]
fn names_are_unique_and_everything_is_documented() {
    let catalogue = catalogue();
    let mut names = BTreeSet::new();
    for spec in &catalogue.workloads {
        assert!(names.insert(spec.name), "{} twice", spec.name);
        assert!(
            spec.definition_version > 0 && !spec.summary.is_empty() && !spec.path.is_empty(),
            "{}",
            spec.name
        );
        assert!(spec.doc.ends_with('.'), "{}", spec.name);
        assert!(spec.metric(spec.headline).is_some(), "{} has no metric {}", spec.name, spec.headline);
        let mut own = BTreeSet::new();
        for p in catalogue.parameters(spec) {
            assert!(own.insert(p.name), "{} has {} twice", spec.name, p.name);
            assert!(p.doc.ends_with('.'), "{} {}", spec.name, p.name);
            assert!(p.name.as_str().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", p.name);
            assert_eq!(p.kind == Kind::Choice, p.kind == Kind::Choice && p.forms().count() > 1, "{}", p.name);
        }
        let mut metrics = BTreeSet::new();
        for m in spec.metrics {
            assert!(metrics.insert(m.name), "{} has {} twice", spec.name, m.name);
            assert!(m.doc.ends_with('.'), "{} {}", spec.name, m.name);
        }
    }
}

/// A parameter of one name means the same everywhere: the command line has it
/// once.
#[test]
fn a_parameter_of_one_name_has_one_kind() {
    let catalogue = catalogue();
    let all: Vec<_> = catalogue.workloads.iter().flat_map(|w| catalogue.parameters(w)).collect();
    for a in &all {
        for b in all.iter().filter(|b| b.name == a.name) {
            assert_eq!(a.kind, b.kind, "{}", a.name);
        }
    }
}

/// What one trial of a workload gives at its defaults in a folder of its own, in
/// which it must leave nothing.
fn at_defaults(workload: &dyn Workload, duration_s: f64) -> BTreeMap<MetricName, Quantity> {
    let name = workload.spec().name;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let left = || folder.path().read_dir().unwrap().count();
    let mut parameters = defaults(workload);
    parameters.set(ParameterName::new("duration"), duration_s);
    if parameters.get(ParameterName::new("target")).is_some() {
        parameters.set(ParameterName::new("target"), folder.path().to_string_lossy().as_ref());
        parameters.set(ParameterName::new("size"), 32u64 << 20);
    }
    // What has no default: what was recorded, or written, is somebody's own.
    let mut recording = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    if workload.spec().parameters.iter().any(|p| p.name == ParameterName::new("replay")) {
        let text = "fio version 3 iolog\n0 a add\n0 a open\n0 a read 0 4096\n900 a write 8192 4096\n";
        recording.write_all(text.as_bytes()).unwrap();
        parameters.set(ParameterName::new("replay"), recording.path().to_string_lossy().as_ref());
    }
    if workload.spec().parameters.iter().any(|p| p.name == ParameterName::new("sql")) {
        let text = "-- headroom: setup\nCREATE TABLE t (a INTEGER);\nINSERT INTO t VALUES (1);\n\
                    -- headroom: transaction\nSELECT a FROM t;\n";
        recording.write_all(text.as_bytes()).unwrap();
        parameters.set(ParameterName::new("sql"), recording.path().to_string_lossy().as_ref());
    }
    let mut load = Load::new(workload, parameters, host().cpus).unwrap();
    load.schedule.check().unwrap();
    let threads = load.schedule.threads as usize;
    let needs = load.survey(&host()).unwrap_or_else(|p| panic!("{name}: {p:?}"));
    assert_eq!(left(), 0, "{name}: the survey made something");
    let mut fixtures = FixtureStore::new(FIXTURES);
    for key in &needs.fixtures {
        fixtures.make(key, &host(), &mut |_| true).unwrap();
    }
    let context = LoadContext { fixtures: &fixtures, endpoint: None, watch: load::workload::Watch::NONE };
    let prepared = load.prepare(&context).unwrap();
    let plan = LoadPlan {
        prepared: &*prepared,
        cpus: vec![None; prepared.workers(threads)],
        confinement: Confinement::default(),
        rate: load.schedule.open_loop(),
        stop: load.schedule.stop(),
        seed: 1,
    };
    let warm_up_ns = if prepared.counts_from_start() { 0 } else { 5_000_000 };
    let session = Session { loads: vec![plan], warm_up_ns, interval_ns: None, cut_least_ns: 0 };
    let outcome = session.run(&Silent, &AtomicBool::new(false)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let metrics = load.metrics(&outcome.loads[0], outcome.window);
    drop(prepared);
    fixtures.remove(&needs.fixtures).unwrap();
    assert_eq!(left(), 0, "{name} left something");
    metrics
}

/// Those that drive an array, which no file of a test is. Their trials are stories of the guest
/// (`crates/cli/tests/guest/rebuild.rs`).
const OF_ARRAYS: &[&str] = &["disk.rebuild"];

fn is_of_arrays(workload: &dyn Workload) -> bool {
    OF_ARRAYS.contains(&workload.spec().name.as_str())
}

#[test]
fn what_drives_an_array_says_so_at_its_defaults() {
    for workload in TABLE.iter().filter(|w| is_of_arrays(**w)) {
        let problem = Load::new(*workload, defaults(*workload), 2).unwrap().survey(&host()).unwrap_err();
        assert!(problem.message.contains("takes a stack with an array"), "{problem:?}");
    }
    assert_eq!(TABLE.iter().filter(|w| is_of_arrays(**w)).count(), OF_ARRAYS.len());
}

#[test]
fn every_workload_runs_at_its_defaults_and_leaves_nothing() {
    for workload in TABLE.iter().filter(|w| !has_two_ends(**w) && !is_of_arrays(**w)) {
        let (name, headline) = (workload.spec().name, workload.spec().headline);
        // On a busy machine a short window may pass without one operation.
        let windows_s = [0.05, 0.5, 5.0].into_iter();
        let mut measured = windows_s.map(|duration_s| at_defaults(*workload, duration_s));
        let metrics = measured.find(|metrics| metrics.contains_key(&headline));
        let metrics = metrics.unwrap_or_else(|| panic!("{name} gives no {headline}"));
        assert!(metrics[&headline].value > 0.0, "{name}: {metrics:?}");
        has_what_it_says(*workload, &metrics);
    }
}

/// Whether metrics are those of the workload, in their units.
pub(crate) fn has_what_it_says(workload: &dyn Workload, metrics: &BTreeMap<MetricName, Quantity>) {
    let name = workload.spec().name;
    for (metric, quantity) in metrics {
        let spec = workload
            .spec()
            .metric(*metric)
            .unwrap_or_else(|| panic!("{name} gives {metric}, which it does not have"));
        assert_eq!(spec.unit, quantity.unit, "{name} {metric}");
        assert!(quantity.value.is_finite() && quantity.value >= 0.0, "{name} {metric}");
    }
}

#[test]
fn every_workload_with_two_ends_runs_at_its_defaults() {
    for workload in TABLE.iter().filter(|w| has_two_ends(**w)) {
        let name = workload.spec().name;
        let parameters = two_ends::surveyed(*workload, &[("duration", "50ms")]).unwrap();
        assert!(parameters.is_word(ParameterName::new("peer"), "self"), "{name}");
        let both = two_ends::run(*workload, &parameters);
        assert!(both.metric(workload.spec().headline) > 0.0, "{name}: {:?}", both.united.main().metrics);
        for metrics in
            [&both.near.result.main().metrics, &both.far.result.main().metrics, &both.united.main().metrics]
        {
            has_what_it_says(*workload, metrics);
        }
    }
}

#[test]
fn null_forms_are_runnable_without_anything() {
    for workload in TABLE {
        let load = Load::new(*workload, defaults(*workload), 2).unwrap();
        let Some(form) = load.null_form() else { continue };
        let mut null = Load::new(*workload, form, 2).unwrap();
        let needs = null.survey(&host()).unwrap();
        assert!(needs.fixtures.is_empty(), "{}", workload.spec().name);
        let context = LoadContext {
            fixtures: &FixtureStore::new(FIXTURES),
            endpoint: None,
            watch: load::workload::Watch::NONE,
        };
        assert!(null.prepare(&context).is_ok());
    }
}
