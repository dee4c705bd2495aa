//! `headroom check [FILE...]`: what outputs of other tools really say.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use analysis::check::{ToolCheck, checks};
use analysis::comparison::{ComparisonOptions, of_runs};
use clap::{Arg, ArgMatches, Command};
use import::tool;
use model::parameter::Kind;
use model::profile::Aspect;
use model::run::CaseResult;
use model::tool_result::{ToolRemedy, ToolResult};
use model::workload::Catalogue;
use model::{
    Comparison, Finding, Machine, ParameterName, Parameters, Run, Severity, ToolOutput, Value, scalar,
};
use report::check::{TOOL_EXPORTERS, ToolSubject, ToolSuggestion, document};
use report::export::{json_full, json_summary};
use report::page::comparison::ComparisonSubject;
use report::text::printable;
use study::imported::ImportedRun;

use super::export::{Destination, language, language_argument, output_argument_of};
use super::help::examples;
use super::tool_text::{can_be_judged, read_files, read_folder, run_name, run_of, without_endings};
use super::{machine, option};
use crate::exit::{DOUBTED, Failure};
use crate::output;

/// The most sides that are compared: more of them nobody looks at side by side.
const SIDES_MAX: usize = 16;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "check fio.txt",
            "check - < dd.txt",
            "check --run results -o page.html  # all texts of a folder",
        ]))
        .about("What the output of another tool really says: in one unit system, checked by arithmetic")
        .long_about(
            "Reads what fio, dd and other tools printed, from files or standard input: several outputs in one text, with \
             prompts and command lines between them. Shows the figures in one unit system, what is wrong with them, and \
             what should have been run. Of a text without the output of any tool the figures that it has itself are held against \
             one another. Nothing is measured and nothing is kept. The exit code is 1 if a figure is not what it says, 2 if \
             nothing was understood.",
        )
        .arg(file_argument())
        .arg(
            option("run", "DIR")
                .conflicts_with("file")
                .help("Read all texts in a folder and compare them: each folder in it is a side, or each file if there are none"),
        )
        .arg(machine_argument())
        .arg(
            option("json", "full")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("summary")
                .value_parser(["summary", "full"])
                .help("Print the run document that is made of the results, and nothing else, on standard output"),
        )
        .arg(output::verbose_argument())
        .arg(output_argument_of(TOOL_EXPORTERS))
        .arg(language_argument())
}

/// `FILE...`, of texts.
pub(super) fn file_argument() -> Arg {
    Arg::new("file")
        .value_name("FILE")
        .num_args(0..)
        .help("A text file, which may be compressed by gzip; - or nothing for standard input")
}

/// `--machine HOST`.
pub(super) fn machine_argument() -> Arg {
    option("machine", "HOST").help(
        "The machine that was measured, whose limits the figures are held against: a recording (made by `headroom \
         machine --record`), or `this`",
    )
}

/// The machine that was named, if one was.
pub(super) fn machine_of(matches: &ArgMatches) -> Result<Option<Machine>, Failure> {
    matches.get_one::<String>("machine").map(|named| machine::named(named)).transpose()
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let page = matches.get_one::<String>("output").map(|path| Destination::of(TOOL_EXPORTERS, path));
    let page = page.transpose()?;
    let machine = machine_of(matches)?;
    let folder = matches.get_one::<String>("run");
    let outputs = match folder {
        Some(folder) => read_folder(folder)?.0,
        None => read_files(matches)?,
    };
    can_be_judged(&outputs)?;
    let sides = folder.map(|folder| sides(folder, &outputs, machine.as_ref(), typed)).unwrap_or_default();
    let ImportedRun { run, found } = run_of(outputs, machine, typed);
    let compared = compared(sides);
    let catalogue = ::agent::catalogue();
    let results: Vec<&ToolResult> = run.tool_outputs.iter().flat_map(|output| &output.results).collect();
    let suggestions: Vec<ToolSuggestion> =
        run.cases.iter().filter_map(|case| suggestion(&results, case, &catalogue)).collect();
    let words = language(matches).words();
    let comparison = compared.as_ref().map(|(comparison, runs)| ComparisonSubject {
        comparison,
        runs,
        command: typed,
        words,
    });
    let subject = ToolSubject {
        run: &run,
        found: &found,
        suggestions: &suggestions,
        comparison: comparison.as_ref(),
        words,
    };
    match matches.get_one::<String>("json").map(String::as_str) {
        Some("full") => output::print(&json_full(&run)?)?,
        Some(_) => output::print(&json_summary(&run)?)?,
        None => {
            let again = output::typed_verbosely(typed);
            output::print(output::rendered(&document(&subject), matches, &again).as_bytes())?;
        }
    }
    if let Some(page) = page {
        let bytes = (page.exporter.write)(&subject)?;
        page.put(&bytes)?;
        output::wrote(matches);
    }
    let mut findings = run.cases.iter().flat_map(|case| &case.findings).chain(&run.findings);
    let is_doubted = findings.any(|finding: &Finding| finding.severity >= Severity::Warning);
    Ok(if is_doubted { ExitCode::from(DOUBTED) } else { ExitCode::SUCCESS })
}

