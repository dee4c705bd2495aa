//! Which study is meant by the word behind `headroom run`: a workload, a built-in study, a file with one, or a job file of
//! fio; with the options that were typed.

use std::io::ErrorKind;
use std::path::Path;

use clap::ArgMatches;
use machine::file::{self, Bounds};
use model::Study;
use model::workload::Catalogue;
use study::built_in;
use study::read::arguments::{Arguments, apply, study_of_workload};
use study::read::{from_toml_with, inputs};

use super::job_file;
use super::run_options::arguments;
use crate::exit::Failure;
use crate::unknown_study;

/// The study that was meant, with the options applied.
pub(super) fn read(
    matches: &ArgMatches,
    catalogue: &Catalogue,
    named: Option<&str>,
) -> Result<Study, Failure> {
    let arguments = arguments(matches, catalogue);
    let Some(name) = named else {
        return ready_study(built_in::OVERVIEW, catalogue, &arguments);
    };
    if catalogue.called(name).is_some() {
        return Ok(study_of_workload(catalogue, name, &arguments)?);
    }
    if built_in::find(name).is_some() {
        return ready_study(name, catalogue, &arguments);
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|e| e == "fio" || e == "job") {
        let study = job_file::read(path, matches, catalogue)?;
        return overridden(study, catalogue, &arguments);
    }
    if path.extension().is_some_and(|e| e == "toml") || name.contains('/') {
        let text = study_text(path)?;
        let read = with_inputs(catalogue, (&stem(path), name), &text, &arguments);
        if read.is_err() && import::fio::command_line::is_job(&text) {
            return Err(unnamed_job(name));
        }
        return read;
    }
    if path.is_file() && study_text(path).is_ok_and(|text| import::fio::command_line::is_job(&text)) {
        return Err(unnamed_job(name));
    }
    Err(unknown_study::failure(name, catalogue))
}

/// A job file of fio whose name does not say that it is one.
fn unnamed_job(name: &str) -> Failure {
    Failure::arguments(
        format!("{name} looks like a job file of fio, and its name does not end in .fio"),
        "rename it, or copy it, to a name that ends in .fio or .job",
    )
}

/// What a study from a file is called.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The largest study file: far beyond any that a person writes.
const STUDY_BYTES_MAX: u64 = 4 << 20;

/// The text of a study file. One that is not there, no file, or no text is a
/// wrong argument, not a refusal.
pub(super) fn study_text(path: &Path) -> Result<String, Failure> {
    let invalid = |message: String| {
        Failure::arguments(message, "give the path of a study file, or a name from `headroom studies`")
    };
    let shown = path.display();
    let bytes = file::read(path, Bounds::of_file(STUDY_BYTES_MAX)).map_err(|source| match source.kind() {
        ErrorKind::NotFound => invalid(format!("there is no file {shown}")),
        ErrorKind::InvalidInput => {
            let message = format!("{shown} is no file");
            match unknown_study::help_of_place(path) {
                Some(help) => Failure::arguments(message, help),
                None => invalid(message),
            }
        }
        ErrorKind::FileTooLarge => invalid(format!("{shown} is too large for a study")),
        _ => Failure::File { what: "reading", path: path.to_owned(), source },
    })?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.trim_start_matches('\u{feff}').to_owned()),
        Err(_) => Err(invalid(format!("{shown} is no text in UTF-8"))),
    }
}

fn ready_study(name: &str, catalogue: &Catalogue, arguments: &Arguments) -> Result<Study, Failure> {
    let text = built_in::find(name).map_or("", |r| r.text);
    with_inputs(catalogue, (name, name), text, arguments)
}

/// A study of this name, from this path, with what was typed for its inputs, and then with the other options.
fn with_inputs(
    catalogue: &Catalogue,
    (name, path): (&str, &str),
    text: &str,
    arguments: &Arguments,
) -> Result<Study, Failure> {
    let mut arguments = arguments.clone();
    let own = inputs::take(&inputs::declared(path, text)?, &mut arguments);
    overridden(from_toml_with(catalogue, name, path, text, &own)?, catalogue, &arguments)
}

/// With the options that were typed.
fn overridden(mut study: Study, catalogue: &Catalogue, arguments: &Arguments) -> Result<Study, Failure> {
    apply(catalogue, &mut study, arguments)?;
    Ok(study)
}
