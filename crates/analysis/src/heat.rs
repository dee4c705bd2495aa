//! How warm a machine gets, how fast its cores run and what they draw: idle,
//! under load and cooling down. Made from the series of a trial alone, so that
//! old runs and other machines' can be looked at the same way.
//!
//! Idle and load are held against each other by their last thirds: the first of
//! idle still cools from what ran before, the first of load still warms. What a
//! machine does not show is absent.

mod readings;

use std::collections::BTreeMap;

use model::run::CaseResult;
use model::trial::{Series, Trial, TrialResult, Window};
use model::{Resource, ResourceKind, SeriesName, series};

use crate::measure;
use readings::SampledReadings;

/// Within so many kelvin of where it ends, a temperature is steady, or within
/// this part of its rise, whichever is more: sensors have steps of 1 K.
const STEADY_K: f64 = 1.0;
const STEADY_PART: f64 = 0.1;

/// What one trial, or the trials of a case, showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heat {
    /// By sensor, the one that the load warmed most first.
    pub sensors: Vec<Warming>,
    /// By CPU.
    pub clocks: Vec<Clock>,
    /// By zone, packages and their parts.
    pub power: Vec<PowerDraw>,
    /// Joules of all packages for one operation, idle draw included.
    pub energy_per_operation: Option<f64>,
}

/// When a temperature under load was where it stayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettledTemperature {
    /// So many seconds after the load began.
    After(f64),
    /// Not within the first two thirds of the window.
    NotYet,
}

/// One sensor, in degrees Celsius and seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Warming {
    /// `sensor:coretemp/Core 0`.
    pub resource: Resource,
    /// The mean of the last third of idle.
    pub idle: Option<f64>,
    /// The mean of the last third of the window.
    pub load: f64,
    /// The highest, until the end of the cool-down.
    pub peak: f64,
    /// When it was where it stayed; only with an idle to rise from.
    pub settled: Option<SettledTemperature>,
    /// How long after the window half of the rise was gone.
    pub half_s: Option<f64>,
}

impl Warming {
    /// What the load added, kelvin.
    #[must_use]
    pub fn rise(&self) -> Option<f64> {
        Some(self.load - self.idle?)
    }
}

/// The clock of one CPU, Hz.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    /// `cpu:0`.
    pub resource: Resource,
    /// The mean of the last third of idle.
    pub idle: Option<f64>,
    /// The mean of the first third of the load.
    pub first: f64,
    /// The mean of the last third of the window.
    pub last: f64,
}

/// What one zone drew, W.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerDraw {
    /// `power:package-0`.
    pub resource: Resource,
    /// The mean of the last third of idle.
    pub idle: Option<f64>,
    /// The mean of the window.
    pub load: f64,
}

/// The spans of a trial, ns.
#[derive(Clone, Copy, Debug)]
struct Spans {
    idle: Option<(u64, u64)>,
    load_ns: u64,
    window: Window,
}

impl Spans {
    fn of(trial: &Trial, idle_s: Option<f64>) -> Option<Self> {
        let window = trial.result.window?;
        let begin_ns = trial.result.local().series.iter().map(|s| s.start_ns).min()?;
        let idle_ns = (idle_s.unwrap_or(0.0).max(0.0) * 1e9) as u64;
        let load_ns = begin_ns.saturating_add(idle_ns).min(window.start_ns);
        let idle = (idle_ns > 0 && begin_ns < load_ns).then_some((begin_ns, load_ns));
        Some(Self { idle, load_ns: if idle.is_some() { load_ns } else { window.start_ns }, window })
    }

    /// The last third of a span.
    fn tail((from, to): (u64, u64)) -> (u64, u64) {
        (to - (to - from) / 3, to)
    }

    fn idle_tail(&self) -> Option<(u64, u64)> {
        self.idle.map(Self::tail)
    }

    fn window_tail(&self) -> (u64, u64) {
        Self::tail((self.window.start_ns, self.window.end_ns))
    }
}

