//! `headroom compare RUN --class`: a run's figures beside what is usual for the classes of its parts, and beside like
//! runs that are kept.

use std::collections::BTreeSet;
use std::process::ExitCode;

use analysis::class::{self, OwnFigures, PartClass};
use clap::ArgMatches;
use model::Run;
use report::export::CLASS_EXPORTERS;
use report::page::class::{ClassSubject, document};
use store::{State, Store, StoreError};

use super::export::{Destination, language};
use super::{kept_runs, unknown};
use crate::exit::Failure;
use crate::output;

/// Kept runs that are looked at, at most: the newest. Each is read whole.
const RUNS_MOST: usize = 300;

/// The classes that may be asked for.
pub(super) fn names() -> Vec<&'static str> {
    class::names().collect()
}

/// Carries it out for the class of this name; for that of each part where the name is empty.
pub(super) fn carry_out(matches: &ArgMatches, typed: &[String], asked: &str) -> Result<ExitCode, Failure> {
    let only = match asked {
        "" => None,
        name => Some(class::named(name).ok_or_else(|| unknown("class", name, names()))?),
    };
    if matches.get_many::<String>("run").unwrap_or_default().count() > 1 {
        return Err(Failure::arguments(
            "--class is about one run, and several are given",
            "give one run, or leave --class out",
        ));
    }
    let file = match matches.get_one::<String>("output") {
        Some(path) => Some(Destination::of(CLASS_EXPORTERS, path)?),
        None => None,
    };
    let run = super::load(matches)?;
    if let Some(only) = only {
        check_has(&run, only)?;
    }
    let own = own_figures(matches, &run)?;
    let subject = ClassSubject { run: &run, own: &own, only, words: language(matches).words() };
    if let Some(file) = file {
        let bytes = (file.exporter.write)(&subject)?;
        file.put(&bytes)?;
        output::wrote(matches);
    }
    let text = output::rendered(&document(&subject), matches, &output::typed_verbosely(typed));
    output::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a class of which no case drives a part.
fn check_has(run: &Run, only: &PartClass) -> Result<(), Failure> {
    let class_of = |case| match class::reference(run, case) {
        Ok(found) => Some(found.class.name),
        Err(why) => why.class().map(|class| class.name),
    };
    let classes: BTreeSet<&str> = run.cases.iter().filter_map(class_of).collect();
    if classes.contains(only.name) {
        return Ok(());
    }
    let help = if classes.is_empty() {
        "without a name, --class says of each case why it has no reference".to_owned()
    } else {
        format!("its parts are of: {}", classes.into_iter().collect::<Vec<_>>().join(", "))
    };
    Err(Failure::arguments(format!("no case of the run drives a part of the class `{}`", only.name), help))
}

/// What other runs have that are kept. One that is damaged is left out.
fn own_figures(matches: &ArgMatches, run: &Run) -> Result<OwnFigures, Failure> {
    let mut own = OwnFigures::default();
    let store = match kept_runs(matches) {
        Ok(store) => store,
        // A run in a file may be looked at where nothing is kept.
        Err(StoreError::Absent { .. } | StoreError::NoDefault) => return Ok(own),
        Err(error) => return Err(error.into()),
    };
    let mut entries = store.list()?;
    entries.retain(|entry| entry.id != run.id && entry.state != State::Running);
    for entry in entries.iter().take(RUNS_MOST) {
        let mut other = match store.load(&entry.id) {
            Ok(other) => other,
            // It is damaged, or was removed meanwhile.
            Err(StoreError::Damaged { .. } | StoreError::Unknown { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        for case in &mut other.cases {
            analysis::estimate_case(case, &other.definitions);
        }
        own.add(&other);
    }
    Ok(own)
}
