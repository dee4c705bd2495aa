//! The subcommands: one file and one name in a table each; and what is said of them while they are typed
//! ([`help`], [`completion`]).

mod agent;
mod baseline;
mod check;
mod compare;
mod compare_class;
pub(crate) mod completion;
mod completions;
mod doctor;
mod dry_run;
mod exit_code;
mod export;
mod fit;
mod fixtures;
mod fleet;
pub(crate) mod help;
mod import_results;
mod job_file;
mod join;
mod list;
mod machine;
mod man;
mod node;
mod node_offers;
mod note;
mod reference;
mod report;
mod restore;
mod resume;
mod rm;
mod run;
mod run_filter;
mod run_options;
mod run_refusal;
mod run_study;
mod schedule;
mod serve;
mod settings;
mod show;
mod source;
mod sqlite_commits;
mod studies;
mod syncfs;
mod systemd_unit;
mod tag;
mod tool_text;
mod trace;
mod trend;
mod verify_tool;
mod watch;
mod workloads;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use import::diagnostic::suggest;
use store::{SqliteStore, StoreError};

use self::help::examples;
use crate::exit::Failure;
use crate::version::VERSION;

struct Subcommand {
    name: &'static str,
    define: fn(Command) -> Command,
    /// Carries it out; the second argument is the whole command as typed.
    carry_out: fn(&ArgMatches, &[String]) -> Result<ExitCode, Failure>,
}

/// Subcommands by the names of their modules, and what is typed where that is another.
macro_rules! subcommands {
    (@typed $name:ident) => { stringify!($name) };
    (@typed $name:ident $typed:literal) => { $typed };
    ($($name:ident $(=> $typed:literal)?)*) => {
        &[$(Subcommand {
            name: subcommands!(@typed $name $($typed)?),
            define: $name::define,
            carry_out: $name::carry_out,
        }),*]
    };
}

/// Every subcommand, in documentation order.
const SUBCOMMANDS: &[Subcommand] = subcommands! {
    run fit machine doctor workloads settings studies list show note tag baseline rm report export compare trend fleet serve schedule check
    import_results => "import" verify_tool => "verify-tool" trace watch node restore fixtures completions man reference agent syncfs
    sqlite_commits
};

/// The whole command line, made from the tables.
#[must_use]
pub fn command_line() -> Command {
    root().subcommands(commands())
}

/// The command line without what is not for people, for those who list what may be typed.
pub(crate) fn offered_command_line() -> Command {
    root().subcommands(commands().filter(|command| !command.is_hide_set()))
}

fn commands() -> impl Iterator<Item = Command> {
    SUBCOMMANDS.iter().map(|subcommand| (subcommand.define)(Command::new(subcommand.name)))
}

fn root() -> Command {
    Command::new("headroom")
        .version(VERSION)
        .before_help(examples(["run", "run disk --target /data", "help disk"]))
        .about("Measures a machine whole and says how much room is left")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .max_term_width(::report::WIDTH)
}

/// The reference page of the command line, in Markdown.
fn reference() -> String {
    let mut out = String::from(
        "# The command line\n\nMade by `cargo xtask gen`; edit the command, not this page.\n\n\
         Exit codes: 0 done; 1 done, but a trial failed, a goal is not kept, a case falls short of the study's `[expect]`, the doctor warns, a checked figure is not what it says, or (if asked) a comparison or a trend is worse; 2 bad arguments or study; 3 refused (unsafe target, no room, \
         missing permission), nothing touched; 4 (with `--strict`) it cannot be told whether a goal is kept; 130 interrupted, nothing left behind.\n",
    );
    let mut root = command_line().term_width(::report::WIDTH);
    root.build();
    for subcommand in root.get_subcommands_mut().filter(|s| !s.is_hide_set() && s.get_name() != "help") {
        let help = subcommand.render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        out.push_str(&format!(
            "\n## `headroom {}`\n\n```text\n{}\n```\n",
            subcommand.get_name(),
            lines.join("\n")
        ));
    }
    out
}

/// Carries out what was typed.
pub(crate) fn dispatch(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let (name, matches) = matches.subcommand().unwrap_or(("", matches));
    match SUBCOMMANDS.iter().find(|s| s.name == name) {
        Some(subcommand) => (subcommand.carry_out)(matches, typed),
        None => Err(Failure::arguments(format!("there is no command `{name}`"), "see `headroom --help`")),
    }
}

/// That there is no `what` called `name`, with the nearest of those that there are.
fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Failure {
    Failure::arguments(format!("there is no {what} `{name}`"), suggest(name, known))
}

/// `--NAME VALUE`.
fn option(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value)
}

/// `--NAME`.
fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// `--store PATH`, which every command has that keeps or reads runs.
fn store_argument() -> Arg {
    option("store", "PATH").help("Where runs are kept [default: $XDG_DATA_HOME/headroom/headroom.db]")
}

/// The run that a command is about.
fn run_argument() -> Arg {
    Arg::new("run").value_name("RUN").required(true).help(
        "A run's name, the beginning of it, `last`, a .json file of one, or a text that another tool printed",
    )
}

/// The run in the store that a command is about.
fn stored_run_argument() -> Arg {
    run_argument().help("A run's name, the beginning of it, or `last`")
}

/// Where the store is that `--store` names, or the usual one.
fn store_path(matches: &ArgMatches) -> Option<PathBuf> {
    matches.get_one::<String>("store").map(PathBuf::from).or_else(SqliteStore::default_path)
}

/// The page that the overview makes of a run: beside the store, under the run's
/// name.
fn page_path(matches: &ArgMatches, id: &str) -> Option<PathBuf> {
    // A name from a store that somebody else made must not lead into another folder.
    if !source::is_name(id) {
        return None;
    }
    Some(store_path(matches)?.with_file_name(format!("headroom-{id}.html")))
}

/// Opens the store that `--store` names, or the usual one, for what is about the runs in it. Where there is no
/// store there are no runs, and none is made: whoever only looks leaves nothing behind.
fn kept_runs(matches: &ArgMatches) -> Result<SqliteStore, StoreError> {
    SqliteStore::open_existing(&store_path(matches).ok_or(StoreError::NoDefault)?)
}

/// Opens the store that `--store` names, or the usual one, to keep a run in it; makes it if there is none.
fn open_store(matches: &ArgMatches) -> Result<SqliteStore, StoreError> {
    match matches.get_one::<String>("store") {
        Some(path) => SqliteStore::open(Path::new(path)),
        None => SqliteStore::open_default(),
    }
}

/// The run that is named on the command line.
fn load(matches: &ArgMatches) -> Result<model::Run, Failure> {
    let named = matches.get_one::<String>("run").map_or("", String::as_str);
    source::Runs::of(matches).load(named)
}
