//! What rules read of loads on databases: facts of the server, what it counts, and how that went over the window.
//! Servers have their own names for settings, and a fact has the same.

/// What is known of a database in a trial.
pub mod fact {
    use crate::fact::FactName;
    use crate::name::known_names;

    known_names! { FactName:
        /// The system and its version.
        VERSION = "database_version";
        /// Whether the load changes rows.
        WRITES = "database_writes";
        /// Bytes of the tables and indexes before the load, as the database counts them.
        BYTES = "database_bytes";
        /// The same after the load.
        BYTES_AFTER = "database_bytes_after";
        /// Bytes of pages that the server keeps in memory itself (`innodb_buffer_pool_size`, `shared_buffers`).
        BUFFER_BYTES = "database_buffer_bytes";
        /// Transactions that PostgreSQL counts for each one of the load: those that end with COMMIT, and each statement
        /// outside of one.
        COMMITS_PER_TRANSACTION = "commits_per_transaction";
        /// How many different insertions come again and again.
        REPEATED_INSERTS = "repeated_inserts";
        /// How long it takes to ask the server for nothing much, s.
        ROUND_TRIP = "database_round_trip";
        /// Whether the server is under the kernel of its clients.
        SERVER_IS_HERE = "server_is_here";
        /// How many CPUs it may use, where it is.
        SERVER_CPUS = "server_cpus";
        /// How many CPUs the quotas of its control groups let it use, where it is here and they do.
        SERVER_CPU_QUOTA = "server_cpu_quota";

        /// What InnoDB does with its log at a commit (MariaDB, MySQL).
        INNODB_FLUSH_LOG_AT_TRX_COMMIT = "innodb_flush_log_at_trx_commit";
        /// Whether there is a binary log.
        LOG_BIN = "log_bin";
        /// After how many commits the binary log is synced.
        SYNC_BINLOG = "sync_binlog";
        /// Whether pages are written twice, so that one that is torn can be mended.
        INNODB_DOUBLEWRITE = "innodb_doublewrite";
        /// What a commit of PostgreSQL waits for.
        SYNCHRONOUS_COMMIT = "synchronous_commit";
        /// Whether PostgreSQL has the disk keep what it wrote.
        FSYNC = "fsync";
        /// Whether the log has whole pages after a checkpoint, so that one that is torn can be mended.
        FULL_PAGE_WRITES = "full_page_writes";
        /// How SQLite keeps transactions whole.
        JOURNAL_MODE = "journal_mode";
        /// What SQLite waits for at a commit.
        SYNCHRONOUS = "synchronous";

        /// Whether results of queries are kept (MariaDB, MySQL up to 5.7); `OFF` where there is no room for them.
        QUERY_CACHE_TYPE = "query_cache_type";
        /// Whether each statement is written to a log.
        GENERAL_LOG = "general_log";
        /// Which statements are written to the log of slow ones: `off`, `slow`, or `all`.
        SLOW_QUERY_LOG = "slow_query_log";
        /// Whether the server accounts what its threads do.
        PERFORMANCE_SCHEMA = "performance_schema";
        /// Which statements PostgreSQL writes to its log.
        LOG_STATEMENT = "log_statement";
        /// How long a statement has to take to be written there, ms; -1 for never.
        LOG_MIN_DURATION_STATEMENT = "log_min_duration_statement";
        /// Whether PostgreSQL was compiled with its assertions.
        DEBUG_ASSERTIONS = "debug_assertions";
        /// What PostgreSQL loads when it starts.
        SHARED_PRELOAD_LIBRARIES = "shared_preload_libraries";
    }
}

/// What is measured of loads on databases, by the clients and by the server.
pub mod metric {
    use crate::metric::MetricName;
    use crate::name::known_names;

    known_names! { MetricName:
        /// Statements per second of the clients.
        QUERIES_PER_SECOND = "queries_per_second";
        /// All statements of the clients, as other tools print them.
        QUERIES = "queries";
        /// New orders per second, as other tools print what TPC-C counts.
        NEW_ORDERS_PER_SECOND = "new_orders_per_second";
        /// Messages per second that consumers of a queue received, as other tools print them.
        RECEIVED_MESSAGES_PER_SECOND = "received_messages_per_second";
        /// Transactions per second that they began again.
        RETRIES_PER_SECOND = "retries_per_second";
        /// Statements per second that the server counts for all clients.
        SERVER_QUERIES_PER_SECOND = "server_queries_per_second";
        /// Transactions per second that PostgreSQL counts as committed in all of its databases.
        SERVER_ALL_COMMITS_PER_SECOND = "server_all_commits_per_second";
        /// Pages per second that the server reads because they are not in its buffers.
        SERVER_PAGE_READS_PER_SECOND = "server_page_reads_per_second";
        /// Changed pages per second that the server writes to its tables.
        SERVER_PAGE_WRITES_PER_SECOND = "server_page_writes_per_second";
        /// Files or tables per second that the server writes to the disk for intermediate results.
        SERVER_TEMPORARY_FILES_PER_SECOND = "server_temporary_files_per_second";
        /// Checkpoints per second that the server begins.
        SERVER_CHECKPOINTS_PER_SECOND = "server_checkpoints_per_second";
        /// How many clients of a database waited for locks at once, in the mean.
        CLIENTS_WAITING_FOR_LOCKS = "clients_waiting_for_locks";
        /// How many waited until the log was flushed.
        CLIENTS_WAITING_FOR_LOG = "clients_waiting_for_log";
        /// How many waited for pages to be read.
        CLIENTS_WAITING_FOR_READS = "clients_waiting_for_reads";
        /// How many were in a statement that commits, without what they waited for locks.
        CLIENTS_COMMITTING = "clients_committing";
        /// CPU seconds of the processes of a server for each second.
        SERVER_CPU = "server_cpu";
        /// How often per second a server has the disk keep what it wrote.
        SERVER_FLUSHES_PER_SECOND = "server_flushes_per_second";
    }
}

/// What servers count over time: as often as it is read, from the window's start on.
pub mod series {
    use crate::name::known_names;
    use crate::series::SeriesName;

    known_names! { SeriesName:
        /// Pages per second that the server reads because they are not in its buffers.
        PAGE_READS = "server_page_reads";
        /// Changed pages per second that the server writes to its tables: PostgreSQL those of checkpoints alone.
        PAGE_WRITES = "server_page_writes";
        /// Checkpoints per second that the server begins.
        CHECKPOINTS = "server_checkpoints";
    }
}
