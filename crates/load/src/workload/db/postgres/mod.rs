//! PostgreSQL, from 9.6 on.

mod channel_binding;
mod codec;
mod errors;
mod fill;
mod sign_in;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use bytes::BytesMut;
use postgres_protocol::message::backend::{DataRowBody, Message};
use postgres_protocol::message::frontend;

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::postgres::errors::{failure, malformed};
use crate::workload::db::postgres::sign_in::next;
use crate::workload::db::transaction::SqlStatement;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::db::wire::{Account, Codec, Dialect, RowTarget, TextRow, WireStream, lost};

pub(in crate::workload) use crate::workload::db::postgres::codec::PostgresCodec;

/// Where Debian's packages and others have the socket, and where the sources have it.
const SOCKET_FOLDERS: [&str; 2] = ["/run/postgresql", "/tmp"];

/// So many statements are prepared before their answers are read.
const PREPARED_AT_ONCE: usize = 500;

/// The message that ends a connection.
const TERMINATE: &[u8] = b"X\0\0\0\x04";

impl Codec for PostgresCodec {
    const NAME: &'static str = "PostgreSQL";
    const PORT: u16 = 5432;

    /// `host` is the folder of the socket, as in libpq.
    fn socket(host: &str, port: u16) -> PathBuf {
        let name = format!(".s.PGSQL.{port}");
        if !host.is_empty() {
            return Path::new(host).join(name);
        }
        let all = SOCKET_FOLDERS.map(|folder| Path::new(folder).join(&name));
        let found = all.iter().find(|path| path.exists());
        found.unwrap_or(&all[0]).clone()
    }

    fn sign_in(
        wire: &mut WireStream,
        account: &Account,
        lock_timeout_ms: u64,
    ) -> Result<Self, StatementFailure> {
        sign_in::sign_in(wire, account)?;
        wire.set_farewell(TERMINATE);
        let mut codec = Self::default();
        // Its values are of 32 bits with a sign.
        let most = lock_timeout_ms.min(i32::MAX.unsigned_abs().into());
        codec.query(wire, &format!("SET lock_timeout = {most}"))?;
        Ok(codec)
    }

    fn prepare(
        &mut self,
        wire: &mut WireStream,
        statements: &[SqlStatement],
    ) -> Result<(), StatementFailure> {
        let mut out = BytesMut::new();
        let mut numbers = 0..;
        for some in statements.chunks(PREPARED_AT_ONCE) {
            out.clear();
            for (statement, number) in some.iter().zip(&mut numbers) {
                let text = codec::numbered(statement);
                frontend::parse(&codec::name(number), &text, [], &mut out).map_err(|e| malformed(&e))?;
            }
            frontend::sync(&mut out);
            wire.send(&out)?;
            self.finish(wire, |_| Ok(()))?;
        }
        self.is_prepared = true;
        Ok(())
    }

    fn query(&mut self, wire: &mut WireStream, text: &str) -> Result<Vec<TextRow>, StatementFailure> {
        let mut out = BytesMut::new();
        frontend::query(text, &mut out).map_err(|e| malformed(&e))?;
        wire.send(&out)?;
        let mut rows = Vec::new();
        self.finish(wire, |row| {
            rows.push(codec::texts(row).map_err(|e| malformed(&e))?);
            Ok(())
        })?;
        Ok(rows)
    }

    fn put_rows(
        &mut self,
        wire: &mut WireStream,
        target: RowTarget<'_>,
        next: &mut dyn FnMut(&mut Vec<SqlValue>) -> bool,
    ) -> Result<(), StatementFailure> {
        fill::copy(self, wire, target, next)
    }
}

impl PostgresCodec {
    /// Reads what comes until the server is ready for more; `take` is given each row.
    fn finish(
        &mut self,
        wire: &mut WireStream,
        mut take: impl FnMut(&DataRowBody) -> Result<(), StatementFailure>,
    ) -> Result<(), StatementFailure> {
        let mut refused = None;
        loop {
            match next(wire)? {
                Message::DataRow(row) => take(&row)?,
                // The first says why; the others follow from it.
                Message::ErrorResponse(body) => {
                    let told = failure(&body);
                    if told.kind == FailureKind::Lost {
                        return Err(told);
                    }
                    refused = refused.or(Some(told));
                }
                Message::CopyInResponse(_) | Message::CopyOutResponse(_) => {
                    return Err(lost("a statement asks for a copy of rows (COPY), which is none of a load"));
                }
                Message::ReadyForQuery(body) => {
                    self.in_transaction = body.status() != b'I';
                    return refused.map_or(Ok(()), Err);
                }
                _ => {}
            }
        }
    }
}

impl Dialect for PostgresCodec {
    const SYSTEM: DatabaseSystem = DatabaseSystem::Postgres;

    const MAY_CREATE: &'static str = "SELECT CASE WHEN rolcreatedb OR rolsuper THEN 1 ELSE 0 END \
                                      FROM pg_catalog.pg_roles WHERE rolname = current_user";

    const VERSION: &'static str = "SELECT 'PostgreSQL ' || current_setting('server_version')";

    const MAINTENANCE: &'static str = "postgres";

    fn create_database(name: &str) -> String {
        format!("CREATE DATABASE {name}")
    }

    fn drop_database(name: &str) -> String {
        format!("DROP DATABASE IF EXISTS {name}")
    }

    fn has_database(name: &str) -> String {
        format!("SELECT 1 FROM pg_catalog.pg_database WHERE datname = '{name}'")
    }

    fn has_table(table: &str) -> String {
        format!(
            "SELECT 1 FROM pg_catalog.pg_tables WHERE tablename = '{table}' \
             AND schemaname = ANY (current_schemas(false))"
        )
    }

    /// Without it the first to read a row writes it, too (hint bits), and plans come from guesses.
    fn after_filling(table: &str) -> Vec<String> {
        vec![format!("VACUUM ANALYZE {table}")]
    }

    const BEFORE_TRIAL: &'static [&'static str] = &["CHECKPOINT"];

    const SETTINGS: &'static [(&'static str, &'static str)] = &[
        ("SHOW synchronous_commit", "synchronous_commit"),
        ("SHOW fsync", "fsync"),
        ("SHOW full_page_writes", "full_page_writes"),
        ("SHOW wal_level", "wal_level"),
        ("SHOW wal_sync_method", "wal_sync_method"),
        ("SHOW shared_buffers", "shared_buffers"),
        ("SHOW max_wal_size", "max_wal_size"),
        ("SHOW checkpoint_timeout", "checkpoint_timeout"),
        ("SHOW autovacuum", "autovacuum"),
        ("SHOW default_transaction_isolation", "transaction_isolation"),
        ("SHOW log_statement", "log_statement"),
        ("SHOW log_min_duration_statement", "log_min_duration_statement"),
        ("SHOW debug_assertions", "debug_assertions"),
        ("SHOW shared_preload_libraries", "shared_preload_libraries"),
    ];
}
