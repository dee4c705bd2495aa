//! Latency against throughput while the load is turned up: what more costs.

use chart::plot::{Dot, Dots, Reference, Scatter};
use model::Better;
use model::run::CaseResult;

use super::knee;
use super::sweep::{LEVELS_LEAST, LINES_MOST};
use crate::figure::factors::{CaseGroup, Factor, name_of};
use crate::figure::quantity::{self, LATENCIES, Metric};
use crate::figure::{Figure, RuleInput, reference};

/// The factor that turns the load up, and the other one.
fn sides<'g>(group: &'g CaseGroup<'_>) -> Option<(&'g Factor, Option<&'g Factor>)> {
    let is_load = |f: &&Factor| f.is_load() && f.levels.len() >= LEVELS_LEAST;
    let load = group.factors.iter().find(is_load)?;
    let other = group.factors.iter().find(|f| !std::ptr::eq(*f, load));
    let fits = other.is_none_or(|f| f.levels.len() <= LINES_MOST) && !group.collides();
    fits.then_some((load, other))
}

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
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
            let own = group.of_level_of(other, level);
            let is_axis = group.axis().is_some_and(|axis| std::ptr::eq(axis, load));
            let knee = if is_axis { knee::of(group, &rate, level) } else { None };
            let label = |case: &CaseResult| {
                let label = format!("{} {}", load.title, load.text_of(case));
                match &knee {
                    Some(knee) if load.number_of(case) == Some(knee.x) => {
                        words.tell_texts("figure-knee-dot", &[("label", &label)])
                    }
                    _ => label,
                }
            };
            Dots {
                name: name_of(other, level),
                dots: dots(load, (&rate, &latency), &own, label),
                joined: true,
            }
        })
        .filter(|d| !d.dots.is_empty())
        .collect();
    if groups.iter().map(|d| d.dots.len()).max()? < LEVELS_LEAST {
        return None;
    }
    let references: Vec<Reference> = reference::of(words, &group.cases, &rate);
    let title = words.tell_texts("figure-against", &[("metric", &latency.title), ("other", &rate.title)]);
    let note = words.tell_texts("figure-against-note", &[("factor", &load.title)]);
    let better = (Some(rate.better), Some(latency.better));
    let plot = Scatter { x: rate.axis(), y: latency.axis(), better, groups, references };
    Some(Figure::new("scatter", input.title(&title, group), plot).note(Some(note)))
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
