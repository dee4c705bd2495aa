//! `headroom note RUN TEXT`: says of a run in a person's words what the document does not know.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use report::text::printable;
use store::Store;

use super::help::examples;
use super::{flag, kept_runs, store_argument, stored_run_argument};
use crate::exit::Failure;
use crate::output;

/// Letters of a note at most.
const NOTE_MAX: usize = 2000;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "note last \"after the new controller\"",
            "note last  # what was noted",
            "note last --remove",
        ]))
        .about("Note something about a run; `list` and `trend` show it")
        .after_help("A note replaces the one before. Without a text, the run's note is printed.")
        .arg(stored_run_argument())
        .arg(Arg::new("text").value_name("TEXT").num_args(0..).help("The note; several words make one"))
        .arg(flag("remove", "Take the note away").conflicts_with("text"))
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let typed = matches.get_many::<String>("text").unwrap_or_default();
    let words: Vec<&str> = typed.flat_map(|text| text.split_whitespace()).collect();
    let text = words.join(" ");
    check(&text)?;
    let mut store = kept_runs(matches)?;
    let id = store.resolve(matches.get_one::<String>("run").map_or("", String::as_str))?;
    if matches.get_flag("remove") {
        store.set_note(&id, None)?;
    } else if !text.is_empty() {
        store.set_note(&id, Some(&text))?;
    }
    let note = store.annotations()?.remove(&id).and_then(|said| said.note);
    output::done(match note {
        Some(note) => format!("{id}: {}\n", printable(&note)),
        None => format!("{id} has no note\n"),
    })
}

fn check(text: &str) -> Result<(), Failure> {
    if text.chars().count() > NOTE_MAX {
        return Err(Failure::arguments(
            format!("a note has at most {NOTE_MAX} characters"),
            "shorten it, or name a file in it",
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(Failure::arguments("a note is text, without control characters", "type it without them"));
    }
    Ok(())
}
