//! A process, named for good: a number alone is used again.

use serde::{Deserialize, Serialize};

/// One process of this boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, in clock ticks since boot (proc(5), field 22).
    pub start_ticks: u64,
}

impl Process {
    /// The calling process; its start is 0 where /proc cannot be read.
    #[must_use]
    pub fn this() -> Self {
        let pid = std::process::id();
        Self::of(pid).unwrap_or(Self { pid, start_ticks: 0 })
    }

    /// The process that started this one.
    #[must_use]
    pub fn parent() -> Option<Self> {
        let pid = rustix::process::getppid()?;
        Self::of(u32::try_from(pid.as_raw_nonzero().get()).ok()?)
    }

    /// The living process `pid`; absent if there is none.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        Some(Self { pid, start_ticks: living_since(&stat)? })
    }

    /// Whether this very process is alive.
    #[must_use]
    pub fn lives(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }
}

/// The start time from a line of /proc/PID/stat, or none if the process is dead
/// and only waits to be noticed (field 3 is Z or X), or is about to be (field 9).
fn living_since(stat: &str) -> Option<u64> {
    // The command's name, in parentheses, may hold spaces and parentheses.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let flags: u64 = fields.nth(9 - 4)?.parse().ok()?;
    if flags & EXITING != 0 {
        return None;
    }
    fields.nth(22 - 10)?.parse().ok()
}

/// The flag of a process that ends and runs nothing of its own any more, though closing its files may take long
/// (`PF_EXITING` of the kernel's include/linux/sched.h).
const EXITING: u64 = 0x4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_life_of_the_same_number_is_another_process() {
        let this = Process::this();
        assert!(this.lives() && this.start_ticks > 0);
        assert!(!Process { start_ticks: this.start_ticks + 1, ..this }.lives());
        assert!(Process::parent().is_some_and(|p| p.lives() && p != this));
        let line = "77 (a) b (c) S 1 77 77 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 123456 99 0";
        assert_eq!(living_since(line), Some(123_456));
        assert_eq!(living_since(&line.replace(" S ", " Z ")), None);
        assert_eq!(living_since(&line.replace(" 4194304 ", " 4194308 ")), None, "it ends");
    }
}
