//! A conclusion with its evidence.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run::{CaseResult, Run};
use crate::value::Value;

/// What kind of conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// Whether the number may be trusted.
    Validity,
    /// What holds the result back.
    Bottleneck,
    /// How far it is from a promise.
    Deviation,
    /// What about the machine could disturb a measurement.
    Condition,
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
    /// The resource it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
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
    /// A conclusion without evidence yet.
    #[must_use]
    pub fn new(kind: FindingKind, code: &str, severity: Severity, text: impl Into<String>) -> Self {
        Self {
            kind,
            code: code.to_owned(),
            args: BTreeMap::new(),
            severity,
            resource: None,
            evidence: Vec::new(),
            ruled_out: Vec::new(),
            text: text.into(),
            advice: None,
        }
    }

    /// With something that fills the text.
    #[must_use]
    pub fn arg(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.to_owned(), value.into());
        self
    }

    /// About this resource.
    #[must_use]
    pub fn on(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Resting on this.
    #[must_use]
    pub fn because(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
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
    pub metric: Option<String>,
    /// Where else in the document it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Place>,
    /// What it says, in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Evidence {
    /// What stands at `place` and says `text`.
    #[must_use]
    pub fn at(code: &str, place: Place, text: impl Into<String>) -> Self {
        Self { code: code.to_owned(), at: Some(place), text: Some(text.into()), ..Self::default() }
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
    Metric(String),
    /// A parameter of the case.
    Parameter(String),
    /// A counter of the case's trials.
    Counter {
        /// Its resource.
        resource: String,
        /// Its source.
        source: String,
    },
    /// A series of the case's trials.
    Series {
        /// Its resource.
        resource: String,
        /// Its name.
        name: String,
    },
    /// A fact of the case's trials.
    Fact(String),
    /// A step of the case's path.
    Path(String),
    /// A limit of a machine.
    Limit {
        /// Its resource.
        resource: String,
        /// Its quantity.
        quantity: String,
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
    Inventory(String),
}

impl Place {
    /// Whether this stands in `run`, of `case` where it is about one.
    #[must_use]
    pub fn resolves(&self, run: &Run, case: Option<&CaseResult>) -> bool {
        let trials = || case.into_iter().flat_map(|c| &c.trials);
        let machines = || run.machines.iter();
        match self {
            Place::Metric(name) => trials().any(|t| t.result.metrics.contains_key(name)),
            Place::Parameter(name) => case.is_some_and(|c| c.parameters.get(name).is_some()),
            Place::Counter { resource, source } => {
                let of_parts = trials().flat_map(|t| &t.result.parts).flat_map(|p| &p.counters);
                let all = trials().flat_map(|t| &t.result.counters).chain(of_parts);
                all.into_iter().any(|c| c.resource == *resource && c.source == *source)
            }
            Place::Series { resource, name } => {
                trials().flat_map(|t| &t.result.series).any(|s| s.resource == *resource && s.name == *name)
            }
            Place::Fact(name) => trials().any(|t| t.result.facts.contains_key(name)),
            Place::Path(resource) => {
                case.is_some_and(|c| c.path.iter().any(|step| step.resource == *resource))
            }
            Place::Limit { resource, quantity } => {
                machines().flat_map(|m| &m.limits).any(|l| l.resource == *resource && l.quantity == *quantity)
                    || case.is_some_and(|c| {
                        c.utilization.iter().any(|u| u.resource == *resource && u.quantity == *quantity)
                    })
            }
            Place::Calibration(name) => machines().flat_map(|m| &m.calibration).any(|c| c.name == *name),
            Place::Process(name) => {
                let of_parts = trials().flat_map(|t| &t.result.parts).flat_map(|p| &p.processes);
                trials().flat_map(|t| &t.result.processes).chain(of_parts).any(|p| p.name == *name)
            }
            Place::Trial(order) => trials().any(|t| t.order == *order),
            Place::Condition(code) => {
                machines().flat_map(|m| &m.looks).flat_map(|l| &l.findings).any(|f| f.code == *code)
            }
            Place::Case(label) => run.cases.iter().any(|c| c.label == *label),
            Place::Inventory(resource) => machines().any(|m| m.inventory.has(resource)),
        }
    }
}
