//! Texts in so many columns. Letters of Korean and Japanese take two.

use ratatui::text::Span;

/// What stands where a text was cut.
const CUT: char = '\u{2026}';

fn width(c: char) -> usize {
    Span::raw(c.to_string()).width()
}

/// How many columns a text takes.
fn columns_of(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// As much of the beginning as these columns hold.
fn head(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += width(*c);
        used <= columns
    };
    text.chars().take_while(fits).collect()
}

/// A text in at most so many columns: of what is longer the end is cut, and that shows.
pub(super) fn fitted(text: &str, columns: usize) -> String {
    if columns_of(text) <= columns {
        return text.to_owned();
    }
    let mut kept = head(text, columns.saturating_sub(1));
    if columns > 0 {
        kept.push(CUT);
    }
    kept
}

/// A text in so many columns, with blanks behind it.
pub(super) fn padded(text: &str, columns: usize) -> String {
    let kept = fitted(text, columns);
    let blanks = columns.saturating_sub(columns_of(&kept));
    kept + &" ".repeat(blanks)
}

/// The same of a name, whose end tells it from others: of a longer one the middle is cut.
pub(super) fn padded_name(name: &str, columns: usize) -> String {
    if columns_of(name) <= columns || columns < 3 {
        return padded(name, columns);
    }
    let behind = columns / 2;
    let reversed: String = name.chars().rev().collect();
    let tail: String = head(&reversed, behind).chars().rev().collect();
    let mut kept = head(name, columns - 1 - columns_of(&tail));
    kept.push(CUT);
    kept.push_str(&tail);
    padded(&kept, columns)
}

/// Lines that a text takes where words go to the next line that do not fit.
pub(super) fn lines_of(text: &str, columns: usize) -> u16 {
    let columns = columns.max(1);
    let (mut lines, mut used) = (1_usize, 0);
    for word in text.split(' ') {
        let long = columns_of(word);
        let with_blank = if used == 0 { long } else { used + 1 + long };
        if with_blank <= columns {
            used = with_blank;
            continue;
        }
        // A word that is longer than a line goes over several.
        lines += usize::from(used > 0) + long.saturating_sub(1) / columns;
        used = if long > columns { (long - 1) % columns + 1 } else { long };
    }
    u16::try_from(lines).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_where_it_can_be_seen() {
        assert_eq!(fitted("read 4 k/s", 10), "read 4 k/s");
        assert_eq!(fitted("read 4 k/s", 6), "read \u{2026}");
        assert_eq!(fitted("디스크", 5), "디스\u{2026}");
        assert_eq!((fitted("디스크", 4), fitted("a b", 0)), ("디\u{2026}".to_owned(), String::new()));
        assert_eq!(padded("디스크", 8), "디스크  ");
        assert_eq!(padded("디스크", 4), "디\u{2026} ");
    }

    #[test]
    fn the_end_of_a_name_stays() {
        assert_eq!(padded_name("disk vda", 10), "disk vda  ");
        assert_eq!(
            padded_name("control group /system.slice/nginx.service", 20),
            "control g\u{2026}nx.service"
        );
        let interface = padded_name("ネットワークインターフェース eth0", 24);
        assert!(interface.contains("eth0") && columns_of(&interface) == 24, "{interface}");
    }

    #[test]
    fn lines_are_counted_as_words_go() {
        assert_eq!((lines_of("", 10), lines_of("all CPUs", 10), lines_of("all CPUs: full", 10)), (1, 1, 2));
        assert_eq!(lines_of("/a/path/that/is/longer", 10), 3);
        assert_eq!(lines_of("a /a/path/that/is/longer b", 10), 4);
        assert_eq!(lines_of("한국어 한국어", 6), 2);
    }
}
