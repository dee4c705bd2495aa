//! Making what a trial needs: the files and devices of its loads. What cannot be made
//! is not tried again for each trial, for it would fail again after as long a time. An
//! agent that died over it is another matter: somebody killed it, or there was no
//! memory just then, so the next trial makes it again, a few times.

use agent::{AgentError, CallContext, unexpected};
use model::event::Event;
use model::message::{Reply, Request};
use model::plan::{Case, FixtureKey};

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

impl Execution<'_> {
    /// Makes the fixtures of `case` ready; those that are stay as they are.
    pub(super) fn make_fixtures(&mut self, case: &Case) -> Result<(), AgentError> {
        let on_event = &mut *self.on_event;
        let cancelled = || (self.cancelled)() || self.meter.is_over();
        let mut watch = CallContext { on_event: &mut |e| on_event(&Event::Agent(e)), cancelled: &cancelled };
        for fixture in &case.fixtures {
            if let Some(why) = self.unmade.why(fixture) {
                return Err(AgentError::Failed(why.to_owned()));
            }
            let made = self.agent.call(Request::Prepare { fixtures: vec![fixture.clone()] }, &mut watch);
            let made =
                made.and_then(|reply| if reply == Reply::Done { Ok(()) } else { Err(unexpected(reply)) });
            self.unmade.note(fixture, &made);
            made?;
        }
        Ok(())
    }

    /// Puts fixtures away; those that are not there are passed over. That is not
    /// given up half way. Fails if one cannot be removed: the machine is not as it was found.
    pub(super) fn remove(&mut self, fixtures: Vec<FixtureKey>) -> Result<(), RunError> {
        if fixtures.is_empty() {
            return Ok(());
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
