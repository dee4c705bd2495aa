//! A run as a file: one file and one table line a format.

mod comparison;
mod csv;
mod html;
mod json;
mod markdown;
mod svg;

use crate::page::{Subject, comparison as comparison_page};

pub use comparison::json as comparison_json;
pub use json::{full as json_full, summary as json_summary};

/// Why a run could not be written in a format.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The library of the format refused.
    #[error("the run cannot be written as {format}: {reason}")]
    Format {
        /// The format.
        format: &'static str,
        /// Why.
        reason: String,
    },
}

/// How a run becomes bytes.
pub type WriteRun = fn(&Subject<'_>) -> Result<Vec<u8>, ExportError>;

/// How a comparison becomes bytes.
pub type WriteComparison = fn(&comparison_page::ComparisonSubject<'_>) -> Result<Vec<u8>, ExportError>;

/// One format of a run, or of another document.
#[derive(Debug)]
pub struct Exporter<Write = WriteRun> {
    /// The extension that chooses it.
    pub extension: &'static str,
    /// What it holds.
    pub doc: &'static str,
    /// The document's bytes.
    pub write: Write,
    /// Whether the bytes are a page that a browser prints to make the file.
    pub printed: bool,
}

impl<Write> Exporter<Write> {
    /// A format whose bytes are the file.
    const fn new(extension: &'static str, doc: &'static str, write: Write) -> Self {
        Self { extension, doc, write, printed: false }
    }

    /// A page that a browser prints.
    const fn printed(extension: &'static str, doc: &'static str, write: Write) -> Self {
        Self { extension, doc, write, printed: true }
    }
}

/// Every format, in documentation order.
pub const EXPORTERS: &[Exporter] = &[
    Exporter::new("html", "a page to read and share", html::write),
    Exporter::printed("pdf", "the page on paper, by an installed Chromium", html::write),
    Exporter::new("md", "the page as Markdown, for an issue or a wiki", markdown::write),
    Exporter::new("json", "the whole run document", |subject| json::full(subject.run)),
    Exporter::new("csv", "one row an estimate", |subject| csv::write(subject.run)),
    Exporter::new("svg", "the machine, with the path of the case that uses most of a limit", svg::write),
];

/// Every format of a comparison, in documentation order.
pub const COMPARISON_EXPORTERS: &[Exporter<WriteComparison>] = &[
    Exporter::new("html", "a page to read and share", html::write_comparison),
    Exporter::printed("pdf", "the page on paper, by an installed Chromium", html::write_comparison),
    Exporter::new("md", "the page as Markdown, for an issue or a wiki", markdown::write_comparison),
    Exporter::new("json", "the whole comparison document", |subject| comparison::json(subject.comparison)),
    Exporter::new("csv", "one row a metric of a case", |subject| comparison::csv(subject.comparison)),
];

/// The format for a file name, of those in `table`.
#[must_use]
pub fn for_path<Write>(
    table: &'static [Exporter<Write>],
    path: &std::path::Path,
) -> Option<&'static Exporter<Write>> {
    let extension = path.extension()?.to_str()?;
    table.iter().find(|e| e.extension == extension)
}
