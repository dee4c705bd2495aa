//! What may be shown of a text, and what of it stays together where lines break.
//!
//! Names of devices, mount points and modules come from firmware, disks and
//! other people; nothing in them may reach a terminal as anything but letters, turn
//! the writing of a page around, hide, or be what XML has no place for.

use language::format;
use textwrap::core::display_width;

/// Stands for a space at which no line may break, until lines are made.
const GLUE: char = '\u{a0}';
/// Facts up to so many columns are kept on one line.
const GLUED_MAX: usize = 40;

/// `text` as it may be shown: letters of all languages as they are, what would
/// move the cursor, change colours or the direction of writing, or show nothing,
/// as an escape (`\u{1b}`).
#[must_use]
pub fn printable(text: &str) -> String {
    escaped(text, |_| None)
}

/// The same for a page: white space as plain spaces, for Korean and Japanese text has
/// spaces of its own, and what joins letters or chooses their form, in scripts that
/// need it. Markup is not looked at: that is escaped by whoever writes it.
pub(crate) fn clean(text: &str) -> String {
    let shown = |c: char| if c.is_whitespace() { ' ' } else { c };
    let is_known =
        |c: char| c.is_whitespace() || matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    escaped(text, |c| is_known(c).then(|| shown(c)))
}

/// `text`, but for what `as_is` gives another letter for, with escapes.
fn escaped(text: &str, as_is: impl Fn(char) -> Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match (c, as_is(c)) {
            (' '..='~', _) => out.push(c),
            (_, Some(shown)) => out.push(shown),
            // Behind a letter, a combining mark is at home.
            _ => out.extend(['a', c].iter().collect::<String>().escape_debug().skip(1)),
        }
    }
    out
}

/// As [`printable`], but that what was glued stays so: it is an unusual space only in here.
pub(crate) fn cleaned(text: &str) -> String {
    text.split(GLUE).map(printable).collect::<Vec<_>>().join(&GLUE.to_string())
}

/// Facts that are there, joined by commas; short ones never break.
pub(crate) fn facts(all: impl IntoIterator<Item = Option<String>>) -> String {
    let there: Vec<String> = all.into_iter().flatten().filter(|f| !f.is_empty()).map(glued).collect();
    there.join(", ")
}

/// Groups of facts that are there, joined by semicolons.
pub(crate) fn groups(all: impl IntoIterator<Item = Option<String>>) -> String {
    // A group of one fact is a fact.
    let whole = |group: String| if group.contains(", ") { group } else { glued(group) };
    let there: Vec<String> = all.into_iter().flatten().filter(|g| !g.is_empty()).map(whole).collect();
    there.join("; ")
}

/// What stands behind a number and means nothing without it, beside what our own
/// figures have.
const UNITS: &[&str] = &[
    "%", "byte", "bytes", "min", "h", "d", "rpm", "KiB/s", "MiB/s", "GiB/s", "kb/s", "Mb/s", "Gb/s", "GT/s",
    "MT/s",
];

/// Whether a word is a unit, with what punctuation ends it. In Korean and Japanese a word may go on behind it.
fn is_unit(word: &str) -> bool {
    let begin = word.split(|c: char| !c.is_ascii()).next().unwrap_or_default();
    [word, begin].iter().any(|word| {
        let unit = word.trim_end_matches([',', ';', ':', '.', ')']);
        UNITS.contains(&unit) || format::is_unit(unit)
    })
}

/// `text` with its numbers held to their units, `155 %`, and counts to what they
/// count, `rustc x 2 1.9`: no line breaks there until [`unglued`].
pub(crate) fn measures(text: &str) -> String {
    let is_number = |word: &str| {
        // Behind wide punctuation there is no space: `（26.74`.
        let last = word.rsplit(|c: char| !c.is_ascii()).next().unwrap_or_default();
        let bare = last.trim_matches(['(', ',', ';', ')', '~', '+', '-']);
        bare.starts_with(|c: char| c.is_ascii_digit())
            && bare.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
    };
    let mut out = String::with_capacity(text.len());
    let (mut last, mut before_last) = ("", "");
    for (place, word) in text.split(' ').enumerate() {
        let holds = if is_number(last) {
            is_unit(word) || before_last == "x" && is_number(word)
        } else {
            last == "x" && is_number(word)
        };
        if place > 0 {
            out.push(if holds { GLUE } else { ' ' });
        }
        out.push_str(word);
        (before_last, last) = (last, word);
    }
    out
}

/// What was held together, with plain spaces.
pub(crate) fn unglued(text: &str) -> String {
    text.replace(GLUE, " ")
}

/// `text` as one word, where it is short enough.
pub(crate) fn glued(text: String) -> String {
    if text.chars().count() > GLUED_MAX { text } else { text.replace(' ', &GLUE.to_string()) }
}

/// A path keeps so many columns, which still show where it begins and ends.
const PATH_LEAST: usize = 20;

