//! Options about what fio prints and logs, and about recorded operations.

use crate::fio::option::FioOption as O;

const SERIES: &str = "every run keeps series of rate and latency; `headroom export` writes them";
const LATENCY: &str = "latencies are always measured, with full histograms";
const CLOCK: &str = "one clock, whose cost is measured";

pub(super) const OPTIONS: &[O] = &[
    O::harmless("write_bw_log", SERIES),
    O::harmless("write_lat_log", SERIES),
    O::harmless("write_iops_log", SERIES),
    O::harmless("write_hist_log", SERIES),
    O::harmless("per_job_logs", SERIES),
    O::harmless("bwavgtime", SERIES),
    O::harmless("iopsavgtime", SERIES),
    O::harmless("log_entries", SERIES),
    O::harmless("log_avg_msec", SERIES),
    O::harmless("log_hist_msec", SERIES),
    O::harmless("log_hist_coarseness", SERIES),
    O::harmless("log_window_value", SERIES).or(&["log_max_value"]),
    O::harmless("log_offset", SERIES),
    O::harmless("log_prio", SERIES),
    O::harmless("log_issue_time", SERIES),
    O::harmless("log_compression", SERIES),
    O::harmless("log_compression_cpus", SERIES),
    O::harmless("log_store_compressed", SERIES),
    O::harmless("log_unix_epoch", SERIES),
    O::harmless("log_alternate_epoch", SERIES),
    O::harmless("log_alternate_epoch_clock_id", SERIES),
    O::harmless("block_error_percentiles", "an error fails the trial, with its reason"),
    O::harmless("stats", "figures are always kept"),
    O::harmless("clat_percentiles", LATENCY),
    O::harmless("lat_percentiles", LATENCY),
    O::harmless("slat_percentiles", LATENCY),
    O::harmless("percentile_list", LATENCY),
    O::harmless("disable_lat", LATENCY),
    O::harmless("disable_clat", LATENCY),
    O::harmless("disable_slat", LATENCY),
    O::harmless("disable_bw_measurement", LATENCY).or(&["disable_bw"]),
    O::harmless("gtod_reduce", LATENCY),
    O::harmless("gtod_cpu", CLOCK),
    O::harmless("clocksource", CLOCK),
    O::harmless("job_start_clock_id", CLOCK),
    O::harmless("significant_figures", "only how fio prints"),
    O::harmless("unit_base", "only how fio prints"),
    O::harmless("unified_rw_reporting", "reads, writes and both together have their figures"),
    O::harmless("disk_util", "the kernel's counters of every device on the path are read"),
];

pub(super) const REPLAY: &[O] = &[
    O::refused("read_iolog", "fio would repeat recorded operations"),
    O::harmless("read_iolog_chunked", "only with `read_iolog`"),
    O::harmless("write_iolog", "the operations follow from the seed"),
    O::harmless("replay_no_stall", "only with `read_iolog`"),
    O::harmless("replay_redirect", "only with `read_iolog`"),
    O::harmless("replay_scale", "only with `read_iolog`"),
    O::harmless("replay_align", "only with `read_iolog`"),
    O::harmless("replay_time_scale", "only with `read_iolog`"),
    O::harmless("replay_skip", "only with `read_iolog`"),
    O::harmless("merge_blktrace_file", "only with `read_iolog`"),
    O::harmless("merge_blktrace_scalars", "only with `read_iolog`"),
    O::harmless("merge_blktrace_iters", "only with `read_iolog`"),
];
