//! `test`: everything that must hold before a change goes in, in steps that
//! can be run one by one. CI runs the same, and skips nothing.
//!
//! The output of each tool goes through unchanged; the steps' own lines come
//! at the end. A step that fails does not keep the others from running.

mod guest;
pub(crate) mod tools;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::error::Error;
use crate::{Task, tidy};

/// The task.
pub(crate) const TASK: Task =
    Task { name: "test", about: "Run every check and test: what CI runs", arguments, run };

/// One step.
struct Step {
    name: &'static str,
    /// A step without which this one tells nothing new.
    needs: Option<&'static str>,
    run: fn(&Path) -> Outcome,
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    /// It could not be done here, for this reason.
    Skipped(String),
    Failed(String),
}

/// Every step, in order.
const STEPS: &[Step] = &[
    Step { name: "tools", needs: None, run: |_| tools::ensure() },
    Step { name: "fmt", needs: None, run: |root| component(root, "fmt", "rustfmt", &["--all", "--check"]) },
    Step {
        name: "clippy",
        needs: None,
        run: |root| {
            let arguments = ["--workspace", "--all-targets", "--", "-D", "warnings"];
            component(root, "clippy", "clippy", &arguments)
        },
    },
    Step {
        name: "build",
        needs: None,
        run: |root| cargo(root, &["build", "--release", "--package", "cli", "--bin", "headroom"]),
    },
    Step { name: "test", needs: Some("build"), run: |root| cargo(root, &["test", "--workspace"]) },
    Step {
        name: "tidy",
        needs: None,
        run: |root| match tidy::run(root) {
            Ok(()) => Outcome::Passed,
            Err(e) => Outcome::Failed(e.to_string()),
        },
    },
    Step { name: "guest", needs: Some("build"), run: guest::run },
];

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
        .arg(list("only").help("Run only these steps"))
        .arg(list("skip").conflicts_with("only").help("Leave these steps out"))
}

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    let named =
        |list: &str| -> Vec<&String> { arguments.get_many(list).map(Iterator::collect).unwrap_or_default() };
    let (only, skip) = (named("only"), named("skip"));
    let chosen = STEPS.iter().filter(|step| {
        let is_step = |name: &&String| name.as_str() == step.name;
        !skip.iter().any(is_step) && (only.is_empty() || only.iter().any(is_step))
    });
    let in_ci = is_ci(env::var_os("CI").as_deref());
    let mut done: Vec<Done> = Vec::new();
    for step in chosen {
        println!("==> {}", step.name);
        let started = Instant::now();
        let outcome = settle(attempt(step, root, &done), in_ci);
        done.push(Done { name: step.name, outcome, took: started.elapsed() });
    }
    println!("\n{}", summary(&done));
    let failed: Vec<_> =
        done.iter().filter(|d| matches!(d.outcome, Outcome::Failed(_))).map(|d| d.name).collect();
    if failed.is_empty() { Ok(()) } else { Err(Error::Steps(failed)) }
}

/// A step that was tried.
struct Done {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

fn attempt(step: &Step, root: &Path, before: &[Done]) -> Outcome {
    let broken =
        |need: &&str| before.iter().any(|d| d.name == *need && matches!(d.outcome, Outcome::Failed(_)));
    match step.needs.filter(broken) {
        Some(need) => Outcome::Skipped(format!("`{need}` failed")),
        None => (step.run)(root),
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

/// Runs cargo with its output passed through.
fn cargo(root: &Path, arguments: &[&str]) -> Outcome {
    passed_through(Process::new(cargo_program()).args(arguments).current_dir(root))
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
        return cargo(root, &[&[command], arguments].concat());
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

/// The cargo that runs this program, so that all steps use one toolchain.
pub(crate) fn cargo_program() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
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
    }

    #[test]
    fn a_step_whose_ground_is_gone_is_not_run() {
        let step = Step { name: "test", needs: Some("build"), run: |_| Outcome::Passed };
        let broken = [done("build", Outcome::Failed("no".to_owned()))];
        assert_eq!(attempt(&step, Path::new("."), &broken), Outcome::Skipped("`build` failed".to_owned()));
        assert_eq!(attempt(&step, Path::new("."), &[done("build", Outcome::Passed)]), Outcome::Passed);
        // Left out by the developer, who knows better.
        assert_eq!(attempt(&step, Path::new("."), &[]), Outcome::Passed);
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
        parse(&["--only", "tydi"]).unwrap_err();
        parse(&["--only", "tidy", "--skip", "fmt"]).unwrap_err();
    }
}
