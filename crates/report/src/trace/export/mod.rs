//! A trace as a file: one table line a format.

mod csv;
mod json;

pub use json::json as trace_json;

use super::{TraceSubject, document};
use crate::document::{Document, html, markdown};
use crate::export::{ExportError, Exporter};

/// How the report of a trace becomes bytes.
pub type WriteTrace = fn(&TraceSubject<'_>) -> Result<Vec<u8>, ExportError>;

fn page(subject: &TraceSubject<'_>, write: fn(&Document) -> String) -> Result<Vec<u8>, ExportError> {
    Ok(write(&document(subject)).into_bytes())
}

/// Every format, in documentation order.
pub const TRACE_EXPORTERS: &[Exporter<WriteTrace>] = &[
    Exporter {
        extension: "html",
        doc: "a page to read and share",
        write: |trace| page(trace, html::write),
        printed: false,
    },
    Exporter {
        extension: "pdf",
        doc: "the page on paper, by an installed Chromium",
        write: |trace| page(trace, html::write),
        printed: true,
    },
    Exporter {
        extension: "md",
        doc: "the page as Markdown, for an issue or a wiki",
        write: |trace| page(trace, markdown::write),
        printed: false,
    },
    Exporter { extension: "json", doc: "all figures", write: json::json, printed: false },
    Exporter { extension: "csv", doc: "one row a figure", write: csv::csv, printed: false },
];
