//! One figure of like work over many runs: its levels, where it stepped from one to another, what of the machine
//! and of Headroom changed there, and whether it is worse now than it was.
//!
//! A series is of one machine and of one work (`work_id`), done in the same place, for the same time and with the
//! same settings: what differs in any of these is a series of its own. Steps are those of
//! [`stats::change_point`], in the logarithms of the runs' medians; what the trials of a run spread among
//! themselves is less than what runs do, and is shown only.
//!
//! What changed with a step is told, and not that it is the cause.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

use model::comparison::{Difference, Verdict};
use model::metric::Statistic;
use model::profile::RateUnit;
use model::run::{CaseResult, CaseRole, Estimate};
use model::{Better, Label, MetricName, Run, Unit, WorkloadName, metric};
use stats::change_point::{self, LEAST, SIGNIFICANCE};
use stats::comparison::{self, ConfidenceLevel, Judgement, Preference, RatioEstimate, unpaired_ratio};

use crate::comparison::environment::{self, Facts, View};
use crate::comparison::words;
use crate::{CONFIDENCE, estimate_case, headline, measure};

/// Series of fewer runs are not looked at for steps: three runs make a level.
const RUNS_LEAST: usize = 2 * LEAST;

/// Like work over many runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// How many runs were looked at.
    pub runs: usize,
    /// The difference that does not matter, as a fraction.
    pub margin: f64,
    /// Runs of a series at least, before a step can be seen: more where there are more series.
    pub runs_least: usize,
    /// Each work, in the order in which it first comes.
    pub series: Vec<TrendSeries>,
}

impl Trend {
    /// Whether anything is worse than it was.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.series.iter().any(|series| series.verdict() == Some(Verdict::Worse))
    }
}

/// One figure of one work over the runs that have it, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendSeries {
    /// What the newest run calls the case.
    pub case: Label,
    /// What the machine calls itself; empty where no machine is known.
    pub hostname: String,
    /// The workload.
    pub workload: WorkloadName,
    /// What its rates are written in.
    pub rate_unit: RateUnit,
    /// The metric.
    pub metric: MetricName,
    /// The unit of all figures.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// The runs, each with its figure.
    pub points: Vec<TrendPoint>,
    /// Where it stepped, in order.
    pub steps: Vec<TrendStep>,
    /// The level of now against the one before, or against that of the baseline; absent where it is the same
    /// level.
    pub standing: Option<TrendStanding>,
}

/// The figure of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendPoint {
    /// The run.
    pub run: String,
    /// When it started, RFC 3339, UTC.
    pub started: String,
    /// What its trials say.
    pub estimate: Estimate,
    /// When it was accepted as a baseline, RFC 3339, UTC; absent where it is none.
    pub accepted: Option<String>,
}

/// A step from one level to another.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendStep {
    /// The place of the first run of the new level, and the places at which it may be instead.
    pub place: change_point::ChangePoint,
    /// The new level against the one before; absent where there is no ratio.
    pub ratio: Option<RatioEstimate>,
    /// What changed there.
    pub changes: Vec<TrendChange>,
}

/// What changed from one run to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendChange {
    /// The place of the first run that has it.
    pub at: usize,
    /// What it is.
    pub difference: Difference,
}

/// The level of now against an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrendStanding {
    /// Whether the earlier one is that of the baseline; otherwise it is the one before.
    pub is_baseline: bool,
    /// How much the level of now is of it; absent where there is no ratio, as to a level of 0.
    pub ratio: Option<RatioEstimate>,
    /// What may be said.
    pub verdict: Verdict,
}

/// One level: from a place to before another, with the median of its runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrendLevel {
    /// The place of its first run.
    pub from: usize,
    /// The place behind its last run.
    pub to: usize,
    /// The median of its runs, in the unit of the series.
    pub median: f64,
}

impl TrendSeries {
    /// The place of the run that was accepted last as a baseline.
    #[must_use]
    pub fn baseline(&self) -> Option<usize> {
        let accepted = self.points.iter().enumerate().filter(|(_, point)| point.accepted.is_some());
        accepted.max_by(|(_, a), (_, b)| a.accepted.cmp(&b.accepted)).map(|(place, _)| place)
    }

