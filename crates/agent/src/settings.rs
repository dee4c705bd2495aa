//! The agent's side of settings: changes are made and read back, and put back
//! when the run says so, when it ends, and when the controller vanishes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use engine::{Fault, lock};
use load::fixture::FixtureStore;
use machine::setting::{self, Process, RunConnection, SettingError, SettingGuard, Wanted};
use model::Resource;
use model::message::Reply;
use model::setting::{Change, SettingState, SettingStates};

use crate::stacked;

/// The SSH session of who started the program of this agent: of a run, or of a node at another machine, where
/// only this end knows it. The connection to a node's controller goes over the interface that is measured, and waits
/// for it; no other one is changed there.
fn sessions() -> Vec<RunConnection> {
    RunConnection::ssh_session().into_iter().collect()
}

/// Why each change cannot be made here: its setting is not there or cannot be read, or it may cut a session off. Who
/// may not change anything may not read all: that is said elsewhere.
pub(crate) fn missing(changes: &[Change]) -> Vec<Option<String>> {
    let sessions = sessions();
    let look = |change: &Change| {
        setting::check(change)?;
        there(change)?
            .iter()
            .try_for_each(|resource| setting::look(&change.name, resource, &change.value))?;
        setting::spare(change, &sessions)
    };
    let may = rustix::process::geteuid().is_root();
    changes
        .iter()
        .map(|change| look(change).err().filter(|_| may).map(|e: SettingError| e.to_string()))
        .collect()
}

/// The resources of a change that are there before a stack is made for the load.
fn there(change: &Change) -> Result<Vec<Resource>, SettingError> {
    if !change.layers.is_empty() && change.targets.is_empty() {
        return Ok(Vec::new());
    }
    setting::resources(change)
}

/// What this agent has changed.
pub(crate) struct Settings {
    guard: Mutex<SettingGuard>,
    /// Whether some of it belongs to a stack.
    is_on_stack: AtomicBool,
}

impl Settings {
    /// Nothing yet. What the agent before this one left, of the same process that
    /// started both, is put back by this one.
    pub(crate) fn new() -> Self {
        let guard = Mutex::new(SettingGuard::new(Process::parent()));
        Self { guard, is_on_stack: AtomicBool::new(false) }
    }

    /// Makes `changes` hold on the machine that the run document calls `machine`, and on stacks among `fixtures`.
    pub(crate) fn set(&self, machine: &str, changes: &[Change], fixtures: &FixtureStore) -> Reply {
        match self.attempt(machine, changes, fixtures) {
            Ok(states) => Reply::Set(states),
            Err(error) => Reply::Failed { reason: error.to_string() },
        }
    }

    fn attempt(
        &self,
        machine: &str,
        changes: &[Change],
        fixtures: &FixtureStore,
    ) -> Result<SettingStates, SettingError> {
        let (mut wanted, mut asked) = (Vec::new(), Vec::new());
        let sessions = if changes.is_empty() { Vec::new() } else { sessions() };
        for change in changes {
            setting::check(change)?;
            setting::spare(change, &sessions)?;
            for resource in there(change)?.into_iter().chain(stacked::resources(change, fixtures)?) {
                let (setting, value) = (change.name.clone(), change.value.clone());
                wanted.push(Wanted { setting, resource, value });
                asked.push(change);
            }
        }
        let is_on_stack = changes.iter().any(|change| !change.layers.is_empty());
        self.is_on_stack.fetch_or(is_on_stack, Ordering::Relaxed);
        let mut states = SettingStates::new();
        for (now, change) in lock(&self.guard).set(&wanted)?.into_iter().zip(asked) {
            let unit = setting::unit(&now.setting);
            states.entry(change.key()).or_default().push(SettingState {
                machine: machine.to_owned(),
                resource: Some(now.resource),
                asked: change.value.clone(),
                before: Some(now.before),
                read_back: Some(now.read_back),
                unit,
            });
        }
        Ok(states)
    }

    /// Reads all settings again at the end of a trial: if one is not as it was
    /// made, somebody else changed it, and the trial has failed, whatever it says.
    pub(crate) fn check(&self, report: Result<Reply, Fault>) -> Result<Reply, Fault> {
        match (lock(&self.guard).check(), report) {
            (Ok(()), report) => report,
            (Err(_), Err(Fault::Cancelled)) => Err(Fault::Cancelled),
            (Err(changed), Ok(_)) => Ok(Reply::Failed { reason: changed.to_string() }),
            (Err(changed), Err(fault)) => {
                Ok(Reply::Failed { reason: format!("{changed}; and the trial did not end well: {fault}") })
            }
        }
    }

    /// Before a stack is taken down: puts everything back if some of it belongs to a stack. The next trial makes it
    /// hold again.
    pub(crate) fn leave_stacks(&self) -> Result<(), Fault> {
        if !self.is_on_stack.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        lock(&self.guard).restore().map_err(|error| Fault::Other(error.to_string()))
    }

    pub(crate) fn restore(&self) -> Reply {
        match lock(&self.guard).restore() {
            Ok(()) => Reply::Done,
            Err(error) => Reply::Failed { reason: error.to_string() },
        }
    }

    /// Puts everything back for good: what is asked for later is refused.
    pub(crate) fn close(&self) {
        // What cannot be put back stands in the journal, and the next run says so.
        let _ = lock(&self.guard).close();
    }
}

/// Puts everything back when it goes, whatever the other thread is at.
pub(crate) struct RestoreOnDrop(pub(crate) Arc<Settings>);

impl Drop for RestoreOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}
