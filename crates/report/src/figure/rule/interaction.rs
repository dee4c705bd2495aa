//! Two factors of two levels each: what each does, alone and together, in sentences beside the
//! bars, with intervals, or that it cannot be told.

use language::Words;
use language::format;
use model::Value;
use model::run::CaseResult;
use model::trial::Status;
use stats::interaction::{FactorialCells, FactorialEffect, FactorialEffects, effects};

use crate::figure::RuleInput;
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::Metric;

/// FactorialEffects nearer to none than this are none to a reader: as the margin of a comparison.
const MARGIN: f64 = 0.02;

/// The sentences of a group; none where it is no 2 x 2 with trials enough.
pub(super) fn sentences(input: &RuleInput<'_>, group: &CaseGroup<'_>, metric: &Metric) -> Vec<String> {
    let words = input.view.words;
    let [first, second] = group.factors.as_slice() else { return Vec::new() };
    // Two levels of a load that is turned up are points of a curve, and no change that was made.
    let is_pair = |factor: &Factor| factor.levels.len() == 2 && !factor.is_side() && !factor.is_load();
    if !is_pair(first) || !is_pair(second) || group.collides() {
        return Vec::new();
    }
    let Some(found) = found(group, first, second, metric) else { return Vec::new() };
    vec![
        of_one(words, (first, second), (found.first, found.first_with_second)),
        of_one(words, (second, first), (found.second, found.second_with_first)),
        together(words, &found),
    ]
}

/// What the trials say of both.
fn found(
    group: &CaseGroup<'_>,
    first: &Factor,
    second: &Factor,
    metric: &Metric,
) -> Option<FactorialEffects> {
    let cell = |one: usize, other: usize| -> Option<Vec<f64>> {
        let is_it =
            |case: &&&CaseResult| first.level_of(case) == Some(one) && second.level_of(case) == Some(other);
        Some(values(group.cases.iter().find(is_it)?, metric))
    };
    let (neither, both) = (cell(0, 0)?, cell(1, 1)?);
    let (of_first, of_second) = (cell(1, 0)?, cell(0, 1)?);
    let cells = FactorialCells { neither: &neither, first: &of_first, second: &of_second, both: &both };
    effects(cells, analysis::CONFIDENCE)
}

/// The metric in each good trial of a case.
fn values(case: &CaseResult, metric: &Metric) -> Vec<f64> {
    let good = case.trials.iter().filter(|trial| trial.status == Status::Ok);
    let found = good.filter_map(|trial| trial.result.main().metrics.get(&metric.name));
    found.filter(|quantity| quantity.unit == metric.unit).map(|quantity| quantity.value).collect()
}

/// What the change of one does, with each level of the other.
fn of_one(
    words: &Words,
    (one, other): (&Factor, &Factor),
    (at_first, at_second): (FactorialEffect, FactorialEffect),
) -> String {
    words.tell_texts(
        "figure-effect-of",
        &[
            ("from", &one.levels[0].text),
            ("to", &titled(one, 1)),
            ("first", &shown(words, at_first)),
            ("second", &shown(words, at_second)),
            ("at-first", &titled(other, 0)),
            ("at-second", &titled(other, 1)),
        ],
    )
}

/// A level with the name of its factor: a level alone may be a level of either.
fn titled(factor: &Factor, level: usize) -> String {
    format!("{} {}", factor.title, factor.levels[level].text)
}

fn together(words: &Words, found: &FactorialEffects) -> String {
    let interaction = found.interaction;
    let key = match interaction {
        it if it.is_within(MARGIN) => "figure-effects-apart",
        it if it.is_told() => "figure-effects-depend",
        _ => "figure-effects-unknown",
    };
    let text = |value: f64| Value::Text(format::ratio(value));
    words.tell(
        key,
        &[
            ("both", Value::Text(shown(words, found.both))),
            ("ratio", text(interaction.ratio)),
            ("low", text(interaction.low)),
            ("high", text(interaction.high)),
            ("margin", Value::Text(format::percent(MARGIN))),
        ],
    )
}

/// How many times as much, with its interval, or that it cannot be told.
fn shown(words: &Words, effect: FactorialEffect) -> String {
    let key = match effect {
        it if it.is_within(MARGIN) => "figure-effect-none",
        it if it.is_told() => "figure-effect",
        _ => "figure-effect-unknown",
    };
    let text = |value: f64| Value::Text(format::ratio(value));
    words.tell(key, &[("ratio", text(effect.ratio)), ("low", text(effect.low)), ("high", text(effect.high))])
}
