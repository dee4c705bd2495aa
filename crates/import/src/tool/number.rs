//! Numbers as tools print them, with what rounding may have changed: `1.7 GB/s`, `56.4MiB/s`,
//! `14.4k`, `0,039679`, `8.76e-05`.

use model::Unit;
use model::tool_result::{Counting, PrintedValue};

use super::counting::factor;

/// A number at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LeadingNumber<'a> {
    /// It.
    pub(super) value: f64,
    /// Half of what its last digit counts.
    pub(super) half_step: f64,
    /// Its digits as printed.
    pub(super) digits: &'a str,
    /// What stands behind it.
    pub(super) rest: &'a str,
}

/// The number that a text begins with. A comma in it is a decimal one, unless the tool `groups`
/// digits by it.
pub(super) fn leading(text: &str, groups: bool) -> Option<LeadingNumber<'_>> {
    let text = text.trim_start();
    let mut end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(text.len());
    while text.get(..end).is_some_and(|t| t.ends_with(['.', ','])) {
        end -= 1;
    }
    let mantissa = text.get(..end)?;
    if !mantissa.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let plain = if groups { mantissa.replace(',', "") } else { mantissa.replace(',', ".") };
    let exponent = exponent(text.get(end..)?);
    let digits = text.get(..end + exponent.len())?;
    let value: f64 = format!("{plain}{exponent}").parse().ok()?;
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let power: i32 = exponent.get(1..).and_then(|e| e.parse().ok()).unwrap_or(0);
    let half_step = 10f64.powi(power.saturating_sub(i32::try_from(decimals).unwrap_or(i32::MAX))) / 2.0;
    // Of `0e999` the value is finite, and its last digit is not.
    (value.is_finite() && half_step.is_finite()).then_some(LeadingNumber {
        value,
        half_step,
        digits,
        rest: text.get(digits.len()..)?,
    })
}

/// The same of a number that may be below zero, which a clock that was set back, or a counter that ran over, makes of a time
/// or a rate.
pub(super) fn signed(text: &str) -> Option<LeadingNumber<'_>> {
    let text = text.trim_start();
    let Some(magnitude) =
        text.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    else {
        return leading(text, false);
    };
    let number = leading(magnitude, false)?;
    // Of `-0.00` nothing is below zero.
    let digits = text.get(..number.digits.len() + 1)?;
    Some(LeadingNumber { value: -number.value, digits, ..number })
}

/// `e-05` at the beginning of a text, or nothing.
fn exponent(text: &str) -> &str {
    let Some(rest) = text.strip_prefix(['e', 'E']) else { return "" };
    let unsigned = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let digits = unsigned.len() - unsigned.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 { "" } else { text.get(..text.len() - unsigned.len() + digits).unwrap_or_default() }
}

/// A whole number at the beginning of a text, which is exact, and what stands behind it.
pub(super) fn whole(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}

/// A whole number on this line that is exact.
pub(super) fn exact(line: u64, value: u64, unit: Unit) -> PrintedValue {
    PrintedValue { line, text: value.to_string(), value: value as f64, unit, half_step: 0.0, counting: None }
}

/// A number that stands in JSON or in a table in `unit`, with nothing behind it: what its last
/// digit counts is not known, and taken for nothing.
pub(super) fn plain(line: u64, text: impl Into<String>, value: f64, unit: Unit) -> PrintedValue {
    PrintedValue { line, text: text.into(), value, unit, half_step: 0.0, counting: None }
}

/// The number that a text begins with, in `unit`, without what stands behind it.
pub(super) fn bare(line: u64, text: &str, unit: Unit) -> Option<PrintedValue> {
    let number = signed(text)?;
    Some(PrintedValue { half_step: number.half_step, ..plain(line, number.digits, number.value, unit) })
}

/// A number with its unit: bytes or bits, alone or per second, or a time. Bits become bytes.
/// `counting` is what a multiple without an i is of.
pub(super) fn quantity(line: u64, text: &str, counting: Counting) -> Option<PrintedValue> {
    let text = text.trim();
    let number = signed(text)?;
    let unit = number.rest.trim();
    let (prefix, scale, base) = match seconds(unit) {
        Some(scale) => ("", scale, Unit::Seconds),
        None => {
            let (prefix, scale, base) = bytes_or_bits(unit)?;
            (prefix, factor(prefix, counting)? * scale, base)
        }
    };
    let counting = if prefix.ends_with('i') { Counting::Binary } else { counting };
    Some(PrintedValue {
        line,
        text: text.to_owned(),
        value: number.value * scale,
        unit: base,
        half_step: number.half_step * scale,
        counting: (!prefix.is_empty()).then_some(counting),
    })
}

