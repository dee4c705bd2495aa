//! `headroom watch [-- COMMAND]`: how much of each resource is used now, of what it was measured to give; and what is full
//! first.

mod arguments;
mod far_ends;
mod kept;
mod lines;
mod live;
mod phase_trace;

use std::process::ExitCode;

use ::watch::keeper::KeeperError;
use clap::{ArgMatches, Command};

use self::arguments::WatchArguments;
use super::systemd_unit::exec_start;
use crate::exit::Failure;
use crate::output;

const UNIT: &str = include_str!("../watch.service");

pub(super) fn define(command: Command) -> Command {
    arguments::define(command)
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let arguments = WatchArguments::of(matches)?;
    if matches.get_flag("systemd-unit") {
        return output::done(unit(&arguments.unit_words())?);
    }
    match &arguments.at {
        Some(at) => kept::show(*at, &arguments, typed),
        None => live::watch(matches, &arguments, typed),
    }
}

/// A unit for systemd that watches as was typed.
fn unit(arguments: &[String]) -> Result<String, Failure> {
    let program = std::env::current_exe()
        .map_err(|e| Failure::refused(format!("the program does not find itself: {e}"), "try again"))?;
    let program = program.display().to_string();
    let own = [program.as_str(), "watch"];
    let words: Vec<&str> = own.into_iter().chain(arguments.iter().map(String::as_str)).collect();
    Ok(UNIT.replacen("{command}", &exec_start(&words)?, 1))
}

/// What cannot be kept or read back.
fn failure(error: &KeeperError) -> Failure {
    let help = match error {
        KeeperError::Busy(_) => "end that one, or name another folder with --folder",
        KeeperError::Nothing(_) => "name a time that was kept, and the folder with --folder",
        KeeperError::Io { .. } => "name another folder with --folder",
    };
    Failure::refused(error.to_string(), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_has_the_words_of_the_command_and_can_keep_what_it_watches() {
        let words = ["--keep", "1 day", "--prometheus", "127.0.0.1:9847"].map(str::to_owned);
        let unit = unit(&words).unwrap();
        let line = unit.lines().find(|line| line.starts_with("ExecStart=")).unwrap();
        assert!(line.ends_with(" watch --keep \"1 day\" --prometheus 127.0.0.1:9847"), "{line}");
        assert!(unit.contains("StateDirectory=headroom"), "{unit}");
        assert!(!unit.contains('{'), "{unit}");
    }
}
