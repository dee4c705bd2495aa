//! Tables on a server: in a database of their own where the user may make one, otherwise in the one that the URL
//! names, where nothing of theirs is touched unless that was asked for.

use std::ops::Range;
use std::time::{Duration, Instant};

use engine::fault::Fault;

use crate::fixture::Progress;
use crate::workload::db::client::StatementFailure;
use crate::workload::db::dataset::{DataSet, TableLayout};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::kept::DataOrigin;
use crate::workload::db::kept_tables;
use crate::workload::db::left::{self, LeftOnServer, LeftThing, ServerList};
use crate::workload::db::load::ConsistencyCheck;
use crate::workload::db::remote::{fault, first, is_done};
use crate::workload::db::wire::{DatabaseConnection, DatabaseServer, Dialect, RowTarget};
use crate::workload::left_records::LeftRecord;

/// So many rows are put in before it is looked whether to go on.
const BATCH: u64 = 20_000;

/// How long a server may be silent while it makes an index of many rows.
pub(in crate::workload) const PATIENCE: Duration = Duration::from_secs(3600);

/// Tables that are to be made.
#[derive(Clone, Copy, Debug)]
pub(in crate::workload) struct TableOrder<'a> {
    pub(in crate::workload) data: &'a DataSet,
    /// Whether tables of these names that are there already are removed.
    pub(in crate::workload) recreates: bool,
    /// Whether they are kept for later runs, and found again.
    pub(in crate::workload) keeps: bool,
    /// Where it is written down that there is a database of ours; nowhere on a server that ends with us.
    pub(in crate::workload) list: Option<&'a ServerList>,
}

/// How long is waited for a server that starts again, or has more connections than it takes because it has not noticed
/// yet that others have ended; and how often it is tried.
const OPENED_WITHIN: Duration = Duration::from_secs(5);
const OPENED_EVERY: Duration = Duration::from_millis(100);

/// Tables that were made.
#[derive(Debug)]
pub(in crate::workload) struct MadeTables {
    /// The server with the database that they are in, and with the one from which that was made.
    pub(in crate::workload) home: DatabaseServer,
    entry: DatabaseServer,
    /// Whether the database is ours.
    pub(in crate::workload) is_own: bool,
    /// Those that were made.
    names: Vec<String>,
    /// That a database of ours is there.
    record: Option<LeftRecord>,
    /// That it is kept, and where it came from.
    kept: Option<DataOrigin>,
}

impl MadeTables {
    /// Those in a database that is kept, and in use as long as there is `record`.
    pub(in crate::workload) fn kept(
        home: DatabaseServer,
        entry: DatabaseServer,
        record: LeftRecord,
        origin: DataOrigin,
    ) -> Self {
        let (record, kept) = (Some(record), Some(origin));
        Self { home, entry, is_own: true, names: Vec::new(), record, kept }
    }

    /// Where they came from, if they are kept.
    pub(in crate::workload) fn origin(&self) -> Option<DataOrigin> {
        self.kept
    }

    /// Removes them although they were to be kept: they are not whole.
    ///
    /// # Errors
    /// With what stays.
    pub(in crate::workload) fn remove_kept<C: Dialect>(self) -> Result<(), Fault> {
        remove::<C>(Self { kept: None, ..self })
    }
}

/// The server with the database from which others are made: the one that is named, or else one that every server has.
pub(in crate::workload) fn entry<C: Dialect>(server: &DatabaseServer) -> DatabaseServer {
    if server.url.database.is_empty() { server.with_database(C::MAINTENANCE) } else { server.clone() }
}

