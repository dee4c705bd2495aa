//! What a load asks of a connection to a database.

use crate::workload::db::generator::SqlValue;

/// A connection to a database, whose calls wait for the answer: driven by one thread, which has no other.
///
/// One that was refused a statement inside a transaction is in the middle of it until [`DatabaseClient::roll_back`].
pub(in crate::workload) trait DatabaseClient {
    /// Executes the statement of this number with those of `values` whose numbers are `parameters`; returns how many
    /// rows it gave or changed.
    ///
    /// # Errors
    /// If it was not executed.
    fn execute(
        &mut self,
        statement: usize,
        values: &[SqlValue],
        parameters: &[usize],
    ) -> Result<u64, StatementFailure>;

    /// Executes a statement as [`DatabaseClient::execute`] does, and puts the first columns of the first row into those
    /// of `values` whose numbers are `into`; a NULL changes none.
    ///
    /// # Errors
    /// As there; and if this kind of client does not read answers.
    fn keep(
        &mut self,
        _statement: usize,
        _values: &mut [SqlValue],
        _parameters: &[usize],
        _into: &[usize],
    ) -> Result<u64, StatementFailure> {
        Err(StatementFailure {
            kind: FailureKind::Refused,
            message: "this kind of client does not read answers".to_owned(),
        })
    }

    /// Ends the transaction that is under way, if one is, as if it had not begun.
    ///
    /// # Errors
    /// If it cannot.
    fn roll_back(&mut self) -> Result<(), StatementFailure>;

    /// How often it waited for a lock so far, where it can tell.
    fn lock_waits(&self) -> Option<u64> {
        None
    }

    /// How long it waited for locks so far, ns, where it can tell.
    fn lock_wait_ns(&self) -> Option<u64> {
        None
    }

    /// Pages that it looked for in its own cache so far, where it can tell.
    fn page_lookups(&self) -> Option<PageLookups> {
        None
    }

    /// Whether the last statement committed what was written, where it can tell.
    fn has_committed(&self) -> Option<bool> {
        None
    }
}

/// Pages that a connection looked for in its own cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::workload) struct PageLookups {
    /// Those that were there.
    pub(in crate::workload) hits: u64,
    /// Those that had to be read.
    pub(in crate::workload) misses: u64,
}

/// What a failure means to the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) enum FailureKind {
    /// It met another one: a deadlock, a lock that was not given in time, a row that was changed meanwhile. It is
    /// rolled back and begun again.
    Conflict,
    /// The database refuses the statement. The transaction failed.
    Refused,
    /// There is no more connection, or nobody knows in which state it is. The trial ends.
    Lost,
}

/// Why a statement was not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct StatementFailure {
    pub(in crate::workload) kind: FailureKind,
    /// What the database said, without the statement's values.
    pub(in crate::workload) message: String,
}
