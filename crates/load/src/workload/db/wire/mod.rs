//! Servers of databases: what each protocol says of itself ([`Codec`]), and the connections that speak it.
//!
//! A codec makes no system call where time counts: it writes a request to a buffer, and reads an answer from one. So
//! the same codec serves a connection whose calls wait ([`DatabaseConnection`]) and a thread that serves many
//! connections at once ([`multiplexed`]). What is done once and is not timed (sign-in, preparing, questions about the
//! server, filling) goes over a [`WireStream`], whose calls wait.

pub(in crate::workload) mod connect;
pub(in crate::workload) mod multiplexed;

mod served_client;
mod turns;

#[cfg(test)]
mod multiplexed_tests;

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::workload::db::client::{DatabaseClient, FailureKind, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::password::Password;
use crate::workload::db::transaction::SqlStatement;
use crate::workload::db::url::DatabaseSystem;

pub(in crate::workload) use crate::workload::db::wire::connect::{DatabaseServer, WireStream};

/// As whom a connection signs in, and to which database.
#[derive(Clone, Default)]
pub(in crate::workload) struct Account {
    pub(in crate::workload) user: String,
    /// Empty for none, or the one that the server has for the user.
    pub(in crate::workload) database: String,
    pub(in crate::workload) password: Option<Password>,
    /// Whether the password may be encrypted for a key of which only the server says that it is its own (MySQL).
    pub(in crate::workload) trusts_sent_key: bool,
}

/// Without the password.
impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account")
            .field("user", &self.user)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

/// What became of a statement: how many rows it gave or changed, or why it was not executed.
pub(in crate::workload) type StatementAnswer = Result<u64, StatementFailure>;

/// A row of an answer that is read as text; none where a value is NULL.
pub(in crate::workload) type TextRow = Vec<Option<String>>;

/// Where rows are put: a table, and the columns that are given.
#[derive(Clone, Copy, Debug)]
pub(in crate::workload) struct RowTarget<'a> {
    pub(in crate::workload) table: &'a str,
    pub(in crate::workload) columns: &'a [&'a str],
}

/// What a protocol says where time counts: requests that execute statements, and their answers.
pub(in crate::workload) trait StatementCodec {
    /// Adds to `out` the request that executes the statement of this number, whose text is `asked`, with those of
    /// `values` whose numbers are `parameters`.
    fn execute(
        &mut self,
        statement: usize,
        asked: &SqlStatement,
        values: &[SqlValue],
        parameters: &[usize],
        out: &mut Vec<u8>,
    );

    /// Says of the request that was just added that of its answer's first row the first `columns` columns are read as
    /// text, for [`StatementCodec::kept`]. Whether that can be done.
    fn keep(&mut self, _columns: usize) -> bool {
        false
    }

    /// What was read of the last answer; empty if it had no rows.
    fn kept(&self) -> &[Option<String>] {
        &[]
    }

    /// Adds to `out` the request that rolls back the transaction that is under way; nothing, if none is.
    fn roll_back(&mut self, out: &mut Vec<u8>);

    /// Reads the answer to the last request from `bytes`, which follow those that it was done with before. Returns
    /// how many of them it is done with now, and what became of the statement once the answer is whole; without an
    /// answer, it needs more than these.
    ///
    /// # Errors
    /// If the connection cannot be used any more: what comes is no answer, or the server says that it ends.
    fn read(&mut self, bytes: &[u8]) -> Result<(usize, Option<StatementAnswer>), StatementFailure>;
}

/// The protocol of a server, and the state of one connection that speaks it.
pub(in crate::workload) trait Codec: StatementCodec + Sized {
    /// What servers are called in messages.
    const NAME: &'static str;
    /// Where a server listens if nobody says otherwise.
    const PORT: u16;

    /// The Unix socket of a server: of `host`, a path, or where servers have it on this machine if that is empty.
    fn socket(host: &str, port: u16) -> PathBuf;

    /// Signs in over a connection that stands; TLS is begun if [`WireStream::wants_tls`]. `lock_timeout_ms` is how
    /// long a statement of this connection is to wait for a lock.
    ///
    /// # Errors
    /// If the server does not let this account in.
    fn sign_in(
        wire: &mut WireStream,
        account: &Account,
        lock_timeout_ms: u64,
    ) -> Result<Self, StatementFailure>;