/// A run for each side of a folder: each folder in it, or each file that stands in it. What holds
/// nothing that was understood is no side.
fn sides(folder: &str, outputs: &[ToolOutput], machine: Option<&Machine>, typed: &[String]) -> Vec<Run> {
    let mut sides: BTreeMap<&str, Vec<&ToolOutput>> = BTreeMap::new();
    for output in outputs.iter().filter(|output| !output.results.is_empty()) {
        sides.entry(side_of(folder, &output.source)).or_default().push(output);
    }
    if sides.len() > SIDES_MAX {
        output::note(&format!(
            "Not compared: there are {} sides. Put the files that belong together into folders; of up to {SIDES_MAX} one \
             comparison is made.\n",
            sides.len()
        ));
        return Vec::new();
    }
    let mut known: BTreeSet<String> = BTreeSet::new();
    let of_side = |(name, own): (&str, Vec<&ToolOutput>)| {
        let own = own.into_iter().cloned().collect();
        let base = run_name(without_endings(name));
        let (mut id, mut number) = (base.clone(), 2);
        // Names of other letters than a run's may become the same.
        while !known.insert(id.clone()) {
            id = format!("{base}-{number}");
            number += 1;
        }
        Run { id, ..run_of(own, machine.cloned(), typed).run }
    };
    sides.into_iter().map(of_side).collect()
}

/// The name of the side that a file is of.
fn side_of<'a>(folder: &str, file: &'a str) -> &'a str {
    let inside = file.strip_prefix(folder).unwrap_or(file).trim_start_matches('/');
    inside.split('/').next().unwrap_or(inside)
}

/// The comparison of all sides with the first; those that did other work are left out, and told.
fn compared(sides: Vec<Run>) -> Option<(Comparison, Vec<Run>)> {
    let options = ComparisonOptions::default();
    let count = sides.len();
    let mut runs: Vec<Run> = Vec::new();
    for side in sides {
        if let Some(first) = runs.first()
            && let Err(error) = of_runs(&[first.clone(), side.clone()], &options)
        {
            output::note(&format!("Not compared: {}\n", printable(&error.to_string())));
            continue;
        }
        runs.push(side);
    }
    // Why the others are left out was told.
    if runs.is_empty() || (runs.len() == 1 && count > 1) {
        return None;
    }
    match of_runs(&runs, &options) {
        Ok(comparison) => Some((comparison, runs)),
        Err(error) => {
            output::note(&format!("Not compared: {}\n", printable(&error.to_string())));
            None
        }
    }
}

/// What should have been run in place of what a case is of, which is of some of these results.
fn suggestion(results: &[&ToolResult], case: &CaseResult, catalogue: &Catalogue) -> Option<ToolSuggestion> {
    let order = usize::try_from(case.trials.first()?.order).ok()?;
    let result = *results.get(order)?;
    // A case of very many results may have as many findings of one check.
    let codes: BTreeSet<&str> = case.findings.iter().map(|finding| finding.code.as_str()).collect();
    let of_code = |check: &&ToolCheck| codes.contains(check.code);
    let remedies: Vec<ToolRemedy> =
        checks().filter(of_code).flat_map(|check| check.remedies).copied().collect();
    let times = remedies.iter().find_map(|remedy| match remedy {
        ToolRemedy::Repeat(times) => Some(*times),
        _ => None,
    });
    let suggestion = ToolSuggestion {
        tool: result.tool.clone(),
        typed: (!result.command.is_empty()).then(|| joined(&result.command)),
        corrected: tool::corrected(result, &remedies).map(|words| joined(&words)),
        times,
        own: own_command(result, &remedies, catalogue),
    };
    let says = suggestion.own.is_some() || suggestion.corrected.is_some() || suggestion.times.is_some();
    says.then_some(suggestion)
}

