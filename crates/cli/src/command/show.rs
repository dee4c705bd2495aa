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
    let (id, started) = (printable(&run.id), printable(&seconds(&run.started)));
    output::print(format!("Run {id}, started {started}\n\n{text}").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// A time as a person reads it: no fractions of a second.
fn seconds(time: &str) -> String {
    let fraction = |rest: &str| rest.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
    time.split_once('.').map_or_else(|| time.to_owned(), |(whole, rest)| whole.to_owned() + &fraction(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_run_started_at_a_nanosecond() {
        assert_eq!(seconds("2026-11-21T19:03:33.52089121Z"), "2026-11-21T19:03:33Z");
        assert_eq!(seconds("2026-11-21T19:03:33Z"), "2026-11-21T19:03:33Z");
        assert_eq!(seconds(""), "");
    }
}
