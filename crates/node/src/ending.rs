//! How a session of a node ended, as it is told.

use std::io;

/// Why a session ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum Ending {
    /// The controller said so.
    #[error("it is done")]
    Finished,
    #[error("it closed the connection")]
    Gone,
    /// The node ends.
    #[error("the node was told to end")]
    Stopped,
    #[error("the connection broke: {0}")]
    Broken(io::Error),
    /// The controller did what none does.
    #[error("{0}")]
    Misbehaved(String),
}
