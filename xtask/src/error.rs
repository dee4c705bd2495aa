//! What can go wrong with a task.

use std::io;
use std::path::{Path, PathBuf};

/// A task could not be done, or found something wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `read`, `write`.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Cargo did not say what the workspace is made of.
    #[error("cannot ask cargo about the workspace: {0}")]
    Metadata(#[from] cargo_metadata::Error),
    /// The program did not say what the generated documents are.
    #[error("cannot make the generated documents: {reason}")]
    Generate {
        /// Why.
        reason: String,
    },
    /// Tidy found something.
    #[error("problems: {0}, named above; CONTRIBUTING.md tells the rules")]
    Untidy(usize),
    /// Steps of `test` failed.
    #[error("failed: {}", .0.join(", "))]
    Steps(Vec<&'static str>),
    /// Something could not be built.
    #[error("{0}")]
    Build(String),
    /// Tests failed.
    #[error("{0} tests failed, see above")]
    Tests(u32),
    /// A benchmark could not be run.
    #[error("{0}")]
    Bench(String),
    /// Headroom broke a promise under attack, or could not be attacked.
    #[error("{0}")]
    Torture(String),
    /// A limit could not be induced, or a verdict not be held against it.
    #[error("{0}")]
    Lab(String),
    /// A release could not be made, or is not as it must be.
    #[error("{0}")]
    Release(String),
    /// The guest could not be run.
    #[error("{0}")]
    Guest(String),
    /// A command that was run for the user failed with this exit status.
    #[error("it ended with status {0}")]
    Command(u8),
    /// The user wanted an end.
    #[error("interrupted; what was begun is removed")]
    Interrupted,
}

impl Error {
    /// What the process tells its caller: the status of a command that was run
    /// for them, 130 if they wanted an end, 1 for all else.
    #[must_use]
    pub fn status(&self) -> u8 {
        match self {
            Self::Command(status) => *status,
            Self::Interrupted => 130,
            _ => 1,
        }
    }

    /// A closure for `map_err` that says what was done to which file.
    pub fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, doing, source }
    }
}
