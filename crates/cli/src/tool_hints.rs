//! Words of other tools that are typed out of habit, of fio and of those that load databases, and a workload
//! where a command belongs: what they are called here. A job file of fio is read as it is, and so is a script of
//! pgbench; on the command line there is one name for one thing, so that these are pointed at and not taken.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use import::diagnostic::nearest;
use import::fio::command_line;
use import::{database_options, habits};
use report::text::printable;
use study::Diagnostic;

use crate::exit::Failure;
use crate::output::joined;
use crate::{unknown_option, unknown_study};

/// What is wrong with a line that clap does not take, and what to type instead; `typed` is all of it, and `root` the
/// command line that there is. None of help and version, which are no errors.
pub(crate) fn of_line(error: &clap::Error, typed: &[String], root: &Command) -> Option<Failure> {
    if error.exit_code() == 0 {
        return None;
    }
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let found = match error.kind() {
        ErrorKind::UnknownArgument => {
            text(ContextKind::InvalidArg).map(|wrong| match command_behind_run(typed, wrong) {
                Some(command) => (
                    "`headroom run` runs no command of yours".to_owned(),
                    format!("`headroom trace DEVICE -- {command}` says what it does to a disk"),
                ),
                None => unknown_option::told(wrong, typed, root),
            })
        }
        ErrorKind::InvalidSubcommand => {
            let name = text(ContextKind::InvalidSubcommand)?;
            let is_help = typed.get(1).is_some_and(|word| word == "help");
            let Some(what) = kind_of_study(name) else { return Some(unknown_command(name, root, is_help)) };
            let after = typed.iter().skip_while(|word| *word != name).map(|word| printable(word));
            let rest = after.collect::<Vec<_>>().join(" ");
            Some((format!("there is no command `{name}`: that is {what}"), format!("`headroom run {rest}`")))
        }
        ErrorKind::ArgumentConflict => text(ContextKind::InvalidArg)
            .filter(|wrong| text(ContextKind::PriorArg) == Some(*wrong))
            .and_then(|wrong| wrong.strip_suffix(" <LEVELS>"))
            .map(|name| {
                (
                    format!("{name} cannot be used multiple times"),
                    format!("write all values at once, with commas between them: {name} A,B"),
                )
            }),
        ErrorKind::MissingRequiredArgument => missing(error, typed, root),
        _ => None,
    };
    let (message, help) = found.unwrap_or_else(|| plainly(error, typed, root));
    Some(Failure::arguments(message, help))
}

/// What a command needs that was not typed, with its examples.
fn missing(error: &clap::Error, typed: &[String], root: &Command) -> Option<(String, String)> {
    let command = root.find_subcommand(typed.get(1)?)?;
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return None };
    Some((
        format!("`headroom {}` needs {}", command.get_name(), missing.join(", ")),
        command.get_before_help()?.to_string(),
    ))
}

/// What clap says, in our form: its first line, and behind it the values that there are, or else the examples of the
/// command.
fn plainly(error: &clap::Error, typed: &[String], root: &Command) -> (String, String) {
    let text = error.render().to_string();
    let mut lines = text.lines().take_while(|line| !line.is_empty());
    let message = lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let values = lines.map(|line| line.trim().trim_matches(['[', ']'])).collect::<Vec<_>>().join(" ");
    let command = typed.get(1).and_then(|name| root.find_subcommand(name)).unwrap_or(root);
    if let Some(help) = unknown_option::without_value(error, typed) {
        return (message, help);
    }
    let examples = || command.get_before_help().map(ToString::to_string).unwrap_or_default();
    (message, if values.is_empty() { examples() } else { values })
}

/// The command behind the `--` of `headroom run`, if `wrong` is a word of it.
fn command_behind_run(typed: &[String], wrong: &str) -> Option<String> {
    let [_, run, rest @ ..] = typed else { return None };
    let mark = rest.iter().position(|word| word == "--").filter(|_| run == "run")?;
    let command = rest.get(mark + 1..)?;
    let is_of_it = command.iter().any(|word| word == wrong);
    is_of_it.then(|| printable(&joined(command.iter().map(String::as_str))))
}

