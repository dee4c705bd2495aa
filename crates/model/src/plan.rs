//! What will be done: every case with its parameters resolved by the agent,
//! the groups in which they are measured, what will be written and how long it
//! takes. A plan is validated, printable and saved.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::identity::{DeviceIdentity, Identity};
use crate::label::Label;
use crate::limit::Limit;
use crate::name::{ParameterName, WorkloadName};
use crate::observer::ObserverKind;
use crate::profile::{LoadProfile, TargetState};
use crate::resource::PathStep;
use crate::search::CpuTake;
use crate::setting::Change;
use crate::study::Controls;
use crate::value::{ParameterError, Parameters};

/// One load of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadSpec {
    /// The workload's name.
    pub workload: WorkloadName,
    /// Its parameters, all of them.
    pub parameters: Parameters,
    /// What it is, once an agent looked at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<LoadProfile>,
}

impl LoadSpec {
    /// A load that no agent looked at yet.
    #[must_use]
    pub fn new(workload: WorkloadName, parameters: Parameters) -> Self {
        Self { workload, parameters, profile: None }
    }
}

/// What a load leaves of the fixture it used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// As it was.
    #[default]
    Clean,
    /// Changed in content, still usable.
    Dirty,
    /// Not usable again.
    UsedUp,
}

/// Something that must be made ready before a load can run, shared by all
/// cases that need the same. What it is made of only its kind knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FixtureKey {
    /// Its kind, by its name in the agent's table: `file`, `device`.
    pub kind: String,
    /// Where: a directory, or what the user named.
    pub target: String,
    /// How many bytes of it a load reaches, all its parts together.
    pub bytes: u64,
    /// Whose it is.
    pub ownership: Ownership,
    /// What else tells it from others of its kind, as the kind writes it.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub details: serde_json::Value,
    /// The state into which it is brought before its first use.
    #[serde(default)]
    pub state: TargetState,
    /// Whether a load uses it up, so that it is made anew for each trial.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub used_up: bool,
    /// Whether targets of loads lie on it, which can be looked at only when it is made: then the loads are
    /// surveyed once more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub carries_targets: bool,
    /// Bytes that are written to make it ready, each pass over it counted.
    #[serde(default)]
    pub written: u64,
    /// Bytes that are discarded first.
    #[serde(default)]
    pub discarded: u64,
    /// What a device held when it was given up: signatures, to be found again
    /// before the first write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<String>,
    /// What an existing target was when it was looked at, to be found again
    /// before the first write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// The folder in which it lies, where the target is the name of nothing in it: perhaps another name was meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_name_in: Option<String>,
    /// What is done to the target, in a sentence without a full stop.
    #[serde(default)]
    pub about: String,
}

impl FixtureKey {
    /// One that is in no special state and costs nothing to make.
    #[must_use]
    pub fn new(kind: &str, target: impl Into<String>, bytes: u64, ownership: Ownership) -> Self {
        Self {
            kind: kind.to_owned(),
            target: target.into(),
            bytes,
            ownership,
            details: serde_json::Value::Null,
            state: TargetState::AsFound,
            used_up: false,
            carries_targets: false,
            written: 0,
            discarded: 0,
            holds: Vec::new(),
            identity: None,
            new_name_in: None,
            about: String::new(),
        }
    }

    /// Whether both mean the same thing, whatever was seen when it was looked at.
    #[must_use]
    pub fn is_same(&self, other: &FixtureKey) -> bool {
        let bare = |key: &Self| Self {
            holds: Vec::new(),
            identity: None,
            new_name_in: None,
            about: String::new(),
            ..key.clone()
        };
        bare(self) == bare(other)
    }

    /// Whether it is brought into a state that a load which writes leaves.
    #[must_use]
    pub fn has_state(&self) -> bool {
        self.state != TargetState::AsFound
    }

    fn order(&self) -> impl Ord + use<'_> {
        let Self { target, bytes, ownership, kind, holds, identity, state, used_up, .. } = self;
        let rest = (self.details.to_string(), self.written, self.discarded, &self.about);
        (target, bytes, ownership, kind, holds, identity, (state, used_up), rest)
    }
}

impl PartialOrd for FixtureKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FixtureKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

