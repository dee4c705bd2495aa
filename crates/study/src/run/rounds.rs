//! Rounds: what SNIA calls preconditioning that depends on the workload, and
//! its steady state (Solid State Storage Performance Test Specification 2.0.2,
//! section 2.1.24). A round measures every case of a group that asks for it
//! once, in shuffled order; five rounds in which each of them is steady end it,
//! or the last of [`ROUNDS_MAX`].
//!
//! The last five rounds are the first trials of their cases, steady or not: the
//! figure and its interval come from them. Where more trials are asked for, they
//! follow. Rounds before those leave their values only. Each round's values are
//! in the store when the next begins; its trials are when the rounds end.

use std::collections::VecDeque;

use model::Quantity;
use model::event::{Event, Standing};
use model::plan::Case;
use model::run::{CaseResult, CaseRole, Outcome, Rounds};
use model::trial::{Status, Trial};
use stats::steady::{SNIA_WINDOW, snia};

use crate::plan::ROUNDS_MAX;

use super::{Execution, RunError, order};

/// A case and the trials of its last rounds, which are not stored yet.
struct Watched {
    case: Case,
    trials: VecDeque<Trial>,
}

impl Execution<'_> {
    /// Rounds of those cases of a group that ask for them.
    pub(super) fn rounds(&mut self, group: usize) -> Result<Outcome, RunError> {
        // A twin that is observed finds what the rounds of its case left.
        let is_twin = |c: &Case| matches!(self.run.cases[c.index].role, CaseRole::Observed { .. });
        let fresh = |c: &&Case| c.has_rounds() && self.run.cases[c.index].rounds.is_none() && !is_twin(c);
        let mut watched: Vec<Watched> = self
            .plan
            .group(group)
            .filter(fresh)
            .map(|case| Watched { case: case.clone(), trials: VecDeque::with_capacity(SNIA_WINDOW + 1) })
            .collect();
        for Watched { case, .. } in &watched {
            self.run.cases[case.index].rounds = Some(self.no_round_yet(case));
        }
        let mut outcome = Outcome::Complete;
        for round in 1..=ROUNDS_MAX {
            if watched.iter().all(|w| self.has_failed(&w.case)) {
                break;
            }
            outcome = self.round(group, &mut watched)?;
            if outcome != Outcome::Complete {
                break;
            }
            let cases = watched.iter().map(|w| &w.case).filter(|c| !self.has_failed(c));
            let standing: Vec<Standing> = cases.filter_map(|c| self.standing(c)).collect();
            let is_over = standing.iter().all(|s| s.steady);
            (self.on_event)(&Event::RoundFinished { round, most: ROUNDS_MAX, cases: standing });
            if is_over {
                break;
            }
        }
        for Watched { case, trials } in watched {
            for trial in trials {
                self.keep(&case, trial)?;
            }
        }
        Ok(outcome)
    }

    /// Every case once.
    fn round(&mut self, group: usize, watched: &mut [Watched]) -> Result<Outcome, RunError> {
        let block = self.blocks[group];
        let mut cases: Vec<Case> = watched.iter().map(|w| w.case.clone()).collect();
        order::shuffle(&mut cases, self.run.seed, group, block);
        for case in &cases {
            if (self.cancelled)() {
                return Ok(Outcome::Interrupted);
            }
            if self.has_failed(case) {
                continue;
            }
            if !self.meter.affords(group, case) {
                return Ok(Outcome::Budget);
            }
            let Some(trial) = self.attempt(case, block)? else {
                return Ok(self.what_ended());
            };
            self.announce(case, &trial);
            let written = written(&trial);
            let indices: Vec<usize> = watched.iter().map(|w| w.case.index).collect();
            for index in indices {
                // All of a group drive the same target.
                if let Some(rounds) = &mut self.run.cases[index].rounds {
                    rounds.written.1 = rounds.written.1.saturating_add(written);
                }
            }
            self.judge(case, &trial);
            self.store_rounds(case)?;
            if let Some(of) = watched.iter_mut().find(|w| w.case.index == case.index) {
                of.trials.push_back(trial);
                if of.trials.len() > SNIA_WINDOW {
                    of.trials.pop_front();
                }
            }
        }
        self.blocks[group] += 1;
        Ok(Outcome::Complete)
    }

    fn no_round_yet(&self, case: &Case) -> Rounds {
        let load = &self.run.cases[case.index].loads.main;
        let metric = load.profile.watched();
        let stated = case.fixtures.iter().filter(|f| f.has_state());
        Rounds {
            metric,
            unit: self.run.definitions.metric(load.workload, metric).map_or(model::Unit::One, |m| m.unit),
            values: Vec::new(),
            failed: None,
            round_s: load.profile.window_s.unwrap_or_default(),
            window: SNIA_WINDOW,
            steady: false,
            range: None,
            slope: None,
            most: ROUNDS_MAX as usize,
            written: (stated.map(|f| f.written).sum(), 0),
        }
    }

    fn has_failed(&self, case: &Case) -> bool {
        has_failed(&self.run.cases[case.index])
    }

    /// Adds a round to those of its case.
    fn judge(&mut self, case: &Case, trial: &Trial) {
        let Some(rounds) = &mut self.run.cases[case.index].rounds else { return };
        match trial.result.main().metrics.get(&rounds.metric) {
            Some(Quantity { value, .. }) if trial.status == Status::Ok => rounds.values.push(*value),
            _ => {
                let reason = trial.reason.clone();
                rounds.failed = Some(reason.unwrap_or_else(|| format!("a round gave no {}", rounds.metric)));
            }
        }
        let window = snia(&rounds.values);
        rounds.range = window.map(|w| w.range_fraction);
        rounds.slope = window.map(|w| w.slope_fraction);
        rounds.steady = rounds.failed.is_none() && window.is_some_and(|w| w.steady);
    }

    fn store_rounds(&mut self, case: &Case) -> Result<(), RunError> {
        let Some(rounds) = &self.run.cases[case.index].rounds else { return Ok(()) };
        Ok(self.store.set_rounds(&self.run.id, case.index, rounds)?)
    }

    /// How a case stands after a round.
    fn standing(&self, case: &Case) -> Option<Standing> {
        let rounds = self.run.cases[case.index].rounds.as_ref()?;
        Some(Standing {
            label: case.label.to_string(),
            metric: rounds.metric,
            value: Quantity { value: *rounds.values.last()?, unit: rounds.unit },
            range: rounds.range,
            steady: rounds.steady,
        })
    }
}

/// Whether a round of a case failed: more of them would say nothing of a
/// state that is not known.
pub(super) fn has_failed(result: &CaseResult) -> bool {
    result.rounds.as_ref().is_some_and(|rounds| rounds.failed.is_some())
}

/// Bytes that a trial's main load wrote, as the agent counted them.
fn written(trial: &Trial) -> u64 {
    match trial.result.main().facts.get(&model::fact::BYTES_WRITTEN) {
        Some(model::Value::Integer(bytes)) => *bytes,
        _ => 0,
    }
}
