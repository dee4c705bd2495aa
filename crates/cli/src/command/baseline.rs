//! `headroom baseline RUN`: accepts a run as that which later ones are held against.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use report::text::printable;
use store::{Annotations, Store, StoreError};

use super::help::examples;
use super::{flag, kept_runs, store_argument, stored_run_argument};
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples(["baseline", "baseline last", "baseline 20261128-0815 --unpin"]))
        .about("Accept a run as the baseline with which `headroom trend` compares later runs")
        .long_about(
            "Accepts a run, with today's date, as the baseline with which `headroom trend` compares later runs of the \
             same work. Of several, the one that was accepted last counts. Without a run, the baselines are listed.",
        )
        .arg(stored_run_argument().required(false))
        .arg(flag("unpin", "It is no longer a baseline").requires("run"))
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let Some(named) = matches.get_one::<String>("run") else {
        let all = match kept_runs(matches) {
            Err(StoreError::Absent { .. }) => BTreeMap::new(),
            store => store?.annotations()?,
        };
        return output::done(list(&all));
    };
    let mut store = kept_runs(matches)?;
    let id = store.resolve(named)?;
    if matches.get_flag("unpin") {
        store.set_baseline(&id, None)?;
        return output::done(format!("{id} is no baseline\n"));
    }
    let accepted = store.now()?;
    store.set_baseline(&id, Some(&accepted))?;
    output::done(format!("{id} is a baseline, accepted on {}\n", date(&accepted)))
}

/// The baselines, a line each.
fn list(all: &BTreeMap<String, Annotations>) -> String {
    let line = |(id, said): (&String, &Annotations)| {
        let accepted = said.accepted.as_ref()?;
        Some(printable(&format!("{id}  accepted on {}", date(accepted))) + "\n")
    };
    let lines: String = all.iter().filter_map(line).collect();
    if lines.is_empty() {
        "No run is a baseline. `headroom baseline RUN` accepts one.\n".to_owned()
    } else {
        lines
    }
}

/// The date of a time in RFC 3339.
pub(super) fn date(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}
