//! Units of the run document: SI base units only. Bits, MB and KiB are how a
//! report shows a number, not how it is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::names;

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

names! {
    /// The symbol of a unit without rules, as it is written behind numbers: `frames/s`.
    UnitName ("the symbol of a unit"): 32 of 24_576
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
        known.or_else(|| UnitName::intern(symbol).map(Unit::Other))
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
}
