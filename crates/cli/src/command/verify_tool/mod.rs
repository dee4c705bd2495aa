//! `headroom verify-tool TOOL`: the installed tool and the load of Headroom that does the same work,
//! in turn, held against each other. What is the same work is not written here: the tool's own
//! output, read as `headroom check` reads it, says what it did, and that is run.

mod child;
mod table;

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::ExitCode;

use analysis::comparison::{ComparisonOptions, of_runs};
use clap::{Arg, ArgMatches, Command, value_parser};
use import::tool;
use model::{Comparison, Run, ToolOutput, Trial};
use report::export::{COMPARISON_EXPORTERS, comparison_json};
use report::page::comparison::{ComparisonSubject, document};
use report::text::printable;
use tempfile::TempDir;

use self::child::Children;
use self::table::{TOOLS, VerifiedTool, VerifyPlan};
use super::check::own_words;
use super::export::{Destination, language, language_argument, output_argument_of};
use super::tool_text::run_of;
use super::{flag, option};
use crate::exit::{DOUBTED, Failure};
use crate::output;

/// The run of our own load, among the sides of the comparison.
const OWN: &str = "headroom";

pub(super) fn define(command: Command) -> Command {
    let tools: Vec<String> = TOOLS.iter().map(|tool| format!("{} ({})", tool.program, tool.doc)).collect();
    command
        .about("Whether an installed tool and Headroom agree on the same work")
        .long_about(
            "Runs an installed tool and the load of Headroom that does the same work, in turn, and says whether they agree \
             within the margin, or by how much they do not. The first is the tool. The exit code is 1 if they do not agree.",
        )
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .required(true)
                .value_parser(TOOLS.iter().map(|tool| tool.program).collect::<Vec<_>>())
                .hide_possible_values(true)
                .help(format!("The tool: {}", tools.join(", "))),
        )
        .arg(option("target", "DIR").help(
            "For tools that store: the folder in which both make their files. They take 64 MiB each, and are removed",
        ))
        .arg(
            option("seconds", "N")
                .value_parser(value_parser!(u32).range(1..=600))
                .default_value("5")
                .help("How long each of them runs each time"),
        )
        .arg(
            option("pairs", "N")
                .value_parser(value_parser!(u32).range(2..=50))
                .default_value("5")
                .help("How often each of them runs"),
        )
        .arg(flag("json", "Print the comparison document and nothing else on standard output"))
        .arg(output::verbose_argument())
        .arg(output_argument_of(COMPARISON_EXPORTERS))
        .arg(language_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let named = matches.get_one::<String>("tool").map_or("", String::as_str);
    let Some(verified) = TOOLS.iter().find(|tool| tool.program == named) else {
        return Err(super::unknown("tool", named, TOOLS.iter().map(|tool| tool.program)));
    };
    let file = matches.get_one::<String>("output").map(|path| Destination::of(COMPARISON_EXPORTERS, path));
    let file = file.transpose()?;
    let work = Work::of(matches, verified)?;
    let pairs = matches.get_one::<u32>("pairs").copied().unwrap_or(5);
    let (theirs, ours) = work.measure(pairs)?;
    let theirs = Run { id: verified.program.to_owned(), ..run_of(theirs, None, typed) };
    let runs = [theirs, together(ours)?];
    let compared = of_runs(&runs, &ComparisonOptions::default());
    let comparison = compared
        .map_err(|error| Failure::arguments(printable(&error.to_string()), printable(&error.help())))?;
    let subject = ComparisonSubject {
        comparison: &comparison,
        runs: &runs,
        command: typed,
        words: language(matches).words(),
    };
    if let Some(file) = file {
        let bytes = (file.exporter.write)(&subject)?;
        file.put(&bytes)?;
        output::wrote(matches);
    }
    if matches.get_flag("json") {
        output::print(&comparison_json(&comparison)?)?;
    } else {
        output::print(
            output::rendered(&document(&subject), matches, &output::typed_verbosely(typed)).as_bytes(),
        )?;
        output::print(told(verified, &comparison).as_bytes())?;
    }
    Ok(if is_apart(&comparison) { ExitCode::from(DOUBTED) } else { ExitCode::SUCCESS })
}

/// Whether any figure that was judged differs by more than the margin.
fn is_apart(comparison: &Comparison) -> bool {
    comparison.tally.better + comparison.tally.worse > 0
}

/// What it comes to, in a sentence.
fn told(verified: &VerifiedTool, comparison: &Comparison) -> String {
    let tool = verified.program;
    if is_apart(comparison) {
        return format!(
            "{tool} and Headroom do not agree on this machine: see by how much, and what differs.\n"
        );
    }
    if comparison.tally.cannot_tell > 0 || comparison.tally.same == 0 {
        return format!(
            "Whether {tool} and Headroom agree cannot be told: give more --pairs or --seconds.\n"
        );
    }
    format!("{tool} and Headroom agree on this machine.\n")
}

/// What is to be run, and where.
struct Work {
    verified: &'static VerifiedTool,
    plan: VerifyPlan,
    /// Documents and outputs; what the loads store lies in one of its own.
    scratch: TempDir,
    /// Removed with all that is in it.
    _target: Option<TempDir>,
    children: Children,
}

impl Work {
    fn of(matches: &ArgMatches, verified: &'static VerifiedTool) -> Result<Self, Failure> {
        let target = match (matches.get_one::<String>("target"), verified.stores) {
            (None, true) => {
                return Err(Failure::arguments(
                    format!("{} stores files, and it is not said where", verified.program),
                    "name a folder on the device to be measured with --target",
                ));
            }
            (Some(folder), true) => Some(folder_in(Path::new(folder))?),
            (_, false) => None,
        };
        let folder = target.as_ref().map(|folder| folder.path().to_string_lossy().into_owned());
        let seconds = matches.get_one::<u32>("seconds").copied().unwrap_or(5);
        let plan = VerifyPlan { seconds, folder: folder.unwrap_or_default(), port: free_port()? };
        let children = Children::new()?;
        Ok(Self { verified, plan, scratch: folder_in(&std::env::temp_dir())?, _target: target, children })
    }

