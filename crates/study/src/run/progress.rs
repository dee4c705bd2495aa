//! How long a run still takes, from what its trials have taken so far, and
//! what the budget allows.

use std::time::Instant;

use model::plan::{Case, Plan};

use crate::plan::{ROUNDS_MIN, case_s};

#[derive(Debug)]
pub(super) struct RunClock {
    started: Instant,
    planned_s: f64,
    done_planned_s: f64,
    budget_s: Option<f64>,
    /// By group: the share of the planned time when it ends.
    ends: Vec<f64>,
    trials_of: Vec<u32>,
    /// By case: how long its last trial took, its file included.
    took_s: Vec<f64>,
    trial_started: Instant,
}

impl RunClock {
    pub(super) fn new(plan: &Plan) -> Self {
        let least = plan.controls.trials_min;
        let group_s = |group: usize| -> f64 { plan.group(group).map(|c| case_s(c, least, ROUNDS_MIN)).sum() };
        let all: f64 = (0..plan.groups).map(group_s).sum();
        let mut sum = 0.0;
        let ends = (0..plan.groups)
            .map(|group| {
                sum += group_s(group);
                sum / all.max(f64::MIN_POSITIVE)
            })
            .collect();
        Self {
            started: Instant::now(),
            planned_s: all,
            done_planned_s: 0.0,
            budget_s: plan.controls.budget_s,
            ends,
            trials_of: vec![0; plan.cases.len()],
            took_s: plan.cases.iter().map(|c| c.trial_s).collect(),
            trial_started: Instant::now(),
        }
    }

    /// Whether the budget has room for another trial of `case`. The first trial
    /// of a case is afforded as long as there is any budget at all, so that a
    /// short budget gives every case something before it gives one case much.
    pub(super) fn affords(&self, group: usize, case: &Case) -> bool {
        let Some(budget) = self.budget_s else { return true };
        let elapsed = self.started.elapsed().as_secs_f64();
        let share = self.ends.get(group).copied().unwrap_or(1.0);
        let end = if self.trials_of[case.index] == 0 { budget } else { budget * share };
        elapsed + self.took_s[case.index] <= end
    }

    /// Whether the budget has room for another trial of `case` beside `more_s` seconds of what its
    /// group has still to do.
    pub(super) fn affords_beside(&self, group: usize, case: &Case, more_s: f64) -> bool {
        let Some(budget) = self.budget_s else { return true };
        let share = self.ends.get(group).copied().unwrap_or(1.0);
        self.started.elapsed().as_secs_f64() + self.took_s[case.index] + more_s <= budget * share
    }

    /// How long a trial of `case` takes, by its last one, in seconds.
    pub(super) fn took_s(&self, case: &Case) -> f64 {
        self.took_s[case.index]
    }

    /// How much of a group's share of the budget is left, in seconds, if there is one.
    pub(super) fn left_s(&self, group: usize) -> Option<f64> {
        let share = self.ends.get(group).copied().unwrap_or(1.0);
        self.budget_s.map(|budget| (budget * share - self.started.elapsed().as_secs_f64()).max(0.0))
    }

    /// So many of the planned seconds were done by the run before it was resumed.
    pub(super) fn leave_out(&mut self, seconds: f64) {
        self.planned_s = (self.planned_s - seconds).max(0.0);
    }

    /// Takes up a case that the plan did not have.
    pub(super) fn add(&mut self, case: &Case) {
        self.trials_of.resize(self.trials_of.len().max(case.index + 1), 0);
        self.took_s.resize(self.took_s.len().max(case.index + 1), 0.0);
        self.took_s[case.index] = case.trial_s;
    }

    /// From now on no group has a share of its own: each may use all that is left.
    pub(super) fn share_no_more(&mut self) {
        self.ends.fill(1.0);
    }

    /// Whether the budget is used up: a trial under way ends then.
    pub(super) fn is_over(&self) -> bool {
        self.budget_s.is_some_and(|budget| self.started.elapsed().as_secs_f64() > budget)
    }

    /// A trial begins, with the making of its file.
    pub(super) fn trial_starts(&mut self) {
        self.trial_started = Instant::now();
    }

    /// A trial of `case` ended: seconds done, and in all as it now looks.
    pub(super) fn trial_done(&mut self, case: &Case) -> (f64, f64) {
        // The first trial made the file, which the next will find.
        if self.trials_of[case.index] > 0 || case.fixtures.is_empty() {
            self.took_s[case.index] = self.trial_started.elapsed().as_secs_f64();
        }
        self.trials_of[case.index] += 1;
        self.done_planned_s += case.trial_s;
        let elapsed = self.started.elapsed().as_secs_f64();
        let left_planned = (self.planned_s - self.done_planned_s).max(0.0);
        let total = elapsed + left_planned * (elapsed / self.done_planned_s.max(0.001)).clamp(0.5, 3.0);
        (elapsed, self.budget_s.map_or(total, |budget| total.min(budget)))
    }
}

#[cfg(test)]
mod tests {
    use model::plan::Effect;
    use model::study::Controls;

    use super::*;

    fn plan(budget_s: f64) -> Plan {
        let case = |index: usize| Case {
            index,
            work_id: String::new(),
            label: model::Label::default(),
            loads: Vec::new(),
            settings: Vec::new(),
            fixtures: Vec::new(),
            effect: Effect::Clean,
            path: Vec::new(),
            limits: Vec::new(),
            search: None,
            search_s: None,
            take_cpu: None,
            observe: Vec::new(),
            group: index,
            trial_s: 600.0,
        };
        let controls = Controls { budget_s: Some(budget_s), ..Controls::default() };
        Plan { cases: vec![case(0), case(1)], groups: 2, controls, seconds: (0.0, 0.0) }
    }

    #[test]
    fn a_group_keeps_to_its_share_of_the_budget_until_the_others_are_done() {
        let plan = plan(1000.0);
        let mut meter = RunClock::new(&plan);
        let first = &plan.cases[0];
        assert!(meter.affords(0, first), "a first trial needs only some budget");
        // Ten minutes are more than the group's half of the budget.
        meter.trials_of[0] = 1;
        assert!(!meter.affords(0, first));
        meter.share_no_more();
        assert!(meter.affords(0, first));
        let mut none = RunClock::new(&super::tests::plan(500.0));
        none.trials_of[0] = 1;
        none.share_no_more();
        assert!(!none.affords(0, first), "there is no more than the budget");
    }
}
