//! The report of a fleet: which machines are unlike the others, which fall into groups, what goes with it, and
//! every figure over all machines.

mod answer;
mod figures;
mod heat;
mod machines;
mod method;
mod splits;
#[cfg(test)]
pub(crate) mod tests;
mod view;

use analysis::fleet::Fleet;
use language::Words;

use self::view::FleetView;
use crate::document::{Document, Section};

/// Every section, in order: a file and a line here. One that says nothing is left out.
const SECTIONS: &[fn(&FleetView<'_>) -> Section] =
    &[answer::write, splits::write, heat::write, figures::write, machines::write, method::write];

/// What a fleet's report is made from.
pub struct FleetSubject<'a> {
    /// What was found.
    pub fleet: &'a Fleet,
    /// Documents that could not be read, each with the reason.
    pub left_out: &'a [(String, String)],
    /// The command that asked, as typed; empty if there was none.
    pub command: &'a [String],
    /// The words.
    pub words: &'static Words,
}

/// The report as a document, which has no format yet.
#[must_use]
pub fn document(subject: &FleetSubject<'_>) -> Document {
    let view = FleetView { subject };
    let sections = SECTIONS.iter().map(|write| write(&view)).filter(|section| !section.is_empty());
    Document {
        words: subject.words,
        title: subject.words.count("fleet-title", subject.fleet.machines.len()),
        byline: Vec::new(),
        purpose: Vec::new(),
        sections: sections.collect(),
        footer: subject.words.tell_texts("fleet-footer", &[("version", env!("CARGO_PKG_VERSION"))]).into(),
    }
}
