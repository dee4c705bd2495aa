//! `headroom run`: the main job.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::agent::{AgentGroup, CallContext, FarEnd, LocalAgent};
use ::store::Store;
use clap::{Arg, ArgAction, ArgMatches, Command};
use model::Study;
use model::run::Run;
use model::study::Offer;
use report::document::terminal::Detail;
use report::page::{Subject, document};
use study::built_in::{self, INPUT_OPTIONS};
use study::plan;
use study::read::goal::ABORT_WHEN;
use study::run::{Invocation, RunError, Runner};

use super::dry_run::Intention;
use super::export::{Destination, language, language_argument, output_argument};
use super::help::examples;
use super::run_options::{LAYERS, PROVE, controls, parameters};
use super::{
    dry_run, exit_code, flag, option, page_path, restore, resume, run_refusal, run_study, show,
    store_argument, tag,
};
use crate::accept_nodes::{self, NodeWait};
use crate::exit::{Failure, StoreFailure};
use crate::interval_lines::{self, IntervalLines};
use crate::live_progress::{self, LiveProgress};
use crate::operation_log::{self, OperationLogFile};
use crate::output;
use crate::peer::{self, Peers};
use crate::progress::Progress;
use crate::signals;

pub(super) fn define(command: Command) -> Command {
    let catalogue = ::agent::catalogue();
    let command = command
        .before_help(examples([
            "run",
            "run disk --target /data --queue-depth 1..64",
            "run mine.toml --dry-run  # what would be done; nothing is",
        ]))
        .about("Measure a workload, a built-in study or a study file; without a name, an overview of this machine")
        .after_help(
            "The parameters of a workload are options, too: `headroom workloads` lists the workloads, and `headroom run \
             WORKLOAD --help` is about one of them, with its parameters, metrics and examples.\nA comma makes levels \
             (1,4,16), `..` doubles (1..64), `1..16:1` steps; every combination is a case.",
        )
        .args(own_arguments())
        .args(accept_nodes::arguments())
        .arg(output::verbose_argument())
        .arg(output_argument())
        .arg(language_argument())
        .arg(interval_lines::argument())
        .arg(operation_log::argument())
        .arg(dry_run::argument())
        .arg(tag::argument())
        .arg(store_argument());
    let command = command.args(controls()).args(INPUT_OPTIONS.iter().copied().map(|name| {
        option(name, "VALUE")
            .help("What some built-in studies ask of you; `headroom fit` lists it")
            .hide(true)
    }));
    command.args(parameters(&catalogue).iter().map(|shared| {
        option(shared.spec.name.as_str(), "LEVELS")
            .help(shared.help(&catalogue))
            .allow_hyphen_values(true)
            .help_heading("Parameters")
            // There are far more than one workload has, whose help lists its own.
            .hide(true)
    }))
}

/// What is neither a control nor a parameter.
fn own_arguments() -> [Arg; 18] {
    let many = |name, value, help: &'static str| option(name, value).action(ArgAction::Append).help(help);
    [
        Arg::new("study")
            .value_name("STUDY")
            .help("A workload, a built-in study, a .toml file, or a .fio job file"),
        many(
            "with",
            "LOAD",
            "A load that runs with every case, in the same window: \"disk --pattern write --rate 1k/s\"",
        ),
        resume::argument(),
        many("section", "NAME", "Run only this job of a fio job file; may be given several times"),
        many(
            "input",
            "NAME=VALUE",
            "A value that a study with [inputs] asks for, if it is none of the options",
        ),
        many(
            "set",
            "NAME=LEVELS",
            "A setting of the machine that is changed, read back and put back; NAME@INTERFACE=LEVELS for another than \
             the load's own, NAME@LAYER=LEVELS for a layer of its storage stack; see `headroom settings`",
        ),
        many(
            "observe",
            "OBSERVER",
            "Watch the loads more closely, in additional trials: block-trace says how long each request waited in the \
             host and how long the device had it, work-queues how long the work of each of the kernel's queues ran",
        ),
        many(
            "expect",
            "GOAL",
            "What the results have to be: 'throughput >= 500MB/s', 'latency_p99 < 1ms where queue-depth=1'. The whole \
             interval has to be so. Exit with 1 if a goal is not kept",
        ),
        many(
            ABORT_WHEN,
            "CONDITION",
            "End the run with the first trial for which this is true: 'errors > 0', 'throughput < 10MB/s'. What was \
             measured is kept, and the exit code is 1",
        ),
        flag("strict", "Exit with 4 if the trials cannot tell whether a goal is kept"),
        many("destroy", "PATH", "An existing file or a block device that may be overwritten"),
        many(
            "wipe",
            "TYPE",
            "A signature on a device named with --destroy that may be lost, as wipefs(8) calls it: ext4, gpt, \
             crypto_LUKS",
        ),
        many(
            "price",
            "TEXT",
            "What the machine, or the part that is measured, costs: \"4,000 yen\", or \"USD 2,100 / 2,000,000 won\" in two \
             currencies; of several offers each with a name: \"reserved: USD 0.06 an hour\". The report divides figures by it",
        ),
        flag(LAYERS, "Measure at each layer of the stack: the same as --layer all"),
        flag(PROVE, "Prove each verdict by perturbation"),
        flag("no-extra", "Keep to what was asked: the same as --extra no").conflicts_with("extra"),
        flag("dry-run", "Print the plan: cases, order, what will be written, time needed; touch nothing"),
        option("json", "full")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("summary")
            .value_parser(["summary", "full"])
            .help("Print the run document and nothing else on standard output"),
    ]
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    measure(matches, typed, matches.get_one::<String>("study").map(String::as_str), |_| Ok(()))
}