/// What is known of a block device that somebody wants to use, before anything
/// is done to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceState {
    /// Its real path: `/dev/sdb`.
    pub path: String,
    /// Which device it is, whatever its path comes to mean.
    pub identity: DeviceIdentity,
    /// Its size in bytes.
    pub bytes: u64,
    /// What one transfer must be a multiple of, in bytes.
    pub logical_block: u64,
    /// Whether the kernel lets nobody write to it.
    pub read_only: bool,
    /// Whether it has moving parts; absent where the kernel does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// The most bytes that one discard takes; 0 where it takes none.
    pub discard_max: u64,
    /// Who uses it, a part of it or what it is a part of, each in a sentence
    /// without a full stop: `/dev/sdb1 is mounted at /srv`.
    pub in_use: Vec<String>,
    /// What it holds by the signatures on it: `ext4`, `LVM2_member`,
    /// `crypto_LUKS`, `gpt`; one on a partition says so after a space: `ext4 on
    /// /dev/sdb1`.
    pub signatures: Vec<String>,
    /// Why nobody can say what it holds, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// Whose a fixture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ownership {
    /// Ours: made, written, removed.
    Created,
    /// The user's: only read.
    Borrowed,
    /// The user's, named with `--destroy`: overwritten.
    Surrendered,
}

/// What the agent says of a case before anything is touched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Survey {
    /// The loads with every word resolved: `all` is a number now.
    pub loads: Vec<LoadSpec>,
    /// The fixtures needed.
    pub fixtures: Vec<FixtureKey>,
    /// What the loads leave of them.
    pub effect: Effect,
    /// Bytes of memory needed.
    pub memory_bytes: u64,
    /// Threads that run at once.
    pub threads: u64,
    /// The resolved path of the main load.
    pub path: Vec<PathStep>,
    /// What only the workloads know of how much resources on it can do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Why this case cannot be run, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// Why a case cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Whether the asking is wrong, or the machine does not allow it.
    pub kind: ProblemKind,
    /// What is the matter.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// Whether the asking is wrong, or the machine does not allow it. They have
/// different exit codes (design, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// The arguments contradict each other or name what is not there.
    Invalid,
    /// The target is unsafe, there is no room, or a permission is missing.
    Refused,
}

impl Problem {
    /// A contradiction in what was asked.
    #[must_use]
    pub fn invalid(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { kind: ProblemKind::Invalid, message: message.into(), help: help.into() }
    }

    /// Something that the machine or safety does not allow.
    #[must_use]
    pub fn refused(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { kind: ProblemKind::Refused, message: message.into(), help: help.into() }
    }
}

impl From<ParameterError> for Problem {
    fn from(error: ParameterError) -> Self {
        Self::invalid(error.to_string(), "see `headroom workloads`")
    }
}

/// One combination of factor levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    /// Its number in the plan, from 0.
    pub index: usize,
    /// Hash of what makes two cases the same work.
    pub work_id: String,
    /// What a person calls it: the workload and the parameters that differ.
    pub label: Label,
    /// The main load first, then those that run with it.
    pub loads: Vec<LoadSpec>,
    /// The settings that are changed for it; a group has the same for all cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Change>,
    /// The fixtures needed.
    pub fixtures: Vec<FixtureKey>,
    /// What the case leaves of them.
    pub effect: Effect,
    /// The resolved path of the main load.
    pub path: Vec<PathStep>,
    /// What only the workloads know of how much resources on it can do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// The parameter whose value is searched, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<ParameterName>,
    /// How long the search takes, about, with the curve of what it finds; s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_s: Option<f64>,
    /// What is taken from CPUs beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub take_cpu: Option<CpuTake>,
    /// What watches it, in trials of their own beside those without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observe: Vec<ObserverKind>,
    /// The group in which it is measured.
    pub group: usize,
    /// How long one trial takes, in seconds.
    pub trial_s: f64,
}

impl Case {
    /// Whether it is measured round by round until it is steady: its main load
    /// asks for that.
    #[must_use]
    pub fn has_rounds(&self) -> bool {
        let profile = self.loads.first().and_then(|load| load.profile.as_ref());
        profile.is_some_and(|p| p.target_state == TargetState::Steady) && !self.fixtures.is_empty()
    }
}

/// The whole plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// All cases, in documentation order.
    pub cases: Vec<Case>,
    /// How many groups there are. Groups run one after the other; inside a
    /// group the trials are shuffled in complete blocks.
    pub groups: usize,
    /// How it is measured.
    pub controls: Controls,
    /// An estimate of the whole, in seconds: from the fewest to the most
    /// trials, fixtures included.
    pub seconds: (f64, f64),
}

impl Plan {
    /// The cases of one group, in documentation order.
    pub fn group(&self, group: usize) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(move |c| c.group == group)
    }

    /// Every fixture that some case of `group` needs, once.
    #[must_use]
    pub fn fixtures_of(&self, group: usize) -> Vec<FixtureKey> {
        let mut all: Vec<_> = self.group(group).flat_map(|c| c.fixtures.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }
}
