//! Figures of what clients wait for in a database, and of the CPU time of its server.

use model::database::metric as names;
use model::{MetricSpec, Unit};

/// All of them.
pub(in crate::workload) const OF_SESSIONS: [MetricSpec; 5] = [
    MetricSpec::lower(
        names::CLIENTS_WAITING_FOR_LOCKS,
        Unit::One,
        "How many clients waited at once for a row, a table or the database that another one had locked, in the mean: by \
         Innodb_row_lock_time, by looks at PostgreSQL's sessions (wait event type Lock), by the time that clients of SQLite \
         slept.",
    ),
    MetricSpec::lower(
        names::CLIENTS_WAITING_FOR_LOG,
        Unit::One,
        "How many clients waited at once for the server's log to be written and flushed, in the mean, by looks at its \
         sessions: those that commit (MariaDB, MySQL), or whose wait event is that of the WAL (PostgreSQL).",
    ),
    MetricSpec::lower(
        names::CLIENTS_WAITING_FOR_READS,
        Unit::One,
        "How many clients waited at once for pages of tables to be read, in the mean, by looks at the sessions of \
         PostgreSQL (wait event DataFileRead).",
    ),
    MetricSpec::lower(
        names::CLIENTS_COMMITTING,
        Unit::One,
        "How many clients of SQLite were at once in a statement that commits what was written, in the mean, without the \
         time that they slept for locks.",
    ),
    MetricSpec::lower(
        names::SERVER_CPU,
        Unit::One,
        "CPU seconds that the processes of the server used for each second, where it is on this machine.",
    ),
];
