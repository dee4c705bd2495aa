//! `headroom compare RUN RUN`: compares one run with another, or the cases of one. What `--class` asks for is in
//! `compare_class`.

use std::process::ExitCode;

use analysis::comparison::{ComparisonError, ComparisonOptions, Judged, MARGIN, factors, of_runs, within};
use clap::{ArgAction, ArgMatches, Command};
use model::comparison::Row;
use model::{Comparison, MetricName, Run};
use report::export::{COMPARISON_EXPORTERS, comparison_json};
use report::page::comparison::{ComparisonSubject, document};
use report::text::printable;

use super::export::{Destination, language, language_argument, output_argument_of};
use super::help::examples;
use super::source::Runs;
use super::{compare_class, flag, option, run_argument, store_argument};
use crate::exit::{Failure, WORSE};
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "compare RUN last",
            "compare before.json after.json --fail-if-worse",
            "compare last --by queue-depth  # the cases of one run",
        ]))
        .about("Compare runs, or the cases of one run: better, worse, the same, or cannot tell")
        .long_about(
            "Compares runs: each figure is better, worse, the same within a margin, or it cannot be told. The first run is \
             the baseline. With --by, the cases of one run that differ in one parameter are compared. Runs of different \
             work are refused. With --class, the figures of one run stand beside what was published for such parts at \
             the same work, and beside kept runs of similar machines.",
        )
        .arg(
            run_argument()
                .num_args(1..)
                .help("The baseline, then one or more others: a run's name, the beginning of it, `last`, a .json file, or a text \
                     that another tool printed"),
        )
        .arg(option("by", "NAME").help("Compare the cases of one run by a parameter, `with` or `machine`"))
        .arg(option("baseline", "VALUE").help("With --by: the value to compare with [default: the first]"))
        .arg(
            option("class", "NAME")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("")
                .conflicts_with_all(["by", "baseline", "margin", "metric", "fail-if-worse", "json"])
                .help(format!(
                    "One run beside what is usual for the class of each part that it drives, or for this class only: {}",
                    compare_class::names().join(", ")
                )),
        )
        .arg(
            option("margin", "PERCENT")
                .help(format!("The difference that does not matter [default: {}%]", MARGIN * 100.0))
                .allow_hyphen_values(true),
        )
        .arg(
            option("metric", "NAME,NAME")
                .help("Judge these metrics, or `all` [default: each workload's first, and latency_p99]")
                .value_delimiter(',')
                .value_parser(metric_name),
        )
        .arg(
            option("price", "TEXT")
                .action(ArgAction::Append)
                .conflicts_with_all(["by", "class"])
                .help(
                    "What a side costs, such as \"USD 2,100 / 2,000,000 won\", in place of the run's own price; once for \
                     each run, in their order",
                ),
        )
        .arg(flag("fail-if-worse", "Exit with 1 if anything is worse, or the new side has no figure where the baseline has one"))
        .arg(flag("json", "Print the comparison document and nothing else on standard output"))
        .arg(output::verbose_argument())
        .arg(output_argument_of(COMPARISON_EXPORTERS))
        .arg(language_argument())
        .arg(store_argument())
}

/// Prices that were typed count in place of those of the runs.
fn take_prices(matches: &ArgMatches, runs: &mut [Run]) -> Result<(), Failure> {
    let prices: Vec<&String> = matches.get_many("price").unwrap_or_default().collect();
    if !prices.is_empty() && prices.len() != runs.len() {
        return Err(Failure::arguments(
            format!("there are {} runs and {} prices", runs.len(), prices.len()),
            "give --price once for each run, in their order",
        ));
    }
    for (run, price) in runs.iter_mut().zip(prices) {
        run.study.price = Some(price.clone());
    }
    Ok(())
}

/// In place of metrics: all.
const ALL: &str = "all";

