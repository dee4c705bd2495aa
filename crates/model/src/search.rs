//! Cases that the study does not list: the levels of a search, what it found, and what a verdict
//! hangs on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::ParameterName;
use crate::resource::Resource;

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
    /// The searched case at a share of its most, in an open loop.
    Share {
        /// The case that was searched.
        of: usize,
        /// The share, 0 to 1.
        share: f64,
    },
    /// A level that the study lacks, because a verdict hangs on it.
    Extra {
        /// The case with the verdict.
        of: usize,
    },
    /// The case with a little taken away or added, to prove what limits it.
    Proof {
        /// The case with the verdict.
        of: usize,
        /// What it is for.
        step: ProofStep,
    },
    /// The case once more, with the observers that the study asks for.
    Observed {
        /// The case without them.
        of: usize,
    },
    /// What this version does not know.
    #[serde(other)]
    Other,
}

impl CaseRole {
    /// The same where cases stand elsewhere: `place` says where one went, if it is still there.
    #[must_use]
    pub fn moved(self, place: impl Fn(usize) -> Option<usize>) -> Self {
        let gone = Self::Other;
        match self {
            Self::Level { of } => place(of).map_or(gone, |of| Self::Level { of }),
            Self::Knee { of } => place(of).map_or(gone, |of| Self::Knee { of }),
            Self::Share { of, share } => place(of).map_or(gone, |of| Self::Share { of, share }),
            Self::Extra { of } => place(of).map_or(gone, |of| Self::Extra { of }),
            Self::Proof { of, step } => place(of).map_or(gone, |of| Self::Proof { of, step }),
            Self::Observed { of } => place(of).map_or(gone, |of| Self::Observed { of }),
            Self::Asked | Self::Other => self,
        }
    }
}

/// What a perturbed case is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofStep {
    /// Something of what is named as the limit is taken: the result must fall.
    Named,
    /// Something of what is not named is taken: the result must stay.
    Other,
    /// More of what is named is given: the result must rise.
    Relief,
    /// Much is taken of the only other thing that it could be: the result must stay.
    Rival,
    /// What this version does not know.
    #[serde(other)]
    Unknown,
}

/// A share of some CPUs that is taken from whatever runs there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuTake {
    /// Their numbers.
    pub cpus: Vec<u32>,
    /// The share of each, 0 to 1.
    pub share: f64,
    /// Whether they are those of the end that answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub far: bool,
    /// Whether it is taken of what the control group of that end's process may have, not of the CPUs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_group: bool,
}

/// What perturbed trials say of a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// What came of it.
    pub outcome: ProofOutcome,
    /// Why it is neither proved nor refuted, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<UnprovedReason>,
    /// What each perturbation did.
    pub effects: Vec<ProofEffect>,
}

/// What came of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofOutcome {
    /// The result moved with what was named as predicted, or more of it gave more.
    Proved,
    /// The result surely did not move with it.
    Refuted,
    /// Neither is sure.
    Unproved,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// Why a proof came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnprovedReason {
    /// The trials differ too much, or are too few.
    Noisy,
    /// The result moved with what was not named, too.
    Both,
    /// The result fell by far more than was taken.
    Exceeds,
    /// Too little could be taken, or given.
    Little,
    /// With something taken the load did its work in another way.
    Otherwise,
    /// Trials failed with something taken or given.
    Failed,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

impl UnprovedReason {
    /// Its word in arguments of findings.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Noisy => "noisy",
            Self::Both => "both",
            Self::Exceeds => "exceeds",
            Self::Little => "little",
            Self::Otherwise => "otherwise",
            Self::Failed => "failed",
            Self::Other => "other",
        }
    }
}

/// What one perturbation did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProofEffect {
    /// What it was for.
    pub step: ProofStep,
    /// What something was taken of; absent where more was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<Resource>,
    /// The machine whose it is; absent for the one that drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The setting that was raised, by the study's key, where that was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
    /// The parameter that was changed, where more was given,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<ParameterName>,
    /// its value in the case,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// and the one that was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// The share that was really taken, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<f64>,
    /// Of CPUs: the share of the time for which they were idle, and the load's threads neither computed
    /// nor stood ready, in the case's own trials, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<f64>,
    /// How much the rate would change in proportion, if this were the limit; absent where nobody can
    /// say, as of twice the depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_proportion: Option<f64>,
    /// How much the rate changed: -0.1 is a tenth less.
    pub effect: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Trials beside each other.
    pub trials: usize,
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
