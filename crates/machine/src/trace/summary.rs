//! What came of a trace: how much was seen, and what is missing.

use trace::ring::DecodeCounts;

use super::kernel_counts::KernelCounts;

/// One CPU's part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuSummary {
    /// The CPU.
    pub cpu: u32,
    /// What its reader read: nothing of a CPU that was switched on while the trace ran.
    pub read: DecodeCounts,
    /// What the kernel counted; none where it does not say.
    pub kernel: Option<KernelCounts>,
}

impl CpuSummary {
    /// How many events were lost: by the kernel's count, with those that nobody read, or else as many
    /// as the pages tell.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.kernel.map_or(self.read.lost_events, |kernel| kernel.lost() + kernel.entries)
    }

    /// Whether the kernel's counts and ours agree: every event that was not lost was read, and
    /// where some were lost, the pages told so.
    #[must_use]
    pub fn is_accounted_for(&self) -> bool {
        let Some(kernel) = self.kernel else { return false };
        let told = if self.read.uncounted_losses == 0 {
            self.read.lost_events == kernel.overrun
        } else {
            self.read.lost_events <= kernel.overrun
        };
        let is_whole = self.read.garbled_pages == 0 && self.read.garbled_events == 0;
        told && kernel.entries == 0 && kernel.read == self.read.events && is_whole
    }
}

/// What came of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSummary {
    /// When it began and ended, in nanoseconds of `CLOCK_MONOTONIC`.
    pub began_ns: u64,
    /// See `began_ns`.
    pub ended_ns: u64,
    /// Each CPU.
    pub cpus: Vec<CpuSummary>,
    /// How much room the events of each CPU had.
    pub buffer_bytes: u64,
    /// The events that were traced.
    pub events: Vec<&'static str>,
    /// The events of the block layer that this kernel does not have.
    pub absent: Vec<&'static str>,
    /// Records that were given after a later one.
    pub late_records: u64,
    /// Records that nobody took.
    pub untaken_records: u64,
    /// Calls such as fsync that had not returned at the end.
    pub unfinished_calls: u64,
}

impl CaptureSummary {
    /// How many events were read.
    #[must_use]
    pub fn events_read(&self) -> u64 {
        self.cpus.iter().map(|cpu| cpu.read.events).sum()
    }

    /// How many were lost.
    #[must_use]
    pub fn events_lost(&self) -> u64 {
        self.cpus.iter().map(CpuSummary::lost).sum()
    }

    /// How many of those the kernel overwrote before they were read; the others never came
    /// into a buffer.
    #[must_use]
    pub fn events_overwritten(&self) -> u64 {
        self.cpus.iter().filter_map(|cpu| cpu.kernel).map(|kernel| kernel.overrun).sum()
    }

    /// Whether the kernel's counts and ours agree on every CPU.
    #[must_use]
    pub fn is_accounted_for(&self) -> bool {
        self.cpus.iter().all(CpuSummary::is_accounted_for)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_and_lost_must_add_up() {
        let read = DecodeCounts { events: 156, lost_events: 144, ..DecodeCounts::default() };
        let kernel = KernelCounts { overrun: 144, read: 156, ..KernelCounts::default() };
        let cpu = CpuSummary { cpu: 0, read, kernel: Some(kernel) };
        assert!(cpu.is_accounted_for() && cpu.lost() == 144);
        let with = |change: fn(&mut CpuSummary)| {
            let mut other = cpu;
            change(&mut other);
            other
        };
        assert!(!with(|cpu| cpu.read.events = 155).is_accounted_for());
        assert!(!with(|cpu| cpu.read.lost_events = 143).is_accounted_for());
        assert!(!with(|cpu| cpu.read.garbled_pages = 1).is_accounted_for());
        assert!(!with(|cpu| cpu.read.garbled_events = 1).is_accounted_for());
        let untold = with(|cpu| (cpu.read.lost_events, cpu.read.uncounted_losses) = (0, 1));
        assert!(untold.is_accounted_for() && untold.lost() == 144);
        let unread = with(|cpu| {
            cpu.read = DecodeCounts::default();
            cpu.kernel = Some(KernelCounts { entries: 5, overrun: 2, ..KernelCounts::default() });
        });
        assert!(!unread.is_accounted_for() && unread.lost() == 7);
        let unknown = with(|cpu| cpu.kernel = None);
        assert!(!unknown.is_accounted_for() && unknown.lost() == 144);
    }
}
