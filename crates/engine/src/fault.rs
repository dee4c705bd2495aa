//! Why a load could not go on.

use std::io;

use crate::exhausted;

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

    /// This one, with what came of cleaning up after it.
    #[must_use]
    pub fn and(self, cleaned: Result<(), Fault>) -> Self {
        let Err(left) = cleaned else { return self };
        let (own, left) = (self.to_string(), left.to_string());
        match self {
            Fault::Cancelled => Fault::Other(left),
            _ if own.contains(&left) => self,
            _ => Fault::Other(format!("{own}. In addition, {left}")),
        }
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
    let text = match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    };
    match exhausted::of_files(error) {
        Some(why) => format!("{text}: {why}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_is_told_beside_why_and_once() {
        let fault = |text: &str| Fault::Other(text.to_owned());
        let both = |own: Fault, left: &str| own.and(Err(fault(left))).to_string();
        assert_eq!(both(fault("it broke"), "x stays"), "it broke. In addition, x stays");
        assert_eq!(both(fault("it broke: x stays"), "x stays"), "it broke: x stays");
        assert_eq!(both(Fault::Cancelled, "x stays"), "x stays");
        assert!(matches!(Fault::Cancelled.and(Ok(())), Fault::Cancelled));
    }
}