/// A count, with a multiple behind it or without: `14.4k`. `unit` is what it counts.
pub(super) fn count(line: u64, text: &str, counting: Counting, unit: Unit) -> Option<PrintedValue> {
    let text = text.trim();
    let number = signed(text)?;
    let prefix = number.rest.trim();
    let factor = factor(prefix, counting)?;
    // Without a multiple, and without decimals, it is exact.
    let is_exact = prefix.is_empty() && !number.digits.contains(['.', ',', 'e', 'E']);
    Some(PrintedValue {
        line,
        text: text.to_owned(),
        value: number.value * factor,
        unit,
        half_step: if is_exact && unit == Unit::One { 0.0 } else { number.half_step * factor },
        counting: (!prefix.is_empty()).then_some(counting),
    })
}

/// A number of so many seconds each: of a table whose heading has the unit.
pub(super) fn time(line: u64, text: &str, unit: &str) -> Option<PrintedValue> {
    let number = signed(text)?;
    // fio writes 4538.9k for as many thousands.
    let multiple = factor(number.rest.trim(), Counting::Decimal)?;
    let scale = seconds(unit)? * multiple;
    Some(PrintedValue {
        line,
        text: format!("{} {unit}", text.trim()),
        value: number.value * scale,
        unit: Unit::Seconds,
        half_step: number.half_step * scale,
        counting: None,
    })
}

/// Per cent as a share: `12.5%`. What stands behind the mark is left out.
pub(super) fn percent(line: u64, text: &str) -> Option<PrintedValue> {
    let number = leading(text, false).filter(|number| number.rest.trim_start().starts_with('%'))?;
    let half_step = number.half_step / 100.0;
    Some(PrintedValue {
        half_step,
        ..plain(line, format!("{}%", number.digits), number.value / 100.0, Unit::One)
    })
}

/// What was printed, where the rest behind its last digit was cut off and not rounded: what is meant may be a whole
/// step more.
pub(super) fn cut_off(printed: PrintedValue) -> PrintedValue {
    PrintedValue { half_step: 2.0 * printed.half_step, ..printed }
}

/// How many seconds a unit of time is.
pub(super) fn seconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" | "nsec" => 1e-9,
        "us" | "usec" | "\u{b5}s" | "\u{3bc}s" => 1e-6,
        "ms" | "msec" => 1e-3,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "min" | "mins" => 60.0,
        _ => return None,
    })
}

/// Names of bytes and bits, with how many bytes one is. The longest come first.
const NAMES: &[(&str, f64)] = &[
    ("Bytes", 1.0),
    ("bytes", 1.0),
    ("Byte", 1.0),
    ("byte", 1.0),
    ("bits", 0.125),
    ("bit", 0.125),
    ("B", 1.0),
    ("b", 0.125),
];

