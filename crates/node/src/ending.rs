//! How a session of a node ended, as it is told.

use std::io;

/// Why a session ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// The controller said so.
    Finished,
    /// It closed the connection.
    Gone,
    /// The node ends.
    Stopped,
    /// The connection broke.
    Broken(io::Error),
    /// The controller did what none does.
    Misbehaved(String),
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Finished => f.write_str("it is done"),
            Ending::Gone => f.write_str("it closed the connection"),
            Ending::Stopped => f.write_str("the node was told to end"),
            Ending::Broken(error) => write!(f, "the connection broke: {error}"),
            Ending::Misbehaved(what) => f.write_str(what),
        }
    }
}