/// That there is no command `name`, and which was most likely meant; behind `help` that is one to be helped with.
fn unknown_command(name: &str, root: &Command, is_help: bool) -> Failure {
    let catalogue = ::agent::catalogue();
    let workload = || nearest(name, catalogue.workloads.iter().map(|spec| spec.name.as_str()));
    let near = || nearest(name, root.get_subcommands().map(Command::get_name));
    let meant =
        |command: &str| format!("did you mean `headroom {}{command}`?", if is_help { "help " } else { "" });
    let measured =
        |near: &str| format!("did you mean `headroom {} {near}`?", if is_help { "help" } else { "run" });
    let help = habits::command(name).map(meant);
    let help = help.or_else(|| unknown_study::like(name)).or_else(|| near().map(meant));
    let help = help.or_else(|| workload().map(measured)).unwrap_or_else(|| {
        "`headroom --help` lists the commands, `headroom workloads` what can be measured".to_owned()
    });
    Failure::arguments(format!("there is no command `{}`", printable(name)), help)
}

/// What `headroom run` would take this name for.
fn kind_of_study(name: &str) -> Option<&'static str> {
    let ends = |ending: &str| name.ends_with(ending);
    match () {
        () if ::agent::catalogue().called(name).is_some() => Some("a workload"),
        () if study::built_in::find(name).is_some() => Some("a built-in study"),
        () if ends(".toml") => Some("a study file"),
        () if ends(".fio") || ends(".job") => Some("a job file"),
        () => None,
    }
}

