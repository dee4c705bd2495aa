//! How it was compared, and how to do it again.

use std::collections::BTreeSet;

use model::Value;
use model::comparison::{Pairing, Ratio};

use super::view::ComparisonView;
use crate::document::{Block, Section, Text};
use crate::page::method::{command, range, told, typed};

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let mut section = Section::new("method", view.say("method-title"));
    section.push(Block::Paragraph(view.say("comparison-method-about").into()));
    section.push(Block::Pairs(pairs(view)));
    let commands = commands(view);
    if !commands.is_empty() {
        let mut again = Section::new("again", view.say("method-again"));
        again.push(Block::Code(commands.join("\n")));
        section.subsections.push(again);
    }
    section
}

fn ratios<'a>(view: &ComparisonView<'a>) -> impl Iterator<Item = &'a Ratio> + use<'a> {
    view.comparison.rows.iter().filter_map(|r| r.ratio.as_ref())
}

fn pairs(view: &ComparisonView<'_>) -> Vec<(String, Text)> {
    let comparison = view.comparison;
    let words = view.words();
    let share = |key: &str, name: &str, value: f64| words.tell(key, &[(name, Value::Number(value))]);
    let known: BTreeSet<&str> = ratios(view).map(|r| r.method.as_str()).collect();
    let methods: Vec<String> =
        known.iter().map(|code| words.or(&format!("comparison-method-{code}"), code)).collect();
    let mut judged: Vec<String> = Vec::new();
    for row in comparison.rows.iter().filter(|r| r.judged) {
        let title = view.all.metric(row.metric);
        if !judged.contains(&title) {
            judged.push(title);
        }
    }
    let together = (comparison.family > 1)
        .then(|| view.counts("comparison-together-text", &[("count", comparison.family)]));
    let rows: Vec<(&str, Option<String>)> = vec![
        ("comparison-change", Some(share("comparison-change-text", "confidence", comparison.confidence))),
        ("method-trials", trials(view)),
        ("comparison-paired", paired(view)),
        ("method-intervals", (!methods.is_empty()).then(|| methods.join("; "))),
        ("comparison-judged", (!judged.is_empty()).then(|| judged.join(", "))),
        ("comparison-verdicts", Some(verdicts(view))),
        ("comparison-margin", Some(share("comparison-margin-text", "margin", comparison.margin))),
        ("comparison-together", together),
        ("comparison-by-version", Some(format!("Headroom {}", comparison.headroom.version))),
    ];
    told(&view.all, rows)
}

fn verdicts(view: &ComparisonView<'_>) -> String {
    let comparison = view.comparison;
    let chance = Value::Number(1.0 - comparison.confidence);
    view.words().tell("comparison-verdicts-text", &[("chance", chance), ("margin", comparison.margin.into())])
}

/// How the trials of the sides belong together.
fn paired(view: &ComparisonView<'_>) -> Option<String> {
    let all: Vec<Pairing> = ratios(view).map(|r| r.pairing).collect();
    let key = match (all.contains(&Pairing::Paired), all.contains(&Pairing::Independent)) {
        (true, false) => "comparison-paired-all",
        (false, true) => "comparison-paired-none",
        (true, true) => "comparison-paired-some",
        (false, false) => return None,
    };
    Some(view.say(key))
}

/// How many trials stand on the sides.
fn trials(view: &ComparisonView<'_>) -> Option<String> {
    let of = |pick: fn(&Ratio) -> usize| {
        let all = || ratios(view).map(pick);
        Some(range(&view.all, all().min()?.to_string(), &all().max()?.to_string()))
    };
    let (baseline, new) = (of(|r| r.baseline_trials)?, of(|r| r.trials)?);
    Some(view.tell("comparison-trials-text", &[("baseline", &baseline), ("new", &new)]))
}

/// The commands of the runs and of the comparison, each below what it is.
fn commands(view: &ComparisonView<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for (place, run) in view.runs.iter().enumerate().filter(|(_, r)| !r.run.origin.command.is_empty()) {
        let what = if view.runs.len() == 1 { view.say("comparison-run") } else { view.side(place) };
        all.push(format!("# {}\n{}", what.replace('\n', " "), command(run)));
    }
    if !view.command.is_empty() {
        all.push(format!("# {}\n{}", view.say("comparison-command"), typed(view.command)));
    }
    all
}