/// The multiple of a unit, how many bytes one of it is, and whether that is per second.
fn bytes_or_bits(unit: &str) -> Option<(&str, f64, Unit)> {
    let ends = ["/sec", "/second", "/s", "ps"];
    let (amount, base) = match ends.iter().find_map(|end| unit.strip_suffix(end)) {
        Some(amount) => (amount, Unit::BytesPerSecond),
        None => (unit, Unit::Bytes),
    };
    let (prefix, scale) =
        NAMES.iter().find_map(|(name, scale)| Some((amount.strip_suffix(name)?, *scale)))?;
    Some((prefix, scale, base))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, counting: Counting) -> (f64, Unit, f64) {
        let printed = quantity(1, text, counting).unwrap();
        (printed.value, printed.unit, printed.half_step)
    }

    #[test]
    fn what_is_below_zero_is_read_as_it_is_printed() {
        let read =
            |text: &str| quantity(1, text, Counting::Decimal).map(|printed| (printed.value, printed.text));
        assert_eq!(read("-2.5 s"), Some((-2.5, "-2.5 s".to_owned())));
        assert_eq!(read("-504 MB/s"), Some((-504e6, "-504 MB/s".to_owned())));
        assert_eq!(time(1, "-88", "ms").unwrap().value, -0.088);
        assert_eq!(bare(1, "-5.0 x", model::Unit::One).unwrap().text, "-5.0");
        assert!(read("-").is_none() && read("- 5 s").is_none() && read("--5 s").is_none());
    }

    #[test]
    fn quantities_are_read_in_the_units_of_their_tools() {
        use Counting::{Binary, Decimal};
        let near = |(value, unit, half): (f64, Unit, f64), expected: (f64, Unit, f64)| {
            assert_eq!(unit, expected.1);
            assert!((value / expected.0 - 1.0).abs() < 1e-12, "{value} {}", expected.0);
            assert!((half - expected.2).abs() <= 1e-9 * expected.2, "{half} {}", expected.2);
        };
        near(read("1.7 GB/s", Decimal), (1.7e9, Unit::BytesPerSecond, 0.05e9));
        near(read("1,7 GB/s", Decimal), (1.7e9, Unit::BytesPerSecond, 0.05e9));
        near(read("2.0GB/s", Binary), (2.0 * 1024f64.powi(3), Unit::BytesPerSecond, 0.05 * 1024f64.powi(3)));
        near(read("56.4MiB/s", Decimal), (56.4 * 1_048_576.0, Unit::BytesPerSecond, 0.05 * 1_048_576.0));
        near(read("941 Mbits/sec", Decimal), (941e6 / 8.0, Unit::BytesPerSecond, 0.5e6 / 8.0));
        near(read("113MiB", Decimal), (113.0 * 1_048_576.0, Unit::Bytes, 0.5 * 1_048_576.0));
        near(read("2001msec", Decimal), (2.001, Unit::Seconds, 0.0005));
        near(read("8.76e-05 s", Decimal), (8.76e-5, Unit::Seconds, 0.5e-7));
        assert_eq!(quantity(1, "12 parsecs", Decimal), None);
        assert_eq!(quantity(1, "GB/s", Decimal), None);
    }

    #[test]
    fn counts_have_what_rounding_took() {
        let rate = |text: &str| count(1, text, Counting::Decimal, Unit::PerSecond).unwrap();
        assert_eq!((rate("14.4k").value, rate("901").value), (14_400.0, 901.0));
        assert!((rate("14.4k").half_step - 50.0).abs() < 1e-9 && rate("901").half_step == 0.5);
        assert_eq!(count(1, "28883", Counting::Decimal, Unit::One).unwrap().half_step, 0.0);
    }

    #[test]
    fn times_of_tables_have_the_unit_of_the_heading() {
        let read = |text: &str, unit: &str| time(1, text, unit).unwrap().value;
        assert!((read("  46", "usec") - 46e-6).abs() < 1e-15);
        assert!((read("4538.9k", "nsec") - 4538.9e-6).abs() < 1e-12);
        assert_eq!(time(1, "46", "parsec"), None);
    }

    #[test]
    fn per_cent_are_a_share() {
        let share = percent(1, "12.5% of all").unwrap();
        assert_eq!((share.value, share.text.as_str()), (0.125, "12.5%"));
        assert!((share.half_step - 0.0005).abs() < 1e-12);
        assert_eq!((percent(1, "12.5"), percent(1, "all %")), (None, None));
    }

    #[test]
    fn what_was_cut_off_may_be_a_whole_step() {
        assert_eq!(cut_off(quantity(1, "7 MiB", Counting::Binary).unwrap()).half_step, 1_048_576.0);
    }

    #[test]
    fn a_number_ends_where_it_ends() {
        let number = leading("0.039679, x", false).unwrap();
        assert_eq!((number.value, number.rest), (0.039_679, ", x"));
        assert_eq!(leading("1,234,567 x", true).unwrap().value, 1_234_567.0);
        assert_eq!(leading("5e", false).map(|n| (n.value, n.rest)), Some((5.0, "e")));
        assert_eq!(leading("x5", false), None);
        assert_eq!(leading("1.2.3", false), None);
        assert_eq!(leading("0e999", false), None);
        assert_eq!(whole("64+0 records"), Some((64, "+0 records")));
    }
}
