//! A node that dials out: it goes to the run that waits for it, and from the
//! greeting on is the same as one that listens. Where nobody waits it tries again,
//! and after a run it waits for the next.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use agent::child::ChildCommand;
use rustix::event::{PollFd, PollFlags};

use super::dial::{DialError, dial};
use super::ending::Ending;
use super::handshake::Dialer;
use super::join::JoinString;
use super::limits::Limits;
use super::measurement_lock::MeasurementLock;
use super::secure::wait;
use super::session::{NodeSession, SharedState};

/// How soon it tries again, twice as long each time,
const SOON: Duration = Duration::from_millis(500);
/// up to this: a person who starts a run does not wait long for its node, and who
/// is dialled for days hears one packet in so many seconds.
const LATEST: Duration = Duration::from_secs(5);

/// A node that dials out.
#[derive(Debug)]
pub struct ReverseConnect {
    /// Where runs wait, and what lets one in.
    pub join: JoinString,
    /// Whether it ends after one session.
    pub once: bool,
    /// What it bears.
    pub limits: Limits,
    /// How the agent's process is started.
    pub agent: ChildCommand,
}

/// What happens to it, for who watches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReverseConnectEvent {
    /// It was not let in, and tries again. Told once for each reason.
    Waits {
        /// Why not.
        why: String,
        /// How long it waits between two tries, at most.
        every: Duration,
    },
    /// It was let in.
    Joined,
    /// The session ended.
    Went {
        /// Why.
        why: String,
    },
}

impl ReverseConnect {
    /// Dials and serves until `stop` can be read from (nothing is read), or until
    /// the one session is over that was asked for. When this returns no process of
    /// it is left.
    ///
    /// # Errors
    /// If dialling again would be in vain ([`DialError::is_lasting`]).
    pub fn serve(&self, stop: BorrowedFd<'_>, tell: &dyn Fn(ReverseConnectEvent)) -> Result<(), DialError> {
        let lock = MeasurementLock::default();
        let shared = SharedState { lock: &lock, command: &self.agent, limits: &self.limits, stop };
        let (mut pause, mut told) = (SOON, None);
        for number in 0.. {
            match dial(&self.join, Dialer::Node, Some(stop)) {
                Ok((secure, frames, _)) => {
                    tell(ReverseConnectEvent::Joined);
                    let session = NodeSession::new(&shared, number, (secure, frames));
                    let ending = session.map_or_else(Ending::Broken, NodeSession::run);
                    tell(ReverseConnectEvent::Went { why: ending.to_string() });
                    if self.once || matches!(ending, Ending::Stopped) {
                        return Ok(());
                    }
                    (pause, told) = (SOON, None);
                }
                Err(_) if is_over(stop, Duration::ZERO) => return Ok(()),
                Err(error) if error.is_lasting() => return Err(error),
                Err(error) => {
                    let why = error.at_node();
                    if told.as_ref() != Some(&why) {
                        tell(ReverseConnectEvent::Waits { why: why.clone(), every: LATEST });
                        told = Some(why);
                    }
                }
            }
            if is_over(stop, pause) {
                return Ok(());
            }
            pause = (2 * pause).min(LATEST);
        }
        Ok(())
    }
}

/// Waits; whether to end.
fn is_over(stop: BorrowedFd<'_>, pause: Duration) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(stop, PollFlags::IN)];
    // Without it nothing would ever stop this, so that is the end too.
    let waited: io::Result<()> = wait(&mut fds, Some(pause));
    waited.is_err() || !fds[0].revents().is_empty()
}