    /// Better, worse or the same as before, or as the baseline; absent where it is the same level.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        self.standing.map(|standing| standing.verdict)
    }

    /// Its levels, in order.
    #[must_use]
    pub fn levels(&self) -> Vec<TrendLevel> {
        let bounds = self.bounds();
        let level = |ends: &[usize]| {
            let median = stats::interval::median(&self.figures(ends[0], ends[1]))?;
            Some(TrendLevel { from: ends[0], to: ends[1], median })
        };
        bounds.windows(2).filter_map(level).collect()
    }

    /// Where levels begin, and the end.
    fn bounds(&self) -> Vec<usize> {
        let steps = self.steps.iter().map(|step| step.place.at);
        std::iter::once(0).chain(steps).chain([self.points.len()]).collect()
    }

    /// The figures of the runs from one place to before another.
    fn figures(&self, from: usize, to: usize) -> Vec<f64> {
        self.points[from..to].iter().map(|point| point.estimate.median).collect()
    }

    /// How the level of now stands against an earlier one.
    fn stand(&self, margin: f64) -> Option<TrendStanding> {
        let bounds = self.bounds();
        let now = self.steps.len();
        let level = |which: usize| self.figures(bounds[which], bounds[which + 1]);
        // A run at a place where the step may be was accepted for what came with the step.
        let of_baseline =
            self.baseline().map(|at| self.steps.iter().filter(|s| s.place.earliest <= at).count());
        let earlier = match of_baseline {
            Some(level) => level,
            None => now.checked_sub(1)?,
        };
        if earlier == now {
            return None;
        }
        let (new, old) = (level(now), level(earlier));
        let ratio = unpaired_ratio(&new, &old, ConfidenceLevel::from(CONFIDENCE));
        let verdict = match &ratio {
            Some(ratio) => by_ratio(ratio, self.better, margin),
            // Of neighbours it is tested that they differ.
            None if earlier + 1 == now => by_direction(&new, &old, self.better),
            None => Verdict::CannotTell,
        };
        Some(TrendStanding { is_baseline: of_baseline.is_some(), ratio, verdict })
    }
}

/// What a ratio of levels says.
fn by_ratio(ratio: &RatioEstimate, better: Better, margin: f64) -> Verdict {
    let better = match better {
        Better::Higher => Preference::Higher,
        Better::Lower => Preference::Lower,
    };
    match comparison::verdict(ratio, better, margin) {
        Judgement::Better => Verdict::Better,
        Judgement::Worse => Verdict::Worse,
        Judgement::Same => Verdict::Same,
        Judgement::CannotTell => Verdict::CannotTell,
    }
}

/// What the direction of a step says, where levels have no ratio: errors that were none and are some.
fn by_direction(new: &[f64], old: &[f64], better: Better) -> Verdict {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    match (mean(new).total_cmp(&mean(old)), better) {
        (Ordering::Equal, _) => Verdict::CannotTell,
        (Ordering::Greater, Better::Higher) | (Ordering::Less, Better::Lower) => Verdict::Better,
        (Ordering::Greater, Better::Lower) | (Ordering::Less, Better::Higher) => Verdict::Worse,
    }
}

/// Gathers runs for a trend, so that not all of them need be in memory at once.
#[derive(Default)]
pub struct TrendHistory {
    metric: Option<MetricName>,
    runs: usize,
    works: Vec<GatheredWork>,
    /// The place of each work by what tells it from others.
    places: BTreeMap<String, usize>,
}

fn is_percentile(metric: MetricName) -> bool {
    matches!(metric.statistic(), Some((_, Statistic::Percentile(_))))
}

/// A series in the making.
struct GatheredWork {
    series: TrendSeries,
    /// The circumstances of each point; what did not change since the point before is kept once.
    facts: Vec<Rc<Facts>>,
}

impl TrendHistory {
    /// For this metric; for the one that each workload shows first where none is named.
    #[must_use]
    pub fn new(metric: Option<MetricName>) -> Self {
        Self { metric, ..Self::default() }
    }

