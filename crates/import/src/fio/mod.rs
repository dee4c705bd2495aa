//! A study from a job file of fio: `headroom run JOB.fio`.
//!
//! Every job becomes a load of `disk`, or of `disk.replay` where it has `read_iolog`. Jobs that fio would run at the same time
//! run together: the one named first is the load that is measured, and closes
//! the window; the others run with it. `stonewall` begins a new workload. What
//! an option becomes is in one table, of which the reference page is made; what
//! has no like here is said in the study's notes, never dropped in silence.
//!
//! What is not here: fio's client and server, its profiles, and whatever needs
//! what an earlier run of fio left behind.

pub mod command_line;
mod expression;
mod group;
mod ini;
mod job;
mod load;
mod option;
mod reference;
mod table;
mod value;

use std::path::Path;
use std::sync::Arc;

use model::Study;
use model::workload::Catalogue;

pub use option::{FioOption, OptionSupport};
pub use reference::markdown;

use crate::diagnostic::{Diagnostic, Source, SourceRange};
use ini::Section;
use job::Job;

/// What a job file may refer to outside of itself.
pub struct JobFileAccess<'a> {
    /// The value of a variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The text of a file to be included.
    pub file: &'a dyn Fn(&Path) -> std::io::Result<String>,
    /// fio's own words, `$pagesize`, `$mb_memory` and `$ncpus`, with what they
    /// stand for.
    pub words: Vec<(&'static str, u64)>,
    /// The jobs to be run; all if there are none.
    pub sections: &'a [String],
}

/// The most bytes of options of [global], each counted for every job that has it.
const INHERITED_MAX: usize = 64 << 20;

/// Every option that is known.
pub fn options() -> impl Iterator<Item = &'static FioOption> {
    table::all()
}

/// Reads a job file.
pub fn from_fio(
    catalogue: &Catalogue,
    name: &str,
    path: &str,
    text: &str,
    outside: &JobFileAccess<'_>,
) -> Result<Study, Diagnostic> {
    let sections = ini::sections(path, text, outside)?;
    let start =
        SourceRange { source: Arc::new(Source { name: path.to_owned(), text: text.to_owned() }), span: 0..0 };
    let jobs = jobs(&sections, outside)?;
    if jobs.is_empty() {
        return Err(start.diagnostic("this file has no job", "add a section with a name, such as [readers]"));
    }
    let mut study = Study { name: name.to_owned(), ..Study::default() };
    group::fill(catalogue, &jobs, &mut study)?;
    Ok(study)
}

/// Whether a section is for all jobs after it, as fio decides.
fn is_global(section: &Section) -> bool {
    section.name.starts_with("global")
}

/// The jobs, each with what [global] said before it.
fn jobs(sections: &[Section], outside: &JobFileAccess<'_>) -> Result<Vec<Job>, Diagnostic> {
    let wanted = outside.sections;
    let named: Vec<&str> = sections.iter().filter(|s| !is_global(s)).map(|s| s.name.as_str()).collect();
    if let Some(missing) = wanted.iter().find(|w| !named.contains(&w.as_str())) {
        let text = format!("--section {missing}");
        let source = Arc::new(Source { name: "command line".to_owned(), text });
        let place = SourceRange::whole(source).part(10..10 + missing.len());
        return Err(place.unknown("job", missing, named));
    }
    let mut global: Option<Job> = None;
    let mut jobs = Vec::new();
    let mut inherited = 0;
    for section in sections {
        let before = global.clone().unwrap_or_else(|| Job::new(section));
        inherited += before.bytes();
        if inherited > INHERITED_MAX {
            let message = format!(
                "[global] is given to jobs so often that it takes more than {} MiB",
                INHERITED_MAX >> 20
            );
            return Err(section.place.diagnostic(message, "shorten its options, or divide the file"));
        }
        if is_global(section) {
            let mut job = before;
            job.take(section)?;
            global = Some(known(job)?);
        } else if wanted.is_empty() || wanted.contains(&section.name) {
            jobs.push(known(before.inherit(section)?)?);
        }
    }
    Ok(jobs)
}

/// A job whose options are all known. What cannot be run at all is said before
/// what is merely unknown: an engine brings options of its own.
fn known(mut job: Job) -> Result<Job, Diagnostic> {
    match job.unknown.take() {
        None => Ok(job),
        Some(unknown) => load::refused(&job).and(Err(unknown)),
    }
}

#[cfg(test)]
mod tests;
