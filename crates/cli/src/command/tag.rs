//! `headroom tag RUN NAME=VALUE`: says of a run by what it is found again. `headroom run --tag` does the same
//! while it is measured.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use report::text::printable;
use store::{SqliteStore, Store, StoreError};

use super::help::examples;
use super::{kept_runs, open_store, option, store_argument, stored_run_argument};
use crate::exit::Failure;
use crate::output;

/// A tag: its name and its value.
pub(super) type Tag = (String, String);

/// Letters of a name at most.
const NAME_MAX: usize = 64;
/// Letters of a value at most.
const VALUE_MAX: usize = 200;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "tag last rack=3",
            "tag 20261128-0815 rack=3 site=berlin",
            "tag last --remove rack",
        ]))
        .about("Tag a run, so that `list` and `trend` find it by the tag")
        .after_help("A tag replaces the one of the same name. Without a tag, the run's tags are printed.")
        .arg(stored_run_argument())
        .arg(
            Arg::new("tag")
                .value_name("NAME=VALUE")
                .num_args(0..)
                .value_parser(parsed)
                .help("Tags to be set"),
        )
        .arg(option("remove", "NAME").action(ArgAction::Append).help("Take this tag away"))
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let mut store = kept_runs(matches)?;
    let id = store.resolve(matches.get_one::<String>("run").map_or("", String::as_str))?;
    for name in matches.get_many::<String>("remove").unwrap_or_default() {
        store.set_tag(&id, name, None)?;
    }
    for (name, value) in tags(matches) {
        store.set_tag(&id, &name, Some(&value))?;
    }
    let all = store.annotations()?.remove(&id).unwrap_or_default();
    let told: Vec<String> = all.tags.iter().map(told).collect();
    output::done(match told.is_empty() {
        true => format!("{id} has no tags\n"),
        false => format!("{id}: {}\n", told.join(" ")),
    })
}

/// `--tag NAME=VALUE`, for a run that is about to be measured.
pub(super) fn argument() -> Arg {
    option("tag", "NAME=VALUE")
        .action(ArgAction::Append)
        .value_parser(parsed)
        .help("Tag the run, such as rack=3; `headroom list --tag` and `headroom trend --tag` find it by that")
}

/// The store in which a run is kept, with the tags that it is to have.
pub(super) fn opened(matches: &ArgMatches) -> Result<SqliteStore, StoreError> {
    let mut store = open_store(matches)?;
    store.tag_runs(tags(matches));
    Ok(store)
}

/// The tags that were typed.
fn tags(matches: &ArgMatches) -> Vec<Tag> {
    matches.get_many::<Tag>("tag").unwrap_or_default().cloned().collect()
}

/// `rack=3`, as it may be shown.
pub(super) fn told((name, value): (&String, &String)) -> String {
    printable(&format!("{name}={value}"))
}

/// What was typed as a tag, in its two parts.
fn parsed(text: &str) -> Result<Tag, String> {
    let (name, value) = text.split_once('=').ok_or("a tag is NAME=VALUE, such as rack=3")?;
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.chars().count() > NAME_MAX || !name.chars().all(is_letter) {
        return Err(format!("the name of a tag has 1 to {NAME_MAX} letters, digits, `-`, `_` or `.`"));
    }
    if value.trim().is_empty() || value.chars().count() > VALUE_MAX || value.chars().any(char::is_control) {
        return Err(format!("the value of a tag has 1 to {VALUE_MAX} characters, on one line"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_a_name_and_a_value() {
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(parsed("rack=3"), pair("rack", "3"));
        assert_eq!(parsed("url=a=b c"), pair("url", "a=b c"));
        for wrong in ["rack", "=3", "rack=", "rack= ", "a b=3", "rack=a\nb"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        assert!(parsed(&format!("{}=x", "a".repeat(65))).is_err());
    }
}
