//! Options as `getopt` reads them: `-t 10`, `-t10`, `-uR`, `--time 10`, `--time=10`.

use std::collections::BTreeMap;

use crate::tool::option_words::{self, OptionName, OptionWord, Takes};

/// One option of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionSpec {
    /// What it is called among the options of a result, and behind two dashes.
    pub(super) name: &'static str,
    /// Its letter.
    pub(super) short: Option<char>,
    /// Another name that it has behind two dashes.
    pub(super) alias: &'static str,
    /// Whether a value follows.
    pub(super) has_value: bool,
}

impl OptionSpec {
    /// One with a value.
    pub(super) const fn value(short: Option<char>, name: &'static str) -> Self {
        Self { name, short, alias: "", has_value: true }
    }

    /// One without.
    pub(super) const fn flag(short: Option<char>, name: &'static str) -> Self {
        Self { name, short, alias: "", has_value: false }
    }

    /// The same with another name.
    pub(super) const fn or(self, alias: &'static str) -> Self {
        Self { alias, ..self }
    }

    fn is_called(&self, long: &str) -> bool {
        self.name == long || !self.alias.is_empty() && self.alias == long
    }
}

/// What a command line gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GivenOptions {
    /// Options by their names; of one without a value it is 1.
    pub(super) options: BTreeMap<String, String>,
    /// Words that belong to no option.
    pub(super) operands: Vec<String>,
    /// Whether all options are in the table.
    pub(super) is_all: bool,
}

impl GivenOptions {
    /// Reads the words behind the program's name.
    pub(super) fn of(words: &[String], table: &[OptionSpec]) -> Self {
        let spec_of = |name: OptionName<'_>| {
            table.iter().find(|spec| match name {
                OptionName::Long(long) => spec.is_called(long),
                OptionName::Letter(letter) => spec.short == Some(letter),
            })
        };
        let takes = |name: OptionName<'_>| match spec_of(name) {
            Some(spec) if spec.has_value => Takes::Value,
            Some(_) => Takes::Nothing,
            None => Takes::Unknown,
        };
        let mut given = Self { is_all: true, ..Self::default() };
        for word in option_words::read(words, takes) {
            match word {
                OptionWord::Option(name, value) => given.option(name, spec_of(name), value),
                OptionWord::UnknownLetters(letters) => {
                    given.is_all = false;
                    given.options.insert(letters.to_owned(), "1".to_owned());
                }
                OptionWord::Operand(text) => given.operands.push(text.to_owned()),
            }
        }
        given
    }

    fn option(&mut self, name: OptionName<'_>, spec: Option<&OptionSpec>, value: Option<&str>) {
        self.is_all &= spec.is_some();
        let own = match name {
            OptionName::Long(long) => long.to_owned(),
            OptionName::Letter(letter) => letter.to_string(),
        };
        let name = spec.map_or(own, |spec| spec.name.to_owned());
        let absent = if spec.is_some_and(|spec| spec.has_value) { "" } else { "1" };
        self.options.insert(name, value.unwrap_or(absent).to_owned());
    }

    /// The value of an option.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    /// Whether an option is given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.options.contains_key(name)
    }

    /// Whether all options that are given are among these.
    pub(super) fn are_among(&self, known: &[&str]) -> bool {
        self.is_all && self.options.keys().all(|name| known.contains(&name.as_str()))
    }
}

/// A command with this option at this value.
pub(super) fn set(words: &[String], spec: &OptionSpec, value: &str) -> Vec<String> {
    let mut set = without(words, spec);
    match spec.short {
        Some(letter) => set.extend([format!("-{letter}"), value.to_owned()]),
        None => set.push(format!("--{}={value}", spec.name)),
    }
    set
}

/// A command without this option, which has a value.
pub(super) fn without(words: &[String], spec: &OptionSpec) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let long =
            word.strip_prefix("--").map(|long| (long.split('=').next().unwrap_or(long), long.contains('=')));
        let letter = word.strip_prefix('-').and_then(|letters| letters.chars().next());
        match long {
            Some((name, has_value)) if spec.is_called(name) => {
                if !has_value {
                    words.next();
                }
            }
            None if letter.is_some() && letter == spec.short => {
                if word.chars().count() == 2 {
                    words.next();
                }
            }
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// A number of bytes with k, m or g, which are of 1024, or a plain one.
pub(super) fn binary_size(text: &str) -> Option<u64> {
    scaled(text, 1024)
}

/// A number of bits each second with k, m or g, which are of 1000, or a plain one. Half a bit is none.
pub(super) fn decimal_rate(text: &str) -> Option<f64> {
    let number = crate::tool::number::leading(text, false)?;
    let scale = match number.rest {
        "" => 1.0,
        "k" | "K" => 1e3,
        "m" | "M" => 1e6,
        "g" | "G" => 1e9,
        "t" | "T" => 1e12,
        _ => return None,
    };
    Some(number.value * scale)
}

fn scaled(text: &str, base: u64) -> Option<u64> {
    let (number, unit) = crate::tool::number::whole(text)?;
    let power = match unit {
        "" => 0,
        "k" | "K" => 1,
        "m" | "M" => 2,
        "g" | "G" => 3,
        "t" | "T" => 4,
        _ => return None,
    };
    number.checked_mul(base.checked_pow(power)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[OptionSpec] = &[
        OptionSpec::value(Some('t'), "time"),
        OptionSpec::value(Some('b'), "bitrate").or("bandwidth"),
        OptionSpec::flag(Some('u'), "udp"),
        OptionSpec::flag(Some('R'), "reverse"),
    ];

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn read(text: &str) -> (String, bool) {
        let given = GivenOptions::of(&words(text), TABLE);
        let mut all: Vec<String> =
            given.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        all.extend(given.operands);
        (all.join(" "), given.is_all)
    }

    #[test]
    fn options_are_read_as_getopt_does() {
        for text in
            ["x -t 10 -u -R host", "x -t10 -uR host", "x --time 10 --udp --reverse host", "x -uRt10 host"]
        {
            assert_eq!(read(text), ("reverse=1 time=10 udp=1 host".to_owned(), true), "{text}");
        }
        assert_eq!(read("x --bandwidth=5M"), ("bitrate=5M".to_owned(), true));
        assert!(!read("x -t 10 -Z").1);
        assert!(!read("x --fancy").1);
    }

    #[test]
    fn an_option_is_replaced_however_it_was_written() {
        let time = &TABLE[0];
        for text in ["x -t 3 -u", "x -t3 -u", "x --time=3 -u", "x --time 3 -u", "x -u"] {
            assert_eq!(set(&words(text), time, "30").join(" "), "x -u -t 30", "{text}");
        }
    }

    #[test]
    fn sizes_are_binary_and_rates_decimal() {
        assert_eq!((binary_size("256M"), binary_size("1x")), (Some(256 << 20), None));
        assert_eq!((decimal_rate("2.5m"), decimal_rate("5M/10")), (Some(2.5e6), None));
    }
}
