//! A process, named for good: a number alone is used again.

use model::process_stat::living_since;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_life_of_the_same_number_is_another_process() {
        let this = Process::this();
        assert!(this.lives() && this.start_ticks > 0);
        assert!(!Process { start_ticks: this.start_ticks + 1, ..this }.lives());
        assert!(Process::parent().is_some_and(|p| p.lives() && p != this));
    }
}