    /// Prepares all statements: from then on each is executed as such, by its place in `statements`; before, its
    /// text is sent with its values in it.
    ///
    /// # Errors
    /// If the server takes one for none.
    fn prepare(&mut self, wire: &mut WireStream, statements: &[SqlStatement])
    -> Result<(), StatementFailure>;

    /// Executes a text that is asked for once, and reads its rows.
    ///
    /// # Errors
    /// If the server refuses it.
    fn query(&mut self, wire: &mut WireStream, text: &str) -> Result<Vec<TextRow>, StatementFailure>;

    /// Puts rows in, in the fastest way that the server has. `next` replaces the values of the row before, and says
    /// whether there was one more.
    ///
    /// # Errors
    /// If the server refuses them.
    fn put_rows(
        &mut self,
        wire: &mut WireStream,
        target: RowTarget<'_>,
        next: &mut dyn FnMut(&mut Vec<SqlValue>) -> bool,
    ) -> Result<(), StatementFailure>;
}

/// What a data set needs of a server beside its protocol: SQL that systems do not have in common.
pub(in crate::workload) trait Dialect: Codec {
    /// Which system it is.
    const SYSTEM: DatabaseSystem;

    /// A question whose only row has `1` if the user may make databases.
    const MAY_CREATE: &'static str;

    /// A question whose row has the name of the system and its version.
    const VERSION: &'static str;

    /// The database that a connection goes to where no other is named, to make and remove databases.
    const MAINTENANCE: &'static str;

    /// Makes and removes a database of this name, which has letters, digits and `_` only.
    fn create_database(name: &str) -> String;
    fn drop_database(name: &str) -> String;

    /// A question that has a row if there is such a database.
    fn has_database(name: &str) -> String;

    /// A question that has a row if there is such a table in the database of the connection.
    fn has_table(table: &str) -> String;

    /// What is executed once a table is full, so that the first trial is not the one that pays for it. A statement
    /// that is refused here is left out.
    fn after_filling(table: &str) -> Vec<String>;

    /// What is executed before each trial, so that it does not begin with what one before it left. One that is
    /// refused, because the user lacks a right, is left out.
    const BEFORE_TRIAL: &'static [&'static str] = &[];

    /// Questions about settings that shape a result, each before the name of the fact that its first value becomes.
    const SETTINGS: &'static [(&'static str, &'static str)];
}

/// Puts columns that were kept into those of `values` whose numbers are `into`: whole numbers as such, all else as
/// text. A NULL changes none.
pub(in crate::workload) fn put_kept(kept: &[Option<String>], values: &mut [SqlValue], into: &[usize]) {
    for (column, variable) in kept.iter().zip(into) {
        let Some(text) = column else { continue };
        values[*variable] = match text.parse::<i64>() {
            // `007` and `+7` are texts.
            Ok(number) if number.to_string() == *text => SqlValue::Integer(number),
            _ => SqlValue::Text(text.clone()),
        };
    }
}

/// The failure of a codec that reads no rows.
pub(in crate::workload) fn keeps_nothing() -> StatementFailure {
    lost("this kind of client does not read answers")
}

/// A failure after which the connection cannot be used.
pub(in crate::workload) fn lost(message: impl Into<String>) -> StatementFailure {
    StatementFailure { kind: FailureKind::Lost, message: message.into() }
}

/// A connection to a server whose calls wait.
pub(in crate::workload) struct DatabaseConnection<C> {
    wire: WireStream,
    codec: C,
    statements: Arc<[SqlStatement]>,
    out: Vec<u8>,
}

impl<C: Codec> DatabaseConnection<C> {
    /// One that is signed in.
    ///
    /// # Errors
    /// If the server cannot be reached, does not let the account in, or refuses what the session begins with.
    pub(in crate::workload) fn open(server: &DatabaseServer) -> Result<Self, StatementFailure> {
        let mut wire = server.connect()?;
        let mut codec = C::sign_in(&mut wire, &server.account, server.lock_timeout_ms())?;
        for statement in &server.session {
            codec.query(&mut wire, statement)?;
        }
        Ok(Self { wire, codec, statements: Arc::from([]), out: Vec::new() })
    }

