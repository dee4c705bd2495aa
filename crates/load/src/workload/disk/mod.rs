//! `disk`: reads, writes and discards of files, sequential and random.

mod access;
mod aligned;
mod alignment;
pub(super) mod content;
mod device;
mod distribution;
mod durable;
mod files;
mod filling;
pub mod fixture;
mod identity;
mod io_engine;
mod job;
mod metrics;
mod nodes;
mod occupied;
mod pattern;
mod precondition;
mod pseudo;
mod reopen;
mod residency;
mod spec;
mod survey;
mod target;
mod verify;

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::stop::StopRule;
use engine::{Prepared, Worker};
use model::plan::{Effect, Ownership, Problem};
use model::profile::{Caches, WaitsFor};
use model::scalar::binary;
use model::trial::Window;
use model::{LoadProfile, Parameters, Quantity, Value, WorkloadSpec};

use crate::workload::{HostInfo, LoadContext, Requirements, Workload, profile};
use access::Access;
use content::Content;
use files::DEVICE;
use io_engine::{Engine, Options};
use job::Job;
use pattern::Pattern;
use verify::{Verdict, Verifier};

pub use files::Files;
pub use reopen::OpenMode;
pub use spec::SPEC;

/// The workload.
#[derive(Debug)]
pub struct Disk;

fn broken(e: &Fault) -> Problem {
    Problem::invalid(e.to_string(), "see `headroom workloads disk`")
}

impl Workload for Disk {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn survey(&self, mut parameters: Parameters, host: &HostInfo) -> Result<Requirements, Problem> {
        let engine = io_engine::choose(&mut parameters)?;
        let pattern = Pattern::of(&parameters).map_err(|e| broken(&e))?;
        content::resolve(&mut parameters).map_err(|e| broken(&e))?;
        survey::check_given(&parameters)?;
        let fixtures = target::survey(&mut parameters, pattern, host)?;
        survey::check(&parameters, pattern)?;
        verify::check(&parameters, pattern)?;
        engine.check_targets(&parameters)?;
        precondition::check(&parameters, &fixtures)?;
        let ledgers = verify::memory_bytes(&parameters).map_err(|e| broken(&e))?;
        verify::check_memory(ledgers, host.memory_available)?;
        let memory_bytes = check_memory(&parameters, host)?.saturating_add(ledgers);
        let effect = match pattern.changes() {
            _ if fixtures.iter().any(|f| f.used_up) => Effect::UsedUp,
            true => Effect::Dirty,
            false => Effect::Clean,
        };
        Ok(Requirements { parameters, fixtures, effect, memory_bytes, limits: Vec::new() })
    }

    fn profile(&self, parameters: &Parameters) -> LoadProfile {
        let is_null = parameters.is_word("engine", "null");
        let is_cached = parameters.is_word("engine", "mmap") || parameters.flag("direct") == Ok(false);
        let mut waits_for = vec![WaitsFor::Device];
        if parameters.text("sync").is_ok_and(|sync| sync != "none") {
            waits_for.push(WaitsFor::Flush);
        }
        let targets = parameters.texts("target").map_or(1, |all| all.len().max(1)) as u64;
        let mut profile = profile::base(&SPEC, parameters, if is_null { &[] } else { &waits_for });
        let workers = profile.concurrency.workers.saturating_mul(targets);
        profile.concurrency.workers = workers;
        profile.concurrency.operations =
            workers.saturating_mul(profile::at_least_one(parameters, "queue-depth"));
        LoadProfile {
            flows: Pattern::of(parameters)
                .map_or_else(|_| Vec::new(), |p| p.flows(&profile::sizes(parameters, "block-size"))),
            targets,
            span_bytes: parameters.integer("span").or_else(|_| parameters.integer("size")).ok(),
            target_state: precondition::of(parameters).map(|(state, _)| state).unwrap_or_default(),
            caches: if is_cached { Caches::PageCache } else { Caches::None },
            is_null,
            ..profile
        }
    }

