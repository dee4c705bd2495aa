//! `headroom settings [NAME]`: what of a machine can be changed for a study.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use import::diagnostic::suggest;

use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .about("What of a machine can be changed for a study, read back, and put back: `--set NAME=VALUE`")
        .arg(Arg::new("name").value_name("NAME").help("One setting in full"))
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let settings = agent::settings();
    let text = match matches.get_one::<String>("name") {
        None => report::reference::settings(&settings),
        Some(name) => match settings.iter().find(|s| s.name() == name) {
            Some(spec) => report::reference::setting(spec),
            None => {
                let names: Vec<&str> = settings.iter().map(|s| s.name()).collect();
                return Err(Failure::Arguments {
                    message: format!("there is no setting `{name}`"),
                    help: suggest(name, names),
                });
            }
        },
    };
    output::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
