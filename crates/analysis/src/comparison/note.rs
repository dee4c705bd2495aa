//! What must be kept in mind beside the figures.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::comparison::Remark;
use model::run::{CaseResult, Outcome};
use model::{FindingKind, ParameterName, Run, Severity, Status};

use super::pair::{CasePair, circumstances};
use super::words;
use crate::measure;

/// Runs so far apart have lived through another day.
const DAY_S: f64 = 12.0 * 3600.0;

/// Fewer trials than this on a side see only large differences.
const FEW: usize = 5;

/// The notes in English.
pub(super) const ENGLISH: &str = r#"
remark-independent-groups =
    Cases with different { $by } were measured one group after the other, so their trials are no pairs: what drifts
    meanwhile counts as a difference.
runs-apart =
    The runs began { $count } { $count ->
        [1] { $unit }
       *[other] { $unit }s
    } apart
remark-independent-runs = { runs-apart }: what drifts between them counts as a difference.
remark-different-days =
    { runs-apart }: what changes from day to day is in the difference and not in its interval.
remark-overlap = Runs { $baseline } and { $run } ran at the same time and disturbed each other.
remark-other-circumstances = The same work with another { $name }: { $before }, then { $after }.
remark-follows = With { $by }, { $name } differs too: it follows from it.
run-begins =
    { $called ->
        [the-only] The run
       *[by-id] Run { $run }
    }
run-within =
    { $called ->
        [the-only] the run
       *[by-id] run { $run }
    }
remark-unfinished =
    { run-begins } { $how ->
        [budget] was ended by its budget
        [interrupted] was interrupted
       *[unfinished] is unfinished
    }; what it has is compared.
remark-debug-build = { run-begins } was made with a debug build, which is slow.
remark-failed-trials =
    { $count ->
        [1] 1 trial
       *[other] { $count } trials
    } of { run-within } failed and do not count.
remark-doubtful =
    { $count ->
        [1] 1 case of { run-within } bears
       *[other] { $count } cases of { run-within } bear
    } warnings ({ $codes }): `headroom show { $run }`.
remark-few-trials =
    Some cases have only { $trials ->
        [1] 1 trial
       *[other] { $trials } trials
    }: only large differences show.
"#;

