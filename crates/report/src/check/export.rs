//! The report as a file: one table line a format.

use super::{ToolSubject, document};
use crate::document::{Document, html, markdown};
use crate::export::{ExportError, Exporter, json_full};

/// How the report of results of other tools becomes bytes.
pub type WriteToolReport = fn(&ToolSubject<'_>) -> Result<Vec<u8>, ExportError>;

fn page(subject: &ToolSubject<'_>, write: fn(&Document) -> String) -> Result<Vec<u8>, ExportError> {
    Ok(write(&document(subject)).into_bytes())
}

/// Every format, in documentation order.
pub const TOOL_EXPORTERS: &[Exporter<WriteToolReport>] = &[
    Exporter {
        extension: "html",
        doc: "a page to read and share",
        write: |subject| page(subject, html::write),
        printed: false,
    },
    Exporter {
        extension: "pdf",
        doc: "the page on paper, by an installed Chromium",
        write: |subject| page(subject, html::write),
        printed: true,
    },
    Exporter {
        extension: "md",
        doc: "the page as Markdown, for an issue or a wiki",
        write: |subject| page(subject, markdown::write),
        printed: false,
    },
    Exporter {
        extension: "json",
        doc: "the whole run document, for show, report and compare",
        write: |subject| json_full(subject.run),
        printed: false,
    },
];
