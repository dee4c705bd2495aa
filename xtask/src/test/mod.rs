//! `test`: everything that must hold before a change goes in, in steps that
//! can be run one by one. Without an option it is the short test, which CI runs:
//! it must stay below 20 minutes from nothing. `--long` runs what that leaves out
//! as well, and the short test says so at its end.
//!
//! A step that fails does not keep the others from running; the steps' own lines
//! come at the end.

mod guest;
mod harness;
mod object_store;
mod schedule;

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use rustix::process::geteuid;

use crate::cargo::{self, Built, cargo_program};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::{Task, generate, tidy, tools};
use harness::Counts;

/// The task.
pub(crate) const TASK: Task =
    Task { name: "test", about: "Run every check and test: what CI runs", arguments, run };

/// One step.
struct Step {
    name: &'static str,
    /// A step without which this one tells nothing new.
    needs: Option<&'static str>,
    /// Whether only the long test has it.
    is_long: bool,
    run: fn(&mut Bench) -> Outcome,
}

/// What steps share.
pub(crate) struct Bench {
    root: PathBuf,
    /// Whether everything is run.
    is_long: bool,
    /// What the tests were built into, once something asked for it.
    built: Option<Vec<Built>>,
    /// Tools are installed while other steps compile.
    tools: Option<JoinHandle<Outcome>>,
    /// The stories in the guest, which may be run beside other tests.
    guest: guest::Stories,
    /// The tests that were run, of all steps.
    counts: Counts,
}

/// Every step, in order.
const STEPS: &[Step] = &[
    step("fmt", None, |bench| component(&bench.root, "fmt", "rustfmt", &["--all", "--check"])),
    step("clippy", None, |bench| {
        if is_linting(env::var_os("RUSTC_WORKSPACE_WRAPPER").as_deref()) {
            println!("clippy compiles: its lints are those of the build");
            return bench.built().map(|_| ()).into();
        }
        let arguments = ["--workspace", "--all-targets", "--", "-D", "warnings"];
        component(&bench.root, "clippy", "clippy", &arguments)
    }),
    step("build", None, |bench| bench.built().map(|_| ()).into()),
    step("tidy", None, |bench| tidy::run(&bench.root).into()),
    step("docs", Some("build"), |bench| {
        let root = bench.root.clone();
        bench.built().and_then(|built| generate::check(&root, cargo::headroom(built)?)).into()
    }),
    step("tools", None, |bench| match bench.tools.take() {
        Some(begun) => {
            begun.join().unwrap_or_else(|_| Outcome::Failed("the installation panicked".to_owned()))
        }
        None => tools::ensure(),
    }),
    Step { is_long: true, ..step("s3s-fs", None, |bench| object_store::install(&bench.root)) },
    step("test", Some("build"), |bench| schedule::run(bench).into()),
    step("guest", Some("build"), guest::run),
    // What the README's first command builds.
    Step { is_long: true, ..step("release", None, |bench| release(&bench.root)) },
    Step { is_long: true, ..step("kills", Some("release"), |bench| torture(&bench.root, KILLS)) },
    Step { is_long: true, ..step("torture", Some("release"), |bench| torture(&bench.root, ALL_ATTACKS)) },
];

/// So many kills that meet changed settings, each kind of them at least five times, within so many minutes. The short
/// test has a few (`torture/tests/kills.rs`).
const KILLS: &[&str] = &["--only", "kill-states", "--kills", "100", "--minutes", "30"];
/// How long the long test attacks and fuzzes.
const ALL_ATTACKS: &[&str] = &["--minutes", "10"];

const fn step(name: &'static str, needs: Option<&'static str>, run: fn(&mut Bench) -> Outcome) -> Step {
    Step { name, needs, is_long: false, run }
}

fn arguments(command: Command) -> Command {
    let steps = || PossibleValuesParser::new(STEPS.iter().map(|step| step.name));
    let list = |name: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("STEP")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .value_parser(steps())
    };
    command
        .arg(
            Arg::new("long")
                .long("long")
                .action(ArgAction::SetTrue)
                .help("Run what takes long, too: all stories, views, the whole guest, more random inputs, the release build, a hundred kills, torture"),
        )
        .arg(list("only").help("Run only these steps"))
        .arg(list("skip").conflicts_with("only").help("Leave these steps out"))
}

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    let named =
        |list: &str| -> Vec<&String> { arguments.get_many(list).map(Iterator::collect).unwrap_or_default() };
    let (only, skip, is_long) = (named("only"), named("skip"), arguments.get_flag("long"));
    let is_chosen = |step: &&Step| {
        let is_step = |name: &&String| name.as_str() == step.name;
        let is_meant = if only.is_empty() { is_long || !step.is_long } else { only.iter().any(is_step) };
        is_meant && !skip.iter().any(is_step)
    };
    let chosen: Vec<&Step> = STEPS.iter().filter(is_chosen).collect();
    let in_ci = is_ci(env::var_os("CI").as_deref());
    let is_among = |name: &str| chosen.iter().any(|step| step.name == name);
    let mut bench = Bench::new(root.to_owned(), is_long);
    if is_among("tools") {
        bench.tools = Some(std::thread::spawn(tools::ensure));
    }
    // The long ones take longer than all that could be run beside them.
    if is_among("guest") && !is_long {
        bench.guest = guest::Stories::Wanted;
    }
    let mut done: Vec<Done> = Vec::new();
    for step in chosen {
        println!("==> {}", step.name);
        let started = Instant::now();
        let outcome = settle(attempt(step, &mut bench, &done), in_ci);
        done.push(Done { name: step.name, outcome, took: started.elapsed() });
    }
    println!("\n{}", summary(&done));
    if let Some(line) = left_out(&bench.counts, is_long) {
        println!("{line}");
    }
    if bench.counts.ran() > 0 {
        println!("{}", bench.counts);
    }
    let failed: Vec<_> =
        done.iter().filter(|d| matches!(d.outcome, Outcome::Failed(_))).map(|d| d.name).collect();
    if failed.is_empty() { Ok(()) } else { Err(Error::Steps(failed)) }
}

