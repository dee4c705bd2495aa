//! `headroom doctor`: what could disturb a measurement now.

use std::process::ExitCode;

use ::language::Language;
use clap::{ArgMatches, Command};
use model::{Finding, Severity};
use report::doctor::document;

use super::flag;
use super::help::examples;
use super::machine::{examine, host_argument};
use crate::exit::{CONDITION, Failure};
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples(["doctor", "doctor -v", "doctor --json"]))
        .about("What could disturb a measurement on this machine now, and what to do about it")
        .long_about(
            "What could disturb a measurement on this machine now, and what to do about it. Nothing is changed. The \
             exit code is 1 if there is a warning or an error among the conditions, 0 if there are notes or nothing.",
        )
        .arg(flag("json", "Print the conditions as a JSON array of findings"))
        .arg(output::verbose_argument())
        .arg(host_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let machine = examine(matches)?;
    let findings: Vec<Finding> = machine.looks.into_iter().flat_map(|l| l.findings).collect();
    let text = if matches.get_flag("json") {
        serde_json::to_string_pretty(&findings).unwrap_or_default() + "\n"
    } else {
        let document = document(&findings, Language::English.words());
        output::rendered(&document, matches, &output::typed_verbosely(typed))
    };
    output::print(text.as_bytes())?;
    let grave = findings.iter().any(|f| f.severity >= Severity::Warning);
    Ok(if grave { ExitCode::from(CONDITION) } else { ExitCode::SUCCESS })
}
