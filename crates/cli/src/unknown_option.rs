//! An option or a word that a command does not take: what was most likely meant by it. Habits of other tools come first,
//! then what is spelled nearly so among what the workload, or the command, takes.

use clap::Command;
use clap::error::{ContextKind, ContextValue};
use import::diagnostic::nearest;
use import::fio::command_line;
use import::{database_options, habits};
use model::profile::Aspect;
use model::{Kind, ParameterName, ParameterSpec};
use report::text::printable;
use study::built_in;
use study::read::CONTROLS;

use crate::unknown_study;

/// What is said of an argument that the command `typed` does not take, and what to type instead.
pub(crate) fn told(wrong: &str, typed: &[String], root: &Command) -> (String, String) {
    let name = wrong.split('=').next().unwrap_or(wrong);
    let Some(command) = typed.get(1).and_then(|word| root.find_subcommand(word)) else {
        return (
            format!("there is no option {} before a command", printable(name)),
            before_a_command(name, typed),
        );
    };
    let catalogue = ::agent::catalogue();
    let is_run = ["run", "fit"].contains(&command.get_name());
    if is_run && catalogue.called(name).is_some() {
        return (
            format!("`headroom run` takes one workload, and `{name}` is another"),
            format!(
                "`--with {name}` runs it at the same time; to run both one after the other, type two commands"
            ),
        );
    }
    if command.get_name() == "show" && ["-o", "--output"].contains(&name) {
        return (
            "`headroom show` writes no file".to_owned(),
            "`headroom report RUN -o FILE` writes a page, and `headroom export RUN -o FILE` what programs read"
                .to_owned(),
        );
    }
    if let Some(help) = habits::operand(wrong).filter(|_| is_run) {
        return (format!("`{}` is no option", printable(wrong)), help);
    }
    // The word that is none may be the reason why an option is not known.
    if let Some(study) = typed.get(2).filter(|word| command.get_name() == "run" && is_unknown_study(word)) {
        let failure = unknown_study::failure(study, &catalogue);
        return (failure.message(), failure.help().unwrap_or_default());
    }
    let load = typed.iter().skip(2).find(|word| is_run && catalogue.called(word).is_some());
    let load = load.map_or("", String::as_str);
    if let Some(help) = of_command(command.get_name(), name) {
        return (
            format!("`headroom {}` does not take `{}`", command.get_name(), printable(name)),
            help.to_owned(),
        );
    }
    if let Some(help) = operand_of(name, typed, load) {
        return (format!("`headroom {}` does not take `{}`", command.get_name(), printable(name)), help);
    }
    let what = if name.starts_with('-') { "option " } else { "" };
    let message = if what.is_empty() {
        format!("`headroom {}` does not take `{}`", command.get_name(), printable(name))
    } else {
        format!("there is no option {}", printable(name))
    };
    let near = || near(name, load, command).map(|near| format!("did you mean `--{near}`?"));
    let lists = || match load {
        "" => format!("`headroom {} --help` lists what it takes", command.get_name()),
        load => format!("`headroom run {load} --help` lists what it takes"),
    };
    (message, habit(name, load).filter(|_| is_run).or_else(near).unwrap_or_else(lists))
}

/// What other commands than `run` are asked for out of habit: the command, the word, what to type.
const OF_COMMANDS: &[(&str, &str, &str)] = &[
    ("check", "--json-file", "`headroom check FILE --json` prints a document"),
    ("list", "-n", "`headroom list | head` shows the newest; --since and --until choose by day"),
    ("list", "--limit", "`headroom list | head` shows the newest; --since and --until choose by day"),
    ("node", "-D", "`headroom node --systemd-unit` prints a unit that keeps it running"),
    ("node", "--daemon", "`headroom node --systemd-unit` prints a unit that keeps it running"),
    ("node", "-p", "`--listen 0.0.0.0:PORT` says where it waits"),
    ("node", "--port", "`--listen 0.0.0.0:PORT` says where it waits"),
    ("node", "-B", "`--listen ADDRESS` says where it waits"),
    ("node", "--bind", "`--listen ADDRESS` says where it waits"),
    ("node", "-s", "leave it out: `headroom node` is the end that waits"),
    ("node", "--server", "leave it out: `headroom node` is the end that waits"),
    ("restore", "--all", "leave it out: all that is left is put back"),
    ("show", "--json", "`headroom export RUN` prints the run document"),
    ("report", "--json", "`headroom export RUN` prints the run document"),
    ("report", "--format", "`-o FILE.html`, .md, .csv, .json or .pdf: the name says the format"),
    ("export", "--format", "`-o FILE.json`, .csv, .md or .html: the name says the format"),
];

