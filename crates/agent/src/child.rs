//! An agent's process: started with one end of a socketpair as standard input,
//! and waited for, but never for ever.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long an agent may take to end after it was told to.
pub const FINISH_GRACE: Duration = Duration::from_secs(5);

/// How an agent's process is started.
#[derive(Clone, Debug)]
pub struct ChildCommand {
    /// The program, which must call [`crate::serve`] with its standard input.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl ChildCommand {
    /// Starts it; gives our end of the socketpair too.
    pub fn start(&self) -> io::Result<(AgentProcess, UnixStream)> {
        let (stream, theirs) = UnixStream::pair()?;
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            // A group of its own: Ctrl-C at the terminal reaches only us,
            // and we tell the agent.
            .process_group(0)
            .spawn()?;
        Ok((AgentProcess(child), stream))
    }
}

/// The process of an agent.
#[derive(Debug)]
pub struct AgentProcess(Child);

impl AgentProcess {
    /// Its process id.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Ends it by force; says how it ended, if it did.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        let _ = self.0.kill();
        self.reap(FINISH_GRACE)
    }

    /// It closed its connection: how it ended.
    pub fn ended(&mut self) -> String {
        // The socket may close a moment before the process is a zombie.
        match self.reap(Duration::from_secs(1)).or_else(|| self.kill()) {
            Some(status) => describe_end(status),
            None => "the load's process closed its connection and cannot be ended".to_owned(),
        }
    }

    /// It was told to end, or its connection was closed: waits for that, and
    /// ends it by force after `grace`; whether it ended by itself.
    pub fn finish_within(&mut self, grace: Duration) -> bool {
        let ended = self.reap(grace).is_some();
        if !ended {
            let _ = self.kill();
        }
        ended
    }

    /// Waits for it, but not for ever: one that is stuck in the kernel cannot be
    /// reaped.
    fn reap(&mut self, grace: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + grace;
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
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
