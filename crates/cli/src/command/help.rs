//! What to type, said at the right moment: by the bare program, in ten lines; by the help of every
//! command, which begins with three examples; and by the help of one workload or study, which is about
//! that one only. Parameters and metrics come from the tables; what clap says of a command, it says.

use std::ffi::OsString;

use ::report::reference;
use ::report::terminal::Terminal;
use clap::builder::styling::Styles;
use clap::{Arg, ArgAction, Command};
use model::WorkloadSpec;
use model::workload::Catalogue;
use study::built_in;

use super::command_line;
use crate::output;

/// What the bare program says.
pub(crate) const FIRST_WORDS: &str = "\
Headroom measures a machine and says what holds each result back. To begin, type

  headroom run                      how fast is this machine? about two minutes
  headroom run disk --target /data  one workload; `headroom workloads` lists all
  headroom help disk                what a workload takes, with examples
  headroom check fio.txt            what the output of another tool really says
  headroom doctor                   what could disturb a measurement here
  headroom report last              the last run as a page to read and share
  headroom compare RUN last         is it better now, or worse?
  headroom --help                   every command
";

/// Three lines that can be typed, with which the help of a command begins. What stands behind `#` is
/// what they are for.
pub(crate) fn examples(lines: [&str; 3]) -> String {
    let styles = Styles::styled();
    let header = styles.get_header();
    let lines = lines.map(|line| format!("\n  headroom {line}"));
    format!("{header}Examples:{header:#}{}", lines.concat())
}

/// The help of the one workload or built-in study that `arguments` ask for: `run NAME --help`, `help
/// NAME` or `help run NAME`. What else there is to be helped with, clap knows.
pub(crate) fn asked(arguments: &[OsString]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().skip(1).map_while(|word| word.to_str()).collect();
    let name = match words[..] {
        ["help", "run", name] | ["help", name] => name.to_owned(),
        ["run", ..] if words.contains(&"--help") || words.contains(&"-h") => named_for_run(arguments)?,
        _ => return None,
    };
    of(&name, &::agent::catalogue())
}

/// The study behind `run`, whatever else is typed there, wrong or not.
fn named_for_run(arguments: &[OsString]) -> Option<String> {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::SetTrue);
    let lenient = |run: Command| run.disable_help_flag(true).arg(help);
    let command = command_line().ignore_errors(true).mut_subcommand("run", lenient);
    let matches = command.try_get_matches_from(arguments).ok()?;
    let run = matches.subcommand_matches("run")?;
    run.get_one::<String>("study").filter(|_| run.get_flag("help")).cloned()
}

/// All about the workload or the built-in study of this name, if there is one.
fn of(name: &str, catalogue: &Catalogue) -> Option<String> {
    let terminal = output::terminal();
    if let Some(spec) = catalogue.called(name) {
        return Some(of_workload(spec, catalogue, terminal));
    }
    let ready = built_in::find(name)?;
    let study = study::read::from_toml(catalogue, ready.name, ready.name, ready.text).ok()?;
    let question = format!("{name}: {}", study.question.unwrap_or_default());
    Some(format!(
        "{}\n\nExamples\n  headroom run {name} --dry-run\n  headroom run {name}\n  headroom studies {name} > \
         mine.toml\n\n{}\n",
        reference::paragraph(&question, terminal),
        reference::paragraph(BEHIND_A_STUDY, terminal)
    ))
}

/// All about a workload.
pub(super) fn of_workload(spec: &WorkloadSpec, catalogue: &Catalogue, terminal: Terminal) -> String {
    let text = reference::text(spec, catalogue, terminal);
    format!("{text}\n{}\n", reference::paragraph(BEHIND_A_WORKLOAD, terminal))
}

/// What is true of all workloads.
const BEHIND_A_WORKLOAD: &str = "\
Each parameter is an option: `--NAME LEVELS`. A comma makes levels (1,4,16), `..` doubles (1..64), \
`1..16:1` steps; every combination is a case. `headroom run --help` has the options that all workloads share: \
trials, settings, files.";

/// What is true of all built-in studies.
const BEHIND_A_STUDY: &str = "\
`--dry-run` says what would be done, and does nothing. Options override what the study says, such as --target \
and --trials: `headroom run --help` has them. The last example makes a file of it, to be changed and run.";

#[cfg(test)]
mod tests {
    use super::*;

