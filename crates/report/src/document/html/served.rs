//! The page as a server shows it beside others: the same content, with the server's style sheet and script in place of its
//! own, the way to other pages above it, and charts over time that can be read and asked for in parts.
//!
//! Such a page has no policy in its head, for the server sends one. What little style it has within, that policy allows by
//! its hash.

use chart::plot::{self, Plot, PlotPart};

use super::super::{Block, Document, Ranked, Section};
use super::{STYLE, page};

/// What a page has around it, and which part of its charts over time it shows. The texts are elements of ours.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// What stands in the head: the style sheet and the script.
    pub head: String,
    /// What stands above the title: the way to other pages.
    pub above: String,
    /// What stands below the title: what can be done with what is shown.
    pub below: String,
    /// From when to when charts over time are drawn, in seconds of their clocks; all of them where absent.
    pub span: Option<(f64, f64)>,
    /// Tracks that are not drawn: the number of the figure, from 1, and the track's place in it.
    pub hidden: Vec<(usize, usize)>,
}

impl Surroundings {
    /// What is shown of a figure; none where that is all.
    #[must_use]
    pub fn part(&self, figure: usize) -> Option<PlotPart> {
        let own = self.hidden.iter().filter(|(of, _)| *of == figure);
        let hidden: Vec<usize> = own.map(|(_, place)| *place).collect();
        (self.span.is_some() || !hidden.is_empty()).then_some(PlotPart { span: self.span, hidden })
    }
}

/// A page with the style that stands within it.
#[derive(Clone, Debug, Default)]
pub struct ServedPage {
    /// The page.
    pub html: String,
    /// The content of its `style` elements and attributes, each once, by the hashes of which a policy allows it.
    pub styles: Vec<String>,
}

/// The page in its surroundings.
#[must_use]
pub fn served(document: &Document, surroundings: &Surroundings) -> ServedPage {
    let html = page(document, Some(surroundings));
    let styles = styles(&html);
    ServedPage { html, styles }
}

/// The rules of all pages and charts.
#[must_use]
pub fn style_sheet() -> String {
    format!("{STYLE}{}", plot::style_sheet())
}

/// The chart that has this number on the page, from 1, with its title.
#[must_use]
pub fn figure(document: &Document, number: usize) -> Option<(&str, &dyn Plot)> {
    let mut charts = Vec::new();
    of_ranked(&document.purpose, &mut charts);
    document.sections.iter().for_each(|section| of_section(section, &mut charts));
    charts.into_iter().nth(number.checked_sub(1)?).flatten()
}

/// What has a number: a chart, or a picture, which is none.
type Numbered<'a> = Option<(&'a str, &'a dyn Plot)>;

fn of_section<'a>(section: &'a Section, charts: &mut Vec<Numbered<'a>>) {
    of_ranked(&section.blocks, charts);
    section.subsections.iter().for_each(|part| of_section(part, charts));
}

fn of_ranked<'a>(blocks: &'a [Ranked], charts: &mut Vec<Numbered<'a>>) {
    blocks.iter().for_each(|ranked| of_block(&ranked.block, charts));
}

fn of_block<'a>(block: &'a Block, charts: &mut Vec<Numbered<'a>>) {
    match block {
        Block::Chart { title, plot, .. } => charts.push(Some((title, plot.as_ref()))),
        Block::Picture { .. } => charts.push(None),
        Block::More { blocks, .. } => blocks.iter().for_each(|block| of_block(block, charts)),
        _ => {}
    }
}

