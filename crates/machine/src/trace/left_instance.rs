//! Instances that a process left which was killed: they cost memory, and their events go on
//! being recorded.

use std::fmt;
use std::io::ErrorKind;

use super::instance::{INSTANCES, InstanceOwner, is_gone, remove};
use super::tracefs::Tracefs;

/// An instance whose owner is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftInstance {
    /// Its name.
    pub name: String,
    /// The process that made it.
    pub owner: u32,
    /// Why it is still there; none where it was removed.
    pub failure: Option<String>,
}

impl LeftInstance {
    /// Whether nothing is left to be done.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.failure.is_none()
    }
}

impl fmt::Display for LeftInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, owner, failure } = self;
        match failure {
            None => write!(f, "the trace that process {owner} had begun ({name}): ended and removed"),
            Some(why) => {
                write!(f, "the trace that process {owner} had begun ({name}) could not be removed: {why}")
            }
        }
    }
}

/// Ends and removes the traces of processes that are dead. Where tracefs is out of reach,
/// there is none that this process could have left or could remove.
#[must_use]
pub fn remove_left() -> Vec<LeftInstance> {
    Tracefs::open().map_or_else(|_| Vec::new(), |tracefs| remove_left_in(&tracefs))
}

/// The same, in a tracefs that is open.
pub(super) fn remove_left_in(tracefs: &Tracefs) -> Vec<LeftInstance> {
    let folder = tracefs.path(INSTANCES);
    let here = InstanceOwner::this().namespace;
    let mut left = Vec::new();
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Some(owner) = InstanceOwner::of(&name) else { continue };
        let is_here = owner.namespace == here;
        if is_here && (owner.process.lives() || owner.process.start_ticks == 0) {
            continue;
        }
        let place = folder.join(&name);
        // Who lives in another namespace cannot be told from who is dead; but who traces has
        // the buffers open, and then the kernel refuses. Of what may be alive nothing is switched off.
        let removed = if is_here { remove(&place) } else { std::fs::remove_dir(&place) };
        let failure = match removed {
            Ok(()) => None,
            Err(e) if !is_here && e.kind() == ErrorKind::ResourceBusy => continue,
            Err(e) if is_gone(&e) => continue,
            Err(e) if e.kind() == ErrorKind::ResourceBusy => Some("another process has it open".to_owned()),
            Err(e) => Some(e.to_string()),
        };
        left.push(LeftInstance { name, owner: owner.process.pid, failure });
    }
    left
}
