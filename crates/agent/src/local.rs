//! The agent as a child process: started when needed, watched, and started
//! again after it died.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use model::message::{FromAgent, Reply, Request};
use model::{AgentEvent, Phase};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::wire;
use crate::{Agent, AgentError, Aside, Watch};

/// How long a cancelled agent may take to end its load before it is killed.
const CANCEL_GRACE: Duration = Duration::from_secs(5);
/// How long an agent may take to end after it was told to.
const FINISH_GRACE: Duration = Duration::from_secs(5);
/// How long anything but a running load may take without a sign of life: a slow
/// disk may need minutes to write back what a file system has cached.
const UNTIMED_PATIENCE: Duration = Duration::from_secs(600);
/// How often the watcher looks up from the socket.
const LOOK: Duration = Duration::from_millis(50);

/// An agent in a child process of this one.
#[derive(Debug)]
pub struct LocalAgent {
    program: OsString,
    arguments: Vec<OsString>,
    patience: Duration,
    link: Option<Link>,
}

#[derive(Debug)]
struct Link {
    child: Child,
    stream: UnixStream,
}

impl LocalAgent {
    /// An agent that is started as `program arguments...`, with its end of a
    /// socketpair as standard input, and must then call [`crate::serve`]. A
    /// request without progress for `patience` is given up.
    #[must_use]
    pub fn new(program: OsString, arguments: Vec<OsString>, patience: Duration) -> Self {
        Self { program, arguments, patience, link: None }
    }

    fn link(&mut self) -> Result<&mut Link, AgentError> {
        let unreachable = |e: io::Error| AgentError::Unreachable(e.to_string());
        if self.link.is_none() {
            let (stream, theirs) = UnixStream::pair().map_err(unreachable)?;
            // An agent that stops in the middle of a word must not stop us.
            stream.set_read_timeout(Some(self.patience)).map_err(unreachable)?;
            let child = Command::new(&self.program)
                .args(&self.arguments)
                .stdin(Stdio::from(OwnedFd::from(theirs)))
                .stdout(Stdio::null())
                // A group of its own: Ctrl-C at the terminal reaches only us,
                // and we tell the agent.
                .process_group(0)
                .spawn()
                .map_err(unreachable)?;
            self.link = Some(Link { child, stream });
        }
        self.link.as_mut().ok_or_else(|| AgentError::Unreachable("no link".to_owned()))
    }

    /// Ends the child by force; says how it ended.
    fn kill(&mut self) -> Option<ExitStatus> {
        let mut link = self.link.take()?;
        let _ = link.child.kill();
        reap(&mut link.child, FINISH_GRACE)
    }

    /// The child is gone: how.
    fn died(&mut self) -> AgentError {
        let status = self.link.take().and_then(|mut link| {
            // The socket may close a moment before the process is a zombie.
            reap(&mut link.child, Duration::from_secs(1)).or_else(|| {
                let _ = link.child.kill();
                reap(&mut link.child, FINISH_GRACE)
            })
        });
        AgentError::Died(match status {
            Some(status) => describe_end(status),
            None => "the load's process closed its connection and cannot be ended".to_owned(),
        })
    }

    /// Tells the child to put everything away and waits for its end.
    pub fn finish(&mut self) {
        if let Some(mut link) = self.link.take() {
            let _ = wire::send(&mut link.stream, &Request::Finish);
            if reap(&mut link.child, FINISH_GRACE).is_none() {
                let _ = link.child.kill();
                let _ = reap(&mut link.child, FINISH_GRACE);
            }
        }
    }
}

impl Drop for LocalAgent {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Waits for a child, but not for ever: one that is stuck in the kernel cannot
/// be reaped.
fn reap(child: &mut Child, grace: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + grace;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(2)),
            _ => return None,
        }
    }
}

fn describe_end(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let name = signal_name(signal);
            format!("the load's process was killed by signal {signal} ({name})")
        }
        (None, Some(code)) => format!("the load's process ended by itself with exit code {code}"),
        (None, None) => "the load's process ended".to_owned(),
    }
}

