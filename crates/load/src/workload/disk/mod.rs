//! `disk`: reads, writes and discards of files, sequential and random.

mod access;
mod aligned;
mod alignment;
pub(super) mod content;
pub(in crate::workload) mod device;
pub(in crate::workload) mod distribution;
mod durable;
mod files;
mod filling;
pub mod fixture;
mod identity;
mod io_engine;
pub(in crate::workload) mod io_uring_access;
mod job;
pub mod kept;
mod metrics;
mod nodes;
mod occupied;
mod pattern;
mod plan;
mod playback;
mod precondition;
pub(in crate::workload) mod pseudo;
pub mod rebuild;
pub(in crate::workload) mod reopen;
pub mod replay;
pub(in crate::workload) mod residency;
mod spec;
pub mod stack;
pub(in crate::workload) mod stacked;
mod survey;
mod target;
mod verify;

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::stop::StopRule;
use engine::{Prepared, Worker};

use crate::workload::common::LoadSchedule;
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, catalogue, named};
use access::Access;
use files::DEVICE;
use io_engine::Engine;
use job::Job;
use model::plan::{Effect, Ownership, Problem};
use model::profile::{Caches, Durability, SizeShare, WaitsFor};
use model::scalar::binary;
use model::trial::Window;
use model::{
    FactName, LoadProfile, MetricName, ParameterName, Parameters, Value, WorkloadSpec, fact, metric,
};
use plan::{DiskPlan, SyncRule};
use verify::{Verdict, Verifier};

pub use files::Files;
pub use reopen::OpenMode;
pub(crate) use spec::SPEC;

/// The workload.
#[derive(Debug)]
pub struct Disk;

impl Workload for Disk {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let engine = io_engine::find(parameters.text(named("engine"))?);
        let shape = shape(parameters);
        let plan = DiskPlan::of(parameters, schedule)?;
        if plan.keeps && stacked::has_stack(parameters) {
            return Err(kept::refused(
                "a stack is taken down at the end of the run with all that lies on it",
            ));
        }
        Ok(Box::new(PlannedDisk { engine, plan, shape }))
    }
}

/// What the same load without a disk is called: forms of different cost are told apart.
fn shape(parameters: &Parameters) -> String {
    let shape = ["pattern", "block-size", "queue-depth"].into_iter();
    let shape = shape.filter_map(|name| Some(format!("{name}={}", parameters.get(named(name))?)));
    format!("disk.null {}", shape.collect::<Vec<_>>().join(" "))
}

/// What a load of the defaults with these `changes` does.
fn plan_with(mut changes: Parameters) -> Result<DiskPlan, Problem> {
    catalogue().fill(&SPEC, &mut changes);
    DiskPlan::of(&changes, &LoadSchedule::of(&changes, 1)?)
}

struct PlannedDisk {
    /// None until one is chosen.
    engine: Option<&'static Engine>,
    plan: DiskPlan,
    /// What the same load without a disk is called.
    shape: String,
}

impl PlannedDisk {
    /// What its calibration is called: batches make a difference where an engine has them.
    fn calibration(&self) -> String {
        let batches = self.engine.is_none_or(|engine| spec::QUEUED.contains(&engine.word.word));
        let batch = self.plan.options().submit_batch;
        if batches { format!("{} submit-batch={batch}", self.shape) } else { self.shape.clone() }
    }

    /// Whether it drives nothing.
    fn is_null(&self) -> bool {
        self.engine.is_some_and(|engine| !engine.drives)
    }
}

