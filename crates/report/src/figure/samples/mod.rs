//! Samples of the trials that tell most, each workload's on one clock, and the
//! course of the whole run.

mod cpus;
mod order;
mod panels;

use chart::plot::{Panels, Track};
use model::run::CaseResult;
use model::trial::{Series, Status, Trial, Window};
use model::{Value, WorkloadSpec};

use super::rule::{Reason, telling};
use super::{Figure, factors, metric};
use crate::page::View;

/// Workloads whose samples are shown, at most.
const WORKLOADS_MOST: usize = 8;

/// Samples before and behind the window, in windows: warm-up and the end belong
/// to the picture, an hour of waiting does not.
const AROUND: f64 = 2.0;

/// And in seconds at least, for windows of milliseconds.
const AROUND_LEAST_S: f64 = 1.0;

/// One trial with what is needed to draw its samples.
struct Shot<'a> {
    view: &'a View<'a>,
    spec: Option<&'a WorkloadSpec>,
    case: &'a CaseResult,
    trial: &'a Trial,
    window: Window,
    reason: Reason,
}

impl<'a> Shot<'a> {
    /// All series of the trial that the main load's machine saw.
    fn series(&self) -> std::slice::Iter<'a, Series> {
        self.trial.result.series.iter()
    }

    /// From when to when samples are drawn, in seconds since the window opened.
    fn span(&self) -> (f64, f64) {
        let length = self.window.seconds();
        let around = (length * AROUND).max(AROUND_LEAST_S);
        (-around, length + around)
    }

    /// A series as a track, its values times `scale`; `None` of what lies
    /// outside the span, or has no sensible clock.
    fn track(&self, series: &Series, name: String, scale: f64) -> Option<Track> {
        let interval_s = series.interval_ns as f64 / 1e9;
        if series.values.is_empty() || !(interval_s > 0.0 && interval_s.is_finite()) {
            return None;
        }
        // As whole numbers: seconds since boot have few digits left for a
        // fraction of a millisecond.
        let from = i128::from(series.start_ns) - i128::from(self.window.start_ns);
        let start_s = from as f64 / 1e9;
        let (low, high) = self.span();
        let skip = ((low - start_s) / interval_s).ceil().max(0.0) as usize;
        let values: Vec<f64> = series
            .values
            .iter()
            .enumerate()
            .skip(skip)
            .take_while(|(at, _)| start_s + interval_s * (*at as f64) < high)
            .map(|(_, v)| v * scale)
            .collect();
        let start_s = start_s + interval_s * skip as f64;
        values.iter().any(|v| v.is_finite()).then_some(Track { name, start_s, interval_s, values })
    }
}

/// From the first to the last sample of these tracks.
fn extent<'t>(tracks: impl Iterator<Item = (f64, f64, usize)> + 't, window: &Window) -> (f64, f64) {
    let ends = tracks.map(|(start, interval, count)| (start, start + interval * count as f64));
    ends.fold((0.0, window.seconds()), |(low, high), (s, e)| (low.min(s), high.max(e)))
}

/// The charts of samples: for each workload its panels and its CPUs, then the
/// trials in the order they ran.
pub(super) fn figures(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Figure> {
    let mut names: Vec<&str> = Vec::new();
    for case in cases {
        if !names.contains(&case.workload.as_str()) {
            names.push(&case.workload);
        }
    }
    let mut all = Vec::new();
    let mut left = 0u64;
    for name in &names {
        let own: Vec<&CaseResult> = cases.iter().copied().filter(|c| c.workload == *name).collect();
        let Some(shot) = shot(view, &own) else { continue };
        if all.len() >= WORKLOADS_MOST * 2 {
            left += 1;
            continue;
        }
        all.extend(of_shot(&shot, &own));
    }
    if let Some(last) = all.last_mut().filter(|_| left > 0) {
        last.notes.push(view.words.tell("figure-samples-left", &[("count", Value::from(left))]));
    }
    all.extend(order::figure(view, cases));
    all
}

/// The trial that tells most of a workload's cases: of the case nearest to a
/// limit, or else with the highest figure, the one nearest its median.
fn shot<'a>(view: &'a View<'a>, cases: &[&'a CaseResult]) -> Option<Shot<'a>> {
    let has = |t: &&Trial| t.status == Status::Ok && t.result.window.is_some() && !t.result.series.is_empty();
    let sampled: Vec<&CaseResult> =
        cases.iter().copied().filter(|c| c.trials.iter().any(|t| has(&t))).collect();
    let spec = view.workload(&cases.first()?.workload);
    let (case, reason) = telling(&sampled, spec)?;
    let metric = metric::figure(case, spec).and_then(|m| metric::Metric::of(view.words, case, m));
    let median = metric.as_ref().and_then(|m| m.at(case)).map(|m| m.value);
    let off = |t: &Trial| {
        let own = metric.as_ref().and_then(|m| t.result.metrics.get(&m.name)).map(|q| q.value);
        own.zip(median).map_or(f64::MAX, |(own, median)| (own - median).abs())
    };
    let trial = case.trials.iter().filter(has).min_by(|a, b| off(a).total_cmp(&off(b)))?;
    let window = trial.result.window.clone().filter(|w| w.end_ns > w.start_ns)?;
    Some(Shot { view, spec, case, trial, window, reason })
}

fn of_shot(shot: &Shot<'_>, cases: &[&CaseResult]) -> Vec<Figure> {
    let words = shot.view.words;
    let factors = factors::of(words, shot.view.catalogue, cases);
    let place = match cases.len() {
        1 => shot.case.workload.clone(),
        _ => format!("{}, {}", shot.case.workload, factors::label(&factors, shot.case)),
    };
    let place = |key: &str| words.tell(key, &[("case", Value::Text(place.clone()))]);
    let mut all = Vec::new();
    let made = panels::of(shot);
    if !made.panels.is_empty() {
        let tracks = made.panels.iter().flat_map(|p| &p.tracks);
        let span = extent(tracks.map(|t| (t.start_s, t.interval_s, t.values.len())), &shot.window);
        let window = Some((0.0, shot.window.seconds()));
        let plot = Panels { span, window, panels: made.panels };
        let figure = Figure::new("panels", place("figure-samples"), plot).note(Some(which(shot)));
        all.push(figure.note(made.left_out));
    }
    all.extend(cpus::of(shot).map(|plot| Figure::new("cpu-load", place("figure-cpus"), plot)));
    all
}

/// Which trial it is, and why that one.
fn which(shot: &Shot<'_>) -> String {
    let words = shot.view.words;
    let place = shot.case.trials.iter().position(|t| std::ptr::eq(t, shot.trial)).unwrap_or(0) as u64;
    let trials = shot.case.trials.len() as u64;
    let of = [("trial", Value::from(place + 1)), ("trials", Value::from(trials))];
    let trial = match trials {
        1 => words.say("figure-samples-only"),
        _ => words.tell("figure-samples-middle", &of),
    };
    match shot.reason {
        Reason::Only => trial,
        Reason::NearestLimit => format!("{} {trial}", words.say("figure-path-nearest")),
        Reason::Best => format!("{} {trial}", words.say("figure-path-best")),
    }
}
