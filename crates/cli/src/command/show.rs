//! `headroom show RUN`: the summary of a run that is kept.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use report::text::printable;

use super::{run_argument, store_argument};
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command.about("The summary of a run").arg(run_argument()).arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let run = super::load(matches)?;
    let text = report::summary::text(&run, &agent::catalogue(), None);
    let (id, started) = (printable(&run.id), printable(&run.started));
    output::print(format!("Run {id}, started {started}\n\n{text}").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
