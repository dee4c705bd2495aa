//! Values as fio reads them, which is not how this program reads its own: `k`
//! is 1024 and `KiB` 1000 unless kb_base=1000, a bare number is seconds for one
//! option and microseconds for another, and nothing has a decimal point.
//!
//! Where fio would go on with a number that nobody meant (`1.5g` is 1 byte,
//! `10min` are 10 microseconds), the file is refused instead.

use model::ScalarError;

use super::expression;

/// How the value of an option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Nothing, or a number that is 0 for no.
    Flag,
    /// A whole number; it may have the suffix of a size.
    Whole,
    /// Bytes or a percentage.
    Size,
    /// Up to three sizes or counts, for reads, writes and trims.
    Each,
    /// A time; a bare number is seconds.
    Seconds,
    /// A time; a bare number is microseconds.
    Microseconds,
    /// One of these words, and more after `:` or `,`.
    Word(&'static [&'static str]),
    Decimal,
    /// Any text, but some.
    Text,
    /// Text in which there are sizes, which somebody else reads.
    Sizes,
    /// Not looked at.
    Any,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Read {
    Flag(bool),
    /// Bytes or a count, or a percentage.
    Amount(Amount),
    /// For reads, writes and trims; absent where nothing is said.
    Each([Option<Amount>; 3]),
    Seconds(f64),
    /// The word, and what follows its separator.
    Word(&'static str, String),
    Decimal(f64),
    Text(String),
    /// It was not looked at.
    Nothing,
}

/// A number, or a share of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// Bytes, or a count.
    Whole(u64),
    /// Percent of the file or device.
    Percent(u64),
}

impl Amount {
    /// The number, if it is one.
    pub(super) fn whole(self) -> Option<u64> {
        match self {
            Amount::Whole(number) => Some(number),
            Amount::Percent(_) => None,
        }
    }
}

/// A value that cannot be read.
pub(super) fn wrong(text: &str, why: impl std::fmt::Display, help: &str) -> ScalarError {
    ScalarError { message: format!("`{text}` {why}"), help: help.to_owned(), span: 0..text.len() }
}

/// Reads `text` as an option of this form has it; `kb_base` is 1024 or 1000.
pub(super) fn read(form: Form, text: Option<&str>, kb_base: u64) -> Result<Read, ScalarError> {
    let Some(text) = text else {
        return match form {
            Form::Flag => Ok(Read::Flag(true)),
            Form::Any => Ok(Read::Nothing),
            _ => Err(wrong("", "there is no value", "write it after `=`")),
        };
    };
    let percentage = || wrong(text, "is a percentage", "a whole number is wanted here");
    let whole = |amount: Amount| amount.whole().ok_or_else(percentage);
    Ok(match form {
        Form::Flag => Read::Flag(whole(amount(text, kb_base)?)? != 0),
        Form::Whole => Read::Amount(Amount::Whole(whole(amount(text, kb_base)?)?)),
        Form::Size => Read::Amount(amount(text, kb_base)?),
        Form::Each => Read::Each(each(text, kb_base)?),
        Form::Seconds => Read::Seconds(time(text, 1_000_000)?),
        Form::Microseconds => Read::Seconds(time(text, 1)?),
        Form::Word(words) => word(text, words)?,
        Form::Decimal => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Read::Decimal(number),
            _ => return Err(wrong(text, "is not a number", "a number such as 99.9")),
        },
        Form::Text | Form::Sizes if text.is_empty() => {
            return Err(wrong(text, "is empty", "write it after `=`"));
        }
        Form::Text | Form::Sizes => Read::Text(text.to_owned()),
        Form::Any => Read::Nothing,
    })
}

/// Reads up to three values. As in fio, one value is for all three, two leave
/// the second for trims too, and a comma at the end leaves out what follows.
fn each(text: &str, kb_base: u64) -> Result<[Option<Amount>; 3], ScalarError> {
    let (list, open) = text.strip_suffix(',').map_or((text, false), |list| (list, true));
    let mut all = [None; 3];
    let mut given = 0;
    let mut start = 0;
    for piece in list.split([',', ':', '-']) {
        if given == all.len() {
            return Err(wrong(text, "has more than three values", "one each for reads, writes and trims"));
        }
        if !piece.is_empty() {
            all[given] = Some(amount(piece, kb_base).map_err(|e| shifted(e, start))?);
        }
        start += piece.len() + 1;
        given += 1;
    }
    if all.iter().all(Option::is_none) {
        return Err(wrong(text, "has no value", "a size such as 4k"));
    }
    if !open {
        let last = all[given - 1];
        all[given..].fill(last);
    }
    Ok(all)
}

