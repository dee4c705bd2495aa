//! `headroom export RUN`: a run as a file.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use report::export::{EXPORTERS, Exporter, for_path};

use super::{open_store, run_argument, store_argument};
use crate::exit::Failure;
use crate::output::{self, Pending};

pub(super) fn define(command: Command) -> Command {
    command
        .about("Write a run as JSON or CSV, or its machine as a picture")
        .arg(run_argument())
        .arg(output_argument())
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(EXPORTERS.iter().map(|e| e.extension).collect::<Vec<_>>())
                .help("The format, where no file's name tells it [default: json]"),
        )
        .arg(store_argument())
}

/// `-o FILE`; its extension chooses the format.
pub(super) fn output_argument() -> Arg {
    let formats: Vec<String> = EXPORTERS.iter().map(|e| format!(".{} ({})", e.extension, e.doc)).collect();
    Arg::new("output")
        .short('o')
        .long("output")
        .value_name("FILE")
        .help(format!("Write a file; its name chooses the format: {}", formats.join(", ")))
}

/// The format of a file to be written.
pub(super) fn exporter_for(path: &str) -> Result<&'static Exporter, Failure> {
    for_path(Path::new(path)).ok_or_else(|| {
        let known: Vec<String> = EXPORTERS.iter().map(|e| format!(".{}", e.extension)).collect();
        Failure::Arguments {
            message: format!("the name `{path}` does not say in which format to write"),
            help: format!("end it in one of {}", known.join(", ")),
        }
    })
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let asked = matches.get_one::<String>("format");
    let path = matches.get_one::<String>("output");
    let exporter = match (asked, path) {
        (Some(format), _) => EXPORTERS.iter().find(|e| e.extension == format),
        (None, Some(path)) => Some(exporter_for(path)?),
        (None, None) => EXPORTERS.first(),
    };
    let run = super::load(&open_store(matches)?, matches)?;
    let bytes = exporter.map_or(Ok(Vec::new()), |e| (e.write)(&run))?;
    match path {
        Some(path) => Pending::at(Path::new(path))?.finish(&bytes)?,
        None => output::print(&bytes)?,
    }
    Ok(ExitCode::SUCCESS)
}
