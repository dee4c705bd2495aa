//! The columns of sysstat's tables, by their headings in all versions.

use model::{MetricName, metric};

use crate::tool::system::cell::{CellUnit, Column, Mean, column};

/// Columns that tell of what a row is.
const ITEMS: &[&str] = &[
    "CPU",
    "NODE",
    "CORE",
    "SOCK",
    "DEV",
    "Device",
    "Device:",
    "device",
    "IFACE",
    "TTY",
    "BUS",
    "FILESYSTEM",
    "MOUNTPOINT",
    "FCHOST",
    "INTR",
    "HOST",
    "FAN",
    "TEMP",
    "IN",
    "BAT",
];

const READS: Mean = Mean::By(&[metric::READ_IOPS]);
const WRITES: Mean = Mean::By(&[metric::WRITE_IOPS]);
const DISCARDS: Mean = Mean::By(&[DISCARD_IOPS]);
const FLUSHES: Mean = Mean::By(&[FLUSHES_PER_SECOND]);
/// Of all operations: as `tps` they are counted together, otherwise each kind by itself. Discards are
/// there where any is.
const ALL: Mean = Mean::By(&[metric::IOPS, metric::READ_IOPS, metric::WRITE_IOPS, DISCARD_IOPS]);

const DISCARD_IOPS: MetricName = MetricName::new("discard_iops");
const FLUSHES_PER_SECOND: MetricName = MetricName::new("flushes_per_second");

const fn share(headings: &'static [&'static str], name: &'static str) -> Column {
    Column { headings, metric: MetricName::new(name), unit: CellUnit::PERCENT, mean: Mean::Plain }
}

const fn rate(headings: &'static [&'static str], metric: MetricName) -> Column {
    Column { headings, metric, unit: CellUnit::PER_SECOND, mean: Mean::Plain }
}

const fn of(headings: &'static [&'static str], name: &'static str, unit: CellUnit, mean: Mean) -> Column {
    Column { headings, metric: MetricName::new(name), unit, mean }
}

const fn flow(headings: &'static [&'static str], metric: MetricName, unit: CellUnit) -> Column {
    Column { headings, metric, unit, mean: Mean::Plain }
}

/// What processors did.
const OF_PROCESSORS: &[Column] = &[
    share(&["%user", "%usr"], "cpu_user_share"),
    share(&["%nice"], "cpu_nice_share"),
    share(&["%system", "%sys"], "cpu_system_share"),
    share(&["%iowait"], "cpu_wait_share"),
    share(&["%irq"], "cpu_irq_share"),
    share(&["%soft"], "cpu_softirq_share"),
    share(&["%steal"], "cpu_steal_share"),
    share(&["%guest"], "cpu_guest_share"),
    share(&["%gnice"], "cpu_guest_nice_share"),
    share(&["%idle"], "cpu_idle_share"),
    rate(&["intr/s"], MetricName::new("interrupts_per_second")),
    rate(&["cswch/s"], MetricName::new("context_switches_per_second")),
    rate(&["proc/s"], MetricName::new("forks_per_second")),
];