/// Whether clippy stands in for the compiler of the workspace's crates (`RUSTC_WORKSPACE_WRAPPER`), as CI has it:
/// then one build compiles and lints, where `cargo clippy` reads every crate, also those of others, once more.
fn is_linting(wrapper: Option<&OsStr>) -> bool {
    wrapper.and_then(|wrapper| Path::new(wrapper).file_name()).is_some_and(|name| name == "clippy-driver")
}

/// What the short test did not run.
fn left_out(counts: &Counts, is_long: bool) -> Option<String> {
    let steps: Vec<_> = STEPS.iter().filter(|step| step.is_long).map(|step| step.name).collect();
    (!is_long && counts.ran() > 0).then(|| {
        format!(
            "left out: {} tests that take long, and the steps {}; `cargo xtask test --long` runs them, too",
            counts.ignored,
            steps.join(", ")
        )
    })
}

impl Bench {
    fn new(root: PathBuf, is_long: bool) -> Self {
        let guest = guest::Stories::Alone;
        Self { root, is_long, built: None, tools: None, guest, counts: Counts::default() }
    }

    /// The programs of all tests, and the program itself; built once, with one
    /// set of features, so that every dependency is compiled once.
    fn built(&mut self) -> Result<&[Built], Error> {
        if self.built.is_none() {
            self.built = Some(cargo::build(&self.root, &["test", "--workspace", "--no-run"])?);
        }
        Ok(self.built.as_deref().unwrap_or_default())
    }
}

/// Builds the release, and asks it who it is.
fn release(root: &Path) -> Outcome {
    let built = cargo::build(root, &["build", "--release", "--package", "cli", "--bin", "headroom"]);
    let program = match built.and_then(|built| Ok(cargo::headroom(&built)?.to_owned())) {
        Ok(program) => program,
        Err(e) => return Outcome::Failed(e.to_string()),
    };
    let bytes = program.metadata().map_or(0, |metadata| metadata.len());
    println!("{}: {:.1} MB", program.display(), bytes as f64 / 1e6);
    passed_through(Process::new(program).arg("--version"))
}

/// Attacks the release, and fuzzes what it reads, as these arguments say.
fn torture(root: &Path, chosen: &[&str]) -> Outcome {
    if !geteuid().is_root() {
        return Outcome::Skipped("loop devices, mounts and network namespaces are root's".to_owned());
    }
    let arguments = [&["run", "--quiet", "--package", "torture", "--"], chosen].concat();
    passed_through(Process::new(cargo_program()).args(arguments).current_dir(root))
}