/// What the good trials of a case showed, the median of each figure; empty where
/// they show nothing.
#[must_use]
pub fn of_case(case: &CaseResult) -> Heat {
    let idle_s = case.loads.main.profile.idle_s;
    let all: Vec<Heat> = measure::good(case).map(|trial| of_trial(trial, idle_s)).collect();
    let mut heat = Heat {
        sensors: joined(&all, |h| &h.sensors, |w| &w.resource, median_warming),
        clocks: joined(&all, |h| &h.clocks, |c| &c.resource, median_clock),
        power: joined(&all, |h| &h.power, |p| &p.resource, median_draw),
        energy_per_operation: median(all.iter().filter_map(|h| h.energy_per_operation)),
    };
    heat.sensors.sort_by(|a, b| b.rise().unwrap_or(0.0).total_cmp(&a.rise().unwrap_or(0.0)));
    heat
}

/// What one trial showed; `idle_s` is for how long nothing ran at its begin.
#[must_use]
pub fn of_trial(trial: &Trial, idle_s: Option<f64>) -> Heat {
    let Some(spans) = Spans::of(trial, idle_s) else { return Heat::default() };
    let mut heat = Heat::default();
    for ((resource, name), pieces) in by_name(trial) {
        match name {
            series::TEMPERATURE => {
                heat.sensors.extend(warming(resource, &SampledReadings::stands(&pieces), &spans));
            }
            series::FREQUENCY => {
                heat.clocks.extend(clock(resource, &SampledReadings::stands(&pieces), &spans))
            }
            series::POWER => heat.power.extend(draw(resource, &SampledReadings::flows(&pieces), &spans)),
            _ => {}
        }
    }
    heat.energy_per_operation = energy_per_operation(&trial.result);
    heat
}

/// Joules of all packages for one operation in the window of a trial, idle draw included; none where a package was not
/// read in the window, or operations are not counted.
#[must_use]
pub fn energy_per_operation(result: &TrialResult) -> Option<f64> {
    let window = result.window?;
    let mut zones: BTreeMap<&Resource, Vec<&Series>> = BTreeMap::new();
    // Parts of a package are in it already.
    for piece in result.series().filter(|s| s.name == series::POWER && is_package(&s.resource)) {
        zones.entry(&piece.resource).or_default().push(piece);
    }
    let span = (window.start_ns, window.end_ns);
    let draws: Option<Vec<f64>> =
        zones.values().map(|pieces| SampledReadings::flows(pieces).mean(span)).collect();
    let watts: f64 = draws.filter(|draws| !draws.is_empty())?.iter().sum();
    let rate = measure::rate_of(&result.main().metrics).filter(|rate| *rate > 0.0)?;
    Some(watts / rate)
}

/// Whether a zone of power is a whole package, not a part of one.
#[must_use]
pub fn is_package(resource: &Resource) -> bool {
    resource
        .named(ResourceKind::Power)
        .is_some_and(|name| name.starts_with("package-") && !name.contains('/'))
}

/// What has to do with heat.
const NAMES: &[SeriesName] = &[series::TEMPERATURE, series::FREQUENCY, series::POWER];

/// The pieces of each of these series of the machine, in order of resource and name.
fn by_name(trial: &Trial) -> BTreeMap<(&Resource, SeriesName), Vec<&Series>> {
    let mut all: BTreeMap<(&Resource, SeriesName), Vec<&Series>> = BTreeMap::new();
    for series in trial.result.series().filter(|series| NAMES.contains(&series.name)) {
        all.entry((&series.resource, series.name)).or_default().push(series);
    }
    all
}

