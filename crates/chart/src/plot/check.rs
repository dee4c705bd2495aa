//! What every chart must keep, whatever it is given: well-formed, all numbers
//! finite and on the sheet, no text on text, none cut by the sheet's edge. For
//! the tests of all kinds.

use language::{LANGUAGES, Words};

use super::path::corners;
use super::style::WIDTHS;
use super::{DataTable, Drawing, Plot};
use crate::text::Font;

/// From the base line of text up to its top, and down to its bottom.
const ASCENT: f64 = 10.0;
/// See [`ASCENT`].
const DESCENT: f64 = 3.0;

/// Text on a sheet: what it says and the box it takes.
#[derive(Debug)]
pub(crate) struct TextBox {
    pub(crate) text: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Draws `plot` at both widths in all languages and checks each; `what` names it
/// where that fails.
pub(crate) fn hold(plot: &dyn Plot, what: &str) {
    for language in LANGUAGES {
        let words = language.words();
        for (_, width) in WIDTHS {
            sheet(plot, words, width, &format!("{what}, {} wide, {}", width, language.tag()));
        }
        table(&plot.table(words), what);
        assert!(!plot.describe(words).contains("lines-") && !plot.describe(words).contains("{$"), "{what}");
        let whole = format!("<div>{}</div>", super::svg(plot, "A <chart> & \"more\"", words));
        roxmltree::Document::parse(&whole).unwrap_or_else(|e| panic!("{what}: {e}"));
    }
}

/// The texts that a chart shows at this width.
pub(crate) fn texts(plot: &dyn Plot, words: &Words, width: f64) -> Vec<String> {
    let drawing = plot.draw(words, width);
    let whole = format!("<svg>{}</svg>", drawing.elements);
    let document = roxmltree::Document::parse(&whole).unwrap();
    boxes(&document).into_iter().map(|b| b.text).collect()
}

/// The data of the paths of a class, within groups too.
pub(crate) fn paths(drawing: &Drawing, class: &str) -> Vec<String> {
    let whole = format!("<svg>{}</svg>", drawing.elements);
    let document = roxmltree::Document::parse(&whole).unwrap();
    let of_class = |n: &roxmltree::Node<'_, '_>| n.attribute("class") == Some(class);
    document.descendants().filter(of_class).filter_map(|n| n.attribute("d").map(str::to_owned)).collect()
}

fn table(table: &DataTable, what: &str) {
    assert!(!table.head.is_empty(), "{what}: a table without a head");
    for row in &table.rows {
        assert_eq!(row.len(), table.head.len(), "{what}: {row:?} under {:?}", table.head);
    }
}

fn sheet(plot: &dyn Plot, words: &Words, width: f64, what: &str) {
    let drawing = plot.draw(words, width);
    assert!(drawing.height > 0.0 && drawing.height < 6000.0, "{what}: {} high", drawing.height);
    assert!(!drawing.elements.contains("NaN") && !drawing.elements.contains("inf\""), "{what}");
    let whole = format!("<svg>{}</svg>", drawing.elements);
    let document = roxmltree::Document::parse(&whole).unwrap_or_else(|e| panic!("{what}: {e}\n{whole}"));
    for node in document.descendants().filter(|n| n.has_tag_name("path")) {
        let d = node.attribute("d").unwrap();
        for (x, y) in corners(d).into_iter().flatten() {
            assert!((-0.6..=width + 0.6).contains(&x), "{what}: {x} across in {d}");
            assert!((-0.6..=drawing.height + 0.6).contains(&y), "{what}: {y} down in {d}");
        }
    }
    let boxes = boxes(&document);
    for (i, one) in boxes.iter().enumerate() {
        assert!(one.left >= -0.6 && one.right <= width + 0.6, "{what}: cut at a side: {one:?}");
        assert!(one.top >= -0.6 && one.bottom <= drawing.height + 0.6, "{what}: cut above or below: {one:?}");
        for other in &boxes[i + 1..] {
            let apart = one.right <= other.left + 0.5
                || other.right <= one.left + 0.5
                || one.bottom <= other.top + 0.5
                || other.bottom <= one.top + 0.5;
            assert!(apart, "{what}: {one:?} on {other:?}");
        }
    }
}

fn boxes(document: &roxmltree::Document<'_>) -> Vec<TextBox> {
    let texts = document.descendants().filter(|n| n.has_tag_name("text"));
    texts
        .map(|node| {
            let classes: Vec<&str> = node.attribute("class").unwrap_or("").split(' ').collect();
            let has = |class| classes.contains(&class);
            let size = if has("t") { 11.0 } else { 12.0 };
            let font = if has("b") { Font::bold(size) } else { Font::plain(size) };
            let number = |name| node.attribute(name).unwrap().parse::<f64>().unwrap();
            let text = node.text().unwrap_or("").to_owned();
            let (x, y, width) = (number("x"), number("y"), font.width(&text));
            let left = x - if has("m") {
                width / 2.0
            } else if has("e") {
                width
            } else {
                0.0
            };
            TextBox { text, left, right: left + width, top: y - ASCENT, bottom: y + DESCENT }
        })
        .collect()
}

/// Numbers for tests that look random: the same each time (Knuth's MMIX).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// The next of 2^31.
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// From 0 to below `sides`.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        (self.roll() % sides.max(1) as u64) as usize
    }

    /// From 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.roll() as f64 / f64::from(1u32 << 31)
    }

    /// A value: mostly sane, sometimes none at all.
    pub(crate) fn value(&mut self) -> f64 {
        match self.below(24) {
            0 => 0.0,
            1 => -self.share() * 1e3,
            2 => f64::NAN,
            3 => f64::INFINITY,
            4 => 1e300,
            5 => f64::NEG_INFINITY,
            6 => 1e-300,
            _ => self.share() * 10f64.powi(self.below(9) as i32 - 3),
        }
    }

    /// A name: mostly sane, sometimes one that is meant to break the page.
    pub(crate) fn name(&mut self) -> String {
        const NAMES: &[&str] = &[
            "",
            "4 KiB random read",
            "<script>alert(1)</script>",
            "\u{202e}gnirw\u{7}\n\t two  lines",
            "a very long name of a case that nobody would choose, with all its parameters = 1, 2, 3, and more of it",
            "Wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww",
            "순차 읽기 128 KiB 큐 깊이 32",
            "\"/><text x='0'>&amp;&#0;",
            "vda",
            "latency",
        ];
        NAMES[self.below(NAMES.len())].to_owned()
    }
}
