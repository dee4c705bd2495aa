//! `headroom check [FILE...]`: what outputs of other tools really say.

use std::fs::File;
use std::io::{IsTerminal, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use import::tool::{self, PasteError};
use load::workload::Load;
use model::plan::LoadSpec;
use model::run::CaseResult;
use model::tool_result::{ToolRemedy, ToolResult, UnreadCause};
use model::workload::Catalogue;
use model::{Finding, LoadProfile, Run, Severity, ToolOutput, scalar};
use report::check::{TOOL_EXPORTERS, ToolSubject, ToolSuggestion, document};
use report::export::{json_full, json_summary};
use report::text::printable;
use study::imported::{KnownLoads, from_outputs};

use super::export::{Destination, language, language_argument, output_argument_of};
use super::{option, run};
use crate::exit::{DOUBTED, Failure};
use crate::output;

/// The name of standard input among files.
const STDIN: &str = "-";

pub(super) fn define(command: Command) -> Command {
    command
        .about("What the output of another tool really says: in one unit system, held against arithmetic")
        .long_about(
            "Reads what fio, dd and other tools printed, from files or standard input: several outputs in one text, with \
             prompts and command lines between them. Shows the figures in one unit system, what is wrong with them, and \
             what should have been run. Nothing is measured and nothing is kept. The exit code is 1 if a figure is not \
             what it says, 2 if nothing was understood.",
        )
        .arg(Arg::new("file").value_name("FILE").num_args(0..).help("A text file; - or nothing for standard input"))
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

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let page = matches.get_one::<String>("output").map(|path| Destination::of(TOOL_EXPORTERS, path));
    let page = page.transpose()?;
    let files: Vec<&str> =
        matches.get_many::<String>("file").into_iter().flatten().map(String::as_str).collect();
    let files = if files.is_empty() { vec![STDIN] } else { files };
    let outputs = files.into_iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    understood(&outputs)?;
    let catalogue = ::agent::catalogue();
    let loads = KnownLoads { catalogue: &catalogue, profile: &profile };
    let run = from_outputs(outputs, &run::identity(typed), &loads);
    let suggestions: Vec<ToolSuggestion> =
        run.cases.iter().filter_map(|case| suggestion(&run, case, &catalogue)).collect();
    let subject = ToolSubject { run: &run, suggestions: &suggestions, words: language(matches).words() };
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

/// Reads one file, or standard input.
fn read(name: &str) -> Result<ToolOutput, Failure> {
    if name == STDIN {
        let input = std::io::stdin();
        if input.is_terminal() {
            output::note("Paste the output of a tool, then type Ctrl-D.\n");
        }
        return from(input.lock(), "");
    }
    let path = Path::new(name);
    let unread = |source| Failure::File { what: "reading", path: path.to_owned(), source };
    let kind = path.metadata().map_err(unread)?.file_type();
    let what = match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_block_device() => "a device",
        kind if kind.is_socket() => "a socket",
        _ => return from(File::open(path).map_err(unread)?, name),
    };
    Err(wrong(name, &format!("it is {what}")))
}

fn from(input: impl Read, name: &str) -> Result<ToolOutput, Failure> {
    tool::read(name, input).map_err(|error| match error {
        PasteError::Io(source) => {
            Failure::File { what: "reading", path: Path::new(shown(name)).to_owned(), source }
        }
        other => wrong(name, &other.to_string()),
    })
}

fn shown(name: &str) -> &str {
    if name.is_empty() { "standard input" } else { name }
}

fn wrong(name: &str, what: &str) -> Failure {
    let message = format!("{} cannot be checked: {what}", shown(name));
    Failure::arguments(printable(&message), "give the text that a tool printed")
}

/// Fails if no output of any tool was understood.
fn understood(outputs: &[ToolOutput]) -> Result<(), Failure> {
    if outputs.iter().any(|output| !output.results.is_empty()) {
        return Ok(());
    }
    let mut cut = outputs.iter().flat_map(|output| &output.unread).filter(|u| u.cause != UnreadCause::NoTool);
    let message = match cut.next() {
        Some(unread) => {
            let tool = unread.tool.as_deref().unwrap_or("a tool");
            let how = match unread.cause {
                UnreadCause::CutShort => "ends before its figures",
                _ => "does not go on like it",
            };
            format!("nothing was understood: what begins like {tool} in line {} {how}", unread.lines.first)
        }
        None => "nothing was understood: there is no output of a tool that is known".to_owned(),
    };
    let names: Vec<&str> = tool::readers().map(|reader| reader.name()).collect();
    Err(Failure::arguments(
        printable(&message),
        format!("give all that the tool printed; known are: {}", names.join(", ")),
    ))
}

/// What a load is. The number of CPUs counts for loads that take all, and no tool's does.
fn profile(load: &LoadSpec) -> Option<LoadProfile> {
    Load::named(load.workload, load.parameters.clone(), 1).ok().map(|load| load.profile())
}

/// What should have been run in place of what a case is of.
fn suggestion(run: &Run, case: &CaseResult, catalogue: &Catalogue) -> Option<ToolSuggestion> {
    let order = usize::try_from(case.trials.first()?.order).ok()?;
    let result = run.tool_outputs.iter().flat_map(|output| &output.results).nth(order)?;
    let codes = case.findings.iter().map(|finding| finding.code.as_str());
    let remedies: Vec<ToolRemedy> = codes.flat_map(analysis::check::tool_remedies).copied().collect();
    let times = remedies.iter().find_map(|remedy| match remedy {
        ToolRemedy::Repeat(times) => Some(*times),
        _ => None,
    });
    let suggestion = ToolSuggestion {
        tool: result.tool.clone(),
        typed: (!result.command.is_empty()).then(|| joined(&result.command)),
        corrected: tool::corrected(result, &remedies).map(|words| joined(&words)),
        times,
        own: own_command(result, catalogue),
    };
    let says = suggestion.own.is_some() || suggestion.corrected.is_some() || suggestion.times.is_some();
    says.then_some(suggestion)
}

/// The command of this program that does the same work.
fn own_command(result: &ToolResult, catalogue: &Catalogue) -> Option<String> {
    let spec = catalogue.workload(result.workload?)?;
    let mut words = vec!["run".to_owned(), spec.name.to_string()];
    for parameter in catalogue.parameters(spec) {
        let Some(value) = result.parameters.get(parameter.name) else { continue };
        if parameter.default_value().as_ref() != Some(value) {
            words.push(format!("--{}", parameter.name));
            words.push(scalar::show(parameter.kind, value));
        }
    }
    Some(output::shell_command(words.iter().map(String::as_str)))
}

fn joined(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_says_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let failure = read(&folder.path().to_string_lossy()).unwrap_err();
        assert!(failure.message().ends_with("it is a folder"), "{}", failure.message());
        assert_eq!(failure.code(), crate::exit::INVALID);
        let path = folder.path().join("x.gz");
        std::fs::write(&path, b"\x1f\x8b\x08").unwrap();
        let failure = read(&path.to_string_lossy()).unwrap_err();
        assert!(failure.message().contains("compressed by gzip"), "{}", failure.message());
    }

    #[test]
    fn text_of_no_tool_is_told_with_what_is_known() {
        let refused = |text: &str| understood(&[tool::read("", text.as_bytes()).unwrap()]).unwrap_err();
        assert!(refused("prose\n").message().contains("no output of a tool"));
        assert!(refused("64+0 records in\n").message().contains("begins like dd in line 1 ends before"));
        assert!(refused("").help().unwrap().contains("fio"));
    }

    #[test]
    fn the_same_work_is_told_as_a_command_of_this_program() {
        let text = "$ dd if=/dev/zero of=/data/x bs=1M count=64 oflag=direct\n64+0 records in\n64+0 records out\n\
                    67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";
        let output = tool::read("", text.as_bytes()).unwrap();
        let own = own_command(&output.results[0], &::agent::catalogue()).unwrap();
        let start =
            "headroom run disk --target /data/x --pattern write --block-size 1MiB --engine sync --direct yes";
        assert!(own.starts_with(start), "{own}");
        assert!(own.contains("--content zeros") && own.contains("--bytes 64MiB"), "{own}");
    }
}
