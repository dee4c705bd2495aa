//! `headroom trend`: figures of like work over the runs that are kept, and whether they are worse than they were.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command as Program, ExitCode, Stdio};

use analysis::comparison::MARGIN;
use analysis::trend::TrendHistory;
use clap::{ArgMatches, Command};
use import::habits;
use model::MetricName;
use report::export::TREND_EXPORTERS;
use report::page::trend::{TrendSubject, document};
use report::text::printable;
use store::{Annotations, RunEntry, SqliteStore, State, Store, StoreError};

use super::compare::{margin, metric_name};
use super::export::{Destination, language, language_argument, output_argument_of};
use super::help::examples;
use super::run_filter::{self, RunFilter};
use super::{flag, kept_runs, option, store_argument, store_path, tag};
use crate::exit::{Failure, WORSE};
use crate::output;

/// Runs that are looked at, at most: the newest. Each is read whole.
const RUNS_MOST: usize = 300;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "trend",
            "trend disk --tag rack=3 -o trend.html",
            "trend --fail-if-worse --on-worse 'mail -s worse root'",
        ]))
        .about("How figures of the same work changed over the kept runs: where they stepped, and what changed there")
        .long_about(
            "How figures of the same work changed over the kept runs, oldest first: at which run each stepped to another \
             level, how sure that place is, and what changed there (kernel, firmware, settings, Headroom). The present \
             level is compared with that of the baseline (`headroom baseline RUN`), or with the level before. Other work \
             and other machines have figures of their own.",
        )
        .args(run_filter::arguments())
        .arg(
            option("metric", "NAME")
                .value_parser(metric_name)
                .help("Follow this metric [default: each workload's first]"),
        )
        .arg(
            option("margin", "PERCENT")
                .help(format!("The difference that does not matter [default: {}%]", MARGIN * 100.0))
                .allow_hyphen_values(true),
        )
        .arg(flag("fail-if-worse", "Exit with 1 if anything is worse than it was"))
        .arg(option("on-worse", "COMMAND").help(
            "If anything is worse, pass what is printed to this shell command, on its standard input; exit with 1 if \
             the command fails",
        ))
        .arg(output::verbose_argument())
        .arg(output_argument_of(TREND_EXPORTERS))
        .arg(language_argument())
        .arg(store_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let margin = margin(matches)?;
    let metric = matches.get_one::<MetricName>("metric").copied();
    let file = match matches.get_one::<String>("output") {
        Some(path) => Some(Destination::of(TREND_EXPORTERS, path)?),
        None => None,
    };
    let store = kept_runs(matches)?;
    let annotations = store.annotations()?;
    let entries = chosen(matches, &store, &annotations)?;
    let trend = gathered(&store, &entries, &annotations, metric)?.finish(margin);
    if let Some(metric) = metric.filter(|_| trend.series.is_empty()) {
        let ours = habits::metric(metric.as_str(), |_| true);
        let meant = ours.map_or_else(String::new, |ours| format!("did you mean `{ours}`? "));
        return Err(Failure::arguments(
            format!("no run has the metric `{metric}`"),
            format!("{meant}`headroom workloads NAME` lists the metrics of a workload"),
        ));
    }
    let said: BTreeMap<String, String> =
        annotations.iter().map(|(id, said)| (id.clone(), in_words(said))).collect();
    let words = language(matches).words();
    let command = without_on_worse(typed);
    let subject = TrendSubject { trend: &trend, said: &said, command: &command, words };
    let (page, in_full) = (document(&subject), output::typed_verbosely(&command));
    // What goes wrong with a file or with standard output keeps nobody from being told.
    let printed = output::print(output::rendered(&page, matches, &in_full).as_bytes());
    let on_worse = matches.get_one::<String>("on-worse").filter(|_| trend.is_worse());
    let is_told = match on_worse {
        Some(command) => tell(command, &output::plain(&page, matches, &in_full))?,
        None => true,
    };
    printed?;
    if let Some(file) = file {
        let bytes = (file.exporter.write)(&subject)?;
        file.put(&bytes)?;
        output::wrote(matches);
    }
    let fails = !is_told || matches.get_flag("fail-if-worse") && trend.is_worse();
    Ok(if fails { ExitCode::from(WORSE) } else { ExitCode::SUCCESS })
}

