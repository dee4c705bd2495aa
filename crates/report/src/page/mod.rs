//! The report of a run: which sections it has, in which order.

mod view;

use model::Run;
use model::workload::Catalogue;

pub use view::View;

use crate::document::{Document, Section};

/// One section: a file and a line in [`SECTIONS`].
pub(crate) struct Part {
    /// What it says; empty to leave it out.
    pub(crate) write: fn(&View<'_>) -> Section,
}

/// Every section, in order.
const SECTIONS: &[Part] = &[];

/// What a report is made from.
pub struct Subject<'a> {
    /// The run.
    pub run: &'a Run,
    /// What can be measured.
    pub catalogue: &'a Catalogue,
    /// The words.
    pub words: &'static language::Words,
}

/// The report as a document, which has no format yet.
#[must_use]
pub fn document(subject: &Subject<'_>) -> Document {
    let view = View::new(subject);
    let sections = SECTIONS.iter().map(|part| (part.write)(&view)).filter(|s| !s.is_empty());
    Document { words: subject.words, title: view.title(), byline: Vec::new(), sections: sections.collect() }
}
