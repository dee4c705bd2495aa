//! The report of a comparison: which sections it has, in which order.

mod answer;
mod charts;
mod circumstances;
mod doubts;
mod goals;
mod machines;
mod method;
mod price;
mod rows;
mod servers;
mod sides;
#[cfg(test)]
pub(crate) mod tests;
mod view;

use model::{Comparison, Run};

pub(super) use self::circumstances::value_in_words;
use self::view::ComparisonView;
pub(super) use self::view::verdict_in_words;
use crate::document::{Block, Document, Rank, Ranked, Section};

/// Every section, in order: a file and a line here. One that says nothing is left out.
const SECTIONS: &[fn(&ComparisonView<'_>) -> Section] = &[
    answer::write,
    goals::write,
    rows::write,
    price::write,
    charts::write,
    servers::write,
    circumstances::write,
    doubts::write,
    machines::write,
    method::write,
];

/// What a comparison's report is made from.
pub struct ComparisonSubject<'a> {
    /// Writes the section.
    pub comparison: &'a Comparison,
    /// The runs, in the order of the comparison's sides; the only one, where its
    /// cases are compared with one another.
    pub runs: &'a [Run],
    /// The command that compared, as typed; empty if there was none.
    pub command: &'a [String],
    /// The words.
    pub words: &'static language::Words,
}

/// The report as a document, which has no format yet.
#[must_use]
pub fn document(subject: &ComparisonSubject<'_>) -> Document {
    let sides = sides::compared(subject);
    let version = &subject.comparison.headroom.version;
    let footer = subject.words.tell("comparison-footer", &[("version", version.as_str().into())]).into();
    let Some(baseline) = sides.first() else {
        let title = subject.words.say("page-untitled");
        let (byline, purpose, sections) = <(Vec<String>, Vec<Ranked>, Vec<Section>)>::default();
        return Document { words: subject.words, title, byline, purpose, sections, footer };
    };
    let all = sides::together(subject, baseline, &sides);
    let view = ComparisonView::new(subject, &all, &sides);
    let sections = SECTIONS.iter().map(|write| write(&view)).filter(|s| !s.is_empty());
    Document {
        words: subject.words,
        title: view.title(),
        byline: Vec::new(),
        purpose: vec![Ranked { rank: Rank::Verdict, block: Block::Pairs(view.described()) }],
        sections: sections.collect(),
        footer,
    }
}
