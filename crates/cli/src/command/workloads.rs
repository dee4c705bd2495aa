//! `headroom workloads [NAME]`: what can be measured.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use super::help::examples;
use super::unknown;
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples(["workloads", "workloads disk", "workloads net.stream"]))
        .about("What can be measured, with every parameter and metric")
        .arg(Arg::new("name").value_name("NAME").help("One workload in full"))
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let catalogue = agent::catalogue();
    let text = match matches.get_one::<String>("name") {
        None => report::reference::list(&catalogue, output::terminal()),
        Some(name) => {
            let known = catalogue.workloads.iter().map(|w| w.name.as_str());
            let spec = catalogue.called(name).ok_or_else(|| unknown("workload", name, known))?;
            report::reference::text(spec, &catalogue, output::terminal())
        }
    };
    output::done(text)
}