/// `text` in at most `most` columns: paths in it lose their middle, which says
/// least of them; then words from the middle are left out.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let excess = |words: &[String]| display_width(&words.join(" ")).saturating_sub(most);
    while let over @ 1.. = excess(&words) {
        let is_long = |word: &&mut String| word.contains('/') && display_width(word) > PATH_LEAST;
        let paths = words.iter_mut().filter(is_long);
        let Some(path) = paths.max_by_key(|word| display_width(word)) else { break };
        *path = without_middle(path, display_width(path).saturating_sub(over).max(PATH_LEAST));
    }
    if excess(&words) == 0 {
        return words.join(" ");
    }
    // What a thing is stands first, what sets it apart first or last.
    while words.len() > 2 {
        words.remove(words.len() - 2);
        let mut shown = words.clone();
        shown.insert(words.len() - 1, DOTS.to_owned());
        if excess(&shown) == 0 {
            return shown.join(" ");
        }
    }
    without_middle(&words.join(" "), most)
}

/// Stands for what is left out.
const DOTS: &str = "...";

/// A word in at most `most` columns, with dots for its middle.
pub(crate) fn without_middle(text: &str, most: usize) -> String {
    if display_width(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(DOTS.len());
    let head = begins(text.chars(), room / 2);
    let tail: String = begins(text.chars().rev(), room - room / 2).chars().rev().collect();
    begins(format!("{head}{DOTS}{tail}").chars(), most)
}

/// As much of the beginning as has room in `most` columns.
fn begins(letters: impl Iterator<Item = char>, most: usize) -> String {
    let mut out = String::new();
    for letter in letters {
        out.push(letter);
        if display_width(&out) > most {
            out.pop();
            break;
        }
    }
    out
}

/// The plural of `noun` but for one: `1 core`, `4 cores`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = match (count, noun.strip_suffix('y')) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    format!("{count} {plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letters_stay_and_what_a_terminal_would_obey_does_not() {
        assert_eq!(printable("Samsung \"SSD\" 990\\PRO"), "Samsung \"SSD\" 990\\PRO");
        assert_eq!(printable("디스크 磁碟 ディスク é"), "디스크 磁碟 ディスク é");
        assert_eq!(printable("\u{1b}[31mred"), "\\u{1b}[31mred");
        assert_eq!(printable("a\nb\tc\r"), "a\\nb\\tc\\r");
        assert_eq!(printable("\u{9b}2J"), "\\u{9b}2J");
        assert_eq!(printable("abc\u{202e}fed\u{200b}"), "abc\\u{202e}fed\\u{200b}");
        assert_eq!(printable("\u{7f}"), "\\u{7f}");
    }

    #[test]
    fn a_number_is_held_to_its_unit() {
        assert_eq!(unglued(&measures("  a 1  % of 2 %  ")), "  a 1  % of 2 %  ");
        assert_eq!(measures("v 2 of 3 s"), format!("v 2 of 3{GLUE}s"));
        let japanese = format!("上限の 117{GLUE}%（26.74{GLUE}GB/s、低く）");
        assert_eq!(measures("上限の 117 %（26.74 GB/s、低く）"), japanese);
        assert_eq!(measures("한계의 65 %로 1 스레드"), format!("한계의 65{GLUE}%로 1 스레드"));
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1, "core"), "1 core");
        assert_eq!(counted(0, "core"), "0 cores");
        assert_eq!(counted(2, "memory"), "2 memories");
    }

    #[test]
    fn what_is_too_long_loses_the_middle_of_its_path_and_of_the_whole() {
        let label = "disk target=/tmp/play/user/with/a/long/name/log.headroom pattern=read";
        assert_eq!(shortened(label, 80), label);
        assert_eq!(shortened(label, 50), "disk target=/tmp/pl...me/log.headroom pattern=read");
        assert_eq!(shortened(label, 40), "disk target=/t...g.headroom pattern=read");
        let words = "disk pattern=randread block-size=4KiB direct=no duration=1s";
        assert_eq!(shortened(words, 50), "disk pattern=randread ... duration=1s");
        assert_eq!(shortened("of-many-letters", 12), "of-m...tters");
        assert_eq!(shortened("디스크디스크디스크디스크", 9), "디...크");
        for most in 0..80 {
            assert!(display_width(&shortened(label, most)) <= most, "{most}");
        }
    }

    #[test]
    fn letters_stay_and_what_hides_is_shown() {
        assert_eq!(clean("디스크 ディスク é <b>"), "디스크 ディスク é <b>");
        assert_eq!(clean("a\n\tb\u{a0}c\u{3000}d"), "a  b c d");
        assert_eq!(clean("abc\u{202e}fed\u{0}\u{1b}[2J"), "abc\\u{202e}fed\\0\\u{1b}[2J");
        assert_eq!(clean("\u{feff}\u{fffe}"), "\\u{feff}\\u{fffe}");
        assert_eq!(clean("it's \"so\""), "it's \"so\"");
    }

    proptest! {
        /// XML 1.0, section 2.2.
        #[test]
        fn all_that_is_left_is_a_character_of_xml(text in ".{0,80}") {
            for c in clean(&text).chars() {
                prop_assert!(c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{7f}'), "{c:?}");
            }
        }
    }
}
