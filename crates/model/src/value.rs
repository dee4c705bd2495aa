//! One value of one parameter, and the set of them that a case has.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::name::ParameterName;

/// A parameter's value in canonical form: sizes as bytes and counts as
/// integers, rates (1/s) and durations (s) as numbers, flags as booleans,
/// everything else as text.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// A flag.
    Bool(bool),
    /// A size in bytes, or a count.
    Integer(u64),
    /// A rate in 1/s, or a duration in seconds.
    Number(f64),
    /// A choice, a word such as `all`, a path.
    Text(String),
    /// The parts of one level: several targets, or sizes with their shares.
    List(Vec<Value>),
}

/// Not derived: `untagged` would try each kind in turn, and write an error for each that it is not.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;

        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a flag, a number, a text, or a list of them")
            }

            fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
                Ok(Value::Bool(flag))
            }

            fn visit_u64<E: Error>(self, whole: u64) -> Result<Value, E> {
                Ok(Value::Integer(whole))
            }

            fn visit_i64<E: Error>(self, whole: i64) -> Result<Value, E> {
                Ok(u64::try_from(whole).map_or(Value::Number(whole as f64), Value::Integer))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
                Ok(Value::Number(number))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_owned()))
            }

            fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
                Ok(Value::Text(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Value, A::Error> {
                let mut all = Vec::new();
                while let Some(part) = parts.next_element()? {
                    all.push(part);
                }
                Ok(Value::List(all))
            }
        }

        deserializer.deserialize_any(ValueVisitor)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(true) => f.write_str("yes"),
            Value::Bool(false) => f.write_str("no"),
            Value::Integer(v) => write!(f, "{v}"),
            Value::Number(v) => write!(f, "{v}"),
            Value::Text(v) => f.write_str(v),
            Value::List(parts) => {
                f.write_str(&parts.iter().map(ToString::to_string).collect::<Vec<_>>().join("+"))
            }
        }
    }
}

impl Value {
    /// A number, whole or not.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Integer(whole) => Some(*whole as f64),
            Value::Number(number) => Some(*number),
            Value::Bool(_) | Value::Text(_) | Value::List(_) => None,
        }
    }

    /// Sizes with their shares, which add up to 1: one size with all, unless it is a mix.
    #[must_use]
    pub fn mix(&self) -> Option<Vec<(u64, f64)>> {
        let one = |part: &Value| match part {
            Value::Integer(size) => Some((*size, 1.0)),
            Value::Text(text) => crate::scalar::weights(text),
            _ => None,
        };
        let mut mix = match self {
            Value::Integer(size) => vec![(*size, 1.0)],
            Value::List(parts) => parts.iter().map(one).collect::<Option<Vec<_>>>()?,
            _ => return None,
        };
        let sum: f64 = mix.iter().map(|(_, share)| share).sum();
        mix.iter_mut().for_each(|(_, share)| *share /= sum);
        (sum > 0.0).then_some(mix)
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident,)*) => {
        $(impl From<$type> for Value {
            fn from(v: $type) -> Self {
                Value::$variant(v)
            }
        })*
    };
}

from! {
    u64 => Integer,
    bool => Bool,
    f64 => Number,
    String => Text,
}

impl From<&str> for Value {
    fn from(v: &str) -> Self {
        Value::Text(v.to_owned())
    }
}

/// A parameter that a workload needs is not there, or of another type. The
/// study checks parameters against their specs first, so this names a fault of
/// the program or of a peer, not of a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("parameter `{name}` should be {wanted} but is {found}")]
pub struct ParameterError {
    name: ParameterName,
    wanted: &'static str,
    found: String,
}

/// The parameters of one load, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<ParameterName, Value>);

impl Extend<(ParameterName, Value)> for Parameters {
    fn extend<T: IntoIterator<Item = (ParameterName, Value)>>(&mut self, more: T) {
        self.0.extend(more);
    }
}

impl FromIterator<(ParameterName, Value)> for Parameters {
    fn from_iter<T: IntoIterator<Item = (ParameterName, Value)>>(all: T) -> Self {
        Self(all.into_iter().collect())
    }
}

impl Parameters {
    /// The value of `name`, if it is set.
    #[must_use]
    pub fn get(&self, name: ParameterName) -> Option<&Value> {
        self.0.get(&name)
    }

