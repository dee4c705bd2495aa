//! The ways to end a run before its end.

use std::time::Duration;

use rustix::process::Signal;

use super::met;
use crate::process::{Ended, PATIENCE, Running, send};
use crate::round::{Round, Trouble};

/// How a run is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KillMethod {
    Run,
    Agent,
    Both,
    Terminate,
    /// As a terminal does, to all of its group.
    Interrupt,
    /// By somebody who does not want to wait.
    Twice,
    /// As a terminal that is closed.
    HangUp,
}

const WAYS: [KillMethod; 7] = [
    KillMethod::Run,
    KillMethod::Agent,
    KillMethod::Both,
    KillMethod::Terminate,
    KillMethod::Interrupt,
    KillMethod::Twice,
    KillMethod::HangUp,
];

impl KillMethod {
    fn name(self) -> &'static str {
        match self {
            KillMethod::Run => "runs killed",
            KillMethod::Agent => "agents killed",
            KillMethod::Both => "runs and agents killed",
            KillMethod::Terminate => "runs terminated",
            KillMethod::Interrupt => "runs interrupted",
            KillMethod::Twice => "runs interrupted twice",
            KillMethod::HangUp => "runs hung up on",
        }
    }

    /// Does it; whether there was somebody to do it to.
    fn carry_out(self, run: &Running) -> bool {
        match self {
            KillMethod::Run => run.signal(Signal::KILL),
            KillMethod::Agent => return run.kill_agents(),
            KillMethod::Both => {
                // Neither may clean up: nobody notices the other's end, and nobody
                // starts another agent.
                run.signal(Signal::STOP);
                let agents = run.children();
                agents.iter().for_each(|id| send(*id, Signal::STOP));
                agents.iter().for_each(|id| send(*id, Signal::KILL));
                run.signal(Signal::KILL);
                return !agents.is_empty();
            }
            KillMethod::Terminate => run.signal(Signal::TERM),
            KillMethod::Interrupt => run.signal_group(Signal::INT),
            KillMethod::Twice => {
                run.signal(Signal::INT);
                std::thread::sleep(Duration::from_millis(600));
                run.signal(Signal::INT);
            }
            KillMethod::HangUp => run.signal_group(Signal::HUP),
        }
        true
    }

    /// The signals with which it may end.
    fn signals(self) -> &'static [Signal] {
        match self {
            KillMethod::Run | KillMethod::Both => &[Signal::KILL],
            KillMethod::Agent => &[],
            KillMethod::Terminate => &[Signal::TERM],
            KillMethod::Interrupt | KillMethod::Twice => &[Signal::INT],
            KillMethod::HangUp => &[Signal::HUP],
        }
    }

    /// The codes with which it may end; absent if it ends by the signal.
    fn codes(self) -> Option<&'static [i32]> {
        match self {
            KillMethod::Run | KillMethod::Both => None,
            // Before anything began, the run is refused.
            KillMethod::Agent => Some(&[0, 1, 3]),
            _ => Some(&[130]),
        }
    }
}

/// Ends the run in one of the ways, at some time. Gives how it ended, and whether run
/// and agent were killed together, so that nobody could put anything back.
///
/// # Errors
/// If it ends otherwise than it should.
pub(crate) fn at_some_time(
    round: &mut Round,
    mut run: Running,
    most: Duration,
) -> Result<(Ended, bool), Trouble> {
    let way = round.pick(&WAYS);
    round.wait(most);
    if run.has_ended() {
        round.count("too late: it had ended");
        return Ok((run.end(PATIENCE, &[])?.with(&[0])?, false));
    }
    // Signals are heard from when the program has said so; before, they end it as
    // they end any program.
    let is_early = run.children().is_empty();
    let changed = met::kinds(&round.path("state/settings.journal"));
    let is_done = way.carry_out(&run);
    if is_done {
        changed.into_iter().for_each(|kind| round.count(kind));
    }
    round.count(if is_done { way.name() } else { "no agent to kill" });
    if is_early {
        round.count("of these, before there was an agent");
    }
    let ended = run.end(PATIENCE, way.signals())?;
    let is_both = way == KillMethod::Both;
    match (way.codes(), ended.code()) {
        (None, _) => Ok((ended, is_both)),
        (Some(_), None) if is_early => Ok((ended, is_both)),
        (Some(codes), Some(code)) if codes.contains(&code) => Ok((ended, is_both)),
        (Some(_), Some(0)) => {
            round.count("of these, at the moment of its end");
            Ok((ended, is_both))
        }
        (Some(codes), _) => Err(ended.fault(&format!("{}, and did not end with {codes:?}", way.name()))),
    }
}
