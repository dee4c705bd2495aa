//! What came of a step.

use crate::error::Error;

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// It could not be done here, for this reason.
    Skipped(String),
    Failed(String),
}

impl From<Result<(), Error>> for Outcome {
    fn from(result: Result<(), Error>) -> Self {
        result.map_or_else(|e| Self::Failed(e.to_string()), |()| Self::Passed)
    }
}
