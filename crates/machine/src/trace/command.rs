//! A command that is traced: started once the trace is on, and waited for without being taken
//! away, so that the kernel still tells what it and its children did.
//!
//! It stays in our process group, so it may use the terminal, and Ctrl-C reaches it as it
//! reaches us: it ends by itself then, as without us.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::process_io::ProcessIo;

/// How often it is looked at while it is waited for.
const GLANCE: Duration = Duration::from_millis(5);

/// A command under way. One that is dropped runs on.
#[derive(Debug)]
pub struct TracedCommand {
    child: Child,
    pid: Pid,
}

impl TracedCommand {
    /// Starts it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let child = command.spawn()?;
        let pid = Pid::from_child(&child);
        Ok(Self { child, pid })
    }

    /// Its process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    ///
    /// # Errors
    /// If the kernel does not say.
    pub fn has_ended(&self) -> io::Result<bool> {
        // It stays to be waited for, so that its number means nobody else.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid), options) {
                Ok(status) => return Ok(status.is_some()),
                Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// What it and its children did so far. Of children that ended it is known only if they
    /// were waited for.
    #[must_use]
    pub fn io(&self) -> Option<ProcessIo> {
        ProcessIo::of_tree(self.id())
    }

    /// Sees to it that it ends: gives it so much time to do so by itself, asks it to, and after
    /// the same time again ends it by force.
    ///
    /// # Errors
    /// If the kernel does not say whether it has ended, or does not let it be ended.
    pub fn end_within(&self, grace: Duration) -> io::Result<()> {
        for signal in [Signal::TERM, Signal::KILL] {
            if self.ends_within(grace)? {
                return Ok(());
            }
            kill_process(self.pid, signal)?;
        }
        if self.ends_within(grace)? { Ok(()) } else { Err(io::Error::from(io::ErrorKind::TimedOut)) }
    }

    fn ends_within(&self, grace: Duration) -> io::Result<bool> {
        let end = Instant::now() + grace;
        while !self.has_ended()? {
            if Instant::now() >= end {
                return Ok(false);
            }
            std::thread::sleep(GLANCE);
        }
        Ok(true)
    }

    /// Waits for its end: how it ended, and what it and its children did.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub fn finish(mut self) -> io::Result<(ExitStatus, Option<ProcessIo>)> {
        while !self.has_ended()? {
            std::thread::sleep(GLANCE);
        }
        let io = self.io();
        Ok((self.child.wait()?, io))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> TracedCommand {
        TracedCommand::start(Command::new("sh").args(["-c", script])).unwrap()
    }

    #[test]
    fn what_a_command_and_its_children_wrote_is_known_after_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        // Not the last command, which a shell may become itself.
        let command = shell(&format!("dd if=/dev/zero of={} bs=64k count=16 2>&-; exit 3", file.display()));
        let (status, io) = command.finish().unwrap();
        assert_eq!(status.code(), Some(3));
        assert!(io.unwrap().call_bytes_written >= 1 << 20, "{io:?}");
    }

    #[test]
    fn a_command_that_does_not_end_is_ended() {
        use std::os::unix::process::ExitStatusExt;
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let command = shell(&format!("trap '' TERM; : > {}; while :; do sleep 1; done", mark.display()));
        while !mark.exists() {
            assert!(!command.has_ended().unwrap());
            std::thread::sleep(GLANCE);
        }
        command.end_within(Duration::from_millis(100)).unwrap();
        assert_eq!(command.finish().unwrap().0.signal(), Some(9));
        let missing = TracedCommand::start(&mut Command::new("/no/such/program"));
        assert_eq!(missing.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
