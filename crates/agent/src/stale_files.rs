//! What runs that were killed together with their agents left: trees in folders of the user's, which are removed,
//! storage stacks, which are taken down, and objects in stores, for which keys are needed.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use load::workload::file::remove_left;
use machine::setting::state_folder;

pub use load::workload::disk::stack::LeftStack;
pub use load::workload::file::{StaleTree, TreeOutcome};
pub use load::workload::object::LeftObjects;

/// How long a run clears up after others before it begins.
const PATIENCE: Duration = Duration::from_secs(10);

/// Removes every tree that was left. One that is out of reach is told this once.
#[must_use]
pub fn remove_all_left() -> Vec<StaleTree> {
    remove_left(&state_folder(), None, true)
}

/// The same for who has something else in mind: what is out of reach, or takes
/// long, waits for another time.
#[must_use]
pub fn remove_left_soon() -> Vec<StaleTree> {
    let state = state_folder();
    let (send, done) = channel();
    // A server of a network file system may never answer.
    std::thread::spawn(move || send.send(remove_left(&state, Some(Instant::now() + PATIENCE), false)));
    let mut left = done.recv_timeout(PATIENCE * 2).unwrap_or_default();
    left.retain(|one| one.outcome != TreeOutcome::OutOfReach);
    left
}

/// Takes down the storage stacks that were left.
#[must_use]
pub fn remove_left_stacks() -> Vec<LeftStack> {
    load::workload::disk::stack::remove_left(&state_folder())
}

/// What may be left in stores. With `forgets` it is told for the last time.
#[must_use]
pub fn objects_left(forgets: bool) -> Vec<LeftObjects> {
    load::workload::object::objects_left(&state_folder(), forgets)
}
