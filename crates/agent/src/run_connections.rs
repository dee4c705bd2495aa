//! What a run itself depends on, as the process knows it that drives it: its connections to other machines, and
//! the session of who started it. A setting that may cut one of them off is refused before anything is changed.

use std::collections::BTreeMap;

use machine::setting::{RunConnection, spare};
use model::setting::Change;

use crate::FarEnd;

/// Why each of `changes` is not made at this end because of a connection of the run's; none where it may be.
/// At far ends only the interface towards this one is changed, which is what is measured; the session of who started
/// a node is known there ([`crate::settings`]).
pub(crate) fn refusals(changes: &[Change], far: &BTreeMap<String, FarEnd>) -> Vec<Option<String>> {
    if changes.is_empty() {
        return Vec::new();
    }
    let machines = far.iter().filter(|(_, end)| end.machine.is_some());
    let peers = machines.map(|(name, end)| RunConnection::to_peer(name, end.address));
    let connections: Vec<RunConnection> = RunConnection::ssh_session().into_iter().chain(peers).collect();
    let refusal = |change: &Change| {
        let end = change.peer.as_ref().and_then(|peer| far.get(peer));
        let own = Change { towards: end.map(|end| end.address), ..change.clone() };
        spare(&own, &connections).err().map(|error| error.to_string())
    };
    changes.iter().map(refusal).collect()
}
