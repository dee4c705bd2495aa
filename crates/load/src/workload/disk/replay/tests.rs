//! Replays of small recordings on real files: what is done is what was recorded.

mod special;

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use engine::numa::Confinement;
use engine::outcome::SessionOutcome;
use engine::{LoadPlan, Observer, Session};
use model::plan::{Ownership, ProblemKind};
use model::trial::Timeline;
use model::{FactName, MetricName, Phase};
use tempfile::TempDir;
use trace::event::{Flags, IoDirection, TaskName};
use trace::format::RecordWriter;
use trace::format::saved::{SavedDevice, SavedHeader, SavedWriter};
use trace::{Action, BlockEvent, BlockOperation, Device, TraceRecord};

use super::*;
use crate::fixture::FixtureStore;
use crate::workload::{FIXTURES, Load, Watch, catalogue};

struct Silent;

impl Observer for Silent {
    fn starts(&self, _timeline: Timeline) {}
    fn phase(&self, _phase: Phase, _at_ns: u64) {}
}

/// A folder with a recording and a target of 1 MiB that holds sevens.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir_in(".").unwrap();
        std::fs::write(folder.path().join("target"), vec![7u8; 1 << 20]).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Writes an iolog of these files, each `TIME FILE ACTION OFFSET LENGTH` a line.
    fn iolog(&self, files: &[&str], lines: &str) {
        let mut text = "fio version 3 iolog\n".to_owned();
        for action in ["add", "open"] {
            files.iter().for_each(|file| text.push_str(&format!("0 {file} {action}\n")));
        }
        std::fs::write(self.path("log"), text + lines).unwrap();
    }

    /// The defaults with these changes.
    fn parameters(&self, changes: &[(&str, &str)]) -> Parameters {
        let mut parameters = Parameters::default();
        let (log, target) = (self.text("log"), self.text("target"));
        let usual =
            [("replay", log.as_str()), ("target", target.as_str()), ("engine", "sync"), ("direct", "no")];
        for spec in catalogue().parameters(&spec::SPEC) {
            let of = |all: &[(&str, &str)]| {
                all.iter().find(|(name, _)| *name == spec.name.as_str()).map(|(_, text)| (*text).to_owned())
            };
            let text = of(changes).or_else(|| of(&usual)).or_else(|| spec.default.map(str::to_owned));
            let Some(text) = text else { continue };
            let mut parts: Vec<Value> = text.split('+').map(|part| spec.parse(part).unwrap()).collect();
            let value = if parts.len() == 1 { parts.remove(0) } else { Value::List(parts) };
            parameters.set(spec.name, value);
        }
        parameters
    }

    fn survey(&self, changes: &[(&str, &str)], host: &HostInfo) -> Result<(Load, Requirements), Problem> {
        let mut load = Load::new(&Replay, self.parameters(changes), 2)?;
        let needs = load.survey(host)?;
        Ok((load, needs))
    }

    /// Why it cannot be done.
    fn refused(&self, changes: &[(&str, &str)]) -> Problem {
        match self.survey(changes, &host(&[])) {
            Err(problem) => problem,
            Ok((load, _)) => panic!("{changes:?} may be done: {:?}", load.parameters),
        }
    }

    /// Does it, with what was given up.
    fn play(&self, changes: &[(&str, &str)], destroy: &[String]) -> Played {
        let host = host(destroy);
        let (surveyed, needs) =
            self.survey(changes, &host).unwrap_or_else(|problem| panic!("{changes:?}: {problem:?}"));
        let mut fixtures = FixtureStore::new(FIXTURES);
        needs.fixtures.iter().for_each(|key| fixtures.make(key, &host, &mut |_| true).unwrap());
        // As an agent does: the parameters are read again, and nothing is surveyed.
        let load = Load::new(&Replay, surveyed.parameters, 2).unwrap();
        let context = LoadContext { fixtures: &fixtures, endpoint: None, watch: Watch::NONE };
        let prepared = load.prepare(&context).unwrap();
        assert!(prepared.counts_from_start());
        let plan = LoadPlan {
            prepared: &*prepared,
            cpus: vec![None; prepared.workers(load.schedule.threads as usize)],
            confinement: Confinement::default(),
            rate: load.schedule.open_loop(),
            stop: load.schedule.stop(),
            seed: 1,
        };
        let session = Session { loads: vec![plan], warm_up_ns: 0, interval_ns: None, cut_least_ns: 0 };
        let outcome = session.run(&Silent, &AtomicBool::new(false)).unwrap();
        let seen = prepared.seen(outcome.window);
        let mut metrics = load.metrics(&outcome.loads[0], outcome.window);
        metrics.extend(seen.metrics);
        let mut facts: BTreeMap<FactName, Value> = prepared.facts().into_iter().collect();
        facts.extend(seen.facts);
        Played { outcome, metrics, facts, profile: load.profile() }
    }
}

