//! Units of the run document: SI base units only. Bits, MB and KiB are how a
//! report shows a number, not how it is kept.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The unit of a metric, a limit or a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    /// Bytes per second.
    #[serde(rename = "B/s")]
    BytesPerSecond,
    /// Events per second.
    #[serde(rename = "1/s")]
    PerSecond,
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Seconds of CPU time for each byte moved.
    #[serde(rename = "s/B")]
    SecondsPerByte,
    /// Bytes.
    #[serde(rename = "B")]
    Bytes,
    /// A plain count or ratio.
    #[serde(rename = "1")]
    One,
    /// Cycles per second.
    #[serde(rename = "Hz")]
    Hertz,
    /// Degrees Celsius.
    #[serde(rename = "Cel")]
    Celsius,
    /// Joules.
    #[serde(rename = "J")]
    Joules,
    /// Watts.
    #[serde(rename = "W")]
    Watts,
    /// One that this version has no rules for: the unit of an area of its own, or
    /// what another tool counts in.
    #[serde(untagged)]
    Other(UnitName),
}

/// The symbol of a unit without rules, as it is written behind numbers: `frames/s`.
/// At most 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct UnitName(&'static str);

impl UnitName {
    /// The longest symbol, in bytes.
    pub const BYTES_MAX: usize = 32;
    /// The most symbols that one process reads: they are kept until it ends.
    const NAMES_MAX: usize = 256;

    /// One that is known when the program is compiled.
    #[must_use]
    pub const fn new(symbol: &'static str) -> Self {
        assert!(symbol.len() <= Self::BYTES_MAX, "the symbol of a unit is short");
        Self(symbol)
    }

    /// One that was read; `None` if it is too long, or too many were read.
    fn of(symbol: &str) -> Option<Self> {
        static READ: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        Self::read(symbol, &mut READ.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same, with those that were read before.
    fn read(symbol: &str, before: &mut BTreeSet<&'static str>) -> Option<Self> {
        if let Some(known) = before.get(symbol) {
            return Some(Self(known));
        }
        if symbol.len() > Self::BYTES_MAX || before.len() >= Self::NAMES_MAX {
            return None;
        }
        let kept: &'static str = Box::leak(symbol.to_owned().into_boxed_str());
        before.insert(kept);
        Some(Self(kept))
    }
}

impl<'de> Deserialize<'de> for UnitName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let symbol = String::deserialize(deserializer)?;
        Self::of(&symbol).ok_or_else(|| D::Error::custom("not the symbol of a unit"))
    }
}

impl Unit {
    /// Every unit that there are rules for.
    pub const ALL: &'static [Unit] = &[
        Unit::BytesPerSecond,
        Unit::PerSecond,
        Unit::Seconds,
        Unit::SecondsPerByte,
        Unit::Bytes,
        Unit::One,
        Unit::Hertz,
        Unit::Celsius,
        Unit::Joules,
        Unit::Watts,
    ];

    /// The unit with this symbol; `None` if it is longer than a symbol may be.
    #[must_use]
    pub fn of_symbol(symbol: &str) -> Option<Self> {
        let known = Self::ALL.iter().copied().find(|unit| unit.symbol() == symbol);
        known.or_else(|| UnitName::of(symbol).map(Unit::Other))
    }

    /// The symbol as it stands in the run document.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::BytesPerSecond => "B/s",
            Unit::PerSecond => "1/s",
            Unit::Seconds => "s",
            Unit::SecondsPerByte => "s/B",
            Unit::Bytes => "B",
            Unit::One => "1",
            Unit::Hertz => "Hz",
            Unit::Celsius => "Cel",
            Unit::Joules => "J",
            Unit::Watts => "W",
            Unit::Other(name) => name.0,
        }
    }
}

/// A number that knows its unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quantity {
    /// The number, in `unit`.
    pub value: f64,
    /// The unit of `value`.
    pub unit: Unit,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_without_rules_survives_and_known_ones_stay_known() {
        let read = |text: &str| serde_json::from_str::<Unit>(text);
        assert_eq!(read("\"B/s\"").unwrap(), Unit::BytesPerSecond);
        let other = read("\"frames/s\"").unwrap();
        assert_eq!(other, Unit::Other(UnitName::new("frames/s")));
        assert_eq!(serde_json::to_string(&other).unwrap(), "\"frames/s\"");
        assert!(read(&format!("\"{}\"", "x".repeat(33))).is_err() && read("7").is_err());
    }

    #[test]
    fn no_document_makes_a_process_keep_units_without_end() {
        let mut before = BTreeSet::new();
        let kept = (0..1000).filter(|n| UnitName::read(&format!("u{n}"), &mut before).is_some()).count();
        assert_eq!((kept, before.len()), (UnitName::NAMES_MAX, UnitName::NAMES_MAX));
        assert!(UnitName::read("u0", &mut before).is_some());
    }
}