fn of_command(command: &str, word: &str) -> Option<&'static str> {
    let found = OF_COMMANDS.iter().find(|(of, theirs, _)| *of == command && *theirs == word);
    found.map(|(_, _, help)| *help)
}

/// What a word is for that stands where an option belongs: the unit behind a number, or where to measure.
fn operand_of(word: &str, typed: &[String], load: &str) -> Option<String> {
    const UNIT_MAX: usize = 5;
    let catalogue = ::agent::catalogue();
    let spec = catalogue.called(load).filter(|_| !word.starts_with('-'))?;
    let before = typed.iter().position(|one| one == word).and_then(|place| typed.get(place.checked_sub(1)?));
    let is_number = |text: &&String| text.ends_with(|c: char| c.is_ascii_digit()) && !text.starts_with('-');
    let is_unit = word.len() <= UNIT_MAX && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '%');
    if let Some(number) = before.filter(is_number).filter(|_| is_unit) {
        return Some(format!(
            "a number and its unit stand together: `{}{}`",
            printable(number),
            printable(word)
        ));
    }
    let takes = |aspect: Aspect| catalogue.parameter_for(spec, aspect);
    let option = match () {
        () if word.contains("://") => takes(Aspect::Server).or_else(|| takes(Aspect::Peer)),
        () if word.contains('/') => takes(Aspect::Targets),
        () => takes(Aspect::Peer)
            .or_else(|| takes(Aspect::Targets))
            .filter(|_| word.contains('.') || word.contains(':')),
    };
    Some(format!("did you mean `--{} {}`?", option?, printable(word)))
}

/// What an option of another tool is here, typed with its dashes for the workload called `load`, or for none.
pub(crate) fn habit(name: &str, load: &str) -> Option<String> {
    let catalogue = ::agent::catalogue();
    let spec = catalogue.called(load);
    let of_load = |option: &str| match spec {
        Some(spec) => catalogue.parameter(spec, option).is_some(),
        None => catalogue.workloads.iter().any(|spec| catalogue.parameter(spec, option).is_some()),
    };
    let takes = |option: &str| {
        of_load(option) || CONTROLS.iter().any(|control| control.name == option) || OF_RUN.contains(&option)
    };
    let is_of_clients = spec.is_some() && of_load(ParameterName::CLIENTS.as_str());
    let of_clients = is_of_clients.then(|| database_options::option(name, takes)).flatten();
    of_clients
        .or_else(|| habits::option(name, load, takes))
        .or_else(|| command_line::option(name.strip_prefix("--")?))
}

/// Options of `headroom run` itself that other tools have, too.
const OF_RUN: &[&str] = &["json", "lines", "log-operations"];

/// What stands behind an option of a load that was typed without a value.
pub(crate) fn without_value(error: &clap::Error, typed: &[String]) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) else { return None };
    let name = option.strip_prefix("--")?.split(' ').next().filter(|_| value.is_empty())?;
    let catalogue = ::agent::catalogue();
    let control = || {
        let control = CONTROLS.iter().find(|control| control.name == name)?;
        Some(format!("{}: `--{name} {}`", control.doc, control.hint))
    };
    let load = typed.iter().skip(2).find_map(|word| catalogue.called(word));
    let spec = load.and_then(|load| catalogue.parameter(load, name));
    let parameter = |spec: &ParameterSpec| match spec.kind {
        Kind::Flag => format!("`--{name} yes` or `--{name} no`"),
        _ => format!("`--{name} VALUE`: {}", spec.hint()),
    };
    spec.map(parameter).or_else(control)
}

/// The option that is spelled nearly so, among those that the workload, or else the command, takes.
fn near(name: &str, load: &str, command: &Command) -> Option<String> {
    let name = name.strip_prefix("--")?;
    let catalogue = ::agent::catalogue();
    let own = catalogue.called(load).into_iter().flat_map(|spec| catalogue.parameters(spec));
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let all: Vec<&str> = own.map(|p| p.name.as_str()).chain(shown.filter_map(|a| a.get_long())).collect();
    nearest(name, all).map(str::to_owned)
}

