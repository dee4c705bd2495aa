//! The conclusion in plain words: which machines are unlike the others, what goes with it, and what to keep in mind.

use std::collections::BTreeSet;

use analysis::fleet::{FleetSplit, SplitKind};
use model::Value;

use super::view::FleetView;
use crate::document::{Answer, Block, Piece, Rank, Section, Text};

/// At most so many sets of machines are told of in words; the table has all.
const TOLD: usize = 6;

pub(super) fn write(view: &FleetView<'_>) -> Section {
    let mut section = Section::new("answer", view.say("answer-title"));
    section.put(Rank::Verdict, Block::Lead(lead(view).into()));
    section.answer([unlike(view), explained(view), keep_in_mind(view)]);
    section
}

/// How many machines are unlike the others.
fn lead(view: &FleetView<'_>) -> String {
    let fleet = view.fleet();
    let of = |kind: SplitKind| -> usize {
        let splits = fleet.splits.iter().filter(|split| split.kind == kind);
        splits.flat_map(|split| &split.machines).collect::<BTreeSet<_>>().len()
    };
    let (unlike, grouped) = (of(SplitKind::Unlike), of(SplitKind::Group));
    let key = match (fleet.figures.len(), unlike, grouped) {
        (0, ..) => "fleet-nothing",
        (_, 0, 0) if fleet.reach.is_none() => "fleet-too-few",
        (_, 0, 0) => "fleet-alike",
        (_, 0, _) => "fleet-groups",
        (_, _, 0) => "fleet-unlike",
        _ => "fleet-unlike-and-groups",
    };
    let counts = [
        ("count", fleet.machines.len()),
        ("unlike", unlike),
        ("grouped", grouped),
        ("figures", fleet.figures.len()),
    ];
    view.counts(key, &counts)
}

/// The first lines, and how many more there are.
fn answer(view: &FleetView<'_>, key: &str, mut lines: Vec<Text>) -> Option<Answer> {
    let more = lines.len().saturating_sub(TOLD);
    lines.truncate(TOLD);
    if more > 0 {
        lines.push(Text::default().link("splits", view.words().count("and-more", more)));
    }
    Some(Answer { question: view.say(key), lines, elsewhere: Vec::new() })
}

/// Each set of machines with how far it is off.
fn unlike(view: &FleetView<'_>) -> Option<Answer> {
    answer(view, "fleet-who", view.fleet().splits.iter().filter_map(|split| line(view, split)).collect())
}

fn line(view: &FleetView<'_>, split: &FleetSplit) -> Option<Text> {
    let first = split.figures.first()?;
    let figure = view.fleet().figures.get(first.figure)?;
    let (tone, word) = view.badge(split);
    let (change, interval) = view.change(first.ratio.as_ref());
    let key = match split.kind {
        SplitKind::Unlike => "fleet-line",
        SplitKind::Group => "fleet-line-group",
    };
    let (name, machines) = (view.name(figure), view.machines(&split.machines));
    let all = figure.values.iter().flatten().count();
    let arguments = [
        ("interval", Value::from(interval.as_str())),
        ("figure", Value::from(name.as_str())),
        ("machines", Value::from(machines.as_str())),
        ("count", Value::from(split.machines.len() as u64)),
        ("all", Value::from(all as u64)),
        ("more", Value::from((split.figures.len() - 1) as u64)),
    ];
    Some(
        Text(vec![Piece::Badge(tone, word)])
            .strong(change)
            .plain(format!(" {}", view.words().tell(key, &arguments))),
    )
}

/// What goes with it; that nothing known does, where nothing does.
fn explained(view: &FleetView<'_>) -> Option<Answer> {
    let line = |split: &FleetSplit| {
        let machines = view.machines(&split.machines);
        let Some(tie) = split.ties.first() else {
            return view.tell("fleet-unexplained", &[("machines", &machines)]).into();
        };
        let key = if tie.is_sure() { "fleet-explained" } else { "fleet-explained-by-chance" };
        let facts = view.tie(tie);
        let arguments = [
            ("machines", Value::from(machines.as_str())),
            ("facts", Value::from(facts.as_str())),
            ("p", Value::from(language::format::probability(tie.p_value).as_str())),
            ("count", Value::from(tie.facts.len() as u64)),
        ];
        Text::from(view.words().tell(key, &arguments))
    };
    answer(view, "fleet-why", view.fleet().splits.iter().map(line).collect())
}

/// What must be kept in mind.
fn keep_in_mind(view: &FleetView<'_>) -> Option<Answer> {
    let fleet = view.fleet();
    let mut lines: Vec<Text> = Vec::new();
    if fleet.splits.iter().any(|split| !split.ties.is_empty()) {
        lines.push(view.say("fleet-association").into());
    }
    if let Some(reach) = fleet.reach {
        let (reach, count) = (Value::Number(reach), Value::from(fleet.machines.len() as u64));
        let figures = Value::from(fleet.figures.len() as u64);
        let arguments = [("reach", reach), ("count", count), ("figures", figures)];
        lines.push(view.words().tell("fleet-reach", &arguments).into());
    }
    let missing: BTreeSet<usize> = fleet.figures.iter().flat_map(|f| &f.missing).map(|m| m.machine).collect();
    let missing = missing.len() + view.subject.left_out.len();
    if missing > 0 {
        lines.push(Text::default().link("machines", view.words().count("fleet-some-missing", missing)));
    }
    if fleet.alone > 0 {
        lines.push(view.words().count("fleet-alone", fleet.alone).into());
    }
    answer(view, "trend-keep-in-mind", lines)
}
