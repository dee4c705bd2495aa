//! The words of a command line as getopt(3) reads them: `-t 10`, `-t10`, `-uR`, `--time 10`, `--time=10`. Which options have a
//! value, and what they mean, is a matter of whoever reads the program's output.

/// An option as it is written, without its dashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionName<'a> {
    /// Behind two dashes.
    Long(&'a str),
    /// Behind one.
    Letter(char),
}

/// What belongs to an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Nothing; behind two dashes a value may be joined all the same.
    Nothing,
    /// What is joined to it, or else the next word.
    Value,
    /// Nobody knows; behind a letter neither, whether it is its value or further letters that follow.
    Unknown,
}

/// A part of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionWord<'a> {
    /// An option, with its value where it has one.
    Option(OptionName<'a>, Option<&'a str>),
    /// Letters of which the first is an unknown option.
    UnknownLetters(&'a str),
    /// A word that belongs to no option.
    Operand(&'a str),
}

/// Reads the words behind the program's name.
pub(super) fn read<'a>(words: &'a [String], takes: impl Fn(OptionName<'_>) -> Takes) -> Vec<OptionWord<'a>> {
    let mut read = Vec::new();
    let mut words = words.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        if word == "--" {
            // All that follows are operands.
            read.extend(words.by_ref().map(OptionWord::Operand));
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, joined) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let name = OptionName::Long(name);
            let is_next = joined.is_none() && takes(name) == Takes::Value;
            read.push(OptionWord::Option(name, if is_next { words.next() } else { joined }));
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            read_letters(letters, &mut words, &takes, &mut read);
        } else {
            read.push(OptionWord::Operand(word));
        }
    }
    read
}

/// Reads letters behind one dash: an option each, up to one that has a value.
fn read_letters<'a>(
    letters: &'a str,
    words: &mut impl Iterator<Item = &'a str>,
    takes: &impl Fn(OptionName<'_>) -> Takes,
    read: &mut Vec<OptionWord<'a>>,
) {
    for (at, letter) in letters.char_indices() {
        let name = OptionName::Letter(letter);
        match takes(name) {
            Takes::Nothing => read.push(OptionWord::Option(name, None)),
            Takes::Value => {
                let joined = letters.get(at + letter.len_utf8()..).filter(|joined| !joined.is_empty());
                let value = joined.or_else(|| words.next());
                read.push(OptionWord::Option(name, value));
                return;
            }
            Takes::Unknown => {
                read.push(OptionWord::UnknownLetters(letters.get(at..).unwrap_or_default()));
                return;
            }
        }
    }
}

/// The first of the operands that is a number.
pub(super) fn first_number(words: &[OptionWord<'_>]) -> Option<f64> {
    numbers(words).next()
}

/// The operands that are numbers.
pub(super) fn numbers(words: &[OptionWord<'_>]) -> impl Iterator<Item = f64> {
    words.iter().filter_map(|word| match word {
        OptionWord::Operand(text) => text.parse().ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::OptionName::{Letter, Long};
    use super::OptionWord::{Operand, Option as Given, UnknownLetters};
    use super::*;

    fn takes(name: OptionName<'_>) -> Takes {
        match name {
            Long("time") | Letter('t') => Takes::Value,
            Letter('u' | 'R') => Takes::Nothing,
            Letter(_) => Takes::Unknown,
            Long(_) => Takes::Nothing,
        }
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn values_are_joined_or_the_next_word() {
        for (text, name) in [
            ("x --time 10 5", Long("time")),
            ("x --time=10 5", Long("time")),
            ("x -t10 5", Letter('t')),
            ("x -t 10 5", Letter('t')),
        ] {
            let words = words(text);
            let read = read(&words, takes);
            assert_eq!(read, [Given(name, Some("10")), Operand("5")], "{text}");
            assert_eq!(first_number(&read), Some(5.0), "{text}");
        }
    }

    #[test]
    fn letters_are_an_option_each_up_to_one_with_a_value_or_an_unknown_one() {
        let joined = words("x -uRt 3 -uZ9 - -- -t");
        let expected = [
            Given(Letter('u'), None),
            Given(Letter('R'), None),
            Given(Letter('t'), Some("3")),
            Given(Letter('u'), None),
            UnknownLetters("Z9"),
            Operand("-"),
            Operand("-t"),
        ];
        assert_eq!(read(&joined, takes), expected);
        assert_eq!(read(&words("x -t"), takes), [Given(Letter('t'), None)]);
        assert!(read(&[], takes).is_empty());
    }
}
