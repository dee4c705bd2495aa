//! Which devices are used for nothing but swap, and how much was swapped so far: what a trace
//! is held against before it is said that the kernel swapped.

use std::os::unix::fs::{FileTypeExt, MetadataExt};

use trace::Device;
use trace::analysis::SwapCounters;

use super::device::number_of;
use crate::Host;

/// The devices and partitions that are in use as swap; swap files are on none.
#[must_use]
pub fn swap_devices() -> Vec<Device> {
    let text = Host::this().text("/proc/swaps").unwrap_or_default();
    let numbers = device_names(&text).filter_map(|name| {
        let metadata = std::fs::metadata(name).ok()?;
        metadata.file_type().is_block_device().then(|| number_of(metadata.rdev()))
    });
    numbers.collect()
}

/// The names of devices in `/proc/swaps` (proc_swaps(5)): name, kind, sizes.
fn device_names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().skip(1).filter_map(|line| {
        let mut words = line.split_whitespace();
        let (name, kind) = (words.next()?, words.next()?);
        (kind == "partition").then_some(name)
    })
}

/// How many pages were swapped since the machine began; nothing where the kernel does not say.
#[must_use]
pub fn swap_counters() -> Option<SwapCounters> {
    counters(&Host::this().text("/proc/vmstat")?)
}

/// The bytes of such a page.
#[must_use]
pub fn swap_page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

fn counters(text: &str) -> Option<SwapCounters> {
    let count = |key: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(own, _)| *own == key)?.1.trim().parse::<u64>().ok()
    };
    Some(SwapCounters { pages_in: count("pswpin")?, pages_out: count("pswpout")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_no_devices_and_counters_are_read_by_name() {
        let text = "Filename\tType\t\tSize\tUsed\tPriority\n/dev/sda2 partition 1048572 0 -2\n\
                    /swap\\040file file 1048572 12 -3\n/dev/zram0 partition 524284 0 100\n";
        assert_eq!(device_names(text).collect::<Vec<_>>(), ["/dev/sda2", "/dev/zram0"]);
        let counted = counters("nr_free_pages 1\npswpin 12\npswpout 30\n").unwrap();
        assert_eq!((counted.pages_in, counted.pages_out), (12, 30));
        assert_eq!(counters("pswpin 12\n"), None);
    }
}
