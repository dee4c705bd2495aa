//! Global variables of a server that is not ours, set for the trials of a run because that was asked for by name
//! (`allow-server-settings`), and put back afterwards. What each was is written down before it is changed, so that
//! `headroom restore --url` can put it back after a kill.
//!
//! MySQL and MariaDB set them by `SET GLOBAL`, which does not outlive the server. PostgreSQL has `ALTER SYSTEM`, which
//! writes them into a file of the server; what it had written there before is what is put back.

mod sql;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use engine::fault::Fault;
use engine::lock;
use model::plan::{FixtureKey, Ownership};

use crate::fixture::{Fixture, FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::workload::db::left::{LeftOnServer, LeftThing, ServerList};
use crate::workload::db::remote::{self, RemoteSystem};
use crate::workload::db::server::home::{self, ServerHome};
use crate::workload::db::server::variables::ServerVariable;
use crate::workload::db::server_settings::sql::{has_effect, read, write};
use crate::workload::db::wire::DatabaseServer;
use crate::workload::left_records::LeftRecord;

pub(in crate::workload) use crate::workload::db::server_settings::sql::put_back;

/// The kind of settings of a server.
pub const SERVER_SETTINGS: FixtureKind = FixtureKind { name: "server-settings", make };

/// How long a statement waits for a lock, which nobody else should have.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// What is needed to set variables of the server of `home` globally; none where that is not asked for.
pub(in crate::workload) fn key(home: &ServerHome) -> Option<FixtureKey> {
    if !home.sets_globally {
        return None;
    }
    let place = home.place();
    Some(FixtureKey {
        about: format!("sets variables of the whole server at {place}, and puts them back"),
        details: home.details(),
        ..FixtureKey::new(SERVER_SETTINGS.name, place, 0, Ownership::Created)
    })
}

fn make(key: &FixtureKey, host: &HostInfo, _progress: &mut Progress<'_>) -> FixtureResult {
    let (url, password) = home::reach(&key.target, &key.details)?;
    let system = remote::system(url.system)
        .ok_or_else(|| Fault::Other(format!("this agent speaks to no server of {}", url.system.scheme())))?;
    let server = system.find(&url, password, LOCK_TIMEOUT)?;
    let state = host.state_folder.as_deref().ok_or_else(|| {
        Fault::Other(
            "what a server's variables were can be written down nowhere, so that none is changed".to_owned(),
        )
    })?;
    let list = ServerList::in_state(state);
    // Of an agent that died, or of a run: who may change variables there may put them back.
    for (left, record) in list.left() {
        if let LeftThing::Variable { name, before, .. } = left.thing()
            && left.is_at(&url)
        {
            put_back(system, &server, name, before.as_deref())?;
            record.remove();
        }
    }
    Ok(Box::new(ServerSettings { system, server, list, changes: Mutex::default() }))
}

/// The variables of one server, which are put back when this is dropped.
#[derive(Debug)]
pub(in crate::workload) struct ServerSettings {
    system: &'static dyn RemoteSystem,
    server: DatabaseServer,
    list: ServerList,
    changes: Mutex<Changes>,
}

#[derive(Debug, Default)]
struct Changes {
    changed: Vec<ChangedVariable>,
    /// What the trial that is under way asked for.
    held: Weak<Vec<ServerVariable>>,
}

/// A variable that is not as it was.
#[derive(Debug)]
struct ChangedVariable {
    name: String,
    before: Option<String>,
    /// What it was asked to be, and what the server made of that; none where it may be anything.
    now: Option<(String, String)>,
    record: LeftRecord,
}

/// That variables stay as they are; another load of the trial may not want others.
pub(in crate::workload) type HeldVariables = Arc<Vec<ServerVariable>>;

impl ServerSettings {
    /// Makes these variables what they are to be, and puts back what an earlier trial changed and this one does not.
    ///
    /// # Errors
    /// If one cannot be set, or not be put back later; if another run is at it; if it became something else since it was
    /// set; if another load of the trial asks for others.
    pub(in crate::workload) fn set(&self, asked: &[ServerVariable]) -> Result<HeldVariables, Fault> {
        let mut changes = lock(&self.changes);
        if let Some(held) = changes.held.upgrade().filter(|held| held.as_slice() != asked) {
            let names: Vec<_> = held.iter().map(ServerVariable::assignment).collect();
            return Err(Fault::Other(format!(
                "another load of this trial asks for other variables of the same server ({})",
                names.join(", ")
            )));
        }
        let is_asked = |name: &str| asked.iter().any(|variable| variable.name() == name);
        self.put_back_if(&mut changes.changed, |change| !is_asked(&change.name))?;
        for variable in asked {
            self.set_one(&mut changes.changed, variable)?;
        }
        let held = HeldVariables::new(asked.to_vec());
        changes.held = Arc::downgrade(&held);
        Ok(held)
    }

    fn set_one(&self, changed: &mut Vec<ChangedVariable>, variable: &ServerVariable) -> Result<(), Fault> {
        let name = variable.name();
        let place = match changed.iter().position(|change| change.name == name) {
            Some(place) => place,
            None => {
                changed.push(self.begin(variable)?);
                changed.len() - 1
            }
        };
        let change = &mut changed[place];
        if let Some((asked, took)) = &change.now
            && asked == variable.value()
        {
            let found = read(self.system, &self.server, name)?;
            if found != *took {
                return Err(Fault::Other(format!(
                    "somebody changed the variable {name} of the server from {took} to {found}, so that results with that \
                     label would be wrong"
                )));
            }
            return Ok(());
        }
        // Until the server has said what it made of it.
        change.now = None;
        write(self.system, &self.server, name, Some(&variable.literal(self.server.url.system)))?;
        has_effect(self.system, &self.server, name)?;
        let took = read(self.system, &self.server, name)?;
        change.now = Some((variable.value().to_owned(), took));
        Ok(())
    }

    /// Writes down what a variable is, before it is changed.
    fn begin(&self, variable: &ServerVariable) -> Result<ChangedVariable, Fault> {
        let name = variable.name().to_owned();
        let before = sql::before(self.system, &self.server, &name)?;
        let (asked, url) = (variable.value().to_owned(), &self.server.url);
        let left =
            LeftOnServer::new(url, LeftThing::Variable { name: name.clone(), before: before.clone(), asked });
        let written = self.list.write_alone(url, &left).map_err(|e| {
            Fault::Other(format!("what {name} was cannot be written down, so that it is not changed: {e}"))
        })?;
        let record = written.map_err(|other| {
            Fault::Other(format!(
                "another run is at it, or was, and {name} is not changed. In the list is {other}"
            ))
        })?;
        // Another run may have put its own change back since it was read.
        match sql::before(self.system, &self.server, &name) {
            Ok(again) if again == before => Ok(ChangedVariable { name, before, now: None, record }),
            other => {
                record.remove();
                let meanwhile =
                    format!("somebody changed the variable {name} of the server just now: try again");
                Err(other.err().unwrap_or(Fault::Other(meanwhile)))
            }
        }
    }

    /// Puts back those of which this is true; those that cannot be put back stay in `changed`.
    fn put_back_if(
        &self,
        changed: &mut Vec<ChangedVariable>,
        mut is_it: impl FnMut(&ChangedVariable) -> bool,
    ) -> Result<(), Fault> {
        let (mut kept, mut result) = (Vec::new(), Ok(()));
        for mut change in changed.drain(..) {
            if !is_it(&change) {
                kept.push(change);
                continue;
            }
            match put_back(self.system, &self.server, &change.name, change.before.as_deref()) {
                Ok(()) => change.record.remove(),
                Err(fault) => {
                    change.now = None;
                    result = result.and(Err(fault));
                    kept.push(change);
                }
            }
        }
        *changed = kept;
        result
    }

    fn put_all_back(&self) -> Result<(), Fault> {
        self.put_back_if(&mut lock(&self.changes).changed, |_| true)
    }
}

impl Fixture for ServerSettings {
    /// Whether somebody asked for it with another file of passwords does not matter.
    fn reuse(&self, made: &FixtureKey, asked: &FixtureKey) -> bool {
        (&made.kind, &made.target) == (&asked.kind, &asked.target)
    }

    fn remove(self: Box<Self>) -> Result<(), Fault> {
        self.put_all_back()
    }
}

impl Drop for ServerSettings {
    fn drop(&mut self) {
        // What stays is in the list.
        let _ = self.put_all_back();
    }
}
