//! A run as a file: one file and one table line a format.

mod csv;
mod html;
mod json;
mod markdown;
mod svg;

use crate::page::Subject;

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

/// One format.
#[derive(Debug)]
pub struct Exporter {
    /// The extension that chooses it.
    pub extension: &'static str,
    /// What it holds.
    pub doc: &'static str,
    /// The run's bytes.
    pub write: fn(&Subject<'_>) -> Result<Vec<u8>, ExportError>,
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

/// The format for a file name.
#[must_use]
pub fn for_path(path: &std::path::Path) -> Option<&'static Exporter> {
    let extension = path.extension()?.to_str()?;
    EXPORTERS.iter().find(|e| e.extension == extension)
}
