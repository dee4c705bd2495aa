//! Options about what fio prints and logs, and about recorded operations.

use crate::fio::option::FioOption as O;
use crate::fio::value::Form;

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
    O::taken(
        "read_iolog",
        Form::Text,
        "a load of `disk.replay`; iologs of version 2 and 3 and files of blktrace are read",
    ),
    O::harmless("read_iolog_chunked", "recordings of any length are read before time counts"),
    O::harmless("write_iolog", "the operations follow from the seed, or from the recording"),
    O::taken("replay_no_stall", Form::Flag, "`speed=max`"),
    O::taken("replay_redirect", Form::Text, "`target`"),
    O::taken("replay_scale", Form::Whole, "`map=scale`, by the size of the target"),
    O::taken("replay_align", Form::Size, "`align`"),
    O::taken("replay_time_scale", Form::Whole, "`speed`: 50 is half as fast"),
    O::taken("replay_skip", Form::Text, "`writes=skip` or `discards=skip`"),
    O::unsupported("merge_blktrace_file", "fio would make one trace of several; here the first is played"),
    O::harmless("merge_blktrace_scalars", "only with `merge_blktrace_file`"),
    O::harmless("merge_blktrace_iters", "only with `merge_blktrace_file`"),
];
