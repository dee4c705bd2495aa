//! One request and its answer over a stream to an agent, wherever it is: events
//! are handed on, a cancel is sent, and one that makes no progress is given up.
//! How the agent is reached, and what its end means, is the matter of a
//! [`AgentTransport`].

use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use model::message::{FromAgent, Reply, Request};
use model::{AgentEvent, Phase};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{AgentError, CallContext, wire};

/// How long a cancelled agent may take to end its load before it is given up.
const CANCEL_GRACE: Duration = Duration::from_secs(5);
/// How long it may take to clean up after that, as long as it gets on: a store of objects deletes them one by
/// one.
const CLEAN_GRACE: Duration = Duration::from_secs(60);
/// How long anything but a running load may take without a sign of life: a slow
/// disk may need minutes to write back what a file system has cached.
const UNTIMED_PATIENCE: Duration = Duration::from_secs(600);
/// How often the watcher looks up from the socket.
const LOOK: Duration = Duration::from_millis(200);

/// The way to an agent.
pub trait AgentTransport {
    /// The stream to it, which ends when the agent does; made if there is none.
    ///
    /// # Errors
    /// If it cannot be reached.
    fn stream(&mut self) -> Result<&mut UnixStream, AgentError>;

    /// The stream is at its end: why. The next [`AgentTransport::stream`] is a new one.
    fn lost(&mut self) -> AgentError;

    /// Gives the agent up, by force. The next [`AgentTransport::stream`] is a new one.
    fn abandon(&mut self);
}

/// Asks `request` and waits for the answer.
///
/// # Errors
/// As [`crate::Agent::call`].
pub fn converse(
    line: &mut impl AgentTransport,
    patience: Duration,
    request: &Request,
    watch: &mut CallContext<'_>,
) -> Result<Reply, AgentError> {
    if wire::send(line.stream()?, request).is_err() {
        // It died since the last request, which is no fault of this one.
        let lost = line.lost();
        if wire::send(line.stream()?, request).is_err() {
            return Err(lost);
        }
    }
    let mut progress = Progress::new();
    let mut cancelled_at: Option<Instant> = None;
    loop {
        let stream = line.stream()?;
        if readable(stream) {
            match wire::receive::<FromAgent>(stream) {
                Ok(Some(FromAgent::Reply(Reply::Cancelled))) => return Err(AgentError::Cancelled),
                Ok(Some(FromAgent::Reply(reply))) => return Ok(reply),
                Ok(Some(FromAgent::Event(event))) => {
                    progress.note(&event);
                    (watch.on_event)(event);
                }
                Ok(None) => return Err(line.lost()),
                // It stopped in the middle of a word.
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    line.abandon();
                    return Err(AgentError::Hung(patience.as_secs()));
                }
                Err(error) => {
                    line.abandon();
                    return Err(AgentError::Died(format!("the agent spoke nonsense: {error}")));
                }
            }
        }
        match cancelled_at {
            None if (watch.cancelled)() => {
                cancelled_at = Some(Instant::now());
                let _ = wire::send(line.stream()?, &Request::Cancel);
            }
            Some(since) if since.elapsed() > progress.cancel_grace() => {
                line.abandon();
                return Err(AgentError::Cancelled);
            }
            _ => {}
        }
        let patience = progress.patience(patience);
        if progress.last_event.elapsed() > patience {
            line.abandon();
            return Err(AgentError::Hung(patience.as_secs()));
        }
    }
}

/// Whether a request still gets on.
struct Progress {
    last_event: Instant,
    pulse: Option<u64>,
    /// Whether the load is running, rather than being made ready or verified.
    timed: bool,
    /// Whether it cleans up.
    cleans: bool,
}

impl Progress {
    fn new() -> Self {
        Self { last_event: Instant::now(), pulse: None, timed: false, cleans: false }
    }

    /// How long it may last without a sign of life.
    fn patience(&self, patience: Duration) -> Duration {
        if self.timed { patience } else { patience.max(UNTIMED_PATIENCE) }
    }

    /// How long it may take to end after it was cancelled.
    fn cancel_grace(&self) -> Duration {
        let gets_on = self.last_event.elapsed() < CANCEL_GRACE;
        if self.cleans && gets_on { CLEAN_GRACE } else { CANCEL_GRACE }
    }

    /// A sign of life counts; a beat that does not change is none, nor is what comes by the clock.
    fn note(&mut self, event: &AgentEvent) {
        if let AgentEvent::Phase { phase, .. } = event {
            self.timed = matches!(phase, Phase::WarmUp | Phase::Measure);
            self.cleans = *phase == Phase::Clean;
        }
        if matches!(event, AgentEvent::Interval(_)) {
            return;
        }
        if let AgentEvent::Working { beat } = event
            && self.pulse.replace(*beat) == Some(*beat)
        {
            return;
        }
        self.last_event = Instant::now();
    }
}

fn readable(stream: &UnixStream) -> bool {
    let mut fds = [PollFd::new(stream, PollFlags::IN)];
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    matches!(poll(&mut fds, Some(&timeout)), Ok(1..))
}

#[cfg(test)]
mod tests {
    use model::event::IntervalFigures;

    use super::*;

    #[test]
    fn regression_who_cleans_up_after_a_cancel_has_time_to_while_it_gets_on() {
        let mut progress = Progress::new();
        let phase = |phase| AgentEvent::Phase { phase, at_ns: 0 };
        progress.note(&phase(Phase::Measure));
        assert_eq!(progress.cancel_grace(), CANCEL_GRACE);
        progress.note(&phase(Phase::Clean));
        assert_eq!(progress.cancel_grace(), CLEAN_GRACE);
        progress.last_event = Instant::now().checked_sub(CANCEL_GRACE * 2).unwrap();
        assert_eq!(progress.cancel_grace(), CANCEL_GRACE);
        progress.note(&AgentEvent::Working { beat: 1 });
        assert_eq!(progress.cancel_grace(), CLEAN_GRACE);
    }

    #[test]
    fn intervals_that_pass_are_no_sign_of_life_of_a_load_that_is_stuck() {
        let mut progress = Progress::new();
        progress.note(&AgentEvent::Working { beat: 1 });
        let before = progress.last_event;
        let nothing_done = IntervalFigures {
            start_s: 1.0,
            end_s: 2.0,
            operations: 0,
            bytes: 0,
            errors: 0,
            latency_p50_s: None,
            latency_p99_s: None,
            latency_max_s: None,
            latency_steps: Vec::new(),
        };
        progress.note(&AgentEvent::Interval(nothing_done));
        assert_eq!(progress.last_event, before);
        progress.note(&AgentEvent::Working { beat: 2 });
        assert!(progress.last_event > before);
    }
}
