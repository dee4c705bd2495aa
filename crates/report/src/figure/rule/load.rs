//! Latency against throughput while the load is turned up: what more costs.

use chart::plot::{Dot, Dots, Reference, Scatter};
use model::run::CaseResult;
use model::{Better, Value};

use super::knee;
use super::sweep::{LEVELS_LEAST, LINES_MOST};
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::{self, LATENCIES, Metric};
use crate::figure::{Figure, RuleInput, reference};

pub(super) const KIND: &str = "scatter";

pub(super) fn charts(input: &RuleInput<'_>) -> Vec<Figure> {
    input.groups.iter().filter_map(|g| chart(input, g)).collect()
}

/// The factor that turns the load up, and the other one.
fn sides<'g>(group: &'g CaseGroup<'_>) -> Option<(&'g Factor, Option<&'g Factor>)> {
    let is_load = |f: &&Factor| f.is_load() && f.levels.len() >= LEVELS_LEAST;
    let load = group.factors.iter().find(is_load)?;
    let other = group.factors.iter().find(|f| !std::ptr::eq(*f, load));
    let fits = other.is_none_or(|f| f.levels.len() <= LINES_MOST) && !group.collides();
    fits.then_some((load, other))
}

fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let (load, other) = sides(group)?;
    let rate = quantity::common(words, &group.cases).filter(|m| m.is_rate() && m.better == Better::Higher)?;
    let latency = LATENCIES.iter().find_map(|name| {
        let measured = group.cases.iter().filter(|c| rate.at(c).is_some());
        let all = measured.clone().all(|c| c.loads.main.estimates.contains_key(name));
        measured.clone().next().filter(|_| all).and_then(|c| Metric::of(words, c, *name))
    })?;
    let groups: Vec<Dots> = (0..other.map_or(1, |f| f.levels.len()))
        .map(|level| {
            let cases = group.cases.iter().copied();
            let own: Vec<&CaseResult> =
                cases.filter(|c| other.is_none_or(|f| f.level_of(c) == Some(level))).collect();
            let name = other.and_then(|f| Some(f.named(f.levels.get(level)?))).unwrap_or_default();
            let is_axis = group.axis().is_some_and(|axis| std::ptr::eq(axis, load));
            let knee = if is_axis { knee::of(group, &rate, level) } else { None };
            let label = |case: &CaseResult| {
                let label = format!("{} {}", load.title, load.text_of(case));
                match &knee {
                    Some(knee) if load.number_of(case) == Some(knee.x) => {
                        words.tell("figure-knee-dot", &[("label", Value::Text(label))])
                    }
                    _ => label,
                }
            };
            Dots { name, dots: dots(load, (&rate, &latency), &own, label), joined: true }
        })
        .filter(|d| !d.dots.is_empty())
        .collect();
    if groups.iter().map(|d| d.dots.len()).max()? < LEVELS_LEAST {
        return None;
    }
    let references: Vec<Reference> = reference::of(words, &group.cases, &rate);
    let title = words.tell(
        "figure-against",
        &[("metric", Value::Text(latency.title.clone())), ("other", Value::Text(rate.title.clone()))],
    );
    let note = words.tell("figure-against-note", &[("factor", Value::Text(load.title.clone()))]);
    let better = (Some(rate.better), Some(latency.better));
    let plot = Scatter { x: rate.axis(), y: latency.axis(), better, groups, references };
    Some(Figure::new(KIND, input.title(&title, group), plot).note(Some(note)))
}

fn dots(
    load: &Factor,
    (rate, latency): (&Metric, &Metric),
    cases: &[&CaseResult],
    label: impl Fn(&CaseResult) -> String,
) -> Vec<Dot> {
    let mut all: Vec<(f64, Dot)> = cases
        .iter()
        .filter_map(|c| {
            Some((load.number_of(c)?, Dot { x: rate.at(c)?, y: latency.at(c)?, label: label(c) }))
        })
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, dot)| dot).collect()
}
