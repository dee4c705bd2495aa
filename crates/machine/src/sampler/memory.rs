//! The state of memory and what it was moved for: `/proc/vmstat`, and what is
//! free to be used, `/proc/meminfo`.

use model::Unit;

use crate::sampler::{Pace, SamplerColumn, SamplerKind, keyed};

/// States, in pages (`include/linux/mmzone.h`, `enum node_stat_item`).
const PAGES: &[&str] =
    &["nr_free_pages", "nr_inactive_file", "nr_active_file", "nr_file_pages", "nr_dirty", "nr_writeback"];

/// How many may wait to be written (`global_dirty_limits` in `mm/page-writeback.c`): they move with
/// what memory is free.
const THRESHOLDS: &[&str] = &["nr_dirty_threshold", "nr_dirty_background_threshold"];

/// Pages swapped in and out: from and to a swap device, and compressed memory in its place (zswap); and pages of files that were
/// read though they had been in memory not long before.
const PAGES_MOVED: &[&str] = &["pswpin", "pswpout", "zswpin", "zswpout", "workingset_refault_file"];

/// Bytes read from and written to block devices by all, in KiB: the kernel
/// halves sectors before it shows them (`vmstat_start` in `mm/vmstat.c`).
const KIBIBYTES_MOVED: &[&str] = &["pgpgin", "pgpgout"];

/// How often it came to that. `allocstall`, an allocation that had to make room
/// by itself, is one number before Linux 4.10 and one for each zone since.
const EVENTS: &[&str] = &[
    "pgmajfault",
    "oom_kill",
    "allocstall",
    "allocstall_dma",
    "allocstall_dma32",
    "allocstall_normal",
    "allocstall_device",
    "allocstall_movable",
];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "memory",
    doc: "free, dirty and cached memory, swapping, major faults, stalls for want of memory",
    open: |host, _| {
        let page = rustix::param::page_size() as f64;
        let gauge = |name: &&'static str| (*name, SamplerColumn::gauge("memory", name, Unit::Bytes, page));
        let moved = |scale: f64| {
            move |name: &&'static str| (*name, SamplerColumn::counter("memory", name, Unit::Bytes, scale))
        };
        let event = |name: &&'static str| (*name, SamplerColumn::counter("memory", name, Unit::One, 1.0));
        let columns = PAGES
            .iter()
            .chain(THRESHOLDS)
            .map(gauge)
            .chain(PAGES_MOVED.iter().map(moved(page)))
            .chain(KIBIBYTES_MOVED.iter().map(moved(1024.0)))
            .chain(EVENTS.iter().map(event));
        let mut all = keyed::open(host, "/proc/vmstat", "/proc/vmstat", Pace::Fast, columns);
        let available = SamplerColumn::gauge("memory", "MemAvailable", Unit::Bytes, 1024.0);
        // The kernel works it out anew for each reading, so once a second.
        let columns = [("MemAvailable", available)];
        all.extend(keyed::open(host, "/proc/meminfo", "/proc/meminfo", Pace::Slow, columns));
        all
    },
};