    /// What both measured: the tool's outputs, and our documents.
    fn measure(&self, pairs: u32) -> Result<(Vec<ToolOutput>, Vec<Run>), Failure> {
        let catalogue = ::agent::catalogue();
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        if let Some(before) = self.verified.before {
            let path = self.scratch.path().join("before");
            self.children.output(&before(&self.plan), &path, u64::from(self.plan.seconds))?;
        }
        // What it did says what is to be run; this time does not count, for caches were cold.
        let first = self.theirs()?;
        let words =
            first.results.first().and_then(|result| own_words(result, &catalogue)).ok_or_else(|| {
                Failure::refused(
                    format!(
                        "what this version of {} did is not known to be work of a load here",
                        self.verified.program
                    ),
                    "`headroom check` shows how its output is read",
                )
            })?;
        for pair in 0..pairs {
            output::note(&format!("pair {} of {pairs}\n", pair + 1));
            // A machine that becomes slower is so for both.
            if pair % 2 == 0 {
                theirs.push(self.theirs()?);
                ours.push(self.ours(&words, pair)?);
            } else {
                ours.push(self.ours(&words, pair)?);
                theirs.push(self.theirs()?);
            }
        }
        Ok((theirs, ours))
    }

    /// Runs the tool once, and reads what it prints.
    fn theirs(&self) -> Result<ToolOutput, Failure> {
        let command = (self.verified.command)(&self.plan);
        let path = self.scratch.path().join("printed");
        let seconds = u64::from(self.plan.seconds);
        let server = self.verified.server.map(|server| server(&self.plan));
        let server = server.map(|words| self.children.serve(&words, self.plan.port)).transpose()?;
        let printed = self.children.output(&command, &path, seconds);
        drop(server);
        let printed = printed?;
        let typed = output::joined(command.iter().map(String::as_str));
        let text = format!("$ {typed}\n{printed}");
        let output = tool::read(self.verified.program, text.as_bytes()).map_err(|error| {
            Failure::refused(printable(&error.to_string()), "`headroom check` reads texts of tools")
        })?;
        match output.results.as_slice() {
            [_] => Ok(output),
            _ => Err(Failure::refused(
                format!(
                    "what {} printed is not understood:\n{}",
                    self.verified.program,
                    printable(printed.trim())
                ),
                "try its command by hand",
            )),
        }
    }

    /// Runs our load once.
    fn ours(&self, words: &[String], pair: u32) -> Result<Run, Failure> {
        let document = self.scratch.path().join(format!("{pair}.json"));
        let own = std::env::current_exe().map_err(|source| Failure::File {
            what: "finding",
            path: "headroom".into(),
            source,
        })?;
        let mut command = vec![own.to_string_lossy().into_owned()];
        command.extend_from_slice(words);
        let store = self.scratch.path().join("runs.db").to_string_lossy().into_owned();
        command.extend(["--trials", "1", "--store", store.as_str(), "-o"].map(str::to_owned));
        command.push(document.to_string_lossy().into_owned());
        self.children.output(&command, &self.scratch.path().join("said"), u64::from(self.plan.seconds))?;
        let unread = |source| Failure::File { what: "reading", path: document.clone(), source };
        let bytes = std::fs::read(&document).map_err(unread)?;
        serde_json::from_slice(&bytes).map_err(|error| unread(error.into()))
    }
}

/// A new folder in this one.
fn folder_in(folder: &Path) -> Result<TempDir, Failure> {
    let made = tempfile::Builder::new().prefix("headroom-verify-").tempdir_in(folder);
    made.map_err(|source| Failure::File { what: "making a folder in", path: folder.to_owned(), source })
}

/// A port of the loopback interface that nobody has.
fn free_port() -> Result<u16, Failure> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    bound.map(|address| address.port()).map_err(|source| Failure::File {
        what: "finding a port on",
        path: "127.0.0.1".into(),
        source,
    })
}

/// One run of those that had one trial each, which are of one block with the tool's of the same time.
fn together(runs: Vec<Run>) -> Result<Run, Failure> {
    let mut runs = runs.into_iter();
    let mut whole =
        runs.next().ok_or_else(|| Failure::refused("nothing was measured", "give more --pairs"))?;
    for (order, other) in (1..).zip(runs) {
        for (case, more) in whole.cases.iter_mut().zip(other.cases) {
            case.trials.extend(more.trials.into_iter().map(|trial| Trial { order, block: order, ..trial }));
        }
    }
    OWN.clone_into(&mut whole.id);
    analysis::derive(&mut whole);
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_each_tool_is_read_as_its_own() {
        let plan = VerifyPlan { seconds: 2, folder: "/data/x".to_owned(), port: 5201 };
        for verified in TOOLS {
            let command = (verified.command)(&plan);
            assert_eq!(command[0], verified.program);
            assert!(!verified.doc.is_empty());
            let reader = tool::readers().find(|reader| reader.programs().contains(&verified.program));
            assert!(reader.is_some(), "nobody reads {}", verified.program);
            assert_eq!(command.iter().any(|word| word.contains("/data/x")), verified.stores);
            let before = verified.before.map(|before| before(&plan)).unwrap_or_default();
            assert!(before.is_empty() || before.iter().any(|word| word.contains("/data/x")), "{before:?}");
        }
    }
}
