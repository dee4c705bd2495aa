//! How text stands on a terminal: its width, its colours, where lines break, and
//! tables. The content is decided elsewhere.

pub(crate) mod table;
pub(crate) mod wrap;

use textwrap::core::display_width;

use crate::WIDTH;
use crate::text::{cleaned, measures};

/// No line of running text is longer: nobody reads one of 200 columns.
const PROSE_MOST: usize = 100;

/// The widths that texts are made for.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=200;

/// Where a text will stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    width: usize,
    colour: bool,
}

impl Default for Terminal {
    /// A pipe: [`WIDTH`] columns, no colour.
    fn default() -> Self {
        Self { width: WIDTH, colour: false }
    }
}

impl Terminal {
    /// A terminal of so many columns, as far as texts are made for that width.
    #[must_use]
    pub fn new(columns: usize, colour: bool) -> Self {
        Self { width: columns.clamp(*WIDTHS.start(), *WIDTHS.end()), colour }
    }

    /// Columns of a table.
    pub(crate) fn width(self) -> usize {
        self.width
    }

    /// Columns of running text.
    pub(crate) fn prose(self) -> usize {
        self.width.min(PROSE_MOST)
    }

    /// A line as it is printed; spaces at its end are left out.
    pub(crate) fn line(self, spans: &[Span]) -> String {
        let last = spans.iter().rposition(|s| !s.text.trim_end().is_empty());
        let Some(last) = last else { return "\n".to_owned() };
        let mut out = String::new();
        for (place, span) in spans[..=last].iter().enumerate() {
            let text = if place == last { span.text.trim_end() } else { &span.text };
            match span.style.code().filter(|_| self.colour && !text.trim().is_empty()) {
                Some(code) => out.push_str(&format!("\u{1b}[{code}m{text}\u{1b}[0m")),
                None => out.push_str(text),
            }
        }
        out + "\n"
    }
}

/// How letters look. It is never the only thing that says something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// As the terminal has them.
    #[default]
    Plain,
    /// What the eye should find.
    Strong,
    /// What most readers pass over.
    Faint,
    Good,
    /// To be kept in mind.
    Warning,
    Error,
}

impl Style {
    /// The parameters of SGR (ECMA-48, 8.3.117).
    fn code(self) -> Option<&'static str> {
        match self {
            Style::Plain => None,
            Style::Strong => Some("1"),
            Style::Faint => Some("2"),
            Style::Good => Some("32"),
            Style::Warning => Some("33"),
            Style::Error => Some("1;31"),
        }
    }
}

/// Letters of one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    /// How they look.
    pub(crate) style: Style,
    /// The letters, which a terminal may show as they are.
    pub(crate) text: String,
}

impl Span {
    /// These letters in this style.
    pub(crate) fn new(style: Style, text: impl Into<String>) -> Self {
        Self { style, text: text.into() }
    }
}

/// `text` as a paragraph of [`WIDTH`] columns, without a line break at its end.
#[must_use]
pub fn fill(text: &str) -> String {
    paragraph("", "", text).trim_end().to_owned()
}

/// `text`, made printable, wrapped, with a line break at its end: `first` before
/// its first line, `rest` before the others.
pub(crate) fn paragraph(first: &str, rest: &str, text: &str) -> String {
    let span = Span::new(Style::Plain, measures(&cleaned(text)));
    let room = |before: &str| WIDTH.saturating_sub(display_width(before)).max(2);
    let lines = wrap::lines(&[span], room(first), room(rest)).into_iter().enumerate();
    let of = |(number, line): (usize, Vec<Span>)| {
        let before = if number == 0 { first } else { rest };
        line.into_iter().fold(before.to_owned(), |out, span| out + &span.text) + "\n"
    };
    lines.map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::facts;
    use proptest::prelude::*;

    #[test]
    fn a_line_has_colours_only_where_they_are_shown_and_no_space_at_its_end() {
        let spans = [Span::new(Style::Error, "error"), Span::default(), Span::new(Style::Plain, "  x  ")];
        assert_eq!(Terminal::default().line(&spans), "error  x\n");
        assert_eq!(Terminal::new(80, true).line(&spans), "\u{1b}[1;31merror\u{1b}[0m  x\n");
        assert_eq!(Terminal::new(80, true).line(&[Span::new(Style::Faint, "  ")]), "\n");
    }

    #[test]
    fn a_width_that_nothing_is_made_for_is_the_nearest_that_is() {
        assert_eq!([10, 60, 132, 400].map(|w| Terminal::new(w, false).width()), [60, 60, 132, 200]);
        assert_eq!(Terminal::new(200, false).prose(), 100);
    }

    #[test]
    fn lines_break_between_facts_and_hang() {
        let text = facts([Some("8 GT/s x8".to_owned()), None, Some("7.877 GB/s".to_owned())]);
        assert_eq!(paragraph("  ", "    ", &text), "  8 GT/s x8, 7.877 GB/s\n");
        let long = facts((0..20).map(|n| Some(format!("fact {n}"))));
        for line in paragraph("  key  ", "       ", &long).lines() {
            assert!(line.ends_with(',') || line.ends_with("19"), "{line}");
            assert!(line.starts_with("  key  fact 0") || line.starts_with("       fact"), "{line}");
        }
    }

    #[test]
    fn no_line_breaks_between_a_number_and_its_unit() {
        for (text, whole) in
            [("rustc (155 %), others", "(155 %),"), ("load of rustc x 2 1.9, sshd", "x 2 1.9,")]
        {
            for width in 0..WIDTH {
                let shown = paragraph(&"-".repeat(width), "", text);
                let fits = width + 8 < WIDTH;
                assert!(!fits || shown.contains(whole), "{shown}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_a_page(text in "\\PC{0,200}|.{0,200}") {
            let shown = paragraph("  key  ", "       ", &text);
            for line in shown.lines() {
                prop_assert!(textwrap::core::display_width(line) <= WIDTH, "{line:?}");
                prop_assert!(!line.chars().any(char::is_control), "{line:?}");
            }
        }
    }
}
