//! `headroom import [FILE...]`: keeps results of other tools beside our own runs.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use import::tool::{FIGURES_MAX, RESULTS_MAX};
use model::Run;
use model::tool_result::UnreadCause;
use report::text::printable;

use super::check::{file_argument, machine_argument, machine_of};
use super::help::examples;
use super::tool_text::{read_files, run_of, understood};
use super::{open_store, store_argument};
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "import fio.txt",
            "import before.txt after.txt",
            "import fio.txt --machine this",
        ]))
        .about("Keep what other tools measured, as a run")
        .long_about(
            "Reads what fio, dd and other tools printed, as `headroom check` does, and keeps it as one run: what was done \
             several times in the same way is one case with as many trials. Then it can be shown, reported and compared with \
             other runs. Nothing is kept if a file cannot be read or nothing is understood.",
        )
        .arg(file_argument())
        .arg(machine_argument())
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let machine = machine_of(matches)?;
    let outputs = read_files(matches)?;
    understood(&outputs)?;
    let run = run_of(outputs, machine, typed).run;
    open_store(matches)?.keep(&run)?;
    output::done(told(&run))
}

/// What was kept, and how to look at it.
fn told(run: &Run) -> String {
    let trials: usize = run.cases.iter().map(|case| case.trials.len()).sum();
    let unread: usize = run.tool_outputs.iter().map(|output| output.unread.len()).sum();
    let mut text = format!(
        "Kept as {}: {trials} {} of {}, {} {}.\n",
        run.id,
        plural(trials, "result", "results"),
        printable(&run.origin.tool),
        run.cases.len(),
        plural(run.cases.len(), "case", "cases"),
    );
    if unread > 0 {
        text.push_str(&format!(
            "{unread} {} of lines {} not understood: `headroom check` lists them.\n",
            plural(unread, "range", "ranges"),
            plural(unread, "was", "were"),
        ));
    }
    for output in &run.tool_outputs {
        for unread in output.unread.iter().filter(|unread| unread.cause == UnreadCause::TooMany) {
            text.push_str(&format!(
                "{}: lines {} to {} were not read: of one text at most {RESULTS_MAX} results or {FIGURES_MAX} figures are kept.\n",
                printable(&output.source),
                unread.lines.first,
                unread.lines.last,
            ));
        }
    }
    text.push_str(&format!("\n    headroom show {}\n", run.id));
    text
}

fn plural(count: usize, one: &'static str, several: &'static str) -> &'static str {
    if count == 1 { one } else { several }
}
