//! Reading a quantity in the unit of a metric, for what results are held to. It may be zero, and is not bounded as
//! parameters are.

use crate::scalar::{
    DURATION_UNITS, RATE_UNITS, SIZE_UNITS, ScalarError, THROUGHPUT_UNITS, bytes_not_bits, with_unit,
};
use crate::unit::Unit;

/// Of a network: bits have a name that cannot be taken for bytes.
const BIT_RATE_UNITS: &[(&str, f64)] =
    &[("bit/s", 0.125), ("kbit/s", 125.0), ("mbit/s", 125e3), ("gbit/s", 125e6), ("tbit/s", 125e9)];

/// Too short for anything that is asked for, but for loads from memory.
const NANOSECONDS: &[(&str, f64)] = &[("ns", 1e-9)];

/// How quantities of a unit are written: the units, and what a message says of them.
struct Written {
    units: Vec<(&'static str, f64)>,
    hint: &'static str,
}

impl Written {
    fn of(unit: Unit) -> Self {
        let (units, hint) = match unit {
            Unit::BytesPerSecond => (
                [THROUGHPUT_UNITS, BIT_RATE_UNITS].concat(),
                "bytes per second such as 500MB/s (decimal) or 500MiB/s (binary), or bits such as 9Gbit/s",
            ),
            Unit::PerSecond => (RATE_UNITS.to_vec(), "a rate such as 500/s or 20k/s"),
            Unit::Seconds => {
                ([DURATION_UNITS, NANOSECONDS].concat(), "a time such as 100ns, 250us, 1.5ms or 2s")
            }
            Unit::SecondsPerByte => (
                vec![("s/b", 1.0), ("us/b", 1e-6), ("ns/b", 1e-9), ("ps/b", 1e-12)],
                "a time for each byte such as 0.5ns/B",
            ),
            Unit::Bytes => (SIZE_UNITS.to_vec(), "bytes such as 4KiB (binary) or 4KB (decimal)"),
            Unit::One => (
                vec![("", 1.0), ("%", 0.01), ("k", 1e3), ("m", 1e6)],
                "a number such as 10, or a share such as 5%",
            ),
            Unit::Hertz => {
                (vec![("hz", 1.0), ("khz", 1e3), ("mhz", 1e6), ("ghz", 1e9)], "a frequency such as 2.4GHz")
            }
            Unit::Celsius => (vec![("", 1.0), ("c", 1.0)], "degrees Celsius such as 70C"),
            Unit::Joules => (vec![("", 1.0), ("j", 1.0), ("kj", 1e3)], "joules such as 20J"),
            Unit::Watts => (vec![("", 1.0), ("w", 1.0), ("kw", 1e3)], "watts such as 65W"),
            Unit::Other(_) => (vec![("", 1.0)], "a number without a unit"),
        };
        Self { units, hint }
    }
}

/// Reads a quantity of `unit` as a person writes it: `500MB/s`, `1.5ms`, `5%`, `0`; the value in `unit`.
///
/// # Errors
/// If it is no number, or its unit does not fit.
pub fn parse(unit: Unit, text: &str) -> Result<f64, ScalarError> {
    let Written { units, hint } = Written::of(unit);
    let whole = 0..text.len();
    if text.is_empty() {
        return Err(ScalarError::new("there is no value here", hint, whole));
    }
    let number = with_unit(hint, text, &units)?;
    if unit == Unit::BytesPerSecond {
        bytes_not_bits(text)?;
    }
    if !number.is_finite() {
        return Err(ScalarError::new(format!("`{text}` is too large"), hint, whole));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_the_units_of_their_metric() {
        for (unit, text, value) in [
            (Unit::BytesPerSecond, "500MB/s", 5e8),
            (Unit::BytesPerSecond, "1 KiB/s", 1024.0),
            (Unit::BytesPerSecond, "9Gbit/s", 1.125e9),
            (Unit::BytesPerSecond, "0B/s", 0.0),
            (Unit::PerSecond, "20k/s", 2e4),
            (Unit::PerSecond, "20k", 2e4),
            (Unit::Seconds, "0.5ms", 0.0005),
            (Unit::Seconds, "80ns", 80.0 * 1e-9),
            (Unit::One, "0", 0.0),
            (Unit::One, "5%", 0.05),
            (Unit::Bytes, "4KB", 4000.0),
            (Unit::Hertz, "2GHz", 2e9),
        ] {
            assert_eq!(parse(unit, text), Ok(value), "{text}");
        }
    }

    #[test]
    fn a_unit_that_does_not_fit_is_pointed_at() {
        for (unit, text, span) in [
            (Unit::Seconds, "5MB/s", 1..5),
            (Unit::Seconds, "5", 0..1),
            (Unit::BytesPerSecond, "9.4Gb/s", 3..7),
            (Unit::BytesPerSecond, "5ms", 1..3),
            (Unit::One, "5ms", 1..3),
            (Unit::PerSecond, "", 0..0),
            (Unit::PerSecond, "-1", 0..2),
        ] {
            let error = parse(unit, text).unwrap_err();
            assert_eq!(error.span, span, "{text}: {}", error.message);
            assert!(!error.help.is_empty(), "{text}");
        }
        assert!(parse(Unit::PerSecond, &"9".repeat(400)).is_err());
    }
}
