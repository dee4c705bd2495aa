//! Making what a trial needs: the files and devices of its loads. What cannot be made
//! is not tried again for each trial, for it would fail again after as long a time. An
//! agent that died over it is another matter: somebody killed it, or there was no
//! memory just then, so the next trial makes it again, a few times.

use agent::{AgentError, CallContext, unexpected};
use model::event::Event;
use model::message::{Reply, Request};
use model::plan::{Case, FixtureKey, LoadSpec, Problem, Survey};

use super::{Execution, RunError};

/// After so many deaths one after the other it is the making that kills.
const DEATHS_MOST: u32 = 3;

/// Fixtures whose making failed.
#[derive(Debug, Default)]
pub(super) struct Failures(Vec<(FixtureKey, Failure)>);

/// How it failed.
#[derive(Debug)]
enum Failure {
    /// For this reason: it is not tried again.
    Lasting(String),
    /// The agent died, so often.
    Deaths(u32),
}

impl Failures {
    /// Why `fixture` is not made any more; none where it is.
    fn why(&self, fixture: &FixtureKey) -> Option<&str> {
        self.0.iter().find_map(|(key, failure)| match failure {
            Failure::Lasting(why) if key == fixture => Some(why.as_str()),
            _ => None,
        })
    }

    /// Remembers how the making of `fixture` went.
    fn note(&mut self, fixture: &FixtureKey, made: &Result<(), AgentError>) {
        let at = self.0.iter().position(|(key, _)| key == fixture);
        let before = at.map(|at| self.0.swap_remove(at).1);
        let failure = match (made, before) {
            // One that the person, or the budget, ended says nothing of it.
            (Err(AgentError::Cancelled), before) => before,
            (Ok(()), _) => None,
            (Err(error @ AgentError::Died(_)), before) => {
                let deaths = 1 + match before {
                    Some(Failure::Deaths(deaths)) => deaths,
                    _ => 0,
                };
                Some(match deaths {
                    DEATHS_MOST.. => Failure::Lasting(format!(
                        "{error}; the load's process ended {deaths} times while it made {}, which is not tried again",
                        fixture.target
                    )),
                    _ => Failure::Deaths(deaths),
                })
            }
            (Err(error), _) => Some(Failure::Lasting(error.to_string())),
        };
        self.0.extend(failure.map(|failure| (fixture.clone(), failure)));
    }
}

/// Which of the fixtures of a case its trial used up. With a stack goes all that lies on it.
pub(super) fn used_up(fixtures: &[FixtureKey]) -> Vec<FixtureKey> {
    let is_carrier_gone = fixtures.iter().any(|fixture| fixture.used_up && fixture.carries_targets);
    fixtures.iter().filter(|fixture| fixture.used_up || is_carrier_gone).cloned().collect()
}

