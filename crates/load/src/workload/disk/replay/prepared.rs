//! A replay that is ready: its recording is in memory, its targets are open.

use std::fs::File;
use std::sync::{Arc, Mutex};

use engine::fault::Fault;
use engine::load::SideMetrics;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::{DueTimes, WorkerIndex};
use engine::stop::StopRule;
use engine::{Prepared, Worker, lock};
use model::plan::{FixtureKey, Ownership};
use model::trial::Window;
use model::{FactName, MetricName, Quantity, Unit, Value, fact, metric};
use stats::histogram::{new_latency, percentile};

use crate::workload::LoadContext;
use crate::workload::disk::access::Access;
use crate::workload::disk::content::Content;
use crate::workload::disk::files::{DEVICE, Files};
use crate::workload::disk::io_engine::{self, Engine};
use crate::workload::disk::job::Job;
use crate::workload::disk::pattern::{KINDS, Kind, classes_of};
use crate::workload::disk::plan::DiskPlan;
use crate::workload::disk::playback::{Counts, Course, Playback, Step, WorkerTimes};
use crate::workload::disk::replay::layout::{self, Layout};
use crate::workload::disk::replay::plan::{ReplayPlan, Writes};
use crate::workload::disk::replay::recording::Recording;
use crate::workload::disk::replay::{Known, spec};
use crate::workload::disk::{reopen, residency, share_out, target};

/// A target and what is done there.
#[derive(Debug)]
struct ReplayTarget {
    name: String,
    is_device: bool,
    /// Whether we made and wrote it.
    ours: bool,
    plan: DiskPlan,
    files: Vec<File>,
    access: Access,
    course: Arc<Course>,
    /// What its workers did.
    tally: Arc<Mutex<Counts>>,
}

#[derive(Debug)]
pub(super) struct PreparedReplay {
    engine: &'static Engine,
    targets: Vec<ReplayTarget>,
    /// Whether operations are due when they were recorded.
    is_timed: bool,
    classes: &'static [Class],
    /// Which of them each kind is of.
    class_of: [u8; KINDS],
    facts: Vec<(FactName, Value)>,
}

/// Makes a replay ready that was surveyed; what is known of its recording is the second.
pub(super) fn make(
    plan: &ReplayPlan,
    key: &FixtureKey,
    given: &LoadContext<'_>,
) -> Result<(PreparedReplay, Known), Fault> {
    let engine = plan.engine.ok_or_else(|| Fault::Other("nobody chose an engine".to_owned()))?;
    let recording = given.fixtures.find::<Recording>(key);
    let recording = recording.ok_or_else(|| target::changed(&key.target))?;
    let digest = recording.digest.clone();
    let layouts = layout::of(plan, &digest)?;
    let courses = courses(plan, recording, &layouts);
    let depth = plan.depth(&digest, &layouts);
    let mut targets = Vec::with_capacity(layouts.len());
    let mut facts = facts(plan, recording, &layouts, engine);
    for (layout, course) in layouts.iter().zip(courses) {
        let mut disk = plan.of_target(layout, depth)?;
        target::resolve_sizes(&mut disk, layout.bytes);
        let access = Access::of(&disk)?;
        let (name, tally) = (layout.path.clone(), Arc::default());
        let mut ready = ReplayTarget {
            name,
            is_device: layout.is_device,
            ours: false,
            plan: disk,
            files: Vec::new(),
            access,
            course: Arc::new(course),
            tally,
        };
        if engine.drives {
            open(&mut ready, given, &mut facts)?;
        }
        targets.push(ready);
    }
    let (classes, class_of) = classes_of(|kind| layouts.iter().any(|layout| does(plan, layout, kind)));
    let is_timed = plan.speed.is_some();
    let prepared = PreparedReplay { engine, targets, is_timed, classes, class_of, facts };
    Ok((prepared, Known { digest, layouts }))
}

/// Whether operations of this kind are done on a target.
fn does(plan: &ReplayPlan, layout: &Layout, kind: Kind) -> bool {
    let recorded = |kind: Kind| layout.operations[kind as usize] > 0;
    let as_reads = plan.writes == Writes::Read;
    match kind {
        Kind::Read => recorded(Kind::Read) || as_reads && recorded(Kind::Write),
        Kind::Write => !as_reads && recorded(Kind::Write),
        other => recorded(other),
    }
}

/// Opens the files of a target.
fn open(
    ready: &mut ReplayTarget,
    given: &LoadContext<'_>,
    facts: &mut Vec<(FactName, Value)>,
) -> Result<(), Fault> {
    let how = ready.plan.open_mode();
    for key in target::keys(&ready.plan)? {
        let fixture = given.fixtures.find::<Files>(&key).ok_or_else(|| target::changed(&key.target))?;
        ready.files = fixture.open(how)?;
        if !how.direct {
            ready.files.iter().try_for_each(reopen::forget_cached)?;
        }
        facts.extend(fixture.facts());
        ready.is_device = key.kind == DEVICE;
        ready.ours = key.ownership == Ownership::Created;
    }
    Ok(())
}

