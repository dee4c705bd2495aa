//! What a run says of its workloads: their parameters and metrics as they were when it was made, so that whoever reads it
//! later does not depend on what the workloads have become.
//!
//! It has what readers ask for. What a person may type, and what another machine may ask for, is in
//! [`WorkloadSpec`](crate::workload::WorkloadSpec) alone.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::metric::{Better, MetricName};
use crate::name::{ParameterName, WorkloadName};
use crate::parameter::{Kind, Telling};
use crate::scalar;
use crate::unit::Unit;
use crate::value::Value;

/// Workloads by their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Definitions(BTreeMap<WorkloadName, WorkloadDefinition>);

/// A workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadDefinition {
    /// One line for lists, in English.
    pub summary: String,
    /// Its parameters in the order of the reference pages; those that all workloads have come
    /// last.
    pub parameters: Vec<ParameterDefinition>,
    /// Its metrics.
    pub metrics: BTreeMap<MetricName, MetricDefinition>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ParameterDefinition {
    /// Its name.
    pub name: ParameterName,
    /// What values it takes.
    pub kind: Kind,
    /// The value in a load that does not set it; absent if it then has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Whether it is part of the work: cases that differ in it are not compared as the same
    /// work.
    pub work: bool,
    /// When the description of a case gives its value though the label does not.
    pub telling: Telling,
}

/// A metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MetricDefinition {
    /// Its unit.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
}

impl ParameterDefinition {
    /// A value as a person writes it.
    #[must_use]
    pub fn show(&self, value: &Value) -> String {
        scalar::show(self.kind, value)
    }

    /// What a person typed as a value, as [`show`](Self::show) writes it: `4KiB` of `4k`.
    #[must_use]
    pub fn shown_as(&self, typed: &str) -> Option<String> {
        let value = match typed {
            // What it may not be is no level either.
            "0" => Value::Integer(0),
            _ => scalar::parse(self.kind, typed).or_else(|_| scalar::weighted(self.kind, typed)).ok()?,
        };
        Some(self.show(&value))
    }
}

impl WorkloadDefinition {
    /// The parameter of this name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&ParameterDefinition> {
        self.parameters.iter().find(|p| p.name.as_str() == name)
    }
}

impl FromIterator<(WorkloadName, WorkloadDefinition)> for Definitions {
    fn from_iter<T: IntoIterator<Item = (WorkloadName, WorkloadDefinition)>>(all: T) -> Self {
        Self(all.into_iter().collect())
    }
}

impl Definitions {
    /// The workload of this name.
    #[must_use]
    pub fn workload(&self, name: WorkloadName) -> Option<&WorkloadDefinition> {
        self.0.get(&name)
    }

    /// The parameter `name` of a workload.
    #[must_use]
    pub fn parameter(&self, workload: WorkloadName, name: &str) -> Option<&ParameterDefinition> {
        self.workload(workload)?.parameter(name)
    }

    /// A metric of a workload.
    #[must_use]
    pub fn metric(&self, workload: WorkloadName, name: MetricName) -> Option<MetricDefinition> {
        self.workload(workload)?.metrics.get(&name).copied()
    }

    /// Adds the workloads, and the parameters of known ones, that only `other` has; where both
    /// have one, its own stays. Metrics of known workloads stay as they are.
    pub fn complete(&mut self, other: &Self) {
        for (name, definition) in &other.0 {
            let own = self.0.entry(*name).or_insert_with(|| definition.clone());
            let missing = definition.parameters.iter().filter(|p| own.parameter(p.name.as_str()).is_none());
            let missing: Vec<ParameterDefinition> = missing.cloned().collect();
            own.parameters.extend(missing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric;
    use crate::parameter::ParameterSpec;
    use crate::workload::{Catalogue, WorkloadSpec};

    const SPEC: WorkloadSpec = WorkloadSpec {
        name: WorkloadName::new("disk"),
        definition_version: 1,
        summary: "Reads and writes",
        doc: "",
        parameters: &[
            ParameterSpec::new("block-size", Kind::Size, "").default("4k").always_told(),
            ParameterSpec::new("target", Kind::Path, "").not_work(),
        ],
        headline: metric::IOPS,
        metrics: &[],
        path: &[],
        examples: &[],
    };
    const COMMON: &[ParameterSpec] = &[ParameterSpec::new("duration", Kind::Duration, "").default("1s")];

    fn definitions() -> Definitions {
        let catalogue = Catalogue { workloads: vec![&SPEC], common: COMMON };
        catalogue.definitions([SPEC.name, WorkloadName::new("unknown")])
    }

    #[test]
    fn a_definition_is_kept_as_it_was() {
        let text = serde_json::to_string(&definitions()).unwrap();
        assert_eq!(serde_json::from_str::<Definitions>(&text).unwrap(), definitions());
        let later = text.replace("\"size\"", "\"colour\"").replace("\"always\"", "\"never\"");
        let later = serde_json::from_str::<Definitions>(&later).unwrap();
        let read = later.parameter(SPEC.name, "block-size").map(|p| (p.kind, p.telling));
        assert_eq!(read, Some((Kind::Text, Telling::Usual)), "a later version's words are no error");
        let expected = concat!(
            r#"{"disk":{"summary":"Reads and writes","parameters":["#,
            r#"{"name":"block-size","kind":"size","default":4096,"work":true,"telling":"always"},"#,
            r#"{"name":"target","kind":"path","work":false,"telling":"usual"},"#,
            r#"{"name":"duration","kind":"duration","default":1.0,"work":true,"telling":"usual"}],"#,
            r#""metrics":{}}}"#
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_typed_is_shown_as_levels_are() {
        let all = definitions();
        let size = all.parameter(SPEC.name, "block-size").unwrap();
        let shown = ["4k", "0", "4k:70%", "x"].map(|typed| size.shown_as(typed));
        let expected = [Some("4KiB"), Some("0B"), Some("4KiB:70%"), None];
        assert_eq!(shown, expected.map(|text| text.map(str::to_owned)));
    }

    #[test]
    fn two_runs_together_know_what_either_knows() {
        let mut one = definitions();
        one.0.get_mut(&SPEC.name).unwrap().parameters.remove(0);
        one.complete(&definitions());
        assert!(one.parameter(SPEC.name, "block-size").is_some());
        let mut none = Definitions::default();
        none.complete(&one);
        assert_eq!(none, one);
    }
}
