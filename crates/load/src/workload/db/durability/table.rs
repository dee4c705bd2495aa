//! The table that clients commit rows to, and how many.

use std::sync::Arc;

use crate::workload::db::generator::SqlValue;
use crate::workload::db::transaction::SqlStatement;

/// What it is called, and the database of a server that it is in.
pub(super) const TABLE: &str = "headroom_commits";
pub(super) const DATABASE: &str = "headroom_durability";

/// What a row has beside its number: about as much as one of sysbench.
pub(super) const FILLER: &str = "acknowledged is what a client was told, durable is what is there when the power comes back: a row of 120 characters.....";

/// About so many bytes of a database for a row: with its key, its header, and the log in which it is again.
pub(super) const ROW_BYTES: u64 = 512;

/// After so many rows the database is killed, however early that is.
pub(super) const ROWS_MOST: u64 = 50_000;

/// How the table is made; `behind` is what a system wants behind it.
pub(super) fn create(behind: &str) -> String {
    format!("CREATE TABLE {TABLE} (number BIGINT NOT NULL PRIMARY KEY, filler CHAR(120) NOT NULL){behind}")
}

/// The statement that commits a row, by itself.
pub(super) fn insert() -> String {
    format!("INSERT INTO {TABLE} (number, filler) VALUES (?, ?)")
}

/// The question for all of them.
pub(super) fn select() -> String {
    format!("SELECT number FROM {TABLE}")
}

/// The statement for clients of servers, and its values but the number.
pub(super) fn statements() -> Arc<[SqlStatement]> {
    Arc::from([SqlStatement::new(&insert(), true)])
}

/// The values of a row.
pub(super) fn values(number: u64) -> [SqlValue; 2] {
    [integer(number), SqlValue::Text(FILLER.to_owned())]
}

/// A number of a row, as a value. They are far below the greatest.
pub(super) fn integer(number: u64) -> SqlValue {
    SqlValue::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}