fn signal_name(signal: i32) -> &'static str {
    use rustix::process::Signal;
    const NAMES: &[(Signal, &str)] = &[
        (Signal::KILL, "SIGKILL: by a person, or by the kernel for want of memory"),
        (
            Signal::BUS,
            "SIGBUS: memory that could not be read, as when a mapped file shrinks or its device fails",
        ),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::ILL, "SIGILL"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XFSZ, "SIGXFSZ: the limit of file sizes"),
        (Signal::XCPU, "SIGXCPU: the limit of CPU time"),
    ];
    NAMES.iter().find(|(s, _)| s.as_raw() == signal).map_or("see signal(7)", |(_, name)| name)
}

/// Whether a request still gets on.
struct Progress {
    last_event: Instant,
    pulse: Option<u64>,
    /// Whether the load is running, rather than being made ready or verified.
    timed: bool,
}

impl Progress {
    fn new() -> Self {
        Self { last_event: Instant::now(), pulse: None, timed: false }
    }

    /// How long it may last without a sign of life.
    fn patience(&self, patience: Duration) -> Duration {
        if self.timed { patience } else { patience.max(UNTIMED_PATIENCE) }
    }
}

impl Progress {
    /// A sign of life counts; a beat that does not change is none.
    fn note(&mut self, event: &AgentEvent) {
        if let AgentEvent::Phase { phase, .. } = event {
            self.timed = matches!(phase, Phase::WarmUp | Phase::Measure);
        }
        if let AgentEvent::Working { beat } = event
            && self.pulse.replace(*beat) == Some(*beat)
        {
            return;
        }
        self.last_event = Instant::now();
    }
}

impl Agent for LocalAgent {
    fn aside(&mut self) -> Result<Aside, AgentError> {
        let stream = self.link()?.stream.try_clone().map_err(|e| AgentError::Unreachable(e.to_string()))?;
        Ok(Box::new(move |request| wire::send(&mut &stream, request)))
    }

    fn call(&mut self, request: Request, watch: &mut Watch<'_>) -> Result<Reply, AgentError> {
        let patience = self.patience;
        let link = self.link()?;
        if wire::send(&mut link.stream, &request).is_err() {
            // It died since the last request, which is no fault of this one.
            let died = self.died();
            if wire::send(&mut self.link()?.stream, &request).is_err() {
                return Err(died);
            }
        }
        let mut progress = Progress::new();
        let mut cancelled_at: Option<Instant> = None;
        loop {
            let link = self.link()?;
            if readable(&link.stream) {
                match wire::receive::<FromAgent>(&mut link.stream) {
                    Ok(Some(FromAgent::Reply(Reply::Cancelled))) => return Err(AgentError::Cancelled),
                    Ok(Some(FromAgent::Reply(reply))) => return Ok(reply),
                    Ok(Some(FromAgent::Event(event))) => {
                        progress.note(&event);
                        (watch.on_event)(event);
                    }
                    Ok(None) => return Err(self.died()),
                    // It stopped in the middle of a word.
                    Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                        self.kill();
                        return Err(AgentError::Hung(patience.as_secs()));
                    }
                    Err(error) => {
                        self.kill();
                        return Err(AgentError::Died(format!("the agent spoke nonsense: {error}")));
                    }
                }
            }
            match cancelled_at {
                None if (watch.cancelled)() => {
                    cancelled_at = Some(Instant::now());
                    let link = self.link()?;
                    let _ = wire::send(&mut link.stream, &Request::Cancel);
                }
                Some(since) if since.elapsed() > CANCEL_GRACE => {
                    self.kill();
                    return Err(AgentError::Cancelled);
                }
                _ => {}
            }
            let patience = progress.patience(patience);
            if progress.last_event.elapsed() > patience {
                self.kill();
                return Err(AgentError::Hung(patience.as_secs()));
            }
        }
    }
}

fn readable(stream: &UnixStream) -> bool {
    let mut fds = [PollFd::new(stream, PollFlags::IN)];
    let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    matches!(poll(&mut fds, Some(&timeout)), Ok(1..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_an_agent_that_stopped_in_the_middle_of_a_word_was_said_to_speak_nonsense() {
        // A frame of 64 bytes, of which one comes.
        let script = "printf '\\100\\000\\000\\000{' >&0; exec sleep 30";
        let arguments = ["-c", script].map(OsString::from).to_vec();
        let mut agent = LocalAgent::new("/bin/sh".into(), arguments, Duration::from_millis(200));
        let mut watch = Watch { on_event: &mut |_| {}, cancelled: &|| false };
        let answer = agent.call(Request::Cancel, &mut watch);
        assert!(matches!(answer, Err(AgentError::Hung(_))), "{answer:?}");
    }
}
