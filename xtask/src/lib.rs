//! What a developer and CI do with the workspace: `cargo xtask TASK`.
//!
//! One task is one file and one line in [`TASKS`]. This crate is never shipped
//! and may print. It knows no crate of the house, so that formatting and lints
//! need not wait until the product is compiled: what a task wants of the product,
//! it asks the built program.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool speaks to a terminal")]

mod apart;
mod cargo;
mod dist;
mod error;
mod generate;
mod guest;
mod outcome;
mod packages;
mod release;
mod test;
mod tidy;
pub mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Command};

pub use crate::cargo::{built_program, cargo_program, target_folder};
pub use crate::error::Error;

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
const TASKS: &[&Task] = &[
    &test::TASK,
    &tidy::TASK,
    &generate::TASK,
    &apart::BENCH,
    &apart::LAB,
    &apart::TORTURE,
    &guest::TASK,
    &dist::TASK,
    &release::TASK,
    &release::install_test::TASK,
    &release::cross_test::TASK,
];

/// Carries out the task that was typed.
#[must_use]
pub fn main() -> ExitCode {
    let matches = command().get_matches();
    exit(match matches.subcommand() {
        Some((name, arguments)) => {
            let task = TASKS.iter().find(|task| task.name == name);
            (task.expect("clap lets only listed tasks pass").run)(&root(), arguments)
        }
        None => unreachable!("clap asks for a task"),
    })
}

/// Says what went wrong, and what the process tells its caller.
#[must_use]
pub fn exit(done: Result<(), Error>) -> ExitCode {
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
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_made() {
        super::command().debug_assert();
    }
}
