//! Samples of what a reader chose: any trial of any case; and one quantity of several runs, a line each.

use chart::plot::{Panel, Panels, Track};
use model::Value;
use model::run::CaseResult;

use super::super::rule::Reason;
use super::{
    Figure, SampledTrial, called, extent, has_samples, latency, middle, of_shot, panels, which_trial,
};
use crate::figure::factors;
use crate::view::View;

/// The places of the trials of a case that have samples.
pub(crate) fn sampled_trials(case: &CaseResult) -> Vec<usize> {
    let sampled = case.trials.iter().enumerate().filter(|(_, trial)| has_samples(trial));
    sampled.map(|(place, _)| place).collect()
}

/// The charts of one trial; none where it has no samples.
pub(crate) fn of_trial(view: &View<'_>, case: &CaseResult, trial: usize) -> Vec<Figure> {
    let chosen = case.trials.get(trial).filter(|trial| has_samples(trial));
    let window = chosen.and_then(|trial| trial.result.window).filter(|w| w.end_ns > w.start_ns);
    let Some((trial, window)) = chosen.zip(window) else { return Vec::new() };
    let sampled_trial =
        SampledTrial { view, case, trial, window, reason: Reason::Chosen, far: None, named: false };
    let like: Vec<&CaseResult> =
        view.cases().filter(|other| other.loads.main.workload == case.loads.main.workload).collect();
    let mut all = of_shot(&sampled_trial, &like);
    let name = called(&sampled_trial, &factors::of(view, &like), like.len());
    let title = view.words.tell("figure-latency-over-time", &[("case", Value::Text(name))]);
    all.extend(latency::figure(&sampled_trial, title));
    all
}

/// A run whose lines are drawn with those of others.
pub(crate) struct OverlaidRun<'a> {
    /// The run.
    pub(crate) view: &'a View<'a>,
    /// Its case.
    pub(crate) case: &'a CaseResult,
    /// What its lines are called.
    pub(crate) name: String,
}

/// Each quantity that any of the runs has in the trial nearest its median, with its name: a line a run, on the clock of the
/// window.
pub(crate) fn overlaid(runs: &[OverlaidRun<'_>]) -> Vec<(String, Panels, Vec<String>)> {
    let mut all: Vec<(String, Panels, Vec<String>)> = Vec::new();
    for run in runs {
        let Some((trial, window)) = middle(run.view, run.case) else { continue };
        let reason = Reason::Only;
        let sampled =
            SampledTrial { view: run.view, case: run.case, trial, window, reason, far: None, named: false };
        for panel in panels::of(&sampled).panels {
            for track in &panel.tracks {
                let name = if track.name.is_empty() || track.name == panel.title {
                    panel.title.clone()
                } else {
                    format!("{}, {}", panel.title, track.name)
                };
                let own =
                    extent([(track.start_s, track.interval_s, track.values.len())].into_iter(), &window);
                let track = Track { name: run.name.clone(), ..track.clone() };
                let said = format!("{}: {}", run.name, which_trial(&sampled));
                let Some((_, plot, notes)) = all.iter_mut().find(|(known, ..)| *known == name) else {
                    let panel = Panel {
                        title: name.clone(),
                        numbers: panel.numbers,
                        stacked: false,
                        tracks: vec![track],
                        references: Vec::new(),
                    };
                    let window = Some((0.0, window.seconds()));
                    let plot = Panels { span: own, window, phases: Vec::new(), panels: vec![panel] };
                    all.push((name, plot, vec![said]));
                    continue;
                };
                plot.span = (plot.span.0.min(own.0), plot.span.1.max(own.1));
                plot.window = plot.window.map(|(from, to)| (from, to.max(window.seconds())));
                plot.panels[0].tracks.push(track);
                notes.push(said);
            }
        }
    }
    all
}
