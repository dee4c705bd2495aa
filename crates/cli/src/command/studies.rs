//! `headroom studies [NAME]`: the built-in studies.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use import::diagnostic::suggest;
use study::built_in::{self, READY};

use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .about("The built-in studies; a name prints one, to be copied and changed")
        .arg(Arg::new("name").value_name("NAME").help("The study to print"))
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let text = match matches.get_one::<String>("name") {
        Some(name) => match built_in::find(name) {
            Some(ready) => ready.text.to_owned(),
            None => {
                return Err(Failure::Arguments {
                    message: format!("there is no built-in study `{name}`"),
                    help: suggest(name, READY.iter().map(|r| r.name)),
                });
            }
        },
        None => {
            let catalogue = agent::catalogue();
            let mut text = String::new();
            for ready in READY {
                let study = study::read::from_toml(&catalogue, ready.name, ready.name, ready.text)?;
                text.push_str(&format!("{}  {}\n", ready.name, study.question.unwrap_or_default()));
            }
            text
        }
    };
    output::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
