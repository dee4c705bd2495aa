//! `disk.replay`: recorded I/O, done again on another target.
//!
//! It is a workload of its own and no parameter of `disk`: of that one's parameters most say what is
//! done where and when, which here the recording says.

mod events;
mod layout;
mod plan;
mod prepared;
mod reading;
pub mod recording;
mod spec;

use std::path::Path;
use std::sync::OnceLock;

use engine::outcome::LoadOutcome;
use engine::{Fault, Prepared};
use model::plan::{Effect, FixtureKey, Problem};
use model::profile::{
    Arrival, Caches, Content, Durability, Flow, FlowUnit, LoadEnd, OperationClass, Order, SizeShare, WaitsFor,
};
use model::scalar::binary;
use model::trial::Window;
use model::{LoadProfile, Parameters, Quantity, Unit, Value, WorkloadSpec, metric};

use crate::workload::common::LoadSchedule;
use crate::workload::disk::nodes::parent_of;
use crate::workload::disk::pattern::{KINDS, Kind};
use crate::workload::disk::plan::DiskPlan;
use crate::workload::disk::playback::Step;
use crate::workload::disk::replay::layout::Layout;
use crate::workload::disk::replay::plan::{ReplayPlan, Writes};
use crate::workload::disk::replay::recording::{Digest, SourceDigest};
use crate::workload::disk::{alignment, io_engine, metrics, survey, target};
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, named};

/// The workload.
#[derive(Debug)]
pub struct Replay;

impl Workload for Replay {
    fn spec(&self) -> &'static WorkloadSpec {
        &spec::SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedReplay { plan: ReplayPlan::of(parameters, schedule)?, known: OnceLock::new() }))
    }
}

struct PlannedReplay {
    plan: ReplayPlan,
    /// What is known of the recording, once it was read.
    known: OnceLock<Known>,
}

/// A recording, and where it goes.
#[derive(Debug)]
struct Known {
    digest: Digest,
    layouts: Vec<Layout>,
}

impl PlannedReplay {
    /// Whether it drives nothing.
    fn is_null(&self) -> bool {
        self.plan.engine.is_some_and(|engine| !engine.drives)
    }

    /// Whether discards are done: nobody said, so it follows from the targets.
    fn resolve_discards(&mut self, digest: &Digest, host: &HostInfo) -> Result<(), Problem> {
        let has_discards = digest.sources.iter().any(|source| source.operations[Kind::Trim as usize] > 0);
        let takes = |path: &String| {
            let state = (host.look.state)(Path::new(path)).ok();
            state.is_some_and(|state| state.discard_max > 0)
        };
        let is_device = |layout: &Layout| layout.is_device && takes(&layout.path);
        let all_take = || layout::of(&self.plan, digest).map(|all| all.iter().all(is_device));
        match self.plan.discards {
            // What a stack has is seen when it is there.
            Some(true) if host.room.is_some() => Ok(()),
            Some(true) if has_discards && self.plan.drives() && !all_take()? => Err(Problem::invalid(
                "discards=play, and a target is no block device that takes discards",
                "leave out discards, or give such a device",
            )),
            Some(_) => Ok(()),
            None => {
                // A recording of nothing else would leave nothing to look at.
                let takes = has_discards && self.plan.drives() && self.plan.paths.iter().all(takes);
                self.plan.discards = Some(takes);
                Ok(())
            }
        }
    }

    /// What `disk` is to look at, and how: its plans, by target.
    fn disk_plans(&self, layouts: &[Layout], depth: u64) -> Result<Vec<DiskPlan>, Problem> {
        layouts.iter().map(|layout| self.plan.of_target(layout, depth)).collect()
    }

    /// The parameters that words stood for.
    fn resolved(&self, layouts: &[Layout], plans: &[DiskPlan]) -> Parameters {
        let mut resolved = Parameters::default();
        let real = |path: &str| {
            let place = layouts.iter().position(|layout| layout.path == path);
            place.and_then(|n| plans[n].targets.first()).cloned().unwrap_or_else(|| path.to_owned())
        };
        let mut targets: Vec<Value> = Vec::new();
        for (name, path) in self.plan.targets.iter().map(|text| layout::split(text)) {
            let path = real(path);
            targets.push(name.map_or(path.clone(), |name| format!("{name}={path}")).into());
        }
        let several = targets.len() > 1;
        let target = if several { Some(Value::List(targets)) } else { targets.pop() };
        resolved.extend(target.map(|target| (named("target"), target)));
        if let [layout] = layouts {
            resolved.set(named("size"), layout.bytes);
        }
        resolved.extend(self.plan.content.as_deref().map(|content| (named("recording"), content.into())));
        let discards = if self.plan.discards == Some(true) { "play" } else { "skip" };
        resolved.set(named("discards"), discards);
        if let Some(plan) = plans.first() {
            resolved.set(named("queue-depth"), plan.options().depth as u64);
            resolved.set(named("direct"), plan.is_direct());
        }
        if let Some(engine) = self.plan.engine {
            resolved.set(named("engine"), engine.word.word);
        }
        resolved
    }

