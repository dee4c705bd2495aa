//! A conclusion with its evidence.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fact::FactName;
use crate::metric::MetricName;
use crate::parameter::ParameterName;
use crate::profile::is_default;
use crate::resource::Resource;
use crate::series::SeriesName;
use crate::value::Value;

/// What kind of conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// Whether the number may be trusted.
    Validity,
    /// What holds the result back.
    Bottleneck,
    /// Whether that was proved.
    Proof,
    /// How far it is from a promise.
    Deviation,
    /// What about the machine could disturb a measurement.
    Condition,
    /// What the question of the study comes to.
    Answer,
}

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Note,
    /// The number needs this beside it.
    Warning,
    /// The number is not what it says.
    Error,
}

/// What a conclusion holds of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingScope {
    /// Of this result: another run may have another one.
    #[default]
    Result,
    /// Of every run of this kind on such a machine: nothing that came up in this one.
    Kind,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

/// One conclusion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// Its name, in kebab case; texts in all languages are made from it.
    pub code: String,
    /// What fills the text.
    pub args: BTreeMap<String, Value>,
    /// How much it matters.
    pub severity: Severity,
    /// What it holds of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub scope: FindingScope,
    /// The resource it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<Resource>,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// What was looked at and is not the cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ruled_out: Vec<Evidence>,
    /// The sentence in English.
    pub text: String,
    /// What to do about it, in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    /// A conclusion without evidence yet; its sentences are made from its code and
    /// its arguments, at the end.
    #[must_use]
    pub fn new(kind: FindingKind, code: &str, severity: Severity) -> Self {
        Self {
            kind,
            code: code.to_owned(),
            args: BTreeMap::new(),
            severity,
            scope: FindingScope::Result,
            resource: None,
            evidence: Vec::new(),
            ruled_out: Vec::new(),
            text: String::new(),
            advice: None,
        }
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

    /// About this resource.
    #[must_use]
    pub fn on(mut self, resource: impl Into<Resource>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Of every run of its kind on such a machine.
    #[must_use]
    pub fn general(self) -> Self {
        Self { scope: FindingScope::Kind, ..self }
    }

    /// Whether it is a note that every run of its kind has: what came up in this one is said first.
    #[must_use]
    pub fn is_general_note(&self) -> bool {
        self.severity == Severity::Note && self.scope == FindingScope::Kind
    }

    /// Resting on this.
    #[must_use]
    pub fn because(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// Resting on this, which says the same: it has the finding's arguments.
    #[must_use]
    pub fn because_same(self, evidence: Evidence) -> Self {
        let evidence = Evidence { args: self.args.clone(), ..evidence };
        self.because(evidence)
    }

    /// Resting on these, too.
    #[must_use]
    pub fn because_all(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        self.evidence.extend(evidence);
        self
    }

    /// Having looked at these, which are not the cause.
    #[must_use]
    pub fn not_because(mut self, others: Vec<Evidence>) -> Self {
        self.ruled_out.extend(others);
        self
    }

    /// With what to do about it.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

/// One piece of evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Its name.
    pub code: String,
    /// What fills the text.
    pub args: BTreeMap<String, Value>,
    /// The metric of the case that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<MetricName>,
    /// Where else in the document it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Place>,
    /// What it says, in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether it only tells more: the conclusion does not rest on it, and its sentence does
    /// not repeat it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beside: bool,
}

impl Evidence {
    /// What stands at `place`; what it says is made from its code and its arguments.
    #[must_use]
    pub fn at(code: &str, place: Place) -> Self {
        Self { code: code.to_owned(), at: Some(place), ..Self::default() }
    }

    /// What may stand at a place.
    #[must_use]
    pub fn maybe_at(code: &str, place: Option<Place>) -> Self {
        Self { code: code.to_owned(), at: place, ..Self::default() }
    }

    /// With the words that a document has.
    #[must_use]
    pub fn worded(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// With something that fills the text.
    #[must_use]
    pub fn arg(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.to_owned(), value.into());
        self
    }
}

/// Where in a run document a piece of evidence stands; of a case, all of its
/// trials together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// A metric of the case's trials.
    Metric(MetricName),
    /// A parameter of the case.
    Parameter(ParameterName),
    /// A counter of the case's trials.
    Counter {
        /// Its resource.
        resource: Resource,
        /// Its source.
        source: String,
    },
    /// A series of the case's trials.
    Series {
        /// Its resource.
        resource: Resource,
        /// Its name.
        name: SeriesName,
    },
    /// A fact of the case's trials.
    Fact(FactName),
    /// A step of the case's path.
    Path(Resource),
    /// A limit of a machine.
    Limit {
        /// Its resource.
        resource: Resource,
        /// Its quantity.
        quantity: MetricName,
    },
    /// A calibration of a machine.
    Calibration(String),
    /// A processor time of another in the case's trials.
    Process(String),
    /// A trial of the case, by its order.
    Trial(u32),
    /// A condition of a machine.
    Condition(String),
    /// Another case of the run, by its label.
    Case(String),
    /// A part of the inventory, by its resource: `block:sda`.
    Inventory(Resource),
}