/// What of the recording each target gets.
fn courses(plan: &ReplayPlan, recording: &Recording, layouts: &[Layout]) -> Vec<Course> {
    let chosen: Vec<Option<Vec<u32>>> =
        layouts.iter().map(|layout| chosen(plan, recording, layout)).collect();
    let len = |chosen: &Option<Vec<u32>>| chosen.as_ref().map_or(recording.steps.len(), Vec::len) as u64;
    let all: u64 = chosen.iter().map(len).sum();
    let mut before = 0;
    let mut courses = Vec::with_capacity(layouts.len());
    for (layout, chosen) in layouts.iter().zip(chosen) {
        let own = len(&chosen);
        courses.push(Course {
            steps: Arc::clone(&recording.steps),
            chosen,
            placement: layout.placement.clone(),
            writes_as_reads: plan.writes == Writes::Read,
            forces: plan.forces(),
            pass_ns: recording.digest.pass_ns(),
            speed: plan.speed.unwrap_or(1.0),
            end: plan.end((before, own, all)),
        });
        before += own;
    }
    courses
}

/// The numbers of the operations of a target; nothing where they are all of them.
fn chosen(plan: &ReplayPlan, recording: &Recording, layout: &Layout) -> Option<Vec<u32>> {
    let all = layout.sources.len() == recording.digest.sources.len();
    let own: u64 = layout.operations.iter().sum();
    if all && own == recording.digest.steps {
        return None;
    }
    let mut is_own = vec![false; recording.digest.sources.len()];
    layout.sources.iter().for_each(|n| is_own[*n] = true);
    let is_chosen = |step: &Step| is_own[usize::from(step.source)] && plan.plays(step.kind);
    let mut numbers = Vec::with_capacity(own as usize);
    numbers.extend((0u32..).zip(recording.steps.iter()).filter(|(_, s)| is_chosen(s)).map(|(n, _)| n));
    Some(numbers)
}

/// What is known before anything runs.
fn facts(
    plan: &ReplayPlan,
    recording: &Recording,
    layouts: &[Layout],
    engine: &Engine,
) -> Vec<(FactName, Value)> {
    let digest = &recording.digest;
    let sum = |kind: Kind| -> u64 { digest.sources.iter().map(|s| s.operations[kind as usize]).sum() };
    let seconds = (digest.length_ns as f64 / 1e6).round() / 1e3;
    let mut facts = vec![
        (FactName::new("recording_format"), Value::from(digest.found.format)),
        (FactName::new("recording_length"), seconds.into()),
        (FactName::new("recorded_reads"), sum(Kind::Read).into()),
        (FactName::new("recorded_writes"), sum(Kind::Write).into()),
        (FactName::new("recorded_discards"), sum(Kind::Trim).into()),
        (FactName::new("recorded_syncs"), sum(Kind::Sync).into()),
        (FactName::new("recorded_zeroes"), sum(Kind::Zero).into()),
        (FactName::new("recorded_forced_writes"), digest.found.forced.into()),
        (FactName::new("places"), layout::rule(layouts).into()),
    ];
    let mut tell = |name: &'static str, value: Option<Value>| {
        facts.extend(value.map(|value| (FactName::new(name), value)));
    };
    tell("left_out", layout::left_out(plan, digest, layouts).map(Value::from));
    tell("recording_torn", digest.found.torn.clone().map(Value::from));
    tell("recording_lacks", (digest.found.lost > 0).then(|| digest.found.lost.into()));
    tell("replaced", layout::replaced(plan, digest).map(Value::from));
    let is_timed = recording.steps.iter().any(|step| step.latency_ns > 0.0);
    let why = if digest.found.has_ends { fact::NOT_RECORDED } else { fact::NOT_IN_FORMAT };
    facts.extend((!is_timed).then(|| (fact::RECORDED_TIMES_UNKNOWN, why.into())));
    facts.extend(io_engine::forbidden(engine).map(|why| (fact::ENGINE_FORBIDDEN, why.into())));
    facts
}

impl PreparedReplay {
    fn target_of(&self, worker: WorkerIndex) -> (usize, WorkerIndex) {
        share_out(worker, self.targets.len())
    }

    /// How much of what is touched the page cache holds, for loads that go through it.
    fn cached(&self, name: FactName) -> Option<(FactName, Value)> {
        let through_cache = self.targets.iter().filter(|target| !target.plan.is_direct());
        let files = through_cache.flat_map(|target| target.files.iter().map(move |file| (target, file)));
        let shares: Vec<f64> = files
            .map(|(target, file)| residency::cached_share(file, target.access.range().1))
            .collect::<Option<_>>()?;
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        (!shares.is_empty()).then_some((name, Value::Number((mean * 1000.0).round() / 1000.0)))
    }

    /// What was done, all targets together.
    fn counts(&self) -> Counts {
        let mut all = Counts::default();
        self.targets.iter().for_each(|target| all.add(&lock(&target.tally)));
        all
    }

