//! A run as a file: one file and one table line a format; those of pages stand in
//! [`crate::document`].

mod annotations;
mod comparison;
mod csv;
mod fleet;
mod json;
mod junit;
mod series;
mod svg;
mod trend;

use crate::document::{Document, html, markdown};
use crate::page::class::ClassSubject;
use crate::page::comparison::ComparisonSubject;
use crate::page::fleet::FleetSubject;
use crate::page::trend::TrendSubject;
use crate::page::{self, Subject};

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

impl ExportError {
    fn of(format: &'static str, reason: impl ToString) -> Self {
        ExportError::Format { format, reason: reason.to_string() }
    }
}

/// How a run becomes bytes.
pub type WriteRun = fn(&Subject<'_>) -> Result<Vec<u8>, ExportError>;

/// How a comparison becomes bytes.
pub type WriteComparison = fn(&ComparisonSubject<'_>) -> Result<Vec<u8>, ExportError>;

/// How a trend becomes bytes.
pub type WriteTrend = fn(&TrendSubject<'_>) -> Result<Vec<u8>, ExportError>;

/// How a fleet becomes bytes.
pub type WriteFleet = fn(&FleetSubject<'_>) -> Result<Vec<u8>, ExportError>;

/// How a run's figures beside those of its class become bytes.
pub type WriteClass = fn(&ClassSubject<'_>) -> Result<Vec<u8>, ExportError>;

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

fn run_page(subject: &Subject<'_>, write: fn(&Document) -> String) -> Result<Vec<u8>, ExportError> {
    Ok(write(&page::document(subject)).into_bytes())
}

fn comparison_page(
    subject: &ComparisonSubject<'_>,
    write: fn(&Document) -> String,
) -> Result<Vec<u8>, ExportError> {
    Ok(write(&page::comparison::document(subject)).into_bytes())
}

fn trend_page(subject: &TrendSubject<'_>, write: fn(&Document) -> String) -> Result<Vec<u8>, ExportError> {
    Ok(write(&page::trend::document(subject)).into_bytes())
}

fn fleet_page(subject: &FleetSubject<'_>, write: fn(&Document) -> String) -> Result<Vec<u8>, ExportError> {
    Ok(write(&page::fleet::document(subject)).into_bytes())
}

fn class_page(subject: &ClassSubject<'_>, write: fn(&Document) -> String) -> Result<Vec<u8>, ExportError> {
    Ok(write(&page::class::document(subject)).into_bytes())
}

/// Every format, in documentation order.
pub const EXPORTERS: &[Exporter] = &[
    Exporter::new("html", "a page to read and share", |run| run_page(run, html::write)),
    Exporter::printed("pdf", "the page on paper, by an installed Chromium", |run| run_page(run, html::write)),
    Exporter::new("md", "the page as Markdown, for an issue or a wiki", |run| run_page(run, markdown::write)),
    Exporter::new("json", "the whole run document", |subject| json::full(subject.run)),
    Exporter::new("csv", "one row an estimate", |subject| csv::write(subject.run)),
    Exporter::new("csv-series", "one row a value of each series of each trial", |subject| {
        series::write(subject.run)
    }),
    Exporter::new("svg", "the machine, with the path of the case that uses most of a limit", svg::write),
    Exporter::new("junit", "goals and trials as JUnit XML, for CI", |run| Ok(junit::write(run).into_bytes())),
    Exporter::new("annotations", "goals that are not kept, as GitHub shows them beside a change", |run| {
        Ok(annotations::write(run).into_bytes())
    }),
];

/// Every format of a comparison, in documentation order.
pub const COMPARISON_EXPORTERS: &[Exporter<WriteComparison>] = &[
    Exporter::new("html", "a page to read and share", |all| comparison_page(all, html::write)),
    Exporter::printed("pdf", "the page on paper, by an installed Chromium", |all| {
        comparison_page(all, html::write)
    }),
    Exporter::new("md", "the page as Markdown, for an issue or a wiki", |all| {
        comparison_page(all, markdown::write)
    }),
    Exporter::new("json", "the whole comparison document", |subject| comparison::json(subject.comparison)),
    Exporter::new("csv", "one row a metric of a case", |subject| comparison::csv(subject.comparison)),
];

/// Every format of a trend, in documentation order.
pub const TREND_EXPORTERS: &[Exporter<WriteTrend>] = &[
    Exporter::new("html", "a page to read and share", |all| trend_page(all, html::write)),
    Exporter::printed("pdf", "the page on paper, by an installed Chromium", |all| {
        trend_page(all, html::write)
    }),
    Exporter::new("md", "the page as Markdown, for an issue or a wiki", |all| {
        trend_page(all, markdown::write)
    }),
    Exporter::new("csv", "one row a run of a work", trend::csv),
];

/// Every format of a fleet, in documentation order.
pub const FLEET_EXPORTERS: &[Exporter<WriteFleet>] = &[
    Exporter::new("html", "a page to read and share", |all| fleet_page(all, html::write)),
    Exporter::printed("pdf", "the page on paper, by an installed Chromium", |all| {
        fleet_page(all, html::write)
    }),
    Exporter::new("md", "the page as Markdown, for an issue or a wiki", |all| {
        fleet_page(all, markdown::write)
    }),
    Exporter::new("json", "all that was found", fleet::json),
    Exporter::new("csv", "one row a machine of a figure", fleet::csv),
];

/// Every format of a run's figures beside those of its class, in documentation order.
pub const CLASS_EXPORTERS: &[Exporter<WriteClass>] = &[
    Exporter::new("html", "a page to read and share", |all| class_page(all, html::write)),
    Exporter::printed("pdf", "the page on paper, by an installed Chromium", |all| {
        class_page(all, html::write)
    }),
    Exporter::new("md", "the page as Markdown, for an issue or a wiki", |all| {
        class_page(all, markdown::write)
    }),
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
