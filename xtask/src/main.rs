//! What a developer and CI do with the workspace: `cargo xtask TASK`.
//!
//! One task is one file and one line in [`TASKS`]. This program is never
//! shipped; it may print and knows every crate of the house.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool speaks to a terminal")]

mod bench;
mod error;
mod generate;
mod guest;
mod reference;
mod test;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cargo_metadata::MetadataCommand;
use clap::{ArgMatches, Command};

use crate::error::Error;

/// One task.
pub(crate) struct Task {
    /// What is typed.
    name: &'static str,
    /// One line of help.
    about: &'static str,
    /// Adds the task's own arguments.
    arguments: fn(Command) -> Command,
    /// Does it, in the workspace at this root.
    run: fn(&Path, &ArgMatches) -> Result<(), Error>,
}

/// Every task, in the order of the help.
const TASKS: &[&Task] = &[&test::TASK, &tidy::TASK, &generate::TASK, &bench::TASK, &guest::TASK];

fn main() -> ExitCode {
    let matches = command().get_matches();
    let done = match matches.subcommand() {
        Some((name, arguments)) => {
            let task = TASKS.iter().find(|task| task.name == name);
            (task.expect("clap lets only listed tasks pass").run)(&root(), arguments)
        }
        None => unreachable!("clap asks for a task"),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask: {e}");
            ExitCode::from(e.status())
        }
    }
}

fn command() -> Command {
    TASKS.iter().fold(
        Command::new("xtask")
            .bin_name("cargo xtask")
            .about("Work on Headroom")
            .subcommand_required(true)
            .arg_required_else_help(true),
        |command, task| command.subcommand((task.arguments)(Command::new(task.name).about(task.about))),
    )
}

/// The workspace's root: the folder above this crate's.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder(root: &Path) -> Result<PathBuf, Error> {
    let metadata =
        MetadataCommand::new().current_dir(root).no_deps().other_options(["--offline".to_owned()]).exec()?;
    Ok(metadata.target_directory.into_std_path_buf())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_made() {
        super::command().debug_assert();
    }
}