impl Planned for PlannedDisk {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        let plan = &mut self.plan;
        let engine = *self.engine.insert(io_engine::choose(self.engine, plan)?);
        survey::check_given(plan)?;
        let fixtures = if engine.drives { target::survey(plan, host)? } else { Vec::new() };
        target::resolve_sizes(plan, target::SIZE_USUAL);
        survey::check_blocks(plan)?;
        survey::check_ends(plan)?;
        verify::check(plan)?;
        if engine.drives && plan.options().iopoll {
            io_engine::polled::check(&plan.targets)?;
        }
        precondition::check(plan, &fixtures)?;
        kept::check(plan, &fixtures)?;
        let ledgers = verify::memory_bytes(plan, host.memory_available)?;
        let memory_bytes = check_memory(plan, host)?.saturating_add(ledgers);
        let mut resolved = plan.resolved();
        resolved.set(named("engine"), engine.word.word);
        let effect = match plan.pattern.changes() {
            _ if fixtures.iter().any(|f| f.used_up) => Effect::UsedUp,
            true => Effect::Dirty,
            false => Effect::Clean,
        };
        Ok(Requirements { resolved, fixtures, effect, memory_bytes, limits: Vec::new() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let is_null = self.is_null();
        let is_cached = !self.plan.is_direct() || self.engine.is_some_and(|engine| engine.cached_only);
        let flush = (self.plan.sync != SyncRule::None).then_some(WaitsFor::Flush);
        let targets = self.plan.targets.len().max(1) as u64;
        let mut concurrency = base.concurrency;
        concurrency.workers = concurrency.workers.saturating_mul(targets);
        concurrency.operations = concurrency.workers.saturating_mul(self.plan.options().depth.max(1) as u64);
        concurrency.depth = Some(self.plan.options().depth as u64);
        let sizes = self.plan.blocks.iter().map(|(bytes, share)| SizeShare { bytes: *bytes, share: *share });
        LoadProfile {
            flows: self.plan.pattern.flows(&sizes.collect::<Vec<_>>()),
            concurrency,
            targets,
            paths: self.plan.targets.clone(),
            content: Some(self.plan.content.profile()),
            durability: match self.plan.sync {
                SyncRule::None => Durability::None,
                SyncRule::Each => Durability::EachWrite,
                SyncRule::Every(_) => Durability::Syncs,
                SyncRule::End => Durability::End,
            },
            interface: Some(self.engine.map_or("auto", |engine| engine.word.word).to_owned()),
            span_bytes: self.plan.touched().or(self.plan.size),
            places: self.plan.stride(),
            target_state: self.plan.state.clone(),
            caches: if is_cached { Caches::PageCache } else { Caches::None },
            waits_for: [WaitsFor::Device].into_iter().chain(flush).filter(|_| !is_null).collect(),
            calibration: Some(self.calibration()),
            is_null,
            ..base
        }
    }

    fn targets(&self) -> &[String] {
        if self.is_null() { &[] } else { &self.plan.targets }
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let engine = self.engine.ok_or_else(|| Fault::Other("nobody chose an engine".to_owned()))?;
        let how = self.plan.open_mode();
        let mut plan = self.plan.clone();
        // What drives nothing need not know how large it is: a stack that is to be driven may not be there yet.
        if !engine.drives {
            target::resolve_sizes(&mut plan, target::SIZE_USUAL);
        }
        let mut ready = PreparedDisk {
            engine,
            access: Access::of(&plan)?,
            targets: Vec::new(),
            facts: Vec::from_iter(
                io_engine::forbidden(engine).map(|why| (fact::ENGINE_FORBIDDEN, why.into())),
            ),
            dirty: Arc::new(AtomicU64::new(UNKNOWN)),
            verdict: self.plan.verifies.then(|| Arc::new(Verdict::new())),
            plan,
        };
        if !engine.drives {
            return Ok(Box::new(ready));
        }
        for key in target::keys(&self.plan)? {
            let fixture = given.fixtures.find::<Files>(&key).ok_or_else(|| target::changed(&key.target))?;
            let files = fixture.open(how)?;
            if !how.direct {
                files.iter().try_for_each(reopen::forget_cached)?;
            }
            if self.plan.settles() {
                // What others left in the page cache of the file system would be brought to
                // the device while time counts.
                files
                    .first()
                    .map_or(Ok(()), rustix::fs::syncfs)
                    .map_err(|e| Fault::system("writing back a file system's cached pages", e))?;
            }
            ready.facts.extend(fixture.facts());
            let file_bytes = if files.len() > 1 { fixture.file_bytes() } else { 0 };
            let (device, ours) = (key.kind == DEVICE, key.ownership == Ownership::Created);
            ready.targets.push(Target { name: key.target, device, ours, files, file_bytes });
        }
        Ok(Box::new(ready))
    }

    fn metrics(&self, common: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        metrics::of(&SPEC, &self.plan, common, outcome, window)
    }

    fn written_share(&self, outcome: &LoadOutcome) -> f64 {
        if self.is_null() { 0.0 } else { metrics::written_share(self.plan.pattern, outcome) }
    }

    fn null_form(&self) -> Option<(ParameterName, Value)> {
        Some((named("engine"), "null".into()))
    }
}

/// Bytes of all buffers, if there is so much.
fn check_memory(plan: &DiskPlan, host: &HostInfo) -> Result<u64, Problem> {
    let (depth, threads, block) = (plan.options().depth as u64, plan.threads, plan.largest_block());
    let targets = plan.targets.len() as u64;
    let bytes = depth.saturating_mul(threads).saturating_mul(targets).saturating_mul(block);
    if bytes > host.memory_available / 2 {
        let (block, bytes, free) = (binary(block), binary(bytes), binary(host.memory_available));
        return Err(Problem::refused(
            format!("the buffers of {threads} threads x {depth} deep x {block} need {bytes}"),
            format!("{free} of memory is free; use a smaller queue-depth or block-size"),
        ));
    }
    Ok(bytes)
}

/// A target that is ready.
#[derive(Debug, Default)]
struct Target {
    name: String,
    device: bool,
    /// Whether we made and wrote it.
    ours: bool,
    files: Vec<File>,
    /// Bytes of each file, 0 where there is one.
    file_bytes: u64,
}

#[derive(Debug)]
struct PreparedDisk {
    plan: DiskPlan,
    engine: &'static Engine,
    access: Access,
    targets: Vec<Target>,
    facts: Vec<(FactName, Value)>,
    /// Bytes that were only in the page cache when the last write returned.
    dirty: Arc<AtomicU64>,
    /// What its workers find, where they verify.
    verdict: Option<Arc<Verdict>>,
}

/// Of [`PreparedDisk::dirty`]: nobody looked.
const UNKNOWN: u64 = u64::MAX;

impl PreparedDisk {
    /// How much of what is touched the page cache holds, for loads that go
    /// through it.
    fn cached(&self, name: FactName) -> Option<(FactName, Value)> {
        let files = self.targets.iter().flat_map(|t| &t.files);
        let shares: Vec<f64> = files
            .filter(|_| !self.plan.is_direct())
            .map(|file| residency::cached_share(file, self.access.range().1))
            .collect::<Option<_>>()?;
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        (!shares.is_empty()).then_some((name, Value::Number((mean * 1000.0).round() / 1000.0)))
    }