fn shifted(mut error: ScalarError, by: usize) -> ScalarError {
    error.span = error.span.start + by..error.span.end + by;
    error
}

const SIZES: &str = "a whole number, with k, m, g, t or p, or with % where there is a file";

/// Reads a number of bytes or a count, or a percentage.
pub(super) fn amount(text: &str, kb_base: u64) -> Result<Amount, ScalarError> {
    if text.trim_start().starts_with('(') {
        let percentage = |word: &str| wrong(word, "is a percentage", "nothing can be computed with it");
        let number = |word: &str| amount(word, kb_base)?.whole().ok_or_else(|| percentage(word));
        return expression::evaluate(text, &number).map(Amount::Whole);
    }
    let (number, unit) = digits(text, SIZES)?;
    let at = text.len() - unit.len()..text.len();
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "%" => return Ok(Amount::Percent(number)),
        "" | "b" => Some(1),
        "z" => return Err(wrong(text, "counts zones, which have no like here", SIZES)),
        unit => size_unit(unit, kb_base),
    };
    let Some(factor) = factor else {
        let message = format!("`{}` is not a unit that fio knows here", unit.trim());
        return Err(ScalarError { message, help: SIZES.to_owned(), span: at });
    };
    match number.checked_mul(factor).filter(|n| *n <= i64::MAX as u64) {
        Some(number) => Ok(Amount::Whole(number)),
        None => Err(wrong(text, "is too large", SIZES)),
    }
}

/// The factor of a unit. With kb_base=1024, which is fio's default, units of
/// two letters are binary and those of IEC decimal, for the sake of old job
/// files; with 1000 each is what it says (fio, HOWTO: kb_base).
fn size_unit(unit: &str, kb_base: u64) -> Option<u64> {
    let mut letters = unit.chars();
    let power = 1 + "kmgtp".find(letters.next()?)? as u32;
    match letters.as_str() {
        "" | "b" => kb_base.checked_pow(power),
        "ib" => (if kb_base == 1024 { 1000u64 } else { 1024 }).checked_pow(power),
        _ => None,
    }
}

/// Whether `text` has a unit that fio takes for another than it says.
pub(super) fn is_misleading(form: Form, text: &str, kb_base: u64) -> bool {
    let text = text.to_ascii_lowercase();
    let has_sizes = matches!(form, Form::Size | Form::Each | Form::Sizes);
    let mut units = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|u| !u.is_empty());
    has_sizes && kb_base == 1024 && units.any(|u| matches!(u, "kib" | "mib" | "gib" | "tib" | "pib"))
}

/// As long as any duration may be: 10 years.
const TIME_MAX_US: u64 = 3650 * 86_400 * 1_000_000;

/// Seconds; a bare number has the unit `bare`, in microseconds.
fn time(text: &str, bare: u64) -> Result<f64, ScalarError> {
    const TIMES: &str = "a whole number, with us, ms, s, m, h or d";
    const SECOND: u64 = 1_000_000;
    const UNITS: &[(&str, u64)] = &[
        ("us", 1),
        ("usec", 1),
        ("ms", 1000),
        ("msec", 1000),
        ("s", SECOND),
        ("m", 60 * SECOND),
        ("h", 3600 * SECOND),
        ("d", 86_400 * SECOND),
    ];
    let (number, unit) = digits(text, TIMES)?;
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" => bare,
        wanted => match UNITS.iter().find(|(name, _)| *name == wanted) {
            Some((_, factor)) => *factor,
            None => {
                let message = format!("fio does not know the unit `{wanted}` and would take microseconds");
                let span = text.len() - unit.len()..text.len();
                return Err(ScalarError { message, help: TIMES.to_owned(), span });
            }
        },
    };
    match number.checked_mul(factor).filter(|microseconds| *microseconds <= TIME_MAX_US) {
        Some(microseconds) => Ok(microseconds as f64 / 1e6),
        None => Err(wrong(text, "is too large", TIMES)),
    }
}

