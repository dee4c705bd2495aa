//! One job of fio as a load of `disk`, or of `disk.replay`: each theme in a file of its
//! own. What has no like here becomes a note.

mod block;
mod durability;
mod ending;
mod engine;
mod pattern;
mod place;
mod replay;
mod speed;

use model::study::{Level, StudyWorkload};
use model::workload::Catalogue;
use model::{ScalarError, WorkloadSpec};

pub(super) use ending::Ending;

use super::job::{Job, JobOption};
use super::option::OptionSupport;
use crate::checked::{each_part_once, parameter, put, workload};
use crate::diagnostic::Diagnostic;

/// The workload that a job becomes, unless it repeats recorded operations.
const KIND: &str = "disk";

/// A job as a load.
pub(super) struct ConvertedJob {
    pub(super) workload: StudyWorkload,
    /// What ends it.
    pub(super) ending: Ending,
    /// What differs from fio.
    pub(super) notes: Vec<String>,
}

/// What a job is among those that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It runs by itself.
    Alone,
    /// Its end closes the window for the others.
    First,
    /// It runs with the first.
    Companion,
}

/// Makes `job` a load. Fails if the job cannot be run here, or a value is none that `disk` takes.
pub(super) fn make(catalogue: &Catalogue, job: &Job, role: Role) -> Result<ConvertedJob, Diagnostic> {
    refused(job)?;
    if replay::is_one(job) {
        return replay::make(catalogue, job, role);
    }
    let spec = workload(catalogue, KIND, &job.place)?;
    let workload = StudyWorkload { kind: spec.name, ..StudyWorkload::default() };
    let mut load = Load { catalogue, spec, job, role, workload, notes: Vec::new() };
    load.note_unsupported();
    let doing = pattern::take(&mut load)?;
    let sizes = block::take(&mut load, &doing)?;
    let place = place::take(&mut load, &doing, &sizes)?;
    engine::take(&mut load, &place)?;
    durability::take(&mut load, &doing)?;
    speed::take(&mut load, &doing, &sizes, &place)?;
    let ending = ending::of(&mut load, &doing, &sizes, &place);
    let end = if role == Role::Companion { ending.of_companion() } else { ending.parameter() };
    if let Some((name, text)) = end {
        load.put(name, "runtime", text)?;
    }
    Ok(ConvertedJob { workload: load.workload, ending, notes: load.notes })
}

/// Whether the job is a load of a disk at all.
pub(super) fn refused(job: &Job) -> Result<(), Diagnostic> {
    engine::of(job).map(|_| ())
}

/// A load in the making.
struct Load<'a> {
    catalogue: &'a Catalogue,
    spec: &'static WorkloadSpec,
    job: &'a Job,
    role: Role,
    workload: StudyWorkload,
    notes: Vec<String>,
}

impl Load<'_> {
    /// Sets a parameter, written as a person would; `from` is the option that
    /// it comes from, at which a message points.
    fn put(&mut self, name: &str, from: &str, text: impl Into<String>) -> Result<(), Diagnostic> {
        self.put_parts(name, from, &[text.into()])
    }

    /// Sets a parameter of several parts.
    fn put_parts(&mut self, name: &str, from: &str, parts: &[String]) -> Result<(), Diagnostic> {
        let place = self.job.place_of(from);
        let found = parameter(self.catalogue, self.spec, name, false, place)?;
        let wrong = |e: ScalarError| place.diagnostic(format!("{name}: {}", e.message), e.help);
        let level =
            parts.iter().map(|part| found.parse(part).map_err(wrong)).collect::<Result<Level, _>>()?;
        each_part_once(found, &level, place)?;
        put(&mut self.workload, found, vec![level], place)
    }

    /// What a parameter is where nobody says it.
    fn usual(&self, name: &str) -> &'static str {
        self.catalogue.parameter(self.spec, name).and_then(|p| p.default).unwrap_or("as usual")
    }

    /// Says what differs because of the option `name`, where it was given.
    fn note(&mut self, name: &str, says: &str) {
        if let Some(given) = self.job.get(name) {
            self.note_given(given, says);
        }
    }

    fn note_given(&mut self, given: &JobOption, says: &str) {
        let note = format!("{}`{}`: {says}", self.job.whose(given), given.written());
        self.notes.push(note);
    }

    fn note_unsupported(&mut self) {
        let job = self.job;
        for given in job.all() {
            if given.option.treatment == OptionSupport::Unsupported && !given.is_neutral() {
                self.note_given(given, given.option.says);
            }
            if given.is_misleading {
                let says = "for fio a KiB is 1000 bytes and a kB 1024, unless kb_base=1000; so it was taken";
                self.note_given(given, says);
            }
        }
    }
}

/// A duration as `disk` reads it.
fn seconds(seconds: f64) -> String {
    format!("{}us", (seconds * 1e6).round())
}

/// A share as `disk` reads it.
fn percent(share: f64) -> String {
    format!("{}%", (share * 1e8).round() / 1e6)
}
