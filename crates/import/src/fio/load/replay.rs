//! A job that repeats recorded operations (`read_iolog`): a load of `disk.replay`. What it does, where
//! and when is in the recording, so most options have no meaning, in fio neither.

use model::study::StudyWorkload;
use model::workload::Catalogue;

use super::ending::Ending;
use super::place::{TargetLayout, names};
use super::{ConvertedJob, Load, Role, engine, seconds};
use crate::checked::workload;
use crate::diagnostic::Diagnostic;
use crate::fio::job::Job;

/// The workload that such a job becomes.
const KIND: &str = "disk.replay";

/// Whether a job repeats recorded operations.
pub(super) fn is_one(job: &Job) -> bool {
    job.get("read_iolog").is_some_and(|given| !given.is_neutral())
}

/// Makes such a job a load.
pub(super) fn make(catalogue: &Catalogue, job: &Job, role: Role) -> Result<ConvertedJob, Diagnostic> {
    let spec = workload(catalogue, KIND, &job.place)?;
    let workload = StudyWorkload { kind: spec.name, ..StudyWorkload::default() };
    let mut load = Load { catalogue, spec, job, role, workload, notes: Vec::new() };
    load.note_unsupported();
    recording(&mut load)?;
    target(&mut load)?;
    times(&mut load)?;
    skipped(&mut load)?;
    // One queue, for one target.
    let place = TargetLayout { clones: 1, spread: 1, bytes: None, files: 1, is_shared: true };
    engine::take(&mut load, &place)?;
    if job.count("numjobs").is_some_and(|clones| clones > 1) {
        load.note("numjobs", "fio's clones would each play all of the recording; here it is played once");
    }
    let ending = ending(&mut load)?;
    Ok(ConvertedJob { workload: load.workload, ending, notes: load.notes })
}

fn recording(load: &mut Load<'_>) -> Result<(), Diagnostic> {
    let files = names(load.job.text("read_iolog").unwrap_or_default());
    if files.len() > 1 {
        load.note("read_iolog", "fio would give each clone a recording of its own; here the first is played");
    }
    let Some(first) = files.into_iter().next() else {
        let place = load.job.place_of("read_iolog");
        return Err(place.diagnostic("it names no recording", "give its file"));
    };
    load.put("replay", "read_iolog", first)
}

/// fio would go to the files and devices that the recording names, which nobody gave up here.
fn target(load: &mut Load<'_>) -> Result<(), Diagnostic> {
    let job = load.job;
    if let Some(target) = job.text("replay_redirect") {
        load.put("target", "replay_redirect", target)?;
    } else {
        let given = ["filename", "directory"].into_iter().find_map(|from| Some((from, job.text(from)?)));
        if let Some((from, text)) = given
            && let Some(first) = names(text).into_iter().next()
        {
            load.put("target", from, first)?;
        }
        load.note(
            "read_iolog",
            "fio would go to the files that the recording names; here all go to one target, side by side: \
             `replay_redirect` says which",
        );
    }
    if let Some(align) = job.count("replay_align") {
        load.put("align", "replay_align", align.to_string())?;
        load.note("replay_align", "fio would round places down; here ends are rounded up, too");
    }
    if job.count("replay_scale").is_some_and(|scale| scale > 1) {
        load.put("map", "replay_scale", "scale")?;
        load.note(
            "replay_scale",
            "fio would divide places by this; here they are scaled to the size of the target",
        );
    }
    Ok(())
}

fn times(load: &mut Load<'_>) -> Result<(), Diagnostic> {
    let job = load.job;
    if job.flag("replay_no_stall") {
        return load.put("speed", "replay_no_stall", "max");
    }
    match job.count("replay_time_scale") {
        Some(percent) => load.put("speed", "replay_time_scale", format!("{}", percent as f64 / 100.0)),
        None => Ok(()),
    }
}

/// Kinds of operations that are left out.
fn skipped(load: &mut Load<'_>) -> Result<(), Diagnostic> {
    let job = load.job;
    let kinds: Vec<&str> = job.text("replay_skip").unwrap_or_default().split(',').map(str::trim).collect();
    let has = |kind: &str| kinds.contains(&kind);
    if has("write") {
        load.put("writes", "replay_skip", "skip")?;
        if !has("sync") || !has("trim") {
            load.note("replay_skip", "without writes, syncs and discards are left out here, too");
        }
    } else if has("trim") {
        load.put("discards", "replay_skip", "skip")?;
    }
    if has("read") || has("sync") && !has("write") {
        load.note("replay_skip", "reads and syncs cannot be left out alone here; they are played");
    }
    Ok(())
}

fn ending(load: &mut Load<'_>) -> Result<Ending, Diagnostic> {
    let job = load.job;
    let is_companion = load.role == Role::Companion;
    match job.seconds("runtime") {
        Some(time) if job.flag("time_based") => {
            if !is_companion {
                load.put("until", "time_based", "time")?;
                load.put("duration", "runtime", seconds(time))?;
            }
            return Ok(Ending::Time(time));
        }
        Some(_) => {
            load.note("runtime", "fio would end then, if the recording lasts longer; here it is played whole")
        }
        None => {}
    }
    if let Some(number) = job.count("number_ios") {
        load.put("until", "number_ios", "time")?;
        load.put("requests", "number_ios", number.to_string())?;
        return Ok(Ending::Operations(number));
    }
    if let Some(loops) = job.count("loops").filter(|loops| *loops > 1) {
        load.put("repeat", "loops", loops.to_string())?;
    }
    Ok(Ending::Pass(None))
}
