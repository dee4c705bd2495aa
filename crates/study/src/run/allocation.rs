//! Which cases of a group take the next trials: what [`stats::allocation`] says of the trials so far
//! and of the time that is left.

use std::collections::BTreeSet;

use model::metric;
use model::plan::Case;
use model::run::{CaseRole, Run};
use model::study::Controls;
use model::trial::{Status, Trial};
use model::workload::Catalogue;
use stats::allocation::{self, CaseProgress};
use stats::stopping::StoppingRule;

use super::Execution;
use super::rounds::has_failed;

/// The trials that a run has, held against those that it is to have.
pub(super) struct TrialsSoFar<'a> {
    pub(super) run: &'a Run,
    pub(super) controls: &'a Controls,
    /// The order of the first trial since the run was resumed.
    pub(super) resumed_from: u32,
}

impl Execution<'_> {
    pub(super) fn so_far(&self) -> TrialsSoFar<'_> {
        let (run, controls) = (&self.run, &self.plan.controls);
        TrialsSoFar { run, controls, resumed_from: self.resumed_from }
    }

    /// The cases of a group's next block but for these; none where all have trials enough.
    pub(super) fn next_cases(&self, group: usize, but: &BTreeSet<usize>) -> Vec<Case> {
        let so_far = self.so_far();
        let open: Vec<&Case> = self
            .plan
            .group(group)
            .filter(|case| !but.contains(&case.index) && so_far.may_have_more(case))
            .collect();
        let values: Vec<Vec<f64>> = open.iter().map(|case| so_far.values(case)).collect();
        let likenesses: Vec<String> = open.iter().map(|case| likeness(case, self.catalogue)).collect();
        let progress = |(place, case): (usize, &&Case)| CaseProgress {
            comparison: likenesses.iter().position(|l| *l == likenesses[place]).unwrap_or(place),
            values: &values[place],
            trials: so_far.tried(case),
            trial_s: self.meter.took_s(case),
        };
        let progress: Vec<CaseProgress<'_>> = open.iter().enumerate().map(progress).collect();
        let block = allocation::next_block(&so_far.stopping_rule(), &progress, self.meter.left_s(group));
        block.into_iter().map(|place| open[place].clone()).collect()
    }

    /// Whether `case` needs another trial: by number at first, by precision of
    /// its headline metric then.
    pub(super) fn wants_more(&self, case: &Case) -> bool {
        self.so_far().wants_more(case)
    }
}

impl TrialsSoFar<'_> {
    /// The trials of a case that count as tried: those that failed before the gap are tried again.
    pub(super) fn tried(&self, case: &Case) -> usize {
        let counts = |trial: &&Trial| trial.status != Status::Failed || trial.order >= self.resumed_from;
        self.run.cases[case.index].trials.iter().filter(counts).count()
    }

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
        !is_added && !has_failed(result)
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
        let controls = self.controls;
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