    /// Takes the statements that are executed by their numbers; they are prepared if `prepares`.
    ///
    /// # Errors
    /// If the server takes one for none.
    pub(in crate::workload) fn set_statements(
        &mut self,
        statements: Arc<[SqlStatement]>,
        prepares: bool,
    ) -> Result<(), StatementFailure> {
        if prepares {
            self.codec.prepare(&mut self.wire, &statements)?;
        }
        self.statements = statements;
        Ok(())
    }

    /// As [`Codec::query`].
    ///
    /// # Errors
    /// As there.
    pub(in crate::workload) fn query(&mut self, text: &str) -> Result<Vec<TextRow>, StatementFailure> {
        self.codec.query(&mut self.wire, text)
    }

    /// As [`Codec::put_rows`].
    ///
    /// # Errors
    /// As there.
    pub(in crate::workload) fn put_rows(
        &mut self,
        target: RowTarget<'_>,
        next: &mut dyn FnMut(&mut Vec<SqlValue>) -> bool,
    ) -> Result<(), StatementFailure> {
        self.codec.put_rows(&mut self.wire, target, next)
    }

    /// How long the server may be silent from now on.
    pub(in crate::workload) fn set_patience(&mut self, patience: Duration) {
        self.wire.set_patience(patience);
    }

    /// Its socket, of which the kernel can be asked where it leads.
    pub(in crate::workload) fn socket(&self) -> BorrowedFd<'_> {
        self.wire.stream.as_fd()
    }

    /// What it consists of, for a worker that does not wait.
    pub(in crate::workload) fn into_parts(self) -> (WireStream, C) {
        (self.wire, self.codec)
    }

    /// Sends what is in `out`, and waits for the answer.
    fn exchange(&mut self) -> StatementAnswer {
        self.wire.send(&self.out)?;
        loop {
            if !self.wire.received().is_empty() {
                let (done, answer) = self.codec.read(self.wire.received())?;
                self.wire.advance(done);
                if let Some(answer) = answer {
                    return answer;
                }
            }
            self.wire.receive()?;
        }
    }
}

impl<C: Codec> DatabaseClient for DatabaseConnection<C> {
    fn execute(&mut self, statement: usize, values: &[SqlValue], parameters: &[usize]) -> StatementAnswer {
        self.out.clear();
        let asked = &self.statements[statement];
        self.codec.execute(statement, asked, values, parameters, &mut self.out);
        self.exchange()
    }

    fn keep(
        &mut self,
        statement: usize,
        values: &mut [SqlValue],
        parameters: &[usize],
        into: &[usize],
    ) -> StatementAnswer {
        self.out.clear();
        let asked = &self.statements[statement];
        self.codec.execute(statement, asked, values, parameters, &mut self.out);
        if !self.codec.keep(into.len()) {
            return Err(keeps_nothing());
        }
        let rows = self.exchange()?;
        put_kept(self.codec.kept(), values, into);
        Ok(rows)
    }

    fn roll_back(&mut self) -> Result<(), StatementFailure> {
        self.out.clear();
        self.codec.roll_back(&mut self.out);
        if self.out.is_empty() { Ok(()) } else { self.exchange().map(drop) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_a_number_only_if_it_is_written_as_one() {
        let mut values = vec![SqlValue::Integer(1); 5];
        let kept = ["-12", "007", "x", ""].map(|text| Some(text.to_owned()));
        put_kept(&[&kept[..], &[None]].concat(), &mut values, &[4, 3, 2, 1, 0]);
        let text = |text: &str| SqlValue::Text(text.to_owned());
        assert_eq!(values, [SqlValue::Integer(1), text(""), text("x"), text("007"), SqlValue::Integer(-12)]);
        put_kept(&[], &mut values, &[4]);
        assert_eq!(values[4], SqlValue::Integer(-12), "there was no row");
    }

    #[test]
    fn an_account_does_not_show_its_password() {
        let account = Account { password: Some(Password::new(b"hunter2".to_vec())), ..Account::default() };
        let shown = format!("{account:?}");
        assert!(!shown.contains("hunter2") && !shown.contains("104"), "{shown}");
    }
}
