//! What a server counts itself: which of its counters there are rates of, and where each comes from.

use std::collections::BTreeMap;

use model::database::{metric, series};
use model::{MetricName, MetricSpec, SeriesName, Unit};

use crate::workload::common;
use crate::workload::db::url::DatabaseSystem;

/// What a counter is made of, by the names that a server gives.
#[derive(Clone, Copy, Debug)]
pub(in crate::workload) enum CounterSource {
    Nothing,
    /// The first of these that it has.
    First(&'static [&'static str]),
    /// Those of these that it has, together.
    Sum(&'static [&'static str]),
}

use CounterSource::{First, Nothing, Sum};

impl CounterSource {
    fn names(self) -> &'static [&'static str] {
        match self {
            Nothing => &[],
            First(names) | Sum(names) => names,
        }
    }

    pub(in crate::workload) fn value(self, found: &BTreeMap<String, f64>) -> Option<f64> {
        let mut all = self.names().iter().filter_map(|name| found.get(*name).copied());
        let first = all.next()?;
        Some(if matches!(self, Sum(_)) { first + all.sum::<f64>() } else { first })
    }
}

/// A counter: its rate, and where it comes from (MariaDB's and MySQL's "Server Status Variables"; PostgreSQL's "The
/// Cumulative Statistics System"). Names are in small letters.
pub(in crate::workload) struct ServerCounter {
    pub(in crate::workload) rate: MetricSpec,
    mysql: CounterSource,
    postgres: CounterSource,
}

/// Those that have rates of their own.
pub(in crate::workload) const COUNTERS: &[ServerCounter] = &[
    ServerCounter {
        rate: common::rate(
            metric::SERVER_QUERIES_PER_SECOND,
            "Statements per second that the server counts for all clients (MariaDB, MySQL: Questions); ours, if nobody \
             else uses it.",
        ),
        mysql: First(&["questions"]),
        postgres: Nothing,
    },
    ServerCounter {
        rate: common::rate(
            MetricName::new("server_commits_per_second"),
            "Transactions per second that the server counts as committed in this database (PostgreSQL: xact_commit); a \
             statement outside of a transaction is one.",
        ),
        mysql: Nothing,
        postgres: First(&["xact_commit"]),
    },
    ServerCounter {
        rate: MetricSpec::lower(
            MetricName::new("server_log_writes_per_second"),
            Unit::PerSecond,
            "How often per second the server writes to its log (Innodb_log_writes; wal_write).",
        ),
        mysql: First(&["innodb_log_writes"]),
        postgres: First(&["wal_write"]),
    },
    ServerCounter {
        rate: MetricSpec::lower(
            metric::SERVER_FLUSHES_PER_SECOND,
            Unit::PerSecond,
            "How often per second the server has the disk keep what it wrote: its log (wal_sync; Innodb_os_log_fsyncs), \
             or log and tables where it counts them together (Innodb_data_fsyncs, since MariaDB 10.8).",
        ),
        mysql: First(&["innodb_os_log_fsyncs", "innodb_data_fsyncs"]),
        postgres: First(&["wal_sync"]),
    },
    ServerCounter {
        rate: MetricSpec::lower(
            MetricName::new("server_log_throughput"),
            Unit::BytesPerSecond,
            "Bytes per second that the server adds to its log (Innodb_os_log_written; wal_bytes).",
        ),
        mysql: First(&["innodb_os_log_written"]),
        postgres: First(&["wal_bytes"]),
    },
    ServerCounter {
        rate: MetricSpec::lower(
            MetricName::new("server_lock_waits_per_second"),
            Unit::PerSecond,
            "How often per second the server has a statement wait for a row (Innodb_row_lock_waits).",
        ),
        mysql: First(&["innodb_row_lock_waits"]),
        postgres: Nothing,
    },
    ServerCounter {
        rate: MetricSpec::lower(
            metric::SERVER_TEMPORARY_FILES_PER_SECOND,
            Unit::PerSecond,
            "Files per second that the server writes for sorts and hashes that are larger than their memory (temp_files), or \
             tables of intermediate results that it writes to the disk (Created_tmp_disk_tables).",
        ),
        mysql: First(&["created_tmp_disk_tables"]),
        postgres: First(&["temp_files"]),
    },
    ServerCounter {
        rate: MetricSpec::lower(
            metric::SERVER_CHECKPOINTS_PER_SECOND,
            Unit::PerSecond,
            "Checkpoints per second that the server begins (PostgreSQL: by time and because the log is long); of SQLite those \
             after which its write-ahead log began anew.",
        ),
        mysql: Nothing,
        postgres: Sum(&["checkpoints_timed", "checkpoints_req", "num_timed", "num_requested"]),
    },
    ServerCounter {
        rate: MetricSpec::lower(
            metric::SERVER_PAGE_READS_PER_SECOND,
            Unit::PerSecond,
            "Pages per second that the server reads because they are not in its own buffers (Innodb_buffer_pool_reads; \
             blks_read). The page cache may have them.",
        ),
        mysql: First(&["innodb_buffer_pool_reads"]),
        postgres: First(&["blks_read"]),
    },
    ServerCounter {
        rate: MetricSpec::lower(
            metric::SERVER_PAGE_WRITES_PER_SECOND,
            Unit::PerSecond,
            "Changed pages per second that the server writes to its tables (Innodb_buffer_pool_pages_flushed; of \
             PostgreSQL those of checkpoints: buffers_checkpoint, since version 17 buffers_written).",
        ),
        mysql: First(&["innodb_buffer_pool_pages_flushed"]),
        postgres: First(&["buffers_checkpoint", "buffers_written"]),
    },
    ServerCounter {
        rate: common::rate(
            metric::SERVER_ALL_COMMITS_PER_SECOND,
            "Transactions per second that the server counts as committed in all of its databases (PostgreSQL: \
             xact_commit); ours, if nobody else uses it.",
        ),
        mysql: Nothing,
        postgres: First(&["all_xact_commit"]),
    },
];

