//! `per_cpu/cpuN/stats` of an instance: what the kernel itself counts of a CPU's buffer.

/// The kernel's counts of one CPU's buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelCounts {
    /// Events that are still in it.
    pub entries: u64,
    /// Events that were overwritten before they were read.
    pub overrun: u64,
    /// Events for which there was no room within a write that others interrupted.
    pub commit_overrun: u64,
    /// Events that were not written because the buffer was full.
    pub dropped: u64,
    /// Events that were read.
    pub read: u64,
}

impl KernelCounts {
    /// Reads the text of the file; none where a count is missing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let count = |key: &str| {
            let lines = text.lines().filter_map(|line| line.split_once(':'));
            lines.filter(|(own, _)| *own == key).find_map(|(_, value)| value.trim().parse().ok())
        };
        Some(Self {
            entries: count("entries")?,
            overrun: count("overrun")?,
            commit_overrun: count("commit overrun")?,
            dropped: count("dropped events")?,
            read: count("read events")?,
        })
    }

    /// All that were lost.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.overrun + self.commit_overrun + self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_by_name() {
        let text = "entries: 1\noverrun: 144\ncommit overrun: 2\nbytes: 52\noldest event ts: 79684.405841\n\
                    now ts: 79684.417566\ndropped events: 3\nread events: 156\n";
        let counts = KernelCounts::parse(text).unwrap();
        let expected = KernelCounts { entries: 1, overrun: 144, commit_overrun: 2, dropped: 3, read: 156 };
        assert_eq!((counts, counts.lost()), (expected, 149));
        assert_eq!(KernelCounts::parse(&text.replace("dropped", "x")), None);
    }
}