/// Measures the study that is named, or the overview.
pub(super) fn measure(
    matches: &ArgMatches,
    typed: &[String],
    named: Option<&str>,
    check: impl FnOnce(&Study) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let catalogue = ::agent::catalogue();
    let kept = resume::kept(matches)?;
    let mut study = match &kept {
        Some(run) => resume::study_of(run, matches),
        None => run_study::read(matches, &catalogue, named)?,
    };
    check(&study)?;
    take_price(matches, &mut study);
    dry_run::take_endurance(matches, &mut study);
    choose_seed(matches, &mut study);
    let cancel = Arc::new(AtomicBool::new(false));
    // Where signals cannot be caught, they end the program as they end others.
    let _ = signals::watch(&cancel);
    let cancelled = || cancel.load(Ordering::Relaxed);
    let peers = peer::take(&mut study)?;
    tell_notes(matches, &study);
    let mut agent = agent_of(&mut study, &peers, &NodeWait::of(matches, &cancel))?;
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &cancelled };
    let make = if matches.get_flag("dry-run") { plan::look } else { plan::make };
    let planned = make(&study, &catalogue, &mut agent, &mut watch)?;
    run_refusal::refuse(matches, &study, &planned.plan)?;
    if matches.get_flag("dry-run") {
        let intention =
            Intention { planned: &planned, kept: kept.as_ref(), endurance: study.endurance_bytes };
        return dry_run::show(matches, &intention, (&identity(typed), &catalogue), (&mut agent, &mut watch));
    }
    restore::begin(&planned.plan)?;
    output::note(&report::plan::new_names(&planned.plan));
    let destination = matches.get_one::<String>("output").map(|path| Destination::at(path)).transpose()?;
    let mut store = tag::opened(matches)?;
    let log = OperationLogFile::asked(matches)?;
    let mut progress = Progress::new(&planned.plan, IntervalLines::asked(matches, &planned.plan), log);
    let log_operations = progress.logged_of_trial();
    let mut live = LiveProgress::default();
    let identity = identity(typed);
    let runner = Runner {
        agent: &mut agent,
        store: &mut store,
        catalogue: &catalogue,
        cancelled: &cancelled,
        on_event: &mut |event| {
            live.hear(event);
            progress.show(event);
        },
        lines_s: &|| interval_lines::length_s(matches).or_else(live_progress::interval_s),
        log_operations,
    };
    let run = match kept {
        Some(kept) => runner.resume(kept, &planned, &identity),
        None => runner.run(&study, &planned, &identity),
    };
    drop(live);
    let logged = progress.finish();
    end(agent);
    let run = kept_or_printed(matches, run, &store)?;
    let code = hand_over(matches, &run, destination)?;
    logged.map_err(|failure| Failure::Unwritten { id: run.id.clone(), failure: Box::new(failure) })?;
    Ok(code)
}

/// The run; one that could not be kept is printed, for nobody can ask for its details later.
fn kept_or_printed(
    matches: &ArgMatches,
    run: Result<Run, RunError>,
    store: &impl Store,
) -> Result<Run, Failure> {
    match run {
        Err(RunError::Unkept { run, error }) => {
            let words = language(matches).words();
            let document = document(&Subject { run: &run, words });
            output::print(output::written(&document, Detail::All).as_bytes())?;
            Err(Failure::Unkept { run: Box::new(remains(store, *run)), error })
        }
        other => Ok(other?),
    }
}