/// The content of `style` elements and attributes. All other text is escaped, so that a quotation mark or a bracket is
/// always ours; what could fetch something is none of ours and is not allowed.
fn styles(html: &str) -> Vec<String> {
    const BEGINNINGS: [(&str, &str); 2] = [(" style=\"", "\""), ("<style>", "</style>")];
    let mut found = Vec::new();
    for (beginning, end) in BEGINNINGS {
        for part in html.split(beginning).skip(1) {
            let Some((style, _)) = part.split_once(end) else { continue };
            let fetches = ["url(", "@import", "image-set("].iter().any(|word| style.contains(word));
            if !fetches && !found.iter().any(|known| known == style) {
                found.push(style.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::super::write;
    use super::*;
    use crate::page::{self, Subject};

    fn document() -> Document {
        let run = crate::tests::long::short();
        page::document(&Subject { run: &run, words: Language::English.words() })
    }

    #[test]
    fn a_served_page_says_what_the_saved_one_says() {
        let document = document();
        let around = Surroundings {
            head: "<link rel=\"stylesheet\" href=\"/s.css\"/>".to_owned(),
            above: "<nav>all runs</nav>".to_owned(),
            below: "<p>remove</p>".to_owned(),
            ..Surroundings::default()
        };
        let served = served(&document, &around).html;
        for ours in [&around.head, &around.above, &around.below] {
            assert_eq!(served.matches(ours.as_str()).count(), 1, "{ours}");
        }
        assert!(!served.contains("Content-Security-Policy") && !served.contains(STYLE));
        let main = |page: &str| {
            let from = page.find("<main").unwrap();
            page[from..].replace(" data-figure=\"", "\u{0}").replace(" id=\"figure-", "\u{1}")
        };
        let plain = |page: String| -> String {
            // The marks by which a script finds charts: a number, and the id.
            let mut text = String::new();
            let mut rest = page.as_str();
            while let Some(at) = rest.find(['\u{0}', '\u{1}']) {
                text.push_str(&rest[..at]);
                rest = rest[at + 1..].split_once('"').unwrap().1;
            }
            text + rest
        };
        // What scrolls is always called something.
        assert!(!served.contains("aria-label=\"\""));
        let unnamed = |page: String| -> String {
            let mut parts = page.split("role=\"region\" aria-label=\"");
            let first = parts.next().unwrap().to_owned();
            parts.fold(first, |text, part| text + part.split_once('"').unwrap().1)
        };
        assert_eq!(unnamed(plain(main(&served))), unnamed(main(&write(&document))));
    }

    #[test]
    fn charts_have_the_numbers_that_their_captions_have() {
        let document = document();
        let page = served(&document, &Surroundings::default()).html;
        let count = page.matches("<figcaption>").count();
        assert!(count > 0);
        for number in 1..=count {
            let Some((title, plot)) = figure(&document, number) else { continue };
            let caption = format!(
                "<span class=\"number\">Figure {number}</span> {}",
                maud::html! { (title) }.into_string()
            );
            assert!(page.contains(&caption), "{caption}");
            let marked = format!("data-figure=\"{number}\"");
            assert_eq!(page.contains(&marked), plot.is_over_time(), "{title}");
        }
        assert!(figure(&document, 0).is_none() && figure(&document, count + 1).is_none());
    }

    #[test]
    fn all_style_within_a_page_is_found_and_none_that_fetches() {
        let page = served(&document(), &Surroundings::default());
        let count = |html: &str| html.matches("<style>").count() + html.matches(" style=\"").count();
        assert!(count(&page.html) >= page.styles.len() && !page.styles.is_empty());
        let mut left = page.html.clone();
        for style in &page.styles {
            left = left
                .replace(&format!(" style=\"{style}\""), "")
                .replace(&format!("<style>{style}</style>"), "");
        }
        assert_eq!(count(&left), 0);
        assert!(styles("<a style=\"background:url(//x)\"><style>@import 'x'</style>").is_empty());
    }

    #[test]
    fn a_part_is_asked_for_by_figure() {
        let around = Surroundings { hidden: vec![(3, 1), (4, 0)], ..Surroundings::default() };
        assert_eq!(around.part(3), Some(PlotPart { span: None, hidden: vec![1] }));
        assert_eq!(around.part(5), None);
        let around = Surroundings { span: Some((1.0, 2.0)), ..around };
        assert_eq!(around.part(5), Some(PlotPart { span: Some((1.0, 2.0)), hidden: vec![] }));
    }
}
