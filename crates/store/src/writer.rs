//! Whether the process that writes a run still lives.
//!
//! A process number alone says little, for numbers are used again. With the
//! process's start time, and the boot that this time counts from, it is
//! certain enough. What this cannot see: a writer in another process-number
//! namespace (a container) or on another machine counts as gone.

use std::fs;

use model::process_stat::living_since;

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

    /// Whether this very process is alive.
    pub(crate) fn lives(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }
}

#[cfg(test)]
mod tests {
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
    fn the_same_number_in_another_life_or_boot_is_another_process() {
        let this = Writer::this_process().unwrap();
        assert!(this.lives());
        assert!(!Writer { start_ticks: this.start_ticks + 1, ..this.clone() }.lives());
        assert!(!Writer { boot: "another".to_owned(), ..this }.lives());
    }
}
