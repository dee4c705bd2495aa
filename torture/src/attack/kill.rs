//! The ways to end a run before its end, the moments at which that is done, and what it met.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::met;
use crate::process::{Ended, PATIENCE, Running, send};
use crate::round::{Round, Trouble};

/// Where a round's runs write down what they change.
const JOURNAL: &str = "state/settings.journal";

/// How the ends that leave nobody time for anything are counted.
const KILLS: &str = "kills (SIGKILL)";
const WITH_AGENT: &str = "kills of a run that had an agent";
/// Those at which settings stood in the journal.
pub(crate) const UNDER_SETTINGS: &str = "kills under changed settings";

/// How long after its start a run is ended at most, at whatever it is then.
const FROM_START: Duration = Duration::from_millis(2500);
/// How long after a change, so that it may be before, in, or after the trials under it.
const BETWEEN: Duration = Duration::from_millis(300);
/// How long after the end of the last case, which is when all is put back.
const PUTTING_BACK: Duration = Duration::from_millis(80);

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

/// Those that leave nobody time for anything.
const BY_SIGKILL: [KillMethod; 3] = [KillMethod::Run, KillMethod::Agent, KillMethod::Both];

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
    run: Running,
    most: Duration,
) -> Result<(Ended, bool), Trouble> {
    let way = round.pick(&WAYS);
    round.wait(most);
    end(round, run, way)
}

/// The same of a run of so many cases, each with other settings: mostly by SIGKILL, and while settings are changed,
/// hold, or are put back.
///
/// # Errors
/// If it ends otherwise than it should.
pub(super) fn under_settings(
    round: &mut Round,
    mut run: Running,
    cases: u64,
) -> Result<(Ended, bool), Trouble> {
    if round.below(6) == 0 {
        round.wait(FROM_START);
    } else {
        wait_for_change(round, &mut run, cases);
    }
    mostly_by_sigkill(round, run)
}

/// Ends the run now, mostly by SIGKILL. Gives how it ended, and whether run and agent were killed together.
///
/// # Errors
/// If it ends otherwise than it should.
pub(super) fn mostly_by_sigkill(round: &mut Round, run: Running) -> Result<(Ended, bool), Trouble> {
    let way = if round.below(8) == 0 { round.pick(&WAYS) } else { round.pick(&BY_SIGKILL) };
    end(round, run, way)
}

/// How many kills there were in this round.
pub(super) fn killed(round: &Round) -> u64 {
    round.counts().get(KILLS).copied().unwrap_or_default()
}

/// Whether settings of the round's runs stand in the journal, so that somebody has to put them back.
pub(super) fn has_left_settings(round: &Round) -> bool {
    met::look(&round.path(JOURNAL)).is_some()
}

/// Waits for a moment after a change: the first one, which is when the journal appears, or one
/// that comes with the end of a case. After that of the last all is put back.
pub(super) fn wait_for_change(round: &mut Round, run: &mut Running, cases: u64) {
    let over = round.below(cases + 1);
    let journal = round.path(JOURNAL);
    let is_reached = |run: &Running| match over {
        0 => Path::new(&journal).exists(),
        over => cases_over(&run.said()) >= over,
    };
    let until = Instant::now() + PATIENCE;
    while !is_reached(run) && !run.has_ended() && Instant::now() < until {
        std::thread::sleep(Duration::from_micros(500));
    }
    round.wait(if over == cases { PUTTING_BACK } else { BETWEEN });
}

/// How many cases of a run are over, by the lines with which it says so: `[2/4] ...`.
fn cases_over(said: &str) -> u64 {
    said.lines().filter(|line| line.starts_with('[')).count() as u64
}

/// Ends the run in this way, now.
fn end(round: &mut Round, mut run: Running, way: KillMethod) -> Result<(Ended, bool), Trouble> {
    if run.has_ended() {
        round.count("too late: it had ended");
        return Ok((run.end(PATIENCE, &[])?.with(&[0])?, false));
    }
    // Signals are heard from when the program has said so; before, they end it as
    // they end any program.
    let agents = run.children();
    let is_early = agents.is_empty();
    let is_done = match BY_SIGKILL.contains(&way) {
        true => kill(round, &run, &agents, way),
        false => way.carry_out(&run),
    };
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

/// Kills, and counts what that met; whether there was somebody to kill. Run and agents stand still while it is looked
/// at, so that what is seen is what is met.
fn kill(round: &mut Round, run: &Running, agents: &[u32], way: KillMethod) -> bool {
    let all = [&[run.id()][..], agents].concat();
    all.iter().for_each(|id| send(*id, Signal::STOP));
    let changed = met::look(&round.path(JOURNAL));
    if way == KillMethod::Run {
        // First: the kernel hangs up on a group that loses its parent while one of it is stopped (exit(2)), and
        // an agent that is hung up on puts nothing back.
        agents.iter().for_each(|id| send(*id, Signal::CONT));
    }
    let is_done = way.carry_out(run);
    // Who lives on goes on.
    all.iter().for_each(|id| send(*id, Signal::CONT));
    if is_done {
        round.count(KILLS);
        round.count_times(WITH_AGENT, u64::from(!agents.is_empty()));
        round.count_times(UNDER_SETTINGS, u64::from(changed.is_some()));
        changed.into_iter().flatten().for_each(|kind| round.count(kind));
    }
    is_done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_cases_that_are_over_are_counted() {
        let said = "[1/4] null, mtu@va=1400: 3 M/s\nnull: a trial failed: why\n[2/4] null: no result\n";
        assert_eq!((cases_over(said), cases_over("")), (2, 0));
    }
}