/// The runs that are asked for, newest first, without those that still run.
fn chosen(
    matches: &ArgMatches,
    store: &SqliteStore,
    annotations: &BTreeMap<String, Annotations>,
) -> Result<Vec<RunEntry>, Failure> {
    let mut entries = RunFilter::of(matches).select(store, annotations)?;
    entries.retain(|entry| entry.state != State::Running);
    if entries.is_empty() {
        if store.list()?.is_empty() {
            return Err(StoreError::Empty { path: store_path(matches).unwrap_or_default() }.into());
        }
        return Err(Failure::arguments(
            "no kept run is like that",
            "`headroom list` shows the runs that are kept, and takes the same options",
        ));
    }
    if entries.len() > RUNS_MOST {
        output::note(&format!(
            "Of {} runs the newest {RUNS_MOST} are looked at; --until chooses earlier ones.\n",
            entries.len()
        ));
        let older = entries.split_off(RUNS_MOST);
        let is_baseline =
            |entry: &RunEntry| annotations.get(&entry.id).is_some_and(|said| said.accepted.is_some());
        if older.iter().any(is_baseline) {
            output::note("A baseline is older than these runs: it does not count.\n");
        }
    }
    Ok(entries)
}

/// What the runs have, oldest first. One that is damaged is left out, and said to be.
fn gathered(
    store: &SqliteStore,
    entries: &[RunEntry],
    annotations: &BTreeMap<String, Annotations>,
    metric: Option<MetricName>,
) -> Result<TrendHistory, Failure> {
    let mut history = TrendHistory::new(metric);
    for entry in entries.iter().rev() {
        let accepted = annotations.get(&entry.id).and_then(|said| said.accepted.as_deref());
        match history.follow(accepted, |with_histograms| store.load_for_trend(&entry.id, with_histograms)) {
            Err(StoreError::Damaged { detail, .. }) => {
                let id = printable(&entry.id);
                output::note(&format!("Run {id} is left out: {}\n", printable(&detail)));
            }
            // It was removed meanwhile.
            Err(StoreError::Unknown { .. }) => {}
            done => done?,
        }
    }
    Ok(history)
}

/// What was typed, without the command of `--on-worse`: it may have an address or a token in it, and pages are
/// shared.
fn without_on_worse(typed: &[String]) -> Vec<String> {
    output::without_option(typed, &["--on-worse"]).into_iter().map(str::to_owned).collect()
}

/// Tags and note of a run.
fn in_words(said: &Annotations) -> String {
    let tags: Vec<String> = said.tags.iter().map(tag::told).collect();
    let tags = (!tags.is_empty()).then(|| tags.join(" "));
    tags.into_iter().chain(said.note.clone()).collect::<Vec<_>>().join("; ")
}

/// Gives the text to the command of `--on-worse`; false, with a note, where it fails. What runs are called is
/// only in the text, and nothing of it in the command.
fn tell(command: &str, text: &str) -> Result<bool, Failure> {
    let failed = |source| Failure::File { what: "starting", path: PathBuf::from("sh"), source };
    let mut child =
        Program::new("sh").arg("-c").arg(command).stdin(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A command that does not read all of it is content with less.
        let _ = input.write_all(text.as_bytes());
    }
    let status = child.wait().map_err(failed)?;
    if !status.success() {
        output::note(&format!("The command of --on-worse failed: {status}\n"));
    }
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_an_alarm_is_not_shown() {
        let typed = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let shown = ["headroom", "trend", "--fail-if-worse", "disk"];
        let apart = ["headroom", "trend", "--on-worse", "curl https://x/secret", "--fail-if-worse", "disk"];
        let joined = ["headroom", "trend", "--fail-if-worse", "--on-worse=curl https://x/secret", "disk"];
        assert_eq!(without_on_worse(&typed(&apart)), typed(&shown));
        assert_eq!(without_on_worse(&typed(&joined)), typed(&shown));
    }
}
