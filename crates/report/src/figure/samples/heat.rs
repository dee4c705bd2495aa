//! What a load does to the machine's heat: temperatures, clock rates, power and
//! load of the CPUs from the rest before it to the rest behind it. Only where
//! such a rest was asked for (`idle`, `cool-down`): without one a rise has no
//! beginning.

use chart::plot::{Panels, PhaseSpan};
use language::{format, resource_label};
use model::run::CaseResult;
use model::trial::Series;
use model::{ResourceKind, Unit, Value, series};

use super::{SampledTrial, extent, panels};
use crate::figure::Figure;
use crate::load;

/// At most so many sensors are described in words: those that rose most.
const TOLD: usize = 3;

/// A rise below this, in degrees, is what sensors do by themselves.
const RISE_LEAST: f64 = 1.0;

/// How long a case had to rest before its load and behind it, in seconds.
pub(super) fn rests(case: &CaseResult) -> (f64, f64) {
    let profile = load::profile(case);
    let seconds = |rest: Option<f64>| rest.filter(|s| s.is_finite()).map_or(0.0, |s| s.max(0.0));
    (seconds(profile.idle_s), seconds(profile.cool_down_s))
}

/// The chart of one trial, where it has anything that gets hot.
pub(super) fn figure(sampled_trial: &SampledTrial<'_>, title: String) -> Option<Figure> {
    let words = sampled_trial.view.words;
    let is_hot = |s: &&Series| s.name == series::TEMPERATURE || s.resource.is_named(ResourceKind::Power);
    let (idle, cool) = rests(sampled_trial.case);
    let is_rested = idle > 0.0 || cool > 0.0;
    if !is_rested || !sampled_trial.series().any(|s| is_hot(&s)) {
        return None;
    }
    let panels = panels::of_heat(sampled_trial);
    let tracks = || panels.iter().flat_map(|p| &p.tracks);
    if panels.is_empty() {
        return None;
    }
    let span = extent(tracks().map(|t| (t.start_s, t.interval_s, t.values.len())), &sampled_trial.window);
    let length = sampled_trial.window.seconds();
    let phase = |key: &str, from: f64, to: f64| {
        let name = words.say(key);
        (to > from).then_some(PhaseSpan { from, to, name })
    };
    let phases = [
        phase("figure-phase-idle", span.0, (span.0 + idle).min(0.0)),
        phase("figure-phase-cool-down", length, (length + cool).min(span.1)),
    ];
    let phases = phases.into_iter().flatten().collect();
    let plot = Panels { span, window: Some((0.0, length)), phases, panels };
    let notes = rises(sampled_trial, span.0 + idle);
    Some(Figure::new("heat-over-time", title, plot).note(notes))
}

/// From what to what the hottest sensors rose: the middle of the rest, and the
/// most in the window.
fn rises(sampled_trial: &SampledTrial<'_>, idle_ends: f64) -> Vec<String> {
    let of = |series: &Series| {
        let track = sampled_trial.track(series, String::new(), 1.0)?;
        let at = |i: usize| track.start_s + track.interval_s * i as f64;
        let part = |from: f64, to: f64| -> Vec<f64> {
            let all = track.values.iter().enumerate();
            all.filter(|(i, v)| v.is_finite() && at(*i) >= from && at(*i) < to).map(|(_, v)| *v).collect()
        };
        let before = stats::interval::median(&part(f64::MIN, idle_ends.min(0.0)))?;
        let most = part(0.0, sampled_trial.window.seconds()).into_iter().fold(f64::MIN, f64::max);
        (most - before >= RISE_LEAST)
            .then(|| (resource_label(sampled_trial.view.words, &series.resource), before, most))
    };
    let temperatures =
        sampled_trial.series().filter(|s| s.name == series::TEMPERATURE && s.unit == Unit::Celsius);
    let mut all: Vec<(String, f64, f64)> = temperatures.filter_map(of).collect();
    all.sort_by(|a, b| (b.2 - b.1).total_cmp(&(a.2 - a.1)));
    let degrees = |value: f64| Value::Text(format::setting(value.round(), Unit::Celsius));
    let tell = |(name, before, most): &(String, f64, f64)| {
        let args = [
            ("sensor", Value::Text(name.clone())),
            ("before", degrees(*before)),
            ("most", degrees(*most)),
            ("rise", degrees(most - before)),
        ];
        sampled_trial.view.words.tell("figure-rise", &args)
    };
    all.iter().take(TOLD).map(tell).collect()
}
