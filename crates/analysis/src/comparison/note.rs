//! What must be kept in mind beside the figures.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::comparison::Remark;
use model::run::{CaseResult, Outcome};
use model::trial::Status;
use model::workload::Catalogue;
use model::{FindingKind, Run, Severity};

use super::pair::{CasePair, circumstances};
use super::{machine, words};

/// Runs so far apart have lived through another day.
const DAY_S: f64 = 12.0 * 3600.0;

/// Fewer trials than this on a side see only large differences.
const FEW: usize = 5;

/// Notes on runs against the first of them.
pub(super) fn of_runs(runs: &[Run], pairs: &[CasePair<'_>], catalogue: &Catalogue) -> Vec<Remark> {
    let mut notes = Vec::new();
    let Some((baseline, others)) = runs.split_first() else { return notes };
    for run in others {
        notes.extend(apart(baseline, run));
        notes.extend(overlap(baseline, run));
    }
    notes.extend(elsewhere(pairs, catalogue));
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
pub(super) fn within(run: &Run, by: &str, pairs: &[CasePair<'_>], catalogue: &Catalogue) -> Vec<Remark> {
    let mut notes = Vec::new();
    if pairs.iter().any(|p| p.baseline.block != p.new.block) {
        let text = format!(
            "Cases with different {by} were measured one group after the other, so their trials are no pairs: what \
             drifts meanwhile counts as a difference."
        );
        notes.push(Remark::new("independent-groups", text).arg("by", by));
    }
    notes.extend(follows(by, pairs, catalogue));
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
    let span = words::counted(count, unit);
    let (code, text) = if seconds < DAY_S {
        let text = format!("The runs began {span} apart: what drifts between them counts as a difference.");
        ("independent-runs", text)
    } else {
        let text = format!(
            "The runs began {span} apart: what changes from day to day is in the difference and not in its interval."
        );
        ("different-days", text)
    };
    let remark = Remark::new(code, text).arg("run", run.id.as_str()).arg("seconds", seconds);
    Some(remark.arg("count", count as u64).arg("unit", unit))
}

/// Two runs at one time on one machine measured each other.
fn overlap(baseline: &Run, run: &Run) -> Option<Remark> {
    let at = |text: &str| text.parse::<Timestamp>().ok();
    let times = |run: &Run| Some((at(&run.started)?, at(run.finished.as_ref()?)?));
    let (a, b) = (times(baseline)?, times(run)?);
    let is_same_machine = machine(baseline)?.hostname == machine(run)?.hostname;
    (is_same_machine && a.0 < b.1 && b.0 < a.1).then(|| {
        let text =
            format!("Runs {} and {} ran at the same time and disturbed each other.", baseline.id, run.id);
        Remark::new("overlap", text).arg("baseline", baseline.id.as_str()).arg("run", run.id.as_str())
    })
}

/// The same work elsewhere, or for another time.
fn elsewhere(pairs: &[CasePair<'_>], catalogue: &Catalogue) -> Vec<Remark> {
    let mut seen = BTreeSet::new();
    for pair in pairs {
        for d in circumstances(pair.baseline, pair.new, catalogue) {
            let side = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
            seen.insert((d.name, side(d.baseline), side(d.other)));
        }
    }
    let note = |(name, before, after): (String, String, String)| {
        let text = format!("The same work with another {name}: {before}, then {after}.");
        Remark::new("other-circumstances", text)
            .arg("name", name.as_str())
            .arg("before", before.as_str())
            .arg("after", after.as_str())
    };
    seen.into_iter().map(note).collect()
}

/// Parameters that nobody set and that differ with what is compared.
fn follows(by: &str, pairs: &[CasePair<'_>], catalogue: &Catalogue) -> Vec<Remark> {
    let mut names: BTreeSet<&String> = BTreeSet::new();
    for pair in pairs {
        for name in pair.baseline.parameters.0.keys().chain(pair.new.parameters.0.keys()) {
            let of = |case| words::parameter(case, name, catalogue);
            if name != by && of(pair.baseline) != of(pair.new) {
                names.insert(name);
            }
        }
    }
    let note = |name: &String| {
        let text = format!("With {by}, {name} differs too: it follows from it.");
        Remark::new("follows", text).arg("by", by).arg("name", name.as_str())
    };
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
    let (name, code) = match called {
        Called::ById => (format!("run {id}"), "by-id"),
        Called::TheOnly => ("the run".to_owned(), "the-only"),
    };
    let capital = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    let remark = |code_of: &str, text: String| Remark::new(code_of, text).arg("run", id).arg("called", code);
    if run.outcome != Some(Outcome::Complete) {
        let (how, says) = match run.outcome {
            Some(Outcome::Budget) => ("budget", "was ended by its budget"),
            Some(Outcome::Interrupted) => ("interrupted", "was interrupted"),
            _ => ("unfinished", "is unfinished"),
        };
        let text = format!("{capital} {says}; what it has is compared.");
        notes.push(remark("unfinished", text).arg("how", how));
    }
    if run.headroom.build.starts_with("debug") {
        notes.push(remark("debug-build", format!("{capital} was made with a debug build, which is slow.")));
    }
    let mut seen: Vec<&CaseResult> = Vec::new();
    for case in cases {
        if !seen.iter().any(|s| std::ptr::eq(*s, case)) {
            seen.push(case);
        }
    }
    let failed = seen.iter().flat_map(|c| &c.trials).filter(|t| t.status == Status::Failed).count();
    if failed > 0 {
        let text = format!("{} of {name} failed and do not count.", words::counted(failed, "trial"));
        notes.push(remark("failed-trials", text).arg("count", failed as u64));
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
        let text = format!(
            "{} of {name} {} warnings ({}): `headroom show {id}`.",
            words::counted(doubtful, "case"),
            if doubtful == 1 { "bears" } else { "bear" },
            codes.join(", ")
        );
        let remark = remark("doubtful", text).arg("count", doubtful as u64);
        notes.push(remark.arg("codes", codes.join(", ").as_str()));
    }
    notes
}

fn few_trials(pairs: &[CasePair<'_>]) -> Option<Remark> {
    let good = |case: &CaseResult| case.trials.iter().filter(|t| t.status == Status::Ok).count();
    let fewest = pairs.iter().flat_map(|p| [good(p.baseline), good(p.new)]).min()?;
    (fewest < FEW).then(|| {
        let text =
            format!("Some cases have only {}: only large differences show.", words::counted(fewest, "trial"));
        Remark::new("few-trials", text).arg("trials", fewest as u64)
    })
}