/// A step that was tried.
struct Done {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

fn attempt(step: &Step, bench: &mut Bench, before: &[Done]) -> Outcome {
    let broken =
        |need: &&str| before.iter().any(|d| d.name == *need && matches!(d.outcome, Outcome::Failed(_)));
    match step.needs.filter(broken) {
        Some(need) => Outcome::Skipped(format!("`{need}` failed")),
        None => (step.run)(bench),
    }
}

/// In CI nothing is skipped: what could not be done has failed.
fn settle(outcome: Outcome, in_ci: bool) -> Outcome {
    match outcome {
        Outcome::Skipped(why) if in_ci => Outcome::Failed(format!("{why}; in CI nothing may be skipped")),
        other => other,
    }
}

/// Whether this value of the variable `CI` says that this is CI.
fn is_ci(value: Option<&OsStr>) -> bool {
    value.is_some_and(|value| !["", "0", "false"].iter().any(|no| value == *no))
}

/// One line a step.
fn summary(done: &[Done]) -> String {
    let lines = done.iter().map(|Done { name, outcome, took }| {
        let (word, why) = match outcome {
            Outcome::Passed => ("ok", ""),
            Outcome::Skipped(why) => ("skipped", why.as_str()),
            Outcome::Failed(why) => ("FAILED", why.as_str()),
        };
        format!("{name:<8} {word:<8} {:>7.1} s  {why}", took.as_secs_f64()).trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Runs a part of the toolchain that may not be installed.
fn component(root: &Path, command: &str, component: &str, arguments: &[&str]) -> Outcome {
    let there = Process::new(cargo_program())
        .args([command, "--version"])
        .current_dir(root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if there {
        let words = [&[command], arguments].concat();
        return passed_through(Process::new(cargo_program()).args(words).current_dir(root));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let how = match tools::find("rustup", &path) {
        Some(_) => format!("add it with `rustup component add {component}`"),
        None => "install it with the toolchain's own installer".to_owned(),
    };
    let why = format!("{component} is not installed: {how}");
    println!("{why}");
    Outcome::Skipped(why)
}

fn passed_through(process: &mut Process) -> Outcome {
    match process.status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(format!("{}: {status}", words(process))),
        Err(e) => Outcome::Failed(format!("{} cannot be run: {e}", words(process))),
    }
}

/// A command as it would be typed.
fn words(process: &Process) -> String {
    let program = Path::new(process.get_program()).file_name().unwrap_or_default();
    let all: Vec<_> =
        std::iter::once(program).chain(process.get_args()).map(OsStr::to_string_lossy).collect();
    format!("`{}`", all.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_test_says_what_it_leaves_out() {
        let counts = Counts { passed: 3, failed: 0, ignored: 2 };
        let line = left_out(&counts, false).unwrap();
        assert!(line.starts_with("left out: 2 tests that take long") && line.contains("--long"), "{line}");
        assert_eq!(left_out(&counts, true), None);
        assert_eq!(left_out(&Counts::default(), false), None, "no test was asked for");
    }

    fn done(name: &'static str, outcome: Outcome) -> Done {
        Done { name, outcome, took: Duration::from_millis(1250) }
    }

    #[test]
    fn in_ci_what_is_skipped_has_failed() {
        let skipped = Outcome::Skipped("no rustfmt".to_owned());
        assert_eq!(settle(skipped.clone(), false), skipped);
        assert_eq!(
            settle(skipped, true),
            Outcome::Failed("no rustfmt; in CI nothing may be skipped".to_owned())
        );
        assert_eq!(settle(Outcome::Passed, true), Outcome::Passed);
        for (value, expected) in
            [(Some("true"), true), (Some("1"), true), (Some("false"), false), (Some(""), false)]
        {
            assert_eq!(is_ci(value.map(OsStr::new)), expected, "{value:?}");
        }
        assert!(!is_ci(None));
        for (wrapper, expected) in
            [("clippy-driver", true), ("/w/.ci/clippy-driver", true), ("sccache", false), ("", false)]
        {
            assert_eq!(is_linting(Some(OsStr::new(wrapper))), expected, "{wrapper:?}");
        }
        assert!(!is_linting(None));
    }

    #[test]
    fn a_step_whose_ground_is_gone_is_not_run() {
        let step = super::step("test", Some("build"), |_| Outcome::Passed);
        let mut bench = Bench::new(".".into(), false);
        let broken = [done("build", Outcome::Failed("no".to_owned()))];
        assert_eq!(attempt(&step, &mut bench, &broken), Outcome::Skipped("`build` failed".to_owned()));
        assert_eq!(attempt(&step, &mut bench, &[done("build", Outcome::Passed)]), Outcome::Passed);
        // Left out by the developer, who knows better.
        assert_eq!(attempt(&step, &mut bench, &[]), Outcome::Passed);
    }

    #[test]
    fn the_summary_has_a_line_a_step_with_its_time_and_reason() {
        let text =
            summary(&[done("fmt", Outcome::Passed), done("clippy", Outcome::Failed("exit 101".to_owned()))]);
        assert_eq!(text, "fmt      ok           1.2 s\nclippy   FAILED       1.2 s  exit 101");
    }

    #[test]
    fn a_failing_command_is_named_with_its_status() {
        let outcome = passed_through(Process::new("sh").args(["-c", "exit 3"]));
        assert_eq!(outcome, Outcome::Failed("`sh -c exit 3`: exit status: 3".to_owned()));
        let outcome = passed_through(&mut Process::new("/no/such/program"));
        assert!(
            matches!(&outcome, Outcome::Failed(why) if why.starts_with("`program` cannot be run")),
            "{outcome:?}"
        );
        assert_eq!(passed_through(&mut Process::new("true")), Outcome::Passed);
    }

    #[test]
    fn steps_are_chosen_by_name() {
        let parse = |words: &[&str]| {
            arguments(Command::new("test")).try_get_matches_from([&["test"], words].concat())
        };
        parse(&["--only", "tidy,fmt", "--only", "clippy"]).unwrap();
        parse(&["--skip", "tools"]).unwrap();
        parse(&["--long", "--only", "release"]).unwrap();
        parse(&["--only", "tydi"]).unwrap_err();
        parse(&["--only", "tidy", "--skip", "fmt"]).unwrap_err();
    }
}
