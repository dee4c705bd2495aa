//! The report of a trend: which figures are worse than they were, where each stepped, what changed there, and
//! every run.

mod answer;
mod method;
mod series;
#[cfg(test)]
pub(crate) mod tests;
mod view;

use std::collections::BTreeMap;

use analysis::trend::Trend;
use language::Words;

use self::view::TrendView;
use crate::document::{Document, Section};

/// Every section, in order: a file and a line here. One that says nothing is left out.
const SECTIONS: &[fn(&TrendView<'_>) -> Section] = &[answer::write, series::write, method::write];

/// What a trend's report is made from.
pub struct TrendSubject<'a> {
    /// What was found.
    pub trend: &'a Trend,
    /// What a person said of runs, by their names: tags and notes as one text.
    pub said: &'a BTreeMap<String, String>,
    /// The command that asked, as typed; empty if there was none.
    pub command: &'a [String],
    /// The words.
    pub words: &'static Words,
}

/// The report as a document, which has no format yet.
#[must_use]
pub fn document(subject: &TrendSubject<'_>) -> Document {
    let view = TrendView { subject };
    let sections = SECTIONS.iter().map(|write| write(&view)).filter(|section| !section.is_empty());
    Document {
        words: subject.words,
        title: subject.words.count("trend-title", subject.trend.runs),
        byline: view.machines(),
        purpose: Vec::new(),
        sections: sections.collect(),
        footer: subject.words.tell_texts("trend-footer", &[("version", env!("CARGO_PKG_VERSION"))]).into(),
    }
}
