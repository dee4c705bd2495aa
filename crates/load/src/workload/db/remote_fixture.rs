//! Tables on a server as a fixture: made once for all cases that need them, removed at the end.

use std::time::Duration;

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership};
use serde::{Deserialize, Serialize};

use crate::fixture::{Fixture, FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::kept::TableChoices;
use crate::workload::db::left::ServerList;
use crate::workload::db::remote::{self, RemoteSystem};
use crate::workload::db::remote_tables::{MadeTables, TableOrder};
use crate::workload::db::server::home::{self, ServerHome};
use crate::workload::db::target_space::TargetSpace;

/// The kind of tables.
pub const REMOTE_DATABASES: FixtureKind = FixtureKind { name: "remote-database", make };

/// How long a statement that makes tables waits for a lock, which nobody else should have.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// What is to be there.
#[derive(Serialize, Deserialize)]
struct Details {
    data: DataSet,
    recreates: bool,
    /// Whether it is kept for later runs.
    #[serde(default)]
    keeps: bool,
    /// How the server is reached ([`ServerHome::details`]).
    home: serde_json::Value,
}

/// What is made for `data` on the server of `home`. Tables of these names that are there already are removed where
/// `choices` say so.
pub(in crate::workload) fn key(home: &ServerHome, data: DataSet, choices: TableChoices) -> FixtureKey {
    let TableChoices { recreates, keeps } = choices;
    let place = home.place();
    let where_else = match home.url.database.as_str() {
        "" => String::new(),
        database => format!(" (in {database}, if the user may make no other)"),
    };
    let (whose, bytes) = match home.targets() {
        // Nothing of it is stored by this machine as far as is known.
        [] => ("the server at", 0),
        _ => ("the server that is started in", data.bytes()),
    };
    let (about, ownership) = match data {
        DataSet::Existing => {
            (format!("reads tables that are there, on {whose} {place}"), Ownership::Borrowed)
        }
        _ if keeps => (
            format!(
                "makes {data} in a database of its own on {whose} {place}, or finds it there, and keeps it"
            ),
            Ownership::Created,
        ),
        _ => (
            format!("makes {data} in a database of its own{where_else} on {whose} {place}, and removes it"),
            Ownership::Created,
        ),
    };
    FixtureKey {
        about,
        details: serde_json::json!(Details { data, recreates, keeps, home: home.details() }),
        written: bytes,
        ..FixtureKey::new(REMOTE_DATABASES.name, place, bytes, ownership)
    }
}

fn make(key: &FixtureKey, host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    let unknown = |e| Fault::Other(format!("this agent does not know what a database is to have: {e}"));
    let Details { data, recreates, keeps, home } =
        serde_json::from_value(key.details.clone()).map_err(unknown)?;
    let (url, password) = home::reach(&key.target, &home)?;
    let system = remote::system(url.system)
        .ok_or_else(|| Fault::Other(format!("this agent speaks to no server of {}", url.system.scheme())))?;
    let server = system.find(&url, password, LOCK_TIMEOUT)?;
    // A server of ours goes with its databases.
    let goes_with_server = home::is_started(&home);
    let state = host.state_folder.as_deref().filter(|_| !goes_with_server);
    let list = state.map(ServerList::in_state);
    let order = TableOrder { data: &data, recreates, keeps, list: list.as_ref() };
    let space = TargetSpace::of(goes_with_server.then_some(key.target.as_str()));
    let made = system.make(&server, order, progress).map_err(|fault| space.explain(fault))?;
    Ok(Box::new(RemoteDatabase { system, made: Some(made), goes_with_server }))
}

/// Tables that are removed when it is dropped.
#[derive(Debug)]
pub(in crate::workload) struct RemoteDatabase {
    system: &'static dyn RemoteSystem,
    /// None once they are removed.
    made: Option<MadeTables>,
    /// Whether the server is one of ours, whose folder is removed with all that is in it.
    goes_with_server: bool,
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
        let Some(made) = self.made.take() else { return Ok(()) };
        let removed = self.system.remove(made);
        // A server of ours that has ended in the last trial takes them with it.
        if self.goes_with_server { Ok(()) } else { removed }
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
        // Whoever wants to know what stays removes it. A server of ours may have gone before.
        if !self.goes_with_server {
            let _ = self.take_away();
        }
    }
}
