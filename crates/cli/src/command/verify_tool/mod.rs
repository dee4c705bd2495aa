//! `headroom verify-tool TOOL`: the installed tool and the load of Headroom that does the same work,
//! in turn, held against each other. What is the same work is not written here: the tool's own
//! output, read as `headroom check` reads it, says what it did, and that is run.

mod child;
mod program;
mod tools;
mod work;

use std::process::ExitCode;

use analysis::comparison::{ComparisonOptions, Judged, of_runs};
use clap::{Arg, ArgMatches, Command, value_parser};
use model::run::CaseLoad;
use model::{Comparison, MetricName, Run, Trial, metric};
use report::export::{COMPARISON_EXPORTERS, comparison_json};
use report::page::comparison::{ComparisonSubject, document};
use report::text::printable;

use self::tools::{TOOLS, VerifiedTool};
use self::work::Work;
use super::export::{Destination, language, language_argument, output_argument_of};
use super::tool_text::run_of;
use super::{flag, option};
use crate::command::help::examples;
use crate::exit::{DOUBTED, Failure};
use crate::output;

/// The run of our own load, among the sides of the comparison.
const OWN: &str = "headroom";

pub(super) fn define(command: Command) -> Command {
    let tools: Vec<String> = TOOLS.iter().map(|tool| format!("{} ({})", tool.program, tool.doc)).collect();
    command
        .before_help(examples([
            "verify-tool sysbench",
            "verify-tool fio --target /data",
            "verify-tool hdparm --target /dev/sda",
        ]))
        .about("Whether an installed tool and Headroom agree on the same work")
        .long_about(
            "Runs an installed tool and the load of Headroom that does the same work, in turn, and says whether they agree \
             within the margin, and if not, by how much they differ. The first column of figures is the tool's. Only figures \
             that both print are judged. Servers that a tool needs are started for it, out of reach of other machines, and \
             ended. The exit code is 1 if they do not agree.",
        )
        .arg(
            Arg::new("tool")
                .value_name("TOOL")
                .required(true)
                .value_parser(TOOLS.iter().map(|tool| tool.program).collect::<Vec<_>>())
                .hide_possible_values(true)
                .help(format!("The tool: {}", tools.join(", "))),
        )
        .arg(option("target", "PATH").help(
            "For tools that store: the folder in which both make their files, of 64 MiB each, which are removed. For hdparm: \
             the block device, which is only read. For databases: the folder in which the server is started and removed, \
             if not in the temporary one",
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
    let theirs = Run { id: verified.program.to_owned(), ..run_of(theirs, None, typed).run };
    let runs = [theirs, together(ours)?];
    let loads = || runs.iter().filter_map(|run| run.cases.first()).map(|case| &case.loads.main);
    let judged = loads().next().zip(loads().nth(1)).map(|(theirs, ours)| figures_of_both(theirs, ours));
    let judged = judged.unwrap_or_default();
    if judged.is_empty() {
        return Err(Failure::refused(
            format!("{} and the load here print no figure that both have", verified.program),
            "`headroom check` shows how its output is read",
        ));
    }
    let options = ComparisonOptions { judged: Judged::These(&judged), ..ComparisonOptions::default() };
    let compared = of_runs(&runs, &options);
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

/// What is judged: the figure that the tool is about, and the latency that most look at, where both sides have them.
fn figures_of_both(theirs: &CaseLoad, ours: &CaseLoad) -> Vec<MetricName> {
    let mut all = vec![theirs.profile.headline, metric::LATENCY_P99];
    all.dedup();
    all.retain(|name| theirs.estimates.contains_key(name) && ours.estimates.contains_key(name));
    all
}

/// Whether any figure that was judged differs by more than the margin.
fn is_apart(comparison: &Comparison) -> bool {
    comparison.tally.better + comparison.tally.worse > 0
}

/// What it comes to, in a sentence.
fn told(verified: &VerifiedTool, comparison: &Comparison) -> String {
    let tool = verified.program;
    if is_apart(comparison) {
        let known =
            verified.differs.map(|differs| format!(" Known differences: {differs}")).unwrap_or_default();
        return format!(
            "{tool} and Headroom do not agree on this machine: see by how much, and what differs.{known}\n"
        );
    }
    if comparison.tally.cannot_tell > 0 || comparison.tally.same == 0 {
        return format!(
            "Whether {tool} and Headroom agree cannot be told: give more --pairs or --seconds.\n"
        );
    }
    format!("{tool} and Headroom agree on this machine.\n")
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
    use model::run::Estimate;
    use model::{Better, LoadProfile, Unit};

    use super::*;

    /// A load that is about the first of these figures.
    fn load(figures: &[MetricName]) -> CaseLoad {
        let estimate = Estimate {
            n: 3,
            median: 1.0,
            low: None,
            high: None,
            confidence: None,
            method: None,
            unit: Unit::One,
            better: Better::Higher,
        };
        CaseLoad {
            profile: LoadProfile { headline: figures[0], ..LoadProfile::default() },
            estimates: figures.iter().map(|name| (*name, estimate.clone())).collect(),
            ..CaseLoad::default()
        }
    }

    #[test]
    fn only_figures_that_both_print_are_judged() {
        let ours = load(&[metric::THROUGHPUT, metric::IOPS, metric::LATENCY_P99]);
        let judged = |figures: &[MetricName]| figures_of_both(&load(figures), &ours);
        assert_eq!(judged(&[metric::IOPS, metric::LATENCY_P99]), [metric::IOPS, metric::LATENCY_P99]);
        assert_eq!(judged(&[metric::THROUGHPUT, metric::LATENCY_MAX]), [metric::THROUGHPUT]);
        assert_eq!(judged(&[metric::LATENCY_P99]), [metric::LATENCY_P99]);
        assert!(judged(&[metric::ELAPSED]).is_empty());
    }

    #[test]
    fn what_is_known_to_differ_is_told_where_they_do_not_agree() {
        let verified = TOOLS.iter().find(|tool| tool.differs.is_some()).unwrap();
        let mut comparison = Comparison {
            schema: String::new(),
            headroom: model::run::Build { version: String::new(), build: String::new() },
            by: None,
            sides: Vec::new(),
            margin: 0.02,
            confidence: 0.95,
            family: 1,
            tally: model::comparison::Tally { same: 1, ..Default::default() },
            rows: Vec::new(),
            unmatched: Vec::new(),
            differences: Vec::new(),
            notes: Vec::new(),
        };
        assert!(told(verified, &comparison).contains("agree on this machine"));
        comparison.tally.worse = 1;
        let said = told(verified, &comparison);
        assert!(said.contains("do not agree") && said.contains(verified.differs.unwrap()), "{said}");
        comparison.tally = model::comparison::Tally { cannot_tell: 1, ..Default::default() };
        assert!(told(verified, &comparison).contains("cannot be told"));
    }
}
