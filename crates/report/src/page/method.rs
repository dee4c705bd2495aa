//! How it was measured, and how to do it again.

use std::collections::{BTreeMap, BTreeSet};

use model::profile::{Arrival, LoadEnd};
use model::run::{CaseResult, Estimate};
use model::study::Pin;
use model::{Resource, Status, Trial, Value, series};

use super::{View, listing, setting};
use crate::document::{Block, Rank, Section, Text};
use crate::format;

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("method", view.say("method-title"));
    section.push(Block::Paragraph(view.say("method-about").into()));
    section.push(Block::Pairs(pairs(view)));
    if !view.run.study.notes.is_empty() {
        let mut notes = Section::new("notes", view.say("method-notes"));
        let texts = view.run.study.notes.iter().map(|note| note.as_str().into());
        notes.put(Rank::Caution, Block::List(texts.collect()));
        section.subsections.push(notes);
    }
    if !view.run.origin.command.is_empty() {
        let mut again = Section::new("again", view.say("method-again"));
        again.push(Block::Code(command(view)));
        again.push(Block::More {
            title: view.say("method-study"),
            blocks: vec![Block::Code(listing::study(view))],
        });
        section.subsections.push(again);
    }
    section
}

/// Where workers were to run.
fn placement(view: &View<'_>, pin: &Pin) -> String {
    match pin {
        Pin::Cpus(cpus) => view.tell("pin-cpus", &[("cpus", &cpus.list())]),
        word => view.words.or(&format!("pin-{}", word.name()), word.name()),
    }
}

fn pairs(view: &View<'_>) -> Vec<(String, Text)> {
    let run = view.run;
    let controls = &run.study.controls;
    let seconds = |s: f64| format::setting(s, model::Unit::Seconds);
    let observer = run.machines.iter().filter_map(|m| m.observer_cost).find(|o| o.watched_s > 0.0);
    let has_network = run.cases.iter().any(|c| crate::load::rates(c) == format::Rates::Bits);
    let order = match controls.ramp {
        Some(_) => view.say("method-order-ramp"),
        None => view.tell("method-order-text", &[("seed", &run.seed.to_string())]),
    };
    let rows: Vec<(&str, Option<String>)> = vec![
        ("method-trials", Some(trials(view))),
        ("method-order", Some(order)),
        ("method-window", window(view)),
        ("method-warm-up", Some(seconds(controls.warm_up_s))),
        ("method-intervals", methods(view)),
        ("method-percentiles", Some(view.say("method-percentiles-text"))),
        ("method-steady", steady(view)),
        ("method-placement", Some(placement(view, &controls.pin))),
        (
            "method-observer",
            observer.map(|o| {
                view.tell("method-observer-text", &[("share", &format::percent(o.cpu_s / o.watched_s))])
            }),
        ),
        ("method-precision", controls.precision.map(format::percent)),
        ("method-budget", controls.budget_s.map(format::span)),
        ("method-settings", Some(settings(view))),
        ("method-bytes", Some(view.say("method-bytes-text"))),
        ("method-bits", has_network.then(|| view.say("method-bits-text"))),
        ("method-started", Some(moment(&run.started))),
        ("method-finished", run.finished.as_deref().map(moment)),
        ("method-run", Some(run.id.clone())),
        ("method-version", Some(version(view))),
        (
            "method-origin",
            (run.origin.tool != "headroom").then(|| format!("{} {}", run.origin.tool, run.origin.version)),
        ),
        ("method-analysis", Some(run.analysis.version.to_string())),
    ];
    told(view, rows)
}

/// Rows that have a text.
pub(super) fn told(view: &View<'_>, rows: Vec<(&str, Option<String>)>) -> Vec<(String, Text)> {
    let there = |(key, text): (&str, Option<String>)| {
        let text = text.filter(|t| !t.trim().is_empty())?;
        Some((view.say(key), text.into()))
    };
    rows.into_iter().filter_map(there).collect()
}

/// From the one to the other; of equal ones, that.
pub(super) fn range(view: &View<'_>, low: String, high: &str) -> String {
    if low == high { low } else { view.tell("range", &[("low", &low), ("high", high)]) }
}

