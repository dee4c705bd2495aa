//! MySQL and MariaDB, over their protocol: one connection, whose state the codec is.

mod codec;
mod dialect;
mod errors;
mod exchange;
mod packet;
mod rows;
mod sign_in;

#[cfg(test)]
mod codec_tests;
#[cfg(test)]
mod server_tests;
#[cfg(test)]
mod sign_in_tests;

use std::path::{Path, PathBuf};

use crate::workload::db::client::StatementFailure;
use crate::workload::db::generator::SqlValue;
use crate::workload::db::transaction::SqlStatement;
use crate::workload::db::wire::{Account, Codec, RowTarget, TextRow, WireStream};

pub(in crate::workload) use crate::workload::db::mysql::codec::MySqlCodec;

/// Where servers have their socket: Debian's and Fedora's packages, and those who build it themselves.
const SOCKETS: [&str; 3] = ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"];

impl Codec for MySqlCodec {
    const NAME: &'static str = "MySQL";
    const PORT: u16 = 3306;

    fn socket(host: &str, _port: u16) -> PathBuf {
        if host.is_empty() {
            let there = SOCKETS.into_iter().find(|path| Path::new(path).exists());
            return PathBuf::from(there.unwrap_or(SOCKETS[0]));
        }
        let path = Path::new(host);
        if path.is_dir() { path.join("mysqld.sock") } else { path.to_owned() }
    }

    fn sign_in(
        wire: &mut WireStream,
        account: &Account,
        lock_timeout_ms: u64,
    ) -> Result<Self, StatementFailure> {
        exchange::sign_in(wire, account, lock_timeout_ms)
    }

    fn prepare(
        &mut self,
        wire: &mut WireStream,
        statements: &[SqlStatement],
    ) -> Result<(), StatementFailure> {
        exchange::prepare(self, wire, statements)
    }

    fn query(&mut self, wire: &mut WireStream, text: &str) -> Result<Vec<TextRow>, StatementFailure> {
        exchange::query(self, wire, text)
    }

    fn put_rows(
        &mut self,
        wire: &mut WireStream,
        target: RowTarget<'_>,
        next: &mut dyn FnMut(&mut Vec<SqlValue>) -> bool,
    ) -> Result<(), StatementFailure> {
        exchange::put_rows(self, wire, target, next)
    }
}
