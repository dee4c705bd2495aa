//! What results are held to: `throughput >= 500MB/s`, `latency_p99 < 1ms where queue-depth=1`. One grammar for the
//! command line and for `[expect]` of a study, for goals and for conditions that end a run early.

use std::ops::Range;

use import::diagnostic::{Diagnostic, SourceRange, nearest};
use import::habits;
use model::goal::{CaseFilter, GoalOperator};
use model::workload::Catalogue;
use model::{Goal, MetricName, MetricSpec, Study, Unit, metric, quantity};

/// The key of the goals in `[expect]`.
pub const GOALS: &str = "goals";

/// The key of the conditions that end a run early, in `[expect]` and as an option.
pub const ABORT_WHEN: &str = "abort-when";

/// What stands before the words about cases.
const WHERE: &str = " where ";

/// How a goal is written.
const HINT: &str = "a metric, one of < <= > >=, and a value, such as 'throughput >= 500MB/s' or \
                    'latency_p99 < 1ms where queue-depth=1'";

/// What a run counts itself, whatever its workloads.
const OF_RUNS: &[MetricSpec] = &[MetricSpec::lower(
    metric::ERRORS,
    Unit::One,
    "Trials of the run so far that failed, or in which operations failed.",
)];

/// What is written: something that the results are held to, or a condition on single trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundKind {
    Goal,
    AbortCondition,
}

/// Adds a goal or a condition to a study whose workloads and settings are known.
pub(super) fn put(
    catalogue: &Catalogue,
    study: &mut Study,
    kind: BoundKind,
    (text, place): (&str, &SourceRange),
) -> Result<(), Diagnostic> {
    let goal = read(catalogue, study, kind, (text, place))?;
    match kind {
        BoundKind::Goal => study.goals.push(goal),
        BoundKind::AbortCondition => study.abort_when.push(goal),
    }
    Ok(())
}

/// A part of a text, without white space around it.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    start..start + piece.trim().len()
}

fn read(
    catalogue: &Catalogue,
    study: &Study,
    kind: BoundKind,
    (text, place): (&str, &SourceRange),
) -> Result<Goal, Diagnostic> {
    let bound_end = text.find(WHERE).unwrap_or(text.len());
    let Some(at) = text[..bound_end].find(['<', '>']) else {
        return Err(place.diagnostic(format!("`{}` has no bound", text.trim()), HINT));
    };
    let written = &text[at..bound_end];
    let operator = GoalOperator::ALL.iter().copied().find(|one| written.starts_with(one.symbol()));
    let operator = operator.ok_or_else(|| place.diagnostic("this is no bound", HINT))?;
    let name = trimmed(text, 0..at);
    let spec = spec(catalogue, study, kind, (&text[name.clone()], &place.part(name)))?;
    let value = trimmed(text, at + operator.symbol().len()..bound_end);
    let shown = &text[value.clone()];
    let bound = quantity::parse(spec.unit, shown).map_err(|error| {
        let message = format!("{}: {}", spec.name, error.message);
        let fault = value.start + error.span.start..value.start + error.span.end;
        place.part(fault).diagnostic(message, error.help)
    })?;
    if spec.name.is_share() && bound > 1.0 && !shown.ends_with('%') {
        let message = format!("{}: a share of `{shown}` may be parts of one or per cent", spec.name);
        return Err(place.part(value).diagnostic(message, "write 5% or 0.05"));
    }
    if operator == GoalOperator::Below && bound <= 0.0 && spec.unit != Unit::Celsius {
        let message = format!("{}: no result is below 0", spec.name);
        return Err(place.part(value).diagnostic(message, "write a bound above 0, or <= in place of <"));
    }
    let filter = match bound_end + WHERE.len() {
        behind if bound_end < text.len() => filter(catalogue, study, (text, behind), place)?,
        _ => Vec::new(),
    };
    Ok(Goal {
        text: text.trim().to_owned(),
        metric: spec.name,
        operator,
        value: bound,
        unit: spec.unit,
        filter,
    })
}

/// The metric of this name, of those that the study's workloads have.
fn spec(
    catalogue: &Catalogue,
    study: &Study,
    kind: BoundKind,
    (name, place): (&str, &SourceRange),
) -> Result<MetricSpec, Diagnostic> {
    let workloads = study.workloads.iter().filter_map(|load| catalogue.workload(load.kind));
    let of_run = if kind == BoundKind::AbortCondition { OF_RUNS } else { &[] };
    let known = of_run.iter().chain(workloads.flat_map(|spec| spec.metrics)).chain(metric::OF_HARDWARE);
    let known: Vec<&MetricSpec> = known.collect();
    if let Some(spec) = known.iter().find(|spec| spec.name.as_str() == name) {
        return Ok(**spec);
    }
    let message = match name {
        "" => "no metric is named".to_owned(),
        _ => format!("no workload of this study has the metric `{name}`"),
    };
    Err(place.diagnostic(message, there_are(name, known.iter().map(|spec| spec.name))))
}

