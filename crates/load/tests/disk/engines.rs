//! Every engine of `disk` against real files: each does what every other does.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use engine::numa::Confinement;
use engine::outcome::{LoadOutcome, SessionOutcome};
use engine::{Fault, LoadPlan, Observer, Session};
use load::fixture::FixtureStore;
use load::workload::{FIXTURES, HostInfo, Load, LoadContext, Workload, catalogue, find};
use model::plan::Problem;
use model::trial::Timeline;
use model::{ParameterName, Parameters, Phase, Value, WorkloadName, metric};

struct Silent;

impl Observer for Silent {
    fn starts(&self, _timeline: Timeline) {}
    fn phase(&self, _phase: Phase, _at_ns: u64) {}
}

fn disk() -> &'static dyn Workload {
    find(WorkloadName::new("disk")).unwrap()
}

/// The defaults with these words, as a person writes them.
fn asked(target: &Path, words: &str) -> Parameters {
    let catalogue = catalogue();
    let specs: Vec<_> = catalogue.parameters(disk().spec()).collect();
    let mut parameters = Parameters::default();
    for spec in &specs {
        if let Some(text) = spec.default {
            parameters.set(spec.name, spec.parse(text).unwrap());
        }
    }
    parameters.set(ParameterName::new("target"), target.to_string_lossy().as_ref());
    for word in words.split_whitespace() {
        let (name, text) = word.split_once('=').unwrap();
        let spec = specs.iter().find(|s| s.name == ParameterName::intern(name).unwrap()).unwrap();
        parameters.set(ParameterName::intern(name).unwrap(), spec.parse(text).unwrap());
    }
    parameters
}

fn survey(target: &Path, words: &str) -> Result<Parameters, Problem> {
    let destroy = vec![target.to_string_lossy().into_owned()];
    let host = HostInfo { cpus: 2, memory_available: 1 << 30, destroy, ..HostInfo::default() };
    let mut load = Load::new(disk(), asked(target, words), 2)?;
    load.survey(&host)?;
    Ok(load.parameters)
}

/// One trial of what these words ask for; `before` is called when its files are
/// ready.
fn trial(target: &Path, words: &str, before: impl Fn()) -> Result<SessionOutcome, Fault> {
    let destroy = vec![target.to_string_lossy().into_owned()];
    let host = HostInfo { cpus: 2, memory_available: 1 << 30, destroy, ..HostInfo::default() };
    let mut load = Load::new(disk(), asked(target, words), 2).unwrap();
    let needs = load.survey(&host).unwrap_or_else(|p| panic!("{words}: {p:?}"));
    let mut fixtures = FixtureStore::new(FIXTURES);
    for key in &needs.fixtures {
        fixtures.make(key, &host, &mut |_| true).unwrap();
    }
    let context = LoadContext { fixtures: &fixtures, endpoint: None, watch: load::workload::Watch::NONE };
    let prepared = load.prepare(&context)?;
    let threads = load.schedule.threads as usize;
    let plan = LoadPlan {
        prepared: &*prepared,
        cpus: vec![None; prepared.workers(threads)],
        confinement: Confinement::default(),
        rate: load.schedule.open_loop(),
        stop: load.schedule.stop(),
        seed: 1,
    };
    before();
    let session = Session { loads: vec![plan], warm_up_ns: 0, interval_ns: None, cut_least_ns: 0 };
    session.run(&Silent, &AtomicBool::new(false))
}

