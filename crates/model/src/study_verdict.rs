//! What the question of a study comes to, where a rule can answer it from its workloads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::WorkloadName;

/// What is asked of the workloads of a study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StudyVerdict {
    /// What is asked.
    pub kind: StudyVerdictKind,
    /// The workload that measures what comes.
    pub source: WorkloadName,
    /// The workload that measures what is taken where nothing else holds it back.
    pub sink: WorkloadName,
    /// The workload in which what comes from the one is taken by the other.
    pub joint: WorkloadName,
    /// Bytes per second that are to be kept, where it is asked for a rate: then all three workloads are the one that
    /// writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<u64>,
    /// The input of the study of which a search for a rate finds the most, where each is one operation per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<String>,
}

/// A question that a rule answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StudyVerdictKind {
    /// Whether the sink takes all that the source brings, for as long as it likes.
    Absorbs,
    /// Whether writes keep a rate, and how much room is left.
    Sustains,
    /// Whether the machine is fit for a use: whether it keeps all goals of the study. Then all three workloads are the
    /// first.
    Fits,
    /// Whether every part that was loaded worked without errors. Then all three workloads are the first.
    Accepts,
    /// What this version does not know.
    #[serde(other)]
    Other,
}
