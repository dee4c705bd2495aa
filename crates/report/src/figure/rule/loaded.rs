//! What a load takes while others draw a rising share of what there is: latency
//! against their throughput, the points joined along the share. The knee of
//! such a curve is what a memory can give before everybody waits (the loaded
//! latency of Intel's Memory Latency Checker).

use chart::plot::{Dot, Dots, Measured, Scatter};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{MetricName, Unit, metric};

use super::sweep::{LEVELS_LEAST, LINES_MOST};
use crate::figure::factors::{CaseGroup, Factor, name_of};
use crate::figure::quantity::Metric;
use crate::figure::{Figure, RuleInput};

/// What a load takes.
const LATENCY: MetricName = metric::LOAD_LATENCY;

/// What the others draw.
const DRAWN: MetricName = metric::THROUGHPUT;

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let share = group.factors.iter().find(|f| f.says == Some(Aspect::Share) && f.is_ordered())?;
    let other = group.factors.iter().find(|f| f.says != Some(Aspect::Share));
    let fits = share.levels.len() >= LEVELS_LEAST && !group.collides();
    let lines = other.map_or(1, |f| f.levels.len());
    if !fits || lines > LINES_MOST {
        return None;
    }
    let of = |name: MetricName| group.cases.iter().find_map(|c| Metric::of(words, c, name));
    let latency = of(LATENCY).filter(|m| m.unit == Unit::Seconds)?;
    let drawn = of(DRAWN).filter(|m| m.unit == Unit::BytesPerSecond)?;
    let groups: Vec<Dots> = (0..lines)
        .map(|level| {
            let dots = dots(share, (&drawn, &latency), &group.of_level_of(other, level));
            Dots { name: name_of(other, level), dots, joined: true }
        })
        .filter(|d| !d.dots.is_empty())
        .collect();
    if groups.iter().map(|d| d.dots.len()).max()? < LEVELS_LEAST {
        return None;
    }
    let title = words.tell_texts("figure-against", &[("metric", &latency.title), ("other", &drawn.title)]);
    let better = (None, Some(latency.better));
    let plot = Scatter { x: drawn.axis(), y: latency.axis(), better, groups, references: Vec::new() };
    let note = words.say("figure-loaded-note");
    Some(Figure::new("loaded", input.title(&title, group), plot).note(Some(note)))
}

/// The points along the share. At none the others draw nothing: that is so by
/// what the share means, and no measurement is missing.
fn dots(share: &Factor, (drawn, latency): (&Metric, &Metric), cases: &[&CaseResult]) -> Vec<Dot> {
    let idle = Measured { value: 0.0, interval: None };
    let dot = |c: &&CaseResult| {
        let at = share.number_of(c)?;
        let x = drawn.at(c).or((at == 0.0).then_some(idle))?;
        Some((at, Dot { x, y: latency.at(c)?, label: share.text_of(c).to_owned() }))
    };
    let mut all: Vec<(f64, Dot)> = cases.iter().filter_map(dot).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, dot)| dot).collect()
}