/// Those that are kept over time, too.
pub(in crate::workload) const OVER_TIME: &[(SeriesName, MetricName)] = &[
    (series::PAGE_READS, metric::SERVER_PAGE_READS_PER_SECOND),
    (series::PAGE_WRITES, metric::SERVER_PAGE_WRITES_PER_SECOND),
    (series::CHECKPOINTS, metric::SERVER_CHECKPOINTS_PER_SECOND),
    (SeriesName::new("server_flushes"), MetricName::new("server_flushes_per_second")),
    (SeriesName::new("server_log_throughput"), MetricName::new("server_log_throughput")),
    (SeriesName::new("server_lock_waits"), MetricName::new("server_lock_waits_per_second")),
];

/// Pages that were asked for, and those of them that had to be read. PostgreSQL counts hits and reads.
const PAGES: [[CounterSource; 2]; 2] = [
    [First(&["innodb_buffer_pool_read_requests"]), First(&["innodb_buffer_pool_reads"])],
    [Sum(&["blks_hit", "blks_read"]), First(&["blks_read"])],
];

/// The share of pages that were there.
pub(in crate::workload) const BUFFER_HIT_SHARE: MetricSpec = MetricSpec::higher(
    MetricName::new("server_buffer_hit_share"),
    Unit::One,
    "The share of the pages that the server, or a connection of SQLite, looked for in its own buffers and found there. What \
     it did not find may still be in the page cache.",
);

/// All metrics that come of counters.
pub(in crate::workload) const OF_SERVER: [MetricSpec; COUNTERS.len() + 1] = {
    let mut all = [BUFFER_HIT_SHARE; COUNTERS.len() + 1];
    let mut place = 0;
    while place < COUNTERS.len() {
        all[place] = COUNTERS[place].rate;
        place += 1;
    }
    all
};

/// Places of a sample: a counter each, then pages asked for and pages read.
pub(in crate::workload) const ASKED: usize = COUNTERS.len();
pub(in crate::workload) const READ: usize = ASKED + 1;

/// All sources of a system, in the order of a sample.
pub(in crate::workload) fn sources(system: DatabaseSystem) -> [CounterSource; READ + 1] {
    let of_mysql = system == DatabaseSystem::MySql;
    std::array::from_fn(|place| match COUNTERS.get(place) {
        Some(counter) if of_mysql => counter.mysql,
        Some(counter) => counter.postgres,
        None => PAGES[usize::from(!of_mysql)][place - ASKED],
    })
}

/// The questions whose answers have the counters of a system.
pub(in crate::workload) fn questions(system: DatabaseSystem) -> Vec<String> {
    match system {
        DatabaseSystem::MySql => {
            let names = sources(system).into_iter().flat_map(CounterSource::names);
            let names: Vec<_> = names.map(|name| format!("'{name}'")).collect();
            vec![format!("SHOW GLOBAL STATUS WHERE Variable_name IN ({})", names.join(", "))]
        }
        // As one object each, whatever columns a version has.
        DatabaseSystem::Postgres => vec![
            "SELECT to_jsonb(s) FROM pg_stat_database s WHERE datname = current_database()".to_owned(),
            "SELECT to_jsonb(s) FROM pg_stat_wal s".to_owned(),
            "SELECT to_jsonb(s) FROM pg_stat_bgwriter s".to_owned(),
            "SELECT to_jsonb(s) FROM pg_stat_checkpointer s".to_owned(),
            "SELECT jsonb_build_object('all_xact_commit', sum(xact_commit)) FROM pg_stat_database".to_owned(),
        ],
        DatabaseSystem::Sqlite => Vec::new(),
    }
}
