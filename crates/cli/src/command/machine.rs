//! `headroom machine`: what this machine, or a recorded one, is made of and
//! what its parts can do at most.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::agent::{DescribeError, describe_host, examine_host, record_host};
use ::language::Language;
use clap::{Arg, ArgMatches, Command, value_parser};
use model::Machine;
use report::inventory;

use super::export::{language, language_argument};
use super::help::examples;
use super::{flag, option};
use crate::exit::Failure;
use crate::output::{self, Pending};

pub(super) fn define(command: Command) -> Command {
    let path =
        |name, value, help: &'static str| option(name, value).value_parser(value_parser!(PathBuf)).help(help);
    command
        .before_help(examples(["machine", "machine -v", "machine --svg machine.svg"]))
        .about("What this machine is made of, and what its parts can do at most")
        .long_about(
            "What this machine is made of, and what its parts can do at most: processors, memory, PCI Express, \
             storage, network, sensors, limits with their sources. Nothing is changed and nothing is measured. Some \
             parts can be read by root only; those that could not be read are named with the reason.",
        )
        .arg(
            output::verbose_argument()
                .visible_alias("all")
                .help("Everything: every PCI function, device, mount, interface and sensor, and what measuring costs"),
        )
        .arg(flag("json", "Print the machine as JSON, as it stands in a run document"))
        .arg(host_argument())
        .arg(
            path(
                "record",
                "PATH",
                "Write all that is read of this machine, identities masked, into a new folder, or into one file \
                 where the name ends in .host",
            )
            .conflicts_with_all(["host", "verbose"]),
        )
        .arg(path(
            "svg",
            "FILE",
            "Also draw the machine as a picture (SVG); with `-`, print the picture instead of the text",
        ))
        .arg(language_argument().requires("svg").help("The language of the picture: en, ko or ja"))
}

/// `--host PATH`.
pub(super) fn host_argument() -> Arg {
    option("host", "PATH")
        .value_parser(value_parser!(PathBuf))
        .help("A recorded machine instead of this one (made by `headroom machine --record`)")
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let json = matches.get_flag("json");
    let picture = match matches.get_one::<PathBuf>("svg") {
        Some(path) => Some(Picture::at(path, json)?),
        None => None,
    };
    let (machine, recorded) = match matches.get_one::<PathBuf>("record") {
        Some(path) => {
            let (machine, files) = record_host(path).map_err(failure)?;
            (machine, Some(recorded_text(path, files)))
        }
        None => (describe(matches)?, None),
    };
    let is_printed = matches!(picture, Some(Picture::Printed));
    if let Some(picture) = picture {
        picture.finish(&machine, language(matches))?;
    }
    // A document on standard output has nothing beside it.
    match recorded {
        _ if json => {
            output::print(&as_json(&machine))?;
            output::note(&recorded.unwrap_or_default());
        }
        _ if is_printed => output::note(&recorded.unwrap_or_default()),
        Some(recorded) => output::print(recorded.as_bytes())?,
        None => {
            let document = inventory::document(&machine, Language::English.words());
            output::print(output::rendered(&document, matches, &output::typed_verbosely(typed)).as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

enum Picture {
    Printed,
    Written(PathBuf, Pending),
}

impl Picture {
    /// What every picture of ours begins with.
    const BEGINNING: &[u8] = b"<svg";

    /// Refuses what is there and no picture: a mistyped name must not cost a
    /// file.
    fn at(path: &Path, json: bool) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return match json {
                true => Err(Failure::arguments(
                    "a picture and a document cannot both be printed",
                    "give `--svg` the name of a file",
                )),
                false => Ok(Self::Printed),
            };
        }
        if !path.is_dir() && !Self::may_replace(path) {
            let reason = "it is there already and is no picture".to_owned();
            return Err(output::refused(path, reason, "name a file that does not exist, or an SVG file"));
        }
        Ok(Self::Written(path.to_owned(), Pending::at(path)?))
    }

    fn may_replace(path: &Path) -> bool {
        let Ok(metadata) = path.metadata() else { return path.symlink_metadata().is_err() };
        let mut start = Vec::new();
        let is_read = metadata.is_file()
            && std::fs::File::open(path)
                .and_then(|file| file.take(Self::BEGINNING.len() as u64).read_to_end(&mut start))
                .is_ok();
        // An empty file was made to be filled.
        is_read && (start.is_empty() || start == Self::BEGINNING)
    }

    fn finish(self, machine: &Machine, language: Language) -> Result<(), Failure> {
        let picture = chart::machine::svg(machine, None, language.words());
        match self {
            Self::Printed => output::print(picture.as_bytes()),
            Self::Written(path, pending) => {
                pending.finish(picture.as_bytes())?;
                let shown = report::text::printable(&path.display().to_string());
                output::note(&format!("Drew the machine in {shown}.\n"));
                Ok(())
            }
        }
    }
}

/// In place of a recording: the machine on which the command runs.
const THIS: &str = "this";

/// The machine recorded at a path, or this one.
pub(super) fn named(named: &str) -> Result<Machine, Failure> {
    describe_host((named != THIS).then_some(Path::new(named))).map_err(failure)
}

/// The machine that was meant.
fn describe(matches: &ArgMatches) -> Result<Machine, Failure> {
    describe_host(matches.get_one::<PathBuf>("host").map(PathBuf::as_path)).map_err(failure)
}

/// The same, looked at for what could disturb a measurement.
pub(super) fn examine(matches: &ArgMatches) -> Result<Machine, Failure> {
    examine_host(matches.get_one::<PathBuf>("host").map(PathBuf::as_path)).map_err(failure)
}

fn as_json(machine: &Machine) -> Vec<u8> {
    (serde_json::to_string_pretty(machine).unwrap_or_default() + "\n").into_bytes()
}

fn recorded_text(path: &Path, files: usize) -> String {
    let shown = report::text::printable(&path.display().to_string());
    let text = format!(
        "Recorded this machine in {shown}: {files} files and answers. Serial numbers, hardware and network addresses, \
         unique identifiers, servers of mounts and the host's name were masked. Names that people gave are in it: mount \
         points, volumes, interfaces, control groups, processes that used the CPU, the kernel's command line. Look it \
         over before you send it to somebody."
    );
    format!("{}\n\n    headroom machine --host {shown}\n", report::terminal::fill(&text))
}

fn failure(error: DescribeError) -> Failure {
    let message = error.to_string();
    match error {
        DescribeError::NotThere { .. } | DescribeError::NoRecording(_) | DescribeError::TooLarge { .. } => {
            Failure::arguments(message, "give a folder or a .host file that `headroom machine --record` made")
        }
        DescribeError::CutShort(_) => Failure::arguments(
            message,
            "record the machine again, or copy the file again; one written by hand ends with the line `==> end`",
        ),
        DescribeError::Occupied(_) => Failure::refused(
            message,
            "name a file that does not exist, ending in .host, or a folder that is new or empty",
        ),
        DescribeError::Unwritten { source, .. } => Failure::refused(message, where_else(source.kind())),
    }
}

/// What to do where a recording cannot be written, of which nothing is left.
fn where_else(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room there, or name a place on another file system; nothing was left of it"
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => "name a place in a folder that exists",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "name a place where you may write",
        _ => "name another place",
    }
}
