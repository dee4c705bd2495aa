//! `headroom fit [USE]`: is this machine fit for a use? The uses are built-in studies that end in a verdict, and run as any
//! study does; without a word they are listed, with what each asks of its user.

use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use model::Study;
use report::reference::{self, FitUse};
use study::built_in::{FIT, READY};
use study::read::{from_toml, inputs};

use super::help::examples;
use super::resume::RESUME;
use super::{run, unknown};
use crate::exit::Failure;
use crate::output;

pub(super) fn define(command: Command) -> Command {
    run::define(command)
        .before_help(examples([
            "fit  # what for, and what each asks of you",
            "fit etcd --target /var/lib/etcd",
            "fit etcd --target /var/lib/etcd --fsync-limit 5ms",
        ]))
        .about("Is this machine fit for a use? Measures, and answers yes, no or cannot tell, with the room that is left")
        .after_help(
            "It takes the options of `headroom run`, and those of the use, which `headroom fit` alone lists. `headroom \
             studies fit-etcd > mine.toml` makes a file of one, to be changed; `headroom fit mine.toml` asks that. Exit with \
             1 where the answer is no.",
        )
        .mut_arg("study", |argument| argument.value_name("USE").help("What for, or a .toml file; without it, a list"))
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    match matches.get_one::<String>("study") {
        Some(named) => {
            let name = study_name(named)?;
            run::measure(matches, typed, Some(name.as_str()), has_verdict)
        }
        // The use is that of the kept run.
        None if matches.contains_id(RESUME) => run::measure(matches, typed, None, has_verdict),
        None => {
            check_nothing_asked(matches)?;
            output::done(list()?)
        }
    }
}

/// A script that forgot the use must not take the list for an answer.
fn check_nothing_asked(matches: &ArgMatches) -> Result<(), Failure> {
    let is_typed = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let mut typed = matches.ids().map(|id| id.as_str()).filter(is_typed);
    match typed.find(|id| *id != "store") {
        Some(option) => Err(Failure::arguments(
            format!("--{option} is given, but not what the machine is to be fit for"),
            "name a use or a study file, such as `headroom fit etcd`; `headroom fit` lists the uses",
        )),
        None => Ok(()),
    }
}

/// A study without a verdict would be measured, and nothing answered.
fn has_verdict(study: &Study) -> Result<(), Failure> {
    match study.verdict {
        Some(_) => Ok(()),
        None => Err(Failure::arguments(
            format!("the study {} gives no answer: it has no [verdict]", study.name),
            "write goals in [expect] and kind = \"fits\" in [verdict]; `headroom run` measures it without an answer",
        )),
    }
}

/// The uses that there are, with their studies' names.
pub(super) fn uses() -> impl Iterator<Item = (&'static str, &'static str)> {
    READY.iter().filter_map(|ready| Some((ready.name.strip_prefix(FIT)?, ready.name)))
}

/// The study that is meant: that of a use, or a file.
fn study_name(named: &str) -> Result<String, Failure> {
    let found = uses().find(|(fit_for, name)| *fit_for == named || *name == named);
    match found {
        Some((_, name)) => Ok(name.to_owned()),
        None if named.contains('/') || named.ends_with(".toml") => Ok(named.to_owned()),
        None => {
            let known: Vec<&str> = uses().map(|(fit_for, _)| fit_for).collect();
            Err(unknown("use", named, known))
        }
    }
}

/// Every use with its question, and what it asks of its user.
fn list() -> Result<String, Failure> {
    let catalogue = ::agent::catalogue();
    let mut all = Vec::new();
    for ready in READY {
        let Some(name) = ready.name.strip_prefix(FIT) else { continue };
        let study = from_toml(&catalogue, ready.name, ready.name, ready.text)?;
        let declared = inputs::declared(ready.name, ready.text)?;
        let inputs = declared
            .into_iter()
            .map(|one| {
                (format!("--{} {}", one.name, one.default), format!("{} Default: {}.", one.doc, one.source))
            })
            .collect();
        all.push(FitUse { name, question: study.question.unwrap_or_default(), inputs });
    }
    Ok(reference::uses(&all, output::terminal()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::command_line;

    #[test]
    fn regression_options_without_a_use_were_answered_with_the_list() {
        let matches = command_line().try_get_matches_from(["headroom", "fit", "--strict"]).unwrap();
        let failure = carry_out(matches.subcommand_matches("fit").unwrap(), &[]).unwrap_err();
        assert_eq!(failure.code(), 2);
        assert!(failure.message().starts_with("--strict is given"), "{}", failure.message());
    }

    #[test]
    fn a_use_is_named_with_or_without_what_its_study_begins_with() {
        for named in ["etcd", "fit-etcd"] {
            assert_eq!(study_name(named).ok().as_deref(), Some("fit-etcd"));
        }
        assert_eq!(study_name("mine.toml").ok().as_deref(), Some("mine.toml"));
        assert!(study_name("etdc").is_err_and(|failure| failure.message().contains("no use `etdc`")));
    }

    #[test]
    fn every_use_is_listed_with_its_inputs() {
        let text = list().unwrap_or_default();
        for (name, _) in uses() {
            assert!(text.contains(&format!("{name}: ")), "{name}: {text}");
        }
        assert!(text.contains("  --fsync-limit 10ms"), "{text}");
    }
}
