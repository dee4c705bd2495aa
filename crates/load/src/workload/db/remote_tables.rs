//! Tables on a server: in a database of their own where the user may make one, otherwise in the one that the URL
//! names, where nothing of theirs is touched unless that was asked for.

use std::time::Duration;

use engine::fault::Fault;

use crate::fixture::Progress;
use crate::workload::db::generator::SqlValue;
use crate::workload::db::remote::{fault, first, is_done};
use crate::workload::db::wire::{DatabaseConnection, DatabaseServer, Dialect, RowTarget};

/// What databases of ours begin with.
const PREFIX: &str = "headroom_";

/// So many rows are put in before it is looked whether to go on.
const BATCH: u64 = 20_000;

/// How long a server may be silent while it makes an index of many rows.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Makes the values of a row from its number, from 0.
type MakeRow = dyn FnMut(u64, &mut Vec<SqlValue>);

/// A table, and what is put into it.
pub(in crate::workload) struct RemoteTable {
    /// Its name: letters, digits and `_`.
    pub(in crate::workload) name: String,
    /// The statements that make it, and those that follow when its rows are there.
    pub(in crate::workload) create: Vec<String>,
    pub(in crate::workload) indexes: Vec<String>,
    /// The columns that have values of their own.
    pub(in crate::workload) columns: Vec<&'static str>,
    pub(in crate::workload) rows: u64,
    /// About how many bytes a row takes, for the progress.
    pub(in crate::workload) row_bytes: u64,
    pub(in crate::workload) make: Box<MakeRow>,
}

/// Tables that were made.
#[derive(Clone, Debug)]
pub(in crate::workload) struct MadeTables {
    /// The server with the database that they are in, and with the one from which that was made.
    pub(in crate::workload) home: DatabaseServer,
    entry: DatabaseServer,
    /// Whether the database is ours.
    pub(in crate::workload) is_own: bool,
    /// Those that were made.
    names: Vec<String>,
}

/// Makes them. What was made is removed if something fails.
///
/// # Errors
/// If the server refuses something, has such tables already, or it is told to stop.
pub(in crate::workload) fn make<C: Dialect>(
    server: &DatabaseServer,
    tables: Vec<RemoteTable>,
    recreates: bool,
    progress: &mut Progress<'_>,
) -> Result<MadeTables, Fault> {
    let named = server.url.database.as_str();
    let entry = if named.is_empty() { server.with_database(C::MAINTENANCE) } else { server.clone() };
    let mut connection = DatabaseConnection::<C>::open(&entry).map_err(fault)?;
    let may_create = first(&mut connection, C::MAY_CREATE)?.as_deref() == Some("1");
    let mut made = if may_create {
        let name = own_name()?;
        connection.query(&C::create_database(&name)).map_err(fault)?;
        MadeTables { home: server.with_database(&name), entry, is_own: true, names: Vec::new() }
    } else if named.is_empty() {
        return Err(Fault::Other(format!(
            "the user {} may not make databases, and the url names none: name one in which tables may be made",
            server.account.user
        )));
    } else {
        MadeTables { home: entry.clone(), entry, is_own: false, names: Vec::new() }
    };
    drop(connection);
    match make_in::<C>(&mut made, tables, recreates, progress) {
        Ok(()) => Ok(made),
        Err(fault) => Err(fault.and(remove::<C>(&made))),
    }
}

fn make_in<C: Dialect>(
    made: &mut MadeTables,
    tables: Vec<RemoteTable>,
    recreates: bool,
    progress: &mut Progress<'_>,
) -> Result<(), Fault> {
    let mut connection = DatabaseConnection::<C>::open(&made.home).map_err(fault)?;
    connection.set_patience(PATIENCE);
    for table in &tables {
        let is_there = first(&mut connection, &C::has_table(&table.name))?.is_some();
        if is_there && !recreates {
            return Err(Fault::Other(format!(
                "the database {} has a table {} already, which is left alone: name another database, or give \
                 recreate=yes, which removes it",
                made.home.account.database, table.name
            )));
        }
    }
    let mut done_bytes = 0;
    for mut table in tables {
        if recreates {
            connection.query(&drop_table(&table.name)).map_err(fault)?;
        }
        for statement in &table.create {
            connection.query(statement).map_err(fault)?;
            // From now on there is something to be removed.
            if made.names.last() != Some(&table.name) {
                made.names.push(table.name.clone());
            }
        }
        fill(&mut connection, &mut table, &mut done_bytes, progress)?;
        for statement in &table.indexes {
            connection.query(statement).map_err(fault)?;
        }
        for statement in C::after_filling(&table.name) {
            is_done(connection.query(&statement)).map_err(fault)?;
        }
    }
    progress(done_bytes);
    Ok(())
}

fn drop_table(name: &str) -> String {
    format!("DROP TABLE IF EXISTS {name}")
}

fn fill<C: Dialect>(
    connection: &mut DatabaseConnection<C>,
    table: &mut RemoteTable,
    done_bytes: &mut u64,
    progress: &mut Progress<'_>,
) -> Result<(), Fault> {
    let target = RowTarget { table: &table.name, columns: &table.columns };
    let (make, mut row) = (&mut table.make, 0);
    while row < table.rows {
        if !progress(*done_bytes) {
            return Err(Fault::Cancelled);
        }
        let (from, to) = (row, table.rows.min(row + BATCH));
        let mut next = |values: &mut Vec<SqlValue>| {
            if row == to {
                return false;
            }
            values.clear();
            make(row, values);
            row += 1;
            true
        };
        connection.put_rows(target, &mut next).map_err(fault)?;
        *done_bytes = done_bytes.saturating_add((to - from).saturating_mul(table.row_bytes));
    }
    Ok(())
}

/// Fails if they are not there any more.
///
/// # Errors
/// With what is missing.
pub(in crate::workload) fn check<C: Dialect>(made: &MadeTables) -> Result<(), Fault> {
    let mut connection = DatabaseConnection::<C>::open(&made.home).map_err(fault)?;
    for name in &made.names {
        if first(&mut connection, &C::has_table(name))?.is_none() {
            return Err(Fault::Other(format!("somebody has removed the table {name}, which was made here")));
        }
    }
    Ok(())
}

/// Removes them.
///
/// # Errors
/// With what stays.
pub(in crate::workload) fn remove<C: Dialect>(made: &MadeTables) -> Result<(), Fault> {
    let stays = |why: &str| {
        let database = &made.home.account.database;
        let what = if made.is_own { "the database" } else { "tables in the database" };
        Fault::Other(format!("{what} {database} on {} could not be removed: {why}", made.entry.url))
    };
    let from = if made.is_own { &made.entry } else { &made.home };
    let mut connection = DatabaseConnection::<C>::open(from).map_err(|failure| stays(&failure.message))?;
    connection.set_patience(PATIENCE);
    if made.is_own {
        let drop = C::drop_database(&made.home.account.database);
        connection.query(&drop).map_err(|failure| stays(&failure.message))?;
        return Ok(());
    }
    for name in &made.names {
        connection.query(&drop_table(name)).map_err(|failure| stays(&failure.message))?;
    }
    Ok(())
}

/// A name that nobody else has.
fn own_name() -> Result<String, Fault> {
    let mut bytes = [0; 8];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|e| Fault::system("asking for random bytes", e))?;
    Ok(format!("{PREFIX}{:016x}", u64::from_ne_bytes(bytes)))
}