/// The metrics that there are, each once, and the one that was most likely meant.
pub(crate) fn there_are(name: &str, known: impl Iterator<Item = MetricName>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for metric in known {
        if !names.contains(&metric.as_str()) {
            names.push(metric.as_str());
        }
    }
    let all = format!("there are: {}", names.join(", "));
    let habit = habits::metric(name, |one| names.contains(&one));
    match habit.or_else(|| nearest(name, names)) {
        Some(near) if !name.is_empty() => format!("did you mean `{near}`? {all}"),
        _ => all,
    }
}

/// The words about cases, which begin at byte `from`.
fn filter(
    catalogue: &Catalogue,
    study: &Study,
    (text, from): (&str, usize),
    place: &SourceRange,
) -> Result<Vec<CaseFilter>, Diagnostic> {
    let mut words = Vec::new();
    let mut start = from;
    for word in text[from..].split(',') {
        let range = trimmed(text, start..start + word.len());
        start += word.len() + 1;
        let here = place.part(range.clone());
        let Some((name, value)) = text[range].split_once('=') else {
            return Err(here.diagnostic(
                format!("`{}` says nothing of a case", word.trim()),
                "NAME=VALUE, such as queue-depth=1 or workload=disk",
            ));
        };
        let (name, value) = (name.trim(), value.trim());
        check_name(catalogue, study, name, &here)?;
        if value.is_empty() {
            return Err(here.diagnostic(format!("`{name}` has no value here"), "such as queue-depth=1"));
        }
        if value.contains("://") || value.contains('#') {
            // It may hold a key or a password, and a goal is kept as it was written.
            let help = "say by another parameter which cases are meant";
            return Err(here.diagnostic("an address cannot stand in a goal", help));
        }
        words.push(CaseFilter { name: name.to_owned(), value: value.to_owned() });
    }
    Ok(words)
}

