//! Whether the process that writes a run still lives.
//!
//! A process number alone says little, for numbers are used again. With the
//! process's start time, and the boot that this time counts from, it is
//! certain enough. What this cannot see: a writer in another process-number
//! namespace (a container) or on another machine counts as gone.

use std::fs;

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

/// The start time from a line of /proc/PID/stat (proc(5): field 22), or none
/// if the process is dead and only waits to be noticed (field 3 is Z or X), or is about to be (field 9).
fn living_since(stat: &str) -> Option<u64> {
    // The command's name, in parentheses, may hold spaces and parentheses.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
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
    use std::process::{Command, Stdio};

    use super::*;

    const LINE: &str = "77 (a) b (c) S 1 77 77 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 123456 99 0";

    #[test]
    fn the_start_time_is_field_22_whatever_the_name() {
        assert_eq!(living_since(LINE), Some(123_456));
        assert_eq!(living_since(&LINE.replace(" S ", " Z ")), None);
        assert_eq!(living_since(&LINE.replace(" 4194304 ", " 4194308 ")), None, "it ends");
        assert_eq!(living_since("77 (short) S 1"), None);
    }

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