    /// Sets `name`, replacing what was there.
    pub fn set(&mut self, name: ParameterName, value: impl Into<Value>) {
        self.0.insert(name, value.into());
    }

    /// Takes `name` out.
    pub fn remove(&mut self, name: ParameterName) -> Option<Value> {
        self.0.remove(&name)
    }

    /// Those that are set, by their names in order.
    pub fn iter(&self) -> impl Iterator<Item = (ParameterName, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// The names of those that are set, in order.
    pub fn names(&self) -> impl Iterator<Item = ParameterName> {
        self.0.keys().copied()
    }

    /// A size in bytes or a count.
    pub fn integer(&self, name: ParameterName) -> Result<u64, ParameterError> {
        match self.get(name) {
            Some(Value::Integer(v)) => Ok(*v),
            other => Err(self.wrong(name, "a whole number", other)),
        }
    }

    /// A rate in 1/s or a duration in seconds.
    pub fn number(&self, name: ParameterName) -> Result<f64, ParameterError> {
        let value = self.get(name);
        value.and_then(Value::number).ok_or_else(|| self.wrong(name, "a number", value))
    }

    /// A choice, word or path.
    pub fn text(&self, name: ParameterName) -> Result<&str, ParameterError> {
        match self.get(name) {
            Some(Value::Text(v)) => Ok(v),
            other => Err(self.wrong(name, "text", other)),
        }
    }

    /// Every part of a choice, word or path: one, unless the level has several.
    pub fn texts(&self, name: ParameterName) -> Result<Vec<&str>, ParameterError> {
        let Some(Value::List(parts)) = self.get(name) else { return Ok(vec![self.text(name)?]) };
        let each = parts.iter().map(|part| match part {
            Value::Text(v) => Some(v.as_str()),
            _ => None,
        });
        each.collect::<Option<Vec<_>>>().ok_or_else(|| self.wrong(name, "text", self.get(name)))
    }

    /// Sizes with their shares of the operations, which add up to 1: one size
    /// with all of them, unless the level is a mix.
    pub fn mix(&self, name: ParameterName) -> Result<Vec<(u64, f64)>, ParameterError> {
        let wanted = || self.wrong(name, "sizes with shares", self.get(name));
        match self.get(name) {
            Some(mix @ Value::List(_)) => mix.mix().ok_or_else(wanted),
            _ => Ok(vec![(self.integer(name)?, 1.0)]),
        }
    }

    /// A flag.
    pub fn flag(&self, name: ParameterName) -> Result<bool, ParameterError> {
        match self.get(name) {
            Some(Value::Bool(v)) => Ok(*v),
            other => Err(self.wrong(name, "yes or no", other)),
        }
    }

    /// What `read` makes of a parameter that need not be there. Fails if it is there, and of
    /// another type.
    pub fn given<'a, T>(
        &'a self,
        name: ParameterName,
        read: fn(&'a Self, ParameterName) -> Result<T, ParameterError>,
    ) -> Result<Option<T>, ParameterError> {
        self.get(name).map(|_| read(self, name)).transpose()
    }

    /// Whether `name` holds the word `word`.
    #[must_use]
    pub fn is_word(&self, name: ParameterName, word: &str) -> bool {
        matches!(self.get(name), Some(Value::Text(v)) if v == word)
    }

    fn wrong(&self, name: ParameterName, wanted: &'static str, found: Option<&Value>) -> ParameterError {
        ParameterError {
            name,
            wanted,
            found: found.map_or_else(|| "absent".to_owned(), |v| format!("`{v}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_what_it_is() {
        let list = Value::List(vec!["a".into(), Value::List(vec![1u64.into()])]);
        for (text, value) in [
            ("true", Value::Bool(true)),
            ("4096", Value::Integer(4096)),
            ("18446744073709551615", Value::Integer(u64::MAX)),
            ("-1", Value::Number(-1.0)),
            ("2.0", Value::Number(2.0)),
            ("\"\\u0061ll\"", Value::Text("all".to_owned())),
            ("[]", Value::List(Vec::new())),
            ("[\"a\",[1]]", list),
        ] {
            assert_eq!(serde_json::from_str::<Value>(text).unwrap(), value, "{text}");
        }
        for text in ["null", "{}", "[null]"] {
            let error = serde_json::from_str::<Value>(text).unwrap_err();
            assert!(error.to_string().contains("a flag, a number, a text"), "{error}");
        }
    }
}