/// A diagnostic with the help that a word of another tool needs; any other as it is.
pub(crate) fn explained(mut diagnostic: Diagnostic) -> Diagnostic {
    let text = &diagnostic.source_text.text;
    let Some(wrong) = text.get(diagnostic.span.clone()).map(|word| word.trim_start_matches('-')) else {
        return diagnostic;
    };
    let before = text.get(..diagnostic.span.start).unwrap_or_default().trim_end();
    let name = before.rsplit([' ', '=']).next().unwrap_or_default().trim_start_matches('-');
    let flag = [("1", "yes"), ("0", "no")].iter().find(|(theirs, _)| *theirs == wrong);
    let flag = flag.filter(|_| diagnostic.message.ends_with("is neither yes nor no"));
    let ours = command_line::value(name, wrong)
        .or_else(|| database_options::value(name, wrong))
        .or_else(|| habits::value(name, wrong))
        .or(flag.map(|(_, ours)| *ours));
    let near = || {
        let choices = diagnostic.help.as_deref()?.strip_prefix("one of ")?.split(", ");
        nearest(wrong, choices).map(str::to_owned)
    };
    let ours = ours.map(str::to_owned).or_else(near);
    let found = match &ours {
        Some(ours) => Some(format!("did you mean `{ours}`?")),
        None if diagnostic.message.contains("has no parameter") => {
            // "`db.oltp` has no parameter `jobs`"
            let mut named = diagnostic.message.split('`').skip(1).step_by(2);
            let (load, option) = (named.next().unwrap_or_default(), named.next().unwrap_or(wrong));
            unknown_option::habit(&format!("--{option}"), load)
        }
        None => None,
    };
    if let Some(found) = found {
        let all = diagnostic.help.take().filter(|_| ours.is_some());
        diagnostic.help = Some(all.map_or_else(|| found.clone(), |all| format!("{found} {all}")));
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use import::fio::command_line::{NEEDLESS, OPTIONS, VALUES, is_job};
    use study::read::CONTROLS;

    use super::*;
    use crate::command::{command_line, offered_command_line};

    fn help(line: &str) -> Option<String> {
        let typed: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let error = command_line().try_get_matches_from(&typed).unwrap_err();
        of_line(&error, &typed, &offered_command_line())?.help()
    }

    #[test]
    fn options_of_fio_are_pointed_at_ours() {
        let run = command_line();
        let run = run.find_subcommand("run").unwrap();
        for (theirs, ours) in OPTIONS {
            assert!(run.get_arguments().any(|a| a.get_long() == Some(ours)), "--{ours}");
            let told = help(&format!("headroom run disk --{theirs}=4")).unwrap();
            assert!(told.contains(&format!("did you mean `--{ours}`?")), "{told}");
        }
        for (theirs, why) in NEEDLESS {
            assert_eq!(help(&format!("headroom run disk --{theirs} x")).as_deref(), Some(*why));
            // What it says to type can be typed.
            let disk = ::agent::catalogue().called("disk").unwrap().parameters;
            for (option, value) in
                why.split("--").skip(1).filter_map(|text| text.split('`').next()?.split_once(' '))
            {
                let spec = disk.iter().find(|p| p.name.as_str() == option);
                assert!(spec.is_none_or(|p| value.trim() == "N" || p.parse(value.trim()).is_ok()), "{why}");
            }
        }
        let near = help("headroom run disk --queue-dpth 4");
        assert_eq!(near.as_deref(), Some("did you mean `--queue-depth`?"));
    }

    #[test]
    fn options_of_tools_for_databases_are_pointed_at_ours() {
        use import::database_options::{OPTIONS, OTHERWISE};
        use study::read::arguments::{Arguments, Typed, study_of_workload};
        let catalogue = ::agent::catalogue();
        let takes = |workload: &str, option: &str| {
            let spec = catalogue.called(workload).unwrap();
            catalogue.parameter(spec, option).is_some() || CONTROLS.iter().any(|c| c.name == option)
        };
        let loads = ["db.oltp", "db.slap", "db.tpcb", "db.script"];
        // What another workload takes is refused with the study, and all else with the line.
        let told_of = |load: &str, theirs: &str| {
            let dashes = if theirs.len() == 1 { "-" } else { "--" };
            let line = format!("headroom run {load} {dashes}{theirs} 4");
            if command_line().try_get_matches_from(line.split(' ')).is_err() {
                return help(&line).unwrap();
            }
            let typed = Typed { name: theirs.to_owned(), value: "4".to_owned() };
            let arguments = Arguments { options: vec![typed], ..Arguments::default() };
            explained(study_of_workload(&catalogue, load, &arguments).unwrap_err()).help.unwrap()
        };
        for (theirs, ours, _) in OPTIONS {
            let load = loads.into_iter().find(|load| takes(load, ours));
            let load = load.unwrap_or_else(|| panic!("no load takes --{ours}"));
            let told = told_of(load, theirs);
            assert!(told.contains(&format!("did you mean `--{ours}`?")), "{load} {theirs}: {told}");
        }
        for (theirs, told) in OTHERWISE {
            assert_eq!(told_of("db.slap", theirs), *told);
            // What it says to type can be typed.
            let Some(line) = told.split('`').nth(1) else { continue };
            let line =
                if line.starts_with("--") { format!("headroom run db.oltp {line}") } else { line.to_owned() };
            assert!(command_line().try_get_matches_from(line.split(' ')).is_ok(), "{line}");
        }
        let told = help("headroom run cpu.primes --table-size 4").unwrap();
        assert!(!told.contains("rows"), "{told}");
    }

    #[test]
    fn what_another_command_does_is_pointed_at() {
        let told = help("headroom run disk cpu.primes").unwrap();
        assert!(told.starts_with("`--with cpu.primes` "), "{told}");
        let told = help("headroom show last -o x.html").unwrap();
        assert!(told.starts_with("`headroom report RUN -o FILE` "), "{told}");
        assert_eq!(
            help("headroom doctor -o x.html").unwrap(),
            "`headroom doctor --help` lists what it takes"
        );
        for study in ["disk ", "what-does-it-do-to-my-disk ", ""] {
            let told = help(&format!("headroom run {study}-- dd if=a of=b")).unwrap();
            assert_eq!(told, "`headroom trace DEVICE -- dd if=a of=b` says what it does to a disk");
        }
        let told = help("headroom run disk --queue-dpth 4 -- dd if=a").unwrap();
        assert_eq!(told, "did you mean `--queue-depth`?", "what is wrong is before it");
        let told = help("headroom run disk --target a --target b").unwrap();
        assert!(told.ends_with("--target A,B"), "{told}");
        let told = help("headroom run disk --store a --store b").unwrap();
        assert!(told.starts_with("Examples:\n"), "{told}");
    }

    #[test]
    fn a_workload_where_a_command_belongs_is_run() {
        let told = help("headroom disk --target /data").unwrap();
        assert_eq!(told, "`headroom run disk --target /data`");
        assert_eq!(help("headroom a.fio").unwrap(), "`headroom run a.fio`");
    }

    #[test]
    fn regression_a_command_that_was_mistyped_was_told_without_the_one_that_was_meant() {
        for (typed, meant) in [
            ("rnu", "did you mean `headroom run`?"),
            ("shwo", "did you mean `headroom show`?"),
            ("cpu.prime", "did you mean `headroom run cpu.primes`?"),
            ("help dsik", "did you mean `headroom help disk`?"),
            ("help shwo", "did you mean `headroom help show`?"),
            ("ls", "did you mean `headroom list`?"),
            ("server", "did you mean `headroom node`?"),
            (
                "fio",
                "`headroom run disk` measures the like; `headroom check FILE` reads what fio printed, and `headroom \
                 verify-tool fio` runs it beside the same load of Headroom, if it knows it",
            ),
        ] {
            assert_eq!(help(&format!("headroom {typed}")).as_deref(), Some(meant), "{typed}");
        }
        assert!(help("headroom benchmark-everything").unwrap().contains("`headroom --help`"));
    }

    #[test]
    fn what_is_missing_is_told_with_examples() {
        for command in ["rm", "export", "compare", "trace"] {
            let told = help(&format!("headroom {command}")).unwrap();
            assert!(
                told.starts_with("Examples:\n") && told.contains(&format!("headroom {command} ")),
                "{told}"
            );
        }
    }

    #[test]
    fn values_of_fio_are_pointed_at_ours() {
        use study::read::arguments::{Arguments, Typed, study_of_workload};
        let wrong = |name: &str, value: &str| {
            let typed = Typed { name: name.to_owned(), value: value.to_owned() };
            let arguments = Arguments { options: vec![typed], ..Arguments::default() };
            let diagnostic = study_of_workload(&::agent::catalogue(), "disk", &arguments).unwrap_err();
            explained(diagnostic).help.unwrap_or_default()
        };
        for (name, theirs, ours) in VALUES {
            assert!(wrong(name, theirs).starts_with(&format!("did you mean `{ours}`? ")), "{name}={theirs}");
        }
        for (name, theirs, ours) in
            habits::VALUES.iter().filter(|(name, ..)| *name == "pattern" || *name == "engine")
        {
            assert!(wrong(name, theirs).starts_with(&format!("did you mean `{ours}`? ")), "{name}={theirs}");
        }
        for (name, theirs, ours) in database_options::VALUES {
            let typed = Typed { name: (*name).to_owned(), value: (*theirs).to_owned() };
            let arguments = Arguments { options: vec![typed], ..Arguments::default() };
            let diagnostic = study_of_workload(&::agent::catalogue(), "db.oltp", &arguments).unwrap_err();
            let told = explained(diagnostic).help.unwrap_or_default();
            assert!(told.starts_with(&format!("did you mean `{ours}`? ")), "{name}={theirs}: {told}");
        }
        assert!(wrong("direct", "1").starts_with("did you mean `yes`? "));
        assert!(wrong("engine", "libaio").contains("io_uring"));
        assert!(!wrong("engine", "nothing").contains("did you mean"));
        assert!(wrong("pattern", "randraed").starts_with("did you mean `randread`? one of "));
        let with = Arguments { with: vec!["disk --iodepth 4".to_owned()], ..Arguments::default() };
        let diagnostic = study_of_workload(&::agent::catalogue(), "disk", &with).unwrap_err();
        assert!(explained(diagnostic).help.unwrap().starts_with("did you mean `--queue-depth`?"));
    }

    #[test]
    fn a_job_file_is_known_by_what_is_in_it() {
        assert!(is_job("; a comment\n[global]\nbs=4k\n"));
        assert!(is_job("[job]\nrw = randread\n"));
        assert!(!is_job("[[workload]]\nkind = \"disk\"\npattern = \"read\"\n"));
        assert!(!is_job("filename = \"x\"\n"));
    }
}