impl Execution<'_> {
    /// Makes the fixtures of `case` ready; those that are stay as they are.
    pub(super) fn make_fixtures(&mut self, case: &Case) -> Result<(), AgentError> {
        case.fixtures.iter().try_for_each(|fixture| self.make_fixture(fixture))
    }

    fn make_fixture(&mut self, fixture: &FixtureKey) -> Result<(), AgentError> {
        let on_event = &mut *self.on_event;
        let cancelled = || (self.cancelled)() || self.meter.is_over();
        let mut watch = CallContext { on_event: &mut |e| on_event(&Event::Agent(e)), cancelled: &cancelled };
        if let Some(why) = self.unmade.why(fixture) {
            return Err(AgentError::Failed(why.to_owned()));
        }
        let made = self.agent.call(Request::Prepare { fixtures: vec![fixture.clone()] }, &mut watch);
        let made = made.and_then(|reply| if reply == Reply::Done { Ok(()) } else { Err(unexpected(reply)) });
        self.unmade.note(fixture, &made);
        made
    }

    /// `case` as it is once what its targets lie on is there: that is made, then the loads are surveyed on it. A
    /// case whose targets are there from the start is as it was planned.
    pub(super) fn on_ground(&mut self, case: &Case) -> Result<Case, AgentError> {
        let carriers = case.fixtures.iter().filter(|fixture| fixture.carries_targets);
        let carriers: Vec<FixtureKey> = carriers.cloned().collect();
        if carriers.is_empty() {
            return Ok(case.clone());
        }
        carriers.iter().try_for_each(|carrier| self.make_fixture(carrier))?;
        let place = self.plan.cases.iter().position(|known| known.index == case.index);
        if let Some(place) = place.filter(|_| self.looked_at.contains(&case.index)) {
            return Ok(self.plan.cases[place].clone());
        }
        let planned = self.as_planned.entry(case.index).or_insert_with(|| case.loads.clone()).clone();
        let survey = self.survey_again(planned)?;
        if let Some(Problem { message, help, .. }) = survey.problem {
            return Err(AgentError::Failed(format!("{message}; {help}")));
        }
        let Survey { loads, fixtures, path, limits, .. } = survey;
        let known = &mut self.run.cases[case.index];
        known.path.clone_from(&path);
        known.limits.clone_from(&limits);
        let all = std::iter::once(&mut known.loads.main).chain(&mut known.loads.beside);
        for (load, surveyed) in all.zip(&loads) {
            load.parameters = surveyed.parameters.clone();
            load.profile = surveyed.profile.clone().unwrap_or_default();
        }
        let looked_at = Case { loads, fixtures, path, limits, ..case.clone() };
        if let Some(place) = place {
            self.plan.cases[place] = looked_at.clone();
        }
        self.looked_at.insert(case.index);
        Ok(looked_at)
    }

    fn survey_again(&mut self, loads: Vec<LoadSpec>) -> Result<Survey, AgentError> {
        let controls = &self.plan.controls;
        let (destroy, wipe) = (controls.destroy.clone(), controls.wipe.clone());
        let mut watch = CallContext { on_event: &mut |_| {}, cancelled: self.cancelled };
        let asked = Request::Survey { cases: vec![loads], destroy, wipe };
        match self.agent.call(asked, &mut watch)? {
            Reply::Survey(mut surveys) => surveys
                .pop()
                .ok_or_else(|| AgentError::Failed("the agent did not survey the loads again".to_owned())),
            other => Err(unexpected(other)),
        }
    }

    /// Puts fixtures away; those that are not there are passed over. That is not
    /// given up half way. Fails if one cannot be removed: the machine is not as it was found.
    pub(super) fn remove(&mut self, fixtures: Vec<FixtureKey>) -> Result<(), RunError> {
        if fixtures.is_empty() {
            return Ok(());
        }
        if fixtures.iter().any(|fixture| fixture.carries_targets) {
            // What is made in its place will be another.
            self.looked_at.clear();
        }
        let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
        match self.agent.call(Request::Release { fixtures }, &mut watch) {
            // A dead agent has removed everything.
            Ok(Reply::Done) | Err(AgentError::Died(_) | AgentError::Hung(_)) => Ok(()),
            Ok(Reply::Failed { reason }) => Err(RunError::Left { id: self.run.id.clone(), reason }),
            Ok(other) => Err(unexpected(other).into()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use model::plan::Ownership;

    use super::*;

    #[test]
    fn with_a_stack_goes_what_lies_on_it() {
        let file = FixtureKey::new("file", "/top", 1, Ownership::Created);
        let stack =
            FixtureKey { carries_targets: true, ..FixtureKey::new("stack", "/data", 1, Ownership::Created) };
        let gone = FixtureKey { used_up: true, ..stack.clone() };
        assert!(used_up(&[stack.clone(), file.clone()]).is_empty());
        assert_eq!(used_up(&[gone.clone(), file.clone()]), [gone, file.clone()]);
        let filled = FixtureKey { used_up: true, ..file.clone() };
        assert_eq!(used_up(&[stack, filled.clone(), file]), [filled]);
    }
}
