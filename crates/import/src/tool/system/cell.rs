//! Cells of a table whose heading has the unit: `1239.26` below `r/s`.

use model::tool_result::{Counting, PrintedValue};
use model::{MetricName, Unit};

use crate::tool::counting::factor;
use crate::tool::number::leading;

/// What a column of a table has.
#[derive(Debug)]
pub(super) struct Column {
    /// What it is called, in one version or another.
    pub(super) headings: &'static [&'static str],
    /// Our name for it.
    pub(super) metric: MetricName,
    /// What its numbers count.
    pub(super) unit: CellUnit,
    /// What several of its numbers are together.
    pub(super) mean: Mean,
}

/// The unit of the numbers of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CellUnit {
    /// As one would write it behind a number.
    symbol: &'static str,
    /// How many of `unit` it is.
    scale: f64,
    unit: Unit,
    counting: Option<Counting>,
}

/// What the numbers of several spans of the same length are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mean {
    /// Their mean.
    Plain,
    /// Their mean, where each counts as often as there were operations: the sum of these.
    By(&'static [MetricName]),
    /// Nothing that can be computed of them.
    No,
}

impl CellUnit {
    const fn new(symbol: &'static str, scale: f64, unit: Unit) -> Self {
        Self { symbol, scale, unit, counting: None }
    }

    const fn binary(symbol: &'static str, scale: f64, unit: Unit) -> Self {
        Self { symbol, scale, unit, counting: Some(Counting::Binary) }
    }

    pub(super) const COUNT: Self = Self::new("", 1.0, Unit::One);
    pub(super) const PERCENT: Self = Self::new("%", 0.01, Unit::One);
    pub(super) const PER_SECOND: Self = Self::new("1/s", 1.0, Unit::PerSecond);
    pub(super) const MEGAHERTZ: Self = Self::new("MHz", 1e6, Unit::Hertz);
    pub(super) const MILLISECONDS: Self = Self::new("ms", 1e-3, Unit::Seconds);
    pub(super) const BYTES: Self = Self::new("B", 1.0, Unit::Bytes);
    pub(super) const KIB: Self = Self::binary("kB", 1024.0, Unit::Bytes);
    pub(super) const MIB: Self = Self::binary("MB", 1_048_576.0, Unit::Bytes);
    pub(super) const SECTORS: Self = Self::new("sectors", 512.0, Unit::Bytes);
    pub(super) const BYTES_PER_S: Self = Self::new("B/s", 1.0, Unit::BytesPerSecond);
    pub(super) const KIB_PER_S: Self = Self::binary("kB/s", 1024.0, Unit::BytesPerSecond);
    pub(super) const MIB_PER_S: Self = Self::binary("MB/s", 1_048_576.0, Unit::BytesPerSecond);
    pub(super) const SECTORS_PER_S: Self = Self::new("sectors/s", 512.0, Unit::BytesPerSecond);

    /// So many bytes, of a column whose unit an option chooses; `counting` is what it is a multiple of.
    pub(super) const fn bytes(symbol: &'static str, scale: f64, counting: Counting) -> Self {
        Self { symbol, scale, unit: Unit::Bytes, counting: Some(counting) }
    }

    /// The same amount for each second.
    pub(super) fn each_second(self) -> Self {
        Self { unit: Unit::BytesPerSecond, ..self }
    }

    /// The number of a cell. One with a unit of its own, as of `--human`, has that: `299.9M`.
    pub(super) fn read(self, line: u64, word: &str) -> Option<PrintedValue> {
        let number = leading(word, false)?;
        let is_bytes = matches!(self.unit, Unit::Bytes | Unit::BytesPerSecond);
        let (scale, text, counting) = match number.rest {
            "" => (self.scale, self.text(word), self.counting),
            "%" if self.symbol == "%" => (self.scale, word.to_owned(), None),
            "B" if is_bytes => (1.0, word.to_owned(), None),
            "s" if is_bytes => (512.0, word.to_owned(), None),
            prefix if is_bytes => {
                (factor(prefix, Counting::Binary)?, word.to_owned(), Some(Counting::Binary))
            }
            _ => return None,
        };
        let is_exact = self.unit == Unit::One && self.scale == 1.0 && !number.digits.contains(['.', ',']);
        Some(PrintedValue {
            line,
            text,
            value: number.value * scale,
            unit: self.unit,
            half_step: if is_exact { 0.0 } else { number.half_step * scale },
            counting,
        })
    }

    /// A number with the unit behind it.
    pub(super) fn text(self, number: &str) -> String {
        match self.symbol {
            "" => number.to_owned(),
            "%" => format!("{number}%"),
            symbol => format!("{number} {symbol}"),
        }
    }
}

/// The column of a table with this heading.
pub(super) fn column(columns: &'static [Column], heading: &str) -> Option<&'static Column> {
    columns.iter().find(|column| column.headings.contains(&heading))
}

/// Whether a word is a number of a table.
pub(super) fn is_number(word: &str) -> bool {
    leading(word, false)
        .is_some_and(|number| matches!(number.rest, "" | "%" | "B" | "s" | "k" | "M" | "G" | "T" | "P"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_the_unit_of_its_heading_or_its_own() {
        let read = |word: &str, unit: CellUnit| unit.read(1, word).map(|p| (p.value, p.text));
        assert_eq!(read("2,5", CellUnit::KIB), Some((2560.0, "2,5 kB".to_owned())));
        assert_eq!(read("2.5M", CellUnit::KIB_PER_S), Some((2.5 * 1_048_576.0, "2.5M".to_owned())));
        assert_eq!(read("50.0%", CellUnit::PERCENT), Some((0.5, "50.0%".to_owned())));
        assert_eq!(read("50", CellUnit::PERCENT), Some((0.5, "50%".to_owned())));
        assert_eq!(read("7", CellUnit::COUNT), Some((7.0, "7".to_owned())));
        assert_eq!(read("7k", CellUnit::COUNT), None);
        assert_eq!(read("vda", CellUnit::COUNT), None);
        assert!(is_number("0.00") && is_number("12%") && !is_number("dm-0") && !is_number("8:0"));
    }
}
