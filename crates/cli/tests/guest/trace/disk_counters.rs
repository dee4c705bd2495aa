//! What the kernel counts of disks. By that a story knows that nothing was done to them while only one of its two
//! captures was under way.

use crate::test_bed::eventually;

/// The files with the counters of some disks (`Documentation/block/stat.rst`): what was done, how long it took, and
/// how much is on its way.
pub(super) struct DiskCounters {
    paths: Vec<String>,
}

impl DiskCounters {
    /// Those of disks by the kernel's names.
    pub(super) fn of(disks: &[&str]) -> Self {
        Self { paths: disks.iter().map(|disk| format!("/sys/block/{disk}/stat")).collect() }
    }

    /// What they are now: a line for each disk.
    pub(super) fn read(&self) -> String {
        self.paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    /// The shell's command that prints the same.
    pub(super) fn command(&self) -> String {
        format!("cat {}", self.paths.join(" "))
    }

    /// Waits until the disks are idle: nothing is on its way, and nothing was done since the last look.
    pub(super) fn once_idle(&self) -> String {
        let mut now = String::new();
        eventually("the disks are idle", || {
            let before = std::mem::replace(&mut now, self.read());
            before == now && has_nothing_on_its_way(&now)
        });
        now
    }
}

/// From one look at the counters to another, nothing may have been done or been on its way.
pub(super) fn assert_idle(when: &str, from: &str, to: &str) {
    let was_idle = from == to && has_nothing_on_its_way(from);
    assert!(was_idle, "the disks were not idle {when}: from\n{from}to\n{to}");
}

/// The ninth column is how much is on its way.
fn has_nothing_on_its_way(counters: &str) -> bool {
    counters.lines().all(|line| line.split_whitespace().nth(8) == Some("0"))
}
