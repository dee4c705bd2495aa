//! `headroom list`: the runs that are kept.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use report::reference::paragraph;
use report::text::printable;
use store::{Annotations, State, Store, StoreError};

use super::baseline::date;
use super::help::examples;
use super::run_filter::{self, RunFilter};
use super::{kept_runs, store_argument, tag};
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "list",
            "list disk --since 2026-11-01 --tag rack=3",
            "list --store /mnt/usb/headroom.db",
        ]))
        .about("The runs that are kept, newest first, with their tags and notes")
        .args(run_filter::arguments())
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let store = match kept_runs(matches) {
        Err(none @ StoreError::Absent { .. }) => return output::done(none_kept(&none)),
        other => other?,
    };
    let said = store.annotations()?;
    let entries = RunFilter::of(matches).select(&store, &said)?;
    if entries.is_empty() {
        return output::done(match store.list()?.is_empty() {
            true => "No runs are kept yet. `headroom run` makes one.\n",
            false => "No kept run is like that. `headroom list` shows all.\n",
        });
    }
    let mut text = format!("{:<21} {:<12} {:>6} {:>7}  {}\n", "run", "state", "cases", "trials", "study");
    for entry in entries {
        let study = entry.title.unwrap_or(entry.study);
        let state = state_name(entry.state);
        let line = format!("{:<21} {state:<12} {:>6} {:>7}  {study}", entry.id, entry.cases, entry.trials);
        text.push_str(&console::truncate_str(&line, output::columns(), "..."));
        text.push('\n');
        for line in said.get(&entry.id).map(annotated).unwrap_or_default() {
            text.push_str(&console::truncate_str(&format!("  {line}"), output::columns(), "..."));
            text.push('\n');
        }
    }
    output::done(text)
}

/// That there is no store, and what to type. A store that was named may have been mistyped, so its name is told.
fn none_kept(none: &StoreError) -> String {
    let told = printable(&none.to_string());
    let mut letters = told.chars();
    let first = letters.next().map(char::to_uppercase);
    let first: String = first.into_iter().flatten().collect();
    paragraph(&format!("{first}{}. {}", letters.as_str(), none.help()), output::terminal()) + "\n"
}

/// What was said of a run, in lines.
fn annotated(said: &Annotations) -> Vec<String> {
    let tags: Vec<String> = said.tags.iter().map(tag::told).collect();
    let accepted =
        said.accepted.as_ref().map(|time| printable(&format!("baseline, accepted on {}", date(time))));
    let marks: Vec<String> = tags.into_iter().chain(accepted).collect();
    let marks = (!marks.is_empty()).then(|| marks.join("  "));
    marks.into_iter().chain(said.note.as_ref().map(|note| printable(note))).collect()
}

/// A run's state in a word.
fn state_name(state: State) -> &'static str {
    match state {
        State::Complete => "complete",
        State::Budget => "budget",
        State::Interrupted => "interrupted",
        State::Running => "running",
        State::Killed => "unfinished",
    }
}