/// What block devices did.
const OF_DEVICES: &[Column] = &[
    rate(&["tps"], metric::IOPS),
    rate(&["r/s", "rtps"], metric::READ_IOPS),
    rate(&["w/s", "wtps"], metric::WRITE_IOPS),
    rate(&["d/s", "dtps"], DISCARD_IOPS),
    rate(&["f/s"], FLUSHES_PER_SECOND),
    flow(&["rkB/s", "kB_read/s"], metric::READ_THROUGHPUT, CellUnit::KIB_PER_S),
    flow(&["wkB/s", "kB_wrtn/s"], metric::WRITE_THROUGHPUT, CellUnit::KIB_PER_S),
    flow(&["dkB/s", "kB_dscd/s"], MetricName::new("discard_throughput"), CellUnit::KIB_PER_S),
    flow(&["kB/s"], metric::THROUGHPUT, CellUnit::KIB_PER_S),
    flow(&["rMB/s", "MB_read/s"], metric::READ_THROUGHPUT, CellUnit::MIB_PER_S),
    flow(&["wMB/s", "MB_wrtn/s"], metric::WRITE_THROUGHPUT, CellUnit::MIB_PER_S),
    flow(&["dMB/s", "MB_dscd/s"], MetricName::new("discard_throughput"), CellUnit::MIB_PER_S),
    flow(&["MB/s"], metric::THROUGHPUT, CellUnit::MIB_PER_S),
    flow(&["rsec/s", "Blk_read/s", "rd_sec/s", "bread/s"], metric::READ_THROUGHPUT, CellUnit::SECTORS_PER_S),
    flow(&["wsec/s", "Blk_wrtn/s", "wr_sec/s", "bwrtn/s"], metric::WRITE_THROUGHPUT, CellUnit::SECTORS_PER_S),
    flow(
        &["dsec/s", "Blk_dscd/s", "bdscd/s"],
        MetricName::new("discard_throughput"),
        CellUnit::SECTORS_PER_S,
    ),
    flow(&["sec/s"], metric::THROUGHPUT, CellUnit::SECTORS_PER_S),
    of(&["kB_read"], "read_bytes", CellUnit::KIB, Mean::No),
    of(&["kB_wrtn"], "written_bytes", CellUnit::KIB, Mean::No),
    of(&["kB_dscd"], "discarded_bytes", CellUnit::KIB, Mean::No),
    of(&["MB_read"], "read_bytes", CellUnit::MIB, Mean::No),
    of(&["MB_wrtn"], "written_bytes", CellUnit::MIB, Mean::No),
    of(&["MB_dscd"], "discarded_bytes", CellUnit::MIB, Mean::No),
    of(&["Blk_read"], "read_bytes", CellUnit::SECTORS, Mean::No),
    of(&["Blk_wrtn"], "written_bytes", CellUnit::SECTORS, Mean::No),
    of(&["Blk_dscd"], "discarded_bytes", CellUnit::SECTORS, Mean::No),
    rate(&["rrqm/s"], MetricName::new("read_merges_per_second")),
    rate(&["wrqm/s"], MetricName::new("write_merges_per_second")),
    rate(&["drqm/s"], MetricName::new("discard_merges_per_second")),
    rate(&["rqm/s"], MetricName::new("merges_per_second")),
    of(&["%rrqm"], "read_merged_share", CellUnit::PERCENT, Mean::No),
    of(&["%wrqm"], "write_merged_share", CellUnit::PERCENT, Mean::No),
    of(&["%drqm"], "discard_merged_share", CellUnit::PERCENT, Mean::No),
    of(&["r_await"], "read_latency_mean", CellUnit::MILLISECONDS, READS),
    of(&["w_await"], "write_latency_mean", CellUnit::MILLISECONDS, WRITES),
    of(&["d_await"], "discard_latency_mean", CellUnit::MILLISECONDS, DISCARDS),
    of(&["f_await"], "flush_latency_mean", CellUnit::MILLISECONDS, FLUSHES),
    of(&["await"], "latency_mean", CellUnit::MILLISECONDS, ALL),
    of(&["svctm"], "service_time_mean", CellUnit::MILLISECONDS, ALL),
    of(&["rareq-sz"], "read_size_mean", CellUnit::KIB, READS),
    of(&["wareq-sz"], "write_size_mean", CellUnit::KIB, WRITES),
    of(&["dareq-sz"], "discard_size_mean", CellUnit::KIB, DISCARDS),
    of(&["areq-sz"], "size_mean", CellUnit::KIB, ALL),
    of(&["avgrq-sz"], "size_mean", CellUnit::SECTORS, ALL),
    of(&["aqu-sz", "avgqu-sz"], "queue_depth_mean", CellUnit::COUNT, Mean::Plain),
    share(&["%util"], "busy_share"),
];

