//! `headroom report RUN`: a run as a page to read and share.

use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::export::{
    self, Destination, format, format_argument, language, language_argument, output_argument,
};
use super::help::examples;
use super::{run_argument, store_argument};
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "report",
            "report last -o page.pdf --lang ja",
            "report last --format junit -o goals.xml",
        ]))
        .about("Write a run as a page to read and share")
        .after_help(
            "Without -o, the page is headroom-RUN.html in this folder; what --format asks for goes to standard output. A page is \
             one file: it needs no network and no script.",
        )
        .arg(run_argument().required(false).default_value("last"))
        .arg(output_argument())
        .arg(format_argument("The format, if no file name says it"))
        .arg(language_argument())
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let run = super::load(matches)?;
    let path = match (matches.get_one::<String>("output"), format(matches)) {
        (None, Some(exporter)) => {
            export::print(exporter, &run, language(matches))?;
            return Ok(ExitCode::SUCCESS);
        }
        (Some(path), _) => path.clone(),
        // A run's name is made of digits, letters and dashes.
        (None, None) => format!("headroom-{}.html", run.id),
    };
    let destination = match format(matches) {
        Some(exporter) => Destination::in_format(exporter, &path)?,
        None => Destination::at(&path)?,
    };
    destination.write(&run, language(matches))?;
    // The program ends here, and giving back a long run piece by piece takes 20 ms.
    std::mem::forget(run);
    output::done(format!("Wrote {}\n", ::report::text::printable(&path)))
}