    /// Bytes of memory: the recording and the buffers of all threads.
    fn memory(&self, host: &HostInfo, known: &Known, depth: u64) -> Result<u64, Problem> {
        let workers = self.plan.schedule.threads.saturating_mul(known.layouts.len() as u64);
        let longest = layout::longest(&known.layouts);
        let buffers = depth.saturating_mul(workers).saturating_mul(longest);
        // Its operations, and their numbers where a target gets some of them.
        let list = known.digest.steps.saturating_mul(size_of::<Step>() as u64 + 4);
        let bytes = buffers.saturating_add(list);
        if bytes <= host.memory_available / 2 {
            return Ok(bytes);
        }
        let (buffers, list, free) = (binary(buffers), binary(list), binary(host.memory_available));
        Err(Problem::refused(
            format!(
                "{workers} threads x {depth} operations of {} need {buffers}, and the recording {list}",
                binary(longest)
            ),
            format!("{free} of memory is free; use a smaller queue-depth, or a shorter recording"),
        ))
    }

    fn fixture(&self) -> Result<FixtureKey, Problem> {
        let missing = || {
            Problem::invalid(
                "disk.replay plays a recording, and none is given",
                "add --replay FILE: a saved trace, a file of blktrace, or an iolog of fio",
            )
        };
        let path = self.plan.recording.as_deref().ok_or_else(missing)?;
        recording::key(path, self.plan.content.as_deref()).map_err(unreadable)
    }

    /// Reads the recording, and what tells it from others.
    fn read(&mut self) -> Result<(FixtureKey, Digest), Problem> {
        let path = self.fixture()?.target;
        let digest = Digest::read(Path::new(&path)).map_err(unreadable)?;
        let content = recording::content(Path::new(&path)).map_err(unreadable)?;
        if let Some(asked) = self.plan.content.as_ref().filter(|asked| **asked != content) {
            return Err(Problem::refused(
                format!("{path} is another recording than was asked for: recording={asked}"),
                format!("its content is {content}; name the file that was meant, or leave out recording"),
            ));
        }
        self.plan.content = Some(content);
        let mut key = self.fixture()?;
        key.about = about(&key, &digest);
        Ok((key, digest))
    }
}

/// Of a recording that cannot be read.
fn unreadable(fault: Fault) -> Problem {
    Problem::invalid(fault.to_string(), "give a saved trace, a file of blktrace, or an iolog of fio")
}

/// Whether a target can do what the recording has, around the page cache: what blocks it moves.
fn check_blocks(layout: &Layout, digest: &Digest, plan: &DiskPlan, host: &HostInfo) -> Result<(), Problem> {
    if !plan.is_direct() {
        return Ok(());
    }
    let path = Path::new(&layout.path);
    let unit = if layout.is_device {
        (host.look.state)(path).map_or(0, |state| state.logical_block)
    } else {
        alignment::of_file(if path.exists() { path } else { parent_of(path) })
    };
    // Less than a sector nothing moves.
    layout::check_unit(layout, digest, unit.max(layout::SECTOR))
}

/// Whether all that is to be done on a target can be polled for, where that is asked for.
fn check_polled(layout: &Layout, plan: &DiskPlan) -> Result<(), Problem> {
    if !plan.options().iopoll {
        return Ok(());
    }
    if layout.operations[Kind::Sync as usize] > 0 {
        return Err(Problem::invalid(
            "the recording has syncs, and a ring with iopoll=yes accepts only reads and writes",
            "leave out iopoll; or leave out writes and syncs with writes=skip or writes=read",
        ));
    }
    io_engine::polled::check(&plan.targets)
}

/// Refuses one target in two spellings: what goes to either would lie over the other's.
fn check_apart(paths: &[String]) -> Result<(), Problem> {
    match paths.iter().enumerate().find(|(n, path)| paths[..*n].contains(path)) {
        Some((_, path)) => Err(Problem::invalid(
            format!("{path} is given twice, in different spellings"),
            "spell it alike, and what goes there lies side by side",
        )),
        None => Ok(()),
    }
}

