//! `headroom doctor`: what could disturb a measurement now; and `--since`, which errors the parts had since a moment.

use std::collections::BTreeMap;
use std::process::ExitCode;

use ::language::Language;
use ::machine::doctor::Since;
use clap::{ArgMatches, Command};
use jiff::Timestamp;
use model::parameter::Kind;
use model::trial::Counter;
use model::{Finding, Resource, Run, Severity, Value, scalar};
use report::doctor::{document, errors_document};
use report::document::Document;
use report::text::printable;
use store::StoreError;

use super::help::examples;
use super::machine::{examine, host_argument};
use super::source::Runs;
use super::{flag, option, store_argument};
use crate::exit::{CONDITION, Failure};
use crate::output;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples(["doctor", "doctor --since 2h", "doctor --json"]))
        .about("What could disturb a measurement on this machine now, and what to do about it")
        .long_about(
            "What could disturb a measurement on this machine now, and what to do about it. Nothing is changed. The \
             exit code is 1 if there is a warning or an error among the conditions, 0 if there are notes or nothing.",
        )
        .arg(flag("json", "Print the conditions as a JSON array of findings"))
        .arg(output::verbose_argument())
        .arg(
            option("since", "WHEN")
                .conflicts_with("host")
                .help(
                    "List the errors of the parts since then, instead of what could disturb: how long ago (2h), a day \
                     (2026-11-28, UTC), a time (2026-11-28T10:30:00Z), or a run, since it began",
                )
                .long_help(
                    "List the errors of the parts since then, instead of what could disturb: how long ago (2h), a day \
                     (2026-11-28, UTC), a time (2026-11-28T10:30:00Z), or a kept run (`last`), since it began. Counters of \
                     memory (ECC), of PCI Express links (AER), of network adapters and drives are read, and the kernel's log; \
                     no load is run. A counter does not say when it counted: its errors are those since the machine was \
                     started, unless that was later, or the run has read the counter.",
                ),
        )
        .arg(store_argument().requires("since"))
        .arg(host_argument())
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let words = Language::English.words();
    let (findings, document) = match matches.get_one::<String>("since") {
        Some(text) => errors(matches, text)?,
        None => {
            let machine = examine(matches)?;
            let findings: Vec<Finding> = machine.looks.into_iter().flat_map(|l| l.findings).collect();
            let document = document(&findings, words);
            (findings, document)
        }
    };
    let text = if matches.get_flag("json") {
        serde_json::to_string_pretty(&findings).unwrap_or_default() + "\n"
    } else {
        output::rendered(&document, matches, &output::typed_verbosely(typed))
    };
    output::print(text.as_bytes())?;
    let grave = findings.iter().any(|f| f.severity >= Severity::Warning);
    Ok(if grave { ExitCode::from(CONDITION) } else { ExitCode::SUCCESS })
}

/// The errors since a moment, or since a run began.
fn errors(matches: &ArgMatches, text: &str) -> Result<(Vec<Finding>, Document), Failure> {
    let (since, run) = match moment(text, Timestamp::now()) {
        Some(unix_s) => (Since { unix_s, counts: BTreeMap::new() }, None),
        None => {
            let run = Runs::of(matches).load(text).map_err(|failure| neither(text, failure))?;
            (since_run(&run)?, Some(run))
        }
    };
    let (machine, report) = ::agent::host_errors(&since);
    let measured = run.and_then(|run| run.machines.into_iter().next());
    if let Some(other) = measured.filter(|other| other.hostname != machine.hostname) {
        return Err(Failure::arguments(
            format!(
                "that run was measured on {}, and this is {}",
                printable(&other.hostname),
                machine.hostname
            ),
            "name a run of this machine, or a time",
        ));
    }
    let document = errors_document(&report, Language::English.words());
    Ok((report.findings, document))
}

/// Where there is no run of that name, that the text is no time either.
fn neither(text: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Store(StoreError::Unknown { .. } | StoreError::Absent { .. } | StoreError::Empty { .. }) => {
            Failure::arguments(
                format!("`{}` is no time, and no kept run has that name", printable(text)),
                "say how long ago (2h, 3d), a day (2026-11-28), a time (2026-11-28T10:30:00Z), or a run from \
                 `headroom list`",
            )
        }
        other => other,
    }
}

/// The moment that a text names, Unix time in seconds; absent where it must be a run.
fn moment(text: &str, now: Timestamp) -> Option<f64> {
    if let Ok(Value::Number(ago_s)) = scalar::parse(Kind::Duration, text) {
        return Some(unix_s(now) - ago_s);
    }
    // The name of a run may begin with a day that is written without dashes.
    let is_day = text.len() == 10 && text.as_bytes()[4] == b'-';
    let time = if is_day { format!("{text}T00:00:00Z") } else { text.to_owned() };
    time.parse::<Timestamp>().ok().map(unix_s)
}

fn unix_s(time: Timestamp) -> f64 {
    time.as_millisecond() as f64 / 1e3
}

/// When a run began, and what the parts of its machine had counted then.
fn since_run(run: &Run) -> Result<Since, Failure> {
    let started = run.started.parse::<Timestamp>().map_err(|_| {
        Failure::arguments("that run does not say when it began", "name a time, such as 2026-11-28T10:30:00Z")
    })?;
    let trials = run.cases.iter().flat_map(|case| &case.trials);
    let counters = trials.flat_map(|trial| &trial.result.local().counters);
    Ok(Since { unix_s: unix_s(started), counts: first_counts(counters) })
}

/// What counters were when the first trial began: they only grow, so the least that any trial began with.
fn first_counts<'a>(counters: impl IntoIterator<Item = &'a Counter>) -> BTreeMap<(Resource, String), u64> {
    let mut counts = BTreeMap::new();
    for counter in counters {
        let name = counter.source.rsplit(' ').next().unwrap_or_default();
        let least = counts.entry((counter.resource.clone(), name.to_owned())).or_insert(counter.before);
        *least = counter.before.min(*least);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_how_long_ago_a_day_or_a_time_and_all_else_a_run() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let at = |text: &str| moment(text, now);
        assert_eq!((at("2h"), at("90s")), (Some(992_800.0), Some(999_910.0)));
        assert_eq!(at("1970-01-02"), Some(86_400.0));
        assert_eq!(at("1970-01-01T00:01:00Z"), Some(60.0));
        assert_eq!(at("1970-01-01T01:01:00+01:00"), Some(60.0));
        for run in ["last", "20261128", "20261128-0815", "20261128-081530-k3f9", "run.json"] {
            assert_eq!(at(run), None, "{run}");
        }
    }

    #[test]
    fn a_run_knows_what_was_counted_when_it_began() {
        let counter = |before: u64| Counter {
            resource: "memory:mc0".into(),
            source: "/sys/devices/system/edac/mc ce_count".to_owned(),
            before,
            after: before + 1,
            ..Counter::default()
        };
        let counters = [7, 5, 9].map(counter);
        let expected = BTreeMap::from([(("memory:mc0".into(), "ce_count".to_owned()), 5)]);
        assert_eq!(first_counts(&counters), expected);
    }
}
