//! The layers of storage stacks: cases that differ in nothing but the layer that they drive, and how much of the rate
//! below it each layer leaves.

use analysis::comparison::{ComparisonOptions, Judged, within};
use model::comparison::{Ratio, Row};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{MetricName, ParameterName, Parameters, Run, Value, WorkloadName};

use crate::change::{self, Change};
use crate::view::View;

/// The cases that differ in nothing but the layer that they drive, the lowest first.
pub(crate) struct Waterfall<'a> {
    pub(crate) layer: ParameterName,
    pub(crate) cases: Vec<&'a CaseResult>,
}

impl Waterfall<'_> {
    /// What a layer is called.
    pub(crate) fn name(&self, case: &CaseResult) -> String {
        case.loads.main.parameters.get(self.layer).map(ToString::to_string).unwrap_or_default()
    }

    /// The stack whose layers they are.
    pub(crate) fn stack(&self) -> Option<&Value> {
        let main = &self.cases.first()?.loads.main;
        main.parameters.get(main.profile.parameter(Aspect::Stack)?)
    }
}

/// The stacks of these cases of which several layers were driven.
pub(crate) fn waterfalls<'a>(cases: impl IntoIterator<Item = &'a CaseResult>) -> Vec<Waterfall<'a>> {
    let mut all: Vec<((WorkloadName, Parameters), Waterfall<'a>)> = Vec::new();
    for case in cases {
        let main = &case.loads.main;
        let layer = main.profile.parameter(Aspect::Layer);
        let Some(layer) = layer.filter(|layer| main.parameters.get(*layer).is_some()) else { continue };
        let mut rest = main.parameters.clone();
        rest.remove(layer);
        let key = (main.workload, rest);
        match all.iter_mut().find(|(known, _)| *known == key) {
            Some((_, waterfall)) => waterfall.cases.push(case),
            None => all.push((key, Waterfall { layer, cases: vec![case] })),
        }
    }
    all.into_iter().map(|(_, waterfall)| waterfall).filter(|waterfall| waterfall.cases.len() > 1).collect()
}

/// How `metric` at the layer of a case stands against that at the layer below; `pair` is their run, whose cases are
/// replaced.
pub(crate) fn row(
    pair: &mut Run,
    (below, case): (&CaseResult, &CaseResult),
    layer: ParameterName,
    metric: MetricName,
) -> Option<Row> {
    pair.cases = vec![below.clone(), case.clone()];
    let metrics = [metric];
    let options = ComparisonOptions { judged: Judged::These(&metrics), ..ComparisonOptions::default() };
    let found = within(pair, layer.as_str(), &options).ok()?;
    found.rows.into_iter().find(|row| row.metric == metric)
}

/// How much of `metric` at the layer below is left at the layer of a case.
pub(crate) fn ratio(
    pair: &mut Run,
    cases: (&CaseResult, &CaseResult),
    layer: ParameterName,
    metric: MetricName,
) -> Option<Ratio> {
    row(pair, cases, layer, metric).and_then(|row| row.ratio)
}

/// A ratio with its interval, as people read it.
pub(crate) fn written(view: &View<'_>, ratio: &Ratio) -> String {
    let Change { point, interval } = change::of(ratio);
    match interval {
        Some((low, high)) => format!("{point} ({})", view.tell("range", &[("low", &low), ("high", &high)])),
        None => point,
    }
}
