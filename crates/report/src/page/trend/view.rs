//! How the sections of a trend's report call works, figures and runs.

use std::collections::BTreeSet;

use analysis::trend::{TrendPoint, TrendSeries, TrendStanding};
use language::Words;
use stats::comparison::RatioEstimate;

use super::TrendSubject;
use crate::format::Rates;
use crate::{change, label};

/// A trend as its report sees it.
pub(super) struct TrendView<'a> {
    pub(super) subject: &'a TrendSubject<'a>,
}

impl<'a> TrendView<'a> {
    pub(super) fn words(&self) -> &'static Words {
        self.subject.words
    }

    pub(super) fn say(&self, key: &str) -> String {
        self.words().say(key)
    }

    pub(super) fn tell(&self, key: &str, texts: &[(&str, &str)]) -> String {
        self.words().tell_texts(key, texts)
    }

    pub(super) fn all(&self) -> &'a [TrendSeries] {
        &self.subject.trend.series
    }

    /// The machines, each once.
    pub(super) fn machines(&self) -> Vec<String> {
        let all: BTreeSet<&str> = self.all().iter().map(|series| series.hostname.as_str()).collect();
        all.into_iter().filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// A work, with its machine where there are several.
    pub(super) fn called(&self, series: &TrendSeries) -> String {
        let own = label::short_form(&series.case).map(|own| format!(" {own}")).unwrap_or_default();
        let work = format!("{}{own}", series.workload);
        let is_alone = self.all().iter().all(|other| other.hostname == series.hostname);
        if is_alone || series.hostname.is_empty() { work } else { format!("{}: {work}", series.hostname) }
    }

    /// A work with its figure.
    pub(super) fn name(&self, series: &TrendSeries) -> String {
        let metric = label::metric(self.words(), series.metric);
        self.tell("comparison-row", &[("case", &self.called(series)), ("metric", &metric)])
    }

    /// A figure below its metric's title.
    pub(super) fn figure(&self, series: &TrendSeries, value: f64) -> String {
        let title = label::title(series.metric);
        Rates::of(series.rate_unit).under_title(value, series.unit, &title)
    }

    /// The interval of a run's figure; empty where it has none.
    pub(super) fn interval(&self, series: &TrendSeries, point: &TrendPoint) -> String {
        match Rates::of(series.rate_unit).interval_ends(&point.estimate) {
            Some((low, high)) if low.is_empty() || high.is_empty() => self.say("interval-wide"),
            Some((low, high)) => self.tell("range", &[("low", &low), ("high", &high)]),
            None => String::new(),
        }
    }

    /// How much one level is of another: `-5.2 %`, and the interval.
    pub(super) fn change(&self, ratio: &RatioEstimate) -> (String, String) {
        let change = change::of_parts(ratio.ratio, ratio.interval.low, ratio.interval.high);
        let interval = match &change.interval {
            Some((low, high)) => self.tell("range", &[("low", low), ("high", high)]),
            None => self.say("interval-wide"),
        };
        (change.point, interval)
    }

    /// The same of a level that begins with the run at `from`; where there is no ratio, its median.
    pub(super) fn change_to(
        &self,
        series: &TrendSeries,
        from: usize,
        ratio: Option<&RatioEstimate>,
    ) -> (String, String) {
        if let Some(ratio) = ratio {
            return self.change(ratio);
        }
        let level = series.levels().into_iter().find(|level| level.from == from);
        let median = level.map(|level| self.figure(series, level.median)).unwrap_or_default();
        (median, self.say("trend-no-ratio"))
    }

    /// The same of the level of now.
    pub(super) fn standing(&self, series: &TrendSeries, standing: &TrendStanding) -> (String, String) {
        let from = series.steps.last().map_or(0, |step| step.place.at);
        self.change_to(series, from, standing.ratio.as_ref())
    }

    /// What a person said of a run, and that it is a baseline.
    pub(super) fn said(&self, point: &TrendPoint) -> String {
        let baseline =
            point.accepted.as_deref().map(|time| self.tell("trend-accepted", &[("date", day(time))]));
        let said = self.subject.said.get(&point.run).cloned();
        baseline.into_iter().chain(said).collect::<Vec<_>>().join("; ")
    }
}

/// The day of a time in RFC 3339.
pub(super) fn day(time: &str) -> &str {
    time.get(..10).unwrap_or(time)
}
