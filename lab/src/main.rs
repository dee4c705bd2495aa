//! `lab`: limits that were induced on purpose, and runs of which nothing is the matter,
//! each several times: does the verdict name what is there, and is a quiet run left in
//! peace? `docs/verdicts.md` tells the method and has the table.
//!
//! One scenario is one entry in a table of `table`; what it lays is in `site`, and what
//! proves it in `count`. Nothing is asserted here: a wrong verdict is written down, and
//! the task fails only if nothing could be tried. It is not part of CI, for its answers
//! depend on the machine. This crate knows no crate of the house.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool speaks to a terminal")]

mod attempt;
mod count;
mod judge;
mod page;
mod prove;
mod scenario;
mod site;
mod table;
mod tally;
mod tool;
mod wire;
// The benchmarks' own.
#[path = "../../bench/src/zram.rs"]
mod zram;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use rustix::process::geteuid;
use xtask::{Error, target_folder, tools};

use crate::attempt::{Means, attempt};
use crate::scenario::Scenario;
use crate::tally::Row;

/// Programs without which hardly anything can be laid.
const TOOLS: &[&str] = &["ip", "ethtool", "taskset", "losetup"];

fn main() -> ExitCode {
    let command = command();
    xtask::exit(run(&xtask::root(), &command.get_matches()))
}

fn command() -> Command {
    let value = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("lab")
        .bin_name("cargo xtask lab")
        .about("Hold the verdicts against limits that were induced, and quiet runs against false alarms")
        .arg(
            value("times", "N", "How often each scenario is tried")
                .default_value("3")
                .value_parser(value_parser!(u16).range(1..=1000)),
        )
        .arg(
            value("only", "TEXT", "Only scenarios of this area, or with this in their names; again for more")
                .action(ArgAction::Append),
        )
        .arg(
            value("program", "PATH", "Try this program instead of the one that is built")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            value(
                "keep",
                "FOLDER",
                "Keep the document of each try that was not right, or of each proof, to look at",
            )
            .value_parser(value_parser!(PathBuf)),
        )
        .arg(flag("write", "Write the table into docs/verdicts.md; of all scenarios").conflicts_with("only"))
        .arg(
            flag(
                "prove",
                "Have the verdicts proved, and wrong ones that are planted; counts what came of it",
            )
            .conflicts_with("write"),
        )
        .arg(flag("list", "Name the scenarios"))
}

fn run(root: &Path, matches: &ArgMatches) -> Result<(), Error> {
    let only: Vec<&String> = matches.get_many("only").map(Iterator::collect).unwrap_or_default();
    let chosen: Vec<&'static Scenario> = table::all().filter(|one| is_chosen(one, &only)).collect();
    if matches.get_flag("list") {
        for one in &chosen {
            println!("{:<8} {:<55} {}", one.area.word(), one.name, one.load.join(" "));
        }
        return Ok(());
    }
    if chosen.is_empty() {
        return Err(Error::Lab("there is no such scenario; --list names what there is".to_owned()));
    }
    if !geteuid().is_root() {
        return Err(Error::Lab("control groups, loop devices and namespaces are root's".to_owned()));
    }
    tools::require(TOOLS).map_err(Error::Lab)?;
    let document = root.join(page::PATH);
    let writes = matches.get_flag("write");
    if writes {
        page::check(&document)?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|e| Error::Lab(format!("signals cannot be caught: {e}")))?;
    }
    let program = match matches.get_one::<PathBuf>("program") {
        Some(program) => program.canonicalize().map_err(Error::file("read", program))?,
        None => xtask::built_program(root)?,
    };
    let scratch = target_folder(root)?.join("lab");
    let keep = matches.get_one::<PathBuf>("keep").map(PathBuf::as_path);
    if let Some(folder) = keep {
        std::fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
    }
    let means = Means { program: &program, scratch: &scratch, keep, stop: &stop };
    let times = *matches.get_one::<u16>("times").unwrap_or(&3);
    if matches.get_flag("prove") {
        return prove::try_all(&chosen, times, &means);
    }
    let rows = try_all(&chosen, times, &means)?;
    println!();
    for line in tally::totals(&rows) {
        println!("{line}");
    }
    if writes {
        page::write(&document, &tally::page(&rows, &circumstances(times)))?;
        println!("wrote {}", page::PATH);
    }
    Ok(())
}

