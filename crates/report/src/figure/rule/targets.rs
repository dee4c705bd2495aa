//! What each of several targets gave that were driven at once.

use chart::plot::{Bar, BarGroup, Bars};
use model::run::{CaseResult, TargetResult};
use model::{Kind, MetricName, Value, metric};

use super::by_findings;
use crate::figure::factors::{CaseGroup, Factor, label, short_path};
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput};

/// Cases side by side that are told apart at a glance.
const CASES_MOST: usize = 6;

/// Bars of one chart.
const BARS_MOST: usize = 48;

/// The figure that targets have, as their case is asked for it.
fn figure(input: &RuleInput<'_>, cases: &[&CaseResult]) -> Option<Metric> {
    let words = input.view.words;
    let wanted = quantity::common(words, cases)?;
    let names = [wanted.name, metric::THROUGHPUT, metric::IOPS];
    let targets = || cases.iter().flat_map(|c| &c.loads.main.targets);
    let has = |name: &MetricName| targets().all(|t| t.estimates.contains_key(name));
    let name = names.into_iter().find(|n| has(n))?;
    let estimate = targets().next()?.estimates.get(&name)?;
    let mut metric = Metric::of_quantity(words, cases.first()?, (name, estimate.unit));
    metric.better = estimate.better;
    Some(metric)
}

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let with: Vec<&CaseResult> =
        group.cases.iter().copied().filter(|c| c.loads.main.targets.len() > 1).collect();
    let names: Vec<&str> = with.first()?.loads.main.targets.iter().map(|t| t.target.as_str()).collect();
    let alike: Vec<&CaseResult> = with
        .iter()
        .copied()
        .filter(|c| c.loads.main.targets.iter().map(|t| t.target.as_str()).eq(names.iter().copied()))
        .collect();
    let fits = alike.len() <= CASES_MOST && alike.len() * names.len() <= BARS_MOST;
    // Of many, the one that tells most.
    let (cases, some) = match fits && alike.len() == with.len() {
        true => (alike, false),
        false => (vec![by_findings(&with)?.0], with.len() > 1),
    };
    let metric = figure(input, &cases)?;
    let bar = |series: usize, case: &CaseResult, name: &str| {
        let own: &TargetResult = case.loads.main.targets.iter().find(|t| t.target == name)?;
        let value = own.estimates.get(&metric.name).and_then(quantity::measured);
        Some(Bar {
            series,
            value,
            reference: None,
            note: value.is_none().then(|| words.say("figure-no-result")),
        })
    };
    let names: Vec<&str> = cases.first()?.loads.main.targets.iter().map(|t| t.target.as_str()).collect();
    let groups = names.iter().map(|name| BarGroup {
        label: short_path(name),
        bars: cases.iter().enumerate().filter_map(|(i, c)| bar(i, c, name)).collect(),
    });
    let series = match cases.as_slice() {
        [_] => Vec::new(),
        // The figure itself shows that there are several targets.
        several => {
            let others: Vec<Factor> =
                group.factors.iter().filter(|f| f.kind != Some(Kind::Path)).cloned().collect();
            let own = || several.iter().map(|c| label(&others, c)).collect::<Vec<_>>();
            let whole = || several.iter().map(|c| group.label(c)).collect();
            let mut told = own();
            told.sort();
            told.dedup();
            if others.is_empty() || told.len() < several.len() { whole() } else { own() }
        }
    };
    let name = ("metric", Value::Text(metric.title.clone()));
    let title = match cases.as_slice() {
        [only] if group.cases.len() > 1 => {
            words.tell("figure-targets-of", &[name, ("case", Value::Text(group.label(only)))])
        }
        _ => words.tell("figure-targets", &[name]),
    };
    let plot = Bars {
        value: metric.axis(),
        series,
        groups: groups.collect(),
        references: Vec::new(),
        better: Some(metric.better),
    };
    let figure = Figure::new("targets", input.title(&title, group), plot);
    Some(figure.note(some.then(|| words.say("figure-targets-some"))))
}
