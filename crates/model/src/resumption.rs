//! That a run went on after it had ended early.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::ClockInfo;
use crate::run::Outcome;

/// A gap in a run, which was interrupted or killed, or failed, and went on later. No block of trials reaches over it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resumption {
    /// When the run had ended, RFC 3339, UTC; where it was killed, when the last trial that is kept began.
    pub stopped: String,
    /// How it had ended; absent where it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// When it went on, RFC 3339, UTC.
    pub resumed: String,
    /// The order of the first trial after the gap.
    pub order: u32,
    /// How the clock of the machine that drives relates to Unix time from there on: it was perhaps started anew.
    pub clock: ClockInfo,
}