fn load(target: &Path, words: &str) -> LoadOutcome {
    trial(target, words, || {}).unwrap_or_else(|e| panic!("{words}: {e}")).loads.remove(0)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// An engine, with the words that make it one of its kinds.
const KINDS: &[&str] = &[
    "engine=io_uring",
    "engine=io_uring queue-depth=7",
    "engine=io_uring queue-depth=7 submit-batch=2 complete-batch=3",
    "engine=io_uring queue-depth=7 registered=no",
    "engine=io_uring queue-depth=7 sqpoll=yes",
    "engine=io_uring queue-depth=7 sqpoll=yes registered=no",
    "engine=aio",
    "engine=aio queue-depth=7",
    "engine=aio queue-depth=7 submit-batch=2 complete-batch=3",
    "engine=sync",
    "engine=mmap",
];

#[test]
fn every_engine_does_so_many_operations_of_every_pattern() {
    let folder = folder();
    let rests = ["", "threads=2", "files=2", "span=512k"];
    for (number, kind) in KINDS.iter().enumerate() {
        for (turn, pattern) in ["randread", "write", "readwrite", "trim"].into_iter().enumerate() {
            let rest = rests[(number + turn) % rests.len()];
            let words = format!("{kind} pattern={pattern} size=1MiB requests=301 {rest}");
            let outcome = load(folder.path(), &words);
            assert_eq!(outcome.completions, 301, "{words}");
            assert_eq!(outcome.latency.len(), 301, "{words}");
        }
    }
}

#[test]
fn every_engine_syncs_after_every_so_many_writes() {
    let folder = folder();
    for kind in KINDS {
        for files in [1, 2] {
            let words = format!(
                "{kind} pattern=randwrite size=1MiB sync=fsync sync-every=4 requests=40 files={files}"
            );
            let outcome = load(folder.path(), &words);
            let of = |name: &str| outcome.histogram(metric::LATENCY.of(name).unwrap()).unwrap().len();
            assert_eq!((of("write"), of("sync")), (40, 10), "{words}");
            assert_eq!(outcome.completions, 40, "{words}");
        }
        let ends = ["sync=dsync", "sync=end", "sync=end direct=no"];
        for rest in ends.into_iter().filter(|rest| !kind.contains("mmap") || rest.contains("direct=no")) {
            let words = format!("{kind} pattern=write size=1MiB until=end {rest}");
            let outcome = load(folder.path(), &words);
            assert_eq!(outcome.completions, 256, "{words}");
            assert_eq!(outcome.settled_ns.is_some(), rest.contains("end"), "{words}");
        }
    }
}

#[test]
fn every_engine_writes_every_block_of_its_target_and_nothing_else() {
    let folder = folder();
    let file = folder.path().join("file");
    for kind in KINDS {
        for direct in ["auto", "no"] {
            std::fs::write(&file, vec![0u8; 1 << 20]).unwrap();
            let words =
                format!("{kind} pattern=write until=end block-size=8k offset=64k span=512k direct={direct}");
            load(&file, &words);
            let bytes = std::fs::read(&file).unwrap();
            assert_eq!(bytes.len(), 1 << 20, "{words}");
            for (index, block) in bytes.chunks(8192).enumerate() {
                let written = block.iter().filter(|b| **b != 0).count() > 8000;
                assert_eq!(written, (8..72).contains(&index), "{words}: block {index}");
            }
        }
    }
}

#[test]
fn every_engine_keeps_an_open_loop() {
    let folder = folder();
    for kind in KINDS {
        let words = format!("{kind} pattern=randread size=1MiB rate=2k/s duration=200ms");
        let outcome = load(folder.path(), &words);
        // 400 are due; a machine that is busy may leave some of them unfinished.
        assert_eq!(outcome.completions + outcome.unfinished, 400, "{words}: {outcome:?}");
        assert!(outcome.service.is_some_and(|h| h.len() == outcome.completions), "{words}");
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn syncs_take_no_places_of_a_rate() {
    let folder = folder();
    for kind in KINDS {
        for every in [1, 4] {
            let words = format!(
                "{kind} pattern=randwrite size=1MiB sync=fsync sync-every={every} rate=400/s duration=250ms"
            );
            let outcome = load(folder.path(), &words);
            let due = outcome.completions + outcome.unfinished;
            assert_eq!(due, 100, "{words}: {} and {}", outcome.completions, outcome.unfinished);
            let syncs = outcome.classes.iter().find(|c| c.class.name == "sync").unwrap();
            let owed = outcome.completions as f64 / f64::from(every);
            assert!((syncs.operations - owed).abs() < 9.0, "{words}: {} syncs", syncs.operations);
            assert!(outcome.late_starts <= due, "{words}: {}", outcome.late_starts);
        }
    }
}

#[test]
fn every_engine_says_that_a_file_ends_too_early() {
    let folder = folder();
    let file = folder.path().join("file");
    // A mapping ends with SIGBUS: see the stories of the command.
    for kind in KINDS.iter().filter(|kind| !kind.contains("mmap")) {
        std::fs::write(&file, vec![7u8; 1 << 20]).unwrap();
        let words = format!("{kind} pattern=read until=end threads=1");
        let cut = || File::options().write(true).open(&file).unwrap().set_len(512 << 10).unwrap();
        let fault = trial(&file, &words, cut).unwrap_err().to_string();
        assert!(fault.starts_with("reading 4096 bytes of "), "{words}: {fault}");
        let told = "at 524288 moved 0 of 4096 bytes: the file ends at 524288, so it was cut short in between";
        assert!(fault.ends_with(told), "{words}: {fault}");
        assert_eq!(std::fs::metadata(&file).unwrap().size(), 512 << 10, "{words}");
    }
}

#[test]
fn engines_say_when_the_kernel_was_given_an_operation() {
    let folder = folder();
    for kind in KINDS {
        let outcome = load(folder.path(), &format!("{kind} pattern=randread size=1MiB requests=100"));
        let stages = [outcome.histogram(metric::SUBMIT_LATENCY), outcome.histogram(metric::DEVICE_LATENCY)];
        if ["engine=sync", "engine=mmap"].contains(kind) {
            assert!(stages.iter().all(|s| s.is_none()), "{kind}: all of its time is the call's");
        } else {
            assert!(stages.iter().all(|s| s.as_ref().is_some_and(|h| h.len() == 100)), "{kind}");
        }
    }
}

#[test]
fn what_only_io_uring_can_do_is_refused_elsewhere() {
    let folder = folder();
    for (words, reason) in [
        ("engine=aio sqpoll=yes", "sqpoll=yes is a matter of io_uring, and the engine is aio"),
        ("engine=sync iopoll=yes", "iopoll=yes is a matter of io_uring, and the engine is sync"),
        ("engine=sync queue-depth=2", "engine=sync does one operation at a time"),
        ("engine=aio queue-depth=100000", "fs.aio-max-nr"),
        ("engine=io_uring queue-depth=4097", "4096, the largest ring"),
    ] {
        let problem = survey(folder.path(), &format!("{words} size=1MiB")).unwrap_err();
        assert!(problem.message.contains(reason), "{words}: {problem:?}");
        assert!(!problem.help.is_empty(), "{words}");
    }
    let chosen = survey(folder.path(), "queue-depth=4 size=1MiB").unwrap();
    assert_eq!(chosen.get(ParameterName::new("engine")), Some(&Value::from("io_uring")));
}

/// Polling as such is tested in the guest, on a device that has queues for it.
#[test]
fn a_target_that_cannot_be_polled_is_refused_with_the_reason() {
    let memory = Path::new("/dev/shm");
    for (words, reason) in [
        ("iopoll=yes direct=no", "the page cache answers"),
        ("iopoll=yes pattern=write sync=fsync", "no fsync"),
    ] {
        let problem = survey(memory, &format!("engine=io_uring {words} size=1MiB")).unwrap_err();
        assert!(problem.message.contains(reason), "{words}: {problem:?}");
    }
    // A file system without a device says so only when it is tried.
    let fault = trial(memory, "engine=io_uring iopoll=yes size=1MiB requests=9", || {}).unwrap_err();
    let told = fault.to_string();
    assert!(
        told.ends_with("operation not supported: this target cannot be polled; leave out iopoll"),
        "{told}"
    );
}

#[test]
fn facts_tell_what_was_granted_and_what_the_figures_leave_out() {
    let folder = folder();
    let told = |words: &str, fact: &str| {
        let outcome = load(folder.path(), &format!("{words} size=1MiB requests=9"));
        outcome.facts.get(&model::FactName::intern(fact).unwrap()).map(ToString::to_string)
    };
    let submission = told("engine=io_uring sqpoll=yes", "submission").unwrap();
    assert!(submission.contains("whose CPU time is not in cpu_per_operation"), "{submission}");
    let submission = told("engine=aio direct=no", "submission").unwrap();
    assert!(submission.starts_with("blocks"), "{submission}");
    assert_eq!(told("engine=aio", "submission"), None);
    assert_eq!(told("engine=io_uring registered=no", "registered_file").as_deref(), Some("no"));
    assert_eq!(
        told("engine=io_uring queue-depth=4 complete-batch=9", "completion_batch").as_deref(),
        Some("4")
    );
    assert_eq!(told("engine=sync", "engine_forbidden"), None, "io_uring may be used here");
}

#[test]
fn mmap_is_the_page_cache_and_says_what_it_cannot_do() {
    let folder = folder();
    let resolved = survey(folder.path(), "engine=mmap size=1MiB").unwrap();
    assert_eq!(resolved.flag(ParameterName::new("direct")), Ok(false));
    assert_eq!(
        survey(folder.path(), "engine=sync size=1MiB").unwrap().flag(ParameterName::new("direct")),
        Ok(true)
    );
    for (words, reason) in [
        ("direct=yes", "goes through the page cache"),
        ("queue-depth=2", "does one operation at a time"),
        ("pattern=write until=full", "does not grow a file"),
        ("pattern=write sync=dsync", "no write call"),
    ] {
        let problem = survey(folder.path(), &format!("engine=mmap size=1MiB {words}")).unwrap_err();
        assert!(problem.message.contains(reason), "{words}: {problem:?}");
    }
    let outcome = load(folder.path(), "engine=mmap pattern=write size=1MiB until=end");
    assert!(outcome.settled_ns.is_some(), "what a mapping holds is brought to the device while time counts");
}
