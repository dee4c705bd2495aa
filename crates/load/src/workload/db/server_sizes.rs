//! How large the tables of a server are, and the buffers that it keeps their pages in: asked by the connection that
//! reads its counters, before the load and after it.

use model::database::fact;
use model::{FactName, Value};

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::url::DatabaseSystem;
use crate::workload::db::wire::TextRow;

/// When it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) enum LoadMoment {
    Before,
    After,
}

/// Bytes of the tables of this database and their indexes. InnoDB estimates them with its other
/// statistics ("information_schema.TABLES" of MariaDB and MySQL); of PostgreSQL the catalogue is left out
/// ("Database Object Size Functions").
const MYSQL_TABLES: &str = "SELECT SUM(data_length + index_length) FROM information_schema.tables \
                            WHERE table_schema = DATABASE()";
const POSTGRES_TABLES: &str = "SELECT sum(pg_catalog.pg_total_relation_size(c.oid)) FROM pg_catalog.pg_class c \
                               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                               WHERE c.relkind IN ('r', 'm') AND n.nspname !~ '^pg_' \
                               AND n.nspname <> 'information_schema'";

/// Bytes of the server's own buffers.
const MYSQL_BUFFERS: &str = "SELECT @@global.innodb_buffer_pool_size";
const POSTGRES_BUFFERS: &str =
    "SELECT pg_catalog.pg_size_bytes(pg_catalog.current_setting('shared_buffers'))";

/// Asks for them over `query`. What the server refuses, or cannot tell, is left out.
///
/// # Errors
/// If the connection is lost.
pub(in crate::workload) fn read(
    system: DatabaseSystem,
    moment: LoadMoment,
    query: &mut dyn FnMut(&str) -> Result<Vec<TextRow>, StatementFailure>,
) -> Result<Vec<(FactName, Value)>, StatementFailure> {
    let (tables, buffers) = match system {
        DatabaseSystem::MySql => (MYSQL_TABLES, MYSQL_BUFFERS),
        DatabaseSystem::Postgres => (POSTGRES_TABLES, POSTGRES_BUFFERS),
        DatabaseSystem::Sqlite => return Ok(Vec::new()),
    };
    let asked = match moment {
        LoadMoment::Before => vec![(fact::BYTES, tables), (fact::BUFFER_BYTES, buffers)],
        LoadMoment::After => vec![(fact::BYTES_AFTER, tables)],
    };
    let mut known = Vec::new();
    for (name, question) in asked {
        match query(question) {
            Ok(rows) => known.extend(number(rows).map(|bytes| (name, Value::Integer(bytes)))),
            Err(failure) if failure.kind == FailureKind::Lost => return Err(failure),
            Err(_) => {}
        }
    }
    Ok(known)
}

/// The first value of an answer, if it is a number.
fn number(rows: Vec<TextRow>) -> Option<u64> {
    rows.into_iter().flatten().next().flatten()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with(
        system: DatabaseSystem,
        moment: LoadMoment,
        answer: impl Fn(&str) -> Result<Option<&'static str>, FailureKind>,
    ) -> Result<Vec<(FactName, Value)>, StatementFailure> {
        read(system, moment, &mut |text| match answer(text) {
            Ok(value) => Ok(vec![vec![value.map(str::to_owned)]]),
            Err(kind) => Err(StatementFailure { kind, message: "x".to_owned() }),
        })
    }

    #[test]
    fn what_a_server_refuses_or_does_not_know_is_left_out() {
        let before = |answer: fn(&str) -> Result<Option<&'static str>, FailureKind>| {
            read_with(DatabaseSystem::Postgres, LoadMoment::Before, answer)
        };
        let bytes = |name, bytes| (name, Value::Integer(bytes));
        let all = before(|text| Ok(Some(if text.contains("shared_buffers") { "2048" } else { "70" })));
        assert_eq!(all.unwrap(), [bytes(fact::BYTES, 70), bytes(fact::BUFFER_BYTES, 2048)]);
        let refused =
            before(
                |text| {
                    if text.contains("shared_buffers") { Err(FailureKind::Refused) } else { Ok(Some("70")) }
                },
            );
        assert_eq!(refused.unwrap(), [bytes(fact::BYTES, 70)]);
        // A sum over no table is NULL.
        assert!(before(|_| Ok(None)).unwrap().is_empty());
        assert!(before(|_| Err(FailureKind::Lost)).is_err());
    }

    #[test]
    fn after_the_load_only_the_tables_may_be_others() {
        let after = read_with(DatabaseSystem::MySql, LoadMoment::After, |_| Ok(Some("9")));
        assert_eq!(after.unwrap(), [(fact::BYTES_AFTER, Value::Integer(9))]);
        let none = read_with(DatabaseSystem::Sqlite, LoadMoment::Before, |_| Ok(Some("9")));
        assert!(none.unwrap().is_empty());
    }
}
