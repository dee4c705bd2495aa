//! The servers of ours that run now.

use std::sync::Mutex;

use engine::lock;
use model::plan::FixtureKey;

use crate::workload::db::password::Password;
use crate::workload::db::url::DatabaseUrl;

/// A server that runs now, for whoever makes something in it.
#[derive(Clone, Debug)]
pub(super) struct ReachableServer {
    /// For what it was made.
    pub(super) key: FixtureKey,
    /// Where it is, without a database.
    pub(super) url: DatabaseUrl,
    /// The password of its user.
    pub(super) password: Password,
}

/// Those that run. A fixture in one of them is made without any other fixture at hand.
static RUNNING: Mutex<Vec<ReachableServer>> = Mutex::new(Vec::new());

/// The server that was made for `key`, while it is there.
pub(super) fn running(key: &FixtureKey) -> Option<ReachableServer> {
    lock(&RUNNING).iter().find(|server| server.key.is_same(key)).cloned()
}

/// That a server is among those that run, until this is dropped.
#[derive(Debug)]
pub(super) struct Registration(FixtureKey);

impl Registration {
    /// Puts it among them.
    pub(super) fn new(server: ReachableServer) -> Self {
        let key = server.key.clone();
        lock(&RUNNING).push(server);
        Self(key)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        lock(&RUNNING).retain(|server| server.key != self.0);
    }
}
