//! `headroom studies [NAME]`: the built-in studies.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use study::built_in::{self, READY};

use super::help::examples;
use super::unknown;
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "studies",
            "studies disk-quick",
            "studies disk-quick > mine.toml  # to be changed and run",
        ]))
        .about("The built-in studies; a name prints one, to be copied and changed")
        .arg(Arg::new("name").value_name("NAME").help("The study to print"))
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let text = match matches.get_one::<String>("name") {
        Some(name) => {
            let known = READY.iter().map(|ready| ready.name);
            built_in::find(name).ok_or_else(|| unknown("built-in study", name, known))?.text.to_owned()
        }
        None => {
            let catalogue = agent::catalogue();
            let mut all = Vec::new();
            for ready in READY {
                let study = study::read::from_toml(&catalogue, ready.name, ready.name, ready.text)?;
                all.push((ready.name, study.question.unwrap_or_default()));
            }
            report::reference::studies(&all, output::terminal())
        }
    };
    output::done(text)
}
