//! Settings while a plan is carried out: they are brought to what a case asks
//! for before each of its trials, which only reads where they are so already,
//! and put back at the end.

use agent::{AgentError, CallContext, unexpected};
use model::message::{Reply, Request};
use model::plan::{Case, Plan};
use model::run::{CaseResult, Outcome, Run};
use model::setting::{Change, SettingState};

use super::{Execution, RunError};

/// Changes that were refused, and why: they would be refused again, after as long
/// a time.
pub(super) type Refusals = Vec<(Vec<Change>, String)>;

/// Whether a plan changes any.
pub(super) fn any(plan: &Plan) -> bool {
    plan.cases.iter().any(|case| !case.settings.is_empty())
}

/// What is asked for, in the document before anything was done.
pub(super) fn asked(case: &Case, result: &mut CaseResult) {
    for change in &case.settings {
        let state = SettingState::asked(change, machine::setting::unit(&change.name));
        result.settings.entry(change.key()).or_default().push(state);
    }
}

impl Execution<'_> {
    /// Makes the settings what `case` asks for. Where that fails, all are put
    /// back, and the trial has failed with the reason.
    pub(super) fn settle(&mut self, case: &Case) -> Result<(), AgentError> {
        if !any(&self.plan) {
            return Ok(());
        }
        if let Some((_, reason)) = self.refused.iter().find(|(changes, _)| *changes == case.settings) {
            return Err(AgentError::Failed(reason.clone()));
        }
        // Not given up half way: that would have to be put back as well.
        let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
        let answer = self.agent.call(Request::Set { changes: case.settings.clone() }, &mut watch);
        let error = match answer {
            Ok(Reply::Set(states)) => {
                if !case.settings.is_empty() {
                    self.run.cases[case.index].settings = states;
                }
                return Ok(());
            }
            Ok(other) => unexpected(other),
            Err(error) => error,
        };
        // One end may have been changed before the other refused.
        let left = self.agent.call(Request::Restore, &mut watch);
        let error = match (error, left) {
            (AgentError::Failed(reason), Ok(Reply::Failed { reason: left })) => {
                AgentError::Failed(format!("{reason}; and not all could be put back: {left}"))
            }
            (error, _) => error,
        };
        if let AgentError::Failed(reason) = &error {
            self.refused.push((case.settings.clone(), reason.clone()));
        }
        Err(error)
    }

    /// Puts all settings back, whatever came of the trials, and makes the document
    /// of them.
    pub(super) fn end(mut self, measured: Result<Outcome, RunError>) -> Result<Run, RunError> {
        let left = self.put_back().err();
        let id = self.run.id.clone();
        let measured = match measured {
            Ok(Outcome::Interrupted) => {
                let all = (0..self.plan.groups).flat_map(|group| self.plan.fixtures_of(group)).collect();
                self.remove(all).map(|()| Outcome::Interrupted)
            }
            other => other,
        };
        let run = match measured {
            Ok(outcome) => self.conclude(outcome),
            Err(error @ RunError::Left { .. }) => self.conclude(Outcome::Interrupted).and(Err(error)),
            Err(RunError::Store(error)) => Err(self.unkept(error)),
            Err(error) => Err(error),
        };
        match left {
            Some(reason) if run.is_ok() => {
                Err(RunError::Left { id, reason: format!("a setting could not be put back: {reason}") })
            }
            _ => run,
        }
    }

    /// Puts all settings back.
    fn put_back(&mut self) -> Result<(), String> {
        if !any(&self.plan) {
            return Ok(());
        }
        let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
        // An agent that died is started anew, and puts back what the one before
        // it had changed.
        for last in [false, true] {
            match self.agent.call(Request::Restore, &mut watch) {
                Ok(Reply::Done) => return Ok(()),
                Err(AgentError::Died(_) | AgentError::Hung(_)) if !last => {}
                Ok(other) => return Err(unexpected(other).to_string()),
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }
}