/// Whether a word about cases names something that they have.
fn check_name(
    catalogue: &Catalogue,
    study: &Study,
    name: &str,
    place: &SourceRange,
) -> Result<(), Diagnostic> {
    let workloads = study.workloads.iter().filter_map(|load| catalogue.workload(load.kind));
    let parameters = workloads.flat_map(|spec| catalogue.parameters(spec)).map(|p| p.name.as_str());
    let of_workloads = study.workloads.iter().flat_map(|load| load.settings.keys());
    let settings = study.settings.keys().chain(of_workloads).map(String::as_str);
    let known: Vec<&str> = [CaseFilter::WORKLOAD].into_iter().chain(parameters).chain(settings).collect();
    if known.contains(&name) {
        return Ok(());
    }
    Err(place.unknown("parameter or setting", name, known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::arguments::{Arguments, study_of_workload};
    use crate::read::from_toml;

    fn typed(goal: &str) -> Result<Study, Diagnostic> {
        let arguments = Arguments { expect: vec![goal.to_owned()], ..Arguments::default() };
        study_of_workload(&agent::catalogue(), "disk", &arguments)
    }

    fn in_study(lines: &str) -> Result<Study, Diagnostic> {
        let text = format!("[expect]\n{lines}\n[[workload]]\nkind = \"disk\"\n");
        from_toml(&agent::catalogue(), "test", "test.toml", &text)
    }

    #[test]
    fn a_goal_is_a_metric_an_operator_and_a_value() {
        for (text, metric, operator, value) in [
            ("throughput >= 500MB/s", metric::THROUGHPUT, GoalOperator::AtLeast, 5e8),
            ("latency_p99<1ms", metric::LATENCY_P99, GoalOperator::Below, 1e-3),
            (" iops  >  20k/s ", metric::IOPS, GoalOperator::Above, 2e4),
            ("throughput <= 1 GiB/s", metric::THROUGHPUT, GoalOperator::AtMost, 1_073_741_824.0),
        ] {
            let goals = typed(text).unwrap().goals;
            let read = (goals[0].metric, goals[0].operator, goals[0].value, goals.len());
            assert_eq!(read, (metric, operator, value, 1), "{text}");
            assert_eq!(goals[0].text, text.trim());
        }
    }

    #[test]
    fn a_goal_is_the_same_in_a_study_and_as_an_option() {
        let text = "latency_p99 < 1ms where workload=disk, queue-depth=1";
        let option = typed(text).unwrap().goals;
        assert_eq!(in_study(&format!("goals = \"{text}\"")).unwrap().goals, option);
        assert_eq!(in_study(&format!("goals = [\"{text}\"]")).unwrap().goals, option);
        let word = |name: &str, value: &str| CaseFilter { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(option[0].filter, [word("workload", "disk"), word("queue-depth", "1")]);
    }

    #[test]
    fn a_condition_may_count_errors_and_a_goal_may_not() {
        let study = in_study("abort-when = [\"errors > 0\", \"iops < 10/s\"]").unwrap();
        let conditions: Vec<_> = study.abort_when.iter().map(|goal| (goal.metric, goal.value)).collect();
        assert_eq!(conditions, [(metric::ERRORS, 0.0), (metric::IOPS, 10.0)]);
        assert!(study.goals.is_empty());
        assert!(typed("errors <= 0").unwrap_err().message.contains("no workload of this study"));
    }

    #[test]
    fn what_is_no_goal_is_refused_where_it_is_wrong() {
        for (text, says, at) in [
            ("throughput", "has no bound", "throughput"),
            ("throughput = 5", "has no bound", "throughput = 5"),
            ("< 1ms", "no metric is named", ""),
            ("latency_p98 < 1ms", "has the metric `latency_p98`", "latency_p98"),
            ("latency_p99 < 5MB/s", "latency_p99: `MB/s` is not a unit", "MB/s"),
            ("latency_p99 < 5", "has no unit", "5"),
            ("throughput >= 9Gb/s", "bits or bytes", "Gb/s"),
            ("throughput >=", "no value", ""),
            ("latency_p99 < 0ms", "latency_p99: no result is below 0", "0ms"),
            ("throughput >= 5MB/s where", "not a unit", "MB/s where"),
            ("iops > 1/s where queue-depth", "says nothing of a case", "queue-depth"),
            ("iops > 1/s where queue-dept=1", "no parameter or setting `queue-dept`", "queue-dept=1"),
            ("iops > 1/s where queue-depth=1, threads=", "has no value", "threads="),
        ] {
            let error = typed(text).unwrap_err();
            assert!(error.message.contains(says), "{text}: {}", error.message);
            assert_eq!(&error.source_text.text[error.span.clone()], at, "{text}");
            assert!(error.help.is_some_and(|help| !help.is_empty()), "{text}");
        }
        for (theirs, ours) in
            [("bw", "throughput"), ("lat", "latency_p99"), ("IOPS", "iops"), ("p99", "latency_p99")]
        {
            let help = typed(&format!("{theirs} > 5")).unwrap_err().help.unwrap();
            assert!(help.starts_with(&format!("did you mean `{ours}`? there are: ")), "{theirs}: {help}");
        }
        let help = typed("latency_p98 < 1ms").unwrap_err().help.unwrap();
        assert!(help.starts_with("did you mean `latency_p9") && help.contains("throughput"), "{help}");
    }

    #[test]
    fn a_goal_holds_no_key_and_no_password() {
        for peer in ["headroom://10.0.0.2:7117#key", "10.0.0.2:7117#key"] {
            let arguments = Arguments {
                expect: vec![format!("throughput > 1B/s where peer={peer}")],
                ..Arguments::default()
            };
            let error = study_of_workload(&agent::catalogue(), "net.stream", &arguments).unwrap_err();
            assert_eq!(error.message, "an address cannot stand in a goal");
        }
    }

    #[test]
    fn a_share_above_one_needs_its_unit() {
        let typed = |goal: &str| {
            let arguments = Arguments { expect: vec![goal.to_owned()], ..Arguments::default() };
            study_of_workload(&agent::catalogue(), "http.requests", &arguments)
        };
        let error = typed("error_share < 5").unwrap_err();
        assert!(error.message.contains("or per cent"), "{}", error.message);
        assert_eq!(&error.source_text.text[error.span.clone()], "5");
        for text in ["error_share < 5%", "error_share < 0.05"] {
            assert_eq!(typed(text).unwrap().goals[0].value, 0.05, "{text}");
        }
    }

    #[test]
    fn a_study_says_where_its_goal_is_wrong() {
        let error = in_study("goals = [\"iops > 1/s\", \"speed > 1\"]").unwrap_err();
        assert_eq!(&error.source_text.text[error.span.clone()], "speed");
        assert!(in_study("goals = [[1]]").is_err() && in_study("goals = 5").is_err());
    }
}