    /// Takes the next run, which began after those before it; with the time at which it was accepted as a
    /// baseline, if it was. `read` reads the run, with the histograms of its trials where it is told so: only
    /// percentiles need them, which are of all trials together. Fails if `read` does.
    pub fn follow<E>(
        &mut self,
        accepted: Option<&str>,
        read: impl Fn(bool) -> Result<Run, E>,
    ) -> Result<(), E> {
        let estimated = |with_histograms| -> Result<Run, E> {
            let mut run = read(with_histograms)?;
            // Of what is derived, a trend needs no more.
            run.cases.iter_mut().for_each(|case| estimate_case(case, &run.definitions));
            Ok(run)
        };
        let is_known = self.metric.is_some_and(is_percentile);
        let mut run = estimated(is_known)?;
        if !is_known && self.metric.is_none() && run.cases.iter().any(|case| self.is_of_histogram(case)) {
            run = estimated(true)?;
        }
        self.add(&run, accepted);
        Ok(())
    }

    /// Whether the figure of a case that is followed, where no metric is named, is or may be a percentile.
    fn is_of_histogram(&self, case: &CaseResult) -> bool {
        let load = &case.loads.main;
        if case.role != CaseRole::Asked || load.estimates.contains_key(&metric::ELAPSED) {
            return false;
        }
        is_percentile(load.profile.watched())
            || self.figure(case).is_none_or(|(metric, _)| is_percentile(metric))
    }

    /// Takes the next run with its estimates, as [`TrendHistory::follow`] does.
    pub fn add(&mut self, run: &Run, accepted: Option<&str>) {
        self.runs += 1;
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for case in run.cases.iter().filter(|case| case.role == CaseRole::Asked) {
            let Some((metric, estimate)) = self.figure(case) else { continue };
            let work = key(run, case, metric, estimate.unit);
            // A run may do the same work twice.
            let count = seen.entry(work.clone()).or_default();
            *count += 1;
            let point = TrendPoint {
                run: run.id.clone(),
                started: run.started.clone(),
                estimate: estimate.clone(),
                accepted: accepted.map(str::to_owned),
            };
            let facts = Facts::of(&View::new(run, vec![case]));
            let key = format!("{work}#{count}");
            self.put(key, begun(run, case, metric, estimate), point, Rc::new(facts));
        }
    }

    /// What was gathered, with steps and verdicts; a difference of less than `margin`, a fraction, does not
    /// matter.
    #[must_use]
    pub fn finish(self, margin: f64) -> Trend {
        let judged = self.works.iter().filter(|work| work.series.points.len() >= RUNS_LEAST).count();
        let significance = SIGNIFICANCE / judged.max(1) as f64;
        let runs_least = change_point::values_least(significance);
        let series = self.works.into_iter().map(|work| work.judged(significance, margin)).collect();
        Trend { runs: self.runs, margin, runs_least, series }
    }

    /// The figure of a case that is followed.
    fn figure<'a>(&self, case: &'a CaseResult) -> Option<(MetricName, &'a Estimate)> {
        figure(case, self.metric)
    }

    fn put(&mut self, key: String, begun: TrendSeries, point: TrendPoint, facts: Rc<Facts>) {
        let Some(place) = self.places.get(&key).copied() else {
            self.places.insert(key, self.works.len());
            let series = TrendSeries { points: vec![point], ..begun };
            self.works.push(GatheredWork { series, facts: vec![facts] });
            return;
        };
        let work = &mut self.works[place];
        work.series.case = begun.case;
        work.series.points.push(point);
        let before = work.facts.last().filter(|before| ***before == *facts).cloned();
        work.facts.push(before.unwrap_or(facts));
    }
}

