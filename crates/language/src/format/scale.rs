//! The one table of scales: by what a number is divided, and which unit is then
//! written behind it.

use model::Unit;

/// Decimal multiples (SI Brochure, table 7), the greatest first.
const DECIMAL: &[(f64, &str)] = &[
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "u"),
    (1e-9, "n"),
    (1e-12, "p"),
];

/// Binary multiples (IEC 80000-13), the greatest first.
const BINARY: &[(f64, &str)] = &[
    (1_152_921_504_606_846_976.0, "Ei"),
    (1_125_899_906_842_624.0, "Pi"),
    (1_099_511_627_776.0, "Ti"),
    (1_073_741_824.0, "Gi"),
    (1_048_576.0, "Mi"),
    (1024.0, "Ki"),
    (1.0, ""),
];

/// A unit with those of its multiples that people use.
#[derive(Clone, Copy)]
pub(super) struct Multiples {
    symbol: &'static str,
    prefixes: &'static [(f64, &'static str)],
    /// The greatest and the least multiple.
    most: f64,
    least: f64,
    /// What one of it is in the unit in which numbers are kept.
    one: f64,
}

const fn decimal(symbol: &'static str, most: f64, least: f64) -> Multiples {
    Multiples { symbol, prefixes: DECIMAL, most, least, one: 1.0 }
}

/// Bits per second, of numbers that are in bytes per second.
pub(super) const BITS_PER_SECOND: Multiples = Multiples { one: 1.0 / 8.0, ..decimal("bit/s", 1e12, 1.0) };

/// Bytes of what is built in powers of two.
pub(super) const BINARY_BYTES: Multiples =
    Multiples { prefixes: BINARY, most: f64::MAX, ..decimal("B", 1.0, 1.0) };

impl Multiples {
    pub(super) fn of(unit: Unit) -> Self {
        match unit {
            Unit::BytesPerSecond => decimal("B/s", 1e12, 1.0),
            Unit::PerSecond => decimal("/s", 1e9, 1.0),
            Unit::Seconds => decimal("s", 1.0, 1e-9),
            Unit::SecondsPerByte => decimal("s/B", 1e-3, 1e-12),
            Unit::Bytes => decimal("B", 1e15, 1.0),
            Unit::One => decimal("", 1e9, 1.0),
            Unit::Hertz => decimal("Hz", 1e9, 1.0),
            Unit::Celsius => decimal("\u{b0}C", 1.0, 1.0),
            Unit::Joules => decimal("J", 1e6, 1e-3),
            Unit::Watts => decimal("W", 1e3, 1e-3),
            Unit::Other(_) => decimal(unit.symbol(), 1.0, 1.0),
        }
    }

    pub(super) fn all(self) -> impl Iterator<Item = Scale> {
        let used = self.prefixes.iter().filter(move |(factor, _)| (self.least..=self.most).contains(factor));
        used.map(move |(factor, prefix)| Scale { factor: factor * self.one, prefix, symbol: self.symbol })
    }

    /// The scale for a number of this size; of 0 that without a prefix.
    pub(super) fn scale(self, value: f64) -> Scale {
        // 999.95 would be written as 1000 of the smaller unit.
        let fits = |s: &Scale| match value == 0.0 {
            true => s.prefix.is_empty(),
            false => value.abs() >= s.factor * 0.99995,
        };
        let smallest = || self.all().last().unwrap_or(Scale::new(1.0, self.symbol));
        self.all().find(fits).unwrap_or_else(smallest)
    }
}

/// How a number is scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// What to divide it by.
    pub factor: f64,
    prefix: &'static str,
    symbol: &'static str,
}

impl Scale {
    /// Numbers that are divided by `factor`, with this unit.
    #[must_use]
    pub const fn new(factor: f64, symbol: &'static str) -> Self {
        Self { factor, prefix: "", symbol }
    }

    /// The unit that is written behind the number: `GB/s`.
    #[must_use]
    pub fn unit(self) -> String {
        format!("{}{}", self.prefix, self.symbol)
    }

    /// A number that is divided and written already, with its unit: `1.5 GB/s`,
    /// `1.5\u{d7}`.
    #[must_use]
    pub fn join(self, number: &str) -> String {
        let between = if self.symbol == super::TIMES || self.unit().is_empty() { "" } else { " " };
        format!("{number}{between}{}", self.unit())
    }
}

/// Whether a word is one of these units.
#[must_use]
pub fn is_unit(word: &str) -> bool {
    let all = Unit::ALL.iter().copied().map(Multiples::of).chain([BITS_PER_SECOND, BINARY_BYTES]);
    let is = |scale: Scale| word.strip_prefix(scale.prefix) == Some(scale.symbol);
    !word.is_empty() && all.flat_map(Multiples::all).any(is)
}