/// Whether `headroom run` would take this word for the name of something, and there is nothing of that name.
fn is_unknown_study(word: &str) -> bool {
    let is_name = !word.starts_with('-') && !word.contains(['/', '.', '=']);
    is_name && ::agent::catalogue().called(word).is_none() && built_in::find(word).is_none()
}

/// Where an option belongs that stands before any command.
fn before_a_command(name: &str, typed: &[String]) -> String {
    let catalogue = ::agent::catalogue();
    let option = name.trim_start_matches('-');
    let has = |spec: &&model::WorkloadSpec| catalogue.parameter(spec, option).is_some();
    match catalogue.workloads.iter().copied().find(has) {
        Some(spec) => {
            let rest: Vec<String> = typed.iter().skip(1).map(|word| printable(word)).collect();
            format!("a command comes first: `headroom run {} {}`", spec.name, rest.join(" "))
        }
        None => "a command comes first, such as `headroom run`; `headroom --help` lists all".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{command_line, offered_command_line};

    fn told_of(line: &str) -> (String, String) {
        let typed: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let error = command_line().try_get_matches_from(&typed).unwrap_err();
        let failure = crate::tool_hints::of_line(&error, &typed, &offered_command_line()).unwrap();
        (failure.message(), failure.help().unwrap())
    }

    #[test]
    fn habits_of_other_tools_are_answered_with_what_to_type() {
        for (line, told) in [
            ("run net.stream -c 10.0.0.2", "did you mean `--peer`? That is what iperf3 calls c"),
            ("run net.stream -t 10", "did you mean `--duration`? That is what iperf3 calls t"),
            ("run net.stream -P 4", "did you mean `--streams`? That is what iperf3 calls P"),
            ("run net.stream -u", "`--protocol udp` sends datagrams"),
            ("run net.stream -s", "`headroom node`, typed on the other machine"),
            ("run http.requests -c 64", "did you mean `--connections`? That is what wrk calls c"),
            (
                "run disk --file-test-mode=rndrd",
                "did you mean `--pattern`? That is what sysbench calls file-test-mode",
            ),
            (
                "run disk --report-interval=1",
                "did you mean `--lines`? That is what sysbench calls report-interval",
            ),
            ("run memory.blocks --memory-oper=read", "did you mean `--operation`?"),
            ("run disk bs=1M", "options have two dashes here: `--block-size 1M`"),
            ("run disk --target-folder /data", "`headroom run disk --help` lists what it takes"),
            ("run iperf3 -c 10.0.0.2", "`headroom run net.stream` measures the like"),
            ("--target /data", "a command comes first: `headroom run disk --target /data`"),
            ("-c 10.0.0.2", "a command comes first, such as `headroom run`"),
            ("list a b", "`headroom list --help` lists what it takes"),
            ("list -n 5", "`headroom list | head`"),
            ("node -p 5201", "`--listen 0.0.0.0:PORT`"),
            ("show last --json", "`headroom export RUN` prints the run document"),
            ("run disk --block-size 4 k", "`4k`"),
            ("run disk /data", "did you mean `--target /data`?"),
            ("run net.stream 10.0.0.2", "did you mean `--peer 10.0.0.2`?"),
            ("run http.requests http://web1/", "did you mean `--url http://web1/`?"),
            ("run disk --direct", "`--direct yes` or `--direct no`"),
            ("run disk --block-size", "`--block-size VALUE`: a size such as 4k"),
            ("run disk --trials", "`--trials"),
            ("compare a b --marign 5%", "did you mean `--margin`?"),
        ] {
            let (message, help) = told_of(&format!("headroom {line}"));
            assert!(help.contains(told), "{line}: {message}; {help}");
            assert!(!help.contains("-- -") && !message.is_empty(), "{line}: {help}");
        }
    }

    #[test]
    fn an_option_with_the_habit_of_another_workload_is_not_told() {
        assert!(!told_of("headroom run cpu.primes -P 4").1.contains("--streams"));
        assert_eq!(habit("--operation", "disk").as_deref(), Some("did you mean `--pattern`?"));
        assert_eq!(
            habit("--bs", "disk").as_deref(),
            Some("did you mean `--block-size`? That is what fio calls bs")
        );
    }
}
