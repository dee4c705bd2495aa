//! Loads that read and write at once: what reads get and what writes get, side
//! by side, and what each of them takes.

use chart::plot::{Bar, BarGroup, Bars, Line, LinePanels, Measured};
use language::Words;
use model::run::CaseResult;
use model::{LoadProfile, MetricName, metric};

use super::sweep::{self, LEVELS_LEAST};
use crate::breakdown::{self, is_done};
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput, some_of};
use crate::label;

const KIND: &str = "mixed";

/// Cases of one chart of bars.
const CASES_MOST: usize = 16;

/// One quantity of each kind of operation.
struct Quantity {
    /// How it is called, and how its numbers are written.
    metric: Metric,
    /// The names of the kinds that have it, with its name in the document.
    classes: Vec<(String, MetricName)>,
}

impl Quantity {
    /// `read_iops` and `write_iops` of `iops`: as far as these cases have them.
    fn of(words: &Words, cases: &[&CaseResult], name: MetricName) -> Option<Self> {
        let has = |own: MetricName| cases.iter().any(|c| c.loads.main.estimates.contains_key(&own));
        let own = |class: &str| {
            let own = name.of(class)?;
            has(own).then(|| (breakdown::called(words, class), own))
        };
        let loads: Vec<&LoadProfile> = cases.iter().map(|c| &c.loads.main.profile).collect();
        let classes: Vec<(String, MetricName)> =
            breakdown::classes(&loads).into_iter().filter_map(own).collect();
        let (_, first) = classes.first()?;
        let case = cases.iter().find(|c| c.loads.main.estimates.contains_key(first))?;
        let metric =
            Metric { title: label::metric_of_chart(words, name), ..Metric::of(words, case, *first)? };
        (classes.len() > 1).then_some(Self { metric, classes })
    }

    /// What a case has of one kind.
    fn at(&self, case: &CaseResult, class: usize) -> Option<Measured> {
        let estimate = case.loads.main.estimates.get(&self.classes.get(class)?.1)?;
        (estimate.unit == self.metric.unit).then(|| quantity::measured(estimate)).flatten()
    }
}

pub(super) fn charts(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Vec<Figure> {
    let words = input.view.words;
    let has = |c: &CaseResult, name: Option<MetricName>| {
        name.is_some_and(|name| c.loads.main.estimates.contains_key(&name))
    };
    let mixes = |c: &&CaseResult| {
        let own = |k: &&str| {
            let load = &c.loads.main;
            let figures = [metric::IOPS, load.profile.headline, metric::LATENCY_P99];
            is_done(&load.profile, &load.estimates, k) && figures.iter().any(|name| has(c, name.of(k)))
        };
        breakdown::classes(&[&c.loads.main.profile]).into_iter().filter(own).count() > 1
    };
    let cases: Vec<&CaseResult> = group.cases.iter().copied().filter(mixes).collect();
    let counted = quantity::common(words, &cases).map(|metric| metric.name);
    let rates = counted.filter(|name| name.statistic().is_none()).into_iter().chain([metric::IOPS]);
    let rate = rates.into_iter().find_map(|name| Quantity::of(words, &cases, name));
    let latency = Quantity::of(words, &cases, metric::LATENCY_P99);
    let axis = group.axis().filter(|a| {
        let levels = a.levels.iter().filter(|l| l.number.is_some()).count();
        levels >= LEVELS_LEAST && group.series().is_none() && cases.len() >= LEVELS_LEAST && !group.collides()
    });
    match (axis, rate) {
        (Some(axis), Some(rate)) => vec![lines(input, group, (axis, &cases), (&rate, latency.as_ref()))],
        (_, rate) => rate.into_iter().chain(latency).map(|q| bars(input, group, &cases, &q)).collect(),
    }
}

/// Over a factor: a line for reads, one for writes, and below them what they take.
fn lines(
    input: &RuleInput<'_>,
    group: &CaseGroup<'_>,
    (axis, cases): (&Factor, &[&CaseResult]),
    (rate, latency): (&Quantity, Option<&Quantity>),
) -> Figure {
    let words = input.view.words;
    let panel = |quantity: &Quantity| {
        let line = |(class, (name, _)): (usize, &(String, MetricName))| {
            let point = |c: &&CaseResult| Some((axis.number_of(c)?, quantity.at(c, class)?));
            let mut points: Vec<(f64, Measured)> = cases.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Line { name: name.clone(), points }
        };
        let lines = quantity.classes.iter().enumerate().map(line).filter(|l| !l.points.is_empty());
        let (x, y) = (quantity::factor_axis(axis), quantity.metric.axis());
        sweep::plain_lines(x, y, lines.collect(), quantity.metric.better)
    };
    let panels = std::iter::once(rate).chain(latency).map(panel).collect();
    let over = [("metric", rate.metric.title.as_str()), ("factor", &axis.title)];
    let title = words.tell_texts("figure-mixed", &[("title", &words.tell_texts("figure-over", &over))]);
    Figure::new(KIND, input.title(&title, group), LinePanels { panels })
}

/// One bar for reads, one for writes, of each case.
fn bars(input: &RuleInput<'_>, group: &CaseGroup<'_>, cases: &[&CaseResult], quantity: &Quantity) -> Figure {
    let words = input.view.words;
    let of_case = |case: &&CaseResult| BarGroup {
        label: group.label(case),
        bars: (0..quantity.classes.len())
            .filter_map(|class| {
                let value = Some(quantity.at(case, class)?);
                Some(Bar { series: class, value, reference: None, note: None })
            })
            .collect(),
    };
    let all = cases.len();
    let plot = Bars {
        value: quantity.metric.axis(),
        series: quantity.classes.iter().map(|(name, _)| name.clone()).collect(),
        groups: cases.iter().take(CASES_MOST).map(of_case).collect(),
        references: Vec::new(),
        better: Some(quantity.metric.better),
    };
    let title = words.tell_texts("figure-mixed", &[("title", &quantity.metric.title)]);
    let some = (all > CASES_MOST).then(|| some_of(words, "figure-cases-some", (CASES_MOST, all)));
    Figure::new(KIND, input.title(&title, group), plot).note(some)
}