/// How many trials a case has.
fn trials(view: &View<'_>) -> String {
    let of = |c: &model::run::CaseResult| c.trials.iter().filter(|t| t.status == Status::Ok).count();
    let counts: Vec<usize> = view.cases().map(of).collect();
    let (least, most) = (counts.iter().min().unwrap_or(&0), counts.iter().max().unwrap_or(&0));
    let number = range(view, least.to_string(), &most.to_string());
    let cases = view.count("cases", counts.len());
    view.tell("method-trials-text", &[("trials", &number), ("cases", &cases)])
}

/// How long windows were.
fn window(view: &View<'_>) -> Option<String> {
    let trials = view.cases().flat_map(|c| &c.trials);
    let all: Vec<f64> = trials.filter_map(|t| Some(t.result.window?.seconds())).collect();
    let shown = |s: f64| format::setting(s, model::Unit::Seconds);
    let (low, high) = (all.iter().copied().reduce(f64::min)?, all.iter().copied().reduce(f64::max)?);
    Some(range(view, shown(low), &shown(high)))
}

/// The methods of the intervals, each with how many trials it was used for.
fn methods(view: &View<'_>) -> Option<String> {
    let all = view.cases().flat_map(|c| c.loads.main.estimates.values());
    let used: BTreeSet<&str> = all.clone().filter_map(|e: &Estimate| e.method.as_deref()).collect();
    let without = all.filter(|e| e.low.is_none() && e.n < 2).count() > 0;
    let said = |code: &&str| view.words.or(&format!("method-{code}"), code);
    let mut texts: Vec<String> = used.iter().map(said).collect();
    if without {
        texts.push(view.say("method-none"));
    }
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// How many trials settled, and why the others were not judged.
fn steady(view: &View<'_>) -> Option<String> {
    let trials = view.cases().flat_map(|c| &c.trials);
    let judged: Vec<bool> = trials.filter_map(|t| Some(t.result.steady.as_ref()?.settled)).collect();
    let settled = judged.iter().filter(|s| **s).count();
    let counts = [("settled", Value::from(settled as u64)), ("judged", Value::from(judged.len() as u64))];
    let told = (!judged.is_empty()).then(|| view.words.tell("method-steady-text", &counts));
    // How many, and the most intervals that one of them had.
    let mut others: BTreeMap<Unjudged, (usize, u64)> = BTreeMap::new();
    for case in view.cases() {
        for trial in case.trials.iter().filter(|t| t.status == Status::Ok && t.result.steady.is_none()) {
            let Some((why, intervals)) = unjudged(case, trial) else { continue };
            let (count, most) = others.entry(why).or_default();
            *count += 1;
            *most = intervals.max(*most);
        }
    }
    let said = others.into_iter().map(|(why, (count, intervals))| {
        let key = match why {
            Unjudged::Short => "method-unjudged-short",
            Unjudged::Rate => "method-unjudged-rate",
            Unjudged::Count => "method-unjudged-count",
        };
        let numbers = [("count", count as u64), ("intervals", intervals), ("needed", JUDGED_LEAST)];
        view.words.tell(key, &numbers.map(|(name, number)| (name, Value::from(number))))
    });
    let all: Vec<String> = told.into_iter().chain(said).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Intervals that MSER-5 judges at least.
const JUDGED_LEAST: u64 = (stats::steady::MSER_MIN_BATCHES * stats::steady::MSER_BATCH) as u64;

/// Why it was not judged whether a load settled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unjudged {
    /// Its window has too few intervals.
    Short,
    /// Its operations start at a rate, settled or not.
    Rate,
    /// A count of operations ends it, all of which are to be in it.
    Count,
}

/// Why a trial was not judged, with the intervals of its window; `None` where it is not known.
fn unjudged(case: &CaseResult, trial: &Trial) -> Option<(Unjudged, u64)> {
    let load = trial.result.loads.first()?;
    let course = load.series.iter().find(|s| s.resource == Resource::LOAD && s.name == series::OPERATIONS)?;
    let window = trial.result.window?;
    let intervals = window.end_ns.saturating_sub(window.start_ns) / course.interval_ns.max(1);
    let profile = &case.loads.main.profile;
    let why = match (profile.concurrency.arrival, &profile.end) {
        (Arrival::Open, _) => Unjudged::Rate,
        (Arrival::Closed, LoadEnd::Operations(_) | LoadEnd::Bytes(_)) => Unjudged::Count,
        (Arrival::Closed, LoadEnd::Time) if intervals < JUDGED_LEAST => Unjudged::Short,
        (Arrival::Closed, _) => return None,
    };
    Some((why, intervals))
}

/// The settings that were changed: what was before, and what was read back.
fn settings(view: &View<'_>) -> String {
    let mut texts = Vec::new();
    for changed in setting::of(view.run) {
        let name = crate::view::label::title(view.words, &changed.name);
        let mut resource = changed.resource.as_ref().map(|r| view.resource(r)).unwrap_or_default();
        if let Some(machine) = &changed.machine {
            resource.push_str(&format!(" ({machine})"));
        }
        if let Some(before) = &changed.before {
            let texts_of = [
                ("name", name.as_str()),
                ("resource", &resource),
                ("before", before),
                ("levels", &changed.set.join(", ")),
            ];
            texts.push(view.tell("method-setting-text", &texts_of));
        }
        if !changed.refused.is_empty() {
            let texts_of = [("name", name.as_str()), ("levels", &changed.refused.join(", "))];
            texts.push(view.tell("method-setting-refused", &texts_of));
        }
    }
    texts.join("; ")
}

fn version(view: &View<'_>) -> String {
    let build = &view.run.headroom;
    let of_build = if build.build.is_empty() { String::new() } else { format!("({})", build.build) };
    format!("Headroom {} {of_build}", build.version).trim().to_owned()
}

/// The command that does it again: as typed, with the seed that it got.
pub(super) fn command(view: &View<'_>) -> String {
    let run = view.run;
    let mut words = vec![typed(&run.origin.command)];
    let is_seeded = run.origin.command.iter().any(|w| w == "--seed" || w.starts_with("--seed="));
    if run.origin.tool == "headroom" && !is_seeded {
        words.push(format!("--seed {}", run.seed));
    }
    words.join(" ")
}

/// A command as it was typed.
pub(super) fn typed(command: &[String]) -> String {
    let Some((program, arguments)) = command.split_first() else { return String::new() };
    // Where the program was is not where the reader's is.
    let program = program.rsplit('/').next().unwrap_or(program);
    let arguments = arguments.iter().map(|word| quoted(word));
    std::iter::once(quoted(program)).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// `word` as a POSIX shell reads it (XCU 2.2): as it is where nothing in it is
/// special, else in single quotes.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "%+,-./:=@_^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// `2026-11-21 11:47:24 UTC` of RFC 3339; anything else as it is.
pub(super) fn moment(text: &str) -> String {
    match (text.get(..10), text.get(10..11), text.get(11..19), text.ends_with('Z')) {
        (Some(day), Some("T"), Some(time), true) => format!("{day} {time} UTC"),
        _ => text.to_owned(),
    }
}

/// The time of day of RFC 3339.
pub(super) fn clock(text: &str) -> String {
    match (text.get(10..11), text.get(11..19)) {
        (Some("T"), Some(time)) => time.to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_a_shell_reads_them() {
        assert_eq!(quoted("--target=/data"), "--target=/data");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$(rm -rf /)"), "'$(rm -rf /)'");
        assert_eq!(quoted("~"), "'~'");
    }

    #[test]
    fn moments_are_read_by_people() {
        assert_eq!(moment("2026-11-21T11:47:24.951915812Z"), "2026-11-21 11:47:24 UTC");
        assert_eq!(moment("2026-11-21T11:47:24+01:00"), "2026-11-21T11:47:24+01:00");
        assert_eq!(moment("é"), "é");
        assert_eq!(clock("2026-11-21T11:47:24.9Z"), "11:47:24");
    }
}
