//! `headroom list`: the runs that are kept.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use store::{State, Store};

use super::help::examples;
use super::{open_store, store_argument};
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples(["list", "list --store /mnt/usb/headroom.db", "list | head"]))
        .about("The runs that are kept, newest first")
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let entries = open_store(matches)?.list()?;
    if entries.is_empty() {
        return output::done("No runs are kept yet. `headroom run` makes one.\n");
    }
    let mut text = format!("{:<21} {:<12} {:>6} {:>7}  {}\n", "run", "state", "cases", "trials", "study");
    for entry in entries {
        let study = entry.title.unwrap_or(entry.study);
        let state = state_name(entry.state);
        let line = format!("{:<21} {state:<12} {:>6} {:>7}  {study}", entry.id, entry.cases, entry.trials);
        text.push_str(&console::truncate_str(&line, output::columns(), "..."));
        text.push('\n');
    }
    output::done(text)
}

/// A run's state in a word.
fn state_name(state: State) -> &'static str {
    match state {
        State::Complete => "complete",
        State::Budget => "budget",
        State::Interrupted => "interrupted",
        State::Running => "running",
        State::Killed => "unfinished",
    }
}