fn warming(resource: &Resource, course: &SampledReadings, spans: &Spans) -> Option<Warming> {
    let end_ns = spans.window.end_ns;
    let load = course.mean(spans.window_tail()).or_else(|| course.last((spans.load_ns, end_ns)))?;
    let idle = spans.idle_tail().and_then(|tail| course.mean(tail));
    let peak = course.highest((spans.load_ns, u64::MAX))?;
    let settled = idle.map(|idle| {
        let within = (STEADY_PART * (load - idle).abs()).max(STEADY_K);
        let since = course.stays((spans.load_ns, end_ns), |value| (value - load).abs() <= within);
        match since.filter(|at| *at <= spans.window_tail().0) {
            Some(at) => SettledTemperature::After(at.saturating_sub(spans.load_ns) as f64 / 1e9),
            None => SettledTemperature::NotYet,
        }
    });
    let half_s = idle.filter(|idle| load - idle > STEADY_K).and_then(|idle| {
        let half = idle + (load - idle) / 2.0;
        let at = course.first((end_ns, u64::MAX), |value| value <= half)?;
        Some(at.saturating_sub(end_ns) as f64 / 1e9)
    });
    Some(Warming { resource: Resource::from(resource), idle, load, peak, settled, half_s })
}

fn clock(resource: &Resource, course: &SampledReadings, spans: &Spans) -> Option<Clock> {
    let (from, to) = (spans.load_ns, spans.window.end_ns);
    Some(Clock {
        resource: Resource::from(resource),
        idle: spans.idle_tail().and_then(|tail| course.mean(tail)),
        first: course.mean((from, from + to.saturating_sub(from) / 3))?,
        last: course.mean(spans.window_tail())?,
    })
}

fn draw(resource: &Resource, course: &SampledReadings, spans: &Spans) -> Option<PowerDraw> {
    Some(PowerDraw {
        resource: Resource::from(resource),
        idle: spans.idle_tail().and_then(|tail| course.mean(tail)),
        load: course.mean((spans.window.start_ns, spans.window.end_ns))?,
    })
}

/// What all trials say of each resource, made one.
fn joined<T>(
    all: &[Heat],
    of: impl Fn(&Heat) -> &Vec<T>,
    name: impl Fn(&T) -> &Resource,
    one: impl Fn(&Resource, &[&T]) -> Option<T>,
) -> Vec<T> {
    let mut by: BTreeMap<&Resource, Vec<&T>> = BTreeMap::new();
    for item in all.iter().flat_map(of) {
        by.entry(name(item)).or_default().push(item);
    }
    by.into_iter().filter_map(|(name, items)| one(name, &items)).collect()
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    stats::interval::median(&values.collect::<Vec<_>>())
}

fn median_warming(resource: &Resource, all: &[&Warming]) -> Option<Warming> {
    let settled: Vec<SettledTemperature> = all.iter().filter_map(|w| w.settled).collect();
    let after = settled.iter().filter_map(|s| match s {
        SettledTemperature::After(seconds) => Some(*seconds),
        SettledTemperature::NotYet => None,
    });
    let after: Vec<f64> = after.collect();
    let settled = match (after.len() * 2 > settled.len(), settled.is_empty()) {
        (_, true) => None,
        (true, _) => median(after.into_iter()).map(SettledTemperature::After),
        (false, _) => Some(SettledTemperature::NotYet),
    };
    Some(Warming {
        resource: Resource::from(resource),
        idle: median(all.iter().filter_map(|w| w.idle)),
        load: median(all.iter().map(|w| w.load))?,
        peak: all.iter().map(|w| w.peak).max_by(f64::total_cmp)?,
        settled,
        half_s: median(all.iter().filter_map(|w| w.half_s)),
    })
}

fn median_clock(resource: &Resource, all: &[&Clock]) -> Option<Clock> {
    Some(Clock {
        resource: Resource::from(resource),
        idle: median(all.iter().filter_map(|c| c.idle)),
        first: median(all.iter().map(|c| c.first))?,
        last: median(all.iter().map(|c| c.last))?,
    })
}

fn median_draw(resource: &Resource, all: &[&PowerDraw]) -> Option<PowerDraw> {
    Some(PowerDraw {
        resource: Resource::from(resource),
        idle: median(all.iter().filter_map(|p| p.idle)),
        load: median(all.iter().map(|p| p.load))?,
    })
}

#[cfg(test)]
pub(crate) mod tests;
