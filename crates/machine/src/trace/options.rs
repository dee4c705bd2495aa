//! What is to be traced, and how much room it has.

use trace::Device;

use super::device::TracedDevice;
use crate::Host;

/// The least and the most that a CPU's buffer has by default. An event takes some 60 bytes, so
/// 16 MiB hold a quarter of a million, a quarter of a second at a million a second.
const BUFFER_MIN: u64 = 1 << 20;
const BUFFER_MAX: u64 = 16 << 20;
/// All buffers together have at most this part of the memory by default.
const MEMORY_PART: u64 = 32;

/// What is to be traced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureOptions {
    /// The disks; whole ones, for the block layer's events name no partitions.
    pub devices: Vec<Device>,
    /// The backing devices, by the names that the kernel gives them (`8:0`, `btrfs-1`), of which
    /// is told who dirties pages. None: nobody is asked.
    pub backings: Vec<String>,
    /// Whether calls such as fsync are told, of all threads of the machine. With them on, the
    /// kernel takes its slower way through every system call of every thread.
    pub has_sync_calls: bool,
    /// Whether plugging is told, which names no device and so is told of the whole machine.
    pub has_plugging: bool,
    /// How much room the events of each CPU have; by default as much as seems good.
    pub buffer_bytes: Option<u64>,
}

impl CaptureOptions {
    /// All that can be told of these devices.
    #[must_use]
    pub fn of(devices: &[TracedDevice]) -> Self {
        let mut options = Self { has_sync_calls: true, has_plugging: true, ..Self::default() };
        for device in devices {
            options.devices.push(device.device);
            options.backings.extend(device.backings.iter().cloned());
        }
        options.devices.sort_unstable();
        options.devices.dedup();
        options.backings.sort_unstable();
        options.backings.dedup();
        options
    }

    /// How much room the events of each of `cpus` have, in whole KiB.
    pub(super) fn buffer(&self, cpus: usize) -> u64 {
        let bytes = self.buffer_bytes.unwrap_or_else(|| default_buffer(memory(&Host::this()), cpus));
        (bytes / 1024).max(8) * 1024
    }
}

fn default_buffer(memory: Option<u64>, cpus: usize) -> u64 {
    let each = memory.unwrap_or(0) / MEMORY_PART / cpus.max(1) as u64;
    each.clamp(BUFFER_MIN, BUFFER_MAX)
}

fn memory(host: &Host) -> Option<u64> {
    let text = host.text("/proc/meminfo")?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_fit_into_the_memory() {
        assert_eq!(default_buffer(Some(64 << 30), 4), 16 << 20);
        assert_eq!(default_buffer(Some(1 << 30), 8), 4 << 20);
        assert_eq!(default_buffer(None, 8), 1 << 20);
        let host = Host::parse("==> /proc/meminfo\nMemTotal:        8156584 kB\nMemFree: 1 kB\n");
        assert_eq!(memory(&host), Some(8_156_584 << 10));
        let options = CaptureOptions { buffer_bytes: Some(100_000), ..CaptureOptions::default() };
        assert_eq!(options.buffer(2), 97 << 10);
    }
}
