//! Whether the process that writes a run still lives.
//!
//! A process number alone says little, for numbers are used again. With the
//! process's start time, and the boot that this time counts from, it is
//! certain enough. What this cannot see: a writer in another process-number
//! namespace (a container) or on another machine counts as gone.

use std::{fs, io};

use model::process_stat::living_since;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// One process, named for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Writer {
    pub(crate) pid: u32,
    /// When it started, in clock ticks since boot.
    pub(crate) start_ticks: u64,
    /// The kernel's id of this boot.
    pub(crate) boot: String,
}

impl Writer {
    /// The calling process; absent where /proc cannot be read.
    pub(crate) fn this_process() -> Option<Self> {
        Self::of(std::process::id())
    }

    /// The living process `pid`; absent if there is none.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let start_ticks = living_since(&stat)?;
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned();
        Some(Self { pid, start_ticks, boot })
    }

    /// Asks it to stop, as Ctrl-C does; false if it is gone. The number cannot become another process's between the look
    /// and the signal, for both go by one descriptor.
    pub(crate) fn interrupt(&self) -> io::Result<bool> {
        let Some(pid) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) else { return Ok(false) };
        let process = match pidfd_open(pid, PidfdFlags::empty()) {
            Err(Errno::SRCH) => return Ok(false),
            opened => opened?,
        };
        if !self.lives() {
            return Ok(false);
        }
        match pidfd_send_signal(&process, Signal::INT) {
            Err(Errno::SRCH) => Ok(false),
            sent => Ok(sent.map(|()| true)?),
        }
    }

    /// Whether this very process is alive.
    pub(crate) fn lives(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_killed_process_is_gone_even_before_it_is_reaped() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let writer = Writer::of(child.id()).unwrap();
        assert!(writer.lives());
        child.kill().unwrap();
        while Writer::of(child.id()).is_some() {
            std::thread::yield_now();
        }
        assert!(!writer.lives());
        child.wait().unwrap();
        assert!(!writer.lives());
    }

    #[test]
    fn a_process_is_asked_to_stop_and_another_of_its_number_is_not() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let writer = Writer::of(child.id()).unwrap();
        let another = Writer { start_ticks: writer.start_ticks + 1, ..writer.clone() };
        assert!(!another.interrupt().unwrap());
        assert!(writer.lives());
        assert!(writer.interrupt().unwrap());
        assert_eq!(child.wait().unwrap().signal(), Some(Signal::INT.as_raw()));
        assert!(!writer.interrupt().unwrap());
    }

    #[test]
    fn the_same_number_in_another_life_or_boot_is_another_process() {
        let this = Writer::this_process().unwrap();
        assert!(this.lives());
        assert!(!Writer { start_ticks: this.start_ticks + 1, ..this.clone() }.lives());
        assert!(!Writer { boot: "another".to_owned(), ..this }.lives());
    }
}
