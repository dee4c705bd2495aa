//! What more of something would buy: the gain that a change of what limits a case is predicted
//! to bring, by which law, and what then is the limit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::ParameterName;
use crate::resource::Resource;

/// What one change would bring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gain {
    /// What is changed.
    pub fix: GainFix,
    /// The parameter that is raised, where the change is one of the load,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<ParameterName>,
    /// or the resource of which there is more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<Resource>,
    /// What there is of it now, where that is a number: a parameter's value, bytes of a window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// What there would be of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// The law that predicts it.
    pub law: GainLaw,
    /// How many times the rate of the case it gives: at most, but for [`GainLaw::Amdahl`], which
    /// gives what is likely.
    pub predicted: f64,
    /// At least so many times, where a law says that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// What then is full, where the change alone would give more than `predicted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<GainBound>,
    /// What was measured with that very change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<TriedGain>,
}

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GainFix {
    /// A parameter of the load is raised: more is under way.
    More,
    /// The window of each connection is twice as large.
    Window,
    /// There is twice the processor time: cores that are twice as fast, or twice as many where
    /// all are full.
    Processor,
    /// The load has the CPUs that it runs on for itself.
    Alone,
    /// The resource is twice as fast.
    Resource,
    /// Twice as much is allowed of the resource.
    Quota,
    /// Nobody limits the processor time.
    NoQuota,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// A law by which a gain is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GainLaw {
    /// What is under way is the rate times the time that each takes: n times as much under way
    /// gives at most n times the rate (Little 1961).
    Little,
    /// The rate times the demand of each operation is at most what a resource has (Denning and
    /// Buzen 1978).
    Utilization,
    /// A window w over a round trip r lets w / r through (RFC 7323, section 1.1).
    Window,
    /// n threads are n / (1 + s (n - 1)) times as fast as one, where s of the work is serial
    /// (Amdahl 1967), with s of the case and of those with fewer threads.
    Amdahl,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// What is full next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GainBound {
    /// What it is.
    pub kind: GainCeiling,
    /// The resource, where it is one with a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<Resource>,
}

/// What may be full next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GainCeiling {
    /// A resource.
    Resource,
    /// The threads of the load: each computes all the time.
    Workers,
    /// The threads at the other end.
    OtherEnd,
    /// All CPUs that the load may run on.
    Processors,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// What a change brought where it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TriedGain {
    /// How many times the rate of the case it gave.
    pub times: f64,
    /// The lower end of the interval of that; absent with too few trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The trials with the change.
    pub trials: usize,
}