impl Planned for PlannedReplay {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        let (key, digest) = self.read()?;
        self.plan.check(&digest)?;
        self.resolve_discards(&digest, host)?;
        let layouts = layout::of(&self.plan, &digest)?;
        let depth = self.plan.depth(&digest, &layouts);
        let mut plans = self.disk_plans(&layouts, depth)?;
        for plan in &mut plans {
            self.plan.engine = Some(io_engine::choose(self.plan.engine, plan)?);
        }
        let mut fixtures = vec![key];
        if self.plan.drives() {
            for (plan, layout) in plans.iter_mut().zip(&layouts) {
                check_blocks(layout, &digest, plan, host)?;
                fixtures.extend(target::survey(plan, host)?);
                survey::check_blocks(plan)?;
                check_polled(layout, plan)?;
            }
        }
        self.plan.paths = plans.iter().flat_map(|plan| plan.targets.clone()).collect();
        check_apart(&self.plan.paths)?;
        let changes = layouts.iter().any(|layout| self.plan.changes(layout));
        let resolved = self.resolved(&layouts, &plans);
        self.plan.depth = Some(depth);
        let known = Known { digest, layouts };
        let memory_bytes = self.memory(host, &known, depth)?;
        self.known = OnceLock::from(known);
        let effect = if changes && !self.is_null() { Effect::Dirty } else { Effect::Clean };
        Ok(Requirements { resolved, fixtures, effect, memory_bytes, limits: Vec::new() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let known = self.known.get();
        let flows =
            known.map_or_else(|| vec![flow(OperationClass::Read, 1.0, None)], |k| flows(&self.plan, k));
        let syncs = known.is_some_and(|k| k.layouts.iter().any(|l| l.operations[Kind::Sync as usize] > 0));
        let writes = known.is_some_and(|k| k.layouts.iter().any(|l| self.plan.writes_to(l)));
        let targets = self.plan.paths.len().max(1) as u64;
        let depth = self.plan.depth.unwrap_or(1);
        let mut concurrency = base.concurrency;
        concurrency.workers = concurrency.workers.saturating_mul(targets);
        concurrency.operations = concurrency.workers.saturating_mul(depth);
        concurrency.depth = Some(depth);
        let cached_only = self.plan.engine.is_some_and(|engine| engine.cached_only);
        let is_direct = self.plan.is_direct() && !cached_only;
        let touched = |layout: &Layout| layout.placement.room.min(layout.placement.extent);
        let mut span_bytes = known.and_then(|k| k.layouts.iter().map(touched).max());
        let (mut headline, mut window_s) = (metric::IOPS, base.window_s);
        if let Some(speed) = self.plan.speed {
            concurrency.arrival = Arrival::Open;
            // Without one it would be a rate that is searched.
            let rate = known.map_or(1.0, |k| mean_rate(k) * speed);
            concurrency.rate_per_s = Some(rate);
            headline = metric::LATENCY_P99;
            // How long it takes follows from the recording, and not from how much it touches.
            span_bytes = None;
            let pass_s = known.map(|k| k.digest.pass_ns() as f64 / 1e9 / speed);
            window_s = match base.end {
                LoadEnd::Pass => pass_s.map(|s| s * self.plan.repeat as f64),
                LoadEnd::Operations(count) => Some(count as f64 / rate),
                _ => window_s,
            };
        }
        let forces = self.plan.forces() && known.is_some_and(|k| k.digest.found.forced > 0);
        let waits = [Some(WaitsFor::Device), ((syncs || forces) && writes).then_some(WaitsFor::Flush)];
        LoadProfile {
            flows,
            concurrency,
            targets,
            paths: self.plan.paths.clone(),
            content: Some(Content { name: "random".to_owned(), is_random: true, share: None }),
            durability: if syncs && writes { Durability::Syncs } else { Durability::None },
            interface: Some(self.plan.engine.map_or("auto", |engine| engine.word.word).to_owned()),
            span_bytes,
            window_s,
            caches: if is_direct { Caches::None } else { Caches::PageCache },
            waits_for: waits.into_iter().flatten().filter(|_| !self.is_null()).collect(),
            is_null: self.is_null(),
            headline,
            ..base
        }
    }

    fn targets(&self) -> &[String] {
        if self.is_null() { &[] } else { &self.plan.paths }
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let (prepared, known) = prepared::make(&self.plan, &self.fixture()?, given)?;
        // The same as the survey's, if there was one.
        let _ = self.known.set(known);
        Ok(Box::new(prepared))
    }

    fn metrics(&self, common: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        // Of all plans of `disk`, none is asked for more than whether it brought writes to the device.
        let plan = self.known.get().and_then(|k| self.disk_plans(&k.layouts, 1).ok()?.into_iter().next());
        let mut all = match plan {
            Some(plan) => metrics::of(&spec::SPEC, &plan, common, outcome, window),
            None => common,
        };
        if outcome.service.is_some() && outcome.completions > 0 {
            let value = outcome.late_starts as f64 / outcome.completions as f64;
            all.insert(spec::LATE_SHARE, Quantity { value, unit: Unit::One });
        }
        all
    }

    fn written_share(&self, outcome: &LoadOutcome) -> f64 {
        let Some(known) = self.known.get().filter(|_| !self.is_null()) else { return 0.0 };
        let written: f64 = outcome.classes.iter().filter(|c| c.class.name == "write").map(|c| c.bytes).sum();
        let only_writes = known.layouts.iter().all(|l| {
            let others = [Kind::Read, Kind::Trim, Kind::Zero];
            self.plan.writes_to(l) && others.iter().all(|kind| l.operations[*kind as usize] == 0)
        });
        match outcome.classes.is_empty() {
            true => f64::from(u8::from(only_writes)),
            false if outcome.bytes > 0.0 => written / outcome.bytes,
            false => 0.0,
        }
    }
}

/// What is said of a recording before anything runs.
fn about(key: &FixtureKey, digest: &Digest) -> String {
    let sum = |kind: Kind| digest.sources.iter().map(|s| s.operations[kind as usize]).sum::<u64>();
    let [reads, writes, discards, syncs] = [Kind::Read, Kind::Write, Kind::Trim, Kind::Sync].map(sum);
    let zeroes = match sum(Kind::Zero) {
        0 => String::new(),
        count => format!(" {} of zeros,", counted(count, "write")),
    };
    let [reads, writes] = [counted(reads, "read"), counted(writes, "write")];
    let [syncs, discards] = [counted(syncs, "sync"), counted(discards, "discard")];
    let (path, seconds) = (&key.target, digest.length_ns as f64 / 1e9);
    format!("reads the recording {path}: {reads}, {writes},{zeroes} {syncs} and {discards} in {seconds:.3} s")
}

/// So many of them: `1 read`, `2 reads`.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Operations per second of all targets, as they were recorded.
fn mean_rate(known: &Known) -> f64 {
    let counted =
        |layout: &Layout| layout.operations.iter().sum::<u64>() - layout.operations[Kind::Sync as usize];
    let operations: u64 = known.layouts.iter().map(counted).sum();
    (operations as f64 / (known.digest.pass_ns() as f64 / 1e9)).max(1e-6)
}

fn flow(class: OperationClass, share: f64, size: Option<u64>) -> Flow {
    let sizes = size.into_iter().map(|bytes| SizeShare { bytes, share: 1.0 }).collect();
    Flow { share, order: Order::Random, sizes, ..Flow::only(class, FlowUnit::Bytes) }
}

/// The sources that are played.
fn sources(known: &Known) -> impl Iterator<Item = &SourceDigest> {
    known.layouts.iter().flat_map(|layout| &layout.sources).map(move |n| &known.digest.sources[*n])
}

/// Bytes of every read and write that is done, where all have the same: a mean would pass for that.
fn one_size(plan: &ReplayPlan, known: &Known) -> Option<u64> {
    let size = sources(known).map(|source| source.longest).max().filter(|size| *size > 0)?;
    let is_of_size = |source: &SourceDigest, kind: Kind| {
        !plan.plays(kind)
            || source.operations[kind as usize].checked_mul(size) == Some(source.bytes[kind as usize])
    };
    let are_all =
        sources(known).all(|source| is_of_size(source, Kind::Read) && is_of_size(source, Kind::Write));
    (are_all && plan.align.is_none()).then_some(size)
}

/// What flows: of each kind its share of the operations, in their size.
fn flows(plan: &ReplayPlan, known: &Known) -> Vec<Flow> {
    let mut operations = [0u64; KINDS];
    for source in sources(known) {
        let kinds = [Kind::Read, Kind::Write, Kind::Trim, Kind::Zero];
        for kind in kinds.into_iter().filter(|kind| plan.plays(*kind)) {
            let now = match kind {
                Kind::Write if plan.writes == Writes::Read => Kind::Read,
                Kind::Zero => Kind::Trim,
                kind => kind,
            };
            operations[now as usize] += source.operations[kind as usize];
        }
    }
    // Discards and zeros go on beside reads and writes: they move nothing.
    let [reads, writes, discards, ..] = operations;
    let data = reads + writes;
    let all = if data > 0 { data } else { discards };
    let size = one_size(plan, known);
    let classes = [
        (OperationClass::Read, Kind::Read),
        (OperationClass::Write, Kind::Write),
        (OperationClass::Trim, Kind::Trim),
    ];
    let of = |(class, kind): (OperationClass, Kind)| {
        let count = operations[kind as usize];
        let is_beside = kind == Kind::Trim && data > 0;
        let share = if is_beside { 0.0 } else { count as f64 / all as f64 };
        (count > 0).then(|| flow(class, share, size.filter(|_| kind != Kind::Trim)))
    };
    classes.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests;
