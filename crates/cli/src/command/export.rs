//! `headroom export RUN`: a run as a file.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use language::{LANGUAGES, Language};
use model::Run;
use model::workload::Catalogue;
use report::export::{EXPORTERS, Exporter, for_path};
use report::page::Subject;

use super::{run_argument, store_argument};
use crate::exit::Failure;
use crate::output::{self, Pending};

pub(super) fn define(command: Command) -> Command {
    command
        .about("Write a run in a format for programs or people")
        .arg(run_argument())
        .arg(output_argument())
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(EXPORTERS.iter().map(|e| e.extension).collect::<Vec<_>>())
                .help("The format, where no file's name tells it [default: json]"),
        )
        .arg(language_argument())
        .arg(store_argument())
}

/// `--lang en|ko|ja`.
pub(super) fn language_argument() -> Arg {
    let names: Vec<String> = LANGUAGES.iter().map(|l| format!("{} ({})", l.tag(), l.name())).collect();
    Arg::new("lang")
        .long("lang")
        .value_name("LANGUAGE")
        .value_parser(LANGUAGES.iter().map(|l| l.tag()).collect::<Vec<_>>())
        .default_value(Language::English.tag())
        .hide_possible_values(true)
        .help(format!("The language of a page: {}", names.join(", ")))
}

/// The language that was chosen.
pub(super) fn language(matches: &ArgMatches) -> Language {
    matches.get_one::<String>("lang").and_then(|tag| Language::of_tag(tag)).unwrap_or_default()
}

/// A run's bytes in a format.
fn bytes(exporter: &Exporter, run: &Run, language: Language) -> Result<Vec<u8>, Failure> {
    let catalogue: Catalogue = ::agent::catalogue();
    let subject = Subject { run, catalogue: &catalogue, words: language.words() };
    Ok((exporter.write)(&subject)?)
}

/// A file that a run will be written to: made before anything is measured, so
/// that a wrong name shows at once.
#[derive(Debug)]
pub(super) struct Destination {
    exporter: &'static Exporter,
    pending: Pending,
    language: Language,
}

impl Destination {
    /// The file at `path`; its extension chooses the format.
    pub(super) fn at(path: &str, language: Language) -> Result<Self, Failure> {
        let exporter = exporter_for(path)?;
        Ok(Self { exporter, pending: Pending::at(Path::new(path))?, language })
    }

    /// Writes the run there; an old file stays until the new one is whole.
    pub(super) fn write(self, run: &Run) -> Result<(), Failure> {
        self.pending.finish(&bytes(self.exporter, run, self.language)?)
    }
}

/// `-o FILE`; its extension chooses the format.
pub(super) fn output_argument() -> Arg {
    output_argument_of(EXPORTERS)
}

/// The same for the formats of another document.
pub(super) fn output_argument_of<Write>(table: &[Exporter<Write>]) -> Arg {
    let formats: Vec<String> = table.iter().map(|e| format!(".{} ({})", e.extension, e.doc)).collect();
    Arg::new("output")
        .short('o')
        .long("output")
        .value_name("FILE")
        .help(format!("Write a file; its name chooses the format: {}", formats.join(", ")))
}

/// The format of a file to be written.
fn exporter_for(path: &str) -> Result<&'static Exporter, Failure> {
    exporter_in(EXPORTERS, path)
}

/// The same, of the formats in `table`.
pub(super) fn exporter_in<Write>(
    table: &'static [Exporter<Write>],
    path: &str,
) -> Result<&'static Exporter<Write>, Failure> {
    for_path(table, Path::new(path)).ok_or_else(|| {
        let known: Vec<String> = table.iter().map(|e| format!(".{}", e.extension)).collect();
        Failure::Arguments {
            message: format!("the name `{path}` does not say in which format to write"),
            help: format!("end it in one of {}", known.join(", ")),
        }
    })
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let asked = matches.get_one::<String>("format").map_or("json", String::as_str);
    let destination = match matches.get_one::<String>("output") {
        Some(path) if matches.get_one::<String>("format").is_none() => {
            Some(Destination::at(path, language(matches))?)
        }
        _ => None,
    };
    let run = super::load(matches)?;
    if let Some(destination) = destination {
        destination.write(&run)?;
        return Ok(ExitCode::SUCCESS);
    }
    let exporter = EXPORTERS.iter().find(|e| e.extension == asked);
    let bytes = exporter.map_or(Ok(Vec::new()), |e| bytes(e, &run, language(matches)))?;
    match matches.get_one::<String>("output") {
        Some(path) => Pending::at(Path::new(path))?.finish(&bytes)?,
        None => output::print(&bytes)?,
    }
    Ok(ExitCode::SUCCESS)
}
