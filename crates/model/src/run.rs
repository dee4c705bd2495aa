//! The run document, `headroom.run/2`. Within `/2` only optional keys are
//! added; every old version stays readable (`import::v1` reads `/1`). Estimates and
//! findings are derived from trials and may be made again when a run is opened.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::definition::Definitions;
use crate::finding::Finding;
use crate::goal::HeldGoal;
use crate::label::Label;
use crate::limit::Limit;
use crate::machine::Machine;
use crate::metric::{Better, MetricName};
use crate::name::WorkloadName;
use crate::observer::ObserverEffect;
use crate::plan::{Case, LoadSpec};
use crate::profile::{LoadProfile, is_default};
use crate::resource::{PathStep, Resource};
use crate::setting::SettingStates;
use crate::study::Study;
use crate::tool_result::ToolOutput;
use crate::trial::{LOCAL, Trial};
use crate::unit::Unit;
use crate::value::Parameters;

pub use crate::gain::{Gain, GainBound, GainCeiling, GainFix, GainLaw, TriedGain};
pub use crate::resumption::Resumption;
pub use crate::search::{
    CaseRole, CpuTake, Doubling, LevelSearch, Proof, ProofEffect, ProofOutcome, ProofStep, SearchEnd,
};

/// The name and version of the document.
pub const SCHEMA: &str = "headroom.run/2";

/// One execution of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// [`SCHEMA`].
    pub schema: String,
    /// The run's name in a store.
    pub id: String,
    /// When it started, RFC 3339, UTC.
    pub started: String,
    /// When it ended; absent while it runs, and for good if it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// How it ended: absent while unfinished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The gaps in it, where it was resumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumptions: Vec<Resumption>,
    /// Which tool made the figures.
    pub origin: Origin,
    /// Which build of Headroom wrote the document.
    pub headroom: Build,
    /// The study as read.
    pub study: Study,
    /// Decides the order of trials and all operations.
    pub seed: u64,
    /// The machines that took part.
    pub machines: Vec<Machine>,
    /// Its workloads with their parameters and metrics, as they were when the run was made.
    #[serde(default, skip_serializing_if = "is_default")]
    pub definitions: Definitions,
    /// The cases with their trials.
    pub cases: Vec<CaseResult>,
    /// Conclusions about the whole run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Of a run that other tools made: what they printed, of which the cases are made. The order of a
    /// trial is the place of its result among all of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_outputs: Vec<ToolOutput>,
    /// Which version of the analysis derived estimates and findings.
    pub analysis: AnalysisInfo,
}

impl Run {
    /// The workloads of its cases and of its study.
    #[must_use]
    pub fn workloads(&self) -> BTreeSet<WorkloadName> {
        let measured = self.cases.iter().flat_map(|case| case.loads.iter()).map(|load| load.workload);
        let asked = self.study.workloads.iter().flat_map(|w| std::iter::once(w).chain(&w.with));
        measured.chain(asked.map(|w| w.kind)).collect()
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Every planned trial was tried.
    Complete,
    /// The budget ended it.
    Budget,
    /// A person, a signal, or a condition of the study ended it.
    Interrupted,
}

/// Which tool made the figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// `headroom`, or a foreign tool.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// The command as typed.
    pub command: Vec<String>,
}

/// Which build wrote the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Build {
    /// The release.
    pub version: String,
    /// `release` or `debug`, and the target.
    pub build: String,
}

/// Which analysis derived the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnalysisInfo {
    /// Raised when estimates or rules change.
    pub version: u32,
}

