//! Tables on a server that are kept: in a database of their own, which is looked at before it is used again.

use engine::fault::Fault;

use crate::fixture::Progress;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::kept::{self, DataOrigin, KeptIdentity};
use crate::workload::db::left::{KeptEntry, LeftOnServer, LeftThing};
use crate::workload::db::remote::{fault, first};
use crate::workload::db::remote_tables::{self, MadeTables, PATIENCE, TableOrder};
use crate::workload::db::wire::{DatabaseConnection, DatabaseServer, Dialect};

/// Finds them, or makes them.
///
/// # Errors
/// If another run uses them, they may not be made, or it is told to stop.
pub(in crate::workload) fn make<C: Dialect>(
    server: &DatabaseServer,
    order: TableOrder<'_>,
    progress: &mut Progress<'_>,
) -> Result<MadeTables, Fault> {
    let identity = KeptIdentity::of(order.data, C::SYSTEM);
    let name = identity.name();
    let list = order.list.ok_or_else(|| {
        Fault::Other("kept data can be written down nowhere, so that nobody would know of it".to_owned())
    })?;
    let record = match list.kept(&server.url, &name) {
        KeptEntry::None => None,
        KeptEntry::Free(record) => Some(record),
        KeptEntry::InUse => return Err(Fault::Other(format!("another run uses the kept data {name} now"))),
    };
    let entry = remote_tables::entry::<C>(server);
    let home = server.with_database(&name);
    let is_there =
        first(&mut DatabaseConnection::<C>::open(&entry).map_err(fault)?, &C::has_database(&name))?.is_some();
    let found = (is_there && !order.recreates).then(|| look::<C>(&home, order.data, &identity));
    let left = LeftOnServer::new(&server.url, LeftThing::Kept { name: name.clone() });
    let write =
        || list.write(&left).map_err(|e| Fault::system(format!("writing down that {name} is kept"), e));
    match found {
        Some(Ok(found)) => {
            let record = record.map_or_else(write, Ok)?;
            return Ok(MadeTables::kept(home, entry, record, found));
        }
        // It may be somebody else's, who is making it now.
        Some(Err(why)) if record.is_none() => {
            return Err(Fault::Other(format!(
                "the database {name} on {} is not the kept data that it is called, and no run of this machine made it: {why}. \
                 Give recreate=yes to have it removed and made anew",
                server.url
            )));
        }
        _ => {}
    }
    if is_there {
        remote_tables::remove_database::<C>(&entry, &name)?;
    }
    let mut connection = DatabaseConnection::<C>::open(&entry).map_err(fault)?;
    if first(&mut connection, C::MAY_CREATE)?.as_deref() != Some("1") {
        return Err(Fault::Other(format!(
            "the user {} may not make databases, and data is kept in one of its own only",
            server.account.user
        )));
    }
    let record = record.map_or_else(write, Ok)?;
    if let Err(failure) = connection.query(&C::create_database(&name)) {
        record.remove();
        return Err(fault(failure));
    }
    drop(connection);
    let mut made = MadeTables::kept(home, entry, record, DataOrigin::Made);
    let filled = remote_tables::make_in::<C>(&mut made, TableOrder { recreates: false, ..order }, progress)
        .and_then(|()| put_mark::<C>(&made.home, &identity));
    match filled {
        Ok(()) => Ok(made),
        Err(fault) => Err(fault.and(made.remove_kept::<C>())),
    }
}

fn put_mark<C: Dialect>(home: &DatabaseServer, identity: &KeptIdentity) -> Result<(), Fault> {
    let mut connection = DatabaseConnection::<C>::open(home).map_err(fault)?;
    connection.query(kept::MAKE_MARK).map_err(fault)?;
    connection.query(&identity.put_mark()).map(drop).map_err(fault)
}

/// Looks whether the data is there and whole: its mark, and how many rows its tables have.
fn look<C: Dialect>(
    home: &DatabaseServer,
    data: &DataSet,
    identity: &KeptIdentity,
) -> Result<DataOrigin, String> {
    let mut connection = DatabaseConnection::<C>::open(home).map_err(|failure| failure.message)?;
    connection.set_patience(PATIENCE);
    let rows = connection.query(kept::ASK_MARK).map_err(|failure| failure.message)?;
    let mark = match &rows[..] {
        [row] => match &row[..] {
            [Some(digest), Some(written)] => Some((digest.as_str(), written.as_str())),
            _ => None,
        },
        _ => None,
    };
    let (digest, written) = mark.ok_or("it has no mark: it was not finished")?;
    let was_written = identity.read_mark(digest, written)?;
    for table in data.layouts(C::SYSTEM) {
        let question = format!("SELECT COUNT(*) FROM {}", table.name);
        let found = first(&mut connection, &question).map_err(|fault| fault.to_string())?;
        if found.as_deref() != Some(table.rows.to_string().as_str()) {
            let found = found.unwrap_or_default();
            return Err(format!("the table {} has {found} rows, and not {}", table.name, table.rows));
        }
    }
    Ok(DataOrigin::Found { was_written })
}

/// Says that transactions change the data of `home` from now on.
///
/// # Errors
/// If the mark cannot be changed.
pub(in crate::workload) fn mark_written<C: Dialect>(home: &DatabaseServer) -> Result<(), Fault> {
    let mut connection = DatabaseConnection::<C>::open(home).map_err(fault)?;
    connection.query(kept::MARK_WRITTEN).map(drop).map_err(fault)
}