/// The figure of a case that is looked at: of this metric, or of the one that its workload shows first.
pub(crate) fn figure(case: &CaseResult, metric: Option<MetricName>) -> Option<(MetricName, &Estimate)> {
    let estimates = &case.loads.main.estimates;
    let of = |metric: MetricName| Some((metric, estimates.get(&metric)?));
    // A document of version 1 does not know what its workloads show first.
    let first = || estimates.keys().next().copied().and_then(of);
    let figure = match metric {
        Some(metric) => of(metric),
        None => headline(case).or_else(|| of(metric::THROUGHPUT)).or_else(first),
    };
    figure.filter(|(_, estimate)| estimate.median.is_finite())
}

impl GatheredWork {
    /// The series with its steps and what is said of it.
    fn judged(self, significance: f64, margin: f64) -> TrendSeries {
        let Self { mut series, facts } = self;
        let figures = series.figures(0, series.points.len());
        let is_ratio = figures.iter().all(|figure| *figure > 0.0);
        let values: Vec<f64> = figures.iter().map(|f| if is_ratio { f.ln() } else { *f }).collect();
        let places = change_point::change_points(&values, significance);
        let starts: Vec<usize> = std::iter::once(0).chain(places.iter().map(|p| p.at)).collect();
        let ends = places.iter().skip(1).map(|p| p.at).chain([figures.len()]);
        let step = |((place, end), start): ((&change_point::ChangePoint, usize), &usize)| {
            let (before, after) = (&figures[*start..place.at], &figures[place.at..end]);
            TrendStep {
                place: *place,
                ratio: unpaired_ratio(after, before, ConfidenceLevel::from(CONFIDENCE)),
                changes: changes(&facts, place.earliest, place.latest),
            }
        };
        series.steps = places.iter().zip(ends).zip(&starts).map(step).collect();
        series.standing = series.stand(margin);
        series
    }
}

/// What changed with the runs from one place to another, both included.
fn changes(facts: &[Rc<Facts>], from: usize, to: usize) -> Vec<TrendChange> {
    let at = |at: usize| {
        let all = environment::between(&facts[at - 1], &facts[at], 1);
        all.into_iter().map(move |difference| TrendChange { at, difference })
    };
    (from.max(1)..=to.min(facts.len() - 1)).flat_map(at).collect()
}

/// A series without points.
fn begun(run: &Run, case: &CaseResult, metric: MetricName, estimate: &Estimate) -> TrendSeries {
    TrendSeries {
        case: case.label.clone(),
        hostname: run.machines.first().map(|machine| machine.hostname.clone()).unwrap_or_default(),
        workload: case.loads.main.workload,
        rate_unit: measure::profile(case).rate_unit,
        metric,
        unit: estimate.unit,
        better: estimate.better,
        points: Vec::new(),
        steps: Vec::new(),
        standing: None,
    }
}

/// What tells a series from others: the machine, the work, and the figure.
fn key(run: &Run, case: &CaseResult, metric: MetricName, unit: Unit) -> String {
    let hostname = run.machines.first().map_or("", |machine| &machine.hostname);
    format!("{hostname} {metric} {} {}", unit.symbol(), work_key(run, case))
}

/// What tells like work from other work on whatever machine: tool, work, place, time and settings.
pub(crate) fn work_key(run: &Run, case: &CaseResult) -> String {
    let load = &case.loads.main;
    let version = load.definition_version.map(|version| version.to_string()).unwrap_or_default();
    let mut key = format!("{} {}/{version} {}", run.origin.tool, load.workload, case.work_id);
    for load in case.loads.iter() {
        // A text takes whatever is written to it.
        let _ = write!(key, "; {}", load.workload);
        for (name, value) in load.parameters.iter() {
            let known = run.definitions.parameter(load.workload, name.as_str());
            let is_work = known.is_none_or(|known| known.work);
            let is_default = known.is_some_and(|known| known.default.as_ref() == Some(value));
            // The id of the work has those that are part of it; an old document has no id.
            if !is_default && (!is_work || case.work_id.is_empty()) {
                let _ = write!(key, " {name}={}", words::shown(value, known));
            }
        }
    }
    for setting in case.settings.keys() {
        let _ = write!(key, " {setting}={}", words::setting(case, setting).unwrap_or_default());
    }
    key
}

#[cfg(test)]
mod tests;
