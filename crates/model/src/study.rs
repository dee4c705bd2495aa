//! What to ask: workloads, their parameters, settings and controls, as read
//! from a study file or from arguments. One value is a constant, a list is a
//! factor.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::goal::Goal;
use crate::limit::{Access, Direction};
use crate::metric::MetricName;
use crate::name::{ParameterName, WorkloadName};
use crate::observer::ObserverKind;
use crate::unit::Unit;
use crate::value::Value;

/// One level of a factor: its parts, joined with `+` on the command line. A
/// plain value is a level of one part.
pub type Level = Vec<Value>;

pub use crate::pin::{Pin, PinnedCpus, PinnedCpusError};
pub use crate::price::{Offer, Price};
pub use crate::study_verdict::{StudyVerdict, StudyVerdictKind};

/// A study, read and checked, before levels are combined into cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Study {
    /// The name under which it was given: a built-in study, a file, a workload.
    pub name: String,
    /// For the page: its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// For the page: the question it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// For the page: who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// For the page: what it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// For the page: sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// For the page: what the machine costs, as a person writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
    /// How many bytes may be written to the drive in its life, where its user says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endurance_bytes: Option<u64>,
    /// What a reader of its results has to know: where the study was written for
    /// another tool, what that would do and this one does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The values of its inputs, typed or the study's own, by name: as they were written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// The loads asked for.
    pub workloads: Vec<StudyWorkload>,
    /// The levels of each setting that is changed, by `NAME` or `NAME@RESOURCE`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, Vec<Level>>,
    /// How it is measured.
    pub controls: Controls,
    /// What the user was promised.
    #[serde(default, skip_serializing_if = "Expect::is_empty")]
    pub expect: Expect,
    /// What the results are held to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Goal>,
    /// Conditions on a single trial: the run ends with the first that meets one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub abort_when: Vec<Goal>,
    /// What its question comes to, where a rule can answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<StudyVerdict>,
    /// Other ends by name: join strings, which hold keys and are never kept.
    #[serde(skip)]
    pub peers: BTreeMap<String, String>,
    /// Whether cases that this machine cannot run are left out with the reason;
    /// otherwise they stop the study before anything is touched.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_impossible: bool,
}

/// One `[[workload]]` of a study.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyWorkload {
    /// The workload's name.
    pub kind: WorkloadName,
    /// The levels of each parameter that was given; the others have their
    /// defaults.
    pub parameters: BTreeMap<ParameterName, Vec<Level>>,
    /// Loads that run with it, in the same window.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<StudyWorkload>,
    /// As [`Study::settings`], for this workload alone: what stands here counts in place of
    /// what the study says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, Vec<Level>>,
    /// What watches it beside the samplers, in trials of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observe: Vec<ObserverKind>,
}

impl Study {
    /// The settings that count for one of its workloads, by name.
    #[must_use]
    pub fn settings_of<'a>(&'a self, workload: &'a StudyWorkload) -> BTreeMap<&'a str, &'a [Level]> {
        let all = self.settings.iter().chain(&workload.settings);
        all.map(|(key, levels)| (key.as_str(), levels.as_slice())).collect()
    }
}

/// What the user was promised, to hold results against.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expect {
    /// Figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<Promise>,
    /// The name of the datasheet whose figures were promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datasheet: Option<String>,
}

impl Expect {
    /// Whether nothing was promised.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.promises.is_empty() && self.datasheet.is_none()
    }
}

/// One promised figure: a metric, and the loads that it is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Promise {
    /// The key under which it was given: `read`, `random-read-4k`,
    /// `latency_p99`.
    pub key: String,
    /// The metric that it is about.
    pub metric: MetricName,
    /// The way that data flows; absent where it is for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The order of places that it is for; absent where it is for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// The bytes of an operation that it is for; absent where it is for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_bytes: Option<u64>,
    /// What was promised, in `unit`.
    pub value: f64,
    /// The unit of `value`.
    pub unit: Unit,
}

/// A rate that rises from one trial of a block to the next, until the load breaks: its trial fails, operations in it
/// do, the rate is not kept, or latency passes this bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ramp {
    /// The latency, from the moment an operation was due, that operations have to keep to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<RampLatency>,
}

/// A latency, and how many operations have to keep to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RampLatency {
    /// The latency, in seconds.
    pub latency_s: f64,
    /// The share of the operations, between 0 and 1.
    pub share: f64,
}

/// How a study is measured: never factors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Controls {
    /// At least so many trials of each case.
    pub trials_min: u32,
    /// At most so many.
    pub trials_max: u32,
    /// Half width of the interval, relative to the estimate, at which a case
    /// has trials enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// The longest that the whole run may take, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_s: Option<f64>,
    /// Decides the order of trials and the operations of every load.
    pub seed: u64,
    /// How far apart the points of a series are, in seconds; absent to have
    /// about 100 of them in a window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_s: Option<f64>,
    /// How long each load runs before its window opens, in seconds.
    pub warm_up_s: f64,
    /// Where the workers run.
    pub pin: Pin,
    /// A trial whose load makes no progress for so long has failed, in seconds.
    pub patience_s: f64,
    /// Whether levels and trials are added where a verdict hangs on them.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub extra: bool,
    /// Whether verdicts are proved: what is named is taken away a little, or more of it given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prove: bool,
    /// Whether the rate of a load rises within each block until the load breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp: Option<Ramp>,
    /// Files and devices that the user named with `--destroy`: they may be
    /// overwritten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub destroy: Vec<String>,
    /// Signatures that may be overwritten on devices named with `--destroy`, as
    /// given with `--wipe`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wipe: Vec<String>,
}

/// A document of before did not say it, and had no such thing.
fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_yes(extra: &bool) -> bool {
    *extra
}

impl Default for Controls {
    fn default() -> Self {
        Self {
            trials_min: 5,
            trials_max: 5,
            precision: None,
            budget_s: None,
            seed: 0,
            interval_s: None,
            warm_up_s: 0.3,
            pin: Pin::Auto,
            patience_s: 30.0,
            extra: true,
            prove: false,
            ramp: None,
            destroy: Vec::new(),
            wipe: Vec::new(),
        }
    }
}