/// The number at the start, decimal or hexadecimal, and what follows.
fn digits<'a>(text: &'a str, help: &str) -> Result<(u64, &'a str), ScalarError> {
    let bare = text.trim_start();
    if bare.starts_with('-') {
        return Err(wrong(text, "is negative", help));
    }
    let bare = bare.strip_prefix('+').unwrap_or(bare);
    let (radix, bare) = match bare.strip_prefix("0x").or_else(|| bare.strip_prefix("0X")) {
        Some(hexadecimal) => (16, hexadecimal),
        None => (10, bare),
    };
    let end = bare.find(|c: char| !c.is_digit(radix)).unwrap_or(bare.len());
    let (number, rest) = bare.split_at(end);
    if number.is_empty() {
        return Err(wrong(text, "does not start with a number", help));
    }
    if rest.starts_with('.') {
        let why = format!("has a decimal point, at which fio stops reading: it would be {number}");
        return Err(wrong(text, why, help));
    }
    match u64::from_str_radix(number, radix) {
        Ok(number) => Ok((number, rest)),
        Err(_) => Err(wrong(text, "is too large", help)),
    }
}

/// A word, which ends at a comma or colon.
fn word(text: &str, words: &'static [&'static str]) -> Result<Read, ScalarError> {
    let end = text.find([',', ':']).unwrap_or(text.len());
    let (chosen, rest) = text.split_at(end);
    match words.iter().find(|word| **word == chosen) {
        Some(word) => Ok(Read::Word(word, rest.trim_start_matches([',', ':']).to_owned())),
        None => Err(ScalarError {
            message: format!("`{chosen}` is not a choice here"),
            help: crate::diagnostic::suggest(chosen, words.to_vec()),
            span: 0..end,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(text: &str) -> Option<u64> {
        match amount(text, 1024) {
            Ok(Amount::Whole(number)) => Some(number),
            _ => None,
        }
    }

    #[test]
    fn sizes_are_what_fio_takes_them_for() {
        // Seen with fio 3.33: --parse-only --debug=parse.
        for (text, number) in [
            ("4k", 4096),
            ("4K", 4096),
            ("4kb", 4096),
            ("4KiB", 4000),
            ("1MiB", 1_000_000),
            ("0x1000", 4096),
            ("+4k", 4096),
            ("4B", 4),
            ("1t", 1 << 40),
            ("(4k*2)", 8192),
        ] {
            assert_eq!(bytes(text), Some(number), "{text}");
        }
        assert_eq!(amount("4KiB", 1000), Ok(Amount::Whole(4096)));
        assert_eq!(amount("4k", 1000), Ok(Amount::Whole(4000)));
        assert_eq!(amount("10%", 1024), Ok(Amount::Percent(10)));
        for text in ["1.5g", "10x", "1e3", "-8k", "", "k", "99999999999999999999", "9999999p"] {
            assert!(amount(text, 1024).is_err(), "{text}");
        }
        let misleads = |text, base| is_misleading(Form::Sizes, text, base);
        assert!(misleads("4KiB", 1024) && misleads("4k/50:1MiB/50", 1024));
        assert!(!misleads("4KiB", 1000) && !misleads("4kb", 1024));
    }

    #[test]
    fn times_have_the_unit_of_their_option() {
        assert_eq!(time("10", 1_000_000), Ok(10.0));
        assert_eq!(time("10", 1), Ok(1e-5));
        assert_eq!(time("2m", 1), Ok(120.0));
        assert_eq!(time("5ms", 1), Ok(0.005));
        assert_eq!(time("3650d", 1), Ok(315_360_000.0));
        assert!(time("3651d", 1).is_err() && time("18446744073709551615", 1).is_err());
        let error = time("10min", 1).unwrap_err();
        assert_eq!(error.span, 2..5);
        assert!(error.message.contains("microseconds"), "{error:?}");
    }

    #[test]
    fn one_value_is_for_reads_writes_and_trims() {
        let whole = |text| each(text, 1024).unwrap().map(|a| a.map(|a| matches!(a, Amount::Whole(4096))));
        assert_eq!(whole("4k"), [Some(true); 3]);
        assert_eq!(whole("4k,8k"), [Some(true), Some(false), Some(false)]);
        assert_eq!(whole("4k,8k,4k"), [Some(true), Some(false), Some(true)]);
        assert_eq!(whole("4k,"), [Some(true), None, None]);
        assert_eq!(whole(",4k"), [None, Some(true), Some(true)]);
        assert_eq!(each("4k,9q", 1024).unwrap_err().span, 4..5);
        assert!(each("1,2,3,4", 1024).is_err() && each(",", 1024).is_err());
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in ".*") {
            let forms = [Form::Flag, Form::Whole, Form::Size, Form::Each, Form::Seconds, Form::Microseconds,
                Form::Word(&["a"]), Form::Decimal, Form::Text, Form::Sizes, Form::Any];
            for form in forms {
                if let Err(error) = read(form, Some(&text), 1024) {
                    prop_assert!(error.span.end <= text.len(), "{form:?} {text:?} {error:?}");
                }
            }
        }
    }
}