    fn prepare(&self, parameters: &Parameters, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let name = parameters.text("engine")?;
        let engine =
            io_engine::find(name).ok_or_else(|| Fault::Other(format!("`{name}` is no engine of disk")))?;
        let how = how(parameters)?;
        let mut ready = PreparedDisk {
            engine,
            options: Options::of(parameters)?,
            access: Access::of(parameters)?,
            content: content::of(parameters)?,
            block: Access::mean_block(parameters)?,
            how,
            settles: settles(parameters)?,
            parameters: parameters.clone(),
            targets: Vec::new(),
            facts: io_engine::forbidden(engine)
                .map(|why| ("engine_forbidden", why.into()))
                .into_iter()
                .collect(),
            dirty: Arc::new(AtomicU64::new(UNKNOWN)),
            verdict: access::verifies(parameters).then(|| Arc::new(Verdict::new())),
        };
        if !engine.drives() {
            return Ok(Box::new(ready));
        }
        for key in target::keys(parameters)? {
            let fixture = given.fixtures.find::<Files>(&key).ok_or_else(|| target::changed(&key.target))?;
            let files = fixture.open(how)?;
            if !how.direct {
                files.iter().try_for_each(reopen::forget_cached)?;
            }
            if ready.settles {
                // What others left in the page cache would be brought to the
                // device while time counts.
                files.iter().take(1).try_for_each(reopen::sync_all_of_its_file_system)?;
            }
            ready.facts.extend(fixture.facts());
            let file_bytes = if files.len() > 1 { fixture.file_bytes() } else { 0 };
            let (device, ours) = (key.kind == DEVICE, key.ownership == Ownership::Created);
            ready.targets.push(Target { name: key.target, device, ours, files, file_bytes });
        }
        Ok(Box::new(ready))
    }

    fn metrics(
        &self,
        parameters: &Parameters,
        outcome: &LoadOutcome,
        window: Window,
    ) -> BTreeMap<String, Quantity> {
        metrics::of(&SPEC, parameters, outcome, window)
    }

    fn written_share(&self, parameters: &Parameters, outcome: &LoadOutcome) -> f64 {
        let drives = !parameters.is_word("engine", "null");
        Pattern::of(parameters).map_or(0.0, |p| if drives { metrics::written_share(p, outcome) } else { 0.0 })
    }

    fn null_form(&self, parameters: &Parameters) -> Option<Parameters> {
        let mut null = parameters.clone();
        null.set("engine", "null");
        Some(null)
    }
}

/// How the files are opened.
fn how(parameters: &Parameters) -> Result<OpenMode, Fault> {
    Ok(OpenMode {
        direct: parameters.flag("direct")?,
        write: Pattern::of(parameters)?.changes(),
        dsync: parameters.is_word("sync", "dsync"),
    })
}

/// Whether what was written is brought to the device at the end, while time
/// counts: where that was asked for, and where it would otherwise be the page
/// cache that was measured.
fn settles(parameters: &Parameters) -> Result<bool, Fault> {
    let writes = Pattern::of(parameters)?.writes();
    let buffered = !parameters.flag("direct")? && parameters.is_word("sync", "none");
    Ok(writes && (buffered || parameters.is_word("sync", "end")))
}

/// Bytes of all buffers, if there is so much.
fn check_memory(parameters: &Parameters, host: &HostInfo) -> Result<u64, Problem> {
    let get = |name: &str| parameters.integer(name).map_err(|e| broken(&e.into()));
    let (depth, threads) = (get("queue-depth")?, get("threads")?);
    let targets = parameters.texts("target").map_or(1, |t| t.len() as u64);
    let mix = parameters.mix("block-size").map_err(|e| broken(&e.into()))?;
    let block = mix.iter().map(|(bytes, _)| *bytes).max().unwrap_or(0);
    let bytes = depth.saturating_mul(threads).saturating_mul(targets).saturating_mul(block);
    if bytes > host.memory_available / 2 {
        return Err(Problem::refused(
            format!(
                "the buffers of {threads} threads x {depth} deep x {} need {}",
                binary(block),
                binary(bytes)
            ),
            format!("{} of memory are free; use a smaller depth or block", binary(host.memory_available)),
        ));
    }
    Ok(bytes)
}

/// A target that is ready.
#[derive(Debug)]
struct Target {
    name: String,
    device: bool,
    /// Whether we made and wrote it.
    ours: bool,
    files: Vec<File>,
    /// Bytes of each file, 0 where there is one.
    file_bytes: u64,
}

/// A disk load that is ready to run.
struct PreparedDisk {
    engine: &'static dyn Engine,
    options: Options,
    access: Access,
    content: Content,
    block: u64,
    how: OpenMode,
    settles: bool,
    parameters: Parameters,
    targets: Vec<Target>,
    facts: Vec<(&'static str, Value)>,
    /// Bytes that were only in the page cache when the last write returned.
    dirty: Arc<AtomicU64>,
    /// What its workers find, where they verify.
    verdict: Option<Arc<Verdict>>,
}

/// Of [`PreparedDisk::dirty`]: nobody looked.
const UNKNOWN: u64 = u64::MAX;

impl std::fmt::Debug for PreparedDisk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ready").field("access", &self.access).field("targets", &self.targets).finish()
    }
}