/// A case and what was measured of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseResult {
    /// Hash of what makes two cases the same work.
    pub work_id: String,
    /// Why it was measured.
    #[serde(default, skip_serializing_if = "is_default")]
    pub role: CaseRole,
    /// How the value of one of its parameters was found, where that was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<LevelSearch>,
    /// What was taken from CPUs beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<CpuTake>,
    /// What perturbed trials say of its verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// What the observers cost that the study asks for, where they were there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observer_effect: Option<ObserverEffect>,
    /// What tells it from others.
    pub label: Label,
    /// Its loads.
    pub loads: Loads,
    /// The group in which it was measured: groups ran one after the other.
    pub block: usize,
    /// The settings that were changed for it: each resource with what was asked,
    /// what was before, and what was read back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: SettingStates,
    /// The resources that its main load passes.
    pub path: Vec<PathStep>,
    /// What only its workloads know of how much resources on the path can do in this case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Its trials, in the order they ran.
    pub trials: Vec<Trial>,
    /// The rounds before them, in which the load was brought to a steady state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// How much of each limit on its path it used, most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub utilization: Vec<Utilization>,
    /// What more of something would buy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gains: Vec<Gain>,
    /// What became of the study's goals that are for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<HeldGoal>,
    /// Conclusions about this case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// The loads of a case. In the document a list, each with its role; in a trial, a load is
/// named by its place in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<CaseLoad>", into = "Vec<CaseLoad>")]
#[schemars(with = "Vec<CaseLoad>")]
pub struct Loads {
    /// The one that the case is about.
    pub main: CaseLoad,
    /// Those that run beside it, in the same window.
    pub beside: Vec<CaseLoad>,
}

impl Loads {
    /// All of them, in the order of the document.
    pub fn iter(&self) -> impl Iterator<Item = &CaseLoad> {
        std::iter::once(&self.main).chain(&self.beside)
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut CaseLoad> {
        std::iter::once(&mut self.main).chain(&mut self.beside)
    }
}

/// A case has one main load, and it stands first.
#[derive(Debug, thiserror::Error)]
#[error("the first load of a case, and no other, must be the main one")]
pub struct LoadsError;

impl TryFrom<Vec<CaseLoad>> for Loads {
    type Error = LoadsError;

    fn try_from(loads: Vec<CaseLoad>) -> Result<Self, LoadsError> {
        let mut loads = loads.into_iter();
        let main = loads.next().filter(|load| load.role == LoadRole::Main).ok_or(LoadsError)?;
        let beside: Vec<_> = loads.collect();
        if beside.iter().any(|load| load.role == LoadRole::Main) {
            return Err(LoadsError);
        }
        Ok(Self { main, beside })
    }
}

impl From<Loads> for Vec<CaseLoad> {
    fn from(Loads { main, beside }: Loads) -> Self {
        std::iter::once(main).chain(beside).collect()
    }
}

/// What a load is in its case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadRole {
    /// The case is about it.
    #[default]
    Main,
    /// It runs while the main one is measured.
    Beside,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// One load of a case, and what the trials say of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseLoad {
    /// What it is in the case.
    pub role: LoadRole,
    /// Its workload.
    pub workload: WorkloadName,
    /// The version of the workload's definition; absent where nobody wrote it down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_version: Option<u32>,
    /// All its parameters.
    pub parameters: Parameters,
    /// What it is.
    #[serde(default)]
    pub profile: LoadProfile,
    /// The machines that take part in it, the one that drives first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<Endpoint>,
    /// What the trials say of each of its targets, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetResult>,
    /// What the trials say of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub estimates: BTreeMap<MetricName, Estimate>,
}

/// A machine that takes part in a load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Endpoint {
    /// The machine, by its name in the run.
    pub machine: String,
    /// What it does there.
    pub role: EndpointRole,
}

impl CaseResult {
    /// Whether it is no result of its own: a level of a search, measured to choose one, a share of
    /// what was found, a case that was perturbed to prove another's verdict, or one that was observed.
    #[must_use]
    pub fn is_auxiliary(&self) -> bool {
        let is_observed = matches!(self.role, CaseRole::Observed { .. });
        is_observed
            || matches!(self.role, CaseRole::Level { .. } | CaseRole::Share { .. } | CaseRole::Proof { .. })
    }

    /// Adds a trial, and to each load the machines that answered in it.
    pub fn add_trial(&mut self, trial: Trial) {
        for end in trial.result.loads.iter().filter(|end| end.machine != LOCAL) {
            let Some(load) = self.loads.iter_mut().nth(end.load) else { continue };
            if load.endpoints.iter().all(|known| known.machine != end.machine) {
                let machine = end.machine.clone();
                load.endpoints.push(Endpoint { machine, role: EndpointRole::Answers });
            }
        }
        self.trials.push(trial);
    }
}

