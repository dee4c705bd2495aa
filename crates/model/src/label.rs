//! What a case is called, as data: the parameters and settings that tell it from
//! others. Made once, by the plan. Its text is the last thing made of it, and
//! nobody reads the text back.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::WorkloadName;
use crate::parameter::Kind;
use crate::scalar;
use crate::value::Value;

/// The label of a case: `disk pattern=randread mtu=9000 with null rate=1k/s`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    /// Its loads, the main one first.
    pub loads: Vec<LoadLabel>,
    /// The settings that are changed for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<LabelPart>,
}

/// What a label says of one load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadLabel {
    /// Its workload.
    pub workload: WorkloadName,
    /// Parameters, in the order of the workload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<LabelPart>,
}

/// A parameter or a setting with its level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabelPart {
    /// The parameter, or the key of the setting: `mtu`, `mtu@eth0`. Empty for a word
    /// of an old document of which nobody knows what it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What values it takes.
    pub kind: Kind,
    /// The level as it was asked for: `all` where the case has a number.
    pub value: Value,
}

impl Label {
    /// The parameters of the main load.
    #[must_use]
    pub fn parameters(&self) -> &[LabelPart] {
        self.loads.first().map_or(&[], |load| &load.parameters)
    }

    /// The loads that run with the main one.
    #[must_use]
    pub fn with(&self) -> &[LoadLabel] {
        self.loads.get(1..).unwrap_or_default()
    }

    /// Whether it says this parameter or setting of the case itself.
    #[must_use]
    pub fn says(&self, name: &str) -> bool {
        self.loads.first().is_some_and(|main| main.says(name))
            || self.settings.iter().any(|part| part.name == name)
    }

    /// The same without a parameter or setting of the case itself.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        if let Some(main) = self.loads.first_mut() {
            main.parameters.retain(|part| part.name != name);
        }
        self.settings.retain(|part| part.name != name);
        self
    }

    /// The same without what runs with the main load.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.loads.truncate(1);
        self
    }
}

impl LoadLabel {
    /// Whether it says this parameter.
    #[must_use]
    pub fn says(&self, name: &str) -> bool {
        self.parameters.iter().any(|part| part.name == name)
    }
}

impl LabelPart {
    /// The level as a person writes it.
    #[must_use]
    pub fn level(&self) -> String {
        scalar::show(self.kind, &self.value)
    }
}

impl fmt::Display for LabelPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{}=", self.name)?;
        }
        f.write_str(&self.level())
    }
}

impl fmt::Display for LoadLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.workload.as_str())?;
        // A text that nobody could read has no workload before it.
        let before = |place: usize| if place == 0 && self.workload.is_empty() { "" } else { " " };
        let mut parts = self.parameters.iter().enumerate();
        parts.try_for_each(|(place, part)| write!(f, "{}{part}", before(place)))
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.loads.iter().take(1).try_for_each(|main| main.fmt(f))?;
        self.settings.iter().try_for_each(|part| write!(f, " {part}"))?;
        self.with().iter().try_for_each(|load| write!(f, " with {load}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn label() -> Label {
        let part = |name: &str, kind, value| LabelPart { name: name.to_owned(), kind, value };
        let load = |workload, parameters| LoadLabel { workload: WorkloadName::new(workload), parameters };
        Label {
            loads: vec![
                load("disk", vec![part("block-size", Kind::Size, Value::Integer(4096))]),
                load("null", vec![part("rate", Kind::Rate, Value::Number(1000.0))]),
            ],
            settings: vec![part("mtu", Kind::Count, Value::Integer(9000))],
        }
    }

    #[test]
    fn its_text_is_as_it_is_typed() {
        assert_eq!(label().to_string(), "disk block-size=4KiB mtu=9000 with null rate=1k/s");
        assert_eq!(label().without("mtu").alone().to_string(), "disk block-size=4KiB");
        assert_eq!(label().without("rate"), label(), "a parameter of another load");
        assert!(label().says("mtu") && !label().says("rate"));
        assert_eq!(Label::default().to_string(), "");
    }

    #[test]
    fn a_kind_of_a_later_version_is_read() {
        let written = serde_json::to_value(label()).unwrap();
        assert_eq!(serde_json::from_value::<Label>(written).unwrap(), label());
        let later = json!({"name": "colour", "kind": "hue", "value": "red"});
        let read: LabelPart = serde_json::from_value(later).unwrap();
        assert_eq!((read.kind, read.to_string()), (Kind::Text, "colour=red".to_owned()));
    }
}
