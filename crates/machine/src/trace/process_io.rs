//! What processes read and wrote, by `/proc/PID/io` (proc_pid_io(5)).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Add;

/// What one or several processes read and wrote. Who writes into the page cache is charged at
/// once, whenever and by whomever that reaches the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessIo {
    /// Bytes that system calls read, from wherever.
    pub call_bytes_read: u64,
    /// Bytes that system calls wrote, to wherever.
    pub call_bytes_written: u64,
    /// Bytes that had to come from devices.
    pub device_bytes_read: u64,
    /// Bytes that devices had to take, or will have to.
    pub device_bytes_written: u64,
    /// Bytes of those that need not be written after all: the file was truncated before.
    pub cancelled_bytes_written: u64,
}

impl Add for ProcessIo {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            call_bytes_read: self.call_bytes_read + other.call_bytes_read,
            call_bytes_written: self.call_bytes_written + other.call_bytes_written,
            device_bytes_read: self.device_bytes_read + other.device_bytes_read,
            device_bytes_written: self.device_bytes_written + other.device_bytes_written,
            cancelled_bytes_written: self.cancelled_bytes_written + other.cancelled_bytes_written,
        }
    }
}

impl ProcessIo {
    /// Of the process `pid` and those of its children that it waited for; none where it is gone
    /// or belongs to somebody else.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?)
    }

    /// The same, and of all its descendants that live.
    #[must_use]
    pub fn of_tree(pid: u32) -> Option<Self> {
        let own = Self::of(pid)?;
        Some(descendants(pid, &parents()).into_iter().filter_map(Self::of).fold(own, Add::add))
    }

    fn parse(text: &str) -> Option<Self> {
        let count = |key: &str| {
            let lines = text.lines().filter_map(|line| line.split_once(':'));
            lines.filter(|(own, _)| *own == key).find_map(|(_, value)| value.trim().parse().ok())
        };
        Some(Self {
            call_bytes_read: count("rchar")?,
            call_bytes_written: count("wchar")?,
            device_bytes_read: count("read_bytes")?,
            device_bytes_written: count("write_bytes")?,
            cancelled_bytes_written: count("cancelled_write_bytes")?,
        })
    }
}

/// Every process, and its parent.
fn parents() -> BTreeMap<u32, u32> {
    let names = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = names.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name before may hold anything.
        let (_, rest) = stat.rsplit_once(')')?;
        Some((pid, rest.split_whitespace().nth(1)?.parse().ok()?))
    })
    .collect()
}

fn descendants(pid: u32, parents: &BTreeMap<u32, u32>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open = vec![pid];
    while let Some(parent) = open.pop() {
        for (child, _) in parents.iter().filter(|(_, own)| **own == parent) {
            if *child != pid && found.insert(*child) {
                open.push(*child);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_by_name() {
        let text = "rchar: 3152704\nwchar: 3145822\nsyscr: 14\nsyscw: 6\nread_bytes: 512\nwrite_bytes: 3158016\n\
                    cancelled_write_bytes: 7\n";
        let io = ProcessIo::parse(text).unwrap();
        assert_eq!((io.call_bytes_read, io.call_bytes_written), (3_152_704, 3_145_822));
        assert_eq!((io.device_bytes_read, io.device_bytes_written), (512, 3_158_016));
        assert_eq!((io + io).cancelled_bytes_written, 14);
        assert_eq!(ProcessIo::parse("rchar: 1\n"), None);
    }

    #[test]
    fn descendants_are_children_and_theirs_and_rings_end() {
        let parents = BTreeMap::from([(2, 1), (3, 2), (4, 3), (5, 1), (1, 4)]);
        assert_eq!(descendants(2, &parents), BTreeSet::from([3, 4, 1, 5]));
        assert_eq!(descendants(5, &parents), BTreeSet::new());
    }
}
