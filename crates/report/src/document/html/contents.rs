//! The list of contents: beside the text where there is room, above it where
//! there is not.

use maud::{Markup, html};

use super::super::{Document, Section};
use crate::text::clean;

/// Beside the text, on wide screens and on paper.
pub(super) fn beside(document: &Document) -> Markup {
    html! {
        nav.contents aria-label=(document.words.say("page-contents")) {
            p.of { (document.words.say("page-contents")) }
            (list(&document.sections, ""))
        }
    }
}

/// Above the text, closed.
pub(super) fn above(document: &Document) -> Markup {
    html! {
        details.contents {
            summary { (document.words.say("page-contents")) }
            nav aria-label=(document.words.say("page-contents")) { (list(&document.sections, "")) }
        }
    }
}

/// Sections with their numbers, which begin with `above`.
fn list(sections: &[Section], above: &str) -> Markup {
    html! {
        ol {
            @for (index, section) in sections.iter().enumerate() {
                (entry(section, &format!("{above}{}", index + 1)))
            }
        }
    }
}

fn entry(section: &Section, number: &str) -> Markup {
    html! {
        li {
            a href=(format!("#{}", super::fragment(&section.id))) {
                span.number { (number) } " " span { (clean(&section.title)) }
            }
            @if !section.subsections.is_empty() {
                (list(&section.subsections, &format!("{number}.")))
            }
        }
    }
}
