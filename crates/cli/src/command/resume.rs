//! `headroom run --resume RUN`: which kept run is gone on with, and what may be typed beside it.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use model::{Run, Study};
use store::{State, Store};
use study::read::endurance::ENDURANCE;
use study::run::check_kept;

use super::{kept_runs, option};
use crate::exit::Failure;
use crate::operation_log::LOG_OPERATIONS;

/// The name of its option.
pub(super) const RESUME: &str = "resume";

/// The flag that has nothing done.
const DRY_RUN: &str = "dry-run";

/// What may stand beside it: where the run is kept, what is shown of it, and what may be overwritten. All else is in
/// the kept study.
const BESIDE: &[&str] = &[
    RESUME,
    "store",
    "output",
    "lang",
    "verbose",
    "lines",
    LOG_OPERATIONS,
    "json",
    "strict",
    "destroy",
    "wipe",
    DRY_RUN,
];

pub(super) fn argument() -> Arg {
    option(RESUME, "RUN").help(
        "Go on with a kept run that was interrupted or killed, or that has failed trials: the same study, seed and order, \
         and only the trials that are missing. Refused if the machine, the target or the work has changed. What \
         --destroy named has to be named again",
    )
}

/// The run that is to go on, where one is named.
pub(super) fn kept(matches: &ArgMatches) -> Result<Option<Run>, Failure> {
    let Some(named) = matches.get_one::<String>(RESUME) else { return Ok(None) };
    let is_typed = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let mut typed = matches.ids().map(|id| id.as_str()).filter(is_typed);
    // How much a drive may take in its life is asked before, and is no part of what goes on.
    let is_beside = |id: &&str| BESIDE.contains(id) || *id == ENDURANCE && matches.get_flag(DRY_RUN);
    if let Some(other) = typed.find(|id| !is_beside(id)) {
        let shown = if other == "study" { "a study".to_owned() } else { format!("--{other}") };
        return Err(Failure::arguments(
            format!("{shown} cannot be given with --resume: a run goes on as it began"),
            "leave it out, or leave --resume out and measure anew",
        ));
    }
    let store = kept_runs(matches)?;
    let id = store.resolve(named)?;
    if store.list()?.iter().any(|entry| entry.id == id && entry.state == State::Running) {
        return Err(Failure::refused(
            format!("{id} is still running"),
            "wait until it ends, or interrupt it first (Ctrl-C where it runs)",
        ));
    }
    let run = store.load(&id)?;
    check_kept(&run)?;
    Ok(Some(run))
}

/// The study of the kept run. What may be overwritten is what is named now.
pub(super) fn study_of(run: &Run, matches: &ArgMatches) -> Study {
    let all = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    let mut study = run.study.clone();
    study.controls.destroy = all("destroy");
    study.controls.wipe = all("wipe");
    study
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::command_line;

    #[test]
    fn what_the_run_has_already_is_refused() {
        for (other, shown) in [
            (&["null"][..], "a study"),
            (&["--queue-depth", "1,2"], "--queue-depth"),
            (&["--trials", "9"], "--trials"),
            (&["--endurance", "300TB"], "--endurance"),
            (&["--tag", "rack=3"], "--tag"),
        ] {
            let line = [&["headroom", "run", "--resume", "last", "--json", "--strict"][..], other].concat();
            let matches = command_line().try_get_matches_from(line).unwrap();
            let failure = kept(matches.subcommand_matches("run").unwrap()).unwrap_err();
            assert_eq!(failure.code(), 2);
            assert!(failure.message().starts_with(shown), "{}", failure.message());
        }
    }

    #[test]
    fn regression_lines_of_a_resumed_run_were_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("runs.db");
        let line =
            ["headroom", "run", "--resume", "last", "--lines", "1s", "--store", store.to_str().unwrap()];
        let matches = command_line().try_get_matches_from(line).unwrap();
        let failure = kept(matches.subcommand_matches("run").unwrap()).unwrap_err();
        assert!(!failure.message().contains("--lines"), "{}", failure.message());
    }

    #[test]
    fn what_may_be_overwritten_has_to_be_named_again() {
        let json = serde_json::json!({
            "schema": model::run::SCHEMA, "id": "a", "started": "", "seed": 1, "machines": [], "cases": [],
            "origin": { "tool": "headroom", "version": "", "command": [] },
            "headroom": { "version": "", "build": "" }, "analysis": { "version": 1 },
            "study": Study::default(),
        });
        let mut run: Run = serde_json::from_value(json).unwrap();
        run.study.controls.destroy = vec!["/dev/sdb".to_owned()];
        let typed = |more: &[&str]| {
            let line = [&["headroom", "run", "--resume", "a"][..], more].concat();
            let matches = command_line().try_get_matches_from(line).unwrap();
            study_of(&run, matches.subcommand_matches("run").unwrap()).controls.destroy
        };
        assert!(typed(&[]).is_empty());
        assert_eq!(typed(&["--destroy", "/dev/sdb"]), ["/dev/sdb"]);
    }
}
