//! A run as a file: one file and one table line a format.

mod comparison;
mod csv;
mod html;
mod json;
mod markdown;
mod svg;

use model::Comparison;

use crate::page::Subject;

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
pub type WriteComparison = fn(&Comparison) -> Result<Vec<u8>, ExportError>;

/// One format of a run, or of another document.
#[derive(Debug)]
pub struct Exporter<Write = WriteRun> {
    /// The extension that chooses it.
    pub extension: &'static str,
    /// What it holds.
    pub doc: &'static str,
    /// The document's bytes.
    pub write: Write,
}

/// Every format, in documentation order.
pub const EXPORTERS: &[Exporter] = &[
    Exporter { extension: "html", doc: "a page to read and share", write: html::write },
    Exporter { extension: "md", doc: "the page as Markdown, for an issue or a wiki", write: markdown::write },
    Exporter { extension: "json", doc: "the whole run document", write: |subject| json::full(subject.run) },
    Exporter { extension: "csv", doc: "one row an estimate", write: |subject| csv::write(subject.run) },
    Exporter {
        extension: "svg",
        doc: "the machine, with the path of the case that uses most of a limit",
        write: |subject| svg::write(subject.run),
    },
];

/// Every format of a comparison, in documentation order.
pub const COMPARISON_EXPORTERS: &[Exporter<WriteComparison>] = &[
    Exporter { extension: "json", doc: "the whole comparison document", write: comparison::json },
    Exporter { extension: "csv", doc: "one row a metric of a case", write: comparison::csv },
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