impl PreparedDisk {
    /// How much of what is touched the page cache holds, for loads that go
    /// through it.
    fn cached(&self, name: &'static str) -> Option<(&'static str, Value)> {
        let files = self.targets.iter().flat_map(|t| &t.files);
        let shares: Vec<f64> = files
            .filter(|_| !self.how.direct)
            .map(|file| residency::cached_share(file, self.access.range().1))
            .collect::<Option<_>>()?;
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        (!shares.is_empty()).then_some((name, Value::Number((mean * 1000.0).round() / 1000.0)))
    }

    /// Who verifies what the worker of `access` writes to target number `target`
    /// of `files` files.
    fn verifier(&self, access: &Access, target: usize, files: usize) -> Option<Box<Verifier>> {
        let verdict = Arc::clone(self.verdict.as_ref()?);
        Some(Box::new(Verifier::new(verdict, access, target, files)))
    }

    /// The target of a worker, and its seat among those of that target.
    fn target_of(&self, seat: WorkerIndex) -> (usize, WorkerIndex) {
        let targets = self.targets.len().max(1);
        let index = seat.index % targets;
        let of = (seat.of + targets - 1 - index) / targets;
        (index, WorkerIndex { index: seat.index / targets, of })
    }
}

impl Prepared for PreparedDisk {
    fn operation_bytes(&self) -> u64 {
        self.block
    }

    fn classes(&self) -> &'static [Class] {
        self.access.pattern.classes(self.access.syncs()).0
    }

    fn stages(&self) -> Option<[&'static str; 2]> {
        Some(["submit_latency", "device_latency"])
    }

    fn counts_from_start(&self) -> bool {
        self.settles
    }

    fn parts(&self) -> Vec<String> {
        self.targets.iter().map(|t| t.name.clone()).collect()
    }

    fn part_of(&self, seat: WorkerIndex) -> usize {
        self.target_of(seat).0
    }

    fn workers(&self, threads: usize) -> usize {
        threads * self.targets.len().max(1)
    }

    fn stop(&self, rule: StopRule) -> StopRule {
        match rule {
            StopRule::Operations(n) => StopRule::Operations(self.access.with_syncs(n)),
            StopRule::Bytes(bytes) => {
                StopRule::Operations(self.access.with_syncs(bytes.div_ceil(self.block.max(1))))
            }
            other => other,
        }
    }

    fn facts(&self) -> Vec<(&'static str, Value)> {
        let mut facts = self.facts.clone();
        facts.extend(self.cached("cached_share_before"));
        facts
    }

    fn facts_after(&self, outcome: &LoadOutcome) -> Vec<(&'static str, Value)> {
        let verified = self.verdict.as_ref();
        let mut facts: Vec<_> = verified.map(|v| v.facts()).unwrap_or_default();
        if !verified.is_some_and(|v| v.dropped_cache()) {
            facts.extend(self.cached("cached_share_after"));
        }
        let dirty = self.dirty.load(Ordering::Relaxed);
        let written = durable::written(self.access.pattern, outcome);
        if dirty != UNKNOWN && written > 0.0 {
            let share = (dirty as f64 / written).min(1.0);
            facts.push(("dirty_share", Value::Number((share * 1000.0).round() / 1000.0)));
        }
        if outcome.settled_ns.is_some() {
            facts.extend(durable::rewritten(&self.parameters, outcome));
        }
        facts
    }

    fn verdict(&self) -> Result<(), Fault> {
        let names: Vec<&str> = self.targets.iter().map(|t| t.name.as_str()).collect();
        self.verdict.as_ref().map_or(Ok(()), |verdict| verdict.tell(&names))
    }

    fn worker(&self, seat: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, own) = self.target_of(seat);
        let Some(target) = self.targets.get(index) else {
            // The null engine drives nothing.
            let access = self.access.clone().for_seat(own, seed);
            let verifier = self.verifier(&access, 0, 1);
            let job = Job::new(access, Vec::new(), "nothing").with_content(self.content, false);
            return self.engine.worker(Job { verifier, ..job }, &self.options);
        };
        // Opened anew rather than duplicated: streams that share one open file
        // share its read-ahead.
        let files = target
            .files
            .iter()
            .map(|f| reopen::reopen(f, self.how, &target.name))
            .collect::<Result<_, _>>()?;
        let access = self.access.clone().of_files(target.file_bytes).for_seat(own, seed);
        let verifier = self.verifier(&access, index, target.files.len());
        let job = Job {
            verifier,
            settles: self.settles,
            dirty: (self.settles && !self.how.direct).then(|| Arc::clone(&self.dirty)),
            device: target.device,
            ..Job::new(access, files, &target.name).with_content(self.content, target.ours)
        };
        self.engine.worker(job, &self.options)
    }
}

#[cfg(test)]
mod tests;