/// The command of this program that does the same work, but for what `remedies` change.
fn own_command(result: &ToolResult, remedies: &[ToolRemedy], catalogue: &Catalogue) -> Option<String> {
    let spec = catalogue.workload(result.workload?)?;
    let mut parameters = result.parameters.clone();
    // Where this program's default is the right way.
    let leave_out = |parameters: &mut Parameters, aspect| {
        if let Some(name) = catalogue.parameter_for(spec, aspect) {
            parameters.remove(name);
        }
    };
    for remedy in remedies {
        match remedy {
            ToolRemedy::BypassPageCache => leave_out(&mut parameters, Aspect::Caches),
            ToolRemedy::RandomContent => leave_out(&mut parameters, Aspect::Content),
            ToolRemedy::RunFor(seconds) => {
                parameters.remove(ParameterName::BYTES);
                parameters.remove(ParameterName::REQUESTS);
                let given = parameters.number(ParameterName::DURATION).unwrap_or_default();
                parameters.set(ParameterName::DURATION, given.max(f64::from(*seconds)));
            }
            // This program repeats and warms up by itself, and the others have no parameter.
            ToolRemedy::Repeat(_)
            | ToolRemedy::WarmUp(_)
            | ToolRemedy::SyncAtEnd
            | ToolRemedy::SpanBeyondMemory
            | ToolRemedy::MeasureReceiver => {}
        }
    }
    let words = words_of(result, &parameters, catalogue)?;
    Some(output::shell_command(words.iter().map(String::as_str)))
}

/// The command of this program that does the same work, by its words behind the name of the program.
pub(super) fn own_words(result: &ToolResult, catalogue: &Catalogue) -> Option<Vec<String>> {
    words_of(result, &result.parameters, catalogue)
}

fn words_of(result: &ToolResult, parameters: &Parameters, catalogue: &Catalogue) -> Option<Vec<String>> {
    let spec = catalogue.workload(result.workload?)?;
    let mut words = vec!["run".to_owned(), spec.name.to_string()];
    for parameter in catalogue.parameters(spec) {
        let Some(value) = parameters.get(parameter.name) else { continue };
        if parameter.default_value().as_ref() != Some(value) {
            words.push(format!("--{}", parameter.name));
            words.push(in_grammar(parameter.kind, value)?);
        }
    }
    Some(words)
}

/// A value as it is written on the command line, where `,` and `+` part one from the next, quotes keep them together and
/// space at an end is none of it. None of a text that cannot be written there: it would mean another file.
fn in_grammar(kind: Kind, value: &Value) -> Option<String> {
    let is_plain = |text: &str| !text.contains([',', '+', '"', '\'']) && text.trim() == text;
    let shown = scalar::show(kind, value);
    match value {
        Value::Text(text) if !is_plain(text) => {
            let quote = ['"', '\''].into_iter().find(|quote| !text.contains(*quote))?;
            Some(format!("{quote}{shown}{quote}"))
        }
        Value::List(parts) => {
            let are_plain = parts.iter().all(|part| !matches!(part, Value::Text(text) if !is_plain(text)));
            are_plain.then_some(shown)
        }
        _ => Some(shown),
    }
}

