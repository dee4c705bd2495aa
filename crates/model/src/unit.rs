//! Units of the run document: SI base units only. Bits, MB and KiB are how a
//! report shows a number, not how it is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

impl Unit {
    /// Every unit.
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

    /// The unit with this symbol.
    #[must_use]
    pub fn of_symbol(symbol: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|unit| unit.symbol() == symbol)
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