    /// How long the operations that were done took when they were recorded, and how many of them there
    /// were a second.
    fn recorded(&self, add: &mut dyn FnMut(MetricName, f64, Unit)) {
        let mut latency = new_latency();
        let (mut counted, mut first_ns, mut last_ns) = (0u64, u64::MAX, 0);
        for target in &self.targets {
            let done: u64 = lock(&target.tally).operations.iter().sum();
            let (course, within) = (&target.course, done.min(target.course.len()));
            for (step, _) in (0..within).filter_map(|number| course.step(number)) {
                if step.kind == Kind::Sync {
                    continue;
                }
                counted += 1;
                (first_ns, last_ns) = (first_ns.min(step.due_ns), last_ns.max(step.due_ns));
                if step.latency_ns > 0.0 {
                    latency.saturating_record(step.latency_ns.round() as u64);
                }
            }
        }
        for (name, percent) in [(spec::RECORDED_P50, 50.0), (spec::RECORDED_P99, 99.0)] {
            if let Some(ns) = percentile(&latency, percent) {
                add(name, ns / 1e9, Unit::Seconds);
            }
        }
        // From the first to the last one there are as many gaps as operations, less one.
        if counted > 1 && last_ns > first_ns {
            let seconds = (last_ns - first_ns) as f64 / 1e9;
            add(spec::RECORDED_IOPS, (counted - 1) as f64 / seconds, Unit::PerSecond);
        }
    }
}

impl Prepared for PreparedReplay {
    fn operation_bytes(&self) -> u64 {
        self.targets.first().map_or(0, |target| target.plan.mean_block())
    }

    fn classes(&self) -> &'static [Class] {
        self.classes
    }

    fn stages(&self) -> Option<[MetricName; 2]> {
        Some([metric::SUBMIT_LATENCY, metric::DEVICE_LATENCY])
    }

    /// The recording begins with its first operation.
    fn counts_from_start(&self) -> bool {
        true
    }

    fn due_times(&self, worker: WorkerIndex) -> Option<Arc<dyn DueTimes>> {
        let (index, worker) = self.target_of(worker);
        let course = Arc::clone(&self.targets.get(index).filter(|_| self.is_timed)?.course);
        Some(Arc::new(WorkerTimes { course, worker }))
    }

    fn parts(&self) -> Vec<String> {
        self.targets.iter().map(|target| target.name.clone()).collect()
    }

    fn part_of(&self, worker: WorkerIndex) -> usize {
        self.target_of(worker).0
    }

    fn workers(&self, threads: usize) -> usize {
        threads * self.targets.len().max(1)
    }

    fn stop(&self, rule: StopRule) -> StopRule {
        // Which operation is whose is decided before: their due times are. Behind the last one nothing is due.
        let has_end = self.targets.iter().all(|target| target.course.end.is_some());
        match rule {
            StopRule::Operations(_) => StopRule::End,
            StopRule::FollowMain if has_end => StopRule::End,
            other => other,
        }
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = self.facts.clone();
        facts.extend(self.cached(FactName::new("cached_share_before")));
        facts
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        self.cached(fact::CACHED_SHARE_AFTER).into_iter().collect()
    }

    fn seen(&self, _window: Window) -> SideMetrics {
        let mut seen = SideMetrics::default();
        let counts = self.counts();
        let facts = [
            ("played_reads", counts.operations[Kind::Read as usize]),
            ("played_writes", counts.operations[Kind::Write as usize]),
            ("played_discards", counts.operations[Kind::Trim as usize]),
            ("played_syncs", counts.operations[Kind::Sync as usize]),
            ("played_zeroes", counts.operations[Kind::Zero as usize]),
            ("played_forced_writes", counts.forced),
            ("zeroes_written", counts.zeros_written),
            ("played_bytes_read", counts.bytes[Kind::Read as usize]),
            ("played_bytes_written", counts.bytes[Kind::Write as usize]),
            ("moved_places", counts.moved),
            ("slower_operations", counts.slower),
        ];
        seen.facts.extend(facts.map(|(name, count)| (FactName::new(name), Value::from(count))));
        let mut add = |name: MetricName, value: f64, unit: Unit| {
            seen.metrics.insert(name, Quantity { value, unit });
        };
        self.recorded(&mut add);
        if counts.compared > 0 {
            add(spec::SLOWER_SHARE, counts.slower as f64 / counts.compared as f64, Unit::One);
        }
        seen
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, own) = self.target_of(worker);
        let target = self.targets.get(index);
        let target = target.ok_or_else(|| Fault::Other("the replay has no target".to_owned()))?;
        let how = target.plan.open_mode();
        let files = target.files.iter().map(|file| reopen::reopen(file, how, &target.name));
        let files = files.collect::<Result<_, _>>()?;
        let options = target.plan.options();
        let tally = Arc::clone(&target.tally);
        let playback = Playback::new(Arc::clone(&target.course), own, options.depth, tally);
        let access = target.access.clone().for_seat(own, seed);
        let job = Job {
            classes: self.class_of,
            device: target.is_device,
            playback: Some(Box::new(playback)),
            ..Job::new(access, files, &target.name, Content::Random, target.ours)
        };
        (self.engine.worker)(job, &options)
    }
}
