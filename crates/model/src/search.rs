//! Cases that the study does not list: the levels of a search, what it found, and what a verdict
//! hangs on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::ParameterName;

/// Why a case was measured. `of` is the place of the case on whose account it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CaseRole {
    /// The study asks for it.
    #[default]
    Asked,
    /// A level of a search, measured to choose one.
    Level {
        /// The case that is searched.
        of: usize,
    },
    /// The least concurrency that gives 95 % of the most, as a search found it, measured anew.
    Knee {
        /// The case that is searched.
        of: usize,
    },
    /// An open loop at a share of the capacity that was found.
    Share {
        /// The case with the capacity.
        of: usize,
        /// The share, 0 to 1.
        share: f64,
    },
    /// A level that the study lacks, because a verdict hangs on it.
    Extra {
        /// The case with the verdict.
        of: usize,
    },
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// How the concurrency of a case was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelSearch {
    /// The parameter that was searched.
    pub parameter: ParameterName,
    /// The value that gave the most; the case is measured anew with it.
    pub best: u64,
    /// The least value that gave 95 % of that.
    pub knee: u64,
    /// Why no higher value was tried.
    pub ended: SearchEnd,
    /// What the last doublings added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<Doubling>,
}

/// Why a search went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchEnd {
    /// Two doublings surely added less than 5 % each.
    Flat,
    /// Two doublings added less than 5 % each, and the trials differ too much to be sure.
    Unsure,
    /// Latency grew to more than four times that of the value that gives half of the most.
    Latency,
    /// No higher value can be measured.
    Bound,
    /// There was no time for more.
    Budget,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// What twice the concurrency added to the most that was reached before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Doubling {
    /// The value that had given the most.
    pub from: u64,
    /// The value that was then tried.
    pub to: u64,
    /// What it added: 0.05 is 5 %.
    pub gain: f64,
    /// The upper end of the one-sided 95 % interval of that; absent where nothing tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}
