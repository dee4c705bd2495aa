//! A document as one self-contained HTML page: no script, nothing fetched, and
//! a policy in its head that holds browsers to that. It is well-formed XML too,
//! so that any tool can read it.

mod block;
mod contents;
mod served;

use std::cell::{Cell, RefCell};

use language::Words;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use model::parallel;

pub use served::{ServedPage, Surroundings, figure, served, style_sheet};

use super::{Block, Document, Piece, Section, Text, Tone};
use crate::text::{clean, measures};

/// The rules of the page.
const STYLE: &str = include_str!("style.css");

/// What stands in the head of every page. Not written by maud, whose empty
/// elements are no XML.
const CHARSET: &str = r#"<meta charset="utf-8"/>"#;

/// What a saved page may do. A server sends such a policy with each page.
const POLICY: &str = concat!(
    r#"<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; "#,
    r#"img-src data:; base-uri 'none'; form-action 'none'"/>"#,
);

/// What else stands in the head of every page.
const HEAD: &str = concat!(
    r#"<meta name="viewport" content="width=device-width, initial-scale=1"/>"#,
    r#"<meta name="color-scheme" content="light dark"/>"#,
    r#"<meta name="generator" content="Headroom"/>"#
);

/// The page.
#[must_use]
pub fn write(document: &Document) -> String {
    page(document, None)
}

/// The page, alone or in its surroundings.
fn page(document: &Document, around: Option<&Surroundings>) -> String {
    let page = Page::new(document, 0, around);
    let words = document.words;
    let title = clean(&document.title);
    let markup = html! {
        (DOCTYPE)
        html lang=(words.language().tag()) {
            head {
                (PreEscaped(CHARSET))
                @if around.is_none() { (PreEscaped(POLICY)) }
                (PreEscaped(HEAD))
                title { (title) }
                @match around {
                    Some(around) => (PreEscaped(&around.head)),
                    None => style { (PreEscaped(STYLE)) (PreEscaped(chart::plot::style_sheet())) },
                }
            }
            body {
                a.skip href="#main" { (words.say("page-skip")) }
                @if let Some(around) = around { (PreEscaped(&around.above)) }
                header.top {
                    h1 { (title) }
                    @if !document.byline.is_empty() {
                        p.byline { @for fact in &document.byline { span { (clean(fact)) } " " } }
                    }
                    @if let Some(around) = around { (PreEscaped(&around.below)) }
                }
                div.page {
                    (contents::beside(document))
                    main #main {
                        (contents::above(document))
                        @if !document.purpose.is_empty() {
                            div.purpose { @for ranked in &document.purpose { (page.block(&ranked.block)) } }
                        }
                        @for section in sections(document, around) { (section) }
                    }
                }
                footer.end { p { (page.text(&document.footer)) } }
            }
        }
    };
    markup.into_string() + "\n"
}

/// The sections as they stand on the page. Any thread writes any of them, as all know how many
/// figures stand before theirs.
fn sections(document: &Document, around: Option<&Surroundings>) -> Vec<Markup> {
    let mut before: usize = document.purpose.iter().map(|ranked| figures(&ranked.block)).sum();
    let mut begun = Vec::new();
    for (section, number) in document.sections.iter().zip(1usize..) {
        begun.push((section, number, before));
        before += figures_of(section);
    }
    parallel::map_few(&begun, |(section, number, before)| {
        let page = Page::new(document, *before, around);
        page.section(section, &number.to_string(), 2)
    })
}

/// How many figures a section has.
fn figures_of(section: &Section) -> usize {
    let own = section.blocks.iter().map(|ranked| figures(&ranked.block));
    own.chain(section.subsections.iter().map(figures_of)).sum()
}

/// How many figures a block has.
fn figures(block: &Block) -> usize {
    match block {
        Block::Chart { .. } | Block::Picture { .. } => 1,
        Block::More { blocks, .. } => blocks.iter().map(figures).sum(),
        _ => 0,
    }
}

/// What blocks share that one thread writes.
struct Page<'a> {
    words: &'static Words,
    /// Figures so far.
    figures: Cell<usize>,
    /// Where a server shows it: what is around it.
    around: Option<&'a Surroundings>,
    /// The title of what the present block stands in.
    within: RefCell<String>,
}

impl<'a> Page<'a> {
    fn new(document: &Document, figures: usize, around: Option<&'a Surroundings>) -> Self {
        let within = RefCell::new(clean(&document.title));
        Self { words: document.words, figures: Cell::new(figures), around, within }
    }
}

impl Page<'_> {
    fn section(&self, section: &Section, number: &str, level: u8) -> Markup {
        let id = format!("{}-title", section.id);
        let title = html! { span.number { (number) } " " (clean(&section.title)) };
        self.within.replace(clean(&section.title));
        html! {
            section id=(section.id) aria-labelledby=(id) {
                @if level == 2 { h2 id=(id) { (title) } } @else { h3 id=(id) { (title) } }
                @for ranked in &section.blocks { (self.block(&ranked.block)) }
                @for (index, part) in section.subsections.iter().enumerate() {
                    (self.section(part, &format!("{number}.{}", index + 1), level + 1))
                }
            }
        }
    }

    fn text(&self, text: &Text) -> Markup {
        html! {
            @for piece in &text.0 {
                @match piece {
                    Piece::Plain(text) => (running(text)),
                    Piece::Strong(text) => b { (running(text)) },
                    Piece::Code(text) => code { (clean(text)) },
                    Piece::Link(id, text) => a href=(format!("#{}", fragment(id))) { (clean(text)) },
                    Piece::Badge(tone, text) => span class=(format!("badge {}", class(*tone))) { (clean(text)) },
                }
            }
        }
    }
}

/// Running text: a number stays on the line of its unit.
fn running(text: &str) -> String {
    measures(&clean(text))
}

/// An id as a link may hold it: ours are made of these letters only.
fn fragment(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect()
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Plain => "plain",
        Tone::Warning => "warning",
        Tone::Error => "error",
    }
}
