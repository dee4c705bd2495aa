//! What is said of a trace of block events: one paragraph in words, then the figures, then
//! what is missing. Which section there is, in which order.

mod activity;
mod answer;
mod charts;
mod depth;
mod export;
mod flushes;
mod losses;
mod observation;
mod operations;
mod phases;
mod processes;
mod sizes;
mod stalls;
mod subject;
mod syncs;
#[cfg(test)]
mod tests;
mod view;

pub use export::{TRACE_EXPORTERS, WriteTrace, trace_json};
pub use subject::{CommandEnding, TraceCaution, TraceSubject, TracedCommandEnd};

use self::view::TraceView;
use crate::document::{Document, Section, Text};

/// Makes a section.
type WriteSection = fn(&TraceView<'_>) -> Section;

/// Every section, in order: a file and a line here, and whether it is also said of a list of
/// steps, which has nothing that was completed. One that says nothing is left out.
const SECTIONS: &[(WriteSection, bool)] = &[
    (answer::write, true),
    (operations::write, true),
    (sizes::write, true),
    (phases::write, false),
    (depth::write, false),
    (processes::submitted, false),
    (processes::dirtied, false),
    (stalls::write, false),
    (syncs::write, false),
    (flushes::write, false),
    (charts::write, true),
    (losses::write, true),
];

/// Most titles are the words over a table's first column, too; as titles they begin with a capital.
fn titled(mut section: Section) -> Section {
    let mut letters = section.title.chars();
    if let Some(first) = letters.next() {
        section.title = first.to_uppercase().chain(letters).collect();
    }
    section
}

/// The report of a trace as a document, which has no format yet.
#[must_use]
pub fn document(subject: &TraceSubject<'_>) -> Document {
    let view = TraceView { subject };
    let said = SECTIONS.iter().filter(|(_, of_steps)| *of_steps || !subject.is_steps);
    let sections = said.map(|(write, _)| write(&view)).filter(|section| !section.is_empty()).map(titled);
    Document {
        words: subject.words,
        title: view.title(),
        byline: view.byline(),
        purpose: Vec::new(),
        sections: sections.collect(),
        footer: Text::default(),
    }
}
