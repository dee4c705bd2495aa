//! The same bytes counted twice: by the loads and by the kernel, at the devices
//! that the targets lie on or at those below. Each kind of operation is counted
//! by itself; of several devices the sum, for nobody knows beforehand which
//! target is the faster. Only of loads that go around the page cache.

use model::finding::{Evidence, Place};
use model::profile::{Caches, Durability, OperationClass, WaitsFor};
use model::resource::PathStep;
use model::run::{CaseLoad, CaseResult};
use model::{Machine, Resource, ResourceKind, Trial, metric};

use crate::measure;

pub(super) const ENGLISH: &str = r#"
evidence-counted = the load moved { SHORT($program, unit: "B/s") }, the device { SHORT($device, unit: "B/s") }
"#;

/// How far two counts of the same bytes may be apart beside what is in flight
/// at the edges: the counters are read up to a few milliseconds after an edge.
pub(super) const TOLERANCE: f64 = 0.03;

/// Bytes that a journal may write for one sync, at most: a descriptor, a few
/// blocks of metadata and a commit, of 4 KiB each (`fs/jbd2/commit.c`).
const JOURNAL_BYTES: f64 = 32768.0;

/// The kernel's name for the bytes of a kind (`Documentation/admin-guide/iostats.rst`).
pub(super) fn sectors(kind: OperationClass) -> &'static str {
    match kind {
        OperationClass::Read => "read_sectors",
        OperationClass::Write => "written_sectors",
        _ => "discarded_sectors",
    }
}

/// The same bytes counted twice, bytes per second.
pub(super) struct Counts {
    pub(super) kind: OperationClass,
    /// The devices, as one resource.
    pub(super) resource: Resource,
    /// By the loads.
    pub(super) program: f64,
    /// By the kernel.
    pub(super) device: f64,
    /// How far they may be apart.
    pub(super) tolerance: f64,
    place: Place,
}

impl Counts {
    /// Of each kind of operation that the loads do, at the devices that the
    /// targets lie on; empty where nobody can compare.
    pub(super) fn of(case: &CaseResult) -> Vec<Self> {
        Self::all(case, &measure::devices(case))
    }

    /// The same at the disks below, where others may be on another part.
    pub(super) fn at_the_bottom(case: &CaseResult) -> Vec<Self> {
        let bottom = Self::all(case, &measure::lowest(case));
        if bottom.is_empty() { Self::of(case) } else { bottom }
    }

    fn all(case: &CaseResult, steps: &[&PathStep]) -> Vec<Self> {
        if measure::is_null(case)
            || !measure::is_direct(case)
            || !measure::profile(case).may_wait_for(&WaitsFor::Device)
            || !is_all(steps)
            || !knows_company(case)
            || transforms(case, steps)
        {
            return Vec::new();
        }
        measure::ON_BLOCKS.into_iter().filter_map(|kind| Self::at(case, steps, kind)).collect()
    }

    fn at(case: &CaseResult, steps: &[&PathStep], kind: OperationClass) -> Option<Self> {
        let (first, name) = (steps.first()?, sectors(kind));
        let of = |t: &Trial| {
            let (program, device) = (moved(case, t, kind)?, rate(t, steps, name)?);
            let tolerance = program * (TOLERANCE + lateness(t, &first.resource, name)?) + in_flight(case, t)?;
            (program > 0.0).then_some((device / program, (program, device, tolerance)))
        };
        let (program, device, tolerance) = measure::middle(case, of)?;
        let place = measure::place(case, &first.resource, name)?;
        let resource = measure::name_of(steps)?;
        Some(Self { kind, resource, program, device, tolerance, place })
    }

    pub(super) fn evidence(&self) -> Evidence {
        Evidence::at("counted", self.place.clone()).arg("program", self.program).arg("device", self.device)
    }
}

/// Whether all of the load's bytes pass these devices: one of several targets
/// may lie on none.
fn is_all(steps: &[&PathStep]) -> bool {
    steps.iter().map(|s| s.amplification).sum::<f64>() > 1.0 - 1e-6
}

/// What the kernel counted at several devices together, per second.
pub(super) fn rate(trial: &Trial, steps: &[&PathStep], name: &str) -> Option<f64> {
    steps.iter().map(|step| measure::rate(trial, &step.resource, name)).sum()
}