/// What a machine does in a load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndpointRole {
    /// It starts operations and times them.
    Drives,
    /// It answers those of another.
    Answers,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// Rounds of a load, one after the other, until its figure is steady as SNIA
/// asks (Solid State Storage Performance Test Specification 2.0.2, section 2.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rounds {
    /// The metric that is watched.
    pub metric: MetricName,
    /// Its unit.
    pub unit: Unit,
    /// Its value in each round, in order.
    pub values: Vec<f64>,
    /// Where a round failed: why. There is no value for it, and none after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// How long each round was, in seconds.
    pub round_s: f64,
    /// The last rounds that were judged: five.
    pub window: usize,
    /// Whether they were steady: `range` at most 0.2 and `slope` at most 0.1.
    pub steady: bool,
    /// Greatest less smallest of the window, relative to its mean; absent with
    /// fewer rounds than a window has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<f64>,
    /// How far the fitted line moves over the window, relative to the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slope: Option<f64>,
    /// The most rounds that were to be tried: 25.
    pub most: usize,
    /// Bytes written to the target before the first round, and by all rounds.
    pub written: (u64, u64),
}

/// What the trials say of one target of a load that drives several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetResult {
    /// The target.
    pub target: String,
    /// Its estimates, by metric.
    pub estimates: BTreeMap<MetricName, Estimate>,
}

/// How much of one limit a case used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Utilization {
    /// The machine whose resource it is; absent for the one that drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The resource.
    pub resource: Resource,
    /// What is bounded: `throughput`, `iops`, `cpu`.
    pub quantity: MetricName,
    /// What kind of bound it is.
    pub kind: crate::limit::LimitKind,
    /// What the case asks of it, in `unit`: its median times the path's
    /// amplification.
    pub demand: f64,
    /// The bound, in `unit`.
    pub limit: f64,
    /// What payload usually gets of it where it is full, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual: Option<crate::limit::UsualRange>,
    /// The unit of all of these.
    pub unit: Unit,
    /// `demand / limit`.
    pub fraction: f64,
    /// Whether the bound is a line rate, of which payload gets less by an
    /// unknown share.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub line_only: bool,
    /// The key of the study's promise that the bound is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<String>,
    /// Of what a provider lets a rented machine have, for how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowance: Option<crate::limit::Allowance>,
    /// Of a bound of each connection, how many there are; `limit` is that of all together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<u64>,
    /// Where the bound is known from.
    pub source: String,
}

/// What the trials say of a metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Trials that gave the metric.
    pub n: usize,
    /// Their median, in `unit`; for percentiles, of the merged histogram; of a
    /// greatest value (`_max`), the greatest of all.
    pub median: f64,
    /// Lower end of the interval; absent with fewer than two trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of the interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The interval's confidence, 0.95.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How the interval was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The unit of all three.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
}

impl CaseResult {
    /// A case of the plan, before any trial. `definition_version` tells that of a workload.
    #[must_use]
    pub fn planned(case: &Case, definition_version: impl Fn(WorkloadName) -> Option<u32>) -> Self {
        let planned = |load: &LoadSpec, role| CaseLoad {
            role,
            workload: load.workload,
            definition_version: definition_version(load.workload),
            parameters: load.parameters.clone(),
            profile: load.profile.clone().unwrap_or_default(),
            endpoints: vec![Endpoint { machine: LOCAL.to_owned(), role: EndpointRole::Drives }],
            ..CaseLoad::default()
        };
        let mut loads = case.loads.iter();
        Self {
            work_id: case.work_id.clone(),
            label: case.label.clone(),
            loads: Loads {
                main: loads.next().map(|load| planned(load, LoadRole::Main)).unwrap_or_default(),
                beside: loads.map(|load| planned(load, LoadRole::Beside)).collect(),
            },
            block: case.group,
            path: case.path.clone(),
            limits: case.limits.clone(),
            taken: case.take_cpu.clone(),
            ..Self::default()
        }
    }
}

/// The JSON Schema of the run document.
#[must_use]
pub fn json_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Run);
    schema.insert("title".to_owned(), SCHEMA.into());
    schema.to_value()
}
