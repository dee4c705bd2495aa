//! `headroom rm RUN...`: forgets runs.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use store::{State, Store};

use super::help::examples;
use super::{kept_runs, page_path, run_argument, store_argument};
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples(["rm last", "rm 20261128-0815", "rm last --store /mnt/usb/headroom.db"]))
        .about("Remove kept runs, and the pages that the overview made of them")
        .arg(run_argument().num_args(1..).help("Runs, by name or its beginning"))
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let mut store = kept_runs(matches)?;
    let named: Vec<&String> = matches.get_many("run").into_iter().flatten().collect();
    // All names first: a wrong one removes nothing.
    let ids = named.iter().map(|n| store.resolve(n)).collect::<Result<Vec<_>, _>>()?;
    let entries = store.list()?;
    let entry = |id: &String| entries.iter().find(|e| e.id == *id);
    for id in &ids {
        if entry(id).is_some_and(|e| e.state == State::Running) {
            return Err(Failure::refused(
                format!("{id} is still running"),
                "interrupt it first (Ctrl-C where it runs)",
            ));
        }
    }
    for id in ids {
        store.remove(&id)?;
        // The page that the overview made of it goes with it. Other runs have none but what somebody
        // asked for, which may well stand in the same place.
        let is_overview = entry(&id).is_some_and(|e| e.study == study::built_in::OVERVIEW);
        if let Some(page) = page_path(matches, &id).filter(|_| is_overview) {
            let _ = std::fs::remove_file(page);
        }
        output::print(format!("{id} is forgotten\n").as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