fn is_chosen(scenario: &Scenario, only: &[&String]) -> bool {
    let is_meant = |text: &str| scenario.area.word() == text || scenario.name.contains(text);
    only.is_empty() || only.iter().any(|text| is_meant(text))
}

/// Each scenario so many times, in turns, so that a bad minute of the machine does not
/// fall on all tries of one.
fn try_all(chosen: &[&'static Scenario], times: u16, means: &Means<'_>) -> Result<Vec<Row>, Error> {
    let mut rows: Vec<Row> = chosen.iter().copied().map(Row::new).collect();
    for turn in 1..=times {
        for (scenario, row) in chosen.iter().zip(&mut rows) {
            eprintln!("{turn} of {times}: {}, {}", scenario.area.word(), scenario.name);
            let grades = attempt(scenario, means);
            if means.stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            for grade in grades {
                eprintln!("  {grade:?}");
                row.add(grade);
            }
        }
    }
    for row in &rows {
        println!("{}", row.line());
    }
    Ok(rows)
}

/// Where and how it was tried.
fn circumstances(times: u16) -> String {
    let first = |path: &str| tool::read(path).unwrap_or_default().trim().to_owned();
    let kernel = first("/proc/sys/kernel/osrelease");
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let date = tool::tool("date", &["-u", "+%Y-%m-%d"]).unwrap_or_default();
    format!("Tried {date}, each scenario {times} times, on {cpus} CPUs under Linux {kernel}.")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::scenario::Limiter;

    #[test]
    fn the_command_line_is_well_made() {
        command().debug_assert();
        let parse = |words: &[&str]| command().try_get_matches_from([&["lab"], words].concat());
        parse(&["--times", "5", "--only", "disk", "--only", "quota"]).unwrap();
        parse(&["--write", "--only", "disk"]).unwrap_err();
        parse(&["--times", "0"]).unwrap_err();
    }

    #[test]
    fn tools_are_known() {
        assert!(TOOLS.iter().all(|name| tools::is_known(name)));
    }

    #[test]
    fn scenarios_have_names_of_their_own_and_all_that_they_need() {
        let mut names = HashSet::new();
        for one in table::all() {
            assert!(names.insert(one.name), "`{}` twice", one.name);
            assert!(!one.load.is_empty(), "{}", one.name);
            let has_answer = !one.right.is_empty() || !one.also.is_empty();
            assert!(one.is_quiet() || has_answer, "`{}` has no right answer", one.name);
            assert!(one.is_quiet() || !one.proofs.is_empty(), "`{}` is proved by nothing", one.name);
            let has_device = one
                .lay
                .iter()
                .any(|l| matches!(l, Limiter::Loop(_) | Limiter::LoopOnDisk(_) | Limiter::Zram(_)));
            assert_eq!(one.load.contains(&"DEVICE"), has_device, "{}", one.name);
            let has_server = one.lay.iter().any(|l| matches!(l, Limiter::Server(_) | Limiter::Database(_)));
            assert_eq!(one.load.contains(&"URL"), has_server, "{}", one.name);
        }
        let quiet = table::all().filter(|one| one.is_quiet()).count();
        assert!(quiet >= 20 && names.len() - quiet >= 60, "{quiet} quiet ones of {}", names.len());
    }

    #[test]
    fn scenarios_are_chosen_by_area_or_name() {
        let count = |text: &str| table::all().filter(|one| is_chosen(one, &[&text.to_owned()])).count();
        assert!(count("quiet") >= 20 && count("no such name") == 0);
        assert_eq!(table::all().filter(|one| is_chosen(one, &[])).count(), table::all().count());
    }

    #[test]
    fn the_page_has_its_marks() {
        page::check(&xtask::root().join(page::PATH)).unwrap();
    }
}