/// A command as it is typed: in a shell, or, with programs or paths of Windows, there.
fn joined(words: &[String]) -> String {
    let is_windows =
        |word: &String| word.contains(":\\") || word.starts_with(".\\") || word.ends_with(".exe");
    // What a shell takes for more than a letter is quoted for a shell: the text may be anybody's.
    let is_plain = |word: &String| !word.contains(['"', '\'', '$', '`', ';', '&', '|', '<', '>', '%', '\n']);
    if !words.iter().all(is_plain) || !words.iter().any(is_windows) {
        return output::joined(words.iter().map(String::as_str));
    }
    let quoted = |word: &String| {
        if word.is_empty() || word.contains(char::is_whitespace) {
            format!("\"{word}\"")
        } else {
            word.clone()
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: backslashes of Windows were written twice.
    #[test]
    fn a_command_of_windows_is_written_as_it_is_typed_there() {
        let joined =
            |words: &[&str]| joined(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(joined(&["D:\\x\\diskspd.exe", "-b4K", "#1"]), "D:\\x\\diskspd.exe -b4K #1");
        assert_eq!(joined(&["fio.exe", "--filename=C\\:\\a b"]), "fio.exe \"--filename=C\\:\\a b\"");
        assert_eq!(joined(&["dd", "if=a b"]), "dd 'if=a b'");
        assert_eq!(joined(&["fio.exe", "--name=$(x)"]), "fio.exe '--name=$(x)'");
    }

    /// Bug: a folder such as `/data/a+b` became two targets, of which nobody had named one.
    #[test]
    fn a_path_with_marks_of_the_grammar_is_one_value_or_none() {
        let shown = |text: &str| in_grammar(Kind::Path, &Value::from(text));
        assert_eq!(shown("/data/a").as_deref(), Some("/data/a"));
        assert_eq!(shown("/data/a+b").as_deref(), Some("\"/data/a+b\""));
        assert_eq!(shown("/data/a ").as_deref(), Some("\"/data/a \""));
        assert_eq!(shown("/data/\"a\",b").as_deref(), Some("'/data/\"a\",b'"));
        assert_eq!(shown("/a\"b'c"), None);
        let both = |text: &str| Value::List(vec![Value::from(text), Value::from("/c")]);
        assert_eq!(in_grammar(Kind::Path, &both("/a")).as_deref(), Some("/a+/c"));
        assert_eq!(in_grammar(Kind::Path, &both("/a+b")), None);
    }

    #[test]
    fn a_side_is_a_folder_or_a_file() {
        assert_eq!(side_of("d", "d/linux/1.txt"), "linux");
        assert_eq!(side_of("d/", "d/windows 11.fio.txt"), "windows 11.fio.txt");
        assert_ne!(side_of("d", "d/dd-9.1.txt"), side_of("d", "d/dd-9.4.txt"));
    }

    #[test]
    fn sides_of_other_work_are_left_out() {
        let text = |block: &str| {
            format!(
                "$ dd if=/dev/zero of=/data/x bs={block} count=64 oflag=direct\n64+0 records in\n64+0 records out\n\
                 67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n"
            )
        };
        let outputs: Vec<ToolOutput> = [("d/a.txt", "1M"), ("d/b.txt", "2M"), ("d/c.txt", "1M")]
            .map(|(name, block)| tool::read(name, text(block).as_bytes()).unwrap())
            .to_vec();
        let (comparison, runs) = compared(sides("d", &outputs, None, &[])).unwrap();
        let names: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        let other_letters: Vec<ToolOutput> = ["d/리눅스/1.txt", "d/윈도/1.txt", "d/日本/1.txt"]
            .map(|name| tool::read(name, text("1M").as_bytes()).unwrap())
            .to_vec();
        let others = sides("d", &other_letters, None, &[]);
        let ids: BTreeSet<&str> = others.iter().map(|run| run.id.as_str()).collect();
        assert_eq!(ids.len(), 3, "{ids:?}");
        assert!(!comparison.rows.is_empty());
        assert!(compared(Vec::new()).is_none());
    }

    #[test]
    fn the_same_work_is_told_as_a_command_of_this_program() {
        let text = "$ dd if=/dev/zero of=/data/x bs=1M count=64 oflag=direct\n64+0 records in\n64+0 records out\n\
                    67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";
        let output = tool::read("", text.as_bytes()).unwrap();
        let own = own_command(&output.results[0], &[], &::agent::catalogue()).unwrap();
        let start =
            "headroom run disk --target /data/x --pattern write --block-size 1MiB --engine sync --direct yes";
        assert!(own.starts_with(start), "{own}");
        assert!(own.contains("--content zeros") && own.contains("--bytes 64MiB"), "{own}");
        let remedies = [ToolRemedy::BypassPageCache, ToolRemedy::RandomContent, ToolRemedy::RunFor(60)];
        let better = own_command(&output.results[0], &remedies, &::agent::catalogue()).unwrap();
        assert!(better.contains("--duration"), "{better}");
        assert!(["--bytes", "--content", "--direct"].iter().all(|gone| !better.contains(gone)), "{better}");
    }
}
