//! `headroom fleet`: the same work on many machines, which of these are unlike the others, and what goes with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use analysis::comparison::MARGIN;
use analysis::fleet::{Fleet, FleetGathering};
use clap::{Arg, ArgMatches, Command};
use model::{MetricName, Run};
use report::export::FLEET_EXPORTERS;
use report::page::fleet::{FleetSubject, document};
use report::text::printable;
use store::{State, Store, StoreError};

use super::compare::{margin, metric_name};
use super::export::{Destination, language, language_argument, output_argument_of};
use super::help::examples;
use super::run_filter::{self, RunFilter};
use super::source::Runs;
use super::{flag, kept_runs, option, run_argument, store_argument, store_path};
use crate::exit::Failure;
use crate::output;

/// Documents of a folder that are read, at most.
const DOCUMENTS_MOST: usize = 100_000;

pub(super) fn define(command: Command) -> Command {
    let filters = run_filter::arguments().map(|argument| match argument.get_id().as_str() {
        "name" => Arg::new("name")
            .long("study")
            .value_name("NAME")
            .help("Only runs of this study, or with this workload"),
        _ => argument,
    });
    command
        .before_help(examples([
            "fleet documents/ -o fleet.html",
            "fleet --study memory --tag cluster=a",
            "fleet node1.json node2.json node3.json node4.json node5.json",
        ]))
        .about("The same work on many machines: which are unlike the others, and what goes with it")
        .long_about(
            "Holds machines that did the same work against each other: which are unlike the others, with a chance of at most \
             5 % that the page accuses any machine wrongly, which fall into groups, and what of their inventory, settings, \
             findings, tags and temperatures goes with it. Of each machine the newest run of a work counts. Without \
             arguments the kept runs are looked at. Documents come from `headroom run --json` or `headroom export`, one a \
             machine.",
        )
        .arg(run_argument().required(false).num_args(1..).help(
            "Runs, .json files of them, or folders of such files [default: the kept runs]",
        ))
        .args(filters.map(|filter| filter.conflicts_with("run")))
        .arg(
            option("metric", "NAME")
                .value_parser(metric_name)
                .help("Look at this metric [default: each workload's first]"),
        )
        .arg(
            option("margin", "PERCENT")
                .help(format!("The difference that does not matter [default: {}%]", MARGIN * 100.0))
                .allow_hyphen_values(true),
        )
        .arg(flag("mask", "Write `machine 1` and so on in place of the machines' names, and leave out names of runs and files"))
        .arg(output::verbose_argument())
        .arg(output_argument_of(FLEET_EXPORTERS))
        .arg(language_argument())
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let margin = margin(matches)?;
    let metric = matches.get_one::<MetricName>("metric").copied();
    let file = match matches.get_one::<String>("output") {
        Some(path) => Some(Destination::of(FLEET_EXPORTERS, path)?),
        None => None,
    };
    let mut gathered = Gathered { fleet: FleetGathering::new(metric), left_out: Vec::new() };
    match matches.get_many::<String>("run") {
        Some(named) => gathered.named(matches, &named.map(String::as_str).collect::<Vec<_>>())?,
        None => gathered.kept(matches)?,
    }
    let Gathered { fleet, mut left_out } = gathered;
    let machines = fleet.machines();
    let mut fleet = fleet.finish(margin);
    check(&fleet, machines, metric)?;
    let mut command = typed.to_vec();
    if matches.get_flag("mask") {
        fleet.mask();
        for (place, (name, reason)) in left_out.iter_mut().enumerate() {
            *name = format!("document {}", place + 1);
            reason.clear();
        }
        // Files are mostly called as their machines.
        command.clear();
    }
    let words = language(matches).words();
    let subject = FleetSubject { fleet: &fleet, left_out: &left_out, command: &command, words };
    let (page, in_full) = (document(&subject), output::typed_verbosely(typed));
    output::print(output::rendered(&page, matches, &in_full).as_bytes())?;
    if let Some(file) = file {
        let bytes = (file.exporter.write)(&subject)?;
        file.put(&bytes)?;
        output::wrote(matches);
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses runs that are no fleet: of one machine, or of work that no two have in common.
fn check(fleet: &Fleet, machines: usize, metric: Option<MetricName>) -> Result<(), Failure> {
    if !fleet.figures.is_empty() {
        return Ok(());
    }
    if let Some(metric) = metric.filter(|_| fleet.alone == 0) {
        return Err(Failure::arguments(
            format!("no run has the metric `{metric}`"),
            "`headroom workloads NAME` lists the metrics of a workload",
        ));
    }
    if machines < 2 {
        return Err(Failure::arguments(
            "these are runs of one machine",
            "give runs of several machines; `headroom trend` follows one machine over time",
        ));
    }
    Err(Failure::arguments(
        format!("these runs of {machines} machines have no work in common"),
        "run the same study on each machine: same workloads, parameters, places and settings",
    ))
}

/// Runs on the way into a fleet.
struct Gathered {
    fleet: FleetGathering,
    /// Documents that could not be read, each with the reason.
    left_out: Vec<(String, String)>,
}

impl Gathered {
    /// Runs that were named, files and folders. A file that is named must be a run; of a folder, what is none is left
    /// out and told.
    fn named(&mut self, matches: &ArgMatches, named: &[&str]) -> Result<(), Failure> {
        let mut runs = Runs::of(matches);
        let said = kept_runs(matches).and_then(|store| store.annotations()).unwrap_or_default();
        let put = |fleet: &mut FleetGathering, run: &Run| {
            let tags = said.get(&run.id).map(|said| said.tags.clone()).unwrap_or_default();
            fleet.add(run, &tags);
        };
        for name in named {
            let path = Path::new(name);
            if !path.is_dir() {
                put(&mut self.fleet, &runs.load(name)?);
                continue;
            }
            for file in documents(path)? {
                let file = file.to_string_lossy().into_owned();
                match runs.load(&file) {
                    Ok(run) => put(&mut self.fleet, &run),
                    Err(failure) => self.leave_out(&file, &failure.message()),
                }
            }
        }
        if self.fleet.machines() == 0 {
            return Err(Failure::arguments(
                "there is no document of a run in it",
                "give a folder of files that `headroom run --json` or `headroom export` wrote",
            ));
        }
        Ok(())
    }

    /// The kept runs that are asked for.
    fn kept(&mut self, matches: &ArgMatches) -> Result<(), Failure> {
        let store = kept_runs(matches)?;
        let annotations = store.annotations()?;
        let mut entries = RunFilter::of(matches).select(&store, &annotations)?;
        entries.retain(|entry| entry.state != State::Running);
        if entries.is_empty() {
            if store.list()?.is_empty() {
                return Err(StoreError::Empty { path: store_path(matches).unwrap_or_default() }.into());
            }
            return Err(Failure::arguments(
                "no kept run is like that",
                "`headroom list` shows the runs that are kept, and takes the same options",
            ));
        }
        for entry in entries {
            let mut run: Run = match store.load(&entry.id) {
                Ok(run) => run,
                Err(StoreError::Damaged { detail, .. }) => {
                    self.leave_out(&entry.id, &detail);
                    continue;
                }
                // It was removed meanwhile.
                Err(StoreError::Unknown { .. }) => continue,
                Err(other) => return Err(other.into()),
            };
            analysis::derive(&mut run);
            let tags: BTreeMap<String, String> =
                annotations.get(&entry.id).map(|said| said.tags.clone()).unwrap_or_default();
            self.fleet.add(&run, &tags);
        }
        Ok(())
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        output::note(&format!("{} is left out: {}\n", printable(name), printable(why)));
        self.left_out.push((printable(name), printable(why)));
    }
}

/// The files of a folder that may be documents, by name.
fn documents(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |source| Failure::File { what: "reading", path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    if files.len() > DOCUMENTS_MOST {
        return Err(Failure::arguments(
            format!(
                "{} has {} documents, and {DOCUMENTS_MOST} are read at most",
                printable(&folder.to_string_lossy()),
                files.len()
            ),
            "give a folder of fewer documents",
        ));
    }
    files.sort();
    Ok(files)
}
