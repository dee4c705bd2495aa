//! How text stands on a terminal: its width, its colours, where lines break, and
//! tables. What is said is decided elsewhere.

pub(crate) mod table;
pub(crate) mod wrap;

use crate::WIDTH;

/// No line of running text is longer: nobody reads one of 200 columns.
const PROSE_MOST: usize = 100;

/// The widths that texts are made for.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=200;

/// Where a text will stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Columns.
    width: usize,
    /// Whether it shows colours.
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
    /// Good news.
    Good,
    /// To be kept in mind.
    Warning,
    /// Bad.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
