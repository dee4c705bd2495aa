//! What may stand in a page: names come from firmware, disks, files and other
//! people, and nothing in them may turn the writing around, hide, or be what
//! XML has no place for.

/// `text` with white space as plain spaces, and what shows nothing or changes
/// the direction of writing as an escape (`\u{202e}`). Markup is not looked at:
/// that is escaped by whoever writes it.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' '..='~' => out.push(c),
            // Korean and Japanese text has spaces of its own.
            c if c.is_whitespace() => out.push(' '),
            // Behind a letter, a combining mark is at home.
            c if joins(c) => out.push(c),
            c => out.extend(std::iter::once('a').chain([c]).collect::<String>().escape_debug().skip(1)),
        }
    }
    out
}

/// What joins letters or chooses their form, in scripts that need it.
fn joins(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
