//! An option or a word that a command does not take: what was most likely meant by it. Habits of other tools come first,
//! then what is spelled nearly so among what the workload, or the command, takes.

use clap::Command;
use import::diagnostic::nearest;
use import::fio::command_line;
use import::{database_options, habits};
use model::ParameterName;
use report::text::printable;
use study::built_in;
use study::read::CONTROLS;

use crate::command::unknown_study;

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