/// What sar has of memory, queues and networks.
const OF_SAR: &[Column] = &[
    of(&["kbmemfree"], "memory_free", CellUnit::KIB, Mean::Plain),
    of(&["kbavail"], "memory_available", CellUnit::KIB, Mean::Plain),
    of(&["kbmemused"], "memory_used", CellUnit::KIB, Mean::Plain),
    share(&["%memused"], "memory_used_share"),
    of(&["kbbuffers"], "memory_buffers", CellUnit::KIB, Mean::Plain),
    of(&["kbcached"], "memory_page_cache", CellUnit::KIB, Mean::Plain),
    of(&["kbcommit"], "memory_committed", CellUnit::KIB, Mean::Plain),
    share(&["%commit"], "memory_committed_share"),
    of(&["kbactive"], "memory_active", CellUnit::KIB, Mean::Plain),
    of(&["kbinact"], "memory_inactive", CellUnit::KIB, Mean::Plain),
    of(&["kbdirty"], "dirty", CellUnit::KIB, Mean::Plain),
    of(&["kbswpfree"], "swap_free", CellUnit::KIB, Mean::Plain),
    of(&["kbswpused"], "swap_used", CellUnit::KIB, Mean::Plain),
    share(&["%swpused"], "swap_used_share"),
    flow(&["pgpgin/s"], metric::READ_THROUGHPUT, CellUnit::KIB_PER_S),
    flow(&["pgpgout/s"], metric::WRITE_THROUGHPUT, CellUnit::KIB_PER_S),
    rate(&["fault/s"], MetricName::new("page_faults_per_second")),
    rate(&["majflt/s"], MetricName::new("major_page_faults_per_second")),
    of(&["runq-sz"], "running_tasks", CellUnit::COUNT, Mean::Plain),
    of(&["plist-sz"], "tasks", CellUnit::COUNT, Mean::Plain),
    of(&["ldavg-1"], "load_average_1", CellUnit::COUNT, Mean::Plain),
    of(&["ldavg-5"], "load_average_5", CellUnit::COUNT, Mean::Plain),
    of(&["ldavg-15"], "load_average_15", CellUnit::COUNT, Mean::Plain),
    of(&["blocked"], "blocked_tasks", CellUnit::COUNT, Mean::Plain),
    rate(&["rxpck/s"], MetricName::new("receive_packets_per_second")),
    rate(&["txpck/s"], MetricName::new("send_packets_per_second")),
    flow(&["rxkB/s"], metric::RECEIVE_THROUGHPUT, CellUnit::KIB_PER_S),
    flow(&["txkB/s"], metric::SEND_THROUGHPUT, CellUnit::KIB_PER_S),
    flow(&["rxbyt/s"], metric::RECEIVE_THROUGHPUT, CellUnit::BYTES_PER_S),
    flow(&["txbyt/s"], metric::SEND_THROUGHPUT, CellUnit::BYTES_PER_S),
    share(&["%ifutil"], "link_used_share"),
    of(&["MHz"], "frequency", CellUnit::MEGAHERTZ, Mean::Plain),
    of(&["totsck"], "sockets", CellUnit::COUNT, Mean::Plain),
    of(&["tcpsck"], "tcp_sockets", CellUnit::COUNT, Mean::Plain),
    of(&["udpsck"], "udp_sockets", CellUnit::COUNT, Mean::Plain),
    of(&["rawsck"], "raw_sockets", CellUnit::COUNT, Mean::Plain),
    of(&["ip-frag"], "ip_fragments", CellUnit::COUNT, Mean::Plain),
    of(&["tcp-tw"], "tcp_time_wait_sockets", CellUnit::COUNT, Mean::Plain),
];

/// What processors did, in the order of the text, in which what most ask for stands first.
pub(super) const SHARES_OF_JSON: &[&str] =
    &["user", "usr", "nice", "system", "sys", "iowait", "irq", "soft", "steal", "guest", "gnice", "idle"];

/// What the numbers below a heading are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heading {
    pub(super) metric: MetricName,
    pub(super) unit: CellUnit,
    pub(super) mean: Mean,
}

