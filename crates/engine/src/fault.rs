//! Why a load could not go on.

use std::io;

/// Why a load could not go on. The text is the trial's reason, so it names
/// what was done to what.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The kernel refused something.
    #[error("{what}: {}", plain(source))]
    System {
        /// What was tried, with the path or the device.
        what: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// A transfer ended before its end.
    #[error("{what} moved {got} of {wanted} bytes")]
    Short {
        /// What was tried, with the path and the offset.
        what: String,
        /// Bytes that were moved.
        got: u64,
        /// Bytes that should have been.
        wanted: u64,
    },
    /// What was computed or read back is not what it must be.
    #[error("verification failed: {0}")]
    Verification(String),
    /// A parameter is not as the survey left it.
    #[error(transparent)]
    Parameter(#[from] model::value::ParameterError),
    /// A worker panicked: a fault of the program.
    #[error("a worker panicked: {0}")]
    Panic(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
    /// The controller asked to end early.
    #[error("cancelled")]
    Cancelled,
}

impl From<model::plan::Problem> for Fault {
    fn from(problem: model::plan::Problem) -> Self {
        Fault::Other(problem.message)
    }
}

impl Fault {
    /// A refusal of the kernel, with what was tried.
    pub fn system(what: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Fault::System { what: what.into(), source: source.into() }
    }
}

/// The kernel's message without Rust's `(os error N)`. Of a block that a drive
/// cannot read it says that there is no data (`BLK_STS_MEDIUM` of
/// `block/blk-core.c`), which nobody would take for what it is.
fn plain(error: &io::Error) -> String {
    if error.raw_os_error() == Some(libc::ENODATA) {
        return "no data available, which is how the kernel calls a medium error".to_owned();
    }
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}