/// Makes them. What was made is removed if something fails.
///
/// # Errors
/// If the server refuses something, has such tables already, or it is told to stop.
pub(in crate::workload) fn make<C: Dialect>(
    server: &DatabaseServer,
    order: TableOrder<'_>,
    progress: &mut Progress<'_>,
) -> Result<MadeTables, Fault> {
    if *order.data == DataSet::Existing {
        // Nothing is made, so that nothing is removed; whether there is a database is seen now.
        DatabaseConnection::<C>::open(server).map_err(fault)?;
        let (home, entry) = (server.clone(), server.clone());
        return Ok(MadeTables { home, entry, is_own: false, names: Vec::new(), record: None, kept: None });
    }
    if order.keeps {
        return kept_tables::make::<C>(server, order, progress);
    }
    let entry = entry::<C>(server);
    let mut connection = DatabaseConnection::<C>::open(&entry).map_err(fault)?;
    let may_create = first(&mut connection, C::MAY_CREATE)?.as_deref() == Some("1");
    let mut made = if may_create {
        let name = left::own_name().map_err(|e| Fault::system("asking for random bytes", e))?;
        let thing = LeftThing::Database { name: name.clone() };
        let left = LeftOnServer::new(&server.url, thing);
        // Without a list there is one place less where it is told.
        let record = order.list.and_then(|list| list.write(&left).ok());
        if let Err(failure) = connection.query(&C::create_database(&name)) {
            record.into_iter().for_each(LeftRecord::remove);
            return Err(fault(failure));
        }
        MadeTables {
            home: server.with_database(&name),
            entry,
            is_own: true,
            names: Vec::new(),
            record,
            kept: None,
        }
    } else if server.url.database.is_empty() {
        return Err(Fault::Other(format!(
            "the user {} may not make databases, and the url names none: name one in which tables may be made",
            server.account.user
        )));
    } else {
        MadeTables { home: entry.clone(), entry, is_own: false, names: Vec::new(), record: None, kept: None }
    };
    drop(connection);
    match make_in::<C>(&mut made, order, progress) {
        Ok(()) => Ok(made),
        Err(fault) => Err(fault.and(remove::<C>(made))),
    }
}

/// Makes them in their database.
///
/// # Errors
/// As [`make`]; what was made is there then.
pub(in crate::workload) fn make_in<C: Dialect>(
    made: &mut MadeTables,
    TableOrder { data, recreates, .. }: TableOrder<'_>,
    progress: &mut Progress<'_>,
) -> Result<(), Fault> {
    if !made.is_own && !data.statements().is_empty() {
        return Err(Fault::Other(
            "what the statements of a file make is not known, so that they are executed in a database of their own only, \
             and the user may make none"
                .to_owned(),
        ));
    }
    let mut connection = DatabaseConnection::<C>::open(&made.home).map_err(fault)?;
    connection.set_patience(PATIENCE);
    let tables = data.layouts(C::SYSTEM);
    if !recreates {
        refuse_others(&mut connection, &tables, &made.home.account.database)?;
    }
    for (number, statement) in (1..).zip(data.statements()) {
        if !progress(0) {
            return Err(Fault::Cancelled);
        }
        connection.query(statement).map_err(|failure| {
            let why = failure.message;
            Fault::Other(format!("statement {number} of those that make the tables failed: {why}"))
        })?;
    }
    let all: u64 = tables.iter().map(|table| table.rows).fold(0, u64::saturating_add);
    let mut done = 0;
    // All rows as if they had the same size.
    let bytes = |done: u64| {
        let bytes = u128::from(data.bytes()) * u128::from(done) / u128::from(all.max(1));
        u64::try_from(bytes).unwrap_or(u64::MAX)
    };
    for table in &tables {
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
        let mut from = 0;
        while from < table.rows {
            if !progress(bytes(done)) {
                return Err(Fault::Cancelled);
            }
            let to = table.rows.min(from + BATCH);
            put(&mut connection, table, from..to)?;
            (done, from) = (done + (to - from), to);
        }
        for statement in &table.indexes {
            connection.query(statement).map_err(fault)?;
        }
        for statement in C::after_filling(&table.name) {
            is_done(connection.query(&statement)).map_err(fault)?;
        }
    }
    progress(data.bytes());
    Ok(())
}

/// Fails if one of the names is taken.
fn refuse_others<C: Dialect>(
    connection: &mut DatabaseConnection<C>,
    tables: &[TableLayout],
    database: &str,
) -> Result<(), Fault> {
    for TableLayout { name, .. } in tables {
        if first(connection, &C::has_table(name))?.is_some() {
            return Err(Fault::Other(format!(
                "the database {database} has a table {name} already, which is left alone: name another database, or \
                 give recreate=yes, which removes it"
            )));
        }
    }
    Ok(())
}

