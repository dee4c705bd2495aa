//! `headroom export RUN`: a run as a file.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use language::{LANGUAGES, Language};
use model::Run;
use report::export::{EXPORTERS, Exporter, WriteRun, for_path};
use report::page::Subject;

use super::help::examples;
use super::{option, run_argument, store_argument};
use crate::browser;
use crate::exit::Failure;
use crate::output::{self, Pending};

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "export last > run.json",
            "export last -o estimates.csv",
            "export last --format md",
        ]))
        .about("Write a run in a format for programs or people")
        .arg(run_argument())
        .arg(output_argument())
        .arg(format_argument("The format, if no file name says it [default: json]"))
        .arg(language_argument())
        .arg(store_argument())
}

/// `--format FORMAT`.
pub(super) fn format_argument(help: &'static str) -> Arg {
    option("format", "FORMAT")
        .value_parser(EXPORTERS.iter().map(|e| e.extension).collect::<Vec<_>>())
        .help(help)
}

/// The format that `--format` names.
pub(super) fn format(matches: &ArgMatches) -> Option<&'static Exporter> {
    matches.get_one::<String>("format").and_then(|extension| called(extension))
}

fn called(extension: &str) -> Option<&'static Exporter> {
    EXPORTERS.iter().find(|exporter| exporter.extension == extension)
}

/// Writes a run in a format to standard output.
pub(super) fn print(exporter: &Exporter, run: &Run, language: Language) -> Result<(), Failure> {
    let bytes = bytes(exporter, run, language)?;
    output::print(&if exporter.printed { browser::print(&bytes)? } else { bytes })
}

/// `--lang en|ko|ja`.
pub(super) fn language_argument() -> Arg {
    let names: Vec<String> = LANGUAGES.iter().map(|l| format!("{} ({})", l.tag(), l.name())).collect();
    option("lang", "LANGUAGE")
        .value_parser(LANGUAGES.iter().map(|l| l.tag()).collect::<Vec<_>>())
        .default_value(Language::English.tag())
        .hide_possible_values(true)
        .help(format!("The language: {}", names.join(", ")))
}

/// The language that was chosen.
pub(super) fn language(matches: &ArgMatches) -> Language {
    matches.get_one::<String>("lang").and_then(|tag| Language::of_tag(tag)).unwrap_or_default()
}

/// A run's bytes in a format.
fn bytes(exporter: &Exporter, run: &Run, language: Language) -> Result<Vec<u8>, Failure> {
    Ok((exporter.write)(&Subject { run, words: language.words() })?)
}

/// A file that a document will be written to: tried before anything is measured,
/// so that a wrong name, or a missing browser, shows at once.
#[derive(Debug)]
pub(super) struct Destination<Write: 'static = WriteRun> {
    pub(super) exporter: &'static Exporter<Write>,
    pending: Pending,
}

impl<Write> Destination<Write> {
    /// The file at `path`; its extension chooses one of the formats in `table`.
    pub(super) fn of(table: &'static [Exporter<Write>], path: &str) -> Result<Self, Failure> {
        Self::in_format(exporter_in(table, path)?, path)
    }

    /// The file at `path` in a format that its name need not tell.
    pub(super) fn in_format(exporter: &'static Exporter<Write>, path: &str) -> Result<Self, Failure> {
        if exporter.printed {
            browser::find()?;
        }
        Ok(Self { exporter, pending: Pending::at(Path::new(path))? })
    }

    /// Writes what the exporter made there; an old file stays until the new one
    /// is whole.
    pub(super) fn put(self, bytes: &[u8]) -> Result<(), Failure> {
        match self.exporter.printed {
            true => self.pending.finish(&browser::print(bytes)?),
            false => self.pending.finish(bytes),
        }
    }
}

impl Destination {
    /// The file at `path`, for a run.
    pub(super) fn at(path: &str) -> Result<Self, Failure> {
        Self::of(EXPORTERS, path)
    }

    pub(super) fn write(self, run: &Run, language: Language) -> Result<(), Failure> {
        let bytes = bytes(self.exporter, run, language)?;
        self.put(&bytes)
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

/// The format of a file to be written, of those in `table`.
fn exporter_in<Write>(
    table: &'static [Exporter<Write>],
    path: &str,
) -> Result<&'static Exporter<Write>, Failure> {
    for_path(table, Path::new(path)).ok_or_else(|| {
        let known: Vec<String> = table.iter().map(|e| format!(".{}", e.extension)).collect();
        let junit = if path.ends_with(".xml") && table.iter().any(|e| e.extension == "junit") {
            "; `headroom report RUN --format junit -o FILE.xml` writes JUnit XML under any name"
        } else {
            ""
        };
        Failure::arguments(
            format!("the name `{path}` does not say in which format to write"),
            format!("end it in one of {}{junit}", known.join(", ")),
        )
    })
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let asked = format(matches);
    let destination = match (matches.get_one::<String>("output"), asked) {
        (Some(path), Some(exporter)) => Some(Destination::in_format(exporter, path)?),
        (Some(path), None) => Some(Destination::at(path)?),
        (None, _) => None,
    };
    let run = super::load(matches)?;
    match (destination, asked.or_else(|| called("json"))) {
        (Some(destination), _) => {
            destination.write(&run, language(matches))?;
            output::wrote(matches);
        }
        (None, Some(exporter)) => print(exporter, &run, language(matches))?,
        (None, None) => {}
    }
    Ok(ExitCode::SUCCESS)
}