/// Notes on runs against the first of them.
pub(super) fn of_runs(runs: &[Run], pairs: &[CasePair<'_>]) -> Vec<Remark> {
    let mut notes = Vec::new();
    let Some((baseline, others)) = runs.split_first() else { return notes };
    // When another tool measured is not known: a run of its results began when they were read.
    let is_timed = |run: &&Run| run.tool_outputs.is_empty();
    for run in others.iter().filter(is_timed).filter(|_| is_timed(&baseline)) {
        notes.extend(apart(baseline, run));
        notes.extend(overlap(baseline, run));
    }
    notes.extend(elsewhere(pairs));
    for (side, run) in runs.iter().enumerate() {
        let of_side = pairs.iter().filter_map(|p| match side {
            0 => Some(p.baseline),
            _ => (p.side == side).then_some(p.new),
        });
        notes.extend(of_run(run, of_side, Called::ById));
    }
    notes.extend(few_trials(pairs));
    notes
}

/// Notes on cases of one run.
pub(super) fn within(run: &Run, by: &str, pairs: &[CasePair<'_>]) -> Vec<Remark> {
    let mut notes = Vec::new();
    if pairs.iter().any(|p| p.baseline.block != p.new.block) {
        notes.push(Remark::new("independent-groups").arg("by", by));
    }
    notes.extend(follows(run, by, pairs));
    let cases = pairs.iter().flat_map(|p| [p.baseline, p.new]);
    notes.extend(of_run(run, cases, Called::TheOnly));
    notes.extend(few_trials(pairs));
    notes
}

/// Two runs are not interleaved, however near they are.
fn apart(baseline: &Run, run: &Run) -> Option<Remark> {
    let at = |text: &str| text.parse::<Timestamp>().ok();
    let seconds = at(&run.started)?.duration_since(at(&baseline.started)?).as_secs_f64().abs();
    let (count, unit) = words::span(seconds);
    let code = if seconds < DAY_S { "independent-runs" } else { "different-days" };
    let remark = Remark::new(code).arg("run", run.id.as_str()).arg("seconds", seconds);
    Some(remark.arg("count", count as u64).arg("unit", unit))
}

/// Two runs at one time on one machine measured each other.
fn overlap(baseline: &Run, run: &Run) -> Option<Remark> {
    let at = |text: &str| text.parse::<Timestamp>().ok();
    let times = |run: &Run| Some((at(&run.started)?, at(run.finished.as_ref()?)?));
    let (a, b) = (times(baseline)?, times(run)?);
    let is_same_machine = baseline.machines.first()?.hostname == run.machines.first()?.hostname;
    (is_same_machine && a.0 < b.1 && b.0 < a.1)
        .then(|| Remark::new("overlap").arg("baseline", baseline.id.as_str()).arg("run", run.id.as_str()))
}

/// The same work elsewhere, or for another time.
fn elsewhere(pairs: &[CasePair<'_>]) -> Vec<Remark> {
    let mut seen = BTreeSet::new();
    for pair in pairs {
        for d in circumstances(pair.baseline, pair.new, pair.definitions) {
            let side = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
            seen.insert((d.name, side(d.baseline), side(d.other)));
        }
    }
    let note = |(name, before, after): (String, String, String)| {
        Remark::new("other-circumstances")
            .arg("name", name.as_str())
            .arg("before", before.as_str())
            .arg("after", after.as_str())
    };
    seen.into_iter().map(note).collect()
}

/// Parameters that nobody set and that differ with what is compared.
fn follows(run: &Run, by: &str, pairs: &[CasePair<'_>]) -> Vec<Remark> {
    let mut names: BTreeSet<ParameterName> = BTreeSet::new();
    for pair in pairs {
        for name in pair.baseline.loads.main.parameters.names().chain(pair.new.loads.main.parameters.names())
        {
            let of = |case| words::parameter(case, name.as_str(), &run.definitions);
            if name.as_str() != by && of(pair.baseline) != of(pair.new) {
                names.insert(name);
            }
        }
    }
    let note = |name: ParameterName| Remark::new("follows").arg("by", by).arg("name", name.as_str());
    names.into_iter().map(note).collect()
}

/// How a run is called in a sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    /// By its name, for there are several.
    ById,
    /// It is the only one.
    TheOnly,
}

/// What puts a run's figures in doubt.
fn of_run<'a>(run: &Run, cases: impl Iterator<Item = &'a CaseResult>, called: Called) -> Vec<Remark> {
    let mut notes = Vec::new();
    let id = run.id.as_str();
    let called = if called == Called::ById { "by-id" } else { "the-only" };
    let remark = |code: &str| Remark::new(code).arg("run", id).arg("called", called);
    if run.outcome != Some(Outcome::Complete) {
        let how = match run.outcome {
            Some(Outcome::Budget) => "budget",
            Some(Outcome::Interrupted) => "interrupted",
            _ => "unfinished",
        };
        notes.push(remark("unfinished").arg("how", how));
    }
    if run.headroom.build.starts_with("debug") {
        notes.push(remark("debug-build"));
    }
    let mut seen: Vec<&CaseResult> = Vec::new();
    for case in cases {
        if !seen.iter().any(|s| std::ptr::eq(*s, case)) {
            seen.push(case);
        }
    }
    let failed = seen.iter().flat_map(|c| &c.trials).filter(|t| t.status == Status::Failed).count();
    if failed > 0 {
        notes.push(remark("failed-trials").arg("count", failed as u64));
    }
    let doubts = |case: &CaseResult| {
        let grave = case
            .findings
            .iter()
            .filter(|f| f.kind == FindingKind::Validity && f.severity >= Severity::Warning);
        grave.map(|f| f.code.clone()).collect::<Vec<_>>()
    };
    let doubtful = seen.iter().filter(|c| !doubts(c).is_empty()).count();
    if doubtful > 0 {
        let codes: BTreeSet<String> = seen.iter().flat_map(|c| doubts(c)).collect();
        let codes: Vec<String> = codes.into_iter().collect();
        let remark = remark("doubtful").arg("count", doubtful as u64);
        notes.push(remark.arg("codes", codes.join(", ")));
    }
    notes
}

fn few_trials(pairs: &[CasePair<'_>]) -> Option<Remark> {
    let good = |case| measure::good(case).count();
    let fewest = pairs.iter().flat_map(|p| [good(p.baseline), good(p.new)]).min()?;
    (fewest < FEW).then(|| Remark::new("few-trials").arg("trials", fewest as u64))
}