/// What a name in JSON stands for. What is a share has no % there.
pub(super) fn heading_of_json(name: &str) -> Option<Heading> {
    let is_share = SHARES_OF_JSON.contains(&name) || matches!(name, "rrqm" | "wrqm" | "drqm" | "util");
    if is_share { heading(&format!("%{name}")) } else { heading(name) }
}

/// What a heading stands for. Those without an entry follow sysstat's own rule: `/s` is a rate, `%` a share,
/// `kb` so many times 1024 bytes. `None` for any other.
pub(super) fn heading(text: &str) -> Option<Heading> {
    let known = [OF_PROCESSORS, OF_DEVICES, OF_SAR].into_iter().find_map(|table| column(table, text));
    if let Some(Column { metric, unit, mean, .. }) = known {
        return Some(Heading { metric: *metric, unit: *unit, mean: *mean });
    }
    let plain = |name: &str, end: &str| {
        if name.is_empty() || name.len() > 40 {
            return None;
        }
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        MetricName::intern(&format!("{}{end}", name.chars().map(letter).collect::<String>()))
    };
    let (metric, unit) = if let Some(name) = text.strip_suffix("/s") {
        (plain(name, "_per_second")?, CellUnit::PER_SECOND)
    } else if let Some(name) = text.strip_prefix('%') {
        (plain(name, "_share")?, CellUnit::PERCENT)
    } else if let Some(name) = text.strip_prefix("kb") {
        (plain(name, "_bytes")?, CellUnit::KIB)
    } else {
        return None;
    };
    Some(Heading { metric, unit, mean: Mean::Plain })
}

/// Whether a word is a heading: one that is known, or a rate or a share.
pub(super) fn is_known(text: &str) -> bool {
    let is_long = text.len() > 2;
    is_long && (text.ends_with("/s") || text.starts_with('%'))
        || [OF_PROCESSORS, OF_DEVICES, OF_SAR].into_iter().any(|table| column(table, text).is_some())
}

/// Whether a column tells of what the rows are.
pub(super) fn is_item(text: &str) -> bool {
    ITEMS.contains(&text)
}

/// Reports of sar, by the first heading behind the item.
const REPORTS: &[(&str, &str)] = &[
    ("%user", "processors"),
    ("%usr", "processors"),
    ("intr/s", "interrupts"),
    ("proc/s", "processes"),
    ("pswpin/s", "swapping"),
    ("pgpgin/s", "paging"),
    ("tps", "block devices"),
    ("kbmemfree", "memory"),
    ("kbswpfree", "swap"),
    ("runq-sz", "queues"),
    ("rxpck/s", "network"),
    ("rxerr/s", "network errors"),
    ("totsck", "sockets"),
    ("active/s", "TCP"),
    ("atmptf/s", "TCP errors"),
];

/// What a report is of: as we call it, or else its first heading.
pub(super) fn report(first: &str) -> &str {
    REPORTS.iter().find(|(heading, _)| *heading == first).map_or(first, |(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_all_versions_are_known() {
        for (one, other) in
            [("avgqu-sz", "aqu-sz"), ("%usr", "%user"), ("rtps", "r/s"), ("Blk_read", "kB_read")]
        {
            assert_eq!(heading(one).unwrap().metric, heading(other).unwrap().metric);
        }
        assert_eq!(heading("pgscank/s").unwrap().metric.as_str(), "pgscank_per_second");
        assert_eq!(heading("%vmeff").unwrap().metric.as_str(), "vmeff_share");
        assert!(heading("degC").is_none() && heading("/s").is_none());
    }

    #[test]
    fn no_heading_has_two_meanings() {
        let all: Vec<&str> = [OF_PROCESSORS, OF_DEVICES, OF_SAR]
            .into_iter()
            .flatten()
            .flat_map(|column| column.headings)
            .copied()
            .collect();
        let mut once = all.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), all.len());
        let is_marked = |heading: &&str| super::super::table::MARKS.iter().any(|mark| heading.contains(mark));
        assert!(all.iter().all(is_marked), "a line with it alone is known to nobody");
    }
}