/// What came of a replay.
struct Played {
    outcome: SessionOutcome,
    metrics: Metrics,
    facts: BTreeMap<FactName, Value>,
    profile: LoadProfile,
}

impl Played {
    fn count(&self, fact: &'static str) -> u64 {
        match self.facts.get(&FactName::new(fact)) {
            Some(Value::Integer(count)) => *count,
            other => panic!("{fact}: {other:?}"),
        }
    }

    fn told(&self, fact: &'static str) -> Option<&str> {
        match self.facts.get(&FactName::new(fact)) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn metric(&self, name: &'static str) -> Option<f64> {
        self.metrics.get(&MetricName::new(name)).map(|quantity| quantity.value)
    }

    fn seconds(&self) -> f64 {
        // From when the first operation was due.
        (self.outcome.window.end_ns - self.outcome.timeline.start_ns) as f64 / 1e9
    }
}

fn host(destroy: &[String]) -> HostInfo {
    HostInfo { cpus: 2, memory_available: 1 << 30, destroy: destroy.to_vec(), ..HostInfo::default() }
}

/// Six operations within 50 ms: three reads, two writes, a sync.
const SIX: &str = "\
10000 a read 0 4096
20000 a write 8192 4096
30000 a read 65536 16384
40000 a write 16384 8192
50000 a datasync 0 0
60000 a read 4096 4096
";

#[test]
fn what_is_played_is_what_was_recorded() {
    let place = Place::new();
    place.iolog(&["a"], SIX);
    let destroy = [place.text("target")];
    for (engine, threads, speed) in
        [("sync", "1", "1"), ("auto", "2", "1"), ("auto", "1", "max"), ("sync", "3", "max")]
    {
        let changes = [("engine", engine), ("threads", threads), ("speed", speed)];
        let played = place.play(&changes, &destroy);
        let told = format!("{changes:?}");
        for (fact, count) in [
            ("recorded_reads", 3),
            ("recorded_writes", 2),
            ("recorded_syncs", 1),
            ("played_reads", 3),
            ("played_writes", 2),
            ("played_syncs", 1),
            ("played_discards", 0),
            ("played_bytes_read", 4096 + 16384 + 4096),
            ("played_bytes_written", 4096 + 8192),
            ("moved_places", 0),
        ] {
            assert_eq!(played.count(fact), count, "{told}: {fact}");
        }
        let of = &played.outcome.loads[0];
        assert_eq!((of.completions, of.operations.round()), (5, 5.0), "{told}: a sync is no operation");
        let bytes: f64 = of.bytes;
        assert_eq!(bytes.round(), (24576 + 12288) as f64, "{told}");
        assert_eq!(played.told("places"), Some("as recorded"), "{told}");
        assert_eq!(played.metric("recorded_latency_p50"), None, "an iolog says nothing of it");
        // As fast as possible nothing is due, so nothing is late.
        assert_eq!(played.metric("late_share").is_some(), speed == "1", "{told}");
    }
    // Only what was written is changed.
    let target = std::fs::File::open(place.path("target")).unwrap();
    let is_kept = |offset: u64, bytes: usize| {
        let mut found = vec![0; bytes];
        target.read_exact_at(&mut found, offset).unwrap();
        found.iter().all(|byte| *byte == 7)
    };
    assert!(is_kept(0, 8192) && is_kept(12288, 4096) && is_kept(24576, (1 << 20) - 24576));
    assert!(!is_kept(8192, 4096) && !is_kept(16384, 8192));
}

#[test]
fn operations_are_due_when_they_were_recorded_or_faster() {
    let place = Place::new();
    place.iolog(&["a"], SIX);
    let took = |speed: &str| {
        let played = place.play(&[("speed", speed), ("writes", "skip")], &[]);
        assert_eq!(played.count("played_reads"), 3, "{speed}");
        assert_eq!(played.told("left_out"), Some("writes and syncs: 3 (writes=skip)"));
        let rate = played.profile.concurrency.rate_per_s;
        (played.seconds(), played.profile.concurrency.arrival, rate)
    };
    // From the first operation to the last they are 50 ms apart, and no machine makes that shorter.
    let (usual_s, arrival, rate) = took("1");
    assert!(usual_s >= 0.05, "{usual_s}");
    assert_eq!((arrival, rate), (Arrival::Open, Some(3.0 / 0.06)));
    let (half_s, _, rate) = took("0.5x");
    assert!(half_s >= 0.1, "{half_s}");
    assert_eq!(rate, Some(1.5 / 0.06));
    // Twice as fast is 25 ms; a busy machine may take longer, but the same sleep is not in it.
    let (fast_s, ..) = took("2x");
    assert!(fast_s >= 0.025, "{fast_s}");
    assert_eq!(took("max").1, Arrival::Closed);
}

#[test]
fn a_recording_is_repeated_or_ends_after_a_time_or_a_count() {
    let place = Place::new();
    place.iolog(&["a"], "0 a read 0 4096\n1000 a read 4096 4096\n2000 a read 8192 4096\n");
    let reads = |changes: &[(&str, &str)]| {
        let played = place.play(changes, &[]);
        assert_eq!(played.outcome.loads[0].completions, played.count("played_reads"));
        (played.count("played_reads"), played.seconds())
    };
    let (count, seconds) = reads(&[("repeat", "4")]);
    assert_eq!(count, 12);
    // A pass begins one gap behind the one before it.
    assert!(seconds >= 0.011, "{seconds}");
    assert_eq!(reads(&[("repeat", "4"), ("threads", "5"), ("speed", "max")]).0, 12);
    for requests in ["2", "7"] {
        let (count, _) = reads(&[("requests", requests), ("until", "time"), ("threads", "2")]);
        assert_eq!(count.to_string(), requests);
    }
    let played = place.play(&[("until", "time"), ("duration", "50ms"), ("speed", "0.1")], &[]);
    // At 0, 10, 20, 30, 40 ms; one at the very end may still begin.
    assert!((1..=6).contains(&played.count("played_reads")), "{}", played.count("played_reads"));
}

#[test]
fn a_target_that_is_too_small_is_refused_unless_a_rule_is_given() {
    let place = Place::new();
    let far = 3 << 20;
    place.iolog(&["a"], &format!("0 a read 4096 4096\n1 a read {far} 4096\n2 a read {} 8192\n", far + 8192));
    let problem = place.refused(&[]);
    assert_eq!(problem.kind, ProblemKind::Refused);
    assert!(problem.message.contains("reaches to 3"), "{problem:?}");
    assert!(problem.help.contains("map=wrap") && problem.help.contains("map=scale"), "{problem:?}");
    let wrapped = place.play(&[("map", "wrap")], &[]);
    assert_eq!((wrapped.count("played_reads"), wrapped.count("moved_places")), (3, 2));
    assert_eq!(wrapped.told("places"), Some("modulo 1048576"));
    let scaled = place.play(&[("map", "scale")], &[]);
    assert_eq!((scaled.count("played_reads"), scaled.count("moved_places")), (3, 3));
    assert_eq!(scaled.count("played_bytes_read"), 16384);
    // A file of ours is as large as the recording reaches.
    let folder = place.folder.path().to_str().unwrap();
    let (load, needs) = place.survey(&[("target", folder)], &host(&[])).unwrap();
    assert_eq!(load.parameters.integer(named("size")), Ok(far + 16384));
    assert_eq!(needs.fixtures[1].ownership, Ownership::Created);
    assert_eq!(place.folder.path().read_dir().unwrap().count(), 2, "the survey made something");
}

#[test]
fn writes_are_refused_before_anything_unless_the_target_was_given_up() {
    let place = Place::new();
    place.iolog(&["a"], SIX);
    let problem = place.refused(&[]);
    assert_eq!(problem.kind, ProblemKind::Refused);
    assert!(problem.message.contains("the recording's 2 writes"), "{problem:?}");
    assert!(problem.message.contains("writes=skip or writes=read"), "{problem:?}");
    assert!(problem.help.contains("--destroy"), "{problem:?}");
    let read = place.play(&[("writes", "read")], &[]);
    assert_eq!((read.count("played_reads"), read.count("played_writes")), (5, 0));
    assert_eq!(read.count("played_bytes_read"), 24576 + 12288);
    assert_eq!(read.told("left_out"), Some("syncs: 1 (writes=read)"));
    assert_eq!(std::fs::read(place.path("target")).unwrap(), vec![7u8; 1 << 20]);
    // A recording of reads asks nobody for anything.
    place.iolog(&["a"], "0 a read 0 4096\n");
    let (_, needs) = place.survey(&[], &host(&[])).unwrap();
    assert_eq!(needs.fixtures[1].ownership, Ownership::Borrowed);
    assert_eq!(needs.effect, Effect::Clean);
}

#[test]
fn discards_are_left_out_of_files_and_told() {
    let place = Place::new();
    place.iolog(&["a"], "0 a read 0 4096\n5 a trim 0 1073741824\n");
    let folder = place.folder.path().to_str().unwrap();
    let played = place.play(&[], &[]);
    assert_eq!((played.count("recorded_discards"), played.count("played_discards")), (1, 0));
    assert_eq!(played.told("left_out"), Some("discards: 1"));
    let problem = place.refused(&[("discards", "play"), ("map", "wrap"), ("target", folder), ("size", "1m")]);
    assert!(problem.message.contains("no block device"), "{problem:?}");
}

#[test]
fn files_of_a_recording_lie_side_by_side_or_have_targets_of_their_own() {
    let place = Place::new();
    place.iolog(&["a", "b"], "0 a read 0 4096\n1 b read 512 4096\n2 b read 8192 512\n");
    let together = place.play(&[], &[]);
    assert_eq!(together.count("played_reads"), 3);
    assert_eq!(together.told("places"), Some("as recorded, 2 sources side by side"));
    std::fs::write(place.path("other"), vec![1u8; 65536]).unwrap();
    let both = format!("a={}+b={}", place.text("target"), place.text("other"));
    let apart = place.play(&[("target", both.as_str())], &[]);
    assert_eq!(apart.count("played_reads"), 3);
    let parts = &apart.outcome.loads[0].parts;
    let done: Vec<_> = parts.iter().map(|part| part.outcome.completions).collect();
    assert_eq!(done, [1, 2]);
    assert_eq!(apart.profile.targets, 2);
    let one = format!("b={}", place.text("other"));
    let only = place.play(&[("target", one.as_str())], &[]);
    assert_eq!(only.count("played_reads"), 2);
    // A microsecond apart, whenever the first of them was.
    assert_eq!(only.metric("recorded_iops").map(f64::round), Some(1e6));
    assert_eq!(only.told("left_out"), Some("operations of a: 1 (it has no target)"));
    let spelled = format!("a={}+b={}/./target", place.text("target"), place.folder.path().display());
    let twice = place.refused(&[("target", spelled.as_str())]);
    assert!(twice.message.contains("in different spellings"), "{twice:?}");
    let unknown = place.refused(&[("target", format!("c={}", place.text("other")).as_str())]);
    assert!(unknown.message.contains("no `c`") && unknown.help.contains("a, b"), "{unknown:?}");
    let several = format!("{}+{}", place.text("target"), place.text("other"));
    let unsaid = place.refused(&[("target", several.as_str())]);
    assert!(unsaid.help.contains("NAME=TARGET"), "{unsaid:?}");
}

/// Bug: the mean of several sizes was told as the size of every operation.
#[test]
fn operations_of_several_sizes_are_not_said_to_have_one() {
    let place = Place::new();
    let sizes = |lines: &str, align: &[(&str, &str)]| {
        place.iolog(&["a"], lines);
        let (load, _) = place.survey(align, &host(&[place.text("target")])).unwrap();
        let flows = load.profile().flows;
        flows.iter().map(|flow| flow.sizes.iter().map(|size| size.bytes).collect()).collect::<Vec<Vec<u64>>>()
    };
    let alike = "0 a read 0 4096\n1 a write 8192 4096\n2 a datasync 0 0\n";
    assert_eq!(sizes(alike, &[]), [[4096], [4096]]);
    assert_eq!(sizes(SIX, &[]), [[0u64; 0], []]);
    assert_eq!(sizes(alike, &[("align", "8k")]), [[0u64; 0], []], "they have become larger");
}

#[test]
fn syncs_are_refused_where_completions_are_polled_for() {
    let place = Place::new();
    place.iolog(&["a"], SIX);
    let digest = Digest::read(&place.path("log")).unwrap();
    let checked = |writes: &str| {
        let parameters = place.parameters(&[("iopoll", "yes"), ("direct", "yes"), ("writes", writes)]);
        let plan = ReplayPlan::of(&parameters, &LoadSchedule::of(&parameters, 2).unwrap()).unwrap();
        let layouts = layout::of(&plan, &digest).unwrap();
        let disk = plan.of_target(&layouts[0], 1).unwrap();
        let problem = check_polled(&layouts[0], &disk).err();
        problem.is_some_and(|problem| problem.message.contains("has syncs"))
    };
    assert!(checked("play") && !checked("read") && !checked("skip"));
}

#[test]
fn blocks_that_the_target_does_not_move_are_refused_or_aligned() {
    let place = Place::new();
    place.iolog(&["a"], "0 a read 100 1000\n1 a read 5000 200\n");
    let problem = place.refused(&[("direct", "yes")]);
    assert_eq!(problem.kind, ProblemKind::Invalid);
    assert!(problem.message.contains("steps of 100 bytes"), "{problem:?}");
    assert!(problem.help.contains("align="), "{problem:?}");
    assert_eq!(place.play(&[], &[]).count("played_bytes_read"), 1200);
    let aligned = place.play(&[("align", "4k")], &[]);
    assert_eq!(aligned.count("played_bytes_read"), 8192);
    assert_eq!(aligned.told("places"), Some("as recorded, whole blocks of 4096"));
}

#[test]
fn what_is_no_recording_or_has_no_times_is_told() {
    let place = Place::new();
    let none = Load::new(&Replay, Parameters::default(), 2).unwrap().survey(&host(&[])).unwrap_err();
    assert!(none.help.contains("--replay FILE"), "{none:?}");
    std::fs::write(place.path("log"), "no log\n").unwrap();
    assert!(place.refused(&[]).message.contains("no recording that is known here"));
    std::fs::write(
        place.path("log"),
        "fio version 2 iolog\na add\na open\na read 0 4096\na read 4096 4096\n",
    )
    .unwrap();
    let problem = place.refused(&[]);
    assert!(problem.help.contains("speed=max"), "{problem:?}");
    assert_eq!(place.play(&[("speed", "max")], &[]).count("played_reads"), 2);
    place.iolog(&["a"], "0 a read 0 4096\n10 a rea");
    let played = place.play(&[], &[]);
    assert_eq!(played.count("played_reads"), 1);
    assert_eq!(played.told("recording_torn"), Some("it ends within line 5"));
    let problem = place.refused(&[("rate", "100/s")]);
    assert!(problem.help.contains("speed=2"), "{problem:?}");
}

/// Reads of one device, a millisecond apart, each with its completion `took_ns` later.
fn saved(path: &Path, took_ns: &[u64]) {
    let device = Device { major: 8, minor: 0 };
    let header = SavedHeader {
        devices: vec![SavedDevice { device, name: "sda".to_owned(), ..SavedDevice::default() }],
        ..SavedHeader::default()
    };
    let mut writer = SavedWriter::new(std::fs::File::create(path).unwrap(), &header).unwrap();
    let mut events: Vec<(u64, Action, u64)> = Vec::new();
    for (n, took) in (0u64..).zip(took_ns) {
        events.push((n * 1_000_000, Action::Queue, n * 8));
        events.push((n * 1_000_000 + took, Action::Complete, n * 8));
    }
    events.sort_by_key(|(time_ns, ..)| *time_ns);
    for (time_ns, action, sector) in events {
        let event = BlockEvent {
            time_ns,
            cpu: 0,
            action,
            device: Some(device),
            sector,
            bytes: 4096,
            operation: BlockOperation { direction: IoDirection::Read, flags: Flags::default() },
            thread: 1,
            task: TaskName::default(),
            error: 0,
        };
        writer.record(&TraceRecord::Block(event)).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn the_recorded_device_stands_beside_this_one() {
    let place = Place::new();
    // Half of them took an hour, which none takes here; the others a nanosecond, which nothing does.
    let hour_ns = 3_600_000_000_000;
    let took: Vec<u64> = (0..40).map(|n| if n % 2 == 0 { 1 } else { hour_ns }).collect();
    saved(&place.path("log"), &took);
    let played = place.play(&[("speed", "max"), ("engine", "auto")], &[]);
    assert_eq!(played.told("recording_format"), Some("headroom"));
    assert_eq!((played.count("played_reads"), played.count("slower_operations")), (40, 20));
    assert_eq!(played.metric("slower_share"), Some(0.5));
    assert_eq!(played.metric("recorded_latency_p50"), Some(1e-9));
    assert_eq!(played.metric("recorded_latency_p99"), None, "of 40 operations nobody knows it");
    let rate = played.metric("recorded_iops").unwrap();
    assert!((rate - 1000.0).abs() < 1e-6, "{rate}");
    // As many at once as there were: those that took an hour, and the last of the others.
    assert_eq!(played.profile.concurrency.depth, Some(20));
    for name in played.metrics.keys() {
        assert!(spec::SPEC.metric(*name).is_some(), "{name} is not described");
    }
}

#[test]
fn regression_one_operation_was_told_in_the_plural() {
    assert_eq!([0, 1, 2].map(|count| counted(count, "sync")), ["0 syncs", "1 sync", "2 syncs"]);
}
