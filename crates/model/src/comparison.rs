//! The comparison document, `headroom.comparison/1`: what may be said of one run against another,
//! or of cases of one run that differ in a single thing.
//!
//! It stands on its own: everything that a reader needs is in it, and nothing of it is read back
//! from the runs. Words are codes with arguments, with the English sentence beside them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::label::Label;
use crate::metric::{Better, MetricName};
use crate::name::WorkloadName;
use crate::profile::{RateUnit, is_default};
use crate::run::{Build, Estimate};
use crate::unit::Unit;
use crate::value::{Parameters, Value};

/// The name and version of the document.
pub const SCHEMA: &str = "headroom.comparison/1";

/// What was compared, and what may be said of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// [`SCHEMA`].
    pub schema: String,
    /// The build that compared.
    pub headroom: Build,
    /// The thing in which cases of one run differ: a parameter, `machine`, `with`; absent where runs
    /// are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What is compared, the baseline first.
    pub sides: Vec<Side>,
    /// The difference that does not matter, as a fraction: 0.02.
    pub margin: f64,
    /// The confidence of all intervals, and of all verdicts together, as a fraction: 0.95.
    pub confidence: f64,
    /// How many rows were judged together: Holm's correction is over them.
    pub family: usize,
    /// How many rows have which verdict.
    pub tally: Tally,
    /// One metric of one case each, of one side against another.
    pub rows: Vec<Row>,
    /// Cases that stand alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<Unmatched>,
    /// How the circumstances of the sides differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// What must be kept in mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Remark>,
}

/// One of the things that are compared: a run, or a part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// What it is called here: the run, or the level (`8`, `/data`).
    pub name: String,
    /// The run.
    pub run: String,
    /// When the run started, RFC 3339, UTC.
    pub started: String,
    /// What the run's machine calls itself; empty where no machine is known.
    pub hostname: String,
    /// The study's title or name.
    pub title: String,
    /// The cases of the run that are meant, where not all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Filter>,
}

/// Which cases of a run are meant: those with this value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Filter {
    /// What they have in common.
    pub name: String,
    /// Its value, as a person writes it.
    pub value: String,
}

/// How many rows have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Better than the baseline.
    pub better: usize,
    /// Worse.
    pub worse: usize,
    /// The same within the margin.
    pub same: usize,
    /// Not decided.
    pub cannot_tell: usize,
}

/// What may be said of one metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Better than the baseline.
    Better,
    /// Worse.
    Worse,
    /// The difference is smaller than the margin.
    Same,
    /// The trials do not decide.
    CannotTell,
}

impl Verdict {
    /// The verdict in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Same => "same",
            Verdict::CannotTell => "cannot tell",
        }
    }
}

/// How the trials of the two sides belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Each has a partner that ran in the same block.
    Paired,
    /// They share nothing.
    Independent,
}

/// One metric of one case, of one side against another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// What a person calls the case, without what the sides differ in.
    pub case: String,
    /// The same as data; absent in comparisons by version 0.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_parts: Option<Label>,
    /// The workload.
    pub workload: WorkloadName,
    /// What its rates are written in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rate_unit: RateUnit,
    /// The parameters that both have.
    pub parameters: Parameters,
    /// The baseline's place in `sides`.
    pub baseline_side: usize,
    /// The other's place in `sides`.
    pub side: usize,
    /// The metric.
    pub metric: MetricName,
    /// The unit of both figures.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// Whether it is the metric that the workload shows first.
    pub headline: bool,
    /// Whether it is one of the family that is judged together; the others are shown without a
    /// verdict.
    pub judged: bool,
    /// What the baseline's trials say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Estimate>,
    /// What the other's trials say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Estimate>,
    /// How much the other is of the baseline; absent where there is none, for the reason beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    /// What may be said; absent where the row is not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Why there is no ratio, or why it does not decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Remark>,
}

/// How much one side is of the other: 1.05 is 5 % more than the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// The point.
    pub point: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Lower end of the narrower interval that decides on *same*.
    pub same_low: f64,
    /// Its upper end.
    pub same_high: f64,
    /// How both were made: `welch-t-log`.
    pub method: String,
    /// How the trials belong together.
    pub pairing: Pairing,
    /// Trials of the baseline that count here.
    pub baseline_trials: usize,
    /// Trials of the other that count here.
    pub trials: usize,
    /// Two-sided, of "there is no difference".
    pub p_value: f64,
    /// The same by Holm's correction over the family; absent where the row is not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
}

/// A case that has no partner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unmatched {
    /// Its side's place in `sides`.
    pub side: usize,
    /// What a person calls it.
    pub case: String,
    /// The side's place in which it has no partner.
    pub missing_in: usize,
    /// The case there that is most like it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// In what that differs; empty where nothing is like it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Differs>,
}

/// One thing in which two cases differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Differs {
    /// The thing: a parameter, `with`, `definition version`.
    pub name: String,
    /// What the baseline's case has, as a person writes it; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// What the other has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
}

/// One way in which the circumstances of two sides differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Its name: `kernel`, `mitigations`.
    pub code: String,
    /// The name in English.
    pub text: String,
    /// The place in `sides` of the side that differs from the baseline.
    pub side: usize,
    /// What the baseline has.
    pub before: String,
    /// What the other has.
    pub after: String,
}

/// Something to be kept in mind, or a reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remark {
    /// Its name, in kebab case; texts in all languages are made from it.
    pub code: String,
    /// What fills the text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, Value>,
    /// The sentence in English.
    pub text: String,
}

impl Remark {
    /// A remark without arguments yet; its sentence is made from its code and its
    /// arguments, at the end.
    #[must_use]
    pub fn new(code: &str) -> Self {
        Self { code: code.to_owned(), args: BTreeMap::new(), text: String::new() }
    }

    /// With the sentence that a document has.
    #[must_use]
    pub fn worded(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// With something that fills the text.
    #[must_use]
    pub fn arg(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.to_owned(), value.into());
        self
    }
}

/// The JSON Schema of the comparison document.
#[must_use]
pub fn json_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Comparison);
    schema.insert("title".to_owned(), SCHEMA.into());
    schema.to_value()
}
