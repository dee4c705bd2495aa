//! Which cases of a group take the next trials: what [`stats::allocation`] says of the trials so far
//! and of the time that is left.

use std::collections::BTreeSet;

use model::metric;
use model::plan::Case;
use model::run::CaseRole;
use model::workload::Catalogue;
use stats::allocation::{self, CaseProgress};
use stats::stopping::StoppingRule;

use super::Execution;

impl Execution<'_> {
    /// The cases of a group's next block but for these; none where all have trials enough.
    pub(super) fn next_cases(&self, group: usize, but: &BTreeSet<usize>) -> Vec<Case> {
        let open: Vec<&Case> = self
            .plan
            .group(group)
            .filter(|case| !but.contains(&case.index) && self.may_have_more(case))
            .collect();
        let values: Vec<Vec<f64>> = open.iter().map(|case| self.values(case)).collect();
        let likenesses: Vec<String> = open.iter().map(|case| likeness(case, self.catalogue)).collect();
        let progress = |(place, case): (usize, &&Case)| CaseProgress {
            comparison: likenesses.iter().position(|l| *l == likenesses[place]).unwrap_or(place),
            values: &values[place],
            trials: self.tried(case),
            trial_s: self.meter.took_s(case),
        };
        let progress: Vec<CaseProgress<'_>> = open.iter().enumerate().map(progress).collect();
        let block = allocation::next_block(&self.stopping_rule(), &progress, self.meter.left_s(group));
        block.into_iter().map(|place| open[place].clone()).collect()
    }

    /// Whether `case` needs another trial: by number at first, by precision of
    /// its headline metric then.
    pub(super) fn wants_more(&self, case: &Case) -> bool {
        let progress = CaseProgress {
            comparison: 0,
            values: &self.values(case),
            trials: self.tried(case),
            trial_s: case.trial_s,
        };
        self.may_have_more(case) && progress.wants_more(&self.stopping_rule())
    }

    /// Whether a case is one that takes trials of its own.
    fn may_have_more(&self, case: &Case) -> bool {
        let result = &self.run.cases[case.index];
        // What is added for a verdict is measured with it.
        let is_added = match result.role {
            CaseRole::Observed { of } => matches!(self.run.cases[of].role, CaseRole::Extra { .. }),
            CaseRole::Extra { .. } => true,
            _ => result.is_auxiliary(),
        };
        !is_added && !self.has_failed(case)
    }

    /// What the trials of a case gave, in the order measured.
    fn values(&self, case: &Case) -> Vec<f64> {
        let result = &self.run.cases[case.index];
        let names = [metric::ELAPSED, result.loads.main.profile.watched()];
        let trials = result.trials.iter();
        let found = trials.filter_map(|t| names.iter().find_map(|name| t.result.main().metrics.get(name)));
        found.map(|quantity| quantity.value).collect()
    }

    fn stopping_rule(&self) -> StoppingRule {
        let controls = &self.plan.controls;
        StoppingRule {
            min: controls.trials_min as usize,
            max: controls.trials_max as usize,
            precision: controls.precision,
            confidence: analysis::CONFIDENCE,
        }
    }
}

/// What cases have in common that differ in nothing but how much is under way at once: verdicts hold
/// these against each other.
fn likeness(case: &Case, catalogue: &Catalogue) -> String {
    let load = |load: &model::plan::LoadSpec| {
        let spec = catalogue.workload(load.workload);
        let is_concurrency = |name: &str| {
            spec.and_then(|spec| catalogue.parameter(spec, name)).is_some_and(|p| p.is_concurrency())
        };
        let work: Vec<String> = load
            .parameters
            .iter()
            .filter(|(name, _)| !is_concurrency(name.as_str()))
            .map(|(name, value)| format!("{name}={value:?}"))
            .collect();
        (load.workload, work)
    };
    format!("{:?} {:?}", case.loads.iter().map(load).collect::<Vec<_>>(), case.settings)
}