    /// The target of a worker, and its worker among those of that target.
    fn target_of(&self, worker: WorkerIndex) -> (usize, WorkerIndex) {
        share_out(worker, self.targets.len())
    }
}

/// Which of so many targets a worker drives, and which it is of the workers of that target.
fn share_out(worker: WorkerIndex, targets: usize) -> (usize, WorkerIndex) {
    let targets = targets.max(1);
    let index = worker.index % targets;
    let of = (worker.of + targets - 1 - index) / targets;
    (index, WorkerIndex { index: worker.index / targets, of })
}

impl Prepared for PreparedDisk {
    fn operation_bytes(&self) -> u64 {
        self.plan.mean_block()
    }

    fn classes(&self) -> &'static [Class] {
        self.access.pattern.classes(self.access.syncs()).0
    }

    fn stages(&self) -> Option<[MetricName; 2]> {
        Some([metric::SUBMIT_LATENCY, metric::DEVICE_LATENCY])
    }

    fn counts_from_start(&self) -> bool {
        self.plan.settles()
    }

    fn parts(&self) -> Vec<String> {
        self.targets.iter().map(|t| t.name.clone()).collect()
    }

    fn part_of(&self, worker: WorkerIndex) -> usize {
        self.target_of(worker).0
    }

    fn workers(&self, threads: usize) -> usize {
        threads * self.targets.len().max(1)
    }

    fn stop(&self, rule: StopRule) -> StopRule {
        match rule {
            StopRule::Operations(n) => StopRule::Operations(self.access.with_syncs(n)),
            StopRule::Bytes(bytes) => {
                StopRule::Operations(self.access.with_syncs(bytes.div_ceil(self.plan.mean_block().max(1))))
            }
            other => other,
        }
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = self.facts.clone();
        facts.extend(self.cached(FactName::new("cached_share_before")));
        facts
    }

    fn facts_after(&self, outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let verified = self.verdict.as_ref();
        let mut facts: Vec<_> = verified.map(|v| v.facts()).unwrap_or_default();
        if !verified.is_some_and(|v| v.dropped_cache()) {
            facts.extend(self.cached(fact::CACHED_SHARE_AFTER));
        }
        let dirty = self.dirty.load(Ordering::Relaxed);
        let written = durable::written(self.access.pattern, outcome);
        if dirty != UNKNOWN && written > 0.0 {
            let share = (dirty as f64 / written).min(1.0);
            facts.push((fact::DIRTY_SHARE, Value::Number((share * 1000.0).round() / 1000.0)));
        }
        if outcome.settled_ns.is_some() {
            facts.extend(durable::rewritten(&self.plan, outcome));
        }
        facts
    }

    fn verdict(&self) -> Result<(), Fault> {
        let names: Vec<&str> = self.targets.iter().map(|t| t.name.as_str()).collect();
        self.verdict.as_ref().map_or(Ok(()), |verdict| verdict.tell(&names))
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, own) = self.target_of(worker);
        // The null engine drives nothing.
        let nothing = Target { name: "nothing".to_owned(), ..Target::default() };
        let target = self.targets.get(index).unwrap_or(&nothing);
        // Opened anew rather than duplicated: streams that share one open file
        // share its read-ahead.
        let files = target
            .files
            .iter()
            .map(|f| reopen::reopen(f, self.plan.open_mode(), &target.name))
            .collect::<Result<_, _>>()?;
        let access = self.access.clone().of_files(target.file_bytes).for_seat(own, seed);
        let verifier =
            self.verdict.clone().map(|verdict| Verifier::new(verdict, &access, index, target.files.len()));
        let job = Job {
            verifier: verifier.map(Box::new),
            settles: self.plan.settles(),
            dirty: (self.plan.settles() && !self.plan.is_direct()).then(|| Arc::clone(&self.dirty)),
            device: target.device,
            ..Job::new(access, files, &target.name, self.plan.content, target.ours)
        };
        (self.engine.worker)(job, &self.plan.options())
    }
}

#[cfg(test)]
mod tests;
