//! One block: a trial of each case in it, one after the other. In a ramp the rate rises from one to the next, and
//! what lies above the rate at which the load breaks is left out of the block.

use std::collections::BTreeSet;

use model::plan::Case;
use model::run::{CaseResult, Outcome};
use model::trial::{Status, Trial, TrialResult};

use super::{Execution, RunError, timestamp};

/// Why a trial of a ramp was not begun.
const BROKE: &str = "the load broke at a lower rate of this ramp";

/// Whether nothing of a case was measured, because its load broke before.
pub(super) fn is_left_out(case: &CaseResult) -> bool {
    !case.trials.is_empty() && case.trials.iter().all(|trial| trial.status == Status::Skipped)
}

impl Execution<'_> {
    /// Measures `cases`, in this order; those that the budget has no room for become `unaffordable`. Returns what
    /// ended the block early, if anything did.
    pub(super) fn block(
        &mut self,
        (group, block): (usize, u32),
        cases: &mut [Case],
        unaffordable: &mut BTreeSet<usize>,
    ) -> Result<Option<Outcome>, RunError> {
        let ramp = self.plan.controls.ramp;
        if ramp.is_some() {
            cases.sort_by(|a, b| self.rate(a).total_cmp(&self.rate(b)));
        }
        let mut broke = false;
        for case in &*cases {
            if (self.cancelled)() {
                return Ok(Some(Outcome::Interrupted));
            }
            if broke {
                self.leave_out(case, block)?;
                continue;
            }
            if !self.meter.affords(group, case) {
                // Another may be shorter.
                unaffordable.insert(case.index);
                continue;
            }
            if !self.trial(case, block)? {
                return Ok(Some(self.what_ended()));
            }
            let result = &self.run.cases[case.index];
            let last = result.trials.last();
            broke = ramp
                .zip(last)
                .is_some_and(|(ramp, trial)| analysis::ramp_break(&ramp, result, trial).is_some());
        }
        Ok(None)
    }

    /// The rate of a case's main load; 0 where it has none.
    fn rate(&self, case: &Case) -> f64 {
        self.run.cases[case.index].loads.main.profile.concurrency.rate_per_s.unwrap_or(0.0)
    }

    /// A trial that is not begun, because the load broke before.
    fn leave_out(&mut self, case: &Case, block: u32) -> Result<(), RunError> {
        let trial = Trial {
            order: self.order,
            block,
            started: timestamp(),
            status: Status::Skipped,
            reason: Some(BROKE.to_owned()),
            result: TrialResult::default(),
        };
        self.order += 1;
        self.meter.leave_out(case.trial_s);
        self.keep(case, trial)
    }
}
