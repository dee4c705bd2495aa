//! Tables on a server as a fixture: made once for all cases that need them, removed at the end.

use std::time::Duration;

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership};

use crate::fixture::{Fixture, FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::workload::db::dataset::{DataSet, OwnTable, TableLayout};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::remote::{self, RemoteSystem};
use crate::workload::db::remote_tables::{MadeTables, RemoteTable};
use crate::workload::db::url::{DatabaseSystem, DatabaseUrl};

/// The kind of tables.
pub const REMOTE_DATABASES: FixtureKind = FixtureKind { name: "remote-database", make };

/// How long a statement that makes tables waits for a lock, which nobody else should have.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// What is made for `data` on the server at `url`. Tables of these names that are there already are removed where it
/// `recreates`.
pub(in crate::workload) fn key(url: &DatabaseUrl, data: &DataSet, recreates: bool) -> FixtureKey {
    let where_else = match url.database.as_str() {
        "" => String::new(),
        database => format!(" (in {database}, if the user may make no other)"),
    };
    FixtureKey {
        details: serde_json::json!({ "data": data, "recreate": recreates }),
        about: format!(
            "makes {data} in a database of its own{where_else} on the server at {url}, and removes it"
        ),
        // Nothing of it is stored by this machine as far as is known.
        ..FixtureKey::new(REMOTE_DATABASES.name, url.to_string(), 0, Ownership::Created)
    }
}

fn make(key: &FixtureKey, _host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    let unknown = |e| Fault::Other(format!("this agent does not know what a database is to have: {e}"));
    let data: DataSet = serde_json::from_value(key.details["data"].clone()).map_err(unknown)?;
    let recreates = key.details["recreate"].as_bool().unwrap_or(false);
    let url = DatabaseUrl::parse(&key.target)?;
    let system = remote::system(url.system)
        .ok_or_else(|| Fault::Other(format!("this agent speaks to no server of {}", url.system.scheme())))?;
    let server = system.find(&url, LOCK_TIMEOUT)?;
    let made = system.make(&server, tables(&data, url.system), recreates, progress)?;
    Ok(Box::new(RemoteDatabase { system, made: Some(made) }))
}

/// What is made of `data`.
fn tables(data: &DataSet, system: DatabaseSystem) -> Vec<RemoteTable> {
    let layouts = data.layouts(system);
    let rows: u64 = layouts.iter().map(|layout| layout.rows).fold(0, u64::saturating_add);
    // All rows as if they had the same size.
    let row_bytes = data.bytes() / rows.max(1);
    let filled = layouts.into_iter().map(|layout| filled(layout, row_bytes));
    let of_user = data.own_tables().into_iter().map(|OwnTable { name, create, more }| RemoteTable {
        name,
        create: vec![create],
        indexes: more,
        columns: Vec::new(),
        rows: 0,
        row_bytes: 0,
        make: Box::new(|_: u64, _: &mut Vec<SqlValue>| {}),
    });
    filled.chain(of_user).collect()
}

fn filled(layout: TableLayout, row_bytes: u64) -> RemoteTable {
    let mut made = layout.values();
    let columns = layout.columns.iter().map(|(name, _)| *name).collect();
    RemoteTable {
        name: layout.name.clone(),
        create: layout.create.clone(),
        indexes: layout.indexes.clone(),
        columns,
        rows: layout.rows,
        row_bytes,
        make: Box::new(move |row: u64, values: &mut Vec<SqlValue>| {
            layout.make(row, &mut made);
            // Behind the number of the row.
            values.extend_from_slice(&made[1..]);
        }),
    }
}

/// Tables that are removed when it is dropped.
#[derive(Debug)]
pub(in crate::workload) struct RemoteDatabase {
    system: &'static dyn RemoteSystem,
    /// None once they are removed.
    made: Option<MadeTables>,
}

impl RemoteDatabase {
    /// The tables.
    ///
    /// # Errors
    /// If they were removed.
    pub(in crate::workload) fn made(&self) -> Result<&MadeTables, Fault> {
        self.made.as_ref().ok_or_else(|| Fault::Other("the tables were removed".to_owned()))
    }

    fn take_away(&mut self) -> Result<(), Fault> {
        self.made.take().map_or(Ok(()), |made| self.system.remove(&made))
    }
}

impl Fixture for RemoteDatabase {
    fn check(&self) -> Result<(), Fault> {
        self.system.check(self.made()?)
    }

    fn remove(mut self: Box<Self>) -> Result<(), Fault> {
        self.take_away()
    }
}

impl Drop for RemoteDatabase {
    fn drop(&mut self) {
        // Whoever wants to know what stays removes it.
        let _ = self.take_away();
    }
}