    fn asked_by(line: &str) -> Option<String> {
        asked(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    fn fits(text: &str) {
        for line in text.lines() {
            assert!(console::measure_text_width(line) <= ::report::WIDTH, "{line}");
        }
    }

    #[test]
    fn the_bare_program_says_in_ten_lines_what_to_type() {
        assert_eq!(FIRST_WORDS.lines().count(), 10);
        fits(FIRST_WORDS);
        for line in FIRST_WORDS.lines().filter(|line| line.starts_with("  headroom ")) {
            let (typed, _) = line.trim().split_once("  ").unwrap();
            let words: Vec<&str> = typed.split(' ').collect();
            let help = asked(&words.iter().map(OsString::from).collect::<Vec<_>>());
            let parsed = command_line().try_get_matches_from(&words);
            let is_help = parsed.as_ref().is_err_and(|e| e.exit_code() == 0);
            assert!(help.is_some() || is_help || parsed.is_ok(), "{typed}");
        }
    }

    /// The words of an example, without what the shell does and what is said of it.
    fn words(example: &str) -> Vec<String> {
        let marks = [" # ", " > ", " < ", " | "];
        let end = marks.iter().filter_map(|mark| example.find(mark)).min().unwrap_or(example.len());
        shlex::split(&example[..end]).unwrap()
    }

    #[test]
    fn the_help_of_every_command_begins_with_three_examples_that_can_be_typed() {
        let mut root = command_line().term_width(::report::WIDTH);
        root.build();
        let commands = root.get_subcommands_mut().filter(|c| !c.is_hide_set() && c.get_name() != "help");
        for command in commands {
            let help = command.render_long_help().to_string();
            fits(&help);
            let lines: Vec<&str> = help.lines().collect();
            assert_eq!((lines[0], lines[4]), ("Examples:", ""), "{help}");
            for example in &lines[1..4] {
                let matches = command_line().try_get_matches_from(words(example));
                let matches = matches.unwrap_or_else(|error| panic!("{example}: {error}"));
                assert_eq!(matches.subcommand_name(), Some(command.get_name()), "{example}");
            }
        }
    }

    #[test]
    fn the_help_of_a_workload_is_about_that_one_only() {
        let catalogue = ::agent::catalogue();
        for spec in &catalogue.workloads {
            let help = asked_by(&format!("headroom run {} --help", spec.name)).unwrap();
            fits(&help);
            assert_eq!(asked_by(&format!("headroom help {}", spec.name)).as_ref(), Some(&help));
            assert_eq!(asked_by(&format!("headroom help run {}", spec.name)).as_ref(), Some(&help));
            for parameter in catalogue.parameters(spec) {
                assert!(help.contains(&format!("\n  {} = ", parameter.name)), "{}: {help}", spec.name);
            }
            for metric in spec.metrics {
                assert!(help.contains(&format!("\n  {} (", metric.name)), "{}: {help}", spec.name);
            }
        }
        let all = command_line()
            .term_width(::report::WIDTH)
            .find_subcommand_mut("run")
            .map(Command::render_long_help);
        assert!(!all.unwrap().to_string().contains("--block-size"));
        let disk = asked_by("headroom run disk -h").unwrap();
        assert!(disk.contains("\n  block-size = ") && !disk.contains("\n  streams = "), "{disk}");
    }

    #[test]
    fn a_workload_is_found_among_what_else_was_typed() {
        let disk = asked_by("headroom help disk");
        assert!(disk.is_some());
        assert_eq!(asked_by("headroom run --threads 4 disk --help"), disk);
        assert_eq!(asked_by("headroom run -h disk --threads 4"), disk);
        // A value is no study, and what follows `--` no option.
        assert_eq!(asked_by("headroom run --price disk --help"), None);
        assert_eq!(asked_by("headroom run disk -- --help"), None);
        for others in ["headroom run --help", "headroom help run", "headroom help", "headroom run disk"] {
            assert_eq!(asked_by(others), None, "{others}");
        }
        assert_eq!(asked_by("headroom help dsik"), None);
    }

    #[test]
    fn the_help_of_a_study_has_its_question() {
        for ready in built_in::READY {
            let help = asked_by(&format!("headroom run {} --help", ready.name)).unwrap();
            fits(&help);
            assert!(help.starts_with(&format!("{}: ", ready.name)) && help.contains('?'), "{help}");
            assert!(help.contains(&format!("headroom run {} --dry-run", ready.name)), "{help}");
        }
    }
}
