//! What a terminal would show of a text: without colours, titles and what was deleted.

/// A line without escape sequences (ECMA-48), other control characters, and white space at its
/// end. What backspaces took is gone.
pub(super) fn shown(text: &str) -> String {
    // Most lines of any text have nothing of this.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return without_interrupts(text.trim_end().to_owned());
    }
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => match letters.next() {
                // A control sequence: parameters up to its final letter.
                Some('[') => skip_until(&mut letters, |c| ('\u{40}'..='\u{7e}').contains(&c)),
                // A title or a link: up to a bell, or ESC and a backslash.
                Some(']' | 'P' | '_' | '^') => skip_until(&mut letters, |c| c == '\u{7}' || c == '\\'),
                // A character set.
                Some('(' | ')') => {
                    letters.next();
                }
                _ => {}
            },
            // The same in one character.
            '\u{9b}' => skip_until(&mut letters, |c| ('\u{40}'..='\u{7e}').contains(&c)),
            '\u{8}' => {
                shown.pop();
            }
            // Pages have the second.
            '\t' | '\u{a0}' => shown.push(' '),
            '\u{feff}' => {}
            c if c.is_control() => {}
            c => shown.push(c),
        }
    }
    shown.truncate(shown.trim_end().len());
    without_interrupts(shown)
}

/// What terminals show of an interrupt by Ctrl+C.
const INTERRUPT: &str = "^C";

/// The line without interrupts at its beginning and its end.
fn without_interrupts(text: String) -> String {
    let inner = text.trim_start_matches(INTERRUPT).trim_end_matches(INTERRUPT);
    if inner.len() == text.len() { text } else { inner.trim_end().to_owned() }
}

fn skip_until(letters: &mut impl Iterator<Item = char>, is_last: impl Fn(char) -> bool) {
    for letter in letters.by_ref() {
        if is_last(letter) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_titles_and_backspaces_are_gone() {
        assert_eq!(shown("\u{1b}[1;32mok\u{1b}[0m \u{1b}[K"), "ok");
        assert_eq!(shown("\u{1b}]0;title\u{7}x\u{1b}(By"), "xy");
        assert_eq!(shown("10%\u{8}\u{8}\u{8}20%"), "20%");
        assert_eq!(shown("a\tb\u{0}\u{7}"), "a b");
        assert_eq!(shown("\u{1b}["), "");
        assert_eq!(shown("\u{1b}"), "");
    }

    #[test]
    fn an_interrupt_is_no_part_of_a_line() {
        assert_eq!(shown("^C64+0 records in"), "64+0 records in");
        assert_eq!(shown("512 bytes copied, 3 s, 412 MB/s ^C"), "512 bytes copied, 3 s, 412 MB/s");
        assert_eq!((shown("^C"), shown("a ^C b")), (String::new(), "a ^C b".to_owned()));
    }
}
