//! Writing SVG: elements, attributes, escaping and numbers. All charts write
//! through it, so that no name of a device can ever become markup.

use std::fmt::Write as _;

#[derive(Default)]
pub(crate) struct Svg {
    out: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// Begins an element; what it returns must be ended with
    /// [`Tag::empty`], [`Tag::text`] or [`Tag::open`].
    pub(crate) fn tag(&mut self, name: &'static str) -> Tag<'_> {
        self.out.push('<');
        self.out.push_str(name);
        Tag { svg: self, name }
    }

    pub(crate) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = write!(self.out, "</{name}>");
        }
    }

    /// A line break in the document, to keep it readable.
    pub(crate) fn line(&mut self) {
        self.out.push('\n');
    }

    /// Elements that another [`Svg`] wrote.
    pub(crate) fn raw(&mut self, elements: &str) {
        self.out.push_str(elements);
    }

    /// Text that is ours and needs no escaping, for a style sheet.
    pub(crate) fn style(&mut self, css: &str) {
        let _ = write!(self.out, "<style>{css}</style>");
    }

    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out.push('\n');
        self.out
    }
}

/// An element whose attributes are being written.
#[must_use]
pub(crate) struct Tag<'a> {
    svg: &'a mut Svg,
    name: &'static str,
}

impl Tag<'_> {
    pub(crate) fn attr(self, name: &str, value: &str) -> Self {
        let _ = write!(self.svg.out, " {name}=\"{}\"", escape(value));
        self
    }

    /// The attribute `class`, where there is one.
    pub(crate) fn class(self, value: &str) -> Self {
        if value.is_empty() { self } else { self.attr("class", value) }
    }

    pub(crate) fn num(self, name: &str, value: f64) -> Self {
        let _ = write!(self.svg.out, " {name}=\"{}\"", number(value));
        self
    }

    pub(crate) fn empty(self) {
        self.svg.out.push_str("/>");
    }

    pub(crate) fn text(self, text: &str) {
        let _ = write!(self.svg.out, ">{}</{}>", escape(text), self.name);
    }

    /// Leaves it open for elements within.
    pub(crate) fn open(self) {
        self.svg.out.push('>');
        self.svg.open.push(self.name);
    }
}

/// A coordinate with at most one decimal: a tenth of a pixel is enough, and the
/// same on every machine. What is not finite is 0, since SVG has no word for it.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as XML 1.0 can hold it, in content and in attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            c if is_unprintable(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// A name from a machine as one line to print: control characters and those
/// that turn the direction of writing are gone, white space is single, and
/// nothing is longer than anybody reads.
pub(crate) fn clean(raw: &str) -> String {
    const LONGEST: usize = 200;
    let spaced = raw.chars().take(LONGEST * 4).map(|c| if c.is_whitespace() { ' ' } else { c });
    let kept: String = spaced.filter(|c| !is_unprintable(*c)).take(LONGEST * 2).collect();
    join(kept.split(' '), " ").chars().take(LONGEST).collect()
}

/// What is not empty, with `between` in between.
pub(crate) fn join(parts: impl IntoIterator<Item = impl AsRef<str>>, between: &str) -> String {
    let mut joined = String::new();
    for part in parts {
        let part = part.as_ref();
        if !joined.is_empty() && !part.is_empty() {
            joined.push_str(between);
        }
        joined.push_str(part);
    }
    joined
}

/// Control characters, marks of direction (Unicode Standard Annex 9) and what
/// XML 1.0 (section 2.2) has no place for.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{fdd0}'..='\u{fdef}')
        || matches!(c, '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_decimal_at_most_and_is_never_infinite() {
        assert_eq!(number(3.0), "3");
        assert_eq!(number(3.123_45), "3.1");
        assert_eq!(number(-0.01), "0");
        assert_eq!(number(f64::NAN), "0");
        assert_eq!(number(f64::INFINITY), "0");
    }

    #[test]
    fn markup_in_a_name_becomes_text() {
        assert_eq!(escape("<b a='1' & \"2\">\u{1}"), "&lt;b a=&#39;1&#39; &amp; &quot;2&quot;&gt;");
    }

    #[test]
    fn a_name_loses_control_characters_and_turned_writing() {
        assert_eq!(clean("  SAM\u{202e}SUNG \t\n SSD\u{0}\u{7} "), "SAMSUNG SSD");
        assert_eq!(clean(&"x".repeat(10_000)).chars().count(), 200);
    }

    #[test]
    fn elements_left_open_are_ended() {
        let mut svg = Svg::default();
        svg.tag("svg").open();
        svg.tag("g").class("a\"b").open();
        svg.tag("text").num("x", 1.25).text("1 < 2");
        assert_eq!(svg.finish(), "<svg><g class=\"a&quot;b\"><text x=\"1.2\">1 &lt; 2</text></g></svg>\n");
    }
}
