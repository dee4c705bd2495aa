//! What each layer of a storage stack costs: the figure at each layer, the lowest first, with that of the layer below
//! as a mark. Each stack has a chart of its own.

use analysis::CONFIDENCE;
use chart::plot::{Bar, BarGroup, Bars, Reference, ReferenceKind};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Run, Value};

use crate::figure::factors::CaseGroup;
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput, capitalized};
use crate::layers::{self, Waterfall};
use crate::view::label;

/// Whether the charts of this rule have all that bars by the factors of a group would show.
pub(super) fn shows(group: &CaseGroup<'_>) -> bool {
    let is_of_stack =
        |says: Option<Aspect>| matches!(says, Some(Aspect::Layer | Aspect::Stack | Aspect::Presented));
    let of_layers = layers::waterfalls(group.cases.iter().copied());
    let drawn: usize = of_layers.iter().map(|waterfall| waterfall.cases.len()).sum();
    !of_layers.is_empty()
        && drawn == group.cases.len()
        && group.factors.iter().all(|factor| is_of_stack(factor.says))
}

pub(super) fn charts(input: &RuleInput<'_>) -> Vec<Figure> {
    let waterfalls = in_turn(layers::waterfalls(input.cases.iter().copied()));
    if waterfalls.is_empty() {
        return Vec::new();
    }
    let many = waterfalls.len() > 1;
    // Its cases are those of one pair after another.
    let mut pair = input.view.run.clone();
    waterfalls.iter().filter_map(|waterfall| chart(input, waterfall, many, &mut pair)).collect()
}

/// One of each stack before the second of any.
fn in_turn(waterfalls: Vec<Waterfall<'_>>) -> Vec<Waterfall<'_>> {
    let stacks: Vec<Option<Value>> = waterfalls.iter().map(|waterfall| waterfall.stack().cloned()).collect();
    let turn = |at: usize| stacks.iter().take(at).filter(|stack| stacks.get(at) == Some(*stack)).count();
    let mut turns: Vec<(usize, Waterfall<'_>)> =
        waterfalls.into_iter().enumerate().map(|(at, waterfall)| (turn(at), waterfall)).collect();
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, waterfall)| waterfall).collect()
}

fn chart(input: &RuleInput<'_>, waterfall: &Waterfall<'_>, many: bool, pair: &mut Run) -> Option<Figure> {
    let view = input.view;
    let metric = quantity::common(view.words, &waterfall.cases)?;
    let mut groups = Vec::new();
    let mut below: Option<&CaseResult> = None;
    for case in waterfall.cases.iter().copied() {
        let value = metric.at(case);
        let reference = below.and_then(|below| of_below(input, waterfall, (below, case), &metric, pair));
        let bar = Bar {
            series: 0,
            value,
            reference: reference.filter(|_| value.is_some()),
            note: value.is_none().then(|| view.say("figure-no-result")),
        };
        groups.push(BarGroup { label: waterfall.name(case), bars: vec![bar] });
        below = Some(case);
    }
    if groups.iter().flat_map(|group| &group.bars).filter(|bar| bar.value.is_some()).count() < 2 {
        return None;
    }
    let title = view.tell("figure-waterfall", &[("metric", &metric.title)]);
    let own = waterfall.cases.first().and_then(|case| label::without(view, case, &[waterfall.layer]));
    let title = match own.filter(|_| many) {
        Some(own) => view.tell("figure-where", &[("title", &title), ("where", &own)]),
        None => title,
    };
    let plot = Bars {
        value: metric.axis(),
        series: Vec::new(),
        groups,
        references: Vec::new(),
        better: Some(metric.better),
    };
    let percent = format!("{:.0}", CONFIDENCE * 100.0);
    let note = view.tell("figure-waterfall-note", &[("percent", &percent)]);
    Some(Figure::new("waterfall", capitalized(&title), plot).note(Some(note)))
}

/// Where the layer below is, with what is left of it.
fn of_below(
    input: &RuleInput<'_>,
    waterfall: &Waterfall<'_>,
    (below, case): (&CaseResult, &CaseResult),
    metric: &Metric,
    pair: &mut Run,
) -> Option<Reference> {
    let value = metric.at(below)?.value;
    let ratio = layers::ratio(pair, (below, case), waterfall.layer, metric.name)?;
    Some(Reference { value, label: layers::written(input.view, &ratio), kind: ReferenceKind::Ideal })
}