/// Whether of every load that shares the window it is known what it moves where:
/// one through the page cache reaches a device when it likes, and one that
/// drives another target may be on the same device or not.
fn knows_company(case: &CaseResult) -> bool {
    let of_case = measure::profile(case);
    let is_known = |companion: &CaseLoad| {
        let profile = &companion.profile;
        let is_elsewhere = !profile.paths.iter().all(|path| of_case.paths.contains(path));
        profile.is_null || profile.paths.is_empty() || (!is_elsewhere && profile.caches == Caches::None)
    };
    case.loads.beside.iter().all(is_known)
}

/// Bytes per second that all loads moved with operations of this kind.
pub(super) fn moved(case: &CaseResult, trial: &Trial, kind: OperationClass) -> Option<f64> {
    let main = measure::moved_in(case, trial, kind);
    let beside = (1..).zip(&case.loads.beside).filter(|(_, load)| !load.profile.is_null);
    let beside = beside
        .filter_map(|(place, load)| measure::moved(&load.profile, &trial.result.load(place)?.metrics, kind));
    main.into_iter().chain(beside).reduce(|a, b| a + b)
}

/// Whether a file system above these devices spreads, checks or compresses what
/// it is given.
fn transforms(case: &CaseResult, steps: &[&PathStep]) -> bool {
    let kinds = ["btrfs", "zfs", "bcachefs"];
    let first = steps.first().map(|s| &s.resource);
    let mut above = case.path.iter().take_while(|s| Some(&s.resource) != first);
    above.any(|s| s.resource.file_system_type().is_some_and(|kind| kinds.contains(&kind)))
}

/// Bytes per second that the journal of a file system may write for the syncs
/// that the load asks for; 0 where there are none. Below a loop device a second
/// file system has one too.
pub(super) fn journal(case: &CaseResult) -> f64 {
    let systems = case.path.iter().filter(|s| s.resource.is_named(ResourceKind::FileSystem)).count();
    syncs(case) * JOURNAL_BYTES * systems as f64
}

/// Syncs per second that reach a file system. Of writes that are synced one by
/// one, each is one.
pub(super) fn syncs(case: &CaseResult) -> f64 {
    if !case.path.iter().any(|s| s.resource.is_named(ResourceKind::FileSystem)) {
        return 0.0;
    }
    let of = |name| measure::estimated(case, name).unwrap_or(0.0);
    if measure::profile(case).durability == Durability::EachWrite {
        return of(metric::IOPS) * measure::share(case, OperationClass::Write);
    }
    of(metric::SYNCS_PER_SECOND)
}

/// The devices among these whose requests the kernel does not count.
pub(super) fn uncounted(case: &CaseResult, machine: Option<&Machine>) -> bool {
    let steps = measure::devices(case);
    let any = |t: &Trial, kind| rate(t, &steps, sectors(kind)).is_some_and(|bytes| bytes > 0.0);
    let counted = |t: &Trial| measure::ON_BLOCKS.into_iter().any(|kind| any(t, kind));
    let without = |step: &&PathStep| {
        let device = machine.and_then(|m| measure::whole(m, step.resource.named(ResourceKind::Block)?));
        device.is_some_and(|d| d.counts == Some(false) || measure::is_memory(d))
    };
    steps.iter().any(without) && !measure::good(case).any(counted)
}

/// How far the counter's readings were from the window's edges, as a share of
/// the window: on a busy machine the reader gets its CPU late.
pub(super) fn lateness(trial: &Trial, resource: &Resource, name: &str) -> Option<f64> {
    let (counter, window) = (measure::counter(trial, resource, name)?, trial.result.window?);
    let off = counter.before_ns.abs_diff(window.start_ns) + counter.after_ns.abs_diff(window.end_ns);
    Some(off as f64 / 1e9 / window.seconds())
}

/// What may be in flight at both edges, spread over the window, bytes per
/// second.
fn in_flight(case: &CaseResult, trial: &Trial) -> Option<f64> {
    let block = measure::block(case).or_else(|| mean_bytes(case, trial))?;
    Some(2.0 * measure::concurrency(case) * block / trial.result.window?.seconds())
}

/// Bytes of an operation in the mean over a trial, of a load on files or devices that asks for no sizes:
/// what is replayed has those of the recording.
fn mean_bytes(case: &CaseResult, trial: &Trial) -> Option<f64> {
    let first = measure::profile(case).flows.first()?;
    let operations = measure::operations_in(trial).filter(|operations| *operations > 0.0)?;
    let moved = measure::ON_BLOCKS.into_iter().filter_map(|kind| measure::moved_in(case, trial, kind));
    let mean = moved.sum::<f64>() / operations;
    measure::ON_BLOCKS.contains(&first.class).then_some(mean)
}
