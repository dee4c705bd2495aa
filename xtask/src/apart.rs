//! `bench`, `lab` and `torture` are programs of their own, because no other task needs
//! what they are built from. Each is built and started here, and gets its arguments
//! unchanged.

use std::path::Path;
use std::process::Command as Process;

use clap::{Arg, ArgMatches, Command};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::error::Error;
use crate::{Task, cargo_program};

/// The benchmarks.
pub(crate) const BENCH: Task = Task {
    name: "bench",
    about: "Measure Headroom's own cost, as ratios to its peers",
    arguments,
    run: |root, given| run(root, "bench", given),
};

/// The induced limits.
pub(crate) const LAB: Task = Task {
    name: "lab",
    about: "Hold the verdicts against limits that were induced, and quiet runs against false alarms",
    arguments,
    run: |root, given| run(root, "lab", given),
};

/// The attacks.
pub(crate) const TORTURE: Task = Task {
    name: "torture",
    about: "Attack Headroom, and fuzz what it reads, for some minutes",
    arguments,
    run: |root, given| run(root, "torture", given),
};

fn arguments(command: Command) -> Command {
    command.disable_help_flag(true).arg(
        Arg::new("arguments")
            .value_name("ARGUMENT")
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true),
    )
}

fn run(root: &Path, package: &str, arguments: &ArgMatches) -> Result<(), Error> {
    let words: Vec<&String> = arguments.get_many("arguments").map(Iterator::collect).unwrap_or_default();
    // Ctrl-C goes to the program, too, which clears up; it is waited for.
    for signal in [SIGINT, SIGTERM] {
        let _ = signal_hook::flag::register(signal, std::sync::Arc::default());
    }
    let status = Process::new(cargo_program())
        .args(["run", "--quiet", "--package", package, "--"])
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
    fn every_argument_goes_to_the_program() {
        let words = ["bench", "null", "--pairs", "2", "--help"];
        let matches = arguments(Command::new("bench")).try_get_matches_from(words).unwrap();
        let given: Vec<&String> = matches.get_many("arguments").unwrap().collect();
        assert_eq!(given, words[1..].iter().collect::<Vec<_>>());
    }
}