/// Prints a run that is kept, or writes it to a file, as was asked.
fn hand_over(matches: &ArgMatches, run: &Run, destination: Option<Destination>) -> Result<ExitCode, Failure> {
    let json = matches.get_one::<String>("json").map(String::as_str);
    let page = match (&destination, json) {
        (None, None) if run.study.name == built_in::OVERVIEW => page_beside_store(matches, run),
        _ => None,
    };
    match json {
        Some("full") => output::print(&report::export::json_full(run)?)?,
        Some(_) => output::print(&report::export::json_summary(run)?)?,
        None => {
            let document = document(&Subject { run, words: language(matches).words() });
            let mut text = output::rendered(&document, matches, &show::command(matches, &run.id));
            if let Some(page) = page {
                text.push_str(&format!("The page: {page}\n"));
            }
            output::print(text.as_bytes())?;
        }
    }
    if let Some(destination) = destination {
        write_to(destination, matches, run)?;
    }
    Ok(exit_code::of_run(run, matches.get_flag("strict")))
}

/// What is left of a run whose store failed.
fn remains(store: &impl Store, run: Run) -> StoreFailure {
    let stored = store.list().ok().and_then(|all| all.into_iter().find(|entry| entry.id == run.id));
    StoreFailure {
        measured: run.cases.iter().map(|case| case.trials.len()).sum(),
        stored: stored.map(|entry| entry.trials),
        id: run.id,
    }
}

/// Ends the agent. One that was killed in the last trial has left its files.
fn end<T>(agent: T) {
    drop(agent);
    restore::remove_left();
}

/// Says what has to be known of a study, unless the summary, which has it too,
/// will be read in the same place: both on one terminal.
fn tell_notes(matches: &ArgMatches, study: &Study) {
    let is_summary = !matches.get_flag("dry-run") && !matches.contains_id("json");
    if !(is_summary && std::io::stdout().is_terminal() && std::io::stderr().is_terminal()) {
        output::note(&report::plan::notes(study));
    }
}

/// Writes the file that `-o` names, and says so.
fn write_to(destination: Destination, matches: &ArgMatches, run: &Run) -> Result<(), Failure> {
    // The run is kept all the same.
    let unwritten = |failure| Failure::Unwritten { id: run.id.clone(), failure: Box::new(failure) };
    destination.write(run, language(matches)).map_err(unwritten)?;
    output::wrote(matches);
    Ok(())
}

/// The overview's page, which nobody had to ask for, beside the store; its path
/// as it may be shown. Where it cannot be written, the reason stands in its place:
/// the run is kept, and `headroom report` writes it elsewhere.
fn page_beside_store(matches: &ArgMatches, run: &Run) -> Option<String> {
    let path = page_path(matches, &run.id)?;
    let shown = report::text::printable(&path.display().to_string());
    let written = Destination::at(path.to_str()?).and_then(|d| d.write(run, language(matches)));
    Some(match written {
        Ok(()) => shown,
        Err(failure) => {
            format!("not written: {} (`headroom report {}` writes it)", failure.message(), run.id)
        }
    })
}

/// A price that was typed counts in place of the study's.
fn take_price(matches: &ArgMatches, study: &mut Study) {
    if let Some(prices) = matches.get_many::<String>("price") {
        study.price = Some(Offer::joined(prices.map(String::as_str)));
    }
}

/// A seed of this run's own, unless one was given.
fn choose_seed(matches: &ArgMatches, study: &mut Study) {
    if matches.get_one::<String>("seed").is_none() && study.controls.seed == 0 {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or(Duration::ZERO);
        // Short enough to type again.
        study.controls.seed = u64::from(now.subsec_nanos()) % 1_000_000 + 1;
    }
}

/// What measures: this machine, and the far ends that the study names.
fn agent_of(study: &mut Study, peers: &Peers, waiting: &NodeWait) -> Result<AgentGroup, Failure> {
    let patience = Duration::from_secs_f64(study.controls.patience_s.clamp(0.1, 1e6));
    // This program itself; even when its file has been replaced.
    let local = || LocalAgent::new("/proc/self/exe".into(), vec!["agent".into()], patience);
    let mut far = BTreeMap::new();
    let address = Ipv4Addr::LOCALHOST.into();
    let here = FarEnd { agent: Box::new(local()), address, dials: None, machine: None };
    far.insert(peer::SELF.to_owned(), here);
    let machines = peer::machines(peers);
    for (name, join) in peers {
        let mut end = peer::reach(name, join, patience, waiting)?;
        end.machine = machines.get(name).cloned().or(end.machine);
        let mut called = name.clone();
        if name.starts_with(accept_nodes::SCHEME) {
            // It has no name but the address that it came from.
            called = end.address.to_string();
            if far.contains_key(&called) {
                called = format!("{called} at {name}");
            }
            end.machine = Some(called.clone());
            peer::rename(study, name, &called);
        }
        far.insert(called, end);
    }
    Ok(AgentGroup::new(Box::new(local()), far))
}

pub(super) fn identity(typed: &[String]) -> Invocation {
    let kind = if cfg!(debug_assertions) { "debug" } else { "release" };
    Invocation {
        command: typed.to_vec(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: format!("{kind} {}-{}", std::env::consts::ARCH, std::env::consts::OS),
    }
}