pub(super) fn metric_name(text: &str) -> Result<MetricName, &'static str> {
    MetricName::intern(text).ok_or("no metric has a name that long")
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    if let Some(class) = matches.get_one::<String>("class") {
        return compare_class::carry_out(matches, typed, class);
    }
    let margin = margin(matches)?;
    let asked = || matches.get_many::<MetricName>("metric").unwrap_or_default().copied();
    let metrics: Vec<MetricName> = asked().filter(|metric| metric.as_str() != ALL).collect();
    let judged = match &metrics[..] {
        _ if asked().any(|metric| metric.as_str() == ALL) => Judged::All(&metrics),
        [] => Judged::Usual,
        these => Judged::These(these),
    };
    let named: Vec<&String> = matches.get_many("run").unwrap_or_default().collect();
    check_together(matches, named.len())?;
    let file = match matches.get_one::<String>("output") {
        Some(path) => Some(Destination::of(COMPARISON_EXPORTERS, path)?),
        None => None,
    };
    let mut source = Runs::of(matches);
    let mut runs: Vec<Run> = named.into_iter().map(|name| source.load(name)).collect::<Result<_, _>>()?;
    take_prices(matches, &mut runs)?;
    let options = ComparisonOptions {
        margin,
        judged,
        baseline: matches.get_one::<String>("baseline").map(String::as_str),
    };
    let comparison = compare(&runs, matches.get_one::<String>("by"), &options)?;
    let words = language(matches).words();
    let subject = ComparisonSubject { comparison: &comparison, runs: &runs, command: typed, words };
    if let Some(file) = file {
        let bytes = (file.exporter.write)(&subject)?;
        file.put(&bytes)?;
        output::wrote(matches);
    }
    let bytes = if matches.get_flag("json") {
        comparison_json(&comparison)?
    } else {
        output::rendered(&document(&subject), matches, &output::typed_verbosely(typed)).into_bytes()
    };
    output::print(&bytes)?;
    let fails = matches.get_flag("fail-if-worse")
        && (comparison.tally.worse > 0 || has_lost(&comparison, !metrics.is_empty()));
    Ok(if fails { ExitCode::from(WORSE) } else { ExitCode::SUCCESS })
}

/// Whether the new side has no figure at all where the baseline has one, of what a workload shows
/// first or was asked for: trials that all fail are worse than slow ones.
fn has_lost(comparison: &Comparison, is_asked: bool) -> bool {
    let lost = |row: &Row| row.baseline.is_some() && row.new.is_none();
    comparison.rows.iter().any(|row| row.judged && (row.headline || is_asked) && lost(row))
}

fn compare(
    runs: &[Run],
    by: Option<&String>,
    options: &ComparisonOptions<'_>,
) -> Result<Comparison, Failure> {
    let compared = match (runs, by) {
        ([run], Some(by)) => within(run, by, options),
        _ => of_runs(runs, options),
    };
    compared.map_err(|error| {
        let help = match (&error, runs) {
            (ComparisonError::TooFew, [run]) => what_can_be_compared(run),
            _ => error.help(),
        };
        Failure::arguments(printable(&error.to_string()), printable(&help))
    })
}

/// Help for a run alone: a second, or in what its cases differ.
fn what_can_be_compared(run: &Run) -> String {
    let named = |f: analysis::comparison::Factor| format!("--by {} ({})", f.name, f.levels.join(", "));
    let all: Vec<String> = factors(run).into_iter().map(named).collect();
    if all.is_empty() {
        return "name a second run; the cases of this one differ in no single thing".to_owned();
    }
    format!("name a second run, or compare within this one: {}", all.join(", "))
}

/// What one run and several runs can be given.
fn check_together(matches: &ArgMatches, runs: usize) -> Result<(), Failure> {
    let wrong = |message: &str, help: &str| Err(Failure::arguments(message, help));
    match (matches.contains_id("by"), matches.contains_id("baseline")) {
        (true, _) if runs > 1 => {
            wrong("--by divides one run, and several are given", "give one run, or leave --by out")
        }
        (false, true) => {
            wrong("--baseline is a value of what --by names", "of several runs the first is the baseline")
        }
        _ => Ok(()),
    }
}

/// A share such as `5%`.
pub(super) fn margin(matches: &ArgMatches) -> Result<f64, Failure> {
    let Some(text) = matches.get_one::<String>("margin") else { return Ok(MARGIN) };
    let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match percent {
        Some(percent) if (0.0..100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err(Failure::arguments(
            format!("`{}` is not a margin", printable(text)),
            "a percentage from 0% to below 100%, such as 5%",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<f64> {
        let matches =
            define(Command::new("compare")).get_matches_from(["compare", "a", "b", "--margin", text]);
        margin(&matches).ok()
    }

    #[test]
    fn a_margin_is_a_percentage() {
        assert_eq!(of("5%"), Some(0.05));
        assert_eq!(of("0.5 %"), Some(0.005));
        assert_eq!(of("0%"), Some(0.0));
        for wrong in ["5", "-5%", "100%", "%", "nan%", "inf%", ""] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
