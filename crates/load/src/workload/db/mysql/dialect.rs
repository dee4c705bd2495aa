//! What data sets ask of servers of MySQL's protocol in SQL.

use crate::workload::db::mysql::MySqlCodec;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::db::wire::Dialect;

impl Dialect for MySqlCodec {
    const SYSTEM: DatabaseSystem = DatabaseSystem::MySql;

    /// What a role allows is not seen: then the tables are made in the database of the URL.
    const MAY_CREATE: &'static str = "SELECT COUNT(*) > 0 FROM information_schema.user_privileges \
        WHERE privilege_type = 'CREATE' AND grantee = CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', \
        CHAR_LENGTH(CURRENT_USER()) - CHAR_LENGTH(REPLACE(CURRENT_USER(), '@', ''))), '''@''', \
        SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')";

    const VERSION: &'static str =
        "SELECT CONCAT(IF(VERSION() LIKE '%MariaDB%', 'MariaDB ', 'MySQL '), VERSION())";

    /// Every server has it, and everybody may use it.
    const MAINTENANCE: &'static str = "information_schema";

    fn create_database(name: &str) -> String {
        format!("CREATE DATABASE {name}")
    }

    fn drop_database(name: &str) -> String {
        format!("DROP DATABASE IF EXISTS {name}")
    }

    fn has_database(name: &str) -> String {
        format!("SELECT 1 FROM information_schema.schemata WHERE schema_name = '{name}'")
    }

    fn has_table(table: &str) -> String {
        let table = table.replace('\'', "''");
        format!(
            "SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '{table}'"
        )
    }

    fn after_filling(table: &str) -> Vec<String> {
        vec![format!("ANALYZE TABLE {table}")]
    }

    /// Servers leave some of these out; MariaDB calls the isolation `tx_isolation` up to 11.0.
    const SETTINGS: &'static [(&'static str, &'static str)] = &[
        ("SELECT @@global.innodb_flush_log_at_trx_commit", "innodb_flush_log_at_trx_commit"),
        ("SELECT @@global.log_bin", "log_bin"),
        ("SELECT @@global.sync_binlog", "sync_binlog"),
        ("SELECT @@global.innodb_buffer_pool_size", "innodb_buffer_pool_size"),
        ("SELECT @@global.innodb_flush_method", "innodb_flush_method"),
        ("SELECT @@global.innodb_doublewrite", "innodb_doublewrite"),
        ("SELECT @@global.innodb_log_file_size", "innodb_log_file_size"),
        ("SELECT @@global.innodb_redo_log_capacity", "innodb_redo_log_capacity"),
        ("SELECT @@session.transaction_isolation", "transaction_isolation"),
        ("SELECT @@session.tx_isolation", "transaction_isolation"),
        ("SELECT IF(@@global.query_cache_size > 0, @@global.query_cache_type, 'OFF')", "query_cache_type"),
        ("SELECT @@global.general_log", "general_log"),
        (
            "SELECT IF(@@global.slow_query_log, IF(@@global.long_query_time = 0, 'all', 'slow'), 'off')",
            "slow_query_log",
        ),
        ("SELECT @@global.performance_schema", "performance_schema"),
    ];
}
