//! `headroom show RUN`: the summary of a run that is kept.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use report::page::{Subject, document};

use super::export::{language, language_argument};
use super::help::examples;
use super::{run_argument, store_argument};
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "show",
            "show -v last  # with all evidence and every number",
            "show run.json",
        ]))
        .about("The summary of a run: of the last one, unless you name another")
        .arg(run_argument().required(false).default_value("last"))
        .arg(output::verbose_argument())
        .arg(language_argument())
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let run = super::load(matches)?;
    let document = document(&Subject { run: &run, words: language(matches).words() });
    output::done(output::rendered(&document, matches, &output::typed_verbosely(typed)))
}

/// The command that shows all of the run.
pub(super) fn command(matches: &ArgMatches, id: &str) -> String {
    let mut words = vec!["show", "-v", id];
    for (name, option) in [("lang", "--lang"), ("store", "--store")] {
        if let Some(value) = matches.get_one::<String>(name) {
            words.extend([option, value]);
        }
    }
    output::shell_command(words)
}
