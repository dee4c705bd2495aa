//! `bench`: builds and starts the benchmarks, a program of their own, for they
//! know crates of the house. Its arguments are that program's.

use std::path::Path;
use std::process::Command as Process;

use clap::{Arg, ArgMatches, Command};

use crate::error::Error;
use crate::{Task, cargo_program};

/// The task.
pub(crate) const TASK: Task =
    Task { name: "bench", about: "Measure Headroom's own cost, as ratios to its peers", arguments, run };

fn arguments(command: Command) -> Command {
    command.disable_help_flag(true).arg(
        Arg::new("arguments")
            .value_name("ARGUMENT")
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true),
    )
}

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    let words: Vec<&String> = arguments.get_many("arguments").map(Iterator::collect).unwrap_or_default();
    let status = Process::new(cargo_program())
        .args(["run", "--quiet", "--package", "bench", "--"])
        .args(words)
        .current_dir(root)
        .status()
        .map_err(|e| Error::Build(format!("cargo cannot be run: {e}")))?;
    match status.code() {
        Some(0) => Ok(()),
        // It said what was wrong.
        code => Err(Error::Command(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_goes_to_the_benchmarks() {
        let words = ["bench", "null", "--pairs", "2", "--help"];
        let matches = arguments(Command::new("bench")).try_get_matches_from(words).unwrap();
        let given: Vec<&String> = matches.get_many("arguments").unwrap().collect();
        assert_eq!(given, words[1..].iter().collect::<Vec<_>>());
    }
}