fn drop_table(name: &str) -> String {
    format!("DROP TABLE IF EXISTS {name}")
}

/// Puts these rows of a table in.
fn put<C: Dialect>(
    connection: &mut DatabaseConnection<C>,
    table: &TableLayout,
    mut rows: Range<u64>,
) -> Result<(), Fault> {
    let columns: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let target = RowTarget { table: &table.name, columns: &columns };
    // The first is the number of the row.
    let mut made = table.values();
    let mut next = |values: &mut Vec<SqlValue>| {
        let Some(row) = rows.next() else { return false };
        table.make(row, &mut made);
        values.clear();
        values.extend_from_slice(&made[1..]);
        true
    };
    connection.put_rows(target, &mut next).map_err(fault)
}

/// Fails if what must hold does not.
///
/// # Errors
/// With the first that does not hold, and by how much.
pub(in crate::workload) fn agree<C: Dialect>(
    server: &DatabaseServer,
    checks: &[ConsistencyCheck],
) -> Result<(), Fault> {
    let mut connection = DatabaseConnection::<C>::open(server).map_err(fault)?;
    connection.set_patience(PATIENCE);
    for check in checks {
        let off = first(&mut connection, &check.sql)?;
        if off.as_deref() != Some("0") {
            return Err(Fault::Verification(format!(
                "the tables do not agree: it does not hold that {} (off by {})",
                check.about,
                off.as_deref().unwrap_or("what is not there")
            )));
        }
    }
    Ok(())
}

/// Fails if they are not there any more.
///
/// # Errors
/// With what is missing.
pub(in crate::workload) fn check<C: Dialect>(made: &MadeTables) -> Result<(), Fault> {
    let mut connection = open_in_time::<C>(&made.home).map_err(fault)?;
    for name in &made.names {
        if first(&mut connection, &C::has_table(name))?.is_none() {
            return Err(Fault::Other(format!("somebody has removed the table {name}, which was made here")));
        }
    }
    Ok(())
}

/// Removes them, unless they are kept: those are free for the next run now.
///
/// # Errors
/// With what stays.
pub(in crate::workload) fn remove<C: Dialect>(made: MadeTables) -> Result<(), Fault> {
    if made.kept.is_some() {
        return Ok(());
    }
    let database = &made.home.account.database;
    if made.is_own {
        remove_database::<C>(&made.entry, database)?;
        made.record.into_iter().for_each(LeftRecord::remove);
        return Ok(());
    }
    let stays = |why: &str| {
        Fault::Other(format!(
            "tables in the database {database} on {} could not be removed: {why}",
            made.entry.url.who()
        ))
    };
    let mut connection = open_in_time::<C>(&made.home).map_err(|failure| stays(&failure.message))?;
    connection.set_patience(PATIENCE);
    for name in &made.names {
        connection.query(&drop_table(name)).map_err(|failure| stays(&failure.message))?;
    }
    Ok(())
}

/// Removes the database `name` of the server `entry`, in which another one is named, if it is there.
///
/// # Errors
/// Why it stays.
pub(in crate::workload) fn remove_database<C: Dialect>(
    entry: &DatabaseServer,
    name: &str,
) -> Result<(), Fault> {
    let removed = open_in_time::<C>(entry).and_then(|mut connection| {
        connection.set_patience(PATIENCE);
        connection.query(&C::drop_database(name))
    });
    let who = entry.url.who();
    let stays = |why: &str| Fault::Other(format!("the database {name} on {who} could not be removed: {why}"));
    removed.map(drop).map_err(|failure| stays(&failure.message))
}

/// A connection to a server that let us in before.
fn open_in_time<C: Dialect>(server: &DatabaseServer) -> Result<DatabaseConnection<C>, StatementFailure> {
    let end = Instant::now() + OPENED_WITHIN;
    loop {
        match DatabaseConnection::open(server) {
            Err(_) if Instant::now() < end => std::thread::sleep(OPENED_EVERY),
            other => return other,
        }
    }
}
